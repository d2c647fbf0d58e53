package spark

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mrsched/io/trace"
	"mrsched/io/trace/golden"
	"mrsched/model"
)

const data = "../../../testdata/spark"

func content(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(data, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func file(name string, text []byte) trace.File {
	return trace.File{Name: name, Text: bytes.NewReader(text)}
}

// imported imports a file of testdata, whose recorded schedule must fit.
func imported(t *testing.T, name string, change func(o *Options)) *model.Workload {
	t.Helper()
	opt := Options{Jobs: Recorded}
	change(&opt)
	w, err := Import([]trace.File{file(name, content(t, name))}, opt)
	if err != nil {
		t.Fatal(err)
	}
	if !opt.Executors.Known {
		checkRecorded(t, w)
	}
	return w
}

func unchanged(*Options) {}

// wantRules is what TestRules expects.
const wantRules = `job-0 at 0 of ann (SELECT a FROM t), ended at 10
  map job-0/stage-0/0 3 s, 1 cores, in 1000, out 300, executor-1 at 0.1
  map job-0/stage-0/1 4 s, 1 cores, in 2000, out 500, executor-1 at 0.1
  reduce job-0/stage-1/0 5 s, 1 cores, in 800, out 50, executor-1 at 5
job-1 at 0 of ann (load), ended at 19
  map job-1/stage-3/0 2 s, 1 cores, in 100, out 60, executor-1 at 11.6
  map job-1/stage-3/1 2 s, 1 cores, in 100, out 40, executor-2 at 11.1
  reduce job-1/stage-4/0 5 s, 1 cores, in 100, out 9, executor-2 at 14
job-2 at 0 of ann (first at Main.scala:14), ended at 13.1
  reduce job-2/stage-5/0 1 s, 1 cores, in 5, out 0, executor-1 at 12.1
job-3 at 0 of ann (foreach at Main.scala:20), ended at 26.1
  map job-3/stage-6/0 1 s, 1 cores, in 0, out 0, executor-1 at 21.1
  map job-3/stage-6/1 1 s, 1 cores, in 0, out 0, executor-1 at 21.1
  map job-3/stage-6/2 1 s, 1 cores, in 0, out 0, executor-1 at 21.1
  map job-3/stage-7/0 1 s, 1 cores, in 0, out 0, executor-1 at 23.1
  map job-3/stage-7/1 1 s, 1 cores, in 0, out 0, executor-1 at 23.1
  map job-3/stage-7/2 1 s, 1 cores, in 0, out 0, executor-1 at 23.1
  reduce job-3/stage-8/0 1 s, 1 cores, in 0, out 0, executor-1 at 25.1
  reduce job-3/stage-8/1 1 s, 1 cores, in 0, out 0, executor-1 at 25.1
  reduce job-3/stage-8/2 1 s, 1 cores, in 0, out 0, executor-1 at 25.1
  reduce job-3/stage-6.done 0 s, executor-1 at 22.1
  reduce job-3/stage-7.done 0 s, executor-1 at 24.1
job-3/stage-6/0 > job-3/stage-6.done
job-3/stage-6/1 > job-3/stage-6.done
job-3/stage-6/2 > job-3/stage-6.done
job-3/stage-7/0 > job-3/stage-7.done
job-3/stage-7/1 > job-3/stage-7.done
job-3/stage-7/2 > job-3/stage-7.done
job-3/stage-6.done > job-3/stage-7/0
job-3/stage-6.done > job-3/stage-7/1
job-3/stage-6.done > job-3/stage-7/2
job-3/stage-7.done > job-3/stage-8/0
job-3/stage-7.done > job-3/stage-8/1
job-3/stage-7.done > job-3/stage-8/2
job-0 >> job-1 + 1
job-0 >> job-2 + 2
job-1 >> job-3 + 2
job-2 >> job-3 + 2
executor-1 in hostA: 4 cores, 4294967296 bytes
executor-2 in hostB: 2 cores, 4294967296 bytes
executor-2 gone from 0 until 5
executor-2 gone from 60
`

// TestRules is worked by hand. Job 0 is two stages between which the barrier stands. Job 1 lists stage 2, which did not
// run: its last RDD, 1, is that of stage 0; stage 3 repeats a task that failed. Job 2 runs beside job 1, so that job 3
// waits for both, and 2 s after the later end of their tasks, at 19 s, it is submitted. Its three stages are a chain: 9
// rows between two of them are more than 3 + 3 with a task of length 0. Executor 2 comes at 5 s and goes at 60 s.
func TestRules(t *testing.T) {
	w := imported(t, "app.json", func(*Options) {})
	if diff := cmp.Diff(wantRules, show(w)); diff != "" {
		t.Error(diff)
	}
	notes := []string{"imported from the event log of app-1, Spark 3.5.1: 4 jobs of 4",
		"time 0 is the first submission, 1700000000000 ms after 1970-01-01T00:00Z",
		"a job waits for those that were over at its submission, and as long after the last task of these as the driver " +
			"took (--jobs recorded): bounds hold under this reading",
		"a task takes its run, deserialize and result serialization time; its recorded end is its launch plus that time",
		"6 machines: as many tasks run at once when all executors are present",
		"17 ends of tasks in the log: 16 Success, 1 ExceptionFailure", "1 failed or killed attempt is left out",
		"1 skipped stage whose output existed is replaced by the stage that ran with the same last RDD",
		"2 tasks of length 0, .done, mark the ends of stages"}
	if diff := cmp.Diff(notes, w.Notes); diff != "" {
		t.Error(diff)
	}
	if w.Name != "app-1" || w.Problem != "cluster" || w.Machines.Value != 6 {
		t.Errorf("%s for %q on %d machines", w.Name, w.Problem, w.Machines.Value)
	}
}

// wantOdd is what TestOdd expects.
const wantOdd = `job-0 at 0 of bob (count at Main.scala:7), ended at 6.4
  map job-0/stage-0/0 1 s, 2 cores, in 0, out 0, executor-1 at 0.1
  map job-0/stage-0/1 0.8 s, 2 cores, in 0, out 0, executor-1 at 1.2
  reduce job-0/stage-1/0 1 s, 4 cores, in 0, out 0, executor-2 at 5.4
  reduce job-0/stage-1/1 1 s, 4 cores, in 0, out 0, executor-2 at 5.4
job-1 at 0 of bob (count at Main.scala:7), ended at 12.4
  map job-1/stage-2/0 0.6 s, 2 cores, in 0, out 0, executor-1 at 8.1
  map job-1/stage-2/1 2 s, 2 cores, in 0, out 0, executor-1 at 7.1
  map job-1/stage-2.1/0 0.7 s, 2 cores, in 0, out 0, executor-1 at 10.5
  reduce job-1/stage-3/0 1 s, 2 cores, in 0, out 0, executor-1 at 9.4
  reduce job-1/stage-3.1/0 0.9 s, 2 cores, in 0, out 0, executor-1 at 11.5
job-2 at 0 of bob (count at Main.scala:7), ended at 15.5
  map job-2/stage-4/0 1 s, 2 cores, in 0, out 0, executor-1 at 13.2
  reduce job-2/stage-5/0 1 s, 2 cores, in 0, out 0, executor-1 at 14.5
job-3 at 0 of bob (count at Main.scala:7), ended at 16.5
  reduce job-3/stage-7/0 2 s, 2 cores, in 0, out 0, executor-1 at 14.5
job-4 at 0 of bob (count at Main.scala:7), ended at 17.1
  reduce job-4/stage-10/0 0 s, 2 cores, in 0, out 0, executor-1 at 17.1
stage-11 at 0 of bob (take at Main.scala:30), ended at 18.6
  reduce stage-11/0 0.5 s, 2 cores, in 0, out 0, executor-driver at 18.1
job-7 at 0 of bob (count at Main.scala:7), ended at 19.62
  reduce job-7/stage-12/0 0.52 s, 2 cores, executor-driver at 19.1
job-1/stage-2/0 > job-1/stage-3/0
job-1/stage-2/1 > job-1/stage-3/0
job-1/stage-2/0 > job-1/stage-3.1/0
job-1/stage-2/1 > job-1/stage-3.1/0
job-1/stage-2.1/0 > job-1/stage-3.1/0
job-0 >> job-1 + 0.6
job-1 >> job-2 + 0.6
job-1 >> job-3 + 0.7
job-2 >> job-4 + 0.5
job-3 >> job-4 + 0.5
job-4 >> stage-11 + 0.9
stage-11 >> job-7 + 0.4
executor-1 in hostA: 4 cores
executor-2 in hostA: 8 cores, 2147483648 bytes
executor-3 in hostB: 4 cores
executor-driver in hostA: 2 cores
executor-3 gone from 0 until 6.9
executor-3 gone from 8
`

// TestOdd is worked by hand; it has the rare features of logs. The speculative attempt of task 1 of stage 0 succeeds
// and the first one is killed. Stage 1 is in barrier mode; its profile takes 4 cores per task. A task of stage 2
// succeeds on executor 3, which is lost: it is resubmitted and succeeds again. A fetch of stage 3 fails, and attempts 1
// of stages 2 and 3 follow; attempt 0 of stage 3 does not wait for attempt 1 of stage 2, and which of its
// partitions that repeats is unknown. Jobs 2 and 3 share stage 4
// while both run: it belongs to job 2, and no row makes job 3 wait. Stage 6 has no tasks, stage 8 was skipped, stage 9
// never ran. The start of the job of stage 11 is lost, and the log ends within job 7, one of whose tasks has no
// metrics.
func TestOdd(t *testing.T) {
	w := imported(t, "odd.json", func(*Options) {})
	if diff := cmp.Diff(wantOdd, show(w)); diff != "" {
		t.Error(diff)
	}
	notes := []string{"7 machines: as many tasks run at once when all executors are present",
		model.NoteOfLack + "the log ends before the application does: it was running, or its driver was killed",
		"1 job without a successful task is left out",
		"1 stage of a job that the log does not state becomes a job of its own",
		"1 job failed: it has the tasks that succeeded",
		"19 ends of tasks in the log: 16 Success, 1 FetchFailed, 1 TaskKilled, 1 Resubmitted",
		"2 failed or killed attempts are left out",
		"1 successful attempt of a task that succeeded again later is left out",
		"1 task was resubmitted, as its executor was lost: no attempt",
		"1 task was running when the log ends and is left out",
		"2 attempts of retried stages do not state their partitions: what they repeat counts twice",
		"2 attempts without metrics count from launch to finish",
		"1 skipped stage whose output existed is replaced by the stage that ran with the same last RDD",
		"1 skipped stage has no stage that ran with the same last RDD: what waits for it waits for its parents",
		"1 attempt of a stage started before some tasks of its parents had ended and does not wait for those attempts",
		"1 attempt of a stage reads data of a job that was not over at its job's submission: no row says so",
		"1 executor whose cores the log does not state has as many as its tasks took at once",
		"1 executor that was gone before time 0 is left out",
		"2 resource profiles: each task takes the cores of its own, on any executor"}
	if diff := cmp.Diff(notes, w.Notes[5:]); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"1 job ends without a start in the log",
		"the log ends before the application does: it was running, or its driver was killed"}, lacks(w)); diff != "" {
		t.Error(diff)
	}
}

