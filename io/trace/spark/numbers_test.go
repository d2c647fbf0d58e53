package spark

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mrsched/model"
)

// oneUnusable is the note of one number that cannot be.
const oneUnusable = "1 number is negative, too large, a fraction, before the application began, or after it " +
	"ended, and counts as not stated"

// TestUnusableMetrics: a task of 1 s, from launch to finish, whose metrics or finish are changed.
func TestUnusableMetrics(t *testing.T) {
	const noMetrics = "1 attempt without metrics counts from launch to finish"
	const tooLong = "1 attempt whose metrics state more than from launch to finish counts as that"
	const noLimit = model.NoteOfLack + "1 attempt lacks a finish, and nothing later is in the log: a run time that is " +
		"too long would not be noticed"
	for _, x := range []struct {
		metrics string
		finish  string
		want    string // seconds, bytes read and written
		notes   []string
	}{
		{`"Executor Run Time":700`, "1000", "0.7 – –", nil},
		{`"Executor Run Time":-3600000`, "1000", "1 – –", []string{oneUnusable, noMetrics}},
		{`"Executor Run Time":99999999999999999999`, "1000", "1 – –", []string{oneUnusable, noMetrics}},
		{`"Executor Run Time":3600000`, "1000", "1 – –", []string{tooLong}},
		{`"Executor Run Time":700,"Executor Deserialize Time":400`, "1000", "1 – –", []string{tooLong}},
		{`"Executor Run Time":700,"Result Serialization Time":9223372036854775807`, "1000", "0.7 – –", []string{oneUnusable}},
		{`"Executor Run Time":700,"Executor Deserialize Time":-200`, "1000", "0.7 – –", []string{oneUnusable}},
		{`"Executor Run Time":700`, "-1", "0.7 – –", []string{oneUnusable, noLimit}},
		{`"Executor Run Time":700`, "0", "0.7 – –", []string{noLimit}},
		{`"Executor Run Time":-1`, "0", "0 – –", []string{oneUnusable, noLimit}},
		{`"Executor Run Time":-1.5`, "1000", "1 – –", []string{oneUnusable, noMetrics}},
		{`"JVM GC Time":-1`, "1000", "1 – –", []string{noMetrics}},
		{`"Executor Run Time":700,"Output Metrics":{"Bytes Written":-8},"Input Metrics":{"Bytes Read":-5}`, "1000", "0.7 – –",
			[]string{strings.NewReplacer("1 number is", "2 numbers are", "counts", "count").Replace(oneUnusable)}},
		{`"Executor Run Time":700,"Output Metrics":{"Bytes Written":8},"Input Metrics":{"Bytes Read":5},` +
			`"Shuffle Read Metrics":{"Remote Bytes Read":2,"Local Bytes Read":-7}`, "1000", "0.7 7 8", []string{oneUnusable}},
	} {
		s := newScript(1)
		s.event("TaskEnd", `"Stage ID":0,"Task End Reason":{"Reason":"Success"},"Task Info":{"Index":0,"Launch Time":10,`+
			`"Finish Time":%s,"Executor ID":"1"},"Task Metrics":{%s}`, strings.Replace(x.finish, "1000", "1010", 1), x.metrics)
		w := s.imported(t)
		u := w.Tasks[0]
		got := fmt.Sprint(u.Processing.Value)
		for _, b := range []model.Optional[model.Bytes]{u.InputBytes, u.OutputBytes} {
			if b.Known {
				got += fmt.Sprint(" ", int64(b.Value))
			} else {
				got += " –"
			}
		}
		if got != x.want {
			t.Errorf("%s, finish %s: %s, not %s", x.metrics, x.finish, got, x.want)
		}
		about := func(note string) bool {
			return strings.Contains(note, "metric") || strings.Contains(note, "number") || strings.Contains(note, "a finish")
		}
		notes := slices.DeleteFunc(slices.Clone(w.Notes), func(note string) bool { return !about(note) })
		if diff := cmp.Diff(x.notes, notes, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s, finish %s: %s", x.metrics, x.finish, diff)
		}
	}
}

