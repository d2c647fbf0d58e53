package realtime

import (
	"math"
	"slices"

	"mrsched/model"
)

// price solves the knapsacks for prices, rounded to integers: see worth.
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
	return int64(sum * configScale * configCoarse / float64(d.Most))
}

// worth is by how much the sum of integer prices exceeds what fits, in units of u, and good sets by group; no sets: the
// knapsacks are too hard. Each is solved but for a slack, which is made smaller as long as the sign is not certain;
// with it, a value above 0 may be too small, and another one too large.
func (d *configDual) worth(whole []int64, slack int64) (value float64, sets [][]int32) {
	for ; ; slack /= configFiner {
		over, sets := d.excess(whole, slack)
		if over > 0 && sets != nil {
			if over -= slack * int64(d.Most); over <= 0 {
				continue
			}
		}
		return float64(over) / configScale, sets
	}
}

// excess is the sum of prices less the worth of sets, one a slot, each worse than the best one by a slack at most.
func (d *configDual) excess(whole []int64, slack int64) (over int64, sets [][]int32) {
	d.knap.slack = slack
	for _, v := range whole {
		over += v
	}
	sets = make([][]int32, len(d.groups))
	var worth []int64
	for g, of := range d.groups {
		v, set, ok := d.fill(of.slot, d.limit, whole)
		if !ok {
			return 0, nil
		}
		sets[g] = set
		for range of.count {
			worth = append(worth, v)
		}
	}
	slices.Sort(worth)
	for _, v := range worth[max(0, len(worth)-d.Most):] {
		over -= v
	}
	return over, sets
}

// heaviest is the largest of what sets take on the slots of their groups.
func (d *configDual) heaviest(sets [][]int32) (most model.Time) {
	for g, set := range sets {
		weight := model.Time(0)
		for _, i := range set {
			weight += d.on(int(i), d.groups[g].slot)
		}
		most = max(most, weight)
	}
	return most
}

// fill solves the knapsack of a candidate.
func (x *configs) fill(k int32, limit model.Time, whole []int64) (int64, []int32, bool) {
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
			x.knap.items = append(x.knap.items, knapItem{part: int32(i), weight: t, value: v})
		}
	}
	v, set, ok := x.knap.solve(limit)
	if len(free) > 0 {
		set = append(set, free...)
		slices.Sort(set)
	}
	return base + v, set, ok
}
