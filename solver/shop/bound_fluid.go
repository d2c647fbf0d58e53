package shop

import (
	"mrsched/model/heap"
	"mrsched/model/shop"
)

// FluidSpeed is the speed of a pool from some time on, in seconds.
type FluidSpeed struct{ From, Speed float64 }

func speedsOf(x *shop.Pooled) []FluidSpeed {
	list := make([]FluidSpeed, len(x.Speeds))
	for i, s := range x.Speeds {
		list[i] = FluidSpeed{s.From.Seconds(), float64(s.Speed)}
	}
	return list
}

func topSpeed(list []FluidSpeed) (top float64) {
	for _, s := range list {
		top = max(top, s.Speed)
	}
	return top
}

// Fluid is one machine whose speed is a step function of time.
type Fluid struct {
	left    []float64 // by index
	waiting heap.Heap[float64]
	On      func(k int32, from, until float64) // if set, is called for each time in which it works on an index
}

// NewFluid makes room for a number of indices.
func NewFluid(n int) *Fluid { return &Fluid{left: make([]float64, n)} }

// Run computes the mean time at which each index of order is worked on, in the schedule that always works on the
// available one of the highest price. The order is that of the times from which they are available; areas are in
// seconds times speed. An index without area or price gets the mean that it would have alone.
func (f *Fluid) Run(order []int32, from []float64, area func(k int32) float64, price []float64,
	speeds []FluidSpeed, mean []float64) {
	var now float64
	s := 0
	f.waiting = f.waiting[:0]
	for i := 0; i < len(order) || len(f.waiting) > 0; {
		if len(f.waiting) == 0 {
			now = max(now, from[order[i]])
		}
		for ; i < len(order) && from[order[i]] <= now; i++ {
			k := order[i]
			if f.left[k], mean[k] = area(k), 0; f.left[k] > 0 {
				f.waiting.Push(heap.Item[float64]{Key: -price[k], Index: k})
			}
		}
		if len(f.waiting) == 0 {
			continue
		}
		for s+1 < len(speeds) && speeds[s+1].From <= now {
			s++
		}
		speed, k := speeds[s].Speed, f.waiting[0].Index
		if speed == 0 && s+1 == len(speeds) {
			for _, w := range f.waiting { // never worked on
				mean[w.Index] += f.left[w.Index] / area(w.Index) * now
			}
			f.waiting = f.waiting[:0]
			continue
		}
		until, work := 0.0, f.left[k]
		if speed > 0 {
			until = now + work/speed
		}
		stop := until
		if s+1 < len(speeds) && (speed == 0 || speeds[s+1].From < stop) {
			stop = speeds[s+1].From
		}
		if i < len(order) && from[order[i]] < stop {
			stop = from[order[i]]
		}
		if speed == 0 || stop < until {
			until, work = stop, min(work, (stop-now)*speed)
		} else {
			f.waiting.Pop()
		}
		if f.On != nil {
			f.On(k, now, until)
		}
		mean[k] += work / area(k) * (now + until) / 2
		f.left[k] -= work
		now = until
	}
}