// TestFinishes: a task is launched at 1 s. Of what the log says to be over later, the first limits its run time: the
// stage at 3 s, the job at 4 s, the application at 5 s, another task at 2 s. Without any of them, nothing does.
func TestFinishes(t *testing.T) {
	const absurd, huge = `"Executor Run Time":3600000000`, "1000000001000"
	const tooLong, noMetrics = "1 attempt whose metrics state more than from launch to finish counts as that",
		"1 attempt without metrics counts from launch to finish"
	const mended = "1 attempt states no finish between its launch and the end of its stage, or of what else was over " +
		"later: it counts as finished then"
	for _, x := range []struct {
		metrics, finish, ends string // S: of the stage, J: of the job, A: of the application, T: of another task
		want                  string
		notes                 []string
	}{
		{absurd, "0", "TSJA", "2", []string{tooLong, mended}},
		{absurd, "99999999999999999", "TSJA", "2", []string{tooLong, mended}},
		{absurd, huge, "TSJA", "2", []string{tooLong, mended}},
		{"", huge, "TSJA", "2", []string{noMetrics, mended}},
		{"", "0", "SJA", "2", []string{noMetrics, mended}},
		{`"Executor Run Time":700`, "0", "TSJA", "0.7", []string{mended}},
		{`"Executor Run Time":700`, "1900", "TSJA", "0.7", nil},
		{absurd, "1900", "TSJA", "0.9", []string{tooLong}},
		{absurd, "0", "JA", "3", []string{tooLong, mended}},
		{absurd, huge, "A", "4", []string{tooLong, mended}},
		{absurd, "0", "T", "1", []string{tooLong, mended}},
		{"", huge, "T", "1", []string{noMetrics, mended}},
		{absurd, huge, "", "3600000", nil}, // no other event is later
		// The task goes on after its stage and job were over.
		{absurd, "3500", "S<A", "2.5", []string{tooLong}},
		{absurd, "4500", "SJ<A", "3.5", []string{tooLong}},
		{absurd, "4500", "SJ<", "3.5", []string{tooLong}},
	} {
		s := newScript(2)
		task := func() {
			s.event("TaskEnd", `"Stage ID":0,"Task End Reason":{"Reason":"Success"},"Task Info":{"Index":0,"Launch Time":1000,`+
				`"Finish Time":%s,"Executor ID":"1"},"Task Metrics":{%s}`, x.finish, x.metrics)
		}
		before, after, late := strings.Cut(x.ends, "<")
		if !late {
			task()
		}
		for _, end := range before + "<" + after {
			switch end {
			case 'T':
				s.run(ended{index: 1, from: 1, seconds: 1})
			case 'S':
				s.stage("Completed", 0, 0, 2, `,"Completion Time":3000`)
			case 'J':
				s.event("JobEnd", `"Job ID":0,"Completion Time":4000`)
			case 'A':
				s.event("ApplicationEnd", `"Timestamp":5000`)
			case '<':
				if late {
					task()
				}
			}
		}
		w := s.imported(t)
		if got := w.Tasks[0].Processing.Value.String(); got != x.want {
			t.Errorf("%+v: %s", x, got)
		}
		notes := slices.DeleteFunc(slices.Clone(w.Notes), func(note string) bool {
			return !strings.Contains(note, "finish") || strings.Contains(note, "number")
		})
		if diff := cmp.Diff(x.notes, notes, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%+v: %s", x, diff)
		}
	}
}

// TestUnusableNumbers: a number that the import can do without counts as not stated. A task of 1 s runs on one of eight
// cores.
func TestUnusableNumbers(t *testing.T) {
	for _, x := range []struct{ number, bad string }{
		{`"Number of Tasks":1`, `"Number of Tasks":-1`}, {`"Number of Tasks":1`, `"Number of Tasks":1000000000000`},
		{`"Number of Tasks":1`, `"Number of Tasks":100000000000000000000`}, {`"Partition ID":0`, `"Partition ID":-5`},
		{`"Partition ID":0`, `"Partition ID":4294967296`}, {`"Executor Run Time":1000`, `"Executor Run Time":-1.5`},
		{`"Total Cores":8`, `"Total Cores":-4`}, {`"Total Cores":8`, `"Total Cores":2097152`},
		{`"Submission Time":0`, `"Submission Time":-1`}, {`"Timestamp":0`, `"Timestamp":-1`},
		{`"Completion Time":99000`, `"Completion Time":-99000`}, {`"Finish Time":1000`, `"Finish Time":1e3`},
	} {
		s := newScript(1)
		s.run(ended{seconds: 1, partition: "0"})
		s.end()
		log := s.String()
		if !strings.Contains(log, x.number) {
			t.Fatal(x.number)
		}
		s.Reset()
		s.WriteString(strings.Replace(log, x.number, x.bad, 1))
		w := s.imported(t)
		if len(w.Tasks) != 1 || w.Tasks[0].Processing.Value != model.Second || len(lacks(w)) > 0 ||
			!slices.Contains(w.Notes, oneUnusable) {
			t.Errorf("%s: %+v, notes %q", x.bad, w.Tasks, w.Notes)
		}
	}
}

