package shop

import (
	"math/big"

	"mrsched/model"
)

// TimeUnit divides every completion of some optimal schedule, and every start of its tasks that are not fixed; 0 if all
// of them are 0.
//
// Some optimal schedule starts every task that is not fixed as early as its node, the tasks before it and its
// release allow, since no objective falls when a task ends later. There, each start is a release, the end of a task
// plus a delay, or the end of an absence of the node, so that every completion is a multiple of the greatest common
// divisor of releases, lengths, delays, ends of absences and ends of fixed tasks.
func (in *Instance) TimeUnit() (time model.Time) {
	add := func(t model.Time) { time = model.GCD(max(t, -t), time) }
	for u := range int32(in.Tasks) {
		if in.Fixed(u) {
			add(in.FixedStart(u) + in.Least[u])
			continue
		}
		for _, t := range in.allLengths(u) {
			add(max(t, 0))
		}
	}
	for _, t := range in.Earliest {
		add(t)
	}
	for _, t := range in.SuccDelay {
		add(t)
	}
	for _, t := range in.AwayUntil {
		if t < Never {
			add(t)
		}
	}
	return time
}

// CostUnit is a cost, in the objective's integers, of which the optimum is a multiple; 0 if all schedules cost
// nothing.
func (in *Instance) CostUnit() *big.Int {
	time := in.TimeUnit()
	if in.Objective == Makespan {
		return big.NewInt(int64(time))
	}
	weights := in.Weight
	if in.Objective == WeightedTaskEnds {
		weights = in.TaskWeight
	}
	var weight model.Weight
	for _, w := range weights {
		weight = model.GCD(w, weight)
	}
	for _, due := range in.Due {
		if in.Objective == Tardiness && due < Never {
			time = model.GCD(max(due, -due), time)
		}
	}
	unit := big.NewInt(int64(weight))
	if in.Objective == Late {
		return unit
	}
	return unit.Mul(unit, big.NewInt(int64(time)))
}

// RoundUp is the least possible cost of an optimum that is not below a bound, both in the objective's unit.
func (in *Instance) RoundUp(bound *big.Rat) *big.Rat {
	if bound.Sign() <= 0 {
		return new(big.Rat)
	}
	unit := in.Objective.Rat(in.CostUnit())
	if unit.Sign() == 0 {
		return bound
	}
	n := new(big.Rat).Quo(bound, unit)
	whole, rest := new(big.Int).QuoRem(n.Num(), n.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		whole.Add(whole, big.NewInt(1))
	}
	return unit.Mul(unit, new(big.Rat).SetInt(whole))
}
