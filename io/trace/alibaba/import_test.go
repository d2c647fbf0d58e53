package alibaba

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mrsched/io/trace"
	"mrsched/io/trace/golden"
	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/model/multitenant"
	"mrsched/model/realtime"
)

const data = "../../../testdata/alibaba"

func read(t testing.TB, names ...string) []File {
	t.Helper()
	var list []File
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join(data, name))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, File{Name: filepath.Base(name), Text: bytes.NewReader(b)})
	}
	return list
}

// show prints jobs, tasks and delays in words that an expectation can be written in.
func show(w *model.Workload) string {
	var b strings.Builder
	for j, x := range w.Jobs {
		fmt.Fprintf(&b, "%s at %s s, ended at %s s\n", x.ID, x.Release, x.RecordedCompletion.Value)
		for _, t := range w.Tasks {
			if int(t.Job) == j {
				fmt.Fprintf(&b, "  %s %s %s s", t.Kind, t.ID, t.Processing.Value)
				if t.CPU.Known {
					fmt.Fprintf(&b, ", %v cores", t.CPU.Value)
				}
				b.WriteString("\n")
			}
		}
	}
	for _, d := range w.Delays {
		fmt.Fprintf(&b, "%s > %s %s\n", w.Tasks[d.From].ID, w.Tasks[d.To].ID, d.Delay)
	}
	return b.String()
}

