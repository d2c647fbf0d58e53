package msjo

import "mrsched/model"

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
	Inputs: []model.Echo{{By: model.ByJob, Column: "weight", Of: "weight"},
		{By: model.ByJob, Column: "release", Of: "release"},
		{By: model.ByTask, Column: model.RowLength, Of: "processing_time"}},
}

// Description says what results hold.
func (in *Instance) Description() *model.Description { return &description }
