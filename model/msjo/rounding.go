package msjo

import (
	"math/big"

	"mrsched/model"
)

// costUnit is a cost, in weight × seconds, that divides every optimum; 0 if all schedules cost nothing.
//
// No objective falls when a task ends later. So some optimal schedule starts every task as early as the tasks before
// it, its machine and its release allow. There, each start is a sum of releases, lengths and delays. Every completion
// is a multiple of their greatest common divisor, and the cost a multiple of it times that of the weights.
func (in *Instance) costUnit() *big.Rat {
	var time model.Time
	for u := range in.Nodes {
		time = model.GCD(model.GCD(in.Processing[u], in.Earliest[u]), time)
	}
	for _, d := range in.SuccDelay {
		time = model.GCD(d, time)
	}
	weights := in.Weight
	if in.Objective == TaskObjective {
		weights = in.TaskWeight
	}
	var weight model.Weight
	for _, w := range weights {
		weight = model.GCD(w, weight)
	}
	x := new(big.Int).Mul(big.NewInt(int64(time)), big.NewInt(int64(weight)))
	return new(big.Rat).SetFrac(x, unitsPerWeightSecond)
}

// RoundUp is the least cost not below a bound that an optimum can have.
func (in *Instance) RoundUp(bound *big.Rat) *big.Rat {
	unit := in.costUnit()
	if unit.Sign() == 0 || bound.Sign() <= 0 {
		return bound
	}
	n := new(big.Rat).Quo(bound, unit)
	whole, rest := new(big.Int).QuoRem(n.Num(), n.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		whole.Add(whole, big.NewInt(1))
	}
	return unit.Mul(unit, new(big.Rat).SetInt(whole))
}
