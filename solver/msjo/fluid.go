package msjo

import (
	"mrsched/model/heap"
	"mrsched/model/msjo"
)

// fluidMachine is one machine that is as fast as all machines together.
type fluidMachine struct {
	m       float64
	left    []float64 // seconds of work, by position
	waiting heap.Heap[float64]
	piece   func(stretch) // receives every stretch of work; may be nil
}

// stretch is a time of uninterrupted work on one position, in seconds.
type stretch struct {
	position    int32
	from, until float64
}

func newFluidMachine(in *msjo.Instance, positions int) *fluidMachine {
	return &fluidMachine{m: float64(in.Nodes), left: make([]float64, positions)}
}

// run computes the mean time at which each position of order is worked on, in the schedule that always works on the
// available one of the highest price per second. order is sorted by from, the times at which positions become
// available. p is seconds of work. All slices but order are by position.
func (f *fluidMachine) run(order []int32, from, p, price, mean []float64) {
	var now float64
	for i := 0; i < len(order) || len(f.waiting) > 0; {
		if len(f.waiting) == 0 {
			now = max(now, from[order[i]])
		}
		for ; i < len(order) && from[order[i]] <= now; i++ {
			k := order[i]
			f.left[k], mean[k] = p[k], 0
			f.waiting.Push(heap.Item[float64]{Key: -price[k], Index: k})
		}
		k := f.waiting[0].Index
		until, work := now+f.left[k]/f.m, f.left[k]
		if i < len(order) && until > from[order[i]] {
			until = from[order[i]]
			work = min(work, (until-now)*f.m)
		} else {
			f.waiting.Pop()
		}
		if f.piece != nil {
			f.piece(stretch{k, now, until})
		}
		mean[k] += work / p[k] * (now + until) / 2
		f.left[k] -= work
		now = until
	}
}
