package multitenant

import (
	"math"
	"math/bits"

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
	list := func(first, count int) []int64 {
		for _, v := range whole[first : first+count] {
			if v > 0 {
				return whole[first : first+count]
			}
		}
		return nil
	}
	return &multitenant.Prices{From: from, Map: list(0, o.places), Reduce: list(o.places, o.places),
		Out: list(o.outAt(0), o.racks), In: list(o.inAt(0), o.racks), Fabric: list(o.fabricAt(0), o.racks),
		Cross: whole[o.crossAt()]}
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
