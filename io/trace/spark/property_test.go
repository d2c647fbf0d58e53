package spark

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mrsched/io/trace"
	"mrsched/model"
)

// TestWaits compares the sweep over jobs with the definition: a job waits for all jobs that were over at its
// submission, without those that follow from two other rows.
func TestWaits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "jobs")
		im := &importer{plans: make([]plan, n)}
		submitted := rapid.SliceOfN(rapid.Int64Range(0, 12), n, n).Draw(t, "submitted")
		slices.Sort(submitted)
		for j := range im.plans {
			p := &im.plans[j]
			p.submitted, p.place = submitted[j], int32(j)
			p.last = p.submitted + rapid.Int64Range(0, 5).Draw(t, "length")
			p.over = p.last + rapid.Int64Range(0, 2).Draw(t, "more")
			im.order = append(im.order, int32(j))
		}
		got, _ := im.waits(maxRows)
		for j := range n {
			var want []int32
			end := int64(0)
			for i := range n {
				direct := im.before(int32(i), int32(j))
				if direct {
					end = max(end, im.plans[i].last)
				}
				for k := range n {
					direct = direct && !(im.before(int32(i), int32(k)) && im.before(int32(k), int32(j)))
				}
				if direct {
					want = append(want, int32(i))
				}
			}
			if !slices.Equal(got[j].after, want) {
				t.Fatalf("job %d of %+v waits for %v, not %v", j, im.plans, got[j].after, want)
			}
			if len(want) > 0 && got[j].delay != submitted[j]-end {
				t.Fatalf("job %d of %+v: delay %d, not %d", j, im.plans, got[j].delay, submitted[j]-end)
			}
		}
	})
}

// simulation writes the log of an application whose driver submits jobs at random and whose stages run on two
// executors, with failures.
type simulation struct {
	t     *rapid.T
	log   strings.Builder
	cores [2][]int64 // until when each core is busy, by executor
	task  int
	rdds  []int64 // of shuffle stages that ran
	ends  int
}

func (s *simulation) event(name, format string, args ...any) {
	fmt.Fprintf(&s.log, `{"Event":"SparkListener%s",`+format+"}\n", append([]any{name}, args...)...)
}

// run writes tasks of a stage that may start at a given time, and returns the end of the last one.
func (s *simulation) run(stage int64, kind string, tasks int, at int64) int64 {
	end := at
	for index := 0; index < tasks; {
		x := rapid.IntRange(0, 1).Draw(s.t, "executor")
		core := 0
		for c := range s.cores[x] {
			if s.cores[x][c] < s.cores[x][core] {
				core = c
			}
		}
		launch := max(at, s.cores[x][core])
		length := rapid.Int64Range(0, 9).Draw(s.t, "length")
		reason := rapid.SampledFrom([]string{"Success", "Success", "Success", "ExceptionFailure"}).Draw(s.t, "reason")
		s.cores[x][core] = launch + length
		end = max(end, launch+length)
		s.event("TaskEnd", `"Stage ID":%d,"Task Type":%q,"Task End Reason":{"Reason":%q},"Task Info":{"Task ID":%d,"Index":%d,`+
			`"Launch Time":%d,"Executor ID":"%d","Finish Time":%d},"Task Metrics":{"Executor Run Time":%d}`, stage, kind, reason,
			s.task, index, launch, x, launch+length+3, length)
		s.task++
		s.ends++
		if reason == "Success" {
			index++
		}
	}
	return end
}

// TestSimulated: for any precedence of jobs, the recorded schedule of such a log fits, and no end of a task is lost.
func TestSimulated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &simulation{t: t}
		for x := range s.cores {
			s.cores[x] = make([]int64, rapid.IntRange(1, 3).Draw(t, "cores"))
			s.event("ExecutorAdded", `"Timestamp":%d,"Executor ID":"%d","Executor Info":{"Host":"h","Total Cores":%d}`,
				rapid.Int64Range(0, 5).Draw(t, "added"), x, len(s.cores[x]))
			for c := range s.cores[x] {
				s.cores[x][c] = 5
			}
		}
		now, stage := int64(3), int64(0)
		for id := range rapid.IntRange(1, 6).Draw(t, "jobs") {
			now = s.job(id, now, &stage) + rapid.Int64Range(-4, 6).Draw(t, "pause")
			now = max(now, 0)
		}
		for _, jobs := range Jobs() {
			w, err := Import([]trace.File{file("log", []byte(s.log.String()))}, Options{Jobs: jobs})
			if err != nil {
				t.Fatal(err)
			}
			checkRecorded(t, w)
			done := 0
			for _, u := range w.Tasks {
				if strings.HasSuffix(u.ID, ".done") {
					done++
				}
			}
			if left := leftOut(w); len(w.Tasks)-done+left != s.ends || w.Tasks[0].Kind > model.Reduce {
				t.Fatalf("%d tasks and %d other attempts of %d", len(w.Tasks)-done, left, s.ends)
			}
		}
	})
}

// job writes a job: shuffle stages, some skipped, each after the one before or after the first, and a result stage. It
// returns the end of the job.
func (s *simulation) job(id int, at int64, stage *int64) int64 {
	type planned struct {
		id, rdd, parent int64
		skipped         bool
	}
	var list []planned
	infos := []string{}
	for k := range rapid.IntRange(1, 4).Draw(s.t, "stages") {
		p := planned{id: *stage, rdd: *stage * 10, parent: -1}
		*stage++
		if len(s.rdds) > 0 && rapid.IntRange(0, 3).Draw(s.t, "skip") == 0 {
			p.skipped, p.rdd = true, rapid.SampledFrom(s.rdds).Draw(s.t, "rdd")
		}
		parents := ""
		if k > 0 {
			p.parent = int64(rapid.IntRange(0, k-1).Draw(s.t, "parent"))
			parents = fmt.Sprint(list[p.parent].id)
		}
		list = append(list, p)
		infos = append(infos, fmt.Sprintf(`{"Stage ID":%d,"RDD Info":[{"RDD ID":%d}],"Parent IDs":[%s]}`, p.id, p.rdd, parents))
	}
	list[len(list)-1].skipped = false
	s.event("JobStart", `"Job ID":%d,"Submission Time":%d,"Stage Infos":[%s]`, id, at, strings.Join(infos, ","))
	ends := make([]int64, len(list))
	over := at
	for k, p := range list {
		from := at
		if p.parent >= 0 {
			from = max(from, ends[p.parent])
		}
		ends[k] = from
		if p.skipped {
			continue
		}
		kind := "ShuffleMapTask"
		if k == len(list)-1 {
			kind = "ResultTask"
		} else {
			s.rdds = append(s.rdds, p.rdd)
		}
		ends[k] = s.run(p.id, kind, rapid.IntRange(1, 4).Draw(s.t, "tasks"), from)
		over = max(over, ends[k])
	}
	if rapid.IntRange(0, 5).Draw(s.t, "end") > 0 {
		s.event("JobEnd", `"Job ID":%d,"Completion Time":%d`, id, over+1)
	}
	return over + 1
}
