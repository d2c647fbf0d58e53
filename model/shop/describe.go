package shop

import (
	"maps"
	"slices"

	"mrsched/model"
)

// The problems' names: of any nodes, and of identical machines.
const (
	Cluster = "cluster"
	MSJO    = "msjo"
)

// Describe says what results of the problem cluster hold.
func Describe() *model.Description { return &description }

var description = model.Description{
	Problem: Cluster,
	Bounds:  slices.Sorted(maps.Keys(kindsOf)),
	Criteria: []model.Criterion{
		{Name: string(WeightedEnds), ShareColumn: "objective_share"},
		{Name: string(Tardiness), ShareColumn: "objective_share", Difference: true},
		{Name: string(Late), ShareColumn: "objective_share"},
		{Name: string(Makespan)},
		{Name: string(FlowTime), ShareColumn: "objective_share"},
	},
	When:   model.JobTimes{Release: "release", Due: "due", Earliest: "earliest"},
	Tenant: "tenant",
	Quantities: slices.Concat(
		[]model.Quantity{
			{Name: "earliest", Unit: model.UnitMoment,
				About: "when the job would end if all its tasks ran as early and as fast as they can"},
			{Name: "late_by", Unit: model.UnitSeconds, About: "how long after its due time the job ends; 0 if in time"},
			{Name: string(WeightedEnds), Unit: model.UnitWeightedSeconds,
				About: "total weighted job completion time, the sum of weight × end (in seconds) over all jobs"},
			{Name: string(Tardiness), Unit: model.UnitWeightedSeconds,
				About: "total weighted tardiness, the sum of weight × seconds after the due time over all late jobs"},
			{Name: string(FlowTime), Unit: model.UnitWeightedSeconds,
				About: "total weighted flow time, the sum of weight × seconds from release to end over all jobs"},
			{Name: "mean_bounded_slowdown", About: slowdown}, {Name: "p95_bounded_slowdown", About: slowdown},
			{Name: string(Late), About: "the weights of the jobs that end after their due times, added up"}},
		model.Quantities(model.UnitWeightedSeconds, "objective_share"),
		model.Quantities(model.UnitSeconds, string(Makespan), "mean_job_completion", "mean_wait", "p95_wait",
			"mean_turnaround", "p95_turnaround"),
		model.Quantities(model.UnitMoment, "release", "due", "first_start", "completion")),
}

const slowdown = "the time from a job's release to its end, over its run from the first start on, of 10 s at the least"

// Description says what results hold.
func (in *Instance) Description() *model.Description {
	if in.Identical {
		return &descriptionMSJO
	}
	return &description
}
