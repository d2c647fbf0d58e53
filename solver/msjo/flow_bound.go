package msjo

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
	"mrsched/solver/bound"
	solvershop "mrsched/solver/shop"
)

// plan returns, by task, its start if it runs around the mean time of its group's flow.
func (f *flows) plan() []model.Time {
	plan := make([]model.Time, f.in.Tasks)
	for u, i := range f.group {
		if i != model.None {
			plan[u] = max(0, model.TimeOf(f.jobs[f.in.Job[u]].mean[i]-f.in.Least[u].Seconds()/2))
		}
	}
	return plan
}

// due are the jobs' mean completions.
func (f *flows) due() []model.Time {
	due := make([]model.Time, f.in.Jobs)
	for j := range due {
		due[j] = model.TimeOf(f.jobs[j].completion)
	}
	return due
}

// unit is the unit of integer prices that suits lambda: 2^shift per millionth of a weight.
func (f *flows) unit() (shift int, unit float64) {
	top := max(1, 2*slices.Max(f.lambda)*float64(model.UnitWeight)) // no label is higher
	shift = priceShift(f.in, f.width, len(f.lambda)-1, top*f.m)
	return shift, math.Ldexp(float64(model.UnitWeight), shift)
}

// prices converts lambda to integers, with own prices by job.
func (f *flows) prices(own [][]shop.OwnPrices) *shop.MachinePrices {
	shift, unit := f.unit()
	p := &shop.MachinePrices{Cell: f.width, Shift: shift, Own: slices.Concat(own...)}
	for _, x := range f.lambda[:len(f.lambda)-1] {
		p.Steps = append(p.Steps, int64(x*unit))
	}
	return p
}

// own converts the labels of a job's last exact evaluation to integers.
func (f *flows) own(j int) (list []shop.OwnPrices) {
	_, unit := f.unit()
	job := &f.jobs[j]
	from := job.first
	for i := job.first; i <= job.last; i++ {
		c := &job.columns[i]
		if c.label == nil {
			continue
		}
		own := shop.OwnPrices{Job: int32(j), From: job.columns[from].at}
		from = i
		for k, x := range c.label {
			if x > f.lambda[k] {
				for len(own.Steps) < k {
					own.Steps = append(own.Steps, 0)
				}
				own.Steps = append(own.Steps, int64((x-f.lambda[k])*unit))
			}
		}
		if i > job.first {
			list = append(list, own)
		}
	}
	return list
}

// flows is the bound by flows, started from the time-indexed or the two-sided prices. It is nil without such prices, or
// if flows promise little and asked is false.
func (r *run) flows(ctx context.Context, relax *relaxation, asked bool, opt solver.Options) (*flowBound, error) {
	if r.flowed.known {
		return r.flowed.value, nil
	}
	t, err := r.timeIndexed(ctx, relax, opt)
	if err != nil {
		return nil, err
	}
	out := &flowBound{}
	if t.bound == nil || !asked && !r.flowsPromise(t.bound) {
		return r.flowed.keep(out, r.priced.cut || r.bothEnds.cut), nil
	}
	from := t.bound.Certificate.(*shop.Certificate)
	in, err := r.alone.value.E.Tightened(&from.Bounds)
	if err != nil {
		return nil, err
	}
	cell := (from.Machine.Cell*model.Time(len(from.Machine.Steps)) + flowCells - 1) / flowCells
	f := newFlows(in, cell)
	starts := [][]float64{resampled(from.Machine, cell)}
	if b := r.bothEnds.value; b != nil {
		prices, err := r.machineTime(b.Certificate.(*shop.Certificate), cell)
		if err != nil {
			return nil, err
		}
		starts = append(starts, prices)
	}
	f.begin(ctx, opt.Threads, starts)
	f.climb(ctx, opt.Iterations, t.target, opt)
	cert := *from
	cert.Claim = model.Claim{Method: methodFlows, Kind: shop.KindMachinePrices}
	var own [][]shop.OwnPrices
	for j := range f.jobs {
		own = append(own, f.own(j))
	}
	cert.Machine = f.prices(own)
	if err := r.in.Sign(&cert); err != nil && !errors.Is(err, shop.ErrInexact) {
		return nil, err
	} else if err == nil {
		out = &flowBound{&solver.Bound{Method: cert.Method, Certificate: &cert}, f.plan(), f.due(), f, t.target}
	}
	return r.flowed.keep(out, r.priced.cut || r.bothEnds.cut || ctx.Err() != nil), nil
}

// flowBound is the bound by flows, or by cases, with the data of its prices.
type flowBound struct {
	bound *solver.Bound // nil: there is none
	plan  []model.Time  // starts by task
	due   []model.Time  // by job

	flows  *flows  // nil: by cases
	target float64 // the cost of a schedule, in weight × seconds
}

