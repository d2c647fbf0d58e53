package multitenant

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"mrsched/model"
)

// Prices are prices of the time of slots and of the bytes that cross links. They bound the makespan from below
// (Relaxation.Makespan) and, with a price of crossing racks at all, the bytes that do so within a makespan (Crossing).
// With c_j what job j pays at least and S the jobs that arrive at From or later,
//
//	Σ_{j∈S} c_j − Cross·(bytes that leave racks) ≤ Σ_x price_x·capacity_x·(T − t_x − h_x) + slack
//
// over the resources x, each used in [h_x, T − t_x] only (Relaxation.Window): docs/mathematics.md, section multitenant.
type Prices struct {
	From   model.Time `json:"from"`
	Map    []int64    `json:"map,omitempty"`    // by place; absent: all 0
	Reduce []int64    `json:"reduce,omitempty"` // by place
	Out    []int64    `json:"out,omitempty"`    // by rack
	In     []int64    `json:"in,omitempty"`     // by rack
	Fabric []int64    `json:"fabric,omitempty"` // by rack
	Cross  int64      `json:"cross,omitempty"`
}

// mostPrice bounds prices, so that their sums fit.
const mostPrice = 1 << 56

// ErrPrices says that prices, times and sizes are too large together to be evaluated in exact integers.
var ErrPrices = errors.New("certificate: prices are too high for exact integers")

// Makespan is the bound on the makespan, in seconds. Errors: the prices prove nothing.
func (x *Relaxation) Makespan(p *Prices) (*big.Rat, error) {
	if p.Cross != 0 {
		return nil, errors.New("certificate: a price of all crossing bounds no makespan")
	}
	s, err := x.settle(p)
	if err != nil {
		return nil, err
	}
	if s.rate.Sign() == 0 {
		return nil, errors.New("certificate: prices are all 0")
	}
	return new(big.Rat).SetFrac(s.paid.Add(s.paid, s.outside), s.rate.Mul(s.rate, million)), nil
}

var million = big.NewInt(int64(model.Second))

// settlement is both sides of the inequality, in millionths of the unit of prices:
// paid − 10⁶·Cross·bytes ≤ rate·T − outside, T in microseconds.
type settlement struct{ paid, rate, outside *big.Int }

// settle computes both sides.
func (x *Relaxation) settle(p *Prices) (*settlement, error) { return x.settleAll([]Prices{*p}) }

// settleAll adds up both sides for several prices, by ascending From: a job pays once, at the sum of all prices whose
// From is not after its arrival.
func (x *Relaxation) settleAll(list []Prices) (*settlement, error) {
	in := x.in
	s := &settlement{new(big.Int), new(big.Int), new(big.Int)}
	e := x.NewPayer(make([]int64, len(x.Capacity)), 0)
	c := new(big.Int)
	for k := range list {
		p, until := &list[k], model.MaxTime
		prices, err := x.Vector(p)
		if err != nil {
			return nil, err
		}
		if k+1 < len(list) {
			if until = list[k+1].From; until <= p.From {
				return nil, errors.New("certificate: prices are not in the order of time")
			}
		}
		e.cross = p.Cross // the same for all
		for r, v := range prices {
			e.price[r] += v
		}
		some := false
		for j := range x.Jobs {
			if at := in.Arrival[j]; at >= p.From && !x.Jobs[j].empty() {
				some = true
				if at < until {
					s.paid.Add(s.paid, e.Pays(int32(j), c))
				}
			}
		}
		switch {
		case !some:
			return nil, errors.New("certificate: no job arrives so late")
		case e.overflow:
			return nil, ErrPrices
		}
		x.sell(prices, x.Window(p.From), s)
	}
	s.paid.Mul(s.paid, million)
	return s, nil
}

// sell adds what all resources are worth at some prices.
func (x *Relaxation) sell(prices []int64, w Windows, s *settlement) {
	rate, y := new(big.Int), new(big.Int)
	for r, price := range prices {
		if price == 0 {
			continue
		}
		rate.Mul(big.NewInt(price), big.NewInt(x.Capacity[r]))
		span := w.Link
		switch places := len(x.Places); {
		case r < places:
			span = w.Map
		case r < 2*places:
			span = w.Reduce
		}
		idle := span.Head + span.Tail
		if r < 2*len(x.Places) {
			rate.Mul(rate, million)
		} else {
			idle -= 2 * linkSlack
			s.outside.Sub(s.outside, y.Mul(y.Mul(big.NewInt(price), million), big.NewInt(x.Loads+1)))
		}
		s.rate.Add(s.rate, rate)
		s.outside.Add(s.outside, y.Mul(rate, big.NewInt(int64(idle))))
	}
}

// priceList is one of the lists of prices, with the number of its resources.
type priceList struct {
	name  string
	list  *[]int64
	count int
}

// lists are the lists of prices in the order of the resources.
func (x *Relaxation) lists(p *Prices) []priceList {
	places, racks := len(x.Places), x.in.Racks
	return []priceList{{"map", &p.Map, places}, {"reduce", &p.Reduce, places}, {"out", &p.Out, racks},
		{"in", &p.In, racks}, {"fabric", &p.Fabric, racks}}
}

// Vector lists prices by resource. Errors: some are missing, negative or too high, or of a link without a limit.
func (x *Relaxation) Vector(p *Prices) ([]int64, error) {
	vector := make([]int64, len(x.Capacity))
	first := 0
	for _, l := range x.lists(p) {
		if n := len(*l.list); n != 0 && n != l.count {
			return nil, fmt.Errorf("certificate: %d prices %q, not %d", n, l.name, l.count)
		}
		for k, v := range *l.list {
			r := first + k
			if v < 0 || v > mostPrice || v > 0 && r >= 2*len(x.Places) && x.Capacity[r] == 0 {
				return nil, fmt.Errorf("certificate: price %d of %q is %d", k, l.name, v)
			}
			vector[r] = v
		}
		first += l.count
	}
	if p.Cross < 0 || p.Cross > mostPrice {
		return nil, fmt.Errorf("certificate: price 0 of %q is %d", "cross", p.Cross)
	}
	return vector, nil
}

// PricesOf makes prices of a vector; a list of zeros is left out.
func (x *Relaxation) PricesOf(vector []int64, from model.Time, cross int64) *Prices {
	p := &Prices{From: from, Cross: cross}
	first := 0
	for _, l := range x.lists(p) {
		if list := vector[first : first+l.count]; slices.ContainsFunc(list, func(y int64) bool { return y > 0 }) {
			*l.list = list
		}
		first += l.count
	}
	return p
}
