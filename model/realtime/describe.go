package realtime

import (
	"slices"

	"mrsched/model"
)

// Name is the problem's name.
const Name = "realtime"

// Describe says what results of the problem hold. The columns are the task's bytes and when its job is due.
func Describe() *model.Description { return &description }

var description = model.Description{
	Problem: Name,
	Columns: []model.RowColumn{{Name: "bytes"}, {Name: "due", Role: model.RoleDue}},
	Bounds:  []string{LateWindows, SlotPrices, PartitionPrices, CaseTree},
	Criteria: []model.Criterion{
		{Name: "deadline_misses"},
		{Name: "reduce_makespan"},
	},
	When: model.JobTimes{Release: "arrival", Due: "deadline"},
	Quantities: slices.Concat(
		[]model.Quantity{
			{Name: "miss_rate", Unit: model.UnitShare},
			{Name: "tardiness", Unit: model.UnitSeconds, About: "mean time by which jobs with a deadline end after it"},
			{Name: "balance", Unit: model.UnitPercent,
				About: "mean over largest amount of data that a reducer gets: 100 % if all get equally much"}},
		model.Quantities(model.UnitSeconds, "reduce_makespan", "makespan", "longest_tardiness", "turn_around", "laxity"),
		model.Quantities(model.UnitMoment, "arrival", "deadline", "first_start", "completion", "due"),
		model.Quantities(model.UnitPercent, "skewness"),
		model.Quantities(model.UnitBytes, "bytes")),
}

// Description says what results hold.
func (in *Instance) Description() *model.Description { return &description }