// TestOld: Spark 1.2 states neither parents of stages nor submissions of jobs nor local bytes, and no cores.
func TestOld(t *testing.T) {
	w := imported(t, "old.json", unchanged)
	const want = `job-0 at 0 of eve (count at Main.scala:7), ended at 1.89
  map job-0/stage-0/0 1 s, 1 cores, in 8, out 16, executor-<driver> at 0.09
  map job-0/stage-0/1 1 s, 1 cores, in 8, out 16, executor-<driver> at 0.09
  reduce job-0/stage-1/0 0.5 s, 1 cores, in 7, executor-<driver> at 1.39
  reduce job-0/stage-1/1 0.5 s, 1 cores, in 7, executor-<driver> at 1.39
job-1 at 0 of eve (count at Main.scala:7), ended at 3.79
  reduce job-1/stage-2/0 0.7 s, 1 cores, executor-<driver> at 3.09
job-0 >> job-1 + 1.1
executor-<driver> in localhost: 2 cores
`
	if diff := cmp.Diff(want, show(w)); diff != "" {
		t.Error(diff)
	}
	notes := []string{"2 machines: as many tasks run at once when all executors are present",
		"2 jobs without a recorded submission come with their first stage or task",
		"5 ends of tasks in the log: 5 Success",
		"2 attempts state only what they read from other executors: the bytes read lack what was local",
		"1 job without stated parents of its stages runs them in the order of their ids",
		"1 executor whose cores the log does not state has as many as its tasks took at once"}
	if diff := cmp.Diff(notes, w.Notes[4:]); diff != "" {
		t.Error(diff)
	}
}

