package multitenant

import (
	"math/big"

	"mrsched/model"
	"mrsched/model/multitenant"
)

// score compares plans. All but the makespan is computed on first use.
type score struct {
	makespan model.Time

	in       *multitenant.Instance
	schedule *model.Schedule
	cross    *big.Rat // bytes that cross racks
	around   model.Time
}

// newScore judges a schedule as the model does.
func newScore(in *multitenant.Instance, s *model.Schedule) score {
	x := score{in: in, schedule: s}
	for i := range s.Entries {
		x.makespan = max(x.makespan, s.Entries[i].End)
	}
	return x
}

func (x *score) complete() {
	if x.cross != nil {
		return
	}
	f := x.in.Flows(x.schedule)
	x.cross = f.Shuffle()
	x.cross.Add(x.cross, new(big.Rat).SetInt64(int64(f.Read)))
	ends, _ := x.in.Ends(x.schedule)
	for j, end := range ends {
		x.around += end - x.in.Arrival[j]
	}
}

// before says whether a schedule is better than another one.
func (x *score) before(y *score) bool {
	if x.makespan != y.makespan {
		return x.makespan < y.makespan
	}
	x.complete()
	y.complete()
	if c := x.cross.Cmp(y.cross); c != 0 {
		return c < 0
	}
	return x.around < y.around
}
