package airflow

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mrsched/io/trace"
	"mrsched/io/trace/golden"
	"mrsched/model"
)

const data = "../../../testdata/airflow"

var options = Options{Duration: "p50"}

// folder reads the files of a folder, of which some texts are replaced.
func folder(t testing.TB, dir string, replace ...string) (list []trace.File) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	for _, f := range golden.Files(t, dir, Parts(names)...) {
		text, err := io.ReadAll(f.Text)
		if err != nil {
			t.Fatal(err)
		}
		text = []byte(strings.NewReplacer(replace...).Replace(string(text)))
		list = append(list, trace.File{Name: f.Name, Text: bytes.NewReader(text)})
	}
	return list
}

// TestNight is worked by hand. The second night is the last complete one: in the third, a task runs and others have no
// state. It has a mapped task, a skipped one, one that Airflow does not run, two sensors, of which one names tasks that
// wait for another DAG, a dependency whose sensor no table names, one by a trigger, and one on a DAG that did not run.
func TestNight(t *testing.T) {
	w := golden.Must(t)(Import(folder(t, data+"/night"), options))
	golden.Same(t, w, `airflow for "cluster": 8 tasks, 6 delays, 0 machines
load at 0 s, ended at 240 s × 2
  map load.extract 60 s, 2 db on h2
  map load.part[0] 90 s, 1 default_pool on h1
  map load.part[1] 90 s, 1 default_pool on h2
  map load.publish 35 s, 1 default_pool on h1
mart at 0 s, ended at 360 s × 6
  map mart.report 150 s, 1 default_pool on h1
  map mart.audit 110 s on h2
mail at 0 s, ended at 390 s
  map mail.send 20 s, 1 default_pool on h1
cleanup at 0 s, ended at 250 s × 3
  map cleanup.drop 15 s, 1 default_pool on h1
load.extract > load.part[0] 0
load.extract > load.part[1] 0
load.part[0] > load.publish 0
load.part[1] > load.publish 0
load.publish > mart.report 0
load.publish > cleanup.drop 0
root root 0+0, 2 db, 128 default_pool
node h1 0+0, 2 cores
node h2 0+0, 2 cores
imported from Airflow: 8 tasks in 4 DAGs; time 0 is 2026-11-02T22:00:00Z
left out, with columns of no table of Airflow: hosts.csv
the tasks are those of the night that began at 2026-11-02T22:00:00Z, and so are recorded times
a task takes the p50 of its successful tries (--duration)
a node has as many cores as tasks ran on it at once; a task takes 1
2 sensors are no work: others wait through them
1 task that Airflow ends without running it is left out
1 task skipped, removed or upstream_failed in the recorded night is left out; --run names a night in which it ran: load.weekly
2 tries are there again and count once
incomplete: 1 task names a pool that slot_pool lacks, and nothing limits it there: gone; hint: add these pools to slot_pool
1 dependency of a DAG without tasks is left out
1 DAG is due at sla_by, a clock time in the zone of time 0
1 pool with -1 slots limits nothing
2 DAGs without a schedule are released at time 0: cleanup, mail
`)
	if d := w.Dependencies; len(d) != 1 || w.Jobs[d[0].Job].ID != "mail" || w.Jobs[d[0].After].ID != "mart" {
		t.Error(d)
	}
	if d := w.Jobs[1].Deadline; d != model.Some(8*3600*model.Second) {
		t.Errorf("mart is due at %v", d)
	}
	want := []string{"-86400 -86370 failed 1", "-86070 -86010 success 2", "0 80 success 1", "86410 86470 success 1"}
	if diff := cmp.Diff(want, runsOf(w, "load.extract")); diff != "" {
		t.Error(diff)
	}
	if got := runsOf(w, "load.part[0]"); got[len(got)-1] != "86470 0 running 1" {
		t.Error(got)
	}
}

