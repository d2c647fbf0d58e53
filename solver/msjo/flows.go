package msjo

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/big"
	"slices"

	"golang.org/x/sync/errgroup"

	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/solver"
)

// Settings of the bound by flows.
const (
	// flowCells is the number of cells of λ.
	flowCells = 200
	// groupRatio is the ratio of lengths up to which tasks of the same cells are one group.
	groupRatio = 1.3
	// flowStride is how many completions are apart that an exact evaluation begins with.
	flowStride = 8
	// refreshWithin is the share of a job's cost within which completions are solved again.
	refreshWithin = 0.02
	// There are at most flowRounds rounds; all but the first begin with a step of the scale flowScale. flowGain is the
	// relative gain of a round below which no other follows.
	flowRounds = 6
	flowScale  = 0.05
	flowGain   = 2e-5
	// flowsLeast is the share of the time-indexed bound from which on of the two-sided one flows promise something.
	flowsLeast = 0.99
)

// flows maximises the time-indexed bound in which the tasks of a job, besides, share the m machines with each other: for
// every completion their work is a cheapest flow to cells of time. Prices are in weights for a second of machine time.
//
// An iteration solves the flows of few completions: those that are cheapest by the last flows known. exactly solves all
// that may be cheapest.
type flows struct {
	in        *msjo.Instance
	m, cell   float64
	jobs      []flowJob
	lambda    []float64 // by cell, 0 behind the last
	best      []float64
	order     []int   // cells by rising price
	group     []int32 // by task: in its job; None: it takes no time
	iteration int
}

// flowJob is a job and its completions, a cell apart.
type flowJob struct {
	weight, alone float64
	network       *flowNetwork
	columns       []flowColumn
	value         float64
	chosen        *flowColumn
	completion    float64   // moving average of the chosen ones
	mean          []float64 // by group: moving average of the mean times of the chosen flows
}

// flowColumn is what is known about one completion.
type flowColumn struct {
	completion, cost float64
	usage            []float64 // by cell: the last flow; nil: none is known
	label            []float64 // by cell, in an exact evaluation
	mean             []float64 // by group: when it is worked on
	solved           int       // the iteration
}

func newFlows(in *msjo.Instance, cell model.Time, lambda []float64) *flows {
	n := len(lambda)
	f := &flows{in: in, m: float64(in.Machines), cell: cell.Seconds(), lambda: append(slices.Clone(lambda), 0),
		best: make([]float64, n+1), order: upToInt(n + 1), jobs: make([]flowJob, in.Jobs),
		group: make([]int32, in.Tasks)}
	for j := range f.jobs {
		job := &f.jobs[j]
		job.weight, job.alone = in.Weight[j].Float(), in.Alone[j].Seconds()
		groups := f.groups(j)
		job.network = newFlowNetwork(groups, f.m, f.cell, n)
		end := job.alone
		for _, g := range groups {
			end = max(end, float64(n)*f.cell+g.tail+g.length)
		}
		job.columns, job.mean = make([]flowColumn, int((end-job.alone)/f.cell)+2), make([]float64, len(groups))
		for i := range job.columns {
			job.columns[i].completion = job.alone + float64(i)*f.cell
		}
	}
	return f
}

