package unrelated

import (
	"cmp"
	"context"
	"math"
	"slices"

	"mrsched/model"
)

const (
	// rootWork limits the partial sums that the knapsacks of one instance's bound look at, rootRounds the limits they try.
	rootWork   = 100_000_000
	rootRounds = 100
	// rootPart is the part of the proven value, one in this many, that may be left to the next prices.
	rootPart = 8
	// nearly is the part of a time, one in this many, below which lie the roundings that the closed form neglects.
	nearly = 1_000_000
)

// RootBound is the best bound without branching. It depends on the instance alone; one that the context cut short is
// not kept.
func (in *Instance) RootBound(ctx context.Context) (Bound, error) {
	if in.root != nil {
		return *in.root, nil
	}
	f, err := in.relaxation(ctx)
	if err != nil {
		return Bound{}, err
	}
	b, trial := f.Bound, in.firstTrial(f.Bound)
	if in.countable() {
		if trial, err = in.countedBound(ctx, &b, trial); err != nil {
			return b, err
		}
	}
	if in.configurable() {
		_, err = in.configBound(ctx, &b, trial, model.MaxTime)
	}
	if err == nil && ctx.Err() == nil {
		in.root = &b
	}
	return b, err
}

// alternatives are instances of which one may be chosen, so that only the least of their bounds counts. The bound of an
// instance is raised no further than the least that is known to rise no more.
type alternatives []*Instance

// LeastBounds are bounds of alternative instances, of which one may be chosen: by prices of machines, and by prices of
// tasks, too. Only the least of each kind counts, so the others may be weaker than they could be.
func LeastBounds(ctx context.Context, list []*Instance) (machines, tasks []Bound, err error) {
	x := alternatives(list)
	var first []Bound // the starting bounds
	for _, in := range list {
		b, err := x.quickBound(ctx, in)
		if err != nil {
			return nil, nil, err
		}
		first = append(first, b)
	}
	machines = slices.Clone(first)
	target := model.MaxTime
	for _, k := range ordered(len(list), func(a, b int32) int { return cmp.Compare(first[a].Value, first[b].Value) }) {
		if machines[k].Value >= target {
			break
		}
		b, err := list[k].RelaxedBound(ctx)
		if err != nil {
			return nil, nil, err
		}
		machines[k].raiseTo(b)
		target = min(target, machines[k].Value)
	}
	tasks, err = x.taskBounds(ctx, first, machines)
	return machines, tasks, err
}

// quickBound is where the bound of an instance starts: for related machines the closed form, which takes a hundredth of
// the time of the linear program and is microseconds below T* at most, else T*.
func (x alternatives) quickBound(ctx context.Context, in *Instance) (Bound, error) {
	if len(x) == 1 || !in.related || !in.configurable() {
		return in.RelaxedBound(ctx)
	}
	b := Bound{Value: in.longest()}
	in.relatedBound(ctx, &b)
	return b, nil
}

// taskBounds raises bounds by prices of tasks. It begins with the instance whose bound these prices exceed least: that
// one usually ends up with the least bound, or cannot be raised at all.
func (x alternatives) taskBounds(ctx context.Context, first, machines []Bound) ([]Bound, error) {
	tasks := slices.Clone(machines)
	if len(x) == 1 {
		b, err := x[0].RootBound(ctx)
		if err == nil {
			tasks[0] = b
		}
		return tasks, err
	}
	target := model.MaxTime
	var curve priceCurve
	for _, k := range x.weakest(ctx, first, machines) {
		in, b := x[k], &tasks[k]
		if b.Value >= target {
			continue
		}
		before := b.Value
		if in.configurable() && target-b.Value > b.Value/nearly {
			trial := curve.prices(in)
			if trial == nil {
				trial = in.firstTrial(first[k])
			}
			u, err := in.configBound(ctx, b, trial, target)
			if err != nil {
				return nil, err
			}
			if curve == nil {
				curve = in.curve(u)
			}
		}
		if b.Value < target && b.Value-before <= before/nearly {
			other, err := in.RelaxedBound(ctx)
			if err != nil {
				return nil, err
			}
			b.raiseTo(other)
		}
		target = min(target, b.Value)
	}
	return tasks, nil
}

