package multitenant

import (
	"math"
	"math/bits"
	"slices"

	"mrsched/model"
	"mrsched/model/multitenant"
)

const (
	// priceBits is the size of the largest integer price. 40 bits lose less than 1e-9 of a bound and keep every number
	// exact in JSON readers that use doubles.
	priceBits = 40
	// productBits is the size of products of a price with a time or with bytes; some of them are added up.
	productBits = 58
)

// prices converts λ from capacity to use of a resource.
func (d *dual) prices(lambda []float64) []float64 {
	price := make([]float64, d.crossAt()+1)
	for r, c := range d.capacity {
		if c > 0 {
			price[r] = lambda[r] / c
		}
	}
	if !d.simplex {
		price[d.crossAt()] = 1
	}
	return price
}

// round rounds prices to integers. Any prices prove something.
func (o *oracle) round(price []float64, from model.Time) *multitenant.Prices {
	exact := make([]float64, len(price)) // slots a microsecond
	most := 0.0
	for r, v := range price {
		if r < 2*o.places {
			v /= float64(model.Second)
		}
		exact[r] = v
		most = max(most, v)
	}
	whole := make([]int64, len(price))
	if most > 0 {
		_, e := math.Frexp(most)
		shift := min(priceBits, productBits-o.largest()) - e
		for r, v := range exact {
			whole[r] = int64(math.Ldexp(v, shift))
		}
	}
	p := &multitenant.Prices{From: from, Cross: whole[o.crossAt()]}
	for _, l := range o.lists(p) {
		if list := whole[l.first:l.end]; slices.ContainsFunc(list, func(y int64) bool { return y > 0 }) {
			*l.prices = list
		}
	}
	return p
}

// normal are a certificate's prices by resource, of a second of a slot and of a byte, scaled so that all capacity of a
// second costs 1.
func (o *oracle) normal(p *multitenant.Prices) []float64 {
	price, sum := make([]float64, o.crossAt()+1), 0.0
	for _, l := range o.lists(p) {
		unit := 1.0
		if l.first < 2*o.places {
			unit = float64(model.Second)
		}
		for k, y := range *l.prices {
			price[l.first+k] = float64(y) * unit
		}
	}
	for r, c := range o.capacity {
		sum += float64(price[r] * c)
	}
	for r := range price {
		price[r] /= sum
	}
	return price
}

// largest is the number of bits of the largest time, in microseconds, or size that a price is multiplied by.
func (o *oracle) largest() int {
	most := int64(1)
	for j := range o.x.Jobs {
		job := &o.x.Jobs[j]
		for i := range job.Kinds {
			m := &job.Kinds[i]
			most = max(most, int64(m.Input), int64(m.Output))
			for k := range o.x.Places {
				most = max(most, int64(o.x.MapTime(m, &o.x.Places[k], true)))
			}
		}
		for i := range job.Reduces {
			for k := range o.x.Places {
				most = max(most, int64(o.x.ReduceTime(&job.Reduces[i], &o.x.Places[k])))
			}
		}
	}
	return bits.Len64(uint64(most))
}