// TestRules is worked by hand. j_1 is a stage graph: M1 lets 4 instances follow its 2, which is 8 rows or 2 + 4 with a
// task between, M3_1 has 3·2 rows or 3 + 2, R4_2 1·2, M2_1 1·1. Nothing of j_1 may count before what it waits for has
// ended. J3_2 waits for M1 by way of R2_1, which failed. The first start is at 10 s; at 50 s of the trace, nothing of
// j_1 but the instances of R4_2 and none of others is under way, and from 20 to 26 s 2 of M1, 2 of R2_1.
func TestRules(t *testing.T) {
	w, err := Import(read(t, "jobs.csv"), DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	const want = `j_1 at 0 s, ended at 65 s
  map j_1/M1.1 20 s, 1 cores
  map j_1/M1.2 20 s, 1 cores
  reduce j_1/M1.done 0 s
  reduce j_1/M2_1 15 s, 0.5 cores
  reduce j_1/M3_1.1 20 s, 1 cores
  reduce j_1/M3_1.2 20 s, 1 cores
  reduce j_1/M3_1.3 20 s, 1 cores
  reduce j_1/M3_1.done 0 s
  reduce j_1/R4_2 15 s
  reduce j_1/M5_3_4_Stg7.1 15 s, 1 cores
  reduce j_1/M5_3_4_Stg7.2 15 s, 1 cores
j_2 at 2 s, ended at 16 s
  reduce j_2/R2_1_.1 6 s, 1 cores
  reduce j_2/R2_1_.2 6 s, 1 cores
  map j_2/M1.1 8 s, 1 cores
  map j_2/M1.2 8 s, 1 cores
  map j_2/M1.3 8 s, 1 cores
  map j_2/M1.4 8 s, 1 cores
j_3 at 5 s, ended at 8 s
  map j_3/task_Nzg3ODAwNDg= 3 s, 1 cores
j_5 at 30 s, ended at 50 s
  reduce j_5/J3_2 8 s, 1 cores
  map j_5/M1 10 s, 1 cores
j_1/M1.1 > j_1/M1.done 0
j_1/M1.2 > j_1/M1.done 0
j_1/M3_1.1 > j_1/M3_1.done 0
j_1/M3_1.2 > j_1/M3_1.done 0
j_1/M3_1.3 > j_1/M3_1.done 0
j_1/M1.done > j_1/M2_1 0
j_1/M1.done > j_1/M3_1.1 0
j_1/M1.done > j_1/M3_1.2 0
j_1/M1.done > j_1/M3_1.3 0
j_1/M2_1 > j_1/R4_2 0
j_1/M3_1.done > j_1/M5_3_4_Stg7.1 0
j_1/M3_1.done > j_1/M5_3_4_Stg7.2 0
j_1/R4_2 > j_1/M5_3_4_Stg7.1 0
j_1/R4_2 > j_1/M5_3_4_Stg7.2 0
`
	if diff := cmp.Diff(want, show(w)); diff != "" {
		t.Error(diff)
	}
	notes := []string{"imported from Alibaba's batch_task.csv: 4 jobs of 4, in the order of their starts",
		"time 0 is the first start, at 10 s of the trace",
		"every instance is a task; all instances of a task take the same time",
		"a task's time counts from its start or the end of the last task that it waits for, whichever is later " +
			"(--durations net)",
		"7 machines: as many as were under way at once by these times", "1 task that is not Terminated is left out",
		"1 task has a name that says nothing of precedence and waits for nothing",
		"1 task has a name with a stage, such as Stg4, which is ignored: the trace does not tell what it means",
		"2 jobs have maps and reduces without rows of delays",
		"1 job is a stage graph; there, tasks that wait are reduces", "2 tasks of length 0, .done, mark the ends of " +
			"all instances of tasks"}
	if diff := cmp.Diff(notes, w.Notes); diff != "" {
		t.Error(diff)
	}
	if w.Name != "jobs" || w.Problem != "msjo" || w.Machines.Value != 7 { // from 15 to 18 s: 2 of j_1, 4 of j_2, 1 of j_3
		t.Errorf("%s for %s on %d machines", w.Name, w.Problem, w.Machines.Value)
	}
	in, err := msjo.New(w, 0)
	if err != nil {
		t.Fatal(err)
	}
	// The longest paths: M1 20, M2_1 15, R4_2 15, M5 15; then 8 + 6, 3, and 10 + 8, each after the release.
	if diff := cmp.Diff([]model.Time{65 * model.Second, 16 * model.Second, 8 * model.Second, 48 * model.Second},
		in.Alone); diff != "" {
		t.Error(diff)
	}
}

// TestOptions: what each option changes in the same trace.
func TestOptions(t *testing.T) {
	run := func(change func(o *Options), names ...string) *model.Workload {
		t.Helper()
		opt := DefaultOptions()
		change(&opt)
		w, err := Import(read(t, names...), opt)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	task := func(w *model.Workload, id string) string {
		for _, x := range w.Tasks {
			if x.ID == id {
				return x.Processing.Value.String()
			}
		}
		return "absent"
	}
	one := run(func(o *Options) { o.Instances = One }, "jobs.csv")
	if len(one.Tasks) != 10 || len(one.Delays) != 5 || task(one, "j_1/M5_3_4_Stg7") != "15" {
		t.Errorf("one: %d tasks, %d delays, %s", len(one.Tasks), len(one.Delays), show(one))
	}
	most := run(func(o *Options) { o.MaxInstances = model.Some(int64(2)) }, "jobs.csv")
	if task(most, "j_2/M1.2") != "16" || task(most, "j_2/M1.3") != "absent" || task(most, "j_1/M3_1.1") != "30" {
		t.Error(show(most))
	}
	gross := run(func(o *Options) { o.Durations = Gross }, "jobs.csv")
	if task(gross, "j_1/M5_3_4_Stg7.1") != "55" || task(gross, "j_1/M2_1") != "35" {
		t.Error(show(gross))
	}
	failed := run(func(o *Options) { o.IncludeFailed = true }, "jobs.csv")
	if task(failed, "j_5/R2_1") != "2" || task(failed, "j_5/J3_2") != "8" {
		t.Error(show(failed))
	}
	first := run(func(o *Options) { o.Jobs, o.Machines = model.Some(int64(2)), model.Some(int64(3)) }, "jobs.csv")
	if len(first.Jobs) != 2 || first.Jobs[1].ID != "j_2" || first.Machines.Value != 3 ||
		!slices.Contains(first.Notes, "2 later jobs are left out (--jobs)") {
		t.Error(show(first), first.Notes)
	}
	// Two files are one trace: R6_5 belongs to j_1 and waits for the two instances of task 5.
	both := run(func(*Options) {}, "jobs.csv", "more.csv")
	if len(both.Delays) != 16 || task(both, "j_1/R6_5") != "5" {
		t.Error(show(both))
	}
}

// TestOdd: irregular rows that the trace has by design are skipped and counted.
func TestOdd(t *testing.T) {
	w, err := Import(read(t, "odd.csv"), DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	want.WriteString("counts at 0 s, ended at 7 s\n")
	for k := range 10 {
		fmt.Fprintf(&want, "  map counts/R3_1_2.%d 5 s, 1 cores\n", k+1)
	}
	want.WriteString("  map counts/R4_9 0 s\n  reduce counts/R5_3 5 s, 1 cores\nagain at 23 s, ended at 27 s\n  map " +
		"again/M1 4 s, 1 cores\nlate at 62 s, ended at 67 s\n  map late/MergeTask 5 s, 1 cores\n")
	for k := range 10 {
		fmt.Fprintf(&want, "counts/R3_1_2.%d > counts/R5_3 0\n", k+1)
	}
	if diff := cmp.Diff(want.String(), show(w)); diff != "" {
		t.Error(diff)
	}
	notes := []string{"11 machines: as many as were under way at once by these times",
		"2 tasks that are not Terminated are left out", "1 task without a number of instances is left out",
		"1 task without a start or end inside the trace is left out", "1 task that ends before it starts is left out",
		"2 jobs of which nothing is left are left out",
		`1 job whose names form a cycle is left out: "ring"`, "1 number that a name waits for is that of no task and is " +
			"dropped", "1 task has a name that says nothing of precedence and waits for nothing",
		"1 task ended before a task that it waits for and takes all its recorded time",
		"1 task takes no time, which is recorded in whole seconds",
		"1 job is a stage graph; there, tasks that wait are reduces"}
	if diff := cmp.Diff(notes, w.Notes[4:]); diff != "" {
		t.Error(diff)
	}
}

// TestSharedNumber: two tasks are number 1, and task 2 waits for both. It has maps and reduces without rows.
func TestSharedNumber(t *testing.T) {
	w, err := Import(read(t, "shared.csv"), DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	const want = "j at 0 s, ended at 20 s\n  map j/M1_Stg2 10 s, 1 cores\n" +
		"  map j/J1 14 s, 1 cores\n  reduce j/R2_1 6 s, 1 cores\n"
	if diff := cmp.Diff(want, show(w)); diff != "" {
		t.Error(diff)
	}
	notes := []string{"1 number that a name waits for is that of several tasks, all of which are meant",
		"1 task has a name with a stage, such as Stg4, which is ignored: the trace does not tell what it means",
		"1 job has maps and reduces without rows of delays"}
	if diff := cmp.Diff(notes, w.Notes[5:]); diff != "" {
		t.Error(diff)
	}
}

func TestParseName(t *testing.T) {
	for name, want := range map[string]string{"M1": "1 []", "M5_3_4": "5 [3 4]", "J10_7_9_Stg4": "10 [7 9] staged", "J10_Stg4_7_": "10 [7] staged",
		"J30_4_5_": "30 [4 5]", "MR12_3": "12 [3]", "R2_1__": "2 [1]",
		"task_Nzg3": "", "task_1": "", "MergeTask": "", "M": "", "1": "", "": "", "_": "", "M1_x": "", "M1__2": "",
		"M1_2_Stgx": "", "M1.2": "", "M1_Stg2": "1 [] staged", "M1234567890": "", "Ä1": ""} {
		number, waits, staged, ok := parseName(name)
		got := ""
		if ok {
			got = fmt.Sprint(number, " ", waits)
		}
		if staged {
			got += " staged"
		}
		if got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}

// TestPacked: gzip is recognised by content.
func TestPacked(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(data, "jobs.csv"))
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(text)
	_ = z.Close()
	w, err := Import([]File{{Name: "x/jobs.csv.gz", Text: &packed}}, DefaultOptions())
	if err != nil || len(w.Jobs) != 4 || w.Name != "jobs" {
		t.Error(err)
	}
}

// TestOtherProblems: multitenant and realtime read kinds and times.
func TestOtherProblems(t *testing.T) {
	w, err := Import(read(t, "jobs.csv"), DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := multitenant.New(w, multitenant.Options{}); err != nil {
		t.Error(err)
	}
	if _, err := realtime.New(w, realtime.Options{}); err != nil {
		t.Error(err)
	}
}

// TestBad imports every file of testdata/alibaba/bad, named after the code that it provokes, and compares the whole
// message with the .golden file next to it.
func TestBad(t *testing.T) {
	golden.Bad(t, filepath.Join(data, "bad", "*.csv"), func(path string) (*model.Workload, error) {
		return Import(read(t, filepath.Join("bad", filepath.Base(path))), DefaultOptions())
	})
}

func TestBadOptions(t *testing.T) {
	bad := Options{Jobs: model.Some(int64(0)), MaxInstances: model.Some(int64(0)), Machines: model.Some(int64(-1)),
		Instances: "some", Durations: "long"}
	const want = `V210: 0 jobs; expected 1 or more, and sensibly many
V210: 0 instances per task; expected 1 or more, and sensibly many
V210: -1 machines; expected 1 or more, and sensibly many
V210: instances "some"; expected all or one
V210: durations "long"; expected net or gross`
	if _, err := Import(nil, bad); err == nil || err.Error() != want {
		t.Error(err)
	}
	opt := DefaultOptions()
	opt.Instances, opt.MaxInstances = One, model.Some(int64(2))
	if _, err := Import(nil, opt); err == nil || !strings.HasPrefix(err.Error(), "V210: a largest number of instances") {
		t.Error(err)
	}
	if _, err := Import(nil, DefaultOptions()); err == nil || err.Error() !=
		"T503: the trace is empty; expected at least one line, with one task per line" {
		t.Error(err)
	}
}

// TestLong refuses a line without end and an id that is too long.
func TestLong(t *testing.T) {
	_, err := Import([]File{{Name: "f", Text: endless{}}}, DefaultOptions())
	if err == nil || !strings.HasPrefix(err.Error(), "F106 f:1:1: ") {
		t.Error(err)
	}
	_, err = Import([]File{{Name: "f", Text: strings.NewReader("M1,1," + strings.Repeat("k",
		trace.MaxID+1) + ",1,Terminated,1,2,3,4\n")}},
		DefaultOptions())
	if err == nil || err.Error() != "F106 f:1:6: the job name has 65537 bytes; expected at most 65536" {
		t.Error(err)
	}
}

// TestPairs refuses jobs whose tasks share numbers, so that very many of them would wait for each other.
func TestPairs(t *testing.T) {
	var b strings.Builder
	for k := range 15_000 {
		fmt.Fprintf(&b, "M1,1,j,1,Failed,10,20,1,1\n%s2_1,1,j,1,Terminated,10,20,1,1\n", strings.Repeat("R", k%20+1))
	}
	_, err := Import([]File{{Name: "f", Text: strings.NewReader(b.String())}}, DefaultOptions())
	if err == nil ||
		!strings.Contains(err.Error(), "V204 f:6668:1: up to here there are more than 50000000 pairs of tasks") {
		t.Error(err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for k := range p {
		p[k] = 'x'
	}
	return len(p), nil
}

func FuzzImport(f *testing.F) {
	for _, pattern := range []string{"*.csv", "bad/*.csv"} {
		files, _ := filepath.Glob(filepath.Join(data, pattern))
		for _, path := range files {
			if b, err := os.ReadFile(path); err == nil {
				f.Add(b)
			}
		}
	}
	f.Fuzz(func(t *testing.T, lines []byte) {
		for _, opt := range []Options{{Instances: One, Durations: Net, IncludeFailed: true},
			{Instances: All, MaxInstances: model.Some(int64(3)), Durations: Gross}} {
			w, err := Import([]File{{Name: "f", Text: io.LimitReader(bytes.NewReader(lines), 1<<16)}}, opt)
			if err != nil {
				if input, ok := err.(*model.InputError); !ok || len(input.Findings) == 0 || w != nil {
					t.Fatalf("workload %v, error %T %v", w, err, err)
				}
				continue
			}
			if len(w.Jobs) == 0 || len(w.Tasks) < len(w.Jobs) || w.Machines.Value < 1 {
				t.Fatalf("%d jobs, %d tasks, %d machines", len(w.Jobs), len(w.Tasks), w.Machines.Value)
			}
			for _, x := range w.Tasks {
				if !x.Processing.Known || x.Processing.Value < 0 {
					t.Fatalf("task %+v", x)
				}
			}
		}
	})
}
