package multitenant

import (
	"math/big"

	"mrsched/model"
	"mrsched/model/multitenant"
)

// score is what plans are compared by.
type score struct {
	makespan    model.Time
	cross       *big.Rat // bytes that cross racks
	jobs, bytes *big.Rat // done, an hour of the measured time; nil: no time
	around      model.Time
}

// newScore judges a schedule as the model does.
func newScore(in *multitenant.Instance, s *model.Schedule) score {
	ends, last := in.Ends(s)
	f := in.Flows(s)
	x := score{makespan: last, cross: f.Shuffle()}
	x.cross.Add(x.cross, new(big.Rat).SetInt64(int64(f.Read)))
	until := last
	if in.Until > 0 {
		until = in.Until
	}
	jobs, bytes, y := int64(0), new(big.Int), new(big.Int)
	for j, end := range ends {
		x.around += end - in.Arrival[j]
		if end < in.From || end > until {
			continue
		}
		jobs++
		for t := in.FirstMap[j]; t < in.FirstMap[j+1]; t++ {
			bytes.Add(bytes, y.SetInt64(int64(in.Input[t])))
		}
	}
	if length := int64(until - in.From); length > 0 {
		x.jobs = big.NewRat(jobs, length)
		x.bytes = new(big.Rat).SetFrac(bytes, big.NewInt(length))
	}
	return x
}

// gap is 0 if a score is nowhere worse than the reference, else by what shares of it in all.
func (x *score) gap(reference *score) float64 {
	sum := 0.0
	if x.makespan > reference.makespan {
		sum += float64(x.makespan)/float64(reference.makespan) - 1
	}
	if x.around > reference.around {
		sum += float64(x.around)/float64(reference.around) - 1
	}
	for _, c := range []struct{ small, large *big.Rat }{{reference.cross, x.cross}, {x.jobs, reference.jobs}, {x.bytes, reference.bytes}} {
		if c.small == nil || c.large == nil || c.large.Cmp(c.small) <= 0 {
			continue
		}
		part, _ := new(big.Rat).Quo(new(big.Rat).Sub(c.large, c.small), c.large).Float64()
		sum += part
	}
	return sum
}

// before says whether a candidate is better than another one.
func (x *candidate) before(y *candidate) bool {
	switch {
	case x.gap != y.gap:
		return x.gap < y.gap
	case x.score.makespan != y.score.makespan:
		return x.score.makespan < y.score.makespan
	}
	if c := x.score.cross.Cmp(y.score.cross); c != 0 {
		return c < 0
	}
	return x.score.around < y.score.around
}
