package multitenant

import (
	"slices"

	"mrsched/model"
)

// Name is the problem's name.
const Name = "multitenant"

// Describe says what results of the problem hold. The columns are the rack of the task's worker and, for maps, how
// near they run and what they read across racks.
func Describe() *model.Description { return &description }

var description = model.Description{
	Problem: Name,
	Columns: []model.RowColumn{{Name: "rack", Role: model.RoleRack}, {Name: "locality", Role: model.RoleLocality},
		{Name: "read_across", Role: model.RoleAmount}},
	Bounds:   []string{LongestJob, MapSlots, ReduceSlots, RackLP},
	Criteria: []model.Criterion{{Name: "makespan"}},
	When:     model.JobTimes{Release: "arrival"},
	Tenant:   "user",
	Quantities: slices.Concat(
		[]model.Quantity{
			{Name: "jain", About: "Jain's fairness index of the users' slots: 1 if all users hold equally many"},
			{Name: "turn_around", Unit: model.UnitSeconds, About: "mean time from a job's arrival to its end"}},
		model.Quantities(model.UnitSeconds, "makespan", "turn_around_p50", "turn_around_p95", "slot_seconds",
			"active_seconds"),
		model.Quantities(model.UnitMoment, "arrival", "first_start", "maps_end"),
		model.Quantities(model.UnitBytes, "cross_rack_bytes", "cross_rack_shuffle_bytes", "cross_rack_map_bytes",
			"cross_rack_write_bytes", "shuffle_bytes", "input_bytes_per_hour", "read_across")),
}

// Description says what results hold.
func (in *Instance) Description() *model.Description { return &description }
