package multitenant

import "mrsched/model"

// Name is the problem's name.
const Name = "multitenant"

// Describe says what results of the problem hold. The columns are the rack of the task's worker and, for maps, how
// near they run and what they read across racks.
func Describe() *model.Description { return &description }

var description = model.Description{
	Problem: Name,
	Columns: []model.RowColumn{{Name: "rack"}, {Name: "locality", Role: model.RoleLocality},
		{Name: "read_across", Role: model.RoleAmount}},
	Criteria: []model.Criterion{{Name: "makespan", Last: true,
		Charts: []model.Chart{model.ChartMachines, model.ChartTraffic, model.ChartRacks, model.ChartUsers}}},
	Completion: "end",
	JobColumns: []string{"cross_rack_shuffle_bytes", "cross_rack_map_bytes"},
	Inputs: []model.Echo{{By: model.ByJob, Column: "user", Of: "tenant"},
		{By: model.ByJob, Column: "arrival", Of: "release"},
		{By: model.ByMachine, Column: "rack", Of: "rack"}},
	Bulky: []string{"fetches", "traffic"},
}

// Description says what results hold.
func (in *Instance) Description() *model.Description { return &description }
