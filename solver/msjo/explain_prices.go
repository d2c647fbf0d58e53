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

// pricing evaluates a certificate on changed instances, to say what it proves about one task or weight.
//
// A certificate's prices are a dual solution. They stay one when the instance changes a little, perhaps after some of
// them are lowered. So evaluating them on the changed instance gives a bound on it: LB′ ≥ value′. Hence "a second less
// lowers the bound by at most value − value′" is a theorem, whichever way the prices are lowered; pricing takes the way
// that proves most. With the prices of an LP's optimum value′ − value is the derivative that duality gives, as long as
// the optimal prices do not change.
type pricing struct {
	c     msjo.Certificate
	eval  *msjo.PriceEvaluator // of machine-prices
	in    *msjo.Instance       // all jobs; only one under machine-prices, which value each job by itself
	u     int32                // the task in it; None: none
	j     int32                // the job in it
	value *big.Rat
}

// pricing opens the result's certificate for a job and one of its tasks, or None; nil if there is no certificate.
func (e *explainer) pricing(j, u int32) (*pricing, error) {
	if e.q.Certificate == nil {
		return nil, nil
	}
	p := &pricing{in: e.in, u: u, j: j}
	if err := json.Unmarshal(e.q.Certificate, &p.c); err != nil {
		return nil, err
	}
	var err error
	if p.c.Kind == msjo.KindMachinePrices {
		if err = p.narrow(e); err != nil {
			return nil, err
		}
		if p.eval, err = msjo.NewPriceEvaluator(p.in, p.c.MachinePrices); err != nil {
			return nil, err
		}
	}
	p.value, err = p.evaluate(p.in, &p.c)
	return p, err
}

// narrow leaves out all other jobs.
func (p *pricing) narrow(e *explainer) error {
	w, err := e.w.Restrict([]string{e.w.Jobs[p.j].ID})
	if err != nil {
		return err
	}
	in, err := msjo.New(w, int64(e.in.Machines))
	if err != nil {
		return err
	}
	if p.u != model.None {
		id := e.w.Tasks[p.u].ID
		p.u = int32(slices.IndexFunc(w.Tasks, func(t model.Task) bool { return t.ID == id }))
	}
	p.in, p.j = in, 0
	return nil
}

// evaluate is what a certificate proves about an instance.
func (p *pricing) evaluate(in *msjo.Instance, c *msjo.Certificate) (*big.Rat, error) {
	signed := *c
	if err := in.Sign(&signed); err != nil {
		return nil, err
	}
	v, _ := new(big.Rat).SetString(signed.Value)
	return v, nil
}

// lasting is what is still proven if the task takes another time.
func (p *pricing) lasting(t model.Time) *big.Rat {
	times := slices.Clone(p.in.Processing)
	times[p.u] = t
	return p.best(p.in.Lasting(times), p.c.Arcs, func(q int64, u int32) int64 {
		if u == p.u && t > 0 {
			return scaled(q, big.NewInt(int64(p.in.Processing[u])), big.NewInt(int64(t)))
		}
		return q
	})
}

// weighing is what is still proven if the job has another weight.
func (p *pricing) weighing(weight model.Weight) *big.Rat {
	in := *p.in
	in.Weight = slices.Clone(in.Weight)
	in.Weight[p.j] = weight
	in.TaskWeight = slices.Clone(in.TaskWeight)
	w := in.Workload()
	for u := range w.Tasks {
		if in.Job[u] == p.j && !w.Tasks[u].Weight.Known {
			in.TaskWeight[u] = weight
		}
	}
	ofJob := func(q int64, u int32) int64 {
		if p.in.Job[u] == p.j && p.in.Weight[p.j] > 0 {
			return scaled(q, big.NewInt(int64(weight)), big.NewInt(int64(p.in.Weight[p.j])))
		}
		return q
	}
	arcs := slices.Clone(p.c.Arcs)
	if len(arcs) > 0 { // else the certificate is of another kind
		for u := range int32(in.Nodes) {
			for k := in.SuccFirst[u]; k < in.SuccFirst[u+1]; k++ {
				arcs[k] = ofJob(arcs[k], u)
			}
		}
	}
	return p.best(&in, arcs, ofJob)
}

// scaled is ⌊q·up/down⌋, or q if that overflows.
func scaled(q int64, up, down *big.Int) int64 {
	x := new(big.Int).Mul(big.NewInt(q), up)
	if x.Quo(x, down); x.IsInt64() {
		return x.Int64()
	}
	return q
}

