package msjo

import (
	"math"
	"math/rand/v2"

	"mrsched/model"
	"mrsched/solver"
)

// Numbers of tasks up to which `-a all` includes algorithms with slower LPs: some twenty seconds each.
const (
	batchTasks      = 20_000
	assignedTasks   = 50_000
	completionTasks = 200_000
)

// predictionStream sets the errors' random stream apart from those of searches with the same seed.
const predictionStream = 0x7072656469637400

// planner is the run in which algorithms that take --prediction-error E make their plans: its processing times are
// p_u·(1 + U(−E, E)), drawn task by task from the seed. Schedules are made with the true times. Without an error it is
// the run itself.
//
// Source: Ling et al. 2016, §5.2 (Fig. 14).
func (r *run) planner(opt solver.Options) *run {
	e := r.p.predictionError
	if e == 0 {
		return r
	}
	if p := r.planned; p != nil && p.seed == opt.Seed {
		return p.run
	}
	random := rand.New(rand.NewPCG(opt.Seed, predictionStream))
	believed := make([]model.Time, r.in.Tasks)
	for u := range believed {
		believed[u] = model.Time(math.Round(float64(r.in.Processing[u]) * (1 + e*(2*random.Float64()-1))))
	}
	r.planned = &plannedRun{opt.Seed, &run{in: r.in.Lasting(believed), p: r.p, backend: r.backend}}
	return r.planned.run
}

// plannedRun is a run on predicted processing times.
type plannedRun struct {
	seed uint64
	run  *run
}