// TestOptions: what each option changes.
func TestOptions(t *testing.T) {
	rows := func(w *model.Workload, with string) (list []string) {
		for line := range strings.Lines(show(w)) {
			if strings.Contains(line, with) {
				list = append(list, strings.TrimSpace(line))
			}
		}
		return list
	}
	free := func(o *Options) { o.Jobs = Free }
	if diff := cmp.Diff([]string{"job-0 >> job-1 + 0"}, rows(imported(t, "app.json", free), ">>")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"job-2 >> job-4 + 0"}, rows(imported(t, "odd.json", free), ">>")); diff != "" {
		t.Error(diff)
	}
	w := imported(t, "odd.json", func(o *Options) {
		o.Executors, o.Cores = model.Some(int64(2)), model.Some(int64(5))
	})
	if diff := cmp.Diff([]string{"node-1 in spark: 5 cores", "node-2 in spark: 5 cores"},
		rows(w, " in spark")); diff != "" {
		t.Error(diff)
	}
	if w.Machines.Value != 4 || len(w.Unavailable) > 0 || len(w.Topology) != 3 || !slices.Contains(w.Notes,
		"2 executors of 5 cores in place of the 5 of the log (--executors, --cores)") {
		t.Errorf("%d machines, %d absences, notes %q", w.Machines.Value, len(w.Unavailable), w.Notes)
	}
}

