package reduceplace

import (
	"math"
	"math/rand/v2"
	"slices"
)

// walk redistributes groups of slots, one after another, until no group gains.
//
// Groups are slots at equal distances, the stride. A pass goes through all groups, one stride after another, but leaves
// out groups none of whose slots has changed since they were tried.
type walk struct {
	x       *exchanger
	top     int // slots that take part, the cheapest: those in use and some empty ones to make room
	strides []int
	tried   map[groupKey]int // by group: time of its last try
	changed []int            // by slot: time of its last change
	now     int
	slots   []int32 // the group at hand

	stride, first int  // of the next group; stride is an index
	passes        int  // over all strides, that are complete
	again         bool // something has changed in this one
	vain          int  // random groups without gain since the last gain
}

// groupKey identifies groups of slots at equal distances.
type groupKey struct{ first, stride int }

// An order of strides, given the rising strides of a walk.
type strideOrder func(strides []int) []int

// rising goes from neighbours to slots far apart.
func rising(strides []int) []int { return strides }

// outwards begins with strides of middle length, goes down to neighbours, and ends with slots far apart: slots of
// middle distance differ enough in cost to gain much at once, and are still alike enough in what they hold to gain
// often.
func outwards(strides []int) []int {
	slices.Reverse(strides[:len(strides)/2+1])
	return strides
}

// walk begins a walk over the slots as they are.
func (x *exchanger) walk(order strideOrder) *walk {
	used, q := 0, len(x.perms[0])
	for s, list := range x.lists {
		if len(list) > 0 {
			used = s + 1
		}
	}
	w := &walk{x: x, slots: make([]int32, q), tried: map[groupKey]int{}}
	if used < 2 {
		return w
	}
	w.top = min(x.in.Slots, used+q-1)
	w.changed = make([]int, w.top)
	for stride := 1; (q-1)*stride < w.top; stride += (stride + 1) / 2 {
		w.strides = append(w.strides, stride)
	}
	w.strides = order(w.strides)
	return w
}

// step redistributes the next group that may gain; false if none is left.
func (w *walk) step() bool {
	q := len(w.slots)
	for {
		if w.stride == len(w.strides) {
			if !w.again {
				return false
			}
			w.stride, w.again = 0, false
			w.passes++
		}
		stride := w.strides[w.stride]
		if w.first+(q-1)*stride >= w.top {
			w.stride, w.first = w.stride+1, 0
			continue
		}
		k, fresh := groupKey{w.first, stride}, false
		for i := range w.slots {
			w.slots[i] = int32(w.first + i*stride)
			fresh = fresh || w.changed[w.slots[i]] >= w.tried[k]
		}
		w.first++
		if !fresh {
			continue
		}
		if w.redistribute() {
			w.again = true
		}
		w.tried[k] = w.now
		return true
	}
}

// redistribute redistributes the current group.
func (w *walk) redistribute() bool {
	w.now++
	if !w.x.redistribute(w.slots) {
		return false
	}
	for _, s := range w.slots {
		w.changed[s] = w.now
	}
	w.now++ // the group itself need not be tried again
	return true
}

// vainTries is how many random groups, per existing group, a walk tries without gain before it ends.
const vainTries = 20

// stray redistributes a random group, slots at distances whose logarithms are uniform; it is false if a gain is
// unlikely.
func (w *walk) stray(random *rand.Rand) bool {
	q := len(w.slots)
	groups := 1.0
	for i := range q {
		groups *= float64(w.top-i) / float64(i+1)
	}
	if len(w.strides) == 0 || float64(w.vain) >= vainTries*groups {
		return false
	}
	for at := w.top; at >= w.top; {
		at = random.IntN(w.top)
		w.slots[0] = int32(at)
		for i := 1; i < q && at < w.top; i++ {
			at += int(math.Exp(random.Float64() * math.Log(float64(w.top))))
			w.slots[i] = int32(at)
		}
	}
	w.vain++
	if w.redistribute() {
		w.vain = 0
	}
	return true
}
