package reduceplace

import (
	"math/rand/v2"
	"slices"

	"mrsched/model/reduceplace"
)

// rhc is receding horizon control. It expects just one more job, with as many reduces, before any running job ends.
// That job finds this one still there with probability p = N/(2N+1), where arriving jobs find N others on average. If
// this job's data a reduce is at least p times the mean, it takes the cheapest R slots. Else it leaves them to the next
// job and takes the R after them; if fewer than 2R are free, the most expensive R of those.
//
// Complexity: O(R) per job.   Ties: data equal to the threshold takes the cheapest. Source: Tan et al., INFOCOM 2013,
// Theorem 4 and §IV.
type rhc struct {
	unaware
	in     *reduceplace.Instance
	x      []float64 // by job: the assumed data per reduce
	window window
}

func newRHC(r *run) *rhc {
	return &rhc{in: r.in, x: r.expected, window: window{size: int(r.p.window)}}
}

func (p *rhc) offset(job int32, r int, free *freeSlots) int {
	p.window.add(float64(p.in.Present[job]), p.x[job])
	n, mean := p.window.means()
	if p.x[job] >= n/(2*n+1)*mean {
		return 0
	}
	return min(r, free.count-r)
}

// window holds the latest observations of two numbers and their sums.
type window struct {
	size   int
	values [][2]float64
	next   int
	sum    [2]float64
}

func (w *window) add(a, b float64) {
	v := [2]float64{a, b}
	if len(w.values) < w.size {
		w.values = append(w.values, v)
	} else {
		old := w.values[w.next]
		w.sum[0] -= old[0]
		w.sum[1] -= old[1]
		w.values[w.next] = v
		w.next = (w.next + 1) % w.size
	}
	w.sum[0] += a
	w.sum[1] += b
}

func (w *window) means() (a, b float64) {
	n := float64(len(w.values))
	return w.sum[0] / n, w.sum[1] / n
}

// random takes random free slots, which is what Hadoop's order of heartbeats amounts to.
//
// Source: Tan et al., INFOCOM 2013, §V-B.
type random struct {
	unaware
	*rand.Rand
}

func (p random) choose(list []int32, _ int32, r int, free *freeSlots) []int32 {
	start := len(list)
	for range r {
		s := free.at(p.IntN(free.count))
		free.take(s)
		list = append(list, s)
	}
	for _, s := range list[start:] {
		free.release(s) // the engine takes them
	}
	slices.Sort(list[start:])
	return list
}

// greedy takes the cheapest free slots.
//
// Source: Tan et al., INFOCOM 2013, §V-B.
type greedy struct{ unaware }

func (greedy) offset(int32, int, *freeSlots) int { return 0 }
