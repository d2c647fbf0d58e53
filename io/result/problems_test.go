package result

import (
	"mrsched/model"
	"mrsched/model/hta"
	"mrsched/model/msjo"
	"mrsched/model/multitenant"
	"mrsched/model/realtime"
	"mrsched/model/reduceplace"
)

// known describes all problems.
var known = []*model.Description{msjo.Describe(), hta.Describe(), reduceplace.Describe(), realtime.Describe(),
	multitenant.Describe()}

var (
	problemMSJO        = msjo.Describe().Problem
	problemHTA         = hta.Describe().Problem
	problemReducePlace = reduceplace.Describe().Problem
	problemRealtime    = realtime.Describe().Problem
	problemMultitenant = multitenant.Describe().Problem
)

const (
	columnLocality = "locality"
	columnCost     = "cost"
)

// Names of the problems' objectives.
const (
	objectiveTWJCT    = "twjct"
	objectiveFetching = "fetching_cost"
	objectiveMakespan = "makespan"
	columnShare       = "objective_share"
)
