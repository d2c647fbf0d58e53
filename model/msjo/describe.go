package msjo

import (
	"slices"

	"mrsched/model"
)

// Name is the problem's name.
const Name = "msjo"

var charts = []model.Chart{model.ChartMachines, model.ChartCompletion, model.ChartShares}

// Describe says what results of the problem hold.
func Describe() *model.Description { return &description }

var description = model.Description{
	Problem: Name,
	Criteria: []model.Criterion{
		{Name: "twjct", Share: model.ShareWeighted, ShareColumn: "objective_share", Charts: charts},
		{Name: "twtct", Share: model.ShareStated, ShareColumn: "objective_share", Charts: charts},
	},
	JobRoles: []model.RowColumn{{Name: "release", Role: model.RoleRelease}},
	Quantities: slices.Concat(
		[]model.Quantity{
			{Name: "twjct", Unit: model.UnitWeightedSeconds,
				About: "total weighted job completion time, the sum of weight × end over all jobs, in weight × seconds"},
			{Name: "twtct", Unit: model.UnitWeightedSeconds,
				About: "total weighted task completion time, the sum of weight × end over all tasks, in weight × seconds"},
			{Name: "utilisation", Unit: model.UnitShare}},
		model.Quantities(model.UnitWeightedSeconds, "objective_share"),
		model.Quantities(model.UnitSeconds, "makespan", "mean_job_completion"),
		model.Quantities(model.UnitMoment, "release", "earliest", "first_start", "completion")),
}

// Description says what results hold.
func (in *Instance) Description() *model.Description { return &description }
