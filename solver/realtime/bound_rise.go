package realtime

import (
	"cmp"
	"context"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
)

const (
	// rootWork is how many sums the knapsacks of the bound of one set look at, rootRounds how many limits they try.
	rootWork   = 30_000_000
	rootRounds = 100
	// rootPart is the part of what prices prove, one in so many, that may be left to the next ones.
	rootPart = 8
	// nearly is the part of a time, one in so many, below which lie the roundings that the closed form neglects.
	nearly = 1_000_000
)

// bounded is a bound on what a set's partitions take, with its proof.
type bounded struct {
	value model.Time
	proof realtime.Proof
}

// accept takes the bound of a linear program, if it is higher.
func (b *bounded) accept(f *fractional) {
	if f.bound > b.value {
		*b = bounded{f.bound, f.proof}
	}
}

// packed is what is known about a set. It is worked out once.
type packed struct {
	*packing
	fractional *fractional
	root       *bounded
}

// pack finds the packing of a set.
func (r *run) pack(set realtime.Set) *packed {
	if r.packs == nil {
		r.packs = map[realtime.Set]*packed{}
	}
	if r.packs[set] == nil {
		r.packs[set] = &packed{packing: newPacking(r.in, set)}
	}
	return r.packs[set]
}

// packing is the packing of a set.
func (r *run) packing(set realtime.Set) *packing { return r.pack(set).packing }

// fractional is T* of a set, with a vertex.
func (r *run) fractional(ctx context.Context, set realtime.Set) (*fractional, error) {
	p := r.pack(set)
	if p.fractional != nil {
		return p.fractional, nil
	}
	f, err := p.packing.fractional(ctx)
	if err == nil && ctx.Err() == nil { // else it is tried again
		p.fractional = f
	}
	return f, err
}

// root is the best bound of a set without cases. It depends on the set alone.
func (r *run) root(ctx context.Context, set realtime.Set) (*bounded, error) {
	p := r.pack(set)
	if p.root != nil {
		return p.root, nil
	}
	f, err := r.fractional(ctx, set)
	if err != nil {
		return nil, err
	}
	b := &bounded{f.bound, f.proof}
	if p.configurable() {
		_, err = p.raiseConfigs(ctx, b, p.firstTrial(f), model.MaxTime)
	}
	if err == nil && ctx.Err() == nil {
		p.root = b
	}
	return b, err
}

// least are bounds of a job's sets: by prices of slots, and by those of partitions, too. What counts is the least one
// of each kind, as the job's data may be put into any of the sets; so a set's bound is raised no further than the least
// that is known to rise no more.
func (r *run) least(ctx context.Context, job int32) (slots, parts []bounded, err error) {
	sets := r.in.SetsOf(job)
	start := make([]*fractional, len(sets))
	for k, set := range sets {
		if start[k], err = r.start(ctx, set, len(sets) == 1); err != nil {
			return nil, nil, err
		}
		slots = append(slots, bounded{start[k].bound, start[k].proof})
	}
	order := make([]int, len(sets))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(slots[a].value, slots[b].value) })
	target := model.MaxTime
	for _, k := range order {
		if slots[k].value >= target {
			break
		}
		f, err := r.fractional(ctx, sets[k])
		if err != nil {
			return nil, nil, err
		}
		slots[k].accept(f)
		target = min(target, slots[k].value)
	}
	parts, err = r.leastParts(ctx, sets, start, slots)
	return slots, parts, err
}

// start is where bounds of a set start: where slots differ in speed only, the closed form, which takes a hundredth of
// the time of the linear program and is microseconds below T* at most, else T*.
func (r *run) start(ctx context.Context, set realtime.Set, alone bool) (*fractional, error) {
	p := r.pack(set)
	if alone || !p.related || !p.configurable() {
		return r.fractional(ctx, set)
	}
	f := &fractional{bound: p.largest()}
	p.nested(ctx, f)
	return f, nil
}

// leastParts raises bounds by prices of partitions. The set comes first whose bound the prices that belong to it exceed
// least: mostly it ends up with the least one, or cannot be raised at all.
func (r *run) leastParts(ctx context.Context, sets []realtime.Set, start []*fractional, slots []bounded) ([]bounded,
	error) {
	parts := slices.Clone(slots)
	if len(sets) == 1 {
		b, err := r.root(ctx, sets[0])
		if err == nil {
			parts[0] = *b
		}
		return parts, err
	}
	target := model.MaxTime
	var by priceCurve
	for _, k := range r.weakest(ctx, sets, start, slots) {
		p, b := r.pack(sets[k]), &parts[k]
		if b.value >= target {
			continue
		}
		first := b.value
		if p.configurable() && target-b.value > b.value/nearly {
			trial := by.at(p.packing)
			if trial == nil {
				trial = p.firstTrial(start[k])
			}
			u, err := p.raiseConfigs(ctx, b, trial, target)
			if err != nil {
				return nil, err
			}
			if by == nil {
				by = p.curve(u)
			}
		}
		if b.value < target && b.value-first <= first/nearly {
			f, err := r.fractional(ctx, sets[k])
			if err != nil {
				return nil, err
			}
			b.accept(f)
		}
		target = min(target, b.value)
	}
	return parts, nil
}

