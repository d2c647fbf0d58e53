package spark

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"mrsched/io/trace"
	"mrsched/model"
)

// tracesVariable names the folder of event logs from the test data of Apache Spark and of spark-rapids-tools, which are
// not part of the repository.
const tracesVariable = "SPARK_LOGS"

// logs are the parts of each log, by its name.
func logs(t *testing.T) map[string][]string {
	t.Helper()
	traces := os.Getenv(tracesVariable)
	if traces == "" {
		t.Skipf("%s does not name a folder of event logs", tracesVariable)
	}
	entries, err := os.ReadDir(traces)
	if err != nil {
		t.Fatal(err)
	}
	list := map[string][]string{}
	for _, e := range entries {
		path := filepath.Join(traces, e.Name())
		list[e.Name()] = []string{path}
		if e.IsDir() {
			files, err := os.ReadDir(path)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, f := range files {
				names = append(names, f.Name())
			}
			list[e.Name()] = nil
			for _, name := range Parts(names) {
				list[e.Name()] = append(list[e.Name()], filepath.Join(path, name))
			}
		}
	}
	return list
}

func open(t *testing.T, paths []string) (list []trace.File) {
	t.Helper()
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, trace.File{Name: path, Text: bytes.NewReader(b)})
	}
	return list
}

// tally holds the totals of a log's tasks, by stage.
type tally struct {
	Tasks                int
	Run, In, Out, Reruns int64 // run time in ms; bytes
}

// TestReal imports every log under every reading of its jobs, checks the recorded schedule, and compares sums over the
// workload with sums over the raw JSON: the tasks of a stage, their times and bytes, and that every end of a task is
// imported, left out with a note, or resubmitted.
func TestReal(t *testing.T) {
	for name, paths := range logs(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, jobs := range Jobs() {
				opt := Options{Jobs: jobs}
				switch {
				case strings.HasPrefix(name, "malformed"):
					_, err := Import(open(t, paths), opt)
					if err == nil || !strings.HasPrefix(err.Error(), "F103 "+paths[0]+":4:43: ") {
						t.Errorf("error %v", err)
					}
					opt.SkipBadLines = true
				case strings.HasPrefix(name, "empty"):
					_, err := Import(open(t, paths), opt)
					if err == nil || !strings.HasPrefix(err.Error(), "T503 ") {
						t.Errorf("error %v", err)
					}
					return
				}
				w, err := Import(open(t, paths), opt)
				if err != nil {
					t.Fatal(err)
				}
				checkRecorded(t, w)
				if jobs == Recorded {
					checkSums(t, w, paths)
				}
			}
		})
	}
}

// rawEvent is what sums read of an event.
type rawEvent struct {
	Event   string
	Stage   int64                   `json:"Stage ID"`
	Attempt int64                   `json:"Stage Attempt ID"`
	Reason  struct{ Reason string } `json:"Task End Reason"`
	Info    struct {
		Index  int64
		Launch int64 `json:"Launch Time"`
		Finish int64 `json:"Finish Time"`
	} `json:"Task Info"`
	Metrics map[string]any `json:"Task Metrics"`
}

