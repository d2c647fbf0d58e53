package unrelated

import (
	"math"
	"slices"

	"mrsched/model"
)

// price rounds prices to integers and solves the knapsacks for them: see worth.
func (d *configDual) price(u []float64, slack int64) (value float64, whole []int64, sets [][]int32) {
	whole = make([]int64, d.n)
	for i, v := range u {
		whole[i] = int64(math.Round(math.Max(0, v) * configScale))
	}
	value, sets = d.worth(whole, slack)
	return value, whole, sets
}

// coarse is the slack of prices of which nothing is known.
func (d *configDual) coarse(u []float64) int64 {
	sum := 0.0
	for _, v := range u {
		sum += v
	}
	return int64(sum * configScale * configCoarse / float64(d.most))
}

// worth is how much the sum of integer prices exceeds what fits, in units of u, and a good set for each group; no sets
// if the knapsacks are too hard. The knapsacks are solved to within a slack, which shrinks as long as the sign is
// uncertain; so a positive value may be too small, and another one too large.
func (d *configDual) worth(whole []int64, slack int64) (value float64, sets [][]int32) {
	for ; ; slack /= configFiner {
		over, sets := d.excess(whole, slack)
		if over > 0 && sets != nil {
			if over -= slack * int64(d.most); over <= 0 {
				continue
			}
		}
		return float64(over) / configScale, sets
	}
}

// excess is the sum of prices less the worth of sets, one a machine, each worse than the best one by slack at most.
func (d *configDual) excess(whole []int64, slack int64) (over int64, sets [][]int32) {
	d.knap.slack = slack
	for _, v := range whole {
		over += v
	}
	sets = make([][]int32, len(d.groups))
	var worth []int64
	for g, of := range d.groups {
		v, set, ok := d.fill(of.first, d.limit, whole)
		if !ok {
			return 0, nil
		}
		sets[g] = set
		for range of.count {
			worth = append(worth, v)
		}
	}
	slices.Sort(worth)
	for _, v := range worth[max(0, len(worth)-d.most):] {
		over -= v
	}
	return over, sets
}

// heaviest is the largest load that sets make on the machines of their groups.
func (d *configDual) heaviest(sets [][]int32) (most model.Time) {
	for g, set := range sets {
		weight := model.Time(0)
		for _, i := range set {
			weight += d.on(int(i), d.groups[g].first)
		}
		most = max(most, weight)
	}
	return most
}

// fill solves the knapsack of a machine.
func (x *configuration) fill(k int32, limit model.Time, whole []int64) (int64, []int32, bool) {
	x.knap.items = x.knap.items[:0]
	var free []int32 // take no time
	base := int64(0)
	for i, v := range whole {
		if v == 0 || !x.allowed(i, k) {
			continue
		}
		if t := x.on(i, k); t == 0 {
			free = append(free, int32(i))
			base += v
		} else if t <= limit {
			x.knap.items = append(x.knap.items, knapsackItem{task: int32(i), weight: t, value: v})
		}
	}
	v, set, ok := x.knap.solve(limit)
	if len(free) > 0 {
		set = append(set, free...)
		slices.Sort(set)
	}
	return base + v, set, ok
}
