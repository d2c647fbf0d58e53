package multitenant

import (
	"cmp"
	"slices"

	"mrsched/model/multitenant"
)

// placement is where SAMP wants a job's maps.
type placement struct {
	racks  []bool    // by rack: whether maps are to run there; nil: nothing is known of where their input lies
	share  []float64 // by rack: the part of the maps' output that would lie there
	across float64   // bytes that would cross racks
}

// samp is Shuffle-Aware Map Placement. Among the racks that hold some of a job's input, those with most first, it takes
// the number with the least traffic: what maps read from elsewhere because no replica lies in these racks, plus what
// the shuffle of the given volume moves if reduces lie where the output does. Output is assumed proportional to input.
// A map with replicas in several of the racks counts equally for each of them, a map with none for all.
//
// Ties: racks in turn from the job's number on, so that jobs with the same input use different racks; then fewer racks.
// Complexity: O(racks·replicas). Source: the paper's Figure 4. Differs: racks without map slots are not taken, and a
// map of unknown replicas counts for all racks taken, without traffic.
func samp(in *multitenant.Instance, id int32, volume float64, usable []bool) placement {
	first, end := in.FirstMap[id], in.FirstMap[id+1]
	held, weights := make([]float64, in.Racks), 0.0
	weight := func(t int32) float64 { return float64(in.Input[t]) }
	for t := first; t < end; t++ {
		weights += weight(t)
	}
	if weights == 0 {
		weights, weight = float64(end-first), func(int32) float64 { return 1 }
	}
	var order []int32
	listed := make([]bool, in.Racks) // a map of no bytes lists its racks and adds nothing to what they hold
	for t := first; t < end; t++ {
		eachRack(in, t, func(rack int32) {
			if usable[rack] && !listed[rack] {
				order = append(order, rack)
				listed[rack] = true
			}
			held[rack] += weight(t)
		})
	}
	racks := int32(in.Racks)
	turn := func(rack int32) int32 { return (rack + racks - id%racks) % racks }
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(held[b], held[a]),
			cmp.Compare(turn(a), turn(b)))
	})
	var best placement
	taken := make([]bool, in.Racks)
	for k, rack := range order {
		taken[rack] = true
		p := placement{share: make([]float64, in.Racks)}
		far := 0.0 // weight of maps that run anywhere in the racks taken
		for t := first; t < end; t++ {
			near := 0
			eachRack(in, t, func(rack int32) {
				if taken[rack] {
					near++
				}
			})
			if near == 0 {
				far += weight(t)
				if len(in.Replicas(t)) > 0 {
					p.across += float64(in.Input[t])
				}
				continue
			}
			eachRack(in, t, func(rack int32) {
				if taken[rack] {
					p.share[rack] += weight(t) / float64(near)
				}
			})
		}
		for _, rack := range order[:k+1] {
			p.share[rack] = (p.share[rack] + far/float64(k+1)) / weights
		}
		p.across += crossing(p.share, volume)
		if best.racks == nil || p.across < best.across {
			p.racks = slices.Clone(taken)
			best = p
		}
	}
	return best
}

// crossing is what a shuffle moves across racks if the reduces lie in proportion to the maps' output: V·(1 − Σ f²).
func crossing(share []float64, volume float64) float64 {
	same := 0.0
	for _, f := range share {
		same += f * f
	}
	return volume * (1 - same)
}
