package realtime

import (
	"cmp"
	"context"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
	"mrsched/solver/unrelated"
)

// phaseWork is what Spec.Work of all jobs adds up to.
const phaseWork = 100_000_000

// reducePhase is the reduce phase of a job with one of its sets of partitions, as an instance of R||Cmax: partitions
// are tasks, candidate slots are machines.
type reducePhase struct {
	*unrelated.Instance
	realtime.Candidates
	set realtime.Set
}

// This fails to compile if solver/unrelated may return larger prices than certificates of model/realtime allow.
const _ = uint(realtime.MaxPrice - unrelated.MaxPrice)

// phase makes the instance of a set, once.
func (r *run) phase(set realtime.Set) *reducePhase {
	if p := r.phases[set]; p != nil {
		return p
	}
	in, p := r.in, &reducePhase{Candidates: r.in.Candidates(set), set: set}
	speed := make([]float64, len(p.Worker))
	for c, w := range p.Worker {
		speed[c] = in.Speed[w]
	}
	given := slices.ContainsFunc(numbers(set.First, set.First+set.Count), in.Given)
	p.Instance = unrelated.New(unrelated.Spec{Tasks: int(set.Count), Class: p.Class, Speed: speed, Most: p.Most,
		Time:    func(i, c int) model.Time { return in.Time(set.First+int32(i), p.Worker[c]) },
		Related: !given, Divisible: in.Resplit.Known, Work: phaseWork / int64(r.in.Jobs),
		Stream: uint64(set.First)})
	if r.phases == nil {
		r.phases = map[realtime.Set]*reducePhase{}
	}
	r.phases[set] = p
	return p
}

// instances are the instances of a job's sets; a schedule uses one.
func (r *run) instances(job int32) (list []*unrelated.Instance) {
	for _, set := range r.in.SetsOf(job) {
		list = append(list, r.phase(set).Instance)
	}
	return list
}

func (p *reducePhase) assignment(list unrelated.Assignment) assignment {
	a := assignment{set: p.set, slot: make([]int32, len(list))}
	for i, k := range list {
		a.slot[i] = p.Slots[k]
	}
	return a
}

// machines translates the rows of whole partitions. It replaces a slot that is no candidate by an unused candidate,
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

// activeJobs are the jobs with partitions.
func (r *run) activeJobs() (list []int32) {
	for j := range int32(r.in.Jobs) {
		if r.in.SetsOf(j)[0].Count > 0 {
			list = append(list, j)
		}
	}
	return list
}

// needsLST says why there is no lst.
func needsLST(r *run) string {
	if r.in.Resplit.Known {
		return "places whole partitions; without --resplit-cost"
	}
	if r.someInstance(func(in *unrelated.Instance) bool { return !in.Roundable() }) {
		return "its linear program is too large"
	}
	return ""
}

// guaranteeLST is the theorem. With several sets, the shortest of the schedules is at most twice the least T*. It does
// not hold if a job must leave slots empty and these are not the slowest for all partitions.
func guaranteeLST(r *run) *model.Guarantee {
	if r.someInstance((*unrelated.Instance).Limited) {
		return nil
	}
	return &model.Guarantee{Factor: "2", Additive: "0", Source: lstSource + ", Thm 1", PreconditionsMet: true}
}

// someInstance says whether a condition holds for a set of some job.
func (r *run) someInstance(is func(in *unrelated.Instance) bool) bool {
	return slices.ContainsFunc(r.activeJobs(), func(j int32) bool { return slices.ContainsFunc(r.instances(j), is) })
}

// solveLST rounds, for each job, the program of each of its sets, and keeps the best.
//
// Guarantee: makespan ≤ 2·T*.   Complexity: that of the linear program.   Ties: the first set.
func solveLST(ctx context.Context, r *run, opt solver.Options) (*solver.Outcome, error) {
	var list []assignment
	status := model.StatusFeasible
	for _, j := range r.activeJobs() {
		opt.Report(int(j), r.in.Jobs)
		var best unrelated.Assignment
		var of *reducePhase
		for _, set := range r.in.SetsOf(j) {
			p := r.phase(set)
			a, err := p.Round(ctx)
			if err != nil {
				return nil, err
			}
			if a == nil { // ctx ended before the vertex was known
				status, a = model.StatusLimit, p.Greedy()
			}
			if best == nil || p.Makespan(a) < of.Makespan(best) {
				best, of = a, p
			}
		}
		list = append(list, of.assignment(best))
	}
	return &solver.Outcome{Status: status, Schedule: phases(r.in, list)}, nil
}
