package reduceplace

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"mrsched/model"
)

// Limits of systems that are small enough for stationary.
const (
	maxStates  = 200_000   // slots of all running jobs, and jobs waiting
	maxChoices = 4_000_000 // ways to place a job, over all states in which one starts
	maxBitSlot = 64
)

// tinySystem lists the states of K-limited processor sharing with exponential work, which is memoryless. A
// configuration is a multiset of slot sets (bit masks), those that the running jobs hold. A state is a configuration
// and a number of waiting jobs, which is 0 unless K jobs run.
type tinySystem struct {
	slots, k int
	height   []float64 // H by slot
	law      Law
	queue    int // most waiting jobs

	first  []int32 // configurations of n jobs are first[n] … first[n+1]−1
	number map[string]int32
	sets   [][]uint64 // by configuration: sorted
	leave  [][]int32  // by configuration: what is left when one of its jobs leaves, job by job
	choice [][]choice // by configuration of fewer than K jobs times part of the law: the most expensive first
}

// choice is a set of free slots for a job that starts.
type choice struct {
	height float64 // H(A)
	set    uint64
	next   int32 // the configuration with it
}

// newTinySystem lists all states, or says with an input error that they are too many.
func newTinySystem(height []float64, law Law, k, queue int) (*tinySystem, error) {
	s := &tinySystem{slots: len(height), k: k, height: height, law: law, queue: queue, number: map[string]int32{}}
	if k*law.MaxReduces() > s.slots {
		return nil, tooLarge("%s of up to %s may not fit on %s, so that jobs wait for slots", model.Counted(k, "job"),
			model.Counted(law.MaxReduces(), "reduce"), model.Counted(s.slots, "slot"))
	}
	if s.slots > maxBitSlot {
		return nil, tooLarge("%d slots are more than %d", s.slots, maxBitSlot)
	}
	s.add(nil)
	s.first = []int32{0, 1}
	choices := 0
	for n := range k {
		weight := 1 // how often a step looks at a choice
		if n == k-1 {
			weight = max(1, queue)
		}
		for c := s.first[n]; c < s.first[n+1]; c++ {
			for _, part := range law {
				list, ok := s.place(c, part.Reduces, (maxChoices-choices)/weight)
				if choices += len(list) * weight; !ok || choices > maxChoices {
					return nil, tooLarge("there are more than %d ways to place a job", maxChoices)
				}
				s.choice = append(s.choice, list)
			}
			if s.states(int32(len(s.sets)), n+1) > maxStates {
				return nil, tooLarge("there are more than %d states", maxStates)
			}
		}
		s.first = append(s.first, int32(len(s.sets)))
	}
	s.leave = make([][]int32, len(s.sets))
	for c, sets := range s.sets {
		for k := range sets {
			s.leave[c] = append(s.leave[c], s.number[key(slices.Delete(slices.Clone(sets), k, k+1))])
		}
	}
	return s, nil
}

func tooLarge(format string, args ...any) error {
	return model.NewInputError(model.Finding{Code: model.CodeParameter, What: "the system is too large for stationary: " +
		fmt.Sprintf(format, args...),
		Expected: "a few slots and running jobs", Hint: "limit --max-running-jobs"})
}

// states is the number of states, given the number of configurations if those of n jobs come last.
func (s *tinySystem) states(configurations int32, n int) int {
	if n < s.k {
		return int(configurations)
	}
	return int(configurations) + int(configurations-s.first[n])*s.queue
}

func key(sets []uint64) string {
	b := make([]byte, 0, 8*len(sets))
	for _, m := range sets {
		b = binary.LittleEndian.AppendUint64(b, m)
	}
	return string(b)
}

// add gives a configuration its number.
func (s *tinySystem) add(sets []uint64) int32 {
	id := key(sets)
	c, ok := s.number[id]
	if !ok {
		c = int32(len(s.sets))
		s.number[id] = c
		s.sets = append(s.sets, sets)
	}
	return c
}

// with is a configuration with one more set.
func with(sets []uint64, m uint64) []uint64 {
	at, _ := slices.BinarySearch(sets, m)
	return slices.Insert(slices.Clone(sets), at, m)
}

