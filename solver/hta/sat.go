package hta

import (
	"context"
	"fmt"

	"mrsched/model"
	"mrsched/model/hta/sat"
	"mrsched/solver"
)

// answer adds what an assignment says about the formula, if the workload is a reduction: a makespan of at most 3 is a
// truth assignment; if the bound or exact proves that none exists, the formula has none. Anything else leaves it open.
// Errors contradict the paper's lemmas.
func (r *run) answer(facts *Facts, server []int32, optimal bool) error {
	if !r.reduction() {
		return nil
	}
	in := r.in
	limit := sat.Capacity * model.Second
	if in.Measure(server).Makespan > limit {
		if optimal || r.value > limit {
			facts.Satisfiable = new(false)
		}
		return nil
	}
	servers := make(map[string]string, in.Tasks)
	for t, s := range server {
		servers[r.w.Tasks[in.TaskIndex(int32(t))].ID] = in.MachineName(s)
	}
	truth, err := sat.Decode(r.w, servers)
	if err != nil {
		return err
	}
	facts.Satisfiable, facts.Truth = new(true), make(map[string]bool, len(truth))
	for variable, value := range truth {
		facts.Truth[fmt.Sprintf("x%d", variable)] = value
	}
	return nil
}

// Witness derives the facts about the formula again.
func (r *run) Witness(ctx context.Context, s *model.Schedule, optimal bool) (names []string, _ any, err error) {
	names = []string{"satisfiable", "truth_assignment"}
	if !r.reduction() {
		return names, nil, nil
	}
	if err := r.prove(ctx, solver.Options{}); err != nil {
		return names, nil, err
	}
	var facts Facts
	err = r.answer(&facts, r.in.Assigned(s), optimal)
	return names, facts, err
}

// reduction says whether the workload is a reduction of 3SAT. The sizes of most other workloads rule it out at once.
func (r *run) reduction() bool {
	in := r.in
	_, replica := in.ReplicaRows()
	if len(r.w.Jobs) != 1 || len(replica) > 2*in.Blocks || in.Blocks != len(r.w.Tasks) || in.Cost.Local != model.Second ||
		in.Cost.Remote.At(0) != sat.Capacity*model.Second {
		return false
	}
	if r.formula == nil {
		f, err := sat.Recover(r.w)
		if err != nil {
			f = &sat.Formula{} // none
		}
		r.formula = f
	}
	return len(r.formula.Clauses) > 0
}
