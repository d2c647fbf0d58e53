package msjo

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/solver"
)

// pricing evaluates a certificate on changed instances, to find what it proves about one task or weight.
//
// A certificate's prices are a dual solution. They stay feasible when the instance changes a little, perhaps after some
// of them are lowered. So evaluating them on the changed instance bounds it: LB′ ≥ value′. Hence "a second less lowers
// the bound by at most value − value′" is a theorem, however the prices are lowered. pricing chooses the way that
// proves most. With the prices of an LP's optimum, value′ − value is the derivative that duality gives, as long as the
// optimal prices do not change.
type pricing struct {
	c     msjo.Certificate
	eval  *msjo.PriceEvaluator // of prices of machine time; of cases: of one with the schedule
	alone model.Time           // the completion of the job alone, for prices of machine time
	in    *msjo.Instance       // all jobs; only one for machine-prices, which price each job separately; see open
	u     int32                // the task in it; None: none
	j     int32                // the job in it
	value *big.Rat
}

// pricing opens the result's certificate for a job and one of its tasks, or None; nil if there is no certificate.
func (e *explainer) pricing(j, u int32) (*pricing, error) {
	if e.q.Certificate == nil {
		return nil, nil
	}
	p := &pricing{in: e.left(), u: u, j: j}
	if err := json.Unmarshal(e.q.Certificate, &p.c); err != nil {
		return nil, err
	}
	if p.byTime() {
		if err := p.open(e); err != nil {
			return nil, err
		}
	}
	var err error
	p.value, err = p.evaluate(p.in, &p.c)
	return p, err
}

// byTime reports whether the certificate has prices of machine time.
func (p *pricing) byTime() bool {
	return p.c.Kind == msjo.KindMachinePrices || p.c.Kind == msjo.KindCompletionCases
}

// open prepares the evaluator of prices of machine time. What a plan leaves has no instance of one job.
func (p *pricing) open(e *explainer) error {
	if p.c.Kind == msjo.KindMachinePrices && e.in.Replan() == nil {
		if err := p.narrow(e); err != nil {
			return err
		}
	}
	tight, err := p.in.Tightened(&p.c)
	if err != nil {
		return err
	}
	p.alone = tight.Alone[p.j]
	if p.c.Cases != nil {
		p.c.MachinePrices, p.eval, err = tight.PricesOfCase(p.c.Cases, e.done)
	} else {
		p.eval, err = msjo.NewPriceEvaluator(tight, p.c.MachinePrices)
	}
	return err
}

// narrow drops all other jobs.
func (p *pricing) narrow(e *explainer) error {
	w, err := e.w.Restrict([]string{e.w.Jobs[p.j].ID})
	if err != nil {
		return err
	}
	in, err := msjo.New(w, int64(e.in.Nodes))
	if err != nil {
		return err
	}
	if p.u != model.None {
		id := e.w.Tasks[p.u].ID
		p.u = int32(slices.IndexFunc(w.Tasks, func(t model.Task) bool { return t.ID == id }))
	}
	p.narrowBounds(e.in, in)
	p.in, p.j = in, 0
	return nil
}

// narrowBounds keeps the bounds of the job and of its nodes, renumbered for the instance of one job.
func (p *pricing) narrowBounds(all, one *msjo.Instance) {
	node := map[int32]int32{}
	for u := range int32(all.Steps) {
		if all.Job[u] == p.j {
			node[u] = int32(len(node))
		}
	}
	keep := func(list []msjo.NodeBound) (out []msjo.NodeBound) {
		for _, b := range list {
			if u, ok := node[b.Node]; ok {
				out = append(out, msjo.NodeBound{Node: u, AloneSet: b.AloneSet})
			}
		}
		return out
	}
	p.c.Ends, p.c.Starts = keep(p.c.Ends), keep(p.c.Starts)
	p.c.Own = slices.DeleteFunc(p.c.Own, func(o msjo.OwnPrices) bool { return o.Job != p.j })
	for i := range p.c.Own {
		p.c.Own[i].Job = 0
	}
	if t := p.c.TwoSided; t != nil {
		p.c.TwoSided = &msjo.TwoSided{}
		for _, b := range t.Alone {
			if b.Job == p.j {
				p.c.Alone = append(p.c.Alone, msjo.AloneBound{AloneSet: b.AloneSet})
			}
		}
	}
}

// evaluate is the bound that a certificate proves about an instance.
func (p *pricing) evaluate(in *msjo.Instance, c *msjo.Certificate) (*big.Rat, error) {
	signed := *c
	if err := in.Sign(&signed); err != nil {
		return nil, err
	}
	v, _ := new(big.Rat).SetString(signed.Value)
	return v, nil
}

// fall and rise bound a change of the lower bound from above and from below. They are not negative, because a longer
// task never lowers the proven bound.
func (p *pricing) fall(changed *big.Rat) model.Number {
	return rounded(p.value, changed, model.RoundUp)
}
func (p *pricing) rise(changed *big.Rat) model.Number {
	return rounded(changed, p.value, model.RoundDown)
}

func rounded(more, less *big.Rat, how model.Rounding) model.Number {
	d := new(big.Rat).Sub(more, less)
	if d.Sign() < 0 {
		d.SetInt64(0)
	}
	return model.Number(model.FormatRat(d, model.ValueDigits, how))
}

// source is the method of the bound, with the case whose prices count.
func (p *pricing) source() string {
	if p.c.Cases != nil {
		return p.c.Method + ", in the case that this schedule belongs to"
	}
	return p.c.Method
}

