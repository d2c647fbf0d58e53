package realtime

import (
	"math/big"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// policy is a rule for the order in which waiting units get slots.
type policy struct {
	solver.Algorithm
	// rank is the key of a job's waiting units in every queue, the lowest first; units that are last come after all
	// others. A key does not fall while the estimates of the job's units stay the same and its maps have not ended.
	rank func(s *simulation, job int32) (key model.Time, last bool)
	// moves says that LOF moves units away from overloaded workers.
	moves bool
	// plans says that plan decides which jobs are admitted.
	plans bool
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
	looks     int      // evaluations of LOF
	flags     int      // workers that it found overloaded
	moved     int      // units that it moved
	plans     int      // of admission
	held      int      // jobs that they held, once for each plan
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
func (f *facts) start(believed, truth model.Time) {
	if truth > 0 {
		off := float64(max(believed-truth, truth-believed)) / float64(truth)
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
	*SketchFacts
	*OutlierFacts
	*PlanFacts
}

// SketchFacts describe the Count-Min sketches of keys.
type SketchFacts struct {
	Rows  int          `json:"sketch_rows"`
	Error model.Number `json:"sketch_error"` // ε of the job with the fewest partitions
}

// OutlierFacts count what the Local Outlier Factor led to.
type OutlierFacts struct {
	Evaluations       int `json:"lof_evaluations"`
	OverloadedWorkers int `json:"overloaded_workers"`
	MovedTasks        int `json:"moved_tasks"`
}

// PlanFacts count the plans of admission.
type PlanFacts struct {
	Plans           int          `json:"plans"`
	JobsHeldPerPlan model.Number `json:"jobs_held_per_plan"`
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
		x.OutlierFacts = &OutlierFacts{f.looks, f.flags, f.moved}
	}
	if p.plans && f.plans > 0 {
		x.PlanFacts = &PlanFacts{f.plans, model.LowerNumber(big.NewRat(int64(f.held), int64(f.plans)))}
	}
	return x
}