// TestSecrets: only named properties are read.
func TestSecrets(t *testing.T) {
	if !bytes.Contains(content(t, "app.json"), []byte("hunter2")) {
		t.Fatal("the log has no secret")
	}
	w := imported(t, "app.json", func(*Options) {})
	if all := show(w) + strings.Join(w.Notes, "\n"); strings.Contains(all, "hunter2") {
		t.Error(all)
	}
}

func TestMemory(t *testing.T) {
	for text, want := range map[string]model.Bytes{"4g": 4 << 30, " 512M ": 512 << 20, "9397M": 9397 << 20, "1024": 1 << 30,
		"1tb": 1 << 40, "5b": 5, "3kb": 3 << 10, "0": 0} {
		if got, ok := memory(text); !ok || got != want {
			t.Errorf("%q: %d, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "g", "-1g", "1.5g", "1x", "1 2g", "99999999999g"} {
		if got, ok := memory(text); ok {
			t.Errorf("%q: %d", text, got)
		}
	}
}

func TestBadOptions(t *testing.T) {
	bad := Options{Jobs: "all", Executors: model.Some(int64(0))}
	const want = `V210: jobs "all"; expected recorded or free
V210: 0 executors; expected 1 or more, and sensibly many
V210: executors without their cores, or cores without executors; expected both or none`
	if _, err := Import(nil, bad); err == nil || err.Error() != want {
		t.Error(err)
	}
	if _, err := Import(nil, Options{Jobs: Recorded}); err == nil || err.Error() !=
		"T503: the log is empty; expected an application that ran at least one task" {
		t.Error(err)
	}
}

// TestBad imports every file of testdata/spark/bad, named after the code that it provokes, and compares the whole
// message with the .golden beside it. Of a malformed line, --skip-bad-lines leaves nothing but a count.
func TestBad(t *testing.T) {
	golden.Bad(t, filepath.Join(data, "bad", "*.json"), func(path string) (*model.Workload, error) {
		name := filepath.Base(path)
		b := content(t, filepath.Join("bad", name))
		w, err := Import([]trace.File{file(name, b)}, Options{Jobs: Recorded})
		if err == nil || !strings.Contains(err.Error(), "--skip-bad-lines") {
			return w, err
		}
		rest, errRest := Import([]trace.File{file(name, b)}, Options{Jobs: Recorded, SkipBadLines: true})
		if errRest != nil {
			t.Errorf("%s: %v", name, errRest)
		} else if checkRecorded(t, rest); !strings.Contains(strings.Join(rest.Notes, "\n"),
			"left out (--skip-bad-lines)") {
			t.Errorf("%s: %q", name, rest.Notes)
		}
		return w, err
	})
}

// short is a log in few bytes, as fuzzing is slow with long seeds: two jobs, of which the second skips a stage, an
// executor that comes and goes, and a second attempt of a stage.
const short = `{"Event":"SparkListenerExecutorAdded","Timestamp":1,"Executor ID":"1","Executor Info":{"Host":"h","Total Cores":2}}
{"Event":"SparkListenerJobStart","Job ID":0,"Submission Time":9,"Stage Infos":[{"Stage ID":0,"RDD Info":[{"RDD ID":4}],"Parent IDs":[]},{"Stage ID":1,"RDD Info":[],"Parent IDs":[0]}]}
{"Event":"SparkListenerTaskEnd","Stage ID":0,"Task Type":"ShuffleMapTask","Task End Reason":{"Reason":"Success"},"Task Info":{"Index":0,"Launch Time":10,"Executor ID":"1"},"Task Metrics":{"Executor Run Time":3}}
{"Event":"SparkListenerTaskEnd","Stage ID":1,"Task Type":"ResultTask","Task End Reason":{"Reason":"Success"},"Task Info":{"Index":0,"Launch Time":14,"Executor ID":"1"},"Task Metrics":{"Executor Run Time":5}}
{"Event":"SparkListenerTaskEnd","Stage ID":1,"Stage Attempt ID":1,"Task End Reason":{"Reason":"Success"},"Task Info":{"Index":0,"Launch Time":19,"Executor ID":"1"},"Task Metrics":{"Executor Run Time":5}}
{"Event":"SparkListenerJobEnd","Job ID":0,"Completion Time":30}
{"Event":"SparkListenerJobStart","Job ID":1,"Submission Time":31,"Stage Infos":[{"Stage ID":2,"RDD Info":[{"RDD ID":4}],"Parent IDs":[]},{"Stage ID":3,"Parent IDs":[2]}]}
{"Event":"SparkListenerTaskEnd","Stage ID":3,"Task End Reason":{"Reason":"Success"},"Task Info":{"Index":0,"Launch Time":33,"Executor ID":"2","Finish Time":40}}
{"Event":"SparkListenerExecutorRemoved","Timestamp":50,"Executor ID":"1"}
`

func FuzzImport(f *testing.F) {
	f.Add([]byte(short))
	for line := range strings.Lines(short) {
		f.Add([]byte(line))
	}
	f.Add(content(f, "old.json"))
	f.Fuzz(func(t *testing.T, log []byte) {
		for _, opt := range []Options{{Jobs: Recorded}, {Jobs: Free, SkipBadLines: true},
			{Jobs: Recorded, Executors: model.Some(int64(2)), Cores: model.Some(int64(3)), SkipBadLines: true}} {
			w, err := Import([]trace.File{file("f", log[:min(len(log), 1<<16)])}, opt)
			if err != nil {
				if input, ok := err.(*model.InputError); !ok || len(input.Findings) == 0 || w != nil {
					t.Fatalf("workload %v, error %T %v", w, err, err)
				}
				continue
			}
			if len(w.Jobs) == 0 || len(w.Tasks) < len(w.Jobs) || w.Machines.Value < 1 {
				t.Fatalf("%d jobs, %d tasks, %d machines", len(w.Jobs), len(w.Tasks), w.Machines.Value)
			}
			if !opt.Executors.Known {
				checkRecorded(t, w)
			}
		}
	})
}