// same says that unchanged prices of machine time prove the change. Prices of an LP are adapted to the changed
// instance, so it is empty for them.
func (p *pricing) same() string {
	if p.eval != nil {
		return ", by the same prices,"
	}
	return ""
}

func (e *explainer) price(name string, value model.Number, format string, args ...any) {
	e.out.Prices = append(e.out.Prices, solver.Price{Name: name, Value: value, Text: fmt.Sprintf(format, args...)})
}

// taskPrices reports the change of the bound per second of a task, and the cost of the time at which it runs.
func (e *explainer) taskPrices(ctx context.Context, u int32) error {
	p, err := e.pricing(e.in.Job[u], u)
	if err != nil || p == nil {
		return err
	}
	length := e.in.Least[u]
	if step := min(length, model.Second); step > 0 {
		if v := p.lasting(length - step); v != nil {
			e.price("less-time", p.fall(v), "is the most by which the bound %s falls%s if %s takes %s s less", p.c.Method,
				p.same(), e.id(u), step)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if v := p.lasting(length + model.Second); v != nil && length >= model.Second { // times may at most double
		e.price("more-time", p.rise(v), "is the least by which it rises%s if %s takes 1 s more", p.same(), e.id(u))
	}
	if p.eval != nil {
		e.timePrices(p, u)
	} else {
		e.midpointPrice(p, u)
	}
	return nil
}

// midpointPrice reports how much of its job's weight, or its own, the bound counts at a task's place in the order.
func (e *explainer) midpointPrice(p *pricing, u int32) {
	weight, of := e.in.Weight[e.in.Job[u]], "its job's weight"
	if e.in.Objective == msjo.TaskObjective {
		weight, of = e.in.TaskWeight[u], "its weight"
	}
	say := func(name, runs string, prices ...int64) {
		sum := new(big.Int)
		for _, q := range prices {
			sum.Add(sum, big.NewInt(q))
		}
		sum.Mul(sum, big.NewInt(int64(e.in.Least[u])))
		a := new(big.Rat).SetFrac(sum, new(big.Int).Mul(big.NewInt(p.c.Denominator), big.NewInt(int64(model.UnitWeight))))
		e.price(name, model.LowerNumber(a), "of %s %s is what the dual solution of %s puts on %s: the price of a second "+
			"for which %s", of, weight, p.c.Method, e.id(u), runs)
	}
	if t := p.c.TwoSided; t != nil {
		if len(t.Both) > 0 {
			say("place", "other tasks run before it", t.Both[u], t.Forward[u])
			say("place-in-job", "tasks of its job run after it", t.Both[u], t.Backward[u])
		}
		return
	}
	var prices []int64
	for _, t := range p.c.Terms {
		prices = append(prices, t.Prices[u])
	}
	if len(prices) > 0 {
		say("place", "other tasks run before it", prices...)
	}
}

// timePrices reports the cost of a task's machine time, and the time at which it would be cheapest.
func (e *explainer) timePrices(p *pricing, u int32) {
	t, done := e.x.Entry[u], max(e.done[e.in.Job[u]], p.alone)
	own := p.eval.Complete(int(p.j), done)
	cost := func(from, to model.Time) *big.Rat {
		all := p.cost(p.c.Steps, from, to)
		return all.Add(all, p.cost(own, from, to))
	}
	e.price("machine-time", model.LowerNumber(cost(t.Start, t.End)),
		"is what the machine time from %s s to %s s costs at the prices of %s", t.Start, t.End, p.source())
	if len(own) > 0 {
		e.price("own-machine-time", model.LowerNumber(p.cost(own, t.Start, t.End)), "of it is for the machines that the "+
			"tasks of its job share, if the job ends when it does")
	}
	start := p.eval.Start(p.u, done)
	end := start + p.in.Least[p.u]
	e.price("cheapest-machine-time", model.LowerNumber(cost(start, end)), "is what it costs by the same prices from "+
		"%s s to %s s, the cheapest time for the task while its job ends when it does", start, end)
}

// cost is the integral of a price by cell, in weight × seconds.
func (p *pricing) cost(steps []int64, from, to model.Time) *big.Rat {
	m := p.c.MachinePrices
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

// jobPrices reports the change of the bound per unit of a job's weight, and the time at which the job would be
// cheapest.
func (e *explainer) jobPrices(ctx context.Context, j int32) error {
	p, err := e.pricing(j, model.None)
	if err != nil || p == nil {
		return err
	}
	id, weight := e.w.Jobs[j].ID, e.in.Weight[j]
	if v := p.weighing(weight + model.UnitWeight); v != nil {
		about := "seconds at which the bound lets it end"
		if e.in.Objective == msjo.TaskObjective {
			about = "sum of the seconds at which the bound lets those of its tasks end that have its weight"
		}
		e.price("more-weight", p.rise(v), "is the least by which the bound %s rises%s if job %s weighs 1 more: about the %s",
			p.c.Method, p.same(), id, about)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if step := min(weight/2, model.UnitWeight); step > 0 {
		if v := p.weighing(weight - step); v != nil {
			e.price("less-weight", p.fall(v), "is the most by which it falls%s if the job weighs %s less", p.same(), step)
		}
	}
	if p.eval != nil {
		best := p.eval.Cheapest(int(p.j))
		e.price("cheapest-completion", model.Number(best.String()), "s is about when job %s ends if machine time costs "+
			"what the same prices say", id)
	}
	return nil
}
