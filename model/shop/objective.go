package shop

import (
	"math/big"

	"mrsched/model"
)

// Objective is what a schedule minimises.
type Objective string

// The objectives, by the names that results state.
const (
	// WeightedEnds is Σ w_j C_j.
	WeightedEnds Objective = "twjct"
	// Tardiness is Σ w_j max(0, C_j − d_j).
	Tardiness Objective = "tardiness"
	// Late is Σ w_j [C_j > d_j].
	Late Objective = "late"
	// Makespan is max C_j.
	Makespan Objective = "makespan"
	// FlowTime is Σ w_j (C_j − r_j): of WeightedEnds less a constant, whose searches and certificates it has.
	FlowTime Objective = "flowtime"
	// WeightedTaskEnds is Σ W_u C_u over the tasks, only of identical machines.
	WeightedTaskEnds Objective = "twtct"
)

// Objectives lists them, the default first.
func Objectives() []string {
	return []string{string(WeightedEnds), string(Tardiness), string(Late), string(Makespan), string(FlowTime)}
}

// Under is the same instance under another objective. It shares everything that does not depend on it.
func (in *Instance) Under(o Objective) *Instance {
	other := *in
	if other.flow = o == FlowTime; other.flow {
		o = WeightedEnds
	}
	other.Objective = o
	return &other
}

// Stated is the objective that results state.
func (in *Instance) Stated() Objective {
	if in.flow {
		return FlowTime
	}
	return in.Objective
}

// units is how many of an objective's integers make one unit: weights and times are in millionths.
func (o Objective) units() *big.Int {
	switch o {
	case Makespan:
		return big.NewInt(int64(model.Second))
	case Late:
		return big.NewInt(int64(model.UnitWeight))
	}
	return new(big.Int).Mul(big.NewInt(int64(model.UnitWeight)), big.NewInt(int64(model.Second)))
}

// Rat converts an objective's integer, as Cost computes it, to the objective's unit.
func (o Objective) Rat(cost *big.Int) *big.Rat { return new(big.Rat).SetFrac(cost, o.units()) }

// Completions are the jobs' completion times in a schedule.
func (in *Instance) Completions(s *model.Schedule) []model.Time {
	done := make([]model.Time, in.Jobs)
	for _, e := range s.Entries {
		j := in.Job[e.Task]
		done[j] = max(done[j], e.End)
	}
	return done
}

// JobCost is what job j adds to an objective if it ends at t, as an integer: in millionths of weight × microseconds, of
// weight, or, of the makespan, the time itself.
func (in *Instance) JobCost(o Objective, j int, t model.Time, into *big.Int) *big.Int {
	factor := int64(t)
	switch o {
	case Makespan:
		return into.SetInt64(int64(t))
	case FlowTime:
		factor = int64(t - in.origin(j))
	case Tardiness:
		factor = int64(max(0, t-in.Due[j]))
	case Late:
		if factor = 0; t > in.Due[j] {
			factor = 1
		}
	}
	return into.Mul(big.NewInt(int64(in.Weight[j])), big.NewInt(factor))
}

// TaskCost is Σ W_u C_u over the tasks of a schedule, in millionths of weight × microseconds. It adds that of each job
// to shares, unless they are nil.
func (in *Instance) TaskCost(s *model.Schedule, shares []*big.Int) *big.Int {
	sum, term, w := new(big.Int), new(big.Int), new(big.Int)
	for _, e := range s.Entries {
		term.Mul(w.SetInt64(int64(in.TaskWeight[e.Task])), term.SetInt64(int64(e.End)))
		if sum.Add(sum, term); shares != nil {
			share := shares[in.Job[e.Task]]
			share.Add(share, term)
		}
	}
	return sum
}

// Cost is an objective's value for completion times, as an integer: see JobCost.
func (in *Instance) Cost(o Objective, done []model.Time) *big.Int {
	sum, x := new(big.Int), new(big.Int)
	for j, t := range done {
		if in.JobCost(o, j, t, x); o != Makespan {
			sum.Add(sum, x)
		} else if x.Cmp(sum) > 0 {
			sum.Set(x)
		}
	}
	return sum
}

// WeightedSum is Σ w_j t_j in weight × seconds, exactly.
func (in *Instance) WeightedSum(t []model.Time) *big.Rat {
	return WeightedEnds.Rat(in.Cost(WeightedEnds, t))
}

// TaskSum is Σ W_u C_u over the tasks, in weight × seconds, exactly.
func (in *Instance) TaskSum(s *model.Schedule) *big.Rat {
	return WeightedTaskEnds.Rat(in.TaskCost(s, nil))
}
