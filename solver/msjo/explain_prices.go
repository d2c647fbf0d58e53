package msjo

import (
	"encoding/json"
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver/explain"
)

// unitsPerWeightSecond turns millionths of a weight times microseconds into weight × seconds.
var unitsPerWeightSecond = big.NewInt(int64(model.UnitWeight) * int64(model.Second))

// provenBy is the bound that the numbers of a certificate prove about an instance: without bounds that a search found
// for another instance, if they do not hold for this one; nil if the numbers prove nothing.
func provenBy(in *shop.Instance, c shop.Certificate) *big.Rat {
	found := func(b shop.StepBound) bool { return b.Count > 0 }
	for range 2 {
		if err := in.Sign(&c); err == nil {
			v, _ := new(big.Rat).SetString(c.Value)
			return v
		}
		c.Ends, c.Starts = slices.DeleteFunc(slices.Clone(c.Ends), found), slices.DeleteFunc(slices.Clone(c.Starts), found)
		c.Alone = nil
	}
	return nil
}

// prices says what the certificate's prices are for a task, and what follows if it or its job changes a little.
//
// Prices are a dual solution: what they prove about a changed instance is a bound of that instance. So the bound falls
// by no more than the difference.
func (e *explainer) prices(left *shop.Instance, row int32) error {
	if e.Q.Certificate == nil {
		return nil
	}
	var c shop.Certificate
	if err := json.Unmarshal(e.Q.Certificate, &c); err != nil {
		return err
	}
	u, value := e.task(row), provenBy(left, c)
	if value == nil {
		return nil
	}
	length := left.Least[u]
	if step := min(length, model.Second); step > 0 {
		times := slices.Clone(left.Least)
		times[u] -= step
		if v := provenBy(left.Lasting(times), c); v != nil {
			e.Price("less-time", explain.Difference(value, v, model.RoundUp),
				"is the most by which the bound %s falls, by the same prices, if %s takes %s s less", c.Method, e.ID(row), step)
		}
	}
	if c.Kind == shop.KindMachinePrices || c.Kind == shop.KindCompletionCases {
		return e.timePrices(left, &c, row)
	}
	e.placePrice(&c, row)
	return nil
}

// placePrice says how much of its job's weight, or its own, the bound counts at a task's place in the order.
func (e *explainer) placePrice(c *shop.Certificate, row int32) {
	u, sum, of := e.task(row), new(big.Int), "its job's weight"
	if e.in.Objective == shop.WeightedTaskEnds {
		of = "its weight"
	}
	unit := big.NewInt(int64(model.UnitWeight))
	switch {
	case c.SetPrices != nil:
		for _, t := range c.Terms {
			sum.Add(sum, big.NewInt(t.Prices[u]))
		}
		unit.Mul(unit, big.NewInt(c.Denominator))
	case c.TwoSided != nil && c.Forward != nil && len(c.Forward.Pool) > 0 && len(c.Forward.Pool[0]) > 0:
		sum.SetInt64(c.Forward.Pool[0][u])
		unit.Lsh(unit, uint(c.Shift))
	}
	if sum.Sign() > 0 {
		sum.Mul(sum, big.NewInt(int64(e.in.Least[u])))
		a := new(big.Rat).SetFrac(sum, unit)
		e.Price("place", model.LowerNumber(a), "of %s is what the dual solution of %s puts on %s: the price of a second for "+
			"which other tasks run before it", of, c.Method, e.ID(row))
	}
}

// timePrices says what a task's machine time costs, at which time it would be cheapest, and when its job would end.
func (e *explainer) timePrices(left *shop.Instance, c *shop.Certificate, row int32) error {
	tight, err := shop.NewEvaluator(left).Tightened(&c.Bounds)
	if err != nil {
		return err
	}
	method, m := c.Method, c.Machine
	var eval *shop.PriceEvaluator
	if c.Cases != nil {
		method += ", in the case that this schedule belongs to"
		m, eval, err = tight.PricesOfCase(c.Cases, e.in.Completions(e.Q.Schedule))
	} else {
		eval, err = shop.NewPriceEvaluator(tight, m)
	}
	if err != nil {
		return err
	}
	u, t := e.task(row), e.Rows[row]
	done := max(e.Done[e.Job], tight.Alone[e.Job])
	own := eval.Complete(int(e.Job), done)
	cost := func(from, to model.Time) model.Number {
		return model.LowerNumber(new(big.Rat).Add(timeCost(m, m.Steps, from, to), timeCost(m, own, from, to)))
	}
	e.Price("machine-time", cost(t.Start, t.End), "is what the machine time from %s to %s costs at the prices of %s",
		e.At(t.Start), e.At(t.End), method)
	start := eval.Start(u, done)
	end := start + left.Least[u]
	e.Price("cheapest-machine-time", cost(start, end), "is what it costs by the same prices from %s to %s, the "+
		"cheapest time for the task while its job ends when it does", e.At(start), e.At(end))
	if e.Q.Task == model.None {
		e.Price("cheapest-completion", model.Number(eval.Cheapest(int(e.Job)).String()),
			"s is about when job %s ends if machine time costs what the same prices say", e.JobID(e.Job))
	}
	return nil
}

// timeCost is the integral of a price by cell, in weight × seconds.
func timeCost(m *shop.MachinePrices, steps []int64, from, to model.Time) *big.Rat {
	sum, x := new(big.Int), new(big.Int)
	for k := from / m.Cell; k < model.Time(len(steps)) && k*m.Cell < to; k++ {
		overlap := min(to, (k+1)*m.Cell) - max(from, k*m.Cell)
		sum.Add(sum, x.Mul(x.SetInt64(steps[k]), big.NewInt(int64(overlap))))
	}
	unit := new(big.Int).Set(unitsPerWeightSecond)
	if m.Shift >= 0 {
		unit.Lsh(unit, uint(m.Shift))
	} else {
		sum.Lsh(sum, uint(-m.Shift))
	}
	return new(big.Rat).SetFrac(sum, unit)
}