// TestWrongStarts: the application begins at 1000 s, job 0 comes at 1001 s, and its task runs from 1002 to 1004 s, for
// 1.5 s by its metrics. Job 1 waits for it, and comes at 1006 s. One of the times is wrong.
func TestWrongStarts(t *testing.T) {
	for _, x := range []struct {
		wrong, by     string // a key, and its value in place of the right one
		start, length string
		delay         string // from the task's end to job 1
		note          string
	}{
		{`"Launch":1002000`, `"Launch":1002000`, "1", "1.5", "2.5", ""},
		{`"Launch":1002000`, `"Launch":0`, "1.5", "1.5", "2", "1 attempt states a launch before"},
		{`"Launch":1002000`, `"Launch":1002`, "1.5", "1.5", "2", "1 attempt states a launch before"},
		{`"Launch":1002000`, `"Launch":4102444800000`, "1.5", "1.5", "2", "1 attempt states a launch before"},
		{`"Submission":1001000`, `"Submission":0`, "0", "1.5", "2.5", oneUnusable},
		{`"Submission":1001000`, `"Submission":1001`, "0", "1.5", "2.5", oneUnusable},
		{`"Completion":1005000`, `"Completion":4102444800000`, "1", "1.5", "2.5", oneUnusable},
	} {
		s := &script{}
		s.event("ApplicationStart", `"Timestamp":1000000`)
		s.event("ExecutorAdded", `"Timestamp":1000000,"Executor ID":"1","Executor Info":{"Host":"h","Total Cores":8}`)
		task := func(stage, launch, finish int) {
			s.event("TaskEnd", `"Stage ID":%d,"Task End Reason":{"Reason":"Success"},"Task Info":{"Index":0,"Launch":%d,`+
				`"Finish Time":%d,"Executor ID":"1"},"Task Metrics":{"Executor Run Time":1500}`, stage, launch, finish)
		}
		s.event("JobStart", `"Job ID":0,"Submission":1001000,"Stage Infos":[%s]`, info0(0, 0, 1))
		task(0, 1002000, 1004000)
		s.event("JobEnd", `"Job ID":0,"Completion":1005000,"Job Result":{"Result":"JobSucceeded"}`)
		s.event("JobStart", `"Job ID":1,"Submission":1006000,"Stage Infos":[%s]`, info0(1, 0, 1))
		task(1, 1007000, 1008500)
		s.event("JobEnd", `"Job ID":1,"Completion":1009000,"Job Result":{"Result":"JobSucceeded"}`)
		s.event("ApplicationEnd", `"Timestamp":1010000`)
		log := strings.Replace(s.String(), x.wrong, x.by, 1)
		s.Reset()
		s.WriteString(strings.NewReplacer("Launch", "Launch Time", "Submission", "Submission Time", "Completion",
			"Completion Time").Replace(log))
		w := s.imported(t)
		u, delay := w.Tasks[0], "none"
		if len(w.Dependencies) == 1 {
			delay = w.Dependencies[0].Delay.String()
		}
		if u.RecordedStart.Value.String() != x.start || u.Processing.Value.String() != x.length || delay != x.delay ||
			w.Jobs[0].Release != 0 {
			t.Errorf("%s: start %s, length %s, delay %s", x.by, u.RecordedStart.Value, u.Processing.Value, delay)
		}
		if x.note != "" && !slices.ContainsFunc(w.Notes, func(n string) bool { return strings.HasPrefix(n, x.note) }) {
			t.Errorf("%s: notes %q", x.by, w.Notes)
		}
	}
}