// cases is the bound by cases, each with prices of its own, started from the bound by flows.
func (r *run) cases(ctx context.Context, opt solver.Options) (*flowBound, error) {
	if r.cased.known {
		return r.cased.value, nil
	}
	f := r.flowed.value
	if f == nil || f.bound == nil {
		return &flowBound{}, nil
	}
	cert := *f.bound.Certificate.(*shop.Certificate)
	cert.Claim = model.Claim{Method: methodCases, Kind: shop.KindCompletionCases}
	part, end := bound.Within(ctx, casesShare)
	tree, least := f.flows.cases(part, f.target, opt)
	cut := part.Err() != nil
	end()
	out := &flowBound{}
	if cert.Machine, cert.Cases = nil, tree; tree != nil {
		if err := r.in.Sign(&cert); err != nil && !errors.Is(err, shop.ErrInexact) {
			return nil, err
		} else if err == nil {
			out.bound, out.plan, out.due = &solver.Bound{Method: cert.Method, Certificate: &cert}, least.plan, least.due
		}
	}
	return r.cased.keep(out, r.flowed.cut || cut), nil
}

// flowsPromise reports whether a job's own tasks may compete for machines. The two-sided bound counts that, too. So
// flows promise something if it is not far below the time-indexed bound, or above it.
func (r *run) flowsPromise(t *solver.Bound) bool {
	if !r.bothEnds.known {
		return false
	}
	value := func(b *solver.Bound) float64 {
		v, _ := new(big.Rat).SetString(b.Certificate.(*shop.Certificate).Value)
		x, _ := v.Float64()
		return x
	}
	return value(r.bothEnds.value) >= flowsLeast*value(t)
}

// resampled returns prices of machine time on longer cells, by cell in weights per second.
func resampled(p *shop.MachinePrices, cell model.Time) []float64 {
	list := make([]float64, flowCells)
	unit := math.Ldexp(float64(model.UnitWeight), p.Shift)
	for k, x := range p.Steps {
		from := model.Time(k) * p.Cell
		for i := from / cell; int(i) < len(list) && i*cell < from+p.Cell; i++ {
			list[i] += float64(x) / unit * (min(from+p.Cell, (i+1)*cell) - max(from, i*cell)).Seconds() / cell.Seconds()
		}
	}
	return list
}

// machineTime converts the forward prices of a two-sided certificate to prices of machine time, by cell: the dual
// solution of the transport problem that its fluid schedule solves. While that schedule works on a task of price d per
// second of work, the price of machine time falls at the rate d, on one line for all stretches of the task. Where a
// task ends, its line meets that of the next stretch, or 0 if there is none.
func (r *run) machineTime(c *shop.Certificate, cell model.Time) ([]float64, error) {
	lambda := make([]float64, flowCells)
	if c.TwoSided == nil || c.Forward == nil || len(c.Forward.Pool) == 0 || len(c.Forward.Pool[0]) == 0 {
		return lambda, nil
	}
	tight, err := r.alone.value.E.Tightened(&c.Bounds)
	if err != nil {
		return nil, err
	}
	n := r.in.Tasks
	from, p, price := make([]float64, n), make([]float64, n), make([]float64, n)
	var order []int32
	for u := range int32(n) {
		from[u], p[u] = tight.Head[u].Seconds(), r.in.Least[u].Seconds()
		price[u] = math.Ldexp(float64(c.Forward.Pool[0][u]), -c.Shift) * float64(model.Second) / float64(model.UnitWeight)
		if p[u] > 0 {
			order = append(order, u)
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(from[a], from[b]) })
	type stretch struct {
		task        int32
		from, until float64
	}
	var list []stretch
	fluid := solvershop.NewFluid(n)
	fluid.On = func(u int32, from, until float64) { list = append(list, stretch{u, from, until}) }
	fluid.Run(order, from, func(u int32) float64 { return p[u] }, price,
		[]solvershop.FluidSpeed{{Speed: float64(r.in.Nodes)}}, make([]float64, n))
	line, known := make([]float64, n), make([]bool, n) // the lines' values at time 0
	level, width := 0.0, cell.Seconds()
	next := math.Inf(1)
	for _, x := range slices.Backward(list) {
		if x.until < next {
			level = 0
		}
		d := price[x.task]
		if !known[x.task] {
			line[x.task], known[x.task] = level+float64(d*x.until), true
		}
		level, next = line[x.task]-float64(d*x.from), x.from
		for i := int(x.from / width); i < flowCells && float64(i)*width < x.until; i++ {
			a, b := max(x.from, float64(i)*width), min(x.until, float64(i+1)*width)
			lambda[i] += float64(max(0, line[x.task]-float64(d*(a+b)/2)) * (b - a) / width)
		}
	}
	return lambda, nil
}
