package multitenant

import (
	"cmp"
	"slices"

	"mrsched/solver/list"
)

// The orders of placer.orders.
const (
	fairOrder = iota
	midpointOrder
	sizeOrder
	tailOrder
	arrivalOrder
)

var orderName = [...]string{fairOrder: "fair", midpointOrder: "midpoint", sizeOrder: "size", tailOrder: "tail",
	arrivalOrder: "arrival"}

// orders are the orders in which jobs get slots: users as under fair, and within a user by arrival; by the midpoints of
// the relaxation to one machine; the smallest first; the longest alone first; and by arrival. Each is a rank by job,
// except the first.
func (p *placer) orders() [][]int32 {
	size := make([]float64, p.in.Jobs)
	tail := make([]int64, p.in.Jobs)
	for j := range size {
		size[j] = p.work(int32(j))
		tail[j] = int64(p.x.Alone(int32(j)) - p.in.Arrival[j])
	}
	bySize := ordered(p.in.Jobs, func(a, b int32) int { return cmp.Compare(size[a], size[b]) })
	mid := p.midpoints(size, bySize, p.byArrival)
	byMid := ordered(p.in.Jobs, func(a, b int32) int { return cmp.Compare(mid[a], mid[b]) })
	byTail := ordered(p.in.Jobs, func(a, b int32) int { return cmp.Compare(tail[b], tail[a]) })
	return [][]int32{fairOrder: nil, midpointOrder: inverse(byMid), sizeOrder: inverse(bySize),
		tailOrder: inverse(byTail), arrivalOrder: inverse(p.byArrival)}
}

// inverse turns an order into ranks: element k of a permutation becomes the index k.
func inverse(order []int32) []int32 {
	rank := make([]int32, len(order))
	for k, j := range order {
		rank[j] = int32(k)
	}
	return rank
}

// midpoints are, by job, the mean time at which one machine as fast as the whole cluster works on it, if the machine
// always works on the job with the least work. They minimise the sum of completion times in the relaxation of Goemans,
// in which a job's completion is its midpoint plus half its length.
//
// Complexity: O(jobs log jobs).   Source: Goemans, SODA 1997.
func (p *placer) midpoints(work []float64, bySize, byArrival []int32) []float64 {
	n := p.in.Jobs
	left, mid, size := slices.Clone(work), make([]float64, n), inverse(bySize)
	var waiting list.Heap // by size
	now, next := 0.0, 0
	for next < n || len(waiting) > 0 {
		if len(waiting) == 0 {
			now = max(now, p.in.Arrival[byArrival[next]].Seconds())
		}
		for ; next < n && p.in.Arrival[byArrival[next]].Seconds() <= now; next++ {
			waiting.Push(list.Item{Index: size[byArrival[next]]})
		}
		j := bySize[waiting[0].Index]
		span, over := left[j], true
		if next < n {
			if until := p.in.Arrival[byArrival[next]].Seconds() - now; until < span {
				span, over = until, false
			}
		}
		if work[j] == 0 {
			mid[j] = now
		} else {
			mid[j] += span / work[j] * (now + span/2)
		}
		now += span
		if left[j] -= span; over {
			waiting.Pop()
		} else { // no rounding may keep the next job from arriving
			now = max(now, p.in.Arrival[byArrival[next]].Seconds())
		}
	}
	return mid
}

// work is how many seconds a job would keep all map slots, all reduce slots or all uplinks busy, whichever is largest.
// Its shuffle is assumed to cross racks from all of them.
func (p *placer) work(j int32) float64 {
	job, maps, reduces, most := &p.x.Jobs[j], 0.0, 0.0, 0.0
	for i := range job.Maps {
		maps += float64(job.Maps[i].Count) * job.Kinds[job.Maps[i].Kind].Base / 1e6
	}
	for i := range job.Reduces {
		reduces += float64(job.Reduces[i].Count) * job.Reduces[i].Base / 1e6
	}
	if maps > 0 {
		most = maps / sum(p.maps)
	}
	if reduces > 0 {
		most = max(most, reduces/sum(p.reduces))
	}
	if job.Shuffles {
		most = max(most, p.seconds(float64(job.Volume)*float64(p.in.Racks-1)/float64(p.in.Racks)))
	}
	return most
}
