package reduceplace

import (
	"cmp"
	"encoding/binary"
	"fmt"
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

// tinySystem lists the states of K-limited processor sharing with exponential work. Which slots each of n running jobs
// holds is a configuration, a multiset of slot sets (bit masks); exponential work is memoryless, so nothing else
// counts. A state is a configuration and a number of waiting jobs, which is 0 unless K jobs run.
type tinySystem struct {
	slots, k int
	height   []float64 // H by slot
	law      Law
	queue    int // most waiting jobs

	first  []int32 // configurations of n jobs are first[n] … first[n+1]−1
	number map[string]int32
	sets   [][]uint64 // by configuration: sorted
	leave  [][]int32  // by configuration: what is left when one of its jobs leaves, job by job
	choice [][]choice // by configuration of fewer than K jobs times part of the law: the dearest first
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
