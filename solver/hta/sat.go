package hta

import (
	"fmt"

	"mrsched/model"
	"mrsched/model/hta/sat"
)

// The facts about a reduction of 3SAT.
const (
	foundSatisfiable = "satisfiable"
	foundTruth       = "truth_assignment" // by variable, x1, x2, …: those that occur
)

// answerFormula adds to an algorithm's facts what its assignment says about the formula, if the workload is a reduction of
// one: a makespan of at most 3 is a truth assignment; that none exists, proven by the bound or by exact, means that the
// formula has none. Anything else leaves it open. Errors contradict the paper's lemmas.
func (r *run) answerFormula(f *found) error {
	if !r.reduction() {
		return nil
	}
	in := r.in
	limit := sat.Capacity * model.Second
	makespan := in.Measure(f.server).Makespan
	if makespan > limit && r.value <= limit && f.status != model.StatusOptimal {
		return nil
	}
	if f.facts == nil {
		f.facts = map[string]any{}
	}
	f.facts[foundSatisfiable] = makespan <= limit
	if makespan > limit {
		return nil
	}
	servers := make(map[string]string, in.Tasks)
	for t, s := range f.server {
		servers[r.w.Tasks[in.TaskIndex(int32(t))].ID] = in.MachineName(s)
	}
	truth, err := sat.Decode(r.w, servers)
	if err != nil {
		return err
	}
	values := make(map[string]any, len(truth))
	for variable, value := range truth {
		values[fmt.Sprintf("x%d", variable)] = value
	}
	f.facts[foundTruth] = values
	return nil
}

// reduction says whether the workload is a reduction of 3SAT. Most others are told by their numbers already.
func (r *run) reduction() bool {
	in := r.in
	_, replica := in.ReplicaRows()
	if len(r.w.Jobs) != 1 || len(replica) > 2*in.Blocks || in.Blocks != len(r.w.Tasks) || in.Cost.Local != model.Second || in.Cost.Remote.At(0) != sat.Capacity*model.Second {
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