// place lists the sets of v free slots of a configuration, or says that there are more than limit.
func (s *tinySystem) place(c int32, v, limit int) (list []choice, ok bool) {
	free := uint64(1)<<s.slots - 1 // of 64 slots too: 1<<64 is 0
	for _, m := range s.sets[c] {
		free &^= m
	}
	sets := s.sets[c]
	var extend func(chosen, left uint64, missing int, height float64) bool
	extend = func(chosen, left uint64, missing int, height float64) bool {
		if missing == 0 {
			list = append(list, choice{height, chosen, s.add(with(sets, chosen))})
			return len(list) <= limit && len(s.sets) <= maxStates
		}
		for ; bits.OnesCount64(left) >= missing; left &= left - 1 {
			k := bits.TrailingZeros64(left)
			if !extend(chosen|1<<k, left&(left-1), missing-1, height+s.height[k]) {
				return false
			}
		}
		return true
	}
	if !extend(0, free, v, 0) {
		return list, false
	}
	slices.SortStableFunc(list, func(a, b choice) int {
		return cmp.Or(cmp.Compare(b.height, a.height),
			cmp.Compare(b.set, a.set))
	})
	return list, true
}

// The iteration stops when the cost of a busy cycle is known to this share of it, or after that many steps.
const (
	valueTolerance = 1e-9
	maxValueSteps  = 10_000
)

// values are the optimal expected fetching costs of a tiny system from each state until it is empty, C(D) in the paper.
//
// Value iteration on C = T C, T C(D) = p·A(D) + (1−p)·D(D) over arrival and departure, with p = λ/(λ+μ). The number of
// jobs in the system is an M/M/1 queue whatever the policy, so adding δ(n) to all states of n jobs commutes with T.
// Each step adds the δ that removes the middle of the residuals by n. This leaves only differences between sets, which
// are forgotten as soon as the jobs have left. The least and largest residual by n bound C likewise.
type values struct {
	*tinySystem
	p     float64
	value []float64 // by state
	// start is the expected cost from the moment at which a job starts, before its data are known: by configuration of
	// fewer than K jobs, then for 0 < q < queue waiting jobs by q and configuration of K−1 jobs.
	start []float64
	// The cost of a busy cycle lies in between.
	lower, upper float64
	steps        int
	hull         hull
}

// state is the number of a state; waiting is 0 unless the configuration has K jobs.
func (v *values) state(c int32, waiting int) int32 {
	return c + int32(waiting)*(v.first[v.k+1]-v.first[v.k])
}

// jobs is the number of running jobs of a configuration.
func (v *values) jobs(c int32) int { return len(v.sets[c]) }

// solveValues iterates until values are known or ctx ends.
func solveValues(ctx context.Context, s *tinySystem, load float64) *values {
	v := &values{tinySystem: s, p: load / (1 + load), upper: math.MaxFloat64}
	v.value = make([]float64, s.states(int32(len(s.sets)), s.k))
	v.start = make([]float64, v.starting(v.first[v.k], v.queue-1))
	next, n := make([]float64, len(v.value)), v.k+v.queue
	low, high, mid := make([]float64, n+1), make([]float64, n+1), make([]float64, n+1)
	for v.steps < maxValueSteps && ctx.Err() == nil && v.upper-v.lower > valueTolerance*v.upper {
		v.steps++
		v.starts()
		for i := range low {
			low[i], high[i] = math.Inf(1), math.Inf(-1)
		}
		v.each(func(c int32, waiting int) {
			d := v.state(c, waiting)
			next[d] = v.step(c, waiting)
			i := v.jobs(c) + waiting
			low[i], high[i] = min(low[i], next[d]-v.value[d]), max(high[i], next[d]-v.value[d])
		})
		for i := range mid {
			mid[i] = (low[i] + high[i]) / 2
		}
		v.lower, v.upper = v.start[0]+v.shift(low)[1], v.start[0]+v.shift(high)[1]
		delta := v.shift(mid)
		v.each(func(c int32, waiting int) {
			i := v.jobs(c) + waiting
			v.value[v.state(c, waiting)] = next[v.state(c, waiting)] + delta[i] - mid[i]
		})
	}
	return v
}

// each visits all states but the empty one.
func (v *values) each(visit func(c int32, waiting int)) {
	for c := int32(1); c < int32(len(v.sets)); c++ {
		visit(c, 0)
		for q := 1; q <= v.queue && v.jobs(c) == v.k; q++ {
			visit(c, q)
		}
	}
}