// weakest is the order of leastParts. Ties: the first.
func (r *run) weakest(ctx context.Context, sets []realtime.Set, start []*fractional, slots []bounded) []int {
	order, over := make([]int, len(sets)), make([]float64, len(sets))
	for k, set := range sets {
		order[k] = k
		if p := r.pack(set); p.configurable() && ctx.Err() == nil {
			x := p.newConfigs(slots[k].value, p.firstTrial(start[k]), rootWork/rootPart)
			d := x.dual()
			over[k], _, _ = d.price(x.trial, d.coarse(x.trial))
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(slots[a].value, slots[b].value), cmp.Compare(over[a], over[b]))
	})
	return order
}

// raiseConfigs raises a bound by prices of partitions: as long as the configuration program refutes the bound as a
// limit, the bound rises to the least limit that the program's prices do not refute. With a target, which is all that
// the bound need reach, it asks for that first. It starts from some prices, and gives the last.
func (p *packing) raiseConfigs(ctx context.Context, b *bounded, trial []float64, target model.Time) ([]float64, error) {
	if ctx.Err() != nil {
		return trial, nil
	}
	high := p.makespan(p.greedy(bySize)) // nothing refutes it
	work := int64(rootWork)
	if target < high { // loads are multiples of the set's own unit
		high = (target + p.unit - 1) / p.unit * p.unit
	}
	if target <= high && b.value < high {
		x := p.newConfigs(high-p.unit, trial, work)
		a, proof, _, err := x.ask(ctx)
		if a == refuted {
			*b = bounded{high, *proof}
		}
		if err != nil || a == refuted {
			return x.trial, err
		}
		trial, work = x.trial, x.knap.work
	}
	x := p.newConfigs(b.value, trial, work)
	d := x.dual()
	defer d.close()
	for range rootRounds {
		if b.value >= high {
			break
		}
		x.limit = b.value
		a, proof, _, err := d.ask(ctx)
		if err != nil {
			return nil, err
		}
		if a != refuted {
			break
		}
		*b = bounded{d.advance(proof.Partitions, b.value, d.over, high, rootPart), *proof}
	}
	if b.proof.Partitions != nil {
		x.knap.work = max(x.knap.work, rootWork/rootPart)
		b.value = d.advance(b.proof.Partitions, b.value-p.unit, 0, high, 0)
	}
	return x.trial, nil
}

// advance is the least limit that prices do not refute, but for a part of what lies between it and a limit that they
// refute by so much, one part in so many; 0: exactly. It is not above high, which is not refuted. What prices refute is
// about a line in the limit, and in detail changes only at sums of times: what they do not refute they do not either at
// the largest weight of the sets that fill the knapsacks best.
func (d *configDual) advance(whole []int64, low model.Time, above float64, high, part model.Time) model.Time {
	sum := 0.0
	for _, v := range whole {
		sum += float64(v) / configScale
	}
	slack := int64(sum * configScale * configCoarse / float64(d.Most))
	begin, below := low, 0.0 // below 0: by how much high is not refuted; 0: unknown
	stride := model.Time(float64(low) * above / max(1, sum))
	for n := 0; high-low > d.unit && (part == 0 || high-low > (low-begin)/part); n++ {
		mid := low + (high-low)/2
		switch {
		case below == 0:
			mid = min(low+stride, high-d.unit)
			stride = max(4*stride, d.unit)
		case n%3 == 0 && part == 0:
			mid = high - d.unit
		case n%3 != 1:
			mid = low + model.Time(float64(high-low)*above/(above-below))
		}
		d.limit = max(low+d.unit, mid/d.unit*d.unit)
		switch v, sets := d.worth(whole, slack); {
		case sets == nil:
			high, below = d.limit, -above
		case v > 0:
			low, above = d.limit, v
		default:
			high, below = max(low+d.unit, min(d.limit, d.heaviest(sets))), min(v, -1/configScale)
		}
	}
	return min(high, low+d.unit)
}

// priceCurve is the price of a partition by the least time that it takes, ascending, each once.
type priceCurve []pricePoint

type pricePoint struct {
	time  model.Time
	price float64
}

// curve are the prices of partitions of slots that differ in speed only; of equal partitions the largest.
func (p *packing) curve(u []float64) (list priceCurve) {
	if !p.related {
		return nil
	}
	for i, v := range u {
		list = append(list, pricePoint{p.least[i], v})
	}
	slices.SortFunc(list, func(a, b pricePoint) int {
		return cmp.Or(cmp.Compare(a.time, b.time),
			cmp.Compare(b.price, a.price))
	})
	return slices.CompactFunc(list, func(a, b pricePoint) bool { return a.time == b.time })
}

// at are prices of other partitions of the same job, on lines between those known; nil: none is known.
func (c priceCurve) at(p *packing) []float64 {
	if len(c) == 0 {
		return nil
	}
	u := make([]float64, p.n)
	for i, t := range p.least {
		k, _ := slices.BinarySearchFunc(c, t, func(x pricePoint, t model.Time) int { return cmp.Compare(x.time, t) })
		switch {
		case k == len(c) || k == 0 && t == 0:
			x := c[min(k, len(c)-1)]
			u[i] = x.price * float64(t) / math.Max(1, float64(x.time))
		case k == 0:
			u[i] = c[0].price * float64(t) / math.Max(1, float64(c[0].time))
		default:
			x, y := c[k-1], c[k]
			u[i] = x.price + (y.price-x.price)*float64(t-x.time)/float64(y.time-x.time)
		}
		u[i] = math.Min(1, u[i])
	}
	return u
}
