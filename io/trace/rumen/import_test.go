package rumen

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"mrsched/io/trace"
	"mrsched/io/trace/golden"
	"mrsched/model"
)

// data is the folder of the hand-made excerpts.
const data = "../../../testdata/rumen"

func read(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(data, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// importFiles imports excerpts; the topology may be "".
func importFiles(t testing.TB, name, topology string, opt Options) (*model.Workload, error) {
	t.Helper()
	file := func(name string) *trace.File { return &trace.File{Name: name, Text: bytes.NewReader(read(t, name))} }
	if topology == "" {
		return Import(*file(name), nil, opt)
	}
	return Import(*file(name), file(topology), opt)
}

func mustImport(t testing.TB, trace, topology string, opt Options) *model.Workload {
	t.Helper()
	return golden.Must(t)(importFiles(t, trace, topology, opt))
}

// imported imports a trace without a topology.
func imported(text string) (*model.Workload, error) {
	return Import(golden.Text(text)[0], nil, DefaultOptions())
}

// noted requires notes, apart from "no " before those that must not be there.
func noted(t testing.TB, w *model.Workload, notes ...string) {
	t.Helper()
	for _, note := range notes {
		rest, absent := strings.CutPrefix(note, "no ")
		if slices.Contains(w.Notes, note) || absent && !slices.ContainsFunc(w.Notes, func(n string) bool {
			return strings.Contains(n, rest)
		}) {
			continue
		}
		t.Errorf("%q is wrong about %q", note, w.Notes)
	}
}

// show prints jobs and tasks, one a line, in words that an expectation can be written in.
func show(w *model.Workload) string {
	var b strings.Builder
	known := func(name string, known bool, v fmt.Stringer) {
		if known {
			fmt.Fprintf(&b, " %s=%s", name, v)
		}
	}
	replicas := map[model.BlockIndex][]string{}
	for _, p := range w.Placements {
		replicas[p.Block] = append(replicas[p.Block], w.Topology[p.Node].ID)
	}
	for j, job := range w.Jobs {
		fmt.Fprintf(&b, "%s release=%s weight=%s reduces=%d", job.ID, job.Release, job.Weight, job.Reduces.Value)
		if job.Tenant != "" {
			b.WriteString(" tenant=" + job.Tenant)
		}
		known("bytes", job.IntermediateBytes.Known, job.IntermediateBytes.Value)
		known("ended", job.RecordedCompletion.Known, job.RecordedCompletion.Value)
		b.WriteString("\n")
		for _, t := range w.Tasks {
			if int(t.Job) != j {
				continue
			}
			fmt.Fprintf(&b, "  %s %s p=%s", t.ID, t.Kind, t.Processing.Value)
			if t.ShuffleDelay > 0 {
				fmt.Fprintf(&b, " delay=%s", t.ShuffleDelay)
			}
			known("in", t.InputBytes.Known, t.InputBytes.Value)
			known("out", t.OutputBytes.Known, t.OutputBytes.Value)
			if t.RecordedNode != "" {
				b.WriteString(" on=" + t.RecordedNode)
			}
			if t.Block != model.None {
				fmt.Fprintf(&b, " %s@%s", w.Blocks[t.Block], strings.Join(replicas[t.Block], ","))
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// TestRules computes every rule of doc.go by hand on rules.json.
func TestRules(t *testing.T) {
	// job_0001: m_0 counts as its second success (8 s: it finished first); m_2 never ran and m_3 ended before it
	// began: they take the lower median of 8 and 6.5. The last map ended at 1012; the reduces' shuffles at
	// 1015, 1011, 1017, 1020, so the delay is the lower median of 3, 0, 5, 8. Reduces took 15, 9, 4, 40;
	// r_4 takes the lower median 9. m_2's output is unknown, so the job's intermediate bytes are.
	// job_0002 was submitted first: 990 is time 0, and job_0001's release is 10.
	// job_0003's reduce takes the trace's median of 0.5, 4, 9, 15, 40.
	// job_0006: 100+23 bytes; the shuffle ended 2.5 after the last map; two blocks on the same three nodes.
	const want = `job_0001 release=10 weight=4 reduces=5 tenant=ann ended=70
  task_0001_m_0 map p=8 delay=3 in=600 out=60 on=a.example block_task_0001_m_0@a.example,b.example,c.example
  task_0001_m_1 map p=6.5 delay=3 in=500 out=40 on=d.example block_task_0001_m_1@a.example,c.example
  task_0001_m_2 map p=6.5 delay=3
  task_0001_m_3 map p=6.5 delay=3 in=0 out=0 on=c.example
  task_0001_r_0 reduce p=15 on=b.example
  task_0001_r_1 reduce p=9 on=b.example
  task_0001_r_2 reduce p=4 on=b.example
  task_0001_r_3 reduce p=40 on=b.example
  task_0001_r_4 reduce p=9
job_0002 release=0 weight=2 reduces=0 tenant=bob
  task_0002_m_0 map p=0 in=77 on=c.example block_task_0002_m_0@a.example,b.example
job_0003 release=0 weight=3 reduces=1 ended=110
  task_0003_r_0 reduce p=9 in=9 out=8 on=d.example
job_0006 release=1010 weight=1 reduces=1 tenant=ann bytes=123 ended=1024
  task_0006_m_0 map p=2 delay=2.5 in=64 out=100 on=c.example block_task_0006_m_0@a.example,b.example,c.example
  task_0006_m_1 map p=4 delay=2.5 in=65 out=23 on=c.example block_task_0006_m_1@a.example,b.example,c.example
  task_0006_r_0 reduce p=0.5 in=123 out=50 on=d.example
`
	w := mustImport(t, "rules.json", "topology.json", DefaultOptions())
	if diff := cmp.Diff(want, show(w)); diff != "" {
		t.Error(diff)
	}
	if w.Name != "rules" {
		t.Errorf("name %q, want %q", w.Name, "rules")
	}
	notes := `imported from a Rumen trace of 6 jobs
1 FAILED or KILLED job is left out
1 job without maps and reduces is left out
3 setup or cleanup tasks are left out
3 failed, killed or superfluous attempts are left out
time 0 is the first submission, 990000 ms after 1970-01-01T00:00Z
1 job without a recorded submission is released at time 0
1 number is replaced, as it cannot be: negative or too large, before the start, of a task that took longer than its job, or of a job that was a year away from its tasks
3 tasks without a recorded duration take their job's median
1 task of a job without any recorded duration of that kind takes the trace's median
priorities weigh 5 (VERY_HIGH), 4, 3 (NORMAL), 2 and 1 (VERY_LOW)
1 job without a known priority is weighed as NORMAL
each of the topology's 4 hosts is given 2 map slots and 2 reduce slots
1 replica on a host outside the topology is dropped
1 replica on a host that holds the block already is dropped
2 maps without known replicas read no block
1 job has unknown intermediate bytes, as not every map's output is recorded`
	if diff := cmp.Diff(notes, strings.Join(w.Notes, "\n")); diff != "" {
		t.Error(diff)
	}
}

// TestIncludeFailed: job_0004 (FAILED, submitted at 980) becomes time 0; its map never ran and takes the median of the
// trace's maps 0, 2, 4, 6.5, 8.
func TestIncludeFailed(t *testing.T) {
	w := mustImport(t, "rules.json", "topology.json", Options{IncludeFailed: true})
	got := show(w)
	for _, line := range []string{
		"job_0001 release=20 weight=4 reduces=5 tenant=ann ended=80\n",
		"job_0002 release=10 weight=2 reduces=0 tenant=bob\n",
		"job_0004 release=0 weight=3 reduces=0 tenant=bob ended=19\n  task_0004_m_0 map p=4\n",
	} {
		if !strings.Contains(got, line) {
			t.Errorf("no %q in\n%s", line, got)
		}
	}
	noted(t, w, "1 FAILED or KILLED job is imported like any other", "no FAILED or KILLED job is left out",
		"2 tasks of jobs without any recorded duration of that kind take the trace's median")
}

// TestWithoutTopology: without a topology every replica counts.
func TestWithoutTopology(t *testing.T) {
	w := mustImport(t, "rules.json", "", DefaultOptions())
	if len(w.Placements) != 3+3+2+3+3 {
		t.Errorf("%d placements", len(w.Placements))
	}
	noted(t, w, "no without a host", "1 replica on a host that holds the block already is dropped")
}

func TestWeights(t *testing.T) {
	var got []string
	for _, j := range mustImport(t, "rules.json", "topology.json", Options{}).Jobs {
		got = append(got, j.Weight.String())
	}
	if strings.Join(got, " ") != "4 2 3 1" {
		t.Error(got)
	}
}

func TestTopology(t *testing.T) {
	w := mustImport(t, "rules.json", "deep-topology.json", Options{MapSlots: 3, ReduceSlots: 1,
		Machines: model.Some[int64](5)})
	const want = `root root - 0/0
switch dc-1 root 0/0
rack dc-1/rack dc-1 0/0
node h1 dc-1/rack 3/1
node h2 dc-1/rack 3/1
switch dc-1/mixed dc-1 0/0
node h3 dc-1/mixed 3/1
rack dc-1/mixed/rack dc-1/mixed 0/0
node h4 dc-1/mixed/rack 3/1
switch dc-2 root 0/0
rack dc-2/rack dc-2 0/0
node h5 dc-2/rack 3/1
node h6 root 3/1
`
	if diff := cmp.Diff(want, rows(w)); diff != "" {
		t.Error(diff)
	}
	if w.Machines != model.Some[int64](5) {
		t.Errorf("machines %v", w.Machines)
	}
}

// TestPositions: a row has the position of its id.
func TestPositions(t *testing.T) {
	w := mustImport(t, "rules.json", "topology.json", Options{})
	at := map[string]model.Position{
		"job":      w.Where(model.TableJobs, 0),
		"task":     w.Where(model.TableTasks, 0),
		"job 2":    w.Where(model.TableJobs, 1),
		"topology": w.Where(model.TableTopology, 2),
	}
	want := map[string]model.Position{
		"job":      {File: "rules.json", Line: 1, Column: 13},
		"task":     {File: "rules.json", Line: 5, Column: 16},
		"job 2":    {File: "rules.json", Line: 31, Column: 382},
		"topology": {File: "topology.json", Line: 5, Column: 31},
	}
	if diff := cmp.Diff(want, at); diff != "" {
		t.Error(diff)
	}
}

func TestOptions(t *testing.T) {
	_, err := importFiles(t, "rules.json", "", Options{MapSlots: -1, Machines: model.Some[int64](0)})
	const want = `V210: -1 map slots and 0 reduce slots a node; expected 0 or more of each
V210: 0 machines; expected at least 1`
	if err == nil || err.Error() != want {
		t.Errorf("error\n%v\nwant\n%s", err, want)
	}
}

func TestUnreadable(t *testing.T) {
	broken := func(name string) *trace.File {
		return &trace.File{Name: name, Text: io.MultiReader(strings.NewReader("{"), iotest.ErrReader(errors.New("link lost")))}
	}
	_, err := Import(*broken("t.json"), broken("p.json"), Options{})
	const want = "F101 p.json: link lost\nF101 t.json: link lost"
	if err == nil || err.Error() != want {
		t.Errorf("error\n%v\nwant\n%s", err, want)
	}
}

func TestNames(t *testing.T) {
	for pattern, want := range map[string]string{
		`192\.30\.63\.192`: "192.30.63.192", `a\-b\\c`: `a-b\c`, `plain`: "plain", `end\`: `end\`, ``: "", `ż\.ó`: "ż.ó",
	} {
		if got := unescape(pattern); got != want {
			t.Errorf("unescape(%q) = %q, want %q", pattern, got, want)
		}
	}
	hosts := newHostTable()
	a, b, c := hosts.host(`"/r\\.1/h\\.1"`), hosts.host(`"h.1"`), hosts.host(`"/r\\.2/h\\.2"`)
	if a != b || a == c || hosts.names[c] != "h.2" || hosts.host(`""`) != noHost ||
		hosts.host(`"/r/"`) != noHost {
		t.Errorf("hosts %d %d %d %q", a, b, c, hosts.names)
	}
}
