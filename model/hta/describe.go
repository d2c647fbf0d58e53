package hta

import "mrsched/model"

// Name is the problem's name.
const Name = "hta"

// Describe says what results of the problem hold. The columns are the block that the map reads and how near it runs.
func Describe() *model.Description { return &description }

var description = model.Description{
	Problem:  Name,
	Columns:  []model.RowColumn{{Name: "block"}, {Name: "locality", Role: model.RoleLocality}},
	Bounds:   []string{KindLocalCuts, KindServerPrices},
	Criteria: []model.Criterion{{Name: "makespan"}},
	Loads:    true,
	// Costs are in units of a local map; they are not times.
	Quantities: append(model.Quantities(model.UnitNone, "start", "end"),
		model.Quantity{Name: "makespan", About: "largest load of a server, the sum of its maps' costs; not a time"}),
}

// Description says what results hold.
func (in *Instance) Description() *model.Description { return &description }
