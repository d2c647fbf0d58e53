package realtime

import (
	"cmp"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver/unrelated"
)

// reducePhase is the reduce phase of a job with one of its sets of partitions, as an instance of R||Cmax: partitions
// are tasks, candidate slots are machines.
type reducePhase struct {
	*unrelated.Instance
	realtime.Candidates
	set realtime.Set
}

// The certificates of model/realtime allow prices as large as those of solver/unrelated.
const _ = uint(realtime.MaxPrice - unrelated.MaxPrice)

// phase makes the instance of a set, once.
func (r *run) phase(set realtime.Set) *reducePhase {
	if p := r.phases[set]; p != nil {
		return p
	}
	p := newReducePhase(r.in, set)
	if r.phases == nil {
		r.phases = map[realtime.Set]*reducePhase{}
	}
	r.phases[set] = p
	return p
}

func newReducePhase(in *realtime.Instance, set realtime.Set) *reducePhase {
	p := &reducePhase{Candidates: in.Candidates(set), set: set}
	speed := make([]float64, len(p.Worker))
	for c, w := range p.Worker {
		speed[c] = in.Speed[w]
	}
	related := true // unless a partition has times of its own
	for t := set.First; t < set.First+set.Count; t++ {
		related = related && !in.Given(t)
	}
	p.Instance = unrelated.New(unrelated.Spec{Tasks: int(set.Count), Class: p.Class, Speed: speed, Most: p.Most,
		Time:    func(i, c int) model.Time { return in.Time(set.First+int32(i), p.Worker[c]) },
		Related: related, Divisible: in.Resplit.Known, Stream: uint64(set.First)})
	return p
}

// instances are those of a job's sets, of which a schedule uses one.
func (r *run) instances(job int32) (list []*unrelated.Instance) {
	for _, set := range r.in.SetsOf(job) {
		list = append(list, r.phase(set).Instance)
	}
	return list
}

// assignment translates machines to slots.
func (p *reducePhase) assignment(list unrelated.Assignment) assignment {
	a := assignment{set: p.set, slot: make([]int32, len(list))}
	for i, k := range list {
		a.slot[i] = p.Slots[k]
	}
	return a
}

// machines translates the rows of whole partitions. A slot that is no candidate becomes a candidate that is not used,
// which is at least as fast.
func (p *reducePhase) machines(rows []model.Entry) unrelated.Assignment {
	at, used := map[int32]int32{}, make([]bool, len(p.Slots))
	for k, s := range p.Slots {
		at[s] = int32(k)
	}
	for _, e := range rows {
		if k, ok := at[e.Machine]; ok {
			used[k] = true
		}
	}
	list := make(unrelated.Assignment, p.set.Count)
	for _, e := range rows {
		k, ok := at[e.Machine]
		if !ok {
			k = int32(slices.Index(used, false))
			at[e.Machine], used[k] = k, true
		}
		list[int32(e.Task)-p.set.First] = k
	}
	return list
}

// proofOf translates a proof into the certificate's.
func proofOf(p unrelated.Proof) realtime.Proof {
	out := realtime.Proof{Slots: p.Machines, Partitions: p.Tasks}
	if b := p.Branch; b != nil {
		out.Cases = &realtime.Cases{Partition: b.Task, Slot: b.Machine, On: proofOf(b.On), Off: proofOf(b.Off)}
	}
	return out
}

// leastOf is the least value of some bounds.
func leastOf(list []unrelated.Bound) model.Time {
	return slices.MinFunc(list, func(a, b unrelated.Bound) int { return cmp.Compare(a.Value, b.Value) }).Value
}

// activeJobs are those with partitions.
func (r *run) activeJobs() (list []int32) {
	for j := range int32(r.in.Jobs) {
		if r.in.SetsOf(j)[0].Count > 0 {
			list = append(list, j)
		}
	}
	return list
}
