package spark

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mrsched/io/trace"
	"mrsched/model"
)

// script writes a log of one job.
type script struct{ strings.Builder }

// newScript begins a log with executors 1 and 2 and a job of these stages, whose numbers of tasks are given.
func newScript(stages ...int) *script {
	s := &script{}
	s.event("ApplicationStart", `"App ID":"app"`)
	for x := 1; x <= 2; x++ {
		s.event("ExecutorAdded", `"Timestamp":0,"Executor ID":"%d","Executor Info":{"Host":"h","Total Cores":8}`, x)
	}
	var infos []string
	for id, n := range stages {
		infos = append(infos, info0(id, 0, n))
	}
	s.event("JobStart", `"Job ID":0,"Submission Time":0,"Stage Infos":[%s]`, strings.Join(infos, ","))
	return s
}

func (s *script) event(name, format string, args ...any) {
	fmt.Fprintf(s, `{"Event":"SparkListener%s"%s%s}`+"\n", name, map[bool]string{true: ","}[format != ""],
		fmt.Sprintf(format, args...))
}

func info0(id, attempt, tasks int) string {
	parents := ""
	if id > 0 {
		parents = fmt.Sprint(id - 1)
	}
	return fmt.Sprintf(`{"Stage ID":%d,"Stage Attempt ID":%d,"Number of Tasks":%d,"Parent IDs":[%s]}`, id, attempt, tasks,
		parents)
}

// stage writes that an attempt of a stage was submitted or completed.
func (s *script) stage(what string, id, attempt, tasks int, more string) {
	s.event("Stage"+what, `"Stage Info":%s`, strings.TrimSuffix(info0(id, attempt, tasks), "}")+more+"}")
}

// start writes the start of an attempt of a task.
func (s *script) start(stage, attempt, index int) {
	s.event("TaskStart", `"Stage ID":%d,"Stage Attempt ID":%d,"Task Info":{"Index":%d}`, stage, attempt, index)
}

// ended is the end of an attempt of a task; of stage 0 it is a map.
type ended struct {
	stage, attempt, index int
	reason                string // "": Success
	partition             string // "": not stated
	executor              int    // 0: 1
	from, seconds         int
}

// run writes the start and end of an attempt of a task.
func (s *script) run(x ended) {
	s.start(x.stage, x.attempt, x.index)
	kind := "ResultTask"
	if x.stage == 0 {
		kind = "ShuffleMapTask"
	}
	if x.reason == "" {
		x.reason = `"Reason":"Success"`
	}
	if x.partition != "" {
		x.partition = `,"Partition ID":` + x.partition
	}
	s.event("TaskEnd", `"Stage ID":%d,"Stage Attempt ID":%d,"Task Type":"%s","Task End Reason":{%s},`+
		`"Task Info":{"Index":%d,"Launch Time":%d,"Finish Time":%d,"Executor ID":"%d"%s},"Task Metrics":{"Executor Run Time":%d}`, x.stage, x.attempt,
		kind, x.reason, x.index, x.from*1000, (x.from+x.seconds)*1000, max(x.executor, 1), x.partition, x.seconds*1000)
}

// end writes the ends of the job and the application.
func (s *script) end() {
	s.event("JobEnd", `"Job ID":0,"Completion Time":99000,"Job Result":{"Result":"JobSucceeded"}`)
	s.event("ApplicationEnd", "")
}

// lacks are what the workload of a log lacks, by its notes.
func lacks(w *model.Workload) (list []string) {
	for _, f := range w.Lacks() {
		list = append(list, f.What)
	}
	return list
}

func (s *script) imported(t *testing.T) *model.Workload {
	t.Helper()
	w, err := Import([]trace.File{file("log", []byte(s.String()))}, Options{Jobs: Recorded})
	if err != nil {
		t.Fatal(err)
	}
	checkRecorded(t, w)
	return w
}

