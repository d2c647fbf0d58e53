package reduceplace

import (
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/reduceplace"
)

// exchanger redistributes the tasks of a few slots among these slots at the least cost.
//
// Call the tasks of a slot a track. Tracks that are idle at the same time may exchange their later parts. So a
// distribution is a permutation of slots over tracks for each time, in which idle tracks change places. Dynamic
// programming over the starts of tasks, with one state per permutation, finds the best. It lets a track change places
// only when one of its tasks starts. This reaches all distributions: every task chooses again among the idle slots, and
// the places of idle tracks do not matter.
//
// Complexity: O(m·q·q!) for m tasks on q slots.   Ties: the distribution as it is, then the lower track.
type exchanger struct {
	in    *reduceplace.Instance
	lists [][]span // by slot, by start, then end

	perms [][]int8  // the first is the identity
	swap  [][]int16 // by permutation and 8·a + b: the one in which tracks a and b have changed places

	tasks []event
	from  []int8 // by event and permutation: with which track the event's changed places
	cost  []float64
	next  []float64

	gained float64 // by all redistributions
}

// group is the largest number of slots that are redistributed at once.
const group = 4

// event is the start of a task on a track.
type event struct {
	span
	track int8
	idle  uint8 // tracks, the task's own among them
}

func newExchanger(in *reduceplace.Instance, slot []int32, q int) *exchanger {
	x := &exchanger{in: in, lists: held(in, slot)}
	identity := make([]int8, q)
	for k := range identity {
		identity[k] = int8(k)
	}
	x.perms = [][]int8{identity}
	for k := 0; k < len(x.perms); k++ {
		x.swap = append(x.swap, make([]int16, 8*q))
		for a := range q {
			for b := range q {
				p := slices.Clone(x.perms[k])
				p[a], p[b] = p[b], p[a]
				at := slices.IndexFunc(x.perms, func(o []int8) bool { return slices.Equal(o, p) })
				if at < 0 {
					at = len(x.perms)
					x.perms = append(x.perms, p)
				}
				x.swap[k][8*a+b] = int16(at)
			}
		}
	}
	x.cost, x.next = make([]float64, len(x.perms)), make([]float64, len(x.perms))
	return x
}

// redistribute minimises the cost of the tasks of slots within these slots, and says whether it fell.
func (x *exchanger) redistribute(slots []int32) bool {
	x.merge(slots)
	n := len(x.perms)
	x.from = sized(x.from, n*len(x.tasks))
	for k := range x.cost {
		x.cost[k] = math.Inf(1)
	}
	x.cost[0] = 0
	before := 0.0
	rate := make([]float64, len(slots)) // cost of a byte
	for k, s := range slots {
		rate[k] = x.in.Cost[s].Float()
	}
	for k := range x.tasks {
		e := &x.tasks[k]
		bytes, parts := x.in.Data(e.job, e.task)
		data := float64(bytes) / float64(parts)
		before += data * rate[e.track]
		x.advance(e, data, rate, x.from[k*n:(k+1)*n])
	}
	best := 0
	for k, c := range x.cost {
		if c < x.cost[best] {
			best = k
		}
	}
	if x.cost[best] >= before*(1-gain) {
		return false
	}
	x.gained += before - x.cost[best]
	x.apply(slots, best)
	return true
}

// gain is the least improvement, relative to the cost of the slots' tasks, beyond errors of rounding.
const gain = 1e-12

// advance processes the start of one task.
func (x *exchanger) advance(e *event, data float64, rate []float64, from []int8) {
	for k := range x.next {
		x.next[k] = math.Inf(1)
	}
	for k, c := range x.cost {
		if math.IsInf(c, 1) {
			continue
		}
		if to := c + data*rate[x.perms[k][e.track]]; to <= x.next[k] {
			x.next[k], from[k] = to, e.track
		}
		for i := range int8(len(rate)) {
			if i == e.track || e.idle>>i&1 == 0 {
				continue
			}
			o := x.swap[k][8*int(e.track)+int(i)]
			if to := c + data*rate[x.perms[k][i]]; to < x.next[o] {
				x.next[o], from[o] = to, i
			}
		}
	}
	x.cost, x.next = x.next, x.cost
}

// apply follows the best distribution back from its last permutation.
func (x *exchanger) apply(slots []int32, last int) {
	n := len(x.perms)
	for _, s := range slots {
		x.lists[s] = x.lists[s][:0]
	}
	for k := len(x.tasks) - 1; k >= 0; k-- {
		e := &x.tasks[k]
		s := slots[x.perms[last][e.track]]
		x.lists[s] = append(x.lists[s], e.span)
		last = int(x.swap[last][8*int(e.track)+int(x.from[k*n+last])])
	}
	for _, s := range slots {
		slices.Reverse(x.lists[s])
	}
}

// merge lists the tasks of slots by their starts, and then their ends.
func (x *exchanger) merge(slots []int32) {
	x.tasks = x.tasks[:0]
	at, until := make([]int, len(slots)), make([]model.Time, len(slots))
	for {
		var next *span
		first := 0
		for k, s := range slots {
			if at[k] == len(x.lists[s]) {
				continue
			}
			a := &x.lists[s][at[k]]
			if next == nil || a.start < next.start || a.start == next.start && a.end < next.end {
				first, next = k, a
			}
		}
		if next == nil {
			return
		}
		e := event{span: *next, track: int8(first)}
		for k := range slots {
			if until[k] <= e.start {
				e.idle |= 1 << k
			}
		}
		until[first] = e.end
		at[first]++
		x.tasks = append(x.tasks, e)
	}
}

// placement is the slot by task.
func (x *exchanger) placement() []int32 {
	slot := make([]int32, x.in.Tasks)
	for s, list := range x.lists {
		for _, h := range list {
			slot[h.task] = int32(s)
		}
	}
	return slot
}

// walk redistributes groups of slots at equal distances, the stride, until no group gains. A pass goes through all
// groups, one stride after another, but leaves out groups of which no slot has changed since they were tried.
type walk struct {
	x       *exchanger
	top     int // slots that take part, the cheapest: those in use and some empty ones to make room
	strides []int
	tried   map[[2]int]int // by a group's first slot and stride: time of its last try
	changed []int          // by slot: time of its last change
	now     int
	slots   []int32 // the group at hand

	stride, first int  // of the next group; stride is an index
	again         bool // something has changed in this one
}

// walk begins a walk over the slots as they are. It goes from strides of middle length down to neighbours, and then to
// slots far apart. Slots of middle distance differ enough in cost to gain much, and hold tasks that are alike enough to
// gain often.
func (x *exchanger) walk() *walk {
	used, q := 0, len(x.perms[0])
	for s, list := range x.lists {
		if len(list) > 0 {
			used = s + 1
		}
	}
	w := &walk{x: x, slots: make([]int32, q), tried: map[[2]int]int{}}
	if used < 2 {
		return w
	}
	w.top = min(x.in.Slots, used+q-1)
	w.changed = make([]int, w.top)
	for stride := 1; (q-1)*stride < w.top; stride += (stride + 1) / 2 {
		w.strides = append(w.strides, stride)
	}
	slices.Reverse(w.strides[:len(w.strides)/2+1])
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
		}
		stride := w.strides[w.stride]
		if w.first+(q-1)*stride >= w.top {
			w.stride, w.first = w.stride+1, 0
			continue
		}
		k, fresh := [2]int{w.first, stride}, false
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