// weakest is the order of taskBounds. Ties: the first.
func (x alternatives) weakest(ctx context.Context, first, machines []Bound) []int32 {
	over := make([]float64, len(x))
	for k, in := range x {
		if in.configurable() && ctx.Err() == nil {
			d := in.newConfiguration(machines[k].Value, in.firstTrial(first[k]), rootWork/rootPart).dual()
			over[k], _, _ = d.price(d.trial, d.coarse(d.trial))
		}
	}
	return ordered(len(x), func(a, b int32) int {
		return cmp.Or(cmp.Compare(machines[a].Value, machines[b].Value), cmp.Compare(over[a], over[b]))
	})
}

// configBound raises a bound by prices of tasks. As long as the configuration program refutes the bound as a limit, the
// bound rises to the least limit that the program's prices do not refute. It tries target first, since the bound need
// not rise above that. It starts from the prices in trial and returns the last prices.
func (in *Instance) configBound(ctx context.Context, b *Bound, trial []float64, target model.Time) ([]float64, error) {
	if ctx.Err() != nil {
		return trial, nil
	}
	high := in.Makespan(in.Greedy()) // nothing refutes it
	work := int64(rootWork)
	if target < high {
		high = in.roundUp(target)
	}
	if target <= high && b.Value < high {
		x := in.newConfiguration(high-in.unit, trial, work)
		v, proof, _, err := x.solve(ctx)
		if v == Refuted {
			*b = Bound{high, *proof}
		}
		if err != nil || v == Refuted {
			return x.trial, err
		}
		trial, work = x.trial, x.knap.work
	}
	x := in.newConfiguration(b.Value, trial, work)
	d := x.dual()
	defer d.close()
	for range rootRounds {
		if b.Value >= high {
			break
		}
		x.limit = b.Value
		v, proof, _, err := d.solve(ctx)
		if err != nil {
			return nil, err
		}
		if v != Refuted {
			break
		}
		*b = Bound{d.advance(proof.Tasks, b.Value, d.over, high, rootPart), *proof}
	}
	if b.Proof.Tasks != nil {
		x.knap.work = max(x.knap.work, rootWork/rootPart)
		b.Value = d.advance(b.Proof.Tasks, b.Value-in.unit, 0, high, 0)
	}
	return x.trial, nil
}

// advance returns the least limit that the prices do not refute. The prices refute low, by the amount above, and do not
// refute high. With part 0 the result is exact. Otherwise it may be too small, by 1/part of its distance from low.
// The amount by which prices refute a limit is roughly linear in the limit, but in detail it changes only at sums of
// times. So if prices do not refute a limit, they do not refute the largest load of its best knapsack sets either.
func (d *configDual) advance(whole []int64, low model.Time, above float64, high, part model.Time) model.Time {
	sum := 0.0
	for _, v := range whole {
		sum += float64(v) / configScale
	}
	slack := int64(sum * configScale * configCoarse / float64(d.most))
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

// priceCurve is the price of a task by its shortest time, ascending, each time once.
type priceCurve []pricePoint

type pricePoint struct {
	time  model.Time
	price float64
}

// curve are prices of tasks on related machines; of equal tasks the largest price.
func (in *Instance) curve(u []float64) (list priceCurve) {
	if !in.related {
		return nil
	}
	for i, v := range u {
		list = append(list, pricePoint{in.least[i], v})
	}
	slices.SortFunc(list, func(a, b pricePoint) int {
		return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(b.price, a.price))
	})
	return slices.CompactFunc(list, func(a, b pricePoint) bool { return a.time == b.time })
}

// prices interpolates prices of the tasks of another instance on the same machines; nil if none is known.
func (c priceCurve) prices(in *Instance) []float64 {
	if len(c) == 0 {
		return nil
	}
	u := make([]float64, in.n)
	for i, t := range in.least {
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