// best is the most that the prices prove about a changed instance: as they are, adapted one by one with the arcs'
// multipliers, or with those of the job raised or lowered to use up its weight; nil if none of these proves anything.
func (p *pricing) best(in *msjo.Instance, arcs []int64, adapt func(q int64, u int32) int64) *big.Rat {
	if p.c.Kind == msjo.KindMachinePrices {
		v, _ := p.evaluate(in, &p.c)
		return v
	}
	paid := new(big.Int) // Σ p_u q_u of the job on the changed instance
	p.each(in, func(q int64, u int32) int64 {
		if in.Job[u] == p.j {
			paid.Add(paid, new(big.Int).Mul(big.NewInt(int64(in.Processing[u])), big.NewInt(q)))
		}
		return q
	})
	budget := new(big.Int).Mul(big.NewInt(int64(in.Weight[p.j])), big.NewInt(p.c.Denominator))
	fitted := func(q int64, u int32) int64 {
		if in.Job[u] == p.j && paid.Sign() != 0 {
			return scaled(q, budget, paid)
		}
		return q
	}
	var most *big.Rat
	same := func(q int64, _ int32) int64 { return q }
	for _, way := range []struct {
		price func(q int64, u int32) int64
		arcs  []int64
	}{{same, p.c.Arcs}, {adapt, arcs}, {fitted, p.c.Arcs}} {
		c := p.each(in, way.price)
		c.Arcs = way.arcs
		if v, err := p.evaluate(in, c); err == nil && (most == nil || v.Cmp(most) > 0) {
			most = v
		}
	}
	return most
}

// each is the certificate with every price changed; prices and bounds that the changed instance does not allow are left
// out.
func (p *pricing) each(in *msjo.Instance, change func(q int64, u int32) int64) *msjo.Certificate {
	changed := func(prices []int64, threshold model.Time) []int64 {
		list := make([]int64, len(prices))
		for u, q := range prices {
			if q != 0 && in.Head[u] >= threshold {
				list[u] = change(q, int32(u))
			}
		}
		return list
	}
	c := p.c
	c.Terms = nil
	for _, t := range p.c.Terms {
		c.Terms = append(c.Terms, msjo.PriceTerm{Threshold: t.Threshold, Prices: changed(t.Prices, t.Threshold)})
	}
	if t := p.c.TwoSided; t != nil {
		c.TwoSided = &msjo.TwoSided{Both: changed(t.Both, 0), Forward: changed(t.Forward, 0),
			Backward: changed(t.Backward, 0)}
		for _, b := range t.Alone {
			if _, err := in.AloneBounds([]msjo.AloneBound{b}, in.Head, in.Tail); err == nil {
				c.Alone = append(c.Alone, b)
			}
		}
	}
	if t := p.c.TwoSidedTasks; t != nil {
		groups := func(list []msjo.PricedGroup) (out []msjo.PricedGroup) {
			for _, g := range list {
				prices := make([]int64, len(g.Prices))
				for i, q := range g.Prices {
					prices[i] = change(q, g.Tasks[i])
				}
				out = append(out, msjo.PricedGroup{Node: g.Node, Tasks: g.Tasks, Prices: prices})
			}
			return out
		}
		c.TwoSidedTasks = &msjo.TwoSidedTasks{Place: changed(t.Place, 0), Before: groups(t.Before), After: groups(t.After)}
	}
	if _, _, err := in.Windows(c.Ends, c.Starts); err != nil { // work always bounds an end
		other := func(b msjo.NodeBound) bool { return b.Count > 0 || b.Packing != nil }
		c.Ends = slices.DeleteFunc(slices.Clone(c.Ends), other)
		c.Starts = slices.DeleteFunc(slices.Clone(c.Starts), other)
	}
	return &c
}

// fall and rise limit a change of the bound from above and from below. They are not negative, because a longer task
// never lowers what is proven.
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

// same says that prices of machine time give a change exactly as they are, while those of an LP are fitted to the
// changed instance.
func (p *pricing) same() string {
	if p.eval != nil {
		return ", by the same prices,"
	}
	return ""
}

func (e *explainer) price(name string, value model.Number, format string, args ...any) {
	e.out.Prices = append(e.out.Prices, solver.Price{Name: name, Value: value, Text: fmt.Sprintf(format, args...)})
}

