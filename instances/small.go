package instances

import (
	"fmt"
	"math/rand/v2"

	"mrsched/model"
)

// SmallMSJO makes a random instance of msjo that an exact method can solve: up to maxTasks tasks in up to
// three jobs on one to three machines. Times are multiples of half a second, some zero; jobs are
// map-reduce, map-only, reduce-only or general stage graphs, with releases, delays and weights, some of
// them zero. With ordered times no task is longer than one that must follow it.
func SmallMSJO(r *rand.Rand, maxTasks int, ordered bool) (*model.Workload, error) {
	b := model.NewBuilder()
	b.Scalars("small", "msjo", model.Some(int64(1+r.IntN(3))), nil)
	jobs := 1 + r.IntN(3)
	left := maxTasks
	for j := range jobs {
		id := fmt.Sprintf("j%d", j+1)
		weight := model.Weight(r.IntN(6)) * model.UnitWeight / 2
		b.Job(model.Job{ID: id, Release: half(r, 8), Weight: weight}, model.Locus{})
		n := min(1+r.IntN(5), left-(jobs-1-j))
		left -= n
		smallJob(r, b, id, n, ordered)
	}
	return b.Build()
}

// half is a random multiple of half a second below n/2.
func half(r *rand.Rand, n int) model.Time { return model.Time(r.IntN(n)) * model.Second / 2 }

// smallJob adds n tasks to a job of one of four shapes.
func smallJob(r *rand.Rand, b *model.Builder, job string, n int, ordered bool) {
	shape := r.IntN(4)
	maps := n
	switch shape {
	case 0, 1: // map-reduce, or map-only if there is one task
		maps = max(1, r.IntN(n+1))
	case 2: // map-only or reduce-only
		maps = n * r.IntN(2)
	}
	var longest model.Time
	times := make([]model.Time, n)
	for i := range times {
		times[i] = half(r, 9)
		if i < maps {
			longest = max(longest, times[i])
		}
	}
	for i, p := range times {
		kind := model.Map
		var delay model.Time
		switch {
		case i >= maps:
			kind = model.Reduce
			if ordered {
				p += longest
			}
		case r.IntN(2) == 0:
			delay = half(r, 6)
		}
		if shape == 3 && ordered {
			p = times[0]
		}
		t := model.Task{ID: fmt.Sprintf("%s.t%d", job, i+1), Kind: kind, Processing: model.Some(p), ShuffleDelay: delay}
		if r.IntN(8) == 0 {
			t.Release = model.Some(half(r, 12))
		}
		b.Task(t, job, "", model.Locus{})
	}
	if shape != 3 {
		return
	}
	for i := range n {
		for k := i + 1; k < n; k++ {
			if r.IntN(3) == 0 {
				b.Delay(fmt.Sprintf("%s.t%d", job, i+1), fmt.Sprintf("%s.t%d", job, k+1), half(r, 5), model.Locus{})
			}
		}
	}
}
