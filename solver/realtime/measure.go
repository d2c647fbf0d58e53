package realtime

import (
	"context"
	"slices"

	"mrsched/model"
	"mrsched/solver"
	"mrsched/solver/estimate"
)

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

// Looks simulates llf and lists every evaluation of LOF. Errors are *model.InputError: the instance, or that its goal
// is not deadlines.
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
	b, err := r.believes()
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
		v := laxities[i]
		below := v < low || v == low && low < high
		if f > threshold && below {
			list = append(list, int32(i))
		}
	}
	return list
}
