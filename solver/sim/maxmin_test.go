package sim

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestMaxMin compares with closed forms, computed in the comments.
func TestMaxMin(t *testing.T) {
	one := func(links ...Link) Demand { return Demand{links, 1, Unlimited} }
	tests := []struct {
		name       string
		capacities []Rate
		demands    []Demand
		want       []Rate
	}{
		{"no link", nil, []Demand{one(), {nil, 2, 7}}, []Rate{Unlimited, 7}},
		{"weights: 100/(3+1) each", []Rate{100}, []Demand{{[]Link{0}, 3, Unlimited}, one(0)}, []Rate{25, 25}},
		{"two links: the second holds its flow to 4, the other takes the rest of the first", []Rate{10, 4},
			[]Demand{one(0), one(0, 1)}, []Rate{6, 4}},
		// The middle link holds three: 12/3 = 4; the two others have 12 − 4 = 8 left for one each.
		{"parking lot", []Rate{12, 12, 12}, []Demand{one(0, 1, 2), one(0), {[]Link{1}, 2, Unlimited}, one(2)},
			[]Rate{4, 8, 4, 8}},
		// Limits 1 and 5 of 12: 12/3 = 4 > 1; then 11/2 = 5 ≥ 5; then 6.
		{"limits one after the other", []Rate{12}, []Demand{{[]Link{0}, 1, 5}, {[]Link{0}, 1, 1}, one(0)}, []Rate{5, 1, 6}},
		// Links out 0–2 and in 3–5. Rack 0 sends 15 to each; racks 1 and 2 fill their links out with 45 to each, so in 1
		// and in 2 carry 60.
		{"shuffle, one slow rack", []Rate{30, 90, 90, 90, 90, 90},
			[]Demand{one(0, 4), one(0, 5), one(1, 3), one(1, 5), one(2, 3), one(2, 4)}, []Rate{15, 15, 45, 45, 45, 45}},
		{"a level of 0: more flows than units", []Rate{2}, []Demand{{[]Link{0}, 3, Unlimited}}, []Rate{0}},
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
				d.Links = append(d.Links, Link(l))
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
				if slices.Contains(d.Links, Link(l)) {
					load += Rate(d.Weight) * levels[i]
					if !fixed[i] {
						open += Rate(d.Weight)
					}
				}
			}
			if load+open > capacity { // no room for one more unit each
				for i, d := range demands {
					fixed[i] = fixed[i] || slices.Contains(d.Links, Link(l))
				}
			}
		}
	}
	return levels
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
		bottleneck := levels[i] == d.Limit || slices.ContainsFunc(d.Links, func(l Link) bool {
			return levels[i] == highest[l] && load[l]+Rate(weight[l]) > capacities[l]
		})
		if !bottleneck {
			return "a flow without a bottleneck"
		}
	}
	return ""
}

// TestMaxMinProperties: rates meet the definition, do not depend on the order of demands and, where numbers are small,
// equal those of filling unit by unit.
func TestMaxMinProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		largest := rapid.SampledFrom([]int{60, 60, 1 << 40}).Draw(t, "largest")
		capacities, demands := drawDemands(t, largest)
		levels := MaxMin(capacities, demands)
		if largest == 60 {
			if want := tinySteps(capacities, demands); !slices.Equal(levels, want) {
				t.Fatalf("%v, expected %v: %v %v", levels, want, capacities, demands)
			}
		}
		if wrong := checkMaxMin(capacities, demands, levels); wrong != "" {
			t.Fatalf("%s: %v %v %v", wrong, capacities, demands, levels)
		}
		slices.Reverse(demands)
		again := MaxMin(capacities, demands)
		slices.Reverse(again)
		if !slices.Equal(again, levels) {
			t.Fatalf("%v, in reverse order %v", levels, again)
		}
	})
}