func runsOf(w *model.Workload, task string) (list []string) {
	for _, r := range w.Runs {
		if r.Task == task {
			list = append(list, fmt.Sprintf("%s %s %s %d", r.Start.Value, r.End.Value, r.State, r.Try))
		}
	}
	return list
}

// TestOptions: another night, other times, other nodes; a DAG that its schedule starts later, and text that is no time
// of day for the end of one.
func TestOptions(t *testing.T) {
	opt := Options{Duration: "max", Run: "scheduled__2026-10-31T22:00:00+00:00", Night: "2026-11-05T22:00Z",
		Nodes: model.Some(int64(3)), CPU: model.Some(4.0), Memory: model.Some(model.Bytes(1000))}
	w := golden.Must(t)(Import(folder(t, data+"/night", "cleanup,f,None", "cleanup,f,5 22 * * *"), opt))
	golden.Holds(t, w, "load at 0 s, ended at 540 s × 2", "cleanup at 300 s, ended at 560 s × 3",
		"map load.part[0] 120 s, 1 default_pool on h1", "node h2 0+0, 4 cores, memory 1000",
		"node node1 0+0, 4 cores, memory 1000", "1 DAG is released when the schedule says, at the "+
			"time of day of its runs called scheduled__, or else in UTC",
		"imported from Airflow: 8 tasks in 4 DAGs; time 0 is 2026-11-05T22:00:00Z", "no as many cores as")
	due, began := w.Jobs[1].Deadline, w.Tasks[0].RecordedStart
	if due != model.Some(28_800*model.Second) || began != model.Some(330*model.Second) {
		t.Errorf("mart is due at %v, extract started at %v", due, began)
	}
	if got := runsOf(w, "load.extract"); got[1] != "-345270 -345210 success 2" { // four days before, at 22:05:30
		t.Error(got)
	}
	golden.Refused(t, "V202 dag.csv:3:13")(Import(folder(t, data+"/night", `f,"""0 22 * * *""",06:00`, "f,None,soon"),
		options))
	golden.Refused(t, "V210, V210, V210")(Import(nil, Options{Nodes: model.Some(int64(0)), CPU: model.Some(math.NaN()),
		Night: "22:00"}))
	golden.Refused(t, "V210")(Import(folder(t, data+"/night"), Options{Duration: "p50", Run: "scheduled__2026-10-31"}))
}

// TestNoCompleteNight: the first night is one of failures, and so tasks come from the last one; all but publish have
// run, and audit has run to no good end.
func TestNoCompleteNight(t *testing.T) {
	w := golden.Must(t)(Import(folder(t, data+"/night", ",success,", ",failed,"), options))
	golden.Holds(t, w, "map load.extract 80 s, 2 db", "map load.part[0] 120 s, 1 default_pool", "map mart.audit 120 s",
		"map load.publish 40 s, 1 default_pool",
		"incomplete: no night is complete: the tasks are those of the last one, which began at 2026-11-03T22:00:00Z; "+
			"hint: --run names another night",
		"incomplete: 4 tasks never ran to a good end, and take the longest of their tries, or 0; hint: export nights in "+
			"which they did", "no on h")
}

// TestREST reads pages one after another, of version 2 and of version 3, and a list of tasks in a file named after its
// DAG.
func TestREST(t *testing.T) {
	for range 2 {
		files := folder(t, data+"/rest")
		w := golden.Must(t)(Import(files, options))
		golden.Holds(t, w, `airflow for "cluster": 2 tasks, 1 delays, 0 machines`, "load at 0 s, ended at 80.5 s",
			"map load.extract 60 s, 2 db on h1", "map load.publish 20 s, 1 default_pool on h1", "load.extract > load.publish 0",
			"root root 0+0, 2 db, 128 default_pool", "node h1 0+0, 1 cores", "no UTC")
	}
	files := folder(t, data+"/rest", "+00:00", "", "Z", "")
	golden.Holds(t, golden.Must(t)(Import(files, options)), "load.extract > load.publish 0",
		"incomplete: 4 times without an offset count as UTC; hint: export times with theirs, such as 22:00:07+00")
}

