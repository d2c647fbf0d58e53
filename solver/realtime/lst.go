package realtime

import (
	"context"

	"mrsched/model"
	"mrsched/solver"
	"mrsched/solver/unrelated"
)

// needsLST says why there is no lst.
func needsLST(r *run) string {
	if r.in.Resplit.Known {
		return "places whole partitions; without --resplit-cost"
	}
	for _, j := range r.activeJobs() {
		for _, in := range r.instances(j) {
			if !in.Roundable() {
				return "its linear program is too large"
			}
		}
	}
	return ""
}

// guaranteeLST is the theorem. With several sets, the shortest of the schedules is at most twice the least T*. Where a
// job must leave slots empty that are not the slowest for all partitions, nothing is promised.
func guaranteeLST(r *run) *model.Guarantee {
	for _, j := range r.activeJobs() {
		for _, in := range r.instances(j) {
			if in.Limited() {
				return nil
			}
		}
	}
	return &model.Guarantee{Factor: "2", Additive: "0", Source: lstSource + ", Thm 1", PreconditionsMet: true}
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
