package rumen

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mrsched/io/trace/golden"
)

// fakeAttempt, fakeTask and fakeJob are a random trace; times are unknown if negative.
type fakeAttempt struct {
	result                  string
	start, shuffled, finish int
}

type fakeTask struct{ attempts []fakeAttempt }

type fakeJob struct {
	submit, finish int
	maps, reduces  []fakeTask
}

func drawTrace(t *rapid.T) (jobs []fakeJob) {
	moment := rapid.OneOf(rapid.Just(-1), rapid.IntRange(0, 50))
	tasks := func() (list []fakeTask) {
		for range rapid.IntRange(0, 5).Draw(t, "tasks") {
			var task fakeTask
			for range rapid.IntRange(0, 3).Draw(t, "attempts") {
				task.attempts = append(task.attempts, fakeAttempt{
					rapid.SampledFrom([]string{success, success, failed, killed}).Draw(t, "result"),
					moment.Draw(t, "start"), moment.Draw(t, "shuffled"), moment.Draw(t, "finish")})
			}
			list = append(list, task)
		}
		return list
	}
	for range rapid.IntRange(1, 4).Draw(t, "jobs") {
		jobs = append(jobs, fakeJob{moment.Draw(t, "submit"), moment.Draw(t, "end"), tasks(), tasks()})
	}
	return jobs
}

// render writes the trace with all known times shifted.
func render(jobs []fakeJob, shift int) string {
	var b strings.Builder
	at := func(ms int) int {
		if ms < 0 {
			return ms
		}
		return ms + shift
	}
	tasks := func(job int, kind string, list []fakeTask) {
		for i, task := range list {
			if i > 0 {
				b.WriteString(",")
			}
			fmt.Fprintf(&b, `{"taskID":"%s_%d_%d","attempts":[`, kind, job, i)
			for k, a := range task.attempts {
				if k > 0 {
					b.WriteString(",")
				}
				fmt.Fprintf(&b, `{"result":%q,"startTime":%d,"shuffleFinished":%d,"finishTime":%d}`, a.result, at(a.start),
					at(a.shuffled), at(a.finish))
			}
			b.WriteString("]}")
		}
	}
	for j, job := range jobs {
		fmt.Fprintf(&b, `{"jobID":"job_%d","submitTime":%d,"finishTime":%d,"mapTasks":[`, j, at(job.submit), at(job.finish))
		tasks(j, "m", job.maps)
		b.WriteString(`],"reduceTasks":[`)
		tasks(j, "r", job.reduces)
		b.WriteString("]}\n")
	}
	return b.String()
}

// outcome is the workload in words, or the error's first line without its column.
func outcome(trace []byte) string {
	w, err := Import(golden.Text(string(trace))[0], nil, Options{})
	if err != nil {
		code, _, _ := strings.Cut(err.Error(), " ")
		return code
	}
	return show(w)
}

// TestInvariance: only differences of times matter; compression and failed attempts do not.
func TestInvariance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		jobs := drawTrace(t)
		plain := outcome([]byte(render(jobs, 0)))
		if diff := cmp.Diff(plain, outcome([]byte(render(jobs, rapid.IntRange(0, 1<<40).Draw(t, "shift"))))); diff != "" {
			t.Errorf("shifted: %s", diff)
		}
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, _ = z.Write([]byte(render(jobs, 0)))
		_ = z.Close()
		if diff := cmp.Diff(plain, outcome(packed.Bytes())); diff != "" {
			t.Errorf("gzip: %s", diff)
		}
		for _, job := range jobs {
			for _, list := range [][]fakeTask{job.maps, job.reduces} {
				for i := range list {
					list[i].attempts = slices.DeleteFunc(list[i].attempts, func(a fakeAttempt) bool { return a.result != success })
				}
			}
		}
		if diff := cmp.Diff(plain, outcome([]byte(render(jobs, 0)))); diff != "" {
			t.Errorf("without failed attempts: %s", diff)
		}
	})
}

// TestMedian: the lower median is a value with at most half of the values below it and at most half above.
func TestMedian(t *testing.T) {
	if median(nil) != unknown {
		t.Error("median of nothing is known")
	}
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(0, 9), 1, 12).Draw(t, "values")
		m := median(slices.Clone(values))
		below, above := 0, 0
		for _, v := range values {
			if v < m {
				below++
			}
			if v > m {
				above++
			}
		}
		if !slices.Contains(values, m) || 2*below >= len(values)+len(values)%2 || 2*above > len(values) {
			t.Errorf("median of %v is %d", values, m)
		}
	})
}
