package realtime

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/realtime"
)

// simNaive runs a policy as simulate does, but scans the whole queue and all units of a job each time.
func simNaive(t simTB, r *run, p policy, b expectation) *model.Schedule {
	s := newSimulation(r, p, b)
	for {
		at, ok := s.events.Next()
		if !ok {
			slices.SortFunc(s.rows, func(a, b model.Entry) int { return cmp.Compare(a.Task, b.Task) })
			return &model.Schedule{Entries: s.rows}
		}
		s.now = at
		for ok && at == s.now {
			e, _ := s.events.Pop()
			if err := s.happen(e); err != nil {
				t.Fatal(err)
			}
			at, ok = s.events.Next()
		}
		if s.p.plans && s.replan {
			s.replan = false
			s.plan()
		}
		s.settle()
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

// simRandom draws an instance.
func simRandom(t *rapid.T) *model.Workload {
	seconds := rapid.Custom(func(t *rapid.T) float64 { return float64(rapid.IntRange(0, 20).Draw(t, "half seconds")) / 2 })
	var workers []simWorker
	for range rapid.IntRange(1, 4).Draw(t, "workers") {
		workers = append(workers, simWorker{rapid.SampledFrom([]float64{0.25, 0.5, 1, 1.5, 3}).Draw(t, "speed"),
			int64(rapid.IntRange(0, 2).Draw(t, "map slots")), int64(rapid.IntRange(0, 2).Draw(t, "reduce slots"))})
	}
	workers[0].maps++
	workers[len(workers)-1].reduces++
	var jobs []simJob
	for k := range rapid.IntRange(1, 8).Draw(t, "jobs") {
		j := simJob{id: fmt.Sprintf("J%d", k), release: seconds.Draw(t, "release"),
			due: rapid.SampledFrom([]float64{0, 1, 5, 10, 20, 1000}).Draw(t, "due")}
		j.maps = rapid.SliceOfN(seconds, 0, 6).Draw(t, "maps")
		if rapid.Bool().Draw(t, "later") {
			j.late, j.shuffle = rapid.SliceOfN(seconds, 0, 6).Draw(t, "late"), rapid.SliceOfN(seconds, 0, 6).Draw(t, "shuffle")
			j.lateReduces = rapid.SliceOfN(seconds, 0, 5).Draw(t, "late reduces")
		}
		if rapid.Bool().Draw(t, "blocks") {
			j.holder = rapid.SliceOfN(rapid.IntRange(0, len(workers)), 0, 6).Draw(t, "holder")
		}
		if rapid.Bool().Draw(t, "keys") {
			j.keys = rapid.MapOfN(rapid.StringN(1, 2, 4), rapid.Uint16Max(9), 1, 12).Draw(t, "bytes")
			j.reducers = int64(rapid.IntRange(1, 5).Draw(t, "reducers"))
		} else {
			j.reduces = rapid.SliceOfN(seconds, 0, 5).Draw(t, "reduces")
		}
		if len(j.maps)+len(j.reduces) == 0 {
			j.maps = []float64{1}
		}
		jobs = append(jobs, j)
	}
	return simWorkload(t, workers, jobs)
}
