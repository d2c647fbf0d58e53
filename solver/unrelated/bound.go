package unrelated

import (
	"cmp"
	"context"
	"slices"

	"mrsched/model"
)

const (
	// rootWork limits the items and partial sums that the knapsacks of one instance's bound look at, unless its Spec says
	// otherwise, rootRounds the limits they try.
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
		err = in.configBound(ctx, &b, trial, model.MaxTime)
	}
	if err == nil && ctx.Err() == nil {
		in.root = &b
	}
	return b, err
}

// LeastBounds are bounds of alternative instances, of which one may be chosen: by prices of machines, and by prices of
// tasks, too. Only the least of the latter counts, so the others are raised no further than the least that is known to
// rise no more.
func LeastBounds(ctx context.Context, list []*Instance) (machines, tasks []Bound, err error) {
	for _, in := range list {
		b, err := in.RelaxedBound(ctx)
		if err != nil {
			return nil, nil, err
		}
		machines = append(machines, b)
	}
	tasks = slices.Clone(machines)
	if len(list) == 1 {
		tasks[0], err = list[0].RootBound(ctx)
		return machines, tasks, err
	}
	target := model.MaxTime
	byValue := func(a, b int32) int { return cmp.Compare(tasks[a].Value, tasks[b].Value) }
	for _, k := range model.Ordered(len(list), byValue) {
		in, b := list[k], &tasks[k]
		if b.Value >= target {
			break
		}
		if in.configurable() && target-b.Value > b.Value/nearly {
			if err := in.configBound(ctx, b, in.firstTrial(*b), target); err != nil {
				return nil, nil, err
			}
		}
		target = min(target, b.Value)
	}
	return machines, tasks, nil
}

// configBound raises a bound by prices of tasks. As long as the configuration program refutes the bound as a limit, the
// bound rises to the least limit that the program's prices do not refute. It tries target first, since the bound need
// not rise above that. It starts from the prices in trial.
func (in *Instance) configBound(ctx context.Context, b *Bound, trial []float64, target model.Time) error {
	if ctx.Err() != nil {
		return nil
	}
	high := in.Makespan(in.Greedy()) // nothing refutes it
	work := in.work
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
			return err
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
			return err
		}
		if v != Refuted {
			break
		}
		*b = Bound{d.advance(proof.Tasks, b.Value, d.over, high, rootPart), *proof}
	}
	if b.Proof.Tasks != nil {
		x.knap.work = max(x.knap.work, in.work/rootPart)
		b.Value = d.advance(b.Proof.Tasks, b.Value-in.unit, 0, high, 0)
	}
	return nil
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
