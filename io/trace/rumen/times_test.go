package rumen

import (
	"fmt"
	"strings"
	"testing"

	"mrsched/model"
)

// TestImpossibleTimes: of a job of 100 s, one map began in 1970, and one reduce states that its shuffle ended then. The
// first takes the median of the others, 10 s; the second takes its 20 s from start to finish. The delay of the shuffle
// is that of the other reduce, and of this one, 0: from 1020 to 1030 s.
func TestImpossibleTimes(t *testing.T) {
	const attempt = `"attempts":[{"result":"SUCCESS","startTime":%d,"shuffleFinished":%d,"finishTime":%d}]`
	task := func(id string, start, shuffled, finish int) string {
		return `{"taskID":"` + id + `",` + fmt.Sprintf(attempt, start, shuffled, finish) + `}`
	}
	trace := `{"jobID":"j","submitTime":1000000,"finishTime":1100000,"mapTasks":[` +
		task("m0", 1010000, -1, 1020000) + "," + task("m1", 0, -1, 1020000) + `],"reduceTasks":[` +
		task("r0", 1020000, 1030000, 1090000) + "," + task("r1", 1020000, 0, 1040000) + `]}`
	w, err := imported(trace)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []model.Time{10, 10, 60, 20} {
		if got := w.Tasks[i].Processing.Value; got != want*model.Second {
			t.Errorf("task %s takes %s s, not %d", w.Tasks[i].ID, got, want)
		}
	}
	if got := w.Tasks[0].ShuffleDelay; got != 0 {
		t.Errorf("shuffle delay %s", got)
	}
	const note = "2 numbers are replaced, as they cannot be: negative or too large, before the start, of a task that " +
		"took longer than its job, or of a job that was a year away from its tasks"
	noted(t, w, note)
}

// TestImpossibleNumbers: map A, reduce B and map C, with ids, of a job; the duration of each in seconds, how many
// numbers were replaced, and the job's release and end. Each row changes one of: the job is from 0 to 10 s, A from 1 to
// 3 s, B shuffles from 3 to 5 and ends at 9 s, C takes 1 s.
func TestImpossibleNumbers(t *testing.T) {
	const sound = `{"jobID":"j","submitTime":0,"finishTime":10000,"mapTasks":[` +
		`{"taskID":"A","inputBytes":7,"attempts":[{"result":"SUCCESS","startTime":1000,"finishTime":3000}]},` +
		`{"taskID":"C","attempts":[{"result":"SUCCESS","startTime":1500,"finishTime":2500}]}],"reduceTasks":[` +
		`{"taskID":"B","attempts":[{"result":"SUCCESS","startTime":3000,"shuffleFinished":5000,"finishTime":9000}]}]}`
	const huge = `"startTime":1000,"finishTime":1000000000000000`
	const long = `"startTime":1000,"finishTime":90000`
	const a, job = `"startTime":1000,"finishTime":3000`, `"submitTime":0,"finishTime":10000`
	for _, x := range []struct {
		changes  []string // old, new, …
		want     string   // A, C, B, bytes read of A; completion of j
		replaced int
	}{
		{nil, "2 1 4, 7 B; 10", 0},
		{[]string{a, huge}, "1 1 4, 7 B; 10", 1},
		{[]string{a, long, job, `"submitTime":-1,"finishTime":-1`}, "89 1 4, 7 B; -", 0},
		// The clock of A's host is slow.
		{[]string{a, `"startTime":0,"finishTime":2000`, job, `"submitTime":500,"finishTime":-1`}, "2 1 4, 7 B; -", 0},
		// Negative numbers, and those before the start.
		{[]string{a, `"startTime":-1000,"finishTime":3000`}, "1 1 4, 7 B; 10", 1},
		{[]string{a, `"startTime":-1,"finishTime":3000`}, "1 1 4, 7 B; 10", 0},
		{[]string{a, `"startTime":1000,"finishTime":500`}, "1 1 4, 7 B; 10", 1},
		{[]string{a, `"startTime":1000,"finishTime":1e30`}, "1 1 4, 7 B; 10", 1},
		{[]string{`"inputBytes":7`, `"inputBytes":-7`}, "2 1 4, - B; 10", 1},
		{[]string{`"inputBytes":7`, `"inputBytes":-1`}, "2 1 4, - B; 10", 0},
		{[]string{`"inputBytes":7`, `"inputBytes":1e30`}, "2 1 4, - B; 10", 1},
		{[]string{job, `"submitTime":-5,"finishTime":10000`}, "2 1 4, 7 B; -", 1},
		// The job ends a year after its tasks.
		{[]string{job, `"submitTime":0,"finishTime":4102444800000`}, "2 1 4, 7 B; -", 1},
	} {
		trace := strings.NewReplacer(x.changes...).Replace(sound)
		w, err := imported(trace)
		if err != nil {
			t.Errorf("%q: %v", x.changes, err)
			continue
		}
		optional := func(known bool, v fmt.Stringer) string {
			if !known {
				return "-"
			}
			return v.String()
		}
		bytes, end := w.Tasks[0].InputBytes, w.Jobs[0].RecordedCompletion
		got := fmt.Sprintf("%s %s %s, %s B; %s", w.Tasks[0].Processing.Value, w.Tasks[1].Processing.Value,
			w.Tasks[2].Processing.Value, optional(bytes.Known, bytes.Value), optional(end.Known, end.Value))
		if replaced := strings.Contains(strings.Join(w.Notes, "\n"), "1 number is replaced"); got != x.want ||
			replaced != (x.replaced == 1) {
			t.Errorf("%q: %s, notes %q", x.changes, got, w.Notes)
		}
	}
}

// TestFarSubmission: job k comes 5 s after job j, whose submission is stated in seconds in place of milliseconds.
func TestFarSubmission(t *testing.T) {
	const job = `{"jobID":"%s","submitTime":%d,"finishTime":1700000009000,"mapTasks":[{"taskID":"%[1]s.m","attempts":[` +
		`{"result":"SUCCESS","startTime":1700000006000,"finishTime":1700000008000}]}]}`
	for submit, want := range map[int]string{1700000000000: "0 5", 1700000000: "0 0", 0: "0 0",
		1690000000000: "0 10000005"} {
		trace := fmt.Sprintf(job, "j", submit) + fmt.Sprintf(job, "k", 1700000005000)
		w, err := imported(trace)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%s %s", w.Jobs[0].Release, w.Jobs[1].Release); got != want {
			t.Errorf("%d: %s, %q", submit, got, w.Notes)
		}
	}
}

// TestOnlyTimes: if the only times of a trace cannot be, the message names them.
func TestOnlyTimes(t *testing.T) {
	const job = `{"jobID":"j","submitTime":%d,"finishTime":%d,"mapTasks":[{"taskID":"A","attempts":[` +
		`{"result":"SUCCESS","startTime":%d,"finishTime":3000}]}]}`
	const long = 1 << 62
	for _, x := range [][3]int{{0, 1000, 1000}, {0, 9000, 4000}, {0, 9000, -1000}, {0, 9000, long}} {
		_, err := imported(fmt.Sprintf(job, x[0], x[1], x[2]))
		named := fmt.Sprintf("(startTime %d, finishTime 3000, in a job from %d to %d)", x[2], x[0], x[1])
		named = strings.Replace(named, fmt.Sprint(long), "too large", 1)
		if err == nil || !strings.Contains(err.Error(), named) {
			t.Errorf("%v: %v", x, err)
		}
	}
}
