package reduceplace

import (
	"slices"

	"mrsched/model"
)

// Name is the problem's name.
const Name = "reduceplace"

// Describe says what results of the problem hold. The columns are the slot's node, the job's arrival, the slot's cost
// per byte and the task's cost of fetching, to six decimals.
func Describe() *model.Description { return &description }

var description = model.Description{
	Problem: Name,
	Columns: []model.RowColumn{{Name: "node"}, {Name: "arrival", Role: model.RoleRelease},
		{Name: "slot_cost", Role: model.RoleSlotCost},
		{Name: "cost", Role: model.RoleCost}},
	Bounds:   []string{MethodClairvoyant},
	Criteria: []model.Criterion{{Name: "fetching_cost"}},
	When:     model.JobTimes{Release: "arrival"},
	Quantities: slices.Concat(
		[]model.Quantity{{Name: "fetching_cost", Unit: model.UnitByteCost,
			About: "bytes that reduces fetch × cost of their slots per byte"}},
		model.Quantities(model.UnitByteCost, "cost_per_job", "cost"),
		model.Quantities(model.UnitSeconds, "makespan", "longest_wait"),
		model.Quantities(model.UnitMoment, "arrival"),
		model.Quantities(model.UnitBytes, "bytes")),
}

// Description says what results hold.
func (in *Instance) Description() *model.Description { return &description }
