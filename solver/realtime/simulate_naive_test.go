package realtime

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/realtime"
)

// simNaive runs a policy as simulate does, but scans the whole queue and all units of a job each time.
func simNaive(t tester, r *run, p policy, b expectation) *model.Schedule {
	s := newSimulation(r, p, b)
	for at, ok := s.events.Next(); ok; at, ok = s.events.Next() {
		happenAt(t, s, at)
		for j := range int32(r.in.Jobs) {
			if got, want := s.left(j), naiveLeft(s, j); got != want {
				t.Fatalf("at %s job %d has %s left, want %s", s.now, j, got, want)
			}
		}
		for q := range s.queues {
			for len(s.queues[q].idle) > 0 {
				u := naiveFirst(s, int32(q))
				if u < 0 {
					break
				}
				s.start(u, s.queues[q].idle.Pop().Index)
			}
		}
	}
	slices.SortFunc(s.rows, func(a, b model.Entry) int { return cmp.Compare(a.Task, b.Task) })
	return &model.Schedule{Entries: s.rows}
}

// happenAt plays the events of an instant, and starts nothing.
func happenAt(t tester, s *simulation, at model.Time) {
	t.Helper()
	s.now = at
	for next, ok := at, true; ok && next == at; next, ok = s.events.Next() {
		e, _ := s.events.Pop()
		if err := s.happen(e); err != nil {
			t.Fatal(err)
		}
	}
	s.settle()
}

func naiveFirst(s *simulation, q int32) int32 {
	best := int32(-1)
	var least model.Time
	leastLast := false
	for u := range s.units {
		if x := &s.units[u]; x.state == waiting && x.queue == q {
			key, last := s.p.rank(s, x.job)
			if best < 0 || !last && leastLast || last == leastLast && key < least {
				best, least, leastLast = int32(u), key, last
			}
		}
	}
	return best
}

func naiveLeft(s *simulation, j int32) (most model.Time) {
	job := &s.jobs[j]
	for u := job.first; u < job.first+job.count; u++ {
		switch x := &s.units[u]; {
		case x.queue < 0:
		case x.state == waiting:
			most = max(most, x.left+s.tail(u))
		case x.state == running || x.state == absent:
			most = max(most, x.end+s.tail(u)-s.now)
		}
	}
	return most + job.after
}

// noisy has wrong times, by a factor that depends only on task and worker.
type noisy struct {
	*realtime.Instance
	seed uint64
}

func (n noisy) Time(task, worker int32) model.Time {
	r := rand.New(rand.NewPCG(n.seed, uint64(task)<<32|uint64(worker)))
	return model.Time(float64(n.Instance.Time(task, worker)) * math.Exp(r.NormFloat64()))
}

// drawSimulated draws a workload for policies, in half seconds: jobs with or without maps, some of which read blocks.
func drawSimulated(t *rapid.T) spec {
	x := spec{model.Second / 2, drawWorkers(t, 4, 2), drawJobs(t, 8, 6, 5, 40, 0)}
	for k := range x.jobs {
		j := &x.jobs[k]
		if len(j.reduces)+len(j.keys) > 0 && rapid.IntRange(0, 2).Draw(t, "no maps") == 0 {
			j.maps = nil
		}
		if rapid.Bool().Draw(t, "blocks") {
			j.holder = rapid.SliceOfN(rapid.IntRange(0, len(x.workers)), 0, 6).Draw(t, "holder")
		}
	}
	return x
}
