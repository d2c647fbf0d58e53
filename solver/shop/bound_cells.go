package shop

import (
	"context"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"golang.org/x/sync/errgroup"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
	"mrsched/solver/bound"
)

// Settings of the search for prices of cells.
const (
	// mostCells and fewestCells bound the cells; between them, cellWork is cells times tasks, classes and pools.
	mostCells, fewestCells = 400, 32
	cellWork               = 8_000_000
	// cellPools is the most pools that have prices, fewCellPools on instances of more than largeTasks tasks.
	cellPools, fewCellPools = 4, 2
	// cellSteps is the most steps, leastCellSteps the fewest, and cellStepWork bounds steps times tasks, classes,
	// pools and cells between them.
	cellSteps, leastCellSteps = 500, 20
	cellStepWork              = 1_500_000_000
	// cellReach is the length of all cells together, relative to the least time of all work.
	cellReach = 1.5
	// cellChunks is the number of parts of the jobs for parallel work, fixed so that sums do not depend on threads.
	cellChunks = 8
	// leastStart is the least share of the first prices from which the search starts.
	leastStart = 1.0 / 64
	// spareBits are reserved for prices that outgrow their start.
	spareBits = 4
)

// volume maximises the bound of shop.CellPrices by the volume algorithm: subgradient steps from the best prices
// found, along a moving average of the subgradients (what tasks take less what nodes add, by pool, class and cell).
//
// Source: Barahona and Anbil, Math. Prog. 2000.   Complexity: O(N·classes·pools·cells) per iteration.
type volume struct {
	in           *shop.Instance
	cert         *shop.Certificate
	cells        *shop.Cells
	targets      []int32
	tasks        [][]int32 // by target
	tails        [][]model.Time
	pools, n     int // pools with prices, and cells
	lambda, best []float64
	add          []float64 // by pool, class and cell: pool-microseconds
	parts        []*cellPart
	scale        float64
	begun        []model.Time // by task: its start in the last evaluation
	mean         []float64    // their moving average, in seconds: the fractional schedule that the prices price
	better       func(value float64)
}

// cellPart is the working memory for one part of the jobs.
type cellPart struct {
	walk     *shop.Walk
	from, to int // targets
	value    float64
	usage    []float64
}

// cellPoolsOf picks the pools that get prices: a class adds what it has, since prices differ by class.
func (b *Pricing) cellPoolsOf() (pools []shop.Pool) {
	type sort struct {
		resource, group int32
		least, steps    int64
	}
	if b.In.Identical {
		return b.Pools
	}
	most := cellPools
	if b.In.Tasks > largeTasks {
		most = fewCellPools
	}
	seen := map[sort]bool{}
	for _, p := range b.Pools {
		if key := (sort{p.Resource, p.Group, p.Least, p.Steps}); !seen[key] && len(pools) < most {
			seen[key] = true
			even := slices.Repeat([]float64{1}, b.In.Classes)
			for _, q := range poolsOf(b.In, b.E, p.Resource, p.Group, even) {
				if q.pool.Least == p.Least && q.pool.Steps == p.Steps {
					pools = append(pools, q.pool)
				}
			}
		}
	}
	return pools
}

// newVolume lays out so many cells of a length; 0: as many as are worth their time. Errors: there are no pools.
func newVolume(b *Pricing, cell model.Time, cells int) (*volume, error) {
	in := b.In
	pools := b.cellPoolsOf()
	if len(pools) == 0 {
		return nil, shop.ErrInexact
	}
	v := &volume{in: in, targets: in.Targets(), pools: len(pools), n: cells, cert: &shop.Certificate{
		Claim: model.Claim{Method: shop.MethodCells, Kind: shop.KindCells}, Bounds: behind(pools, b.Bounds),
		CellPrices: &shop.CellPrices{Cell: cell}}, begun: make([]model.Time, in.Tasks), mean: make([]float64, in.Tasks)}
	if cells == 0 {
		each := in.Tasks * in.Classes * len(pools)
		v.n = min(max(cellWork/each, fewestCells), mostCells)
		horizon := model.TimeOf(cellReach * b.workEnd())
		v.cert.Cell = max(1, (horizon+model.Time(v.n)-1)/model.Time(v.n))
	}
	for u := range v.begun {
		v.begun[u] = b.Windows.Head[u]
	}
	for range pools {
		classes := make([][]int64, in.Classes)
		for k := range classes {
			classes[k] = make([]int64, v.n)
		}
		v.cert.Steps = append(v.cert.Steps, classes)
	}
	size := len(pools) * in.Classes * v.n
	v.lambda, v.best, v.add = make([]float64, size), make([]float64, size), make([]float64, size)
	return v, nil
}

