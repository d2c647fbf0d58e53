package realtime

import (
	"errors"
	"fmt"
	"math/big"

	"mrsched/model"
)

// This file checks proofs of bounds for goal Partitions: (1), (2) and (3) of docs/mathematics.md, Reduce phases. A
// phase takes at least Time if the limit T = Time − 1 is refuted for each set into which the job's data may be put.

// Phase proves that a job's reduce phase takes at least Time, whichever of its sets is used.
type Phase struct {
	Time model.Time `json:"time"`
	Sets []Proof    `json:"sets"` // by set
}

// Proof refutes a limit on what the partitions of a set take. It has at most one of its parts; if it has none, it
// states that some partition is too large for all slots.
type Proof struct {
	Slots      []int64 `json:"slots,omitempty"`      // prices, by candidate slot
	Partitions []int64 `json:"partitions,omitempty"` // prices, by partition of the set
	Cases      *Cases  `json:"cases,omitempty"`
}

// Cases split a refutation: either a partition lies on a slot, or it lies neither there nor on an equal slot.
type Cases struct {
	Partition int32 `json:"partition"` // of the set, from 0
	Slot      int32 `json:"slot"`      // candidate, from 0
	On        Proof `json:"on"`
	Off       Proof `json:"off"`
}

// The methods of phases.
const (
	SlotPrices      = "slot-prices"
	PartitionPrices = "partition-prices"
	CaseTree        = "case-tree"
)

// method is the name of what a proof uses.
func (p *Proof) method() string {
	switch {
	case p.Cases != nil:
		return CaseTree
	case p.Partitions != nil:
		return PartitionPrices
	}
	return SlotPrices
}

// MethodOf names the strongest method that phases use.
func MethodOf(phases []Phase) string {
	rank := map[string]int{SlotPrices: 0, PartitionPrices: 1, CaseTree: 2}
	method := SlotPrices
	for i := range phases {
		for k := range phases[i].Sets {
			if m := phases[i].Sets[k].method(); rank[m] > rank[method] {
				method = m
			}
		}
	}
	return method
}

// provePhases adds up what the phases prove, in seconds.
func (in *Instance) provePhases(c *Certificate) (*big.Rat, error) {
	if m := MethodOf(c.Phases); c.Method != m {
		return nil, fmt.Errorf("certificate: method %q, and proofs by %s", c.Method, m)
	}
	sum, next := model.Time(0), 0
	for j := range int32(in.Jobs) {
		sets := in.SetsOf(j)
		if sets[0].Count == 0 {
			continue
		}
		if next == len(c.Phases) {
			return nil, fmt.Errorf("certificate: %d phases", len(c.Phases))
		}
		p := &c.Phases[next]
		next++
		if p.Time < 0 {
			return nil, fmt.Errorf("certificate: a phase of %s s", p.Time) // sums of such times would wrap around at 2⁶³
		}
		if len(p.Sets) != len(sets) {
			return nil, fmt.Errorf("certificate: %d proofs for %d sets of job %q", len(p.Sets), len(sets), in.work.Jobs[j].ID)
		}
		for k, set := range sets {
			if err := in.Refute(set, p.Time-1, &p.Sets[k]); err != nil {
				return nil, fmt.Errorf("certificate: job %q: %w", in.work.Jobs[j].ID, err)
			}
		}
		sum += p.Time // at most the time of a phase, which checkHorizon bounds
	}
	if next != len(c.Phases) {
		return nil, fmt.Errorf("certificate: %d phases", len(c.Phases))
	}
	return big.NewRat(int64(sum), int64(model.Second)), nil
}

// errRefutesNot says that a proof does not prove what it must.
var errRefutesNot = errors.New("a proof does not refute what it should")

// Refute says whether a proof shows that the partitions of a set take more than limit; nil: it does. Limits below 0
// need no proof.
//
// Complexity: for prices of slots O(partitions · classes of slots); for others see knapsack.
func (in *Instance) Refute(set Set, limit model.Time, p *Proof) error {
	if limit < 0 {
		if p.Slots != nil || p.Partitions != nil || p.Cases != nil {
			return errors.New("a proof of nothing")
		}
		return nil
	}
	r := &refutation{in: in, set: set, limit: limit, Candidates: in.Candidates(set), work: maxKnapsackWork}
	r.group = make([]int32, len(r.Slots))
	copy(r.group, r.Class)
	r.groups = int32(len(r.Worker))
	return r.check(p)
}

// refutation is a limit that proofs are to refute, in the cases that lead to them.
type refutation struct {
	in *Instance
	Candidates
	set   Set
	limit model.Time

	group  []int32          // by candidate: slots of the same group are alike
	groups int32            // all group numbers are below
	on     map[int32]int32  // by partition: where it lies
	off    map[[2]int32]int // by partition and slot: it does not lie there
	work   int64            // work that knapsacks may still take
}

func (r *refutation) check(p *Proof) error {
	parts := 0
	for _, there := range []bool{p.Slots != nil, p.Partitions != nil, p.Cases != nil} {
		if there {
			parts++
		}
	}
	switch {
	case parts > 1:
		return errors.New("a proof of several parts")
	case p.Cases != nil:
		return r.cases(p.Cases)
	case p.Partitions != nil:
		return r.byPartitions(p.Partitions)
	case p.Slots != nil:
		return r.bySlots(p.Slots)
	}
	return r.tooLarge()
}

// cases checks the proofs of both cases.
func (r *refutation) cases(c *Cases) error {
	if r.in.Resplit.Known {
		return errors.New("cases prove nothing where partitions may be split")
	}
	if c.Partition < 0 || c.Partition >= r.set.Count || c.Slot < 0 || int(c.Slot) >= len(r.Slots) {
		return fmt.Errorf("a case of partition %d on slot %d", c.Partition, c.Slot)
	}
	if r.on == nil {
		r.on, r.off = map[int32]int32{}, map[[2]int32]int{}
	}
	if _, placed := r.on[c.Partition]; placed || !r.allowed(c.Partition, c.Slot) {
		return fmt.Errorf("a case of partition %d, of which it is known where it lies", c.Partition)
	}
	was := r.group[c.Slot]
	r.on[c.Partition], r.group[c.Slot] = c.Slot, r.groups
	r.groups++
	if err := r.check(&c.On); err != nil {
		return err
	}
	delete(r.on, c.Partition)
	r.group[c.Slot] = was
	r.count(c.Partition, was, 1)
	defer r.count(c.Partition, was, -1)
	return r.check(&c.Off)
}

// count adds to, or takes from, the cases in which a partition is kept off the slots of a group.
func (r *refutation) count(i, group int32, n int) {
	for k, g := range r.group {
		if g == group {
			r.off[[2]int32{i, int32(k)}] += n
		}
	}
}

// allowed says whether, in the present case, a partition may lie on a candidate.
func (r *refutation) allowed(i, k int32) bool {
	if r.on == nil {
		return true
	}
	if at, placed := r.on[i]; placed {
		return at == k
	}
	return r.off[[2]int32{i, k}] == 0
}
