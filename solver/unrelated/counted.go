package unrelated

import (
	"context"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/solver/lp"
)

const (
	// countedTimes is the number of times, different tasks by classes, up to which the program with counters is solved:
	// some seconds at most.
	countedTimes = 100_000
	// countedMost is the number of tasks that fit on a machine up to which they are counted.
	countedMost = 200
	// countedRounds is how many limits the program is solved for.
	countedRounds = 12
	// countedNear is the share of its price by which a task may cost more on a class than where it costs least, for the
	// next program to begin with that row.
	countedNear = 0.05
)

// counter says that a machine has at most this many tasks above a length. Within a limit T at most one task takes more
// than T/2, at most two take more than T/3, and so on; and at most as many tasks as the shortest ones allow. In the
// program of priceLP a counter of class c is a column that adds to what all tasks above its length cost on c, and
// costs most/T itself:
//
//	v_g ≤ p_gc·(y_c + θ) + Σ { z : z counts g on c },   Σ_c m_c·(y_c + Σ_z most_z/T·z) + R·θ = 1
//
// If its value is above T, no assignment keeps T: one that does has the value of at most T at all these prices. Then v
// are prices of tasks that refute T, because they are worth at most T·y_c + Σ_z most_z·z on any machine.
type counter struct {
	above model.Time
	most  int
	col   lp.Col
}

// countable says whether counters may be used.
func (in *Instance) countable() bool {
	return in.times != nil && !in.divisible && !in.partial
}

// counters are those of a limit, by class. Tasks are counted as a whole, and above the lengths of which as many or one
// less than all may fit: others hardly ever matter.
func (in *Instance) counters(limit model.Time) (list [][]counter) {
	for c := range in.speed {
		var times []model.Time
		for i := range in.n {
			if t := in.time(i, c); t <= limit {
				times = append(times, t)
			}
		}
		slices.Sort(times)
		fit, sum := 0, model.Time(0)
		for fit < len(times) && sum+times[fit] <= limit {
			sum += times[fit]
			fit++
		}
		var own []counter
		if 0 < fit && fit < len(times) && fit <= countedMost {
			own = append(own, counter{above: -1, most: fit})
			for q := max(2, fit-1); q <= fit; q++ {
				own = append(own, counter{above: limit / model.Time(q), most: q - 1})
			}
		}
		list = append(list, own)
	}
	return list
}

// counting are the counters of a class that count the tasks of a group.
func (x *priceLP) counting(g, c int) (list []counter) {
	if x.counters == nil {
		return nil
	}
	t := x.time(int(x.group[g][0]), c)
	for _, n := range x.counters[c] {
		if t > n.above {
			list = append(list, n)
		}
	}
	return list
}

// cost is what a task of a group costs on a class.
func (x *priceLP) cost(sol []float64, g, c int) float64 {
	sum := float64(x.time(int(x.group[g][0]), c)) / x.scale * x.price(sol, c)
	for _, n := range x.counting(g, c) {
		sum += sol[n.col]
	}
	return sum
}

// countedBound raises a bound by prices of tasks that come from the program with counters, and returns the last ones.
// The program of the last bound becomes in.counted.
func (in *Instance) countedBound(ctx context.Context, b *Bound, trial []float64) ([]float64, error) {
	groups := in.alike()
	if n := len(groups) * len(in.speed); n == 0 || n > countedTimes || in.related && n > relatedTimes {
		return trial, nil
	}
	high := in.Makespan(in.Greedy()) // nothing refutes it
	var near []pair
	for range countedRounds {
		x, err := in.newPriceLP(groups, in.counters(b.Value), b.Value)
		if err != nil {
			return trial, err
		}
		sol, err := x.solveFrom(ctx, near, b.Value)
		x.solver.Close()
		if err != nil || sol == nil {
			return trial, err
		}
		near = x.read(sol)
		trial = x.taskPrices(sol)
		d := in.newConfiguration(b.Value, trial, in.work).dual()
		over, whole, sets := d.price(trial, d.coarse(trial))
		if sets == nil || over <= 0 || b.Value >= high {
			break
		}
		*b = Bound{d.advance(whole, b.Value, over, high, 0), Proof{Tasks: whole}}
	}
	return trial, nil
}

// solveFrom solves the program, with some rows to begin with.
func (x *priceLP) solveFrom(ctx context.Context, rows []pair, limit model.Time) (*lp.Solution, error) {
	for _, p := range rows {
		if err := x.add(p.group, p.class); err != nil {
			return nil, err
		}
	}
	return x.solve(ctx, limit)
}

// read stores a solution as in.counted, and lists the rows that are close to equality.
func (x *priceLP) read(sol *lp.Solution) (near []pair) {
	f := &relaxation{Bound: Bound{Value: model.Time(sol.Objective * x.scale)}, waste: make([]float64, len(x.times))}
	f.shares, f.load = x.shares(sol)
	for g, tasks := range x.group {
		for c := range x.speed {
			w := math.Max(0, x.cost(sol.X, g, c)-sol.X[g])
			if w <= countedNear*sol.X[g] && x.has[pair{int32(g), int32(c)}] {
				near = append(near, pair{int32(g), int32(c)})
			}
			for _, i := range tasks {
				f.waste[int(i)*len(x.speed)+c] = w * x.scale * float64(x.most)
			}
		}
	}
	x.counted = f
	return near
}

// taskPrices are v by task, the largest of them 1.
func (x *priceLP) taskPrices(sol *lp.Solution) []float64 {
	u := make([]float64, x.n)
	most := 0.0
	for g := range x.group {
		most = math.Max(most, sol.X[g])
	}
	for g, tasks := range x.group {
		for _, i := range tasks {
			u[i] = math.Max(0, sol.X[g]) / math.Max(most, lpTolerance)
		}
	}
	return u
}
