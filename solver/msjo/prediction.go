package msjo

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"mrsched/model"
	"mrsched/solver"
)

// planParams are the parameters of every algorithm that plans with times that may be wrong, batchParams those of
// the one that plans in batches.
var (
	planParams  = append(slices.Clone(lpParams), "prediction-error")
	batchParams = append(slices.Clone(planParams), "batch-interval")
)

// Numbers of tasks up to which `-a all` includes algorithms whose LPs take longer than the other's: each some
// twenty seconds.
const (
	batchTasks      = 20_000
	assignedTasks   = 50_000
	completionTasks = 200_000
)

// predictionStream sets the errors' random stream apart from those of searches with the same seed.
const predictionStream = 0x7072656469637400

// planner is the run in which algorithms that take --prediction-error E make their plans: its processing
// times are p_u·(1 + U(−E, E)), drawn task by task from the seed. Schedules are made with the true times.
// Without an error it is the run itself.
//
// Source: Ling et al. 2016, §5.2 (Fig. 14).
func (r *run) planner(opt solver.Options) *run {
	e := r.p.Float("prediction-error")
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

// plannedRun is a run on believed processing times.
type plannedRun struct {
	seed uint64
	run  *run
}

// plannedOrder is the planner's midpoint order. It changes the outcome's status if ctx ended the planner's LP.
func (r *run) plannedOrder(ctx context.Context, out *solver.Outcome, opt solver.Options) ([]int32, error) {
	p := r.planner(opt)
	relax, err := p.relaxation(ctx, opt)
	if err != nil {
		return nil, err
	}
	if !relax.complete {
		out.Status = model.StatusLimit
	}
	return p.midpointOrder(relax), nil
}
