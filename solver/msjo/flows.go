package msjo

import (
	"context"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
	"mrsched/solver/bound"
)

// Settings of the bound by flows.
const (
	// flowCells is the number of cells of λ.
	flowCells = 200
	// groupRatio is the largest ratio of lengths within a group of tasks of the same cells.
	groupRatio = 1.3
	// Completions are a part of a cell apart, or a share of the completion if that is less.
	completionShare, completionMost, completionLeast = 128, 2, 32
	// flowStride is the distance, in completions, between the completions with which an exact evaluation starts.
	flowStride = 8
	// refreshWithin: completions within this share of a job's least cost are solved again.
	refreshWithin = 0.02
	// There are at most flowRounds rounds. All but the first start with a step of scale flowScale. The last round is the
	// first whose relative gain is below flowGain.
	flowRounds = 6
	flowScale  = 0.05
	flowGain   = 2e-5
	// Flows are computed if the two-sided bound reaches the share flowsLeast of the time-indexed bound.
	flowsLeast = 0.99
)

// flows maximises the time-indexed bound with a further constraint: the tasks of a job share the m machines. For every
// completion the job's work is a cheapest flow to cells of time. Prices are in weights per second of machine time.
//
// An iteration solves the flows of a few completions only: those that are cheapest by the last known flows. exactly
// solves all completions that may be cheapest.
type flows struct {
	in        *shop.Instance
	m, cell   float64
	width     model.Time // of a cell
	jobs      []flowJob
	lambda    []float64 // by cell, 0 after the last
	best      []float64
	order     []int32 // cells by rising price
	group     []int32 // by task: its group in the job; None: length 0
	iteration int
}

// flowJob is a job and its completions.
type flowJob struct {
	weight, alone float64
	network       *flowNetwork
	columns       []flowColumn
	first, last   int // the columns that count
	value         float64
	chosen        *flowColumn
	completion    float64   // moving average of the chosen completions
	square        float64   // that of their squares
	mean          []float64 // by group: moving average of the mean times of the chosen flows
}

// flowColumn holds the last flow of one completion.
type flowColumn struct {
	at               model.Time // the completion
	completion, cost float64
	usage            []float64 // by cell: the last flow; nil: none
	label            []float64 // by cell, in an exact evaluation
	mean             []float64 // by group: mean time of its work
	solved           int       // iteration of the last flow
}

func newFlows(in *shop.Instance, cell model.Time) *flows {
	const n = flowCells
	f := &flows{in: in, m: float64(in.Nodes), cell: cell.Seconds(), width: cell, lambda: make([]float64, n+1),
		best: make([]float64, n+1), order: model.Indices(n + 1), jobs: make([]flowJob, in.Jobs),
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
			c += max(1, min(cell/completionMost, max(c/completionShare, cell/completionLeast)))
		}
		job.last = len(job.columns) - 1
	}
	return f
}

// groups forms groups of tasks with heads and tails in the same cells and lengths in the same range. A group takes the
// earliest head, the least tail and the mean length.
func (f *flows) groups(j int) []taskGroup {
	type kind struct{ head, tail, length int }
	at := map[kind]int{}
	var groups []taskGroup
	for u := range tasksOf(f.in, j) {
		p, head, tail := f.in.Least[u].Seconds(), f.in.Head[u].Seconds(), f.in.Tail[u].Seconds()
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

// evaluate is the value of lambda, up to the grid of completions and flows that are not solved again. It also returns
// the machines in use by cell.
func (f *flows) evaluate(threads int, exact bool, usage []float64) float64 {
	f.iteration++
	f.arrange()
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

// solve computes a column's flow.
func (f *flows) solve(job *flowJob, i int) {
	c := &job.columns[i]
	if c.usage == nil {
		c.usage, c.mean = make([]float64, len(f.lambda)-1), make([]float64, len(job.mean))
	}
	c.cost, c.solved = job.network.solve(c.completion, f.lambda, f.order), f.iteration
	job.network.usage(c.usage, c.mean)
}

// nearly evaluates a job by the known flows, and solves the flow of the cheapest completion. It solves one more, of
// little higher cost, for the next iterations.
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
	for i := job.first; i <= job.last; i++ {
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

// cheapest is the cheapest completion of a job. An unknown one costs no less than the next known one.
func (f *flows) cheapest(job *flowJob, known func(c *flowColumn) bool) (best int) {
	next, value := 0.0, math.Inf(1)
	for i := job.last; i >= job.first; i-- {
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

// exactly evaluates a job exactly. It leaves the labels of the flows that it solves.
func (f *flows) exactly(job *flowJob) {
	solve := func(i int) {
		f.solve(job, i)
		job.columns[i].label = slices.Clone(job.network.label[:len(f.lambda)-1])
	}
	for i := range job.columns {
		job.columns[i].label = nil
	}
	for i := job.last; i >= job.first; i -= flowStride {
		solve(i)
	}
	fresh := func(c *flowColumn) bool { return c.solved == f.iteration }
	best := f.cheapest(job, fresh)
	for ; !fresh(&job.columns[best]); best = f.cheapest(job, fresh) {
		solve(best)
	}
	job.chosen = &job.columns[best]
}

// begin sets lambda to the best of several prices by cell, or of those tried before ctx ended; ties: the first.
func (f *flows) begin(ctx context.Context, threads int, from [][]float64) {
	best, usage := math.Inf(-1), make([]float64, flowCells)
	for i, prices := range from {
		if i > 0 && ctx.Err() != nil {
			break
		}
		copy(f.lambda, prices)
		if v := f.evaluate(threads, true, usage); v > best {
			best = v
			copy(f.best, f.lambda)
		}
	}
	copy(f.lambda, f.best)
}

// climb raises the value from lambda in rounds, each from the best prices of the round before, until a round gains
// little or ctx ends. It leaves the best lambda by exact evaluation, with its labels.
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

// grid bounds by how much completions between the examined ones may cost less.
func (f *flows) grid() (sum float64) {
	for j := range f.jobs {
		sum += f.jobs[j].weight * f.cell
	}
	return sum
}

// run climbs from lambda until the step size is small.
func (f *flows) run(ctx context.Context, iterations int, scale, target float64, opt solver.Options) {
	n := len(f.lambda) - 1
	v := bound.Volume{Prices: f.lambda[:n], Best: f.best[:n], Scale: scale, Average: f.average,
		Evaluate: func(excess []float64) (float64, error) {
			value := f.evaluate(opt.Threads, false, excess)
			for k := range excess {
				excess[k] = (excess[k] - f.m) * f.cell
			}
			return value, nil
		},
		Aim: func(float64) float64 { return 1.02 * target }}
	_ = v.Run(ctx, iterations, opt) // no evaluation fails
	copy(f.lambda, f.best)
}

// average adds the last flows to moving averages.
func (f *flows) average(share float64) {
	for j := range f.jobs {
		job := &f.jobs[j]
		c := job.chosen.completion
		job.completion += float64(share * (c - job.completion))
		job.square += float64(share * (float64(c*c) - job.square))
		for i, t := range job.chosen.mean {
			job.mean[i] += share * (t - job.mean[i])
		}
	}
}
