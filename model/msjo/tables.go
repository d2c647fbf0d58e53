package msjo

import (
	"iter"
	"math/big"

	"mrsched/model"
)

// Tables lists the jobs, their shares of the objective, and the rows of an earlier schedule that changed.
func (in *Instance) Tables(s *model.Schedule) []model.ResultTable {
	return append([]model.ResultTable{{Name: "jobs", Rows: in.jobRows(s),
		Columns: []string{"job", "weight", "release", "earliest", "first_start", "completion", "objective_share"}}},
		in.replan.Tables(s)...)
}

// jobRows has a row per job, in the workload's order. Column earliest is the job's end if it had all machines to
// itself: its release plus its longest path. The shares, in weight × seconds, add up to the objective.
func (in *Instance) jobRows(s *model.Schedule) iter.Seq[[]string] {
	done, shares := in.Completions(s), in.taskShares(s)
	first := s.FirstStarts(in.Jobs, func(u model.TaskIndex) int32 { return in.Job[u] })
	return func(yield func([]string) bool) {
		product := new(big.Int)
		for j := range in.Jobs {
			start, share := "", product.Mul(big.NewInt(int64(in.Weight[j])), big.NewInt(int64(done[j])))
			if first[j].Known {
				start = first[j].Value.String()
			}
			if shares != nil {
				share = shares[j]
			}
			x := &in.workload.Jobs[j]
			if !yield([]string{x.ID, x.Weight.String(), x.Release.String(), in.Alone[j].String(), start, done[j].String(),
				string(model.ExactNumber(new(big.Rat).SetFrac(share, unitsPerWeightSecond)))}) {
				return
			}
		}
	}
}

// taskShares are Σ W_u C_u over each job's tasks, in millionths × microseconds; nil under the job objective.
func (in *Instance) taskShares(s *model.Schedule) []*big.Int {
	if in.Objective != TaskObjective {
		return nil
	}
	shares := make([]*big.Int, in.Jobs)
	for j := range shares {
		shares[j] = new(big.Int)
	}
	term, w := new(big.Int), new(big.Int)
	for _, e := range s.Entries {
		sum := shares[in.Job[e.Task]]
		sum.Add(sum, term.Mul(w.SetInt64(int64(in.TaskWeight[e.Task])), term.SetInt64(int64(e.End))))
	}
	return shares
}