// taskPrices says what a second of a task is worth to the bound, and what the time at which it runs costs.
func (e *explainer) taskPrices(ctx context.Context, u int32) error {
	p, err := e.pricing(e.in.Job[u], u)
	if err != nil || p == nil {
		return err
	}
	length := e.in.Processing[u]
	if step := min(length, model.Second); step > 0 {
		if v := p.lasting(length - step); v != nil {
			e.price("less-time", p.fall(v), "is what the bound %s falls by at most%s if %s takes %s s less", p.c.Method,
				p.same(), e.id(u), step)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if v := p.lasting(length + model.Second); v != nil && length >= model.Second { // times may at most double
		e.price("more-time", p.rise(v), "is what it rises by at least%s if %s takes 1 s more", p.same(), e.id(u))
	}
	if p.eval != nil {
		e.timePrices(p, u)
	} else {
		e.midpointPrice(p, u)
	}
	return nil
}

// midpointPrice says how much of its job's weight, or its own, the bound counts at a task's place in the order.
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
		sum.Mul(sum, big.NewInt(int64(e.in.Processing[u])))
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
	if t := p.c.TwoSidedTasks; t != nil && len(t.Place) > 0 {
		prices = append(prices, t.Place[u])
	}
	if len(prices) > 0 {
		say("place", "other tasks run before it", prices...)
	}
	if t := p.c.TwoSidedTasks; t != nil {
		if before := groupPrice(t.Before, u); before > 0 {
			say("place-before", "it and other tasks run before one that follows them", before)
		}
		if after := groupPrice(t.After, u); after > 0 {
			say("place-after", "it and other tasks run after one that they follow", after)
		}
	}
}

// groupPrice adds up the prices of a task in groups.
func groupPrice(groups []msjo.PricedGroup, u int32) (sum int64) {
	for _, g := range groups {
		if i, ok := slices.BinarySearch(g.Tasks, u); ok {
			sum += g.Prices[i]
		}
	}
	return sum
}

// timePrices says what the machine time of a task costs, and when it would be cheapest.
func (e *explainer) timePrices(p *pricing, u int32) {
	t := e.x.Entry[u]
	e.price("machine-time", model.LowerNumber(p.cost(t.Start, t.End)),
		"is what the machine time from %s s to %s s costs at the prices of %s", t.Start, t.End, p.c.Method)
	start := p.eval.Start(p.u, max(e.done[e.in.Job[u]], p.in.Alone[0]))
	end := start + p.in.Processing[p.u]
	e.price("cheapest-machine-time", model.LowerNumber(p.cost(start, end)), "is what it costs by the same prices from "+
		"%s s to %s s, the cheapest time for the task while its job ends when it does", start, end)
}

// cost is the integral of the price of machine time, in weight × seconds.
func (p *pricing) cost(from, to model.Time) *big.Rat {
	m := p.c.MachinePrices
	sum, x := new(big.Int), new(big.Int)
	for k := from / m.Cell; k < model.Time(len(m.Steps)) && k*m.Cell < to; k++ {
		overlap := min(to, (k+1)*m.Cell) - max(from, k*m.Cell)
		sum.Add(sum, x.Mul(x.SetInt64(m.Steps[k]), big.NewInt(int64(overlap))))
	}
	unit := new(big.Int).Set(unitsPerWeightSecond)
	if m.Shift >= 0 {
		unit.Lsh(unit, uint(m.Shift))
	} else {
		sum.Lsh(sum, uint(-m.Shift))
	}
	return new(big.Rat).SetFrac(sum, unit)
}

// jobPrices says what the weight of a job is worth to the bound, and when the job would be cheapest.
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
		e.price("more-weight", p.rise(v), "is what the bound %s rises by at least%s if job %s weighs 1 more: about the %s",
			p.c.Method, p.same(), id, about)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if step := min(weight/2, model.UnitWeight); step > 0 {
		if v := p.weighing(weight - step); v != nil {
			e.price("less-weight", p.fall(v), "is what it falls by at most%s if the job weighs %s less", p.same(), step)
		}
	}
	if p.eval != nil {
		_, best := p.eval.Coarse(0)
		e.price("cheapest-completion", model.Number(best.String()), "s is about when job %s ends if machine time costs "+
			"what the same prices say", id)
	}
	return nil
}
