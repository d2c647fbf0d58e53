package shop

import (
	"mrsched/model"
	"mrsched/model/shop"
)

// price is what a schedule costs: the objective, then Σ w_j C_j, which breaks ties. Searches compare prices; if weights
// and times are so large that prices wrap around, searches only choose worse.
type price struct{ first, second model.Wide }

func (p price) less(q price) bool {
	if c := p.first.Compare(q.first); c != 0 {
		return c < 0
	}
	return p.second.Less(q.second)
}

func (p price) plus(q price) price { return price{p.first.Plus(q.first), p.second.Plus(q.second)} }

func (p price) minus(q price) price { return price{p.first.Minus(q.first), p.second.Minus(q.second)} }

// jobPrice is what job j adds to the price if it ends at t; under the objective makespan, to the second part only.
func jobPrice(in *shop.Instance, j int32, t model.Time) (p price) {
	w := uint64(in.Weight[j])
	p.second = model.Product(w, uint64(t))
	switch in.Objective {
	case shop.WeightedEnds:
		p.first = p.second
	case shop.Tardiness:
		p.first = model.Product(w, uint64(max(0, t-in.Due[j])))
	case shop.Late:
		if t > in.Due[j] {
			p.first = model.Wide{Low: w}
		}
	}
	return p
}

// taskPrice is what task u alone adds to the price if it ends at t.
func taskPrice(in *shop.Instance, u int, t model.Time) (p price) {
	if in.Objective == shop.WeightedTaskEnds {
		p.first = model.Product(uint64(in.TaskWeight[u]), uint64(t))
	}
	return p
}

// priceOf is the price of completion times.
func priceOf(in *shop.Instance, done []model.Time) (p price) {
	last := model.Time(0)
	for j, t := range done {
		p = p.plus(jobPrice(in, int32(j), t))
		last = max(last, t)
	}
	if in.Objective == shop.Makespan {
		p.first = model.Wide{Low: uint64(last)}
	}
	return p
}

// float is the objective of a price, in its integers.
func (p price) float() float64 { return p.first.Float() }
