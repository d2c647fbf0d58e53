package sim

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestMaxMin compares with closed forms, computed in the comments.
func TestMaxMin(t *testing.T) {
	one := func(links ...int) Demand { return Demand{links, 1, Unlimited} }
	tests := []struct {
		name       string
		capacities []Rate
		demands    []Demand
		want       []Rate
	}{
		{"nothing", []Rate{5}, nil, []Rate{}},
		{"no link", nil, []Demand{one(), {nil, 2, 7}}, []Rate{Unlimited, 7}},
		{"n flows on one link: C/n, rounded down", []Rate{10}, []Demand{one(0), one(0), one(0), one(0)}, []Rate{2, 2, 2, 2}},
		{"weights: 100/(3+1) each", []Rate{100}, []Demand{{[]int{0}, 3, Unlimited}, one(0)}, []Rate{25, 25}},
		{"two links: the second holds its flow to 4, the other takes the rest of the first", []Rate{10, 4},
			[]Demand{one(0), one(0, 1)}, []Rate{6, 4}},
		{"two links at the same level: 10/2 and 15/3", []Rate{10, 15}, []Demand{one(0), one(0, 1), one(1), one(1)},
			[]Rate{5, 5, 5, 5}},
		// The middle link holds three: 12/3 = 4; the two others have 12 − 4 = 8 left for one each.
		{"parking lot", []Rate{12, 12, 12}, []Demand{one(0, 1, 2), one(0), {[]int{1}, 2, Unlimited}, one(2)},
			[]Rate{4, 8, 4, 8}},
		// Levels 2 at the limit, then (20 − 2)/2 = 9.
		{"a limit leaves the rest to the others", []Rate{20}, []Demand{{[]int{0}, 1, 2}, one(0), one(0)}, []Rate{2, 9, 9}},
		{"a limit beyond the fair share", []Rate{20}, []Demand{{[]int{0}, 1, 11}, one(0)}, []Rate{10, 10}},
		// Limits 1 and 5 of 12: 12/3 = 4 > 1; then 11/2 = 5 ≥ 5; then 6.
		{"limits one after the other", []Rate{12}, []Demand{{[]int{0}, 1, 5}, {[]int{0}, 1, 1}, one(0)}, []Rate{5, 1, 6}},
		// Three racks, links out 0–2 and in 3–5, one flow per pair: 90/2 each.
		{"shuffle, all to all", []Rate{90, 90, 90, 90, 90, 90},
			[]Demand{one(0, 4), one(0, 5), one(1, 3), one(1, 5), one(2, 3), one(2, 4)}, []Rate{45, 45, 45, 45, 45, 45}},
		// Rack 0 sends 15 to each; racks 1 and 2 fill their links out with 45 to each, so in 1 and in 2 carry 60.
		{"shuffle, one slow rack", []Rate{30, 90, 90, 90, 90, 90},
			[]Demand{one(0, 4), one(0, 5), one(1, 3), one(1, 5), one(2, 3), one(2, 4)}, []Rate{15, 15, 45, 45, 45, 45}},
		// Rack 0 receives 30/2 from each; 1→2 and 0→2 then fill in 2 with 90/2 each, 2→1 and 0→1 in 1 likewise.
		{"shuffle, one slow receiver", []Rate{90, 90, 90, 30, 90, 90},
			[]Demand{one(0, 4), one(0, 5), one(1, 3), one(1, 5), one(2, 3), one(2, 4)}, []Rate{45, 45, 15, 45, 15, 45}},
		{"a level of 0: more flows than units", []Rate{2}, []Demand{{[]int{0}, 3, Unlimited}}, []Rate{0}},
		{"the largest capacity", []Rate{MaxRate}, []Demand{one(0)}, []Rate{MaxRate}},
	}
	for _, c := range tests {
		if got := MaxMin(c.capacities, c.demands); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, expected %v", c.name, got, c.want)
		}
	}
}

// drawDemands makes capacities of up to largest and demands over them.
func drawDemands(t *rapid.T, largest int) ([]Rate, []Demand) {
	capacities := make([]Rate, rapid.IntRange(1, 6).Draw(t, "links"))
	for i := range capacities {
		capacities[i] = Rate(rapid.IntRange(1, largest).Draw(t, "capacity"))
	}
	demands := make([]Demand, rapid.IntRange(1, 12).Draw(t, "demands"))
	for i := range demands {
		d := Demand{Weight: int64(rapid.IntRange(1, 4).Draw(t, "weight")), Limit: Unlimited}
		for l := range capacities {
			if rapid.IntRange(0, 2).Draw(t, "crosses") == 0 {
				d.Links = append(d.Links, l)
			}
		}
		if rapid.IntRange(0, 2).Draw(t, "limited") == 0 {
			d.Limit = Rate(rapid.IntRange(1, largest).Draw(t, "limit"))
		}
		demands[i] = d
	}
	return capacities, demands
}

