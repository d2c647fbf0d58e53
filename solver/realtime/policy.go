package realtime

import (
	"context"
	"math"
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
	"mrsched/solver/estimate"
)

// policy is a rule for the order in which waiting units get slots.
type policy struct {
	solver.Algorithm
	// rank is the key of a job's waiting units in every queue, the lowest first; units that are last come after all
	// others. A key does not fall while the estimates of the job's units stay the same and its maps have not ended.
	rank func(s *simulation, job int32) (key model.Time, last bool)
	// moves says that LOF moves units away from overloaded workers.
	moves bool
}

// edfRank is Due; jobs without a deadline come last.
func edfRank(s *simulation, j int32) (model.Time, bool) { return s.in.Due[j], false }

// fifoRank is the order of units, which is that of arrivals.
func fifoRank(*simulation, int32) (model.Time, bool) { return 0, false }

// fairRank is the slot time that a job has had, that of running units included.
func fairRank(s *simulation, j int32) (model.Time, bool) {
	job := &s.jobs[j]
	return job.ended + model.Time(job.active)*s.now - job.begun, false
}

// facts are what a simulation reports about itself.
type facts struct {
	units     int // that have ended
	hopeless  int // jobs with negative laxity when they arrived
	measured  int // units whose estimate can be off
	off, most float64
	arrived   *big.Int // Σ of laxities on arrival
	due       int64    // jobs with a deadline
	lof       OutlierFacts
}

// arrive records the laxity of a job on arrival.
func (f *facts) arrive(s *simulation, j int32) {
	if s.in.Due[j] == realtime.NoDeadline {
		return
	}
	laxity := s.laxity(j)
	if laxity < 0 {
		f.hopeless++
	}
	if f.arrived == nil {
		f.arrived = new(big.Int)
	}
	f.arrived.Add(f.arrived, big.NewInt(int64(laxity)))
	f.due++
}

// start records how long a unit is expected to take, and how long it takes.
func (f *facts) start(expected, truth model.Time) {
	if truth > 0 {
		off := float64(max(expected-truth, truth-expected)) / float64(truth)
		f.off, f.most, f.measured = f.off+off, max(f.most, off), f.measured+1
	}
}

// Facts are what results state about a run.
type Facts struct {
	Iterations *int `json:"iterations,omitempty"` // of best's search for goal deadlines
	Nodes      *int `json:"nodes,omitempty"`      // of exact
	Resplits   *int `json:"resplits,omitempty"`   // of skewtune
	// Jobs with negative laxity when they arrived, and the mean laxity then, in seconds.
	HopelessOnArrival *int         `json:"hopeless_on_arrival,omitempty"`
	LaxityOnArrival   model.Number `json:"laxity_on_arrival,omitempty"`
	// Relative errors of estimates.
	EstimateErrorMean model.Number `json:"estimate_error_mean,omitempty"`
	EstimateErrorMax  model.Number `json:"estimate_error_max,omitempty"`
	SketchRows        int          `json:"sketch_rows,omitempty"`
	*OutlierFacts
}

// OutlierFacts count what the Local Outlier Factor led to.
type OutlierFacts struct {
	Evaluations       int `json:"lof_evaluations"`
	OverloadedWorkers int `json:"overloaded_workers"`
	MovedTasks        int `json:"moved_tasks"`
}

// stated is what a result states.
func (f *facts) stated(p policy) (x Facts) {
	x.HopelessOnArrival = &f.hopeless
	if f.due > 0 {
		x.LaxityOnArrival = model.LowerNumber(new(big.Rat).SetFrac(f.arrived, big.NewInt(f.due*int64(model.Second))))
	}
	if f.measured > 0 {
		x.EstimateErrorMean = model.LowerNumber(new(big.Rat).SetFloat64(f.off / float64(f.measured)))
		x.EstimateErrorMax = model.LowerNumber(new(big.Rat).SetFloat64(f.most))
	}
	if p.moves {
		x.OutlierFacts = &f.lof
	}
	return x
}

// laxity is the time until a job is due minus the time that it is expected to need; only for jobs with a deadline.
//
// Source: DynamicShare, Eq. 3.   Differs: the time that has passed counts, so that laxities of different jobs compare.
func (s *simulation) laxity(j int32) model.Time { return s.in.Due[j] - s.now - s.left(j) }

// llfRank orders by laxity, the least first. Jobs of negative laxity come after these, jobs without a deadline last.
//
// At one time, laxities are in the order of Due − left. That never falls: left falls at most by the time that passes,
// except when a unit ends early. Only then can a job of negative laxity recover, and settle looks at it then.
//
// The paper computes laxities when a task enters a queue, ends or misses its deadline. Only the first two can make a
// slot idle or a unit wait, so they alone compute ranks: when a deadline passes, nothing waits for an idle slot.
//
// Ties: the job that arrived first.   Source: DynamicShare, §3.
func llfRank(s *simulation, j int32) (model.Time, bool) {
	if s.in.Due[j] == realtime.NoDeadline {
		return realtime.NoDeadline, true
	}
	laxity := s.laxity(j)
	return laxity + s.now, laxity < 0
}

// lofLooks bounds how often LOF looks at the laxities of a job: each time another 1/lofLooks of the tasks of its
// present phase have entered queues or ended, so at most 2·lofLooks times in a phase.
const lofLooks = 16

