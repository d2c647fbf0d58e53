package shop

import (
	"maps"
	"slices"

	"mrsched/model"
)

// DescribeMSJO says what results of the problem msjo hold.
func DescribeMSJO() *model.Description { return &descriptionMSJO }

var descriptionMSJO = model.Description{
	Problem: MSJO,
	Bounds:  slices.Sorted(maps.Keys(kindsOfIdentical)),
	Criteria: []model.Criterion{
		{Name: "twjct", ShareColumn: "objective_share"},
		{Name: "twtct", ShareColumn: "objective_share"},
	},
	When: model.JobTimes{Release: "release", Earliest: "earliest"},
	Quantities: slices.Concat(
		[]model.Quantity{
			{Name: "earliest", Unit: model.UnitMoment,
				About: "when the job would end if all its tasks ran as early as they can"},
			{Name: "twjct", Unit: model.UnitWeightedSeconds,
				About: "total weighted job completion time, the sum of weight × end (in seconds) over all jobs"},
			{Name: "twtct", Unit: model.UnitWeightedSeconds,
				About: "total weighted task completion time, the sum of weight × end (in seconds) over all tasks"},
			{Name: "utilisation", Unit: model.UnitShare}},
		model.Quantities(model.UnitWeightedSeconds, "objective_share"),
		model.Quantities(model.UnitSeconds, "makespan", "mean_job_completion"),
		model.Quantities(model.UnitMoment, "release", "first_start", "completion")),
}