// TestState: at 22:02 extract has ended, a part runs, which twice took longer, and audit has failed.
func TestState(t *testing.T) {
	want := [][]string{{"task", "node", "start", "end", "remaining"}, {"load.extract", "h2", "10", "70", ""},
		{"load.part[0]", "h1", "70", "", "40"}}
	for night, at := range map[string]string{"": "22:02", "2026-11-03T22:00Z": "22:02", "2026-11-03T23:00+01:00": "23:02",
		"2026-11-03T17:00[America/New_York]": "17:02"} {
		got, _, err := State(folder(t, data+"/night"), Options{Duration: "p50", Night: night}, at)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Error(err, diff)
		}
	}
	got, _, err := State(folder(t, data+"/night"), options, "22:00:40")
	if err != nil || len(got) != 3 || cmp.Diff(got[2], []string{"mart.audit", "h2", "0", "", "70"}) != "" {
		t.Error(err, got)
	}
	if _, _, err := State(folder(t, data+"/night"), options, "soon"); err == nil {
		t.Error("a clock time soon")
	}
}

// TestBad imports every file of testdata/airflow/bad.
func TestBad(t *testing.T) {
	golden.Bad(t, filepath.Join(data, "bad", "*.*"), func(path string) (*model.Workload, error) {
		return Import(golden.Files(t, filepath.Dir(path), filepath.Base(path)), options)
	})
	golden.Refused(t, "F106 f:1:24")(Import(golden.Endless(`{"task_instances":[{"a":"`, 'x'), options))
}

// TestExports counts tasks, tries, waits and seconds of a folder of exports again, by awk.
func TestExports(t *testing.T) {
	dir := os.Getenv("AIRFLOW_EXPORTS")
	if dir == "" {
		t.Skip("AIRFLOW_EXPORTS does not name a folder of exports")
	}
	w := golden.Must(t)(Import(folder(t, dir), options))
	out, err := exec.Command("awk", "-F", ",", `
		FNR == 1 { file++; for (k = 1; k <= NF; k++) if (file == 1) column[$k] = k; next }
		file == 1 { if ($18 ~ /Sensor/) { sensor[$2 "." $1] = 1; next }
			task[$2 "." $1] = 1; tries++; if ($8 == "success") { good++; sum += $7 } }
		file == 2 { if (!(($1 "." $2) in sensor) && !(($1 "." $3) in sensor)) waits++ }
		END { n = 0; for (t in task) n++; printf "%d %d %d %d %.1f", n, tries, good, waits, sum }`,
		filepath.Join(dir, "task_instance.csv"), filepath.Join(dir, "edges.csv")).Output()
	if err != nil {
		t.Fatal(err)
	}
	good, sum := 0, model.Time(0)
	for k := range w.Runs {
		if r := &w.Runs[k]; r.State == model.Succeeded {
			good, sum = good+1, sum+r.Took().Value
		}
	}
	got := fmt.Sprintf("%d %d %d %d %.1f", len(w.Tasks), len(w.Runs), good, len(w.Delays), sum.Seconds())
	if string(out) != got {
		t.Errorf("%s; awk counts %s", got, out)
	}
}

func FuzzImport(f *testing.F) {
	night := map[string][]byte{}
	for _, dir := range []string{"rest", "night"} {
		clear(night)
		for _, file := range folder(f, filepath.Join(data, dir)) {
			text, err := io.ReadAll(file.Text)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
			night[file.Name] = text
		}
	}
	golden.Fuzz(f, data, func(files []trace.File) (*model.Workload, error) { return Import(files, options) },
		func(files []trace.File) (*model.Workload, error) {
			for _, name := range slices.Sorted(maps.Keys(night)) {
				files = append(files, trace.File{Name: name, Text: bytes.NewReader(night[name])})
			}
			return Import(files, options)
		})
}
