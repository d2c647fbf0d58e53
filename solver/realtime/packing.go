package realtime

import (
	"fmt"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
	"mrsched/solver/lp"
)

// packing is R||Cmax for one set of partitions: each goes whole to one of the candidate slots, of which at most Most
// may be used; the objective is the largest load. Partitions count from 0 in the set, slots by candidate.
//
//	n, m      partitions, candidates          p.time(i, c)   what partition i takes on a slot of class c
type packing struct {
	realtime.Candidates
	in    *realtime.Instance
	set   realtime.Set
	n, m  int
	count []int        // by class: its candidates
	times []model.Time // by partition, then by class; nil: they are too many to keep
	least []model.Time // by partition
	of    [][]int32    // by class: its candidates
	unit  model.Time   // greatest common divisor of all times: that of all loads
	// related says that no partition has times of its own: then each takes base/speed, and classes have an order that
	// holds for all partitions.
	related bool
	// partial says that only some of the instance's candidates are looked at, so that no proof holds for the instance.
	partial bool
}

// keptTimes is how many times of partitions on classes a packing keeps.
const keptTimes = 1 << 23

// newPacking looks at one set.
func newPacking(in *realtime.Instance, set realtime.Set) *packing {
	p := &packing{in: in, set: set, Candidates: in.Candidates(set), n: int(set.Count)}
	p.m = len(p.Slots)
	p.count, p.of = make([]int, len(p.Worker)), make([][]int32, len(p.Worker))
	for k, c := range p.Class {
		p.count[c]++
		p.of[c] = append(p.of[c], int32(k))
	}
	classes := len(p.Worker)
	p.least = make([]model.Time, p.n)
	if p.n*classes <= keptTimes {
		p.times = make([]model.Time, p.n*classes)
	}
	p.related = !slices.ContainsFunc(p.tasks(), in.Given)
	fastest := p.Worker[p.bySpeed()[0]]
	for i := range p.n {
		for c, w := range p.Worker {
			t := in.Time(set.First+int32(i), w)
			if p.times != nil {
				p.times[i*classes+c] = t
			} else if p.unit == 1 && p.related {
				p.least[i] = p.in.Time(set.First+int32(i), fastest)
				break
			}
			if c == 0 || t < p.least[i] {
				p.least[i] = t
			}
			if p.unit != 1 {
				p.unit = model.GCD(p.unit, t)
			}
		}
	}
	p.unit = max(1, p.unit)
	return p
}

// tasks are the partitions as the instance counts them.
func (p *packing) tasks() []int32 {
	list := make([]int32, p.n)
	for i := range list {
		list[i] = p.set.First + int32(i)
	}
	return list
}

// time is what a partition takes on a slot of a class.
func (p *packing) time(i, c int) model.Time {
	if p.times != nil {
		return p.times[i*len(p.Worker)+c]
	}
	return p.in.Time(p.set.First+int32(i), p.Worker[c])
}

// on is what a partition takes on a candidate.
func (p *packing) on(i int, k int32) model.Time { return p.time(i, int(p.Class[k])) }

// limited says whether some candidates must stay empty.
func (p *packing) limited() bool { return p.Most < p.m }

// largest is the largest of the partitions' least times: no limit below it can be kept, if they are not split.
func (p *packing) largest() model.Time {
	most := model.Time(0)
	for _, t := range p.least {
		most = max(most, t)
	}
	return most
}

// loads are the loads of an assignment, by candidate.
func (p *packing) loads(slot []int32) []model.Time {
	loads := make([]model.Time, p.m)
	for i, k := range slot {
		loads[k] += p.on(i, k)
	}
	return loads
}

// makespan is the largest load of an assignment.
func (p *packing) makespan(slot []int32) model.Time {
	most := model.Time(0)
	for _, load := range p.loads(slot) {
		most = max(most, load)
	}
	return most
}

// used counts the slots of an assignment.
func (p *packing) used(slot []int32) int {
	n, seen := 0, make([]bool, p.m)
	for _, k := range slot {
		if !seen[k] {
			seen[k] = true
			n++
		}
	}
	return n
}

// assignment is one in the words of the instance.
func (p *packing) assignment(slot []int32) assignment {
	a := assignment{set: p.set, slot: make([]int32, len(slot))}
	for i, k := range slot {
		a.slot[i] = p.Slots[k]
	}
	return a
}

// packings lists the algorithms for R||Cmax that belong to goal partitions alone.
func packings() []method {
	return []method{{Method: solver.Method[*run, *solver.Outcome]{Algorithm: solver.Algorithm{Name: "lst",
		Summary: "knows all true times: a vertex of the linear program at T*, rounded along its pseudo-forest",
		Source:  lstSource},
		Solve: solveLST, Guarantee: guaranteeLST}, goal: realtime.Partitions, needs: needsLST}}
}

// backend turns what came of an LP into an error; nil if it is optimal, or ctx stopped it.
func backend(sol *lp.Solution, err error) error {
	switch {
	case err != nil:
		return &solver.BackendError{Err: err}
	case sol.Status != lp.Optimal && sol.Status != lp.Timeout && sol.Status != lp.Aborted:
		return &solver.BackendError{Err: fmt.Errorf("the LP of a packing is %v", sol.Status)}
	}
	return nil
}