// TestLost: stage 0 states four tasks, of which some have no end.
func TestLost(t *testing.T) {
	four := func(done int, then ...func(s *script)) *script {
		s := newScript(4)
		s.stage("Submitted", 0, 0, 4, "")
		for i := range done {
			s.run(ended{index: i, from: i, seconds: 1})
		}
		for _, do := range then {
			do(s)
		}
		return s
	}
	start := func(s *script) { s.start(0, 0, 3) }
	failing := func(s *script) {
		s.run(ended{index: 3, from: 3, seconds: 1, reason: `"Reason":"ExceptionFailure"`})
	}
	over := func(s *script) { s.event("ApplicationEnd", "") }
	stray := func(s *script) { s.event("JobEnd", `"Job ID":1`) }
	complete := func(s *script) { s.stage("Completed", 0, 0, 4, `,"Completion Time":9000`) }
	failed := func(s *script) { s.stage("Completed", 0, 0, 4, `,"Completion Time":9000,"Failure Reason":"fetch"`) }
	end := (*script).end
	const one, two = "1 of 4 tasks of stage 0 has no end in the log", "2 of 4 tasks of stage 0 have no end in the log"
	const running = "1 task was running when the log ends and is left out"
	for name, x := range map[string]struct {
		log        *script
		want, note string
	}{
		"whole":                {log: four(4, complete, end)},
		"no ends":              {log: four(2, complete, end), want: two},
		"cut after the stage":  {log: four(2, complete), want: two},
		"no completion either": {log: four(2, end), want: two},
		"nor the job's end":    {log: four(2, over), want: two},
		"still running": {log: four(2, start), want: "the log ends before the application does: it was running, or its " +
			"driver was killed", note: running},
		"started, never ended": {log: four(3, start, complete, end), want: one},
		"failed stage":         {log: four(2, failed, end)},
		"started, stage failed": {log: four(2, start, failed, end), want: "1 task started and never ended, although the " +
			"application ended"},
		"a twin":                {log: four(4, start, complete, end)},
		"a job without a start": {log: four(4, complete, end, stray), want: "1 job ends without a start in the log"},
		"its task failed":       {log: four(3, failing, complete), want: one},
	} {
		w := x.log.imported(t)
		if diff := cmp.Diff(x.want, strings.Join(lacks(w), "; ")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if x.note != "" && !slices.Contains(w.Notes, x.note) {
			t.Errorf("%s: notes %q", name, w.Notes)
		}
	}
}

// TestGaps: parts of a rolling log that are missing.
func TestGaps(t *testing.T) {
	for names, want := range map[string]string{
		"events_1_a events_2_a":                 "",
		"events_1_a.zstd events_3_a.zstd":       "part 2 of the rolling log is missing",
		"events_2_a":                            "part 1 of the rolling log is missing",
		"events_0_a events_1_a":                 "",
		"events_3_a.compact events_4_a":         "",
		"events_3_a.compact events_6_a":         "2 parts of the rolling log are missing: 4 to 5",
		"events_1_a events_3_a events_10000_a":  "9997 parts of the rolling log are missing: 2, 4 to 9999",
		"eventlog-2021-06-14--20-00.gz another": "",
	} {
		s := newScript(1)
		s.run(ended{seconds: 1})
		s.end()
		var files []trace.File
		for i, name := range strings.Fields(names) {
			part := ""
			if i == 0 {
				part = s.String()
			}
			files = append(files, file("dir/"+name, []byte(part)))
		}
		w, err := Import(files, Options{Jobs: Recorded})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(lacks(w), "; "); got != want {
			t.Errorf("%s: %s", names, got)
		}
	}
	s := newScript(1)
	s.run(ended{seconds: 1})
	w, err := Import([]trace.File{file("events_1_a", []byte(s.String()))}, Options{Jobs: Recorded})
	if err != nil || len(lacks(w)) != 1 || !strings.HasPrefix(lacks(w)[0], "the rolling log ends before the application") {
		t.Errorf("%v, %v", w, err)
	}
}

// retried is a log of 4 maps of 1 to 4 s. Those of executor 2, 1 and 2, are lost when a fetch fails, after one of the
// reduces has ended; perhaps an executor is gone. Attempt 1 runs the two maps again, for 5 and 6 s, and the other
// reduce.
func retried(partitions [2]string, loss string, gone int, before func(s *script)) *script {
	s := newScript(4, 2)
	s.stage("Submitted", 0, 0, 4, "")
	for i, executor := range []int{1, 2, 2, 1} {
		x := ended{index: i, seconds: i + 1, executor: executor}
		if partitions[0] != "" {
			x.partition = fmt.Sprint(i)
		}
		s.run(x)
	}
	s.stage("Completed", 0, 0, 4, "")
	s.stage("Submitted", 1, 0, 2, "")
	if gone > 0 {
		s.event("ExecutorRemoved", `"Timestamp":4500,"Executor ID":"%d"`, gone)
	}
	s.run(ended{stage: 1, index: 0, from: 4, seconds: 1, partition: partitions[0]})
	s.run(ended{stage: 1, index: 1, from: 4, seconds: 1, reason: loss, partition: partitions[1]})
	s.stage("Completed", 1, 0, 2, `,"Failure Reason":"fetch"`)
	s.stage("Submitted", 0, 1, 2, "")
	before(s)
	for i := range 2 {
		x := ended{attempt: 1, index: i, from: 10, seconds: 5 + i}
		if partitions[0] != "" {
			x.partition = fmt.Sprint(i + 1)
		}
		s.run(x)
	}
	s.stage("Completed", 0, 1, 2, "")
	s.stage("Submitted", 1, 1, 1, "")
	s.run(ended{stage: 1, attempt: 1, index: 0, from: 20, seconds: 1, partition: partitions[1]})
	s.stage("Completed", 1, 1, 1, "")
	s.end()
	return s
}

// TestRetriedStage: a partition counts once, as its last success. Logs before Spark 3.3 do not state partitions:
// then it counts as often as it succeeds.
func TestRetriedStage(t *testing.T) {
	const fetch = `"Reason":"FetchFailed","Block Manager Address":{"Executor ID":"2"}`
	const once = "stage-0/0 1, stage-0/3 4, stage-0.1/0 5, stage-0.1/1 6, stage-1/0 1, stage-1.1/0 1"
	const twice = "stage-0/0 1, stage-0/1 2, stage-0/2 3, stage-0/3 4, stage-0.1/0 5, stage-0.1/1 6, stage-1/0 1, " +
		"stage-1.1/0 1"
	const unstated = "2 attempts of retried stages do not state their partitions: what they repeat counts twice"
	const again = "2 successful attempts of tasks that succeeded again later are left out"
	none := func(*script) {}
	for name, x := range map[string]struct {
		log        *script
		want, note string
	}{
		"stated":   {retried([2]string{"0", "1"}, fetch, 0, none), once, again},
		"unstated": {retried([2]string{}, fetch, 2, none), twice, unstated},
		// A task of attempt 0 that was still running completes partition 1 before attempt 1 does.
		"late": {retried([2]string{"0", "1"}, fetch, 0, func(s *script) {
			s.run(ended{index: 1, from: 5, seconds: 3, partition: "1"})
		}), once, "3 successful attempts of tasks that succeeded again later are left out"},
	} {
		w := x.log.imported(t)
		var got []string
		for _, u := range w.Tasks {
			if !strings.HasSuffix(u.ID, ".done") {
				got = append(got, fmt.Sprint(strings.TrimPrefix(u.ID, "job-0/"), " ", u.Processing.Value))
			}
		}
		if diff := cmp.Diff(x.want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if !slices.Contains(w.Notes, x.note) || len(lacks(w)) > 0 {
			t.Errorf("%s: notes %q", name, w.Notes)
		}
	}
}