// prepare makes the evaluators, once there are first prices. Errors: no unit of prices keeps all sums exact.
func (v *volume) prepare(b *Pricing) error {
	cells, err := b.E.NewCells(v.cert)
	if err != nil {
		return err
	}
	v.cells = cells
	v.cert.Shift = v.shift()
	if cells, err = b.E.NewCells(v.cert); err != nil {
		return err
	}
	v.cells, v.scale = cells, math.Ldexp(1, v.cert.Shift)
	for i, row := range cells.Add {
		for n, x := range row {
			v.add[i*v.n+n], _ = new(big.Float).SetInt(x).Float64()
		}
	}
	for _, j := range v.targets {
		tasks, tails := cells.Tasks(j)
		v.tasks, v.tails = append(v.tasks, tasks), append(v.tails, tails)
	}
	for p := range cellChunks {
		v.parts = append(v.parts, &cellPart{walk: cells.NewWalk(), from: len(v.targets) * p / cellChunks,
			to: len(v.targets) * (p + 1) / cellChunks, usage: make([]float64, len(v.lambda))})
	}
	return nil
}

// behind puts the pools of bounds behind others.
func behind(pools []shop.Pool, b shop.Bounds) shop.Bounds {
	first := int32(len(pools))
	b.Pools, b.Ends, b.Starts = slices.Concat(pools, b.Pools), slices.Clone(b.Ends), slices.Clone(b.Starts)
	b.Alone = slices.Clone(b.Alone)
	for i := range b.Ends {
		b.Ends[i].Pool += first
	}
	for i := range b.Starts {
		b.Starts[i].Pool += first
	}
	for i := range b.Alone {
		b.Alone[i].Pool += first
	}
	return b
}

// workEnd is the earliest time by which all work may be done, in seconds.
func (b *Pricing) workEnd() float64 {
	end := b.Windows.All.Seconds()
	for r, x := range b.pooled {
		var area float64
		for _, a := range x.Area {
			area += float64(a)
		}
		end = max(end, newPoolClock(b.pooled[r]).after(0, area)/float64(model.Second))
	}
	return end
}

// shift is the finest unit in which prices, and all sums of them, are integers.
func (v *volume) shift() int {
	top := 1e-300
	for _, x := range v.lambda {
		top = max(top, x)
	}
	if top < 1e-200 { // no start: as if a job's weight were the price
		for _, j := range v.targets {
			top = max(top, float64(v.in.TargetWeight(j)))
		}
		for _, w := range v.in.Weight {
			top = max(top, float64(w))
		}
	}
	heavy, latest := v.cells.Largest()
	_, e := math.Frexp(top)
	room := 61 - bits.Len(uint(v.pools)) - spareBits - e - bits.Len64(uint64(heavy)) -
		bits.Len64(uint64(v.cert.Cell)*uint64(v.n))
	for _, w := range v.in.Weight {
		room = min(room, 61-bits.Len64(uint64(w))-bits.Len64(uint64(latest)))
	}
	return max(min(room, 60), -60)
}

// evaluate returns the bound up to the grid of completions, in the objective's integers, and leaves in usage what tasks
// take less what nodes add.
func (v *volume) evaluate(threads int, usage []float64) (float64, error) {
	v.unit(v.lambda)
	if err := v.cells.Reset(); err != nil {
		return 0, err
	}
	var g errgroup.Group
	g.SetLimit(max(1, threads))
	for _, p := range v.parts {
		g.Go(func() error { p.evaluate(v); return nil })
	}
	if err := g.Wait(); err != nil {
		return 0, err
	}
	var total float64
	for i, x := range v.add {
		usage[i] = -x
		total -= math.Floor(v.lambda[i]*v.scale) * x
	}
	for _, p := range v.parts {
		total += p.value
		for i, x := range p.usage {
			usage[i] += x
		}
	}
	return total / v.scale, nil
}