// tinySteps raises all levels by one unit at a time.
func tinySteps(capacities []Rate, demands []Demand) []Rate {
	levels, fixed := make([]Rate, len(demands)), make([]bool, len(demands))
	for i, d := range demands {
		if len(d.Links) == 0 {
			levels[i], fixed[i] = d.Limit, true
		}
	}
	for level := Rate(0); slices.Contains(fixed, false); level++ {
		for i, d := range demands {
			if !fixed[i] {
				levels[i], fixed[i] = level, level == d.Limit
			}
		}
		for l, capacity := range capacities {
			load, open := Rate(0), Rate(0)
			for i, d := range demands {
				if slices.Contains(d.Links, l) {
					load += Rate(d.Weight) * levels[i]
					if !fixed[i] {
						open += Rate(d.Weight)
					}
				}
			}
			if load+open > capacity { // no room for one more unit each
				for i, d := range demands {
					fixed[i] = fixed[i] || slices.Contains(d.Links, l)
				}
			}
		}
	}
	return levels
}

func TestMaxMinTinySteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacities, demands := drawDemands(t, 60)
		if got, want := MaxMin(capacities, demands), tinySteps(capacities, demands); !slices.Equal(got, want) {
			t.Fatalf("%v, expected %v: %v %v", got, want, capacities, demands)
		}
	})
}

// realFilling is progressive filling in real numbers: all rise together to the next limit or full link.
func realFilling(capacities []Rate, demands []Demand) []float64 {
	levels, fixed := make([]float64, len(demands)), make([]bool, len(demands))
	for i, d := range demands {
		if len(d.Links) == 0 {
			levels[i], fixed[i] = float64(d.Limit), true
		}
	}
	for slices.Contains(fixed, false) {
		bottleneck, level := -1, math.Inf(1)
		for i, d := range demands {
			if !fixed[i] && float64(d.Limit) < level {
				bottleneck, level = -1-i, float64(d.Limit)
			}
		}
		for l, capacity := range capacities {
			left, open := float64(capacity), 0.0
			for i, d := range demands {
				if slices.Contains(d.Links, l) && fixed[i] {
					left -= float64(d.Weight) * levels[i]
				} else if slices.Contains(d.Links, l) {
					open += float64(d.Weight)
				}
			}
			if open > 0 && left/open < level {
				bottleneck, level = l, left/open
			}
		}
		for i, d := range demands {
			if !fixed[i] && (bottleneck == -1-i || bottleneck >= 0 && slices.Contains(d.Links, bottleneck)) {
				levels[i], fixed[i] = level, true
			}
		}
	}
	return levels
}

func TestMaxMinReal(t *testing.T) {
	const largest = 1_000_000_000
	// Each link rounds by up to 4 units. Each of the at most 6 links may multiply earlier errors by the number of
	// flows, at most 12 · 4; in random draws they stay below 100. The tolerance is 10⁻⁶ of the largest capacity.
	const tolerance = largest / 1_000_000
	rapid.Check(t, func(t *rapid.T) {
		capacities, demands := drawDemands(t, largest)
		want := realFilling(capacities, demands)
		for i, got := range MaxMin(capacities, demands) {
			if math.Abs(float64(got)-want[i]) > tolerance {
				t.Fatalf("demand %d: %d, expected %f", i, got, want[i])
			}
		}
	})
}

// checkMaxMin compares levels with the definition, independently of filling.
func checkMaxMin(capacities []Rate, demands []Demand, levels []Rate) string {
	load, highest, weight := make([]Rate, len(capacities)), make([]Rate, len(capacities)), make([]int64, len(capacities))
	for i, d := range demands {
		for _, l := range d.Links {
			load[l] += Rate(d.Weight) * levels[i]
			highest[l] = max(highest[l], levels[i])
			weight[l] += d.Weight
		}
	}
	for l, capacity := range capacities {
		if load[l] > capacity {
			return "a link over capacity"
		}
	}
	for i, d := range demands {
		if levels[i] > d.Limit {
			return "a flow over its limit"
		}
		bottleneck := levels[i] == d.Limit || slices.ContainsFunc(d.Links, func(l int) bool {
			return levels[i] == highest[l] && load[l]+Rate(weight[l]) > capacities[l]
		})
		if !bottleneck {
			return "a flow without a bottleneck"
		}
	}
	return ""
}

func TestMaxMinCondition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacities, demands := drawDemands(t, rapid.SampledFrom([]int{50, 1 << 40}).Draw(t, "largest"))
		levels := MaxMin(capacities, demands)
		if wrong := checkMaxMin(capacities, demands, levels); wrong != "" {
			t.Fatalf("%s: %v %v %v", wrong, capacities, demands, levels)
		}
		order := rapid.Permutation(indices(len(demands))).Draw(t, "order")
		shuffled := make([]Demand, len(demands))
		for i, k := range order {
			shuffled[i] = demands[k]
		}
		for i, level := range MaxMin(capacities, shuffled) {
			if level != levels[order[i]] {
				t.Fatalf("demand %d gets %d in another order, not %d", order[i], level, levels[order[i]])
			}
		}
	})
}

func indices(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
