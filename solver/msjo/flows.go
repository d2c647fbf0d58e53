package msjo

import (
	"cmp"
	"context"
	"math"
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
	// Completions are a cell apart, or a share of the completion if that is less, but no less than a part of a cell.
	completionShare, completionParts = 64, 16
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

// flows maximises the time-indexed bound in which the tasks of a job, besides, share the m machines with each other:
// for every completion their work is a cheapest flow to cells of time. Prices are in weights for a second of machine
// time.
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

// flowJob is a job and its completions.
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
	at               model.Time // the completion
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
		job.mean = make([]float64, len(groups))
		for c := in.Alone[j]; len(job.columns) == 0 || job.columns[len(job.columns)-1].completion < end; {
			job.columns = append(job.columns, flowColumn{at: c, completion: c.Seconds()})
			c += min(cell, max(c/completionShare, cell/completionParts, 1))
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

// groups puts tasks together whose heads and tails are in the same cells, and their lengths in the same range. They
// take the earliest head, the least tail and the mean length.
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