// unit sets the prices of the evaluator.
func (v *volume) unit(lambda []float64) {
	for i, x := range lambda {
		r, k := i/v.n/v.in.Classes, i/v.n%v.in.Classes
		v.cert.Steps[r][k][i%v.n] = int64(x * v.scale)
	}
}

func (p *cellPart) evaluate(v *volume) {
	p.value = 0
	clear(p.usage)
	for t := p.from; t < p.to; t++ {
		tasks, tails := v.tasks[t], v.tails[t]
		cost, c, run := p.walk.Coarse(v.targets[t], tasks, tails)
		p.value += float64(cost)
		if len(tasks) == 1 && run.Class != model.None {
			p.use(v, tasks[0], run)
			continue
		}
		for _, u := range tasks {
			p.use(v, u, p.walk.Cheapest(u, c-tails[u]))
		}
	}
}

// use adds a run to usage.
func (p *cellPart) use(v *volume, u int32, run shop.Run) {
	pools, cell := v.pools, v.cert.Cell
	v.begun[u] = run.Start
	end := run.Start + v.cells.Length(u, run.Class)
	for n := run.Start / cell; int(n) < v.n && n*cell < end; n++ {
		time := float64(min(end, (n+1)*cell) - max(run.Start, n*cell))
		for r := range pools {
			share := v.cells.Share[(int(u)*v.in.Classes+int(run.Class))*pools+r]
			payer := int(v.cells.Payer[int(run.Class)*pools+r])
			p.usage[(r*v.in.Classes+payer)*v.n+int(n)] += float64(share) * time
		}
	}
}

// begin looks for the highest bound between no prices and the first ones, on which it is concave.
func (v *volume) begin(threads int, usage []float64) error {
	first := slices.Clone(v.lambda)
	scaled := func(x float64) {
		for i, y := range first {
			v.lambda[i] = x * y
		}
	}
	best, where, last := math.Inf(-1), 0.0, math.Inf(-1)
	for x := 1.0; x > leastStart; x /= 2 {
		scaled(x)
		value, err := v.evaluate(threads, usage)
		if err != nil {
			return err
		}
		if value > best {
			best, where = value, x
		} else if value < last {
			break
		}
		last = value
	}
	scaled(0)
	if value, err := v.evaluate(threads, usage); err != nil || value >= best {
		return err
	}
	scaled(where)
	return nil
}

// run makes at most the given number of iterations; target is the cost of a known schedule in the objective's
// integers, or 0. It leaves the best prices in the certificate.
func (v *volume) run(ctx context.Context, iterations int, target float64, opt solver.Options) error {
	if err := v.begin(opt.Threads, make([]float64, len(v.lambda))); err != nil {
		return err
	}
	x := bound.Volume{Prices: v.lambda, Best: v.best, Supply: v.add, Scale: 0.3, Better: v.better,
		Average: func(share float64) {
			for u, t := range v.begun {
				v.mean[u] += share * (t.Seconds() - v.mean[u])
			}
		},
		Evaluate: func(excess []float64) (float64, error) { return v.evaluate(opt.Threads, excess) },
		Aim: func(best float64) float64 {
			if target == 0 {
				return best + 0.05*math.Abs(best) + 1
			}
			return 1.02 * target
		}}
	if err := x.Run(ctx, iterations, opt); err != nil {
		return err
	}
	v.unit(v.best)
	return nil
}

// cells is the bound of prices of cells; nil if there is none. target is the cost of a known schedule, or 0.
func (b *Pricing) cells(ctx context.Context, s *twoSided, target float64,
	opt solver.Options) (*shop.Certificate, error) {
	v, err := newVolume(b, 0, 0)
	if err != nil {
		return nil, err
	}
	if s != nil {
		v.start(b, s, &s.first)
	}
	if err := v.prepare(b); err != nil {
		return nil, err
	}
	steps := min(max(cellStepWork/(len(v.lambda)*max(1, b.In.Tasks)), leastCellSteps), cellSteps)
	if err := v.run(ctx, min(steps, opt.Iterations), target, opt); err != nil {
		return nil, err
	}
	if err := b.E.Sign(v.cert); err != nil {
		return nil, err
	}
	return v.cert, nil
}