// checkSums reads the raw log independently.
func checkSums(t *testing.T, w *model.Workload, paths []string) {
	t.Helper()
	type task struct{ stage, attempt, index int64 }
	successes := map[task]rawEvent{}
	total, resubmitted := 0, 0
	for _, path := range paths {
		eachLine(t, path, func(line []byte) {
			var e rawEvent
			if json.Unmarshal(line, &e) != nil || e.Event != "SparkListenerTaskEnd" {
				return
			}
			total++
			switch e.Reason.Reason {
			case "Success":
				successes[task{e.Stage, e.Attempt, e.Info.Index}] = e
			case "Resubmitted":
				resubmitted++
			}
		})
	}
	want, got := map[string]tally{}, map[string]tally{}
	for k, e := range successes {
		at := fmt.Sprintf("stage-%d", k.stage)
		if k.attempt > 0 {
			at += fmt.Sprintf(".%d", k.attempt)
		}
		x := want[at]
		x.Tasks++
		if e.Metrics == nil {
			x.Run += e.Info.Finish - e.Info.Launch
		}
		x.Run += e.sum("Executor Run Time", "Executor Deserialize Time", "Result Serialization Time")
		x.In += e.sum("Input Metrics/Bytes Read", "Shuffle Read Metrics/Remote Bytes Read",
			"Shuffle Read Metrics/Local Bytes Read")
		x.Out += e.sum("Output Metrics/Bytes Written", "Shuffle Write Metrics/Shuffle Bytes Written")
		want[at] = x
	}
	done := 0
	for _, u := range w.Tasks {
		if strings.HasSuffix(u.ID, ".done") {
			done++
			continue
		}
		at := u.ID[strings.Index(u.ID, "stage-"):strings.LastIndex(u.ID, "/")]
		x := got[at]
		x.Tasks++
		x.Run += int64(u.Processing.Value / trace.Millisecond)
		x.In += int64(u.InputBytes.Value)
		x.Out += int64(u.OutputBytes.Value)
		got[at] = x
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	left := leftOut(w)
	if sum := len(w.Tasks) - done + left + resubmitted; sum != total {
		t.Errorf("%d tasks + %d other attempts + %d resubmitted, of %d", len(w.Tasks)-done, left, resubmitted, total)
	}
}

// leftOut is how many failed, killed and repeated attempts the notes count.
func leftOut(w *model.Workload) (total int) {
	for _, note := range w.Notes {
		n, what, _ := strings.Cut(note, " ")
		if strings.HasPrefix(what, "failed or killed attempt") || strings.HasPrefix(what, "successful attempt") {
			k, _ := strconv.Atoi(n)
			total += k
		}
	}
	return total
}

// TestSums compares sums over the logs of testdata with those of their workloads.
func TestSums(t *testing.T) {
	for _, name := range []string{"app.json", "odd.json", "old.json"} {
		w := imported(t, name, func(*Options) {})
		checkSums(t, w, []string{filepath.Join(data, name)})
	}
}

// sum adds metrics, some of them below another one.
func (e *rawEvent) sum(names ...string) (total int64) {
	for _, name := range names {
		from := e.Metrics
		if above, below, nested := strings.Cut(name, "/"); nested {
			from, _ = from[above].(map[string]any)
			name = below
		}
		v, _ := from[name].(float64)
		total += int64(v)
	}
	return total
}

func eachLine(t *testing.T, path string, do func(line []byte)) {
	t.Helper()
	text := open(t, []string{path})[0].Text
	if strings.HasSuffix(path, ".zstd") {
		z, err := zstd.NewReader(text)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		text = z
	}
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		do(lines.Bytes())
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// TestSkipped: the number of skipped stages, and of those that ran before under another id, as another program counted
// them.
func TestSkipped(t *testing.T) {
	all := logs(t)
	for name, want := range map[string][]string{
		"nds_q72_dataproc_2_2.zstd": {"13 skipped stages whose output existed are replaced by"},
		"tasks_executors_fail_compressed_eventlog.zstd": {"94 skipped stages whose output existed are replaced by",
			"1 skipped stage has no stage that ran with the same last RDD",
			"50 tasks were resubmitted", "incomplete: 5 jobs end without a start",
			"3 failed or killed attempts", "27 successful attempts"},
		"truncated_eventlog": {"2 skipped stages have no stage that ran with the same last RDD",
			"incomplete: the log ends before the application does"},
		"eventlog_2nodes_8cores": {"2 skipped stages have no stage that ran with the same last RDD", "3 tasks were running"},
		"local-1422981759269":    {"2 jobs without stated parents", "1 executor whose cores the log does not state"},
	} {
		w, err := Import(open(t, all[name]), Options{Jobs: Recorded})
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range want {
			if !strings.Contains(strings.Join(w.Notes, "\n"), "\n"+text) {
				t.Errorf("%s: no note %q in %q", name, text, w.Notes)
			}
		}
	}
}