// watch evaluates LOF over the laxities of a job on the workers that its tasks run and wait on. A worker above the
// threshold loses the waiting tasks of that job to workers that are not above it and are expected to end them earlier
// (ties: the first worker). The laxity on a worker is the least of the job's tasks there: Due minus the expected end of
// the task minus what is expected to follow its phase. A task that waits is expected to start after all others there.
//
// LOF does not look at jobs without a deadline or of negative laxity, nor where nothing waits.
//
// Complexity: O(n + w log w) for n tasks on w workers, and O(w) for each task that may move.   Source: DynamicShare,
// §3.
func (s *simulation) watch(j int32) {
	job := &s.jobs[j]
	if int64(job.fresh)*lofLooks < int64(job.phase) || job.pending == job.active || s.in.Due[j] == realtime.NoDeadline ||
		s.laxity(j) < 0 {
		return
	}
	job.fresh = 0
	first, end := job.first, job.first+job.maps
	if job.reducing {
		first, end = end, end+job.phase
	}
	laxities, queues := s.workerLaxities(j, first, end)
	s.facts.lof.Evaluations++
	over := Overloaded(laxities, s.threshold)
	if s.seen != nil {
		s.seen(j, laxities, queues, over)
	}
	if len(over) == 0 {
		return
	}
	s.facts.lof.OverloadedWorkers += len(over)
	for _, k := range over {
		s.flagged[queues[k]] = int32(s.facts.lof.Evaluations)
	}
	moved := 0
	for u := first; u < end; u++ {
		if x := &s.units[u]; x.state == waiting && s.flagged[x.queue] == int32(s.facts.lof.Evaluations) && s.move(u) {
			moved++
		}
	}
	if moved > 0 {
		s.facts.lof.MovedTasks += moved
		s.refresh(j)
	}
}

// workerLaxities lists the least laxities of a job's units, by queue, in the order of the units.
func (s *simulation) workerLaxities(j, first, end int32) (laxities []model.Time, queues []int32) {
	at := map[int32]int{}
	for u := first; u < end; u++ {
		x := &s.units[u]
		var ends model.Time
		switch x.state {
		case running:
			ends = max(s.now, x.end)
		case waiting:
			ends = s.ends(u)
		default:
			continue
		}
		k, ok := at[x.queue]
		if !ok {
			k = len(queues)
			at[x.queue] = k
			queues, laxities = append(queues, x.queue), append(laxities, math.MaxInt64)
		}
		laxities[k] = min(laxities[k], s.in.Due[j]-ends-s.tail(u)-s.jobs[j].after)
	}
	return laxities, queues
}

// ends is when a waiting unit is expected to end after all that waits with it.
func (s *simulation) ends(u int32) model.Time {
	x := &s.units[u]
	q := &s.queues[x.queue]
	return s.idles(q) + (q.backlog-x.left)/model.Time(q.slots) + x.left
}

// move moves a waiting unit to the worker that is expected to end it first; false: it stays.
func (s *simulation) move(u int32) bool {
	x := &s.units[u]
	best, takes, least := int32(-1), model.Time(0), s.ends(u)
	kind := model.Reduce
	if x.isMap {
		kind = model.Map
	}
	for _, w := range s.workers[kind] {
		q := queueOf(w, kind)
		if s.flagged[q] == int32(s.facts.lof.Evaluations) {
			continue
		}
		if free := s.free(&s.queues[q]); free < least {
			if t := s.takes(u, q); free+t < least {
				best, takes, least = q, t, free+t
			}
		}
	}
	if best < 0 {
		return false
	}
	s.queues[x.queue].backlog -= x.left
	x.queue, x.left = best, takes
	s.queues[best].backlog += takes
	s.await(u)
	return true
}

// Sighting is the result of a LOF evaluation for one worker.
type Sighting struct {
	Worker     int32
	Laxity     model.Time // the least of the job's tasks there
	Factor     float64
	Overloaded bool
}

// Look is one evaluation of LOF over the laxities of a job.
type Look struct {
	Job     int32
	At      model.Time
	Workers []Sighting
}

// Looks simulates llf and lists every evaluation of LOF. Errors in the instance, or another goal than deadlines, are
// *model.InputError.
func Looks(ctx context.Context, w *model.Workload, p solver.Params) ([]Look, error) {
	values := solver.Bind[params](p)
	in, err := newInstance(w, values)
	if err != nil {
		return nil, err
	}
	r := newRun(in, values)
	if why := r.Excludes("llf").Why; why != "" {
		return nil, model.NewInputError(model.Finding{Code: model.CodeParameter, What: "llf: " + why})
	}
	b, err := r.expects()
	if err != nil {
		return nil, err
	}
	var list []Look
	s := newSimulation(r, policy{rank: llfRank, moves: true}, b)
	s.seen = func(j int32, laxities []model.Time, queues, over []int32) {
		k := Look{Job: j, At: s.now, Workers: make([]Sighting, len(queues))}
		factors := estimate.OutlierFactors(laxities, lofNeighbours)
		for i, q := range queues {
			k.Workers[i] = Sighting{Worker: q / 2, Laxity: laxities[i], Factor: factors[i]}
		}
		for _, i := range over {
			k.Workers[i].Overloaded = true
		}
		list = append(list, k)
	}
	if _, err := s.play(ctx, solver.Options{}); err != nil {
		return nil, err
	}
	return list, ctx.Err()
}

// lofNeighbours is l, the number of neighbours of a Local Outlier Factor.
const lofNeighbours = 10

// Overloaded lists the workers whose laxity lies below the median and has a Local Outlier Factor above a threshold;
// laxities has one of each worker. The median of an even number is the mean of the middle two. Threshold 0: none.
func Overloaded(laxities []model.Time, threshold float64) (list []int32) {
	if threshold <= 0 || len(laxities) == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(laxities))
	low, high := sorted[(len(sorted)-1)/2], sorted[len(sorted)/2]
	for i, f := range estimate.OutlierFactors(laxities, lofNeighbours) {
		if v := laxities[i]; f > threshold && (v < low || v == low && low < high) {
			list = append(list, int32(i))
		}
	}
	return list
}