func upToInt(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// groups puts tasks together whose heads and tails are in the same cells, and their lengths in the same range. They take
// the earliest head, the least tail and the mean length.
func (f *flows) groups(j int) []taskGroup {
	type kind struct{ head, tail, length int }
	at := map[kind]int{}
	var groups []taskGroup
	for u := range tasksOf(f.in, j) {
		p, head, tail := f.in.Processing[u].Seconds(), f.in.Head[u].Seconds(), f.in.Tail[u].Seconds()
		if f.group[u] = model.None; p == 0 {
			continue
		}
		k := kind{int(head / f.cell), int(tail / f.cell), int(math.Floor(math.Log(p) / math.Log(groupRatio)))}
		i, ok := at[k]
		if !ok {
			i = len(groups)
			at[k] = i
			groups = append(groups, taskGroup{head: head, tail: tail})
		}
		g := &groups[i]
		f.group[u] = int32(i)
		g.head, g.tail = min(g.head, head), min(g.tail, tail)
		g.length = (g.length*g.count + p) / (g.count + 1)
		g.count++
	}
	return groups
}

// evaluate is the value of lambda, up to the grid of completions and flows that are not solved again, and the machines
// in use by cell.
func (f *flows) evaluate(threads int, exact bool, usage []float64) float64 {
	f.iteration++
	slices.SortStableFunc(f.order, func(a, b int) int { return cmp.Or(cmp.Compare(f.lambda[a], f.lambda[b]), b-a) })
	var g errgroup.Group
	g.SetLimit(max(1, threads))
	for j := range f.jobs {
		g.Go(func() error {
			if exact {
				f.exactly(&f.jobs[j])
			} else {
				f.nearly(&f.jobs[j])
			}
			return nil
		})
	}
	_ = g.Wait() // they return no errors
	clear(usage)
	var total float64
	for j := range f.jobs {
		total += f.jobs[j].value
		for k := range usage {
			usage[k] += f.jobs[j].chosen.usage[k] / f.cell
		}
	}
	for _, x := range f.lambda {
		total -= x * f.m * f.cell
	}
	return total
}

// solve makes a column's flow.
func (f *flows) solve(job *flowJob, i int) {
	c := &job.columns[i]
	if c.usage == nil {
		c.usage, c.mean = make([]float64, len(f.lambda)-1), make([]float64, len(job.mean))
	}
	c.cost, c.solved = job.network.solve(c.completion, f.lambda, f.order), f.iteration
	job.network.usage(c.usage, c.mean)
}

// nearly evaluates a job by the flows known, and solves that of the cheapest completion; one more that is not much
// dearer is solved for the next iterations.
func (f *flows) nearly(job *flowJob) {
	for i := range job.columns {
		c := &job.columns[i]
		c.cost = 0
		for k, x := range c.usage {
			c.cost += x * f.lambda[k]
		}
	}
	best := 0
	for {
		best = f.cheapest(job, func(c *flowColumn) bool { return c.usage != nil })
		if job.columns[best].solved == f.iteration {
			break
		}
		f.solve(job, best)
	}
	job.chosen = &job.columns[best]
	oldest := -1
	for i := range job.columns {
		c := &job.columns[i]
		if c.usage != nil && (oldest < 0 || c.solved < job.columns[oldest].solved) &&
			f.costs(job, i) < job.value*(1+refreshWithin) {
			oldest = i
		}
	}
	if oldest >= 0 && job.columns[oldest].solved < f.iteration {
		f.solve(job, oldest)
	}
}

func (f *flows) costs(job *flowJob, i int) float64 {
	return job.weight*job.columns[i].completion + job.columns[i].cost
}

// cheapest is the cheapest completion of a job. One that is not known costs no less than the next one that is.
func (f *flows) cheapest(job *flowJob, known func(c *flowColumn) bool) (best int) {
	next, value := 0.0, math.Inf(1)
	for i := len(job.columns) - 1; i >= 0; i-- {
		c := &job.columns[i]
		if known(c) {
			next = c.cost
		}
		c.cost = next
		if v := f.costs(job, i); v <= value {
			best, value = i, v
		}
	}
	job.value = value
	return best
}

// exactly evaluates a job, and leaves labels of the flows that it solved.
func (f *flows) exactly(job *flowJob) {
	solve := func(i int) {
		f.solve(job, i)
		job.columns[i].label = slices.Clone(job.network.label[:len(f.lambda)-1])
	}
	for i := range job.columns {
		job.columns[i].label = nil
	}
	for i := len(job.columns) - 1; i >= 0; i -= flowStride {
		solve(i)
	}
	fresh := func(c *flowColumn) bool { return c.solved == f.iteration }
	best := f.cheapest(job, fresh)
	for ; !fresh(&job.columns[best]); best = f.cheapest(job, fresh) {
		solve(best)
	}
	job.chosen = &job.columns[best]
}

// climb raises the value from lambda in rounds, each from the best prices of the one before, until one brings little or
// ctx ends. It leaves the best lambda by exact evaluation, and the labels there.
func (f *flows) climb(ctx context.Context, iterations int, target float64, opt solver.Options) {
	usage := make([]float64, len(f.lambda)-1)
	value, most := f.evaluate(opt.Threads, true, usage), slices.Clone(f.lambda)
	scale := volumeScale
	for round := range flowRounds {
		f.run(ctx, iterations, scale, target, opt)
		v := f.evaluate(opt.Threads, true, usage)
		gain := v - value
		if gain > 0 {
			value = v
			copy(most, f.lambda)
			opt.Watch.Bound(value-f.grid(), methodFlows)
		}
		if ctx.Err() != nil || round > 0 && gain < flowGain*value {
			break
		}
		scale = flowScale
	}
	copy(f.lambda, most)
	f.evaluate(opt.Threads, true, usage)
}

// grid is how much completions between those that are looked at may cost less.
func (f *flows) grid() (sum float64) {
	for j := range f.jobs {
		sum += f.jobs[j].weight * f.cell
	}
	return sum
}

// run climbs from lambda to near its best.
func (f *flows) run(ctx context.Context, iterations int, scale, target float64, opt solver.Options) {
	n := len(f.lambda) - 1
	s := priceAscent{lambda: f.lambda[:n], best: f.best[:n], machines: f.m, cell: f.cell, scale: scale,
		evaluate: func(usage []float64) (float64, error) { return f.evaluate(opt.Threads, false, usage), nil },
		average:  f.average, better: func(float64) {}}
	_ = s.run(ctx, iterations, target, opt) // no evaluation fails
	copy(f.lambda, f.best)
}

// average adds the last flows to moving averages.
func (f *flows) average(share float64) {
	for j := range f.jobs {
		job := &f.jobs[j]
		job.completion += share * (job.chosen.completion - job.completion)
		for i, t := range job.chosen.mean {
			job.mean[i] += share * (t - job.mean[i])
		}
	}
}

// plan is, by task, when it starts if it runs around the mean time of its group's flow.
func (f *flows) plan() []model.Time {
	plan := make([]model.Time, f.in.Tasks)
	for u, i := range f.group {
		if i != model.None {
			plan[u] = max(0, model.TimeOf(f.jobs[f.in.Job[u]].mean[i]-f.in.Processing[u].Seconds()/2))
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

// prices are lambda and the labels of the last exact evaluation as integers.
func (f *flows) prices(cell model.Time) *msjo.MachinePrices {
	n := len(f.lambda) - 1
	top := 1.0
	for j := range f.jobs {
		for _, c := range f.jobs[j].columns {
			for _, x := range c.label {
				top = max(top, x*float64(model.UnitWeight))
			}
		}
	}
	p := &msjo.MachinePrices{Cell: cell, Shift: priceShift(f.in, cell, n, top*f.m)}
	unit := math.Ldexp(float64(model.UnitWeight), p.Shift)
	for _, x := range f.lambda[:n] {
		p.Steps = append(p.Steps, int64(x*unit))
	}
	for j := range f.jobs {
		from := 0
		for i, c := range f.jobs[j].columns {
			if c.label == nil {
				continue
			}
			own := msjo.OwnPrices{Job: int32(j), From: f.in.Alone[j] + model.Time(from)*cell}
			from = i
			for k, x := range c.label {
				if x > f.lambda[k] {
					for len(own.Steps) < k {
						own.Steps = append(own.Steps, 0)
					}
					own.Steps = append(own.Steps, int64((x-f.lambda[k])*unit))
				}
			}
			if i > 0 {
				p.Own = append(p.Own, own)
			}
		}
	}
	return p
}

// flows is the bound by flows, started from the time-indexed prices; none if there are none, or if flows promise little.
func (r *run) flows(ctx context.Context, relax *relaxation, opt solver.Options) (*flowBound, error) {
	if r.flowed.known {
		return r.flowed.value, nil
	}
	t, err := r.timeIndexed(ctx, relax, opt)
	if err != nil {
		return nil, err
	}
	out := &flowBound{}
	if t.bound == nil || !r.flowsPromise(t.bound) {
		return r.flowed.keep(out, r.priced.cut || r.bothEnds.cut), nil
	}
	from := t.bound.Certificate.(*msjo.Certificate)
	in, err := r.in.Tightened(from)
	if err != nil {
		return nil, err
	}
	cell := (from.Cell*model.Time(len(from.Steps)) + flowCells - 1) / flowCells
	f := newFlows(in, cell, resampled(from.MachinePrices, cell))
	f.climb(ctx, opt.Iterations, t.target, opt)
	cert := *from
	cert.Claim = model.Claim{Method: methodFlows, Kind: msjo.KindMachinePrices}
	cert.MachinePrices = f.prices(cell)
	if err := r.in.Sign(&cert); err != nil && !errors.Is(err, msjo.ErrInexact) {
		return nil, err
	} else if err == nil {
		out = &flowBound{&solver.Bound{Method: cert.Method, Certificate: &cert}, f.plan(), f.due()}
	}
	return r.flowed.keep(out, r.priced.cut || r.bothEnds.cut || ctx.Err() != nil), nil
}

// flowBound is the bound by flows, and what comes with its prices.
type flowBound struct {
	bound *solver.Bound // nil: there is none
	plan  []model.Time  // starts by task
	due   []model.Time  // by job
}

// flowsPromise says whether the machines that a job's own tasks share may matter: then the two-sided bound, which counts
// them, too, is not far below the time-indexed one, or above it.
func (r *run) flowsPromise(t *solver.Bound) bool {
	if !r.bothEnds.known {
		return false
	}
	value := func(b *solver.Bound) float64 {
		v, _ := new(big.Rat).SetString(b.Certificate.(*msjo.Certificate).Value)
		x, _ := v.Float64()
		return x
	}
	return value(r.bothEnds.value) >= flowsLeast*value(t)
}

// resampled are prices of machine time on longer cells, by cell in weights for a second.
func resampled(p *msjo.MachinePrices, cell model.Time) []float64 {
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