// shift solves δ(n) = p·δ(n+1) + (1−p)·δ(n−1) + r(n) with δ(0) = 0, where arrivals to a full system are lost.
func (v *values) shift(r []float64) []float64 {
	last := len(r) - 1
	delta := make([]float64, len(r))
	delta[last] = r[last] / (1 - v.p) // differences first
	for n := last - 1; n > 0; n-- {
		delta[n] = (v.p*delta[n+1] + r[n]) / (1 - v.p)
	}
	for n := 1; n <= last; n++ {
		delta[n] += delta[n-1]
	}
	return delta
}

// step is T C of one state.
func (v *values) step(c int32, waiting int) float64 {
	var arrival, departure float64
	switch {
	case v.jobs(c) < v.k:
		arrival = v.start[c]
	case waiting < v.queue:
		arrival = v.value[v.state(c, waiting+1)]
	default:
		arrival = v.value[v.state(c, waiting)]
	}
	for _, left := range v.leave[c] {
		if waiting == 0 {
			departure += v.value[left]
		} else {
			departure += v.start[v.starting(left, waiting-1)]
		}
	}
	return v.p*arrival + (1-v.p)*departure/float64(len(v.leave[c]))
}

// starting is the place in start of a configuration with waiting jobs, of which there are none unless it has K−1 jobs.
func (v *values) starting(c int32, waiting int) int32 {
	return c + int32(waiting)*(v.first[v.k]-v.first[v.k-1])
}

// starts computes start from the values.
func (v *values) starts() {
	for c := range v.first[v.k] {
		v.start[c] = v.startsAt(c, 0)
		for q := 1; q < v.queue && c >= v.first[v.k-1]; q++ {
			v.start[v.starting(c, q)] = v.startsAt(c, q)
		}
	}
}

// startsAt is E[min over A of H(A)·u + C(state with A)], q jobs waiting behind the one that starts.
func (v *values) startsAt(c int32, q int) float64 {
	sum := 0.0
	for k, part := range v.law {
		h := &v.hull
		h.lines = h.lines[:0]
		for _, a := range v.choice[int(c)*len(v.law)+k] {
			h.add(a.height, v.value[v.state(a.next, q)])
		}
		sum += part.Probability * h.mean(part.Data)
	}
	return sum
}

// best is the set with the least H(A)·u + C(state with A) for the job that starts. Ties: the least H(A).
func (v *values) best(c int32, q int, reduces int, u float64) uint64 {
	part := slices.IndexFunc(v.law, func(p LawPart) bool { return p.Reduces == reduces })
	var set uint64
	least := math.Inf(1)
	list := v.choice[int(c)*len(v.law)+part]
	for k := len(list) - 1; k >= 0; k-- {
		if cost := list[k].height*u + v.value[v.state(list[k].next, q)]; cost < least {
			set, least = list[k].set, cost
		}
	}
	return set
}

// perJob is the least average cost of a job. Its cycles begin and end with an empty system; jobs that are lost do not
// count.
func (v *values) perJob() float64 {
	load, jobs, share := v.p/(1-v.p), 0.0, 1.0 // share of the time at which n jobs are there over that of none
	for range v.k + v.queue {
		jobs += share
		share *= load
	}
	return (v.lower + v.upper) / 2 / jobs
}

// hull is the lower envelope of lines a·u + b over u ≥ 0, added by falling slope.
type hull struct{ lines []line }

// line is least from the point from on.
type line struct{ slope, value, from float64 }

func (h *hull) add(slope, value float64) {
	for n := len(h.lines); n > 0; n-- {
		top := h.lines[n-1]
		if value <= top.value {
			h.lines = h.lines[:n-1]
			continue
		}
		if slope == top.slope {
			return
		}
		from := (value - top.value) / (top.slope - slope)
		if from > top.from {
			h.lines = append(h.lines, line{slope, value, from})
			return
		}
		h.lines = h.lines[:n-1]
	}
	h.lines = append(h.lines, line{slope, value, 0})
}

// mean is the expectation of the envelope.
func (h *hull) mean(law *Distribution) float64 {
	sum := 0.0
	probability, moment := 1.0, 0.0
	_, moment = law.Below(math.Inf(1))
	for k := len(h.lines) - 1; k >= 0; k-- {
		l := h.lines[k]
		p, m := 0.0, 0.0
		if k > 0 {
			p, m = law.Below(l.from)
		}
		sum += l.value*(probability-p) + l.slope*(moment-m)
		probability, moment = p, m
	}
	return sum
}
