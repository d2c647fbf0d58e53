package reduceplace

import (
	"math/big"
	"strconv"

	"mrsched/model"
)

// costUnit converts millionths of a slot's cost times bytes to cost × bytes.
var costUnit = big.NewInt(int64(model.UnitCost))

// Fetching is the fetching cost of a placement, the slot by task, in slot cost × bytes; tasks on no slot cost nothing.
func (in *Instance) Fetching(slot []int32) *big.Rat {
	sum := new(big.Rat)
	for i := range int32(in.Jobs) {
		if c := in.JobFetching(i, slot); c != nil {
			sum.Add(sum, c)
		}
	}
	return sum
}

// JobFetching is the fetching cost of one job.
func (in *Instance) JobFetching(job int32, slot []int32) *big.Rat {
	total, x, h := new(big.Int), new(big.Int), new(big.Int)
	parts := int64(1)
	for t := in.First[job]; t < in.First[job+1]; t++ {
		if slot[t] == model.None {
			continue
		}
		bytes, p := in.Data(job, t)
		parts = p
		total.Add(total, x.Mul(x.SetInt64(int64(bytes)), h.SetInt64(int64(in.Cost[slot[t]]))))
	}
	return new(big.Rat).SetFrac(total, h.Mul(costUnit, x.SetInt64(parts)))
}

// Placed is the placement that a schedule makes: the slot by task, None where it has no row.
func (in *Instance) Placed(s *model.Schedule) []int32 {
	slot := make([]int32, in.Tasks)
	for t := range slot {
		slot[t] = model.None
	}
	for _, e := range s.Entries {
		slot[e.Task] = e.Machine
	}
	return slot
}

// Schedule is the schedule of a placement: every task holds its slot from its job's start to its end.
func (in *Instance) Schedule(slot []int32) *model.Schedule {
	entries := make([]model.Entry, in.Tasks)
	for i := range in.Jobs {
		for t := in.First[i]; t < in.First[i+1]; t++ {
			entries[t] = model.Entry{Task: model.TaskIndex(t), Machine: slot[t], Start: in.Start[i], End: in.End[i]}
		}
	}
	return &model.Schedule{Entries: entries}
}

// Evaluate recomputes the fetching cost, in slot cost × bytes, and what else a placement is judged by.
func (in *Instance) Evaluate(s *model.Schedule) model.Evaluation {
	value := in.Fetching(in.Placed(s))
	bytes, jobs, makespan, waited, waiting := new(big.Int), int64(0), model.Time(0), model.Time(0), 0
	for i := range in.Jobs {
		if in.Reduces[i] > 0 {
			jobs++
			bytes.Add(bytes, big.NewInt(int64(in.Bytes[i])))
		}
		makespan = max(makespan, in.End[i])
		if w := in.Start[i] - in.Arrival[i]; w > 0 {
			waiting++
			waited = max(waited, w)
		}
	}
	metrics := map[string]any{
		"bytes":        model.Number(bytes.String()),
		"makespan":     model.Number(makespan.String()),
		"jobs_waiting": model.Number(strconv.Itoa(waiting)),
		"longest_wait": model.Number(waited.String()),
	}
	if jobs > 0 {
		metrics["cost_per_job"] = model.LowerNumber(new(big.Rat).Quo(value, new(big.Rat).SetInt64(jobs)))
	}
	if bytes.Sign() > 0 {
		metrics["cost_per_byte"] = model.LowerNumber(new(big.Rat).Quo(value, new(big.Rat).SetInt(bytes)))
	}
	return model.Evaluation{Name: "fetching_cost", Value: value, Metrics: metrics}
}

// Columns are the columns of schedule.csv beyond the common ones: where the slot is, when the job arrived, what the
// slot costs a byte and what fetching costs the task, to six decimals.
func (in *Instance) Columns() []string { return []string{"node", "arrival", "slot_cost", "cost"} }

// Cells are an entry's values of Columns.
func (in *Instance) Cells(e model.Entry) []string {
	i := in.JobOf(int32(e.Task))
	bytes, parts := in.Data(i, int32(e.Task))
	cost := new(big.Int).Mul(big.NewInt(int64(bytes)), big.NewInt(int64(in.Cost[e.Machine])))
	exact := new(big.Rat).SetFrac(cost, new(big.Int).Mul(costUnit, big.NewInt(parts)))
	return []string{in.slotNode[e.Machine], in.Arrival[i].String(), in.Cost[e.Machine].String(), model.FormatRat(exact, model.ValueDigits, model.RoundDown)}
}
