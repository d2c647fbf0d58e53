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
	e := evaluator{Relaxation: x, p: &Prices{}, modes: make([]model.Wide, in.Racks)}
	c := new(big.Int)
	for k := range list {
		p, until := &list[k], model.MaxTime
		if err := x.demandPrices(p); err != nil {
			return nil, err
		}
		if k+1 < len(list) {
			if until = list[k+1].From; until <= p.From {
				return nil, errors.New("certificate: prices are not in the order of time")
			}
		}
		e.p = e.p.plus(p)
		some := false
		for j := range x.Jobs {
			if at := in.Arrival[j]; at >= p.From && !x.Jobs[j].empty() {
				some = true
				if at < until {
					s.paid.Add(s.paid, e.pays(&x.Jobs[j], c))
				}
			}
		}
		switch {
		case !some:
			return nil, errors.New("certificate: no job arrives so late")
		case e.overflow:
			return nil, ErrPrices
		}
		x.sell(p, s)
	}
	s.paid.Mul(s.paid, million)
	return s, nil
}

// plus adds prices; the price of crossing is the same for all.
func (p *Prices) plus(q *Prices) *Prices {
	add := func(a, b []int64) []int64 {
		if len(a) == 0 {
			return b
		}
		sum := slices.Clone(a)
		for k, v := range b {
			sum[k] += v
		}
		return sum
	}
	return &Prices{From: q.From, Map: add(p.Map, q.Map), Reduce: add(p.Reduce, q.Reduce), Out: add(p.Out, q.Out),
		In: add(p.In, q.In), Fabric: add(p.Fabric, q.Fabric), Cross: q.Cross}
}

// sell adds what all resources are worth at some prices.
func (x *Relaxation) sell(p *Prices, s *settlement) {
	in, w := x.in, x.Window(p.From)
	rate, y := new(big.Int), new(big.Int)
	add := func(price, capacity int64, perSecond bool, span Span) {
		if price == 0 {
			return
		}
		rate.Mul(big.NewInt(price), big.NewInt(capacity))
		if !perSecond {
			rate.Mul(rate, million)
		}
		s.rate.Add(s.rate, rate)
		idle := span.Head + span.Tail
		if perSecond {
			idle -= 2 * linkSlack
			s.outside.Sub(s.outside, y.Mul(y.Mul(big.NewInt(price), million), big.NewInt(x.Loads+1)))
		}
		s.outside.Add(s.outside, y.Mul(rate, big.NewInt(int64(idle))))
	}
	for k := range x.Places {
		add(priceAt(p.Map, k), x.Places[k].MapSlots, false, w.Map)
		add(priceAt(p.Reduce, k), x.Places[k].ReduceSlots, false, w.Reduce)
	}
	for k := range in.Racks {
		add(priceAt(p.Out, k), in.Uplink[k], true, w.Link)
		add(priceAt(p.In, k), in.Uplink[k], true, w.Link)
		add(priceAt(p.Fabric, k), in.Fabric[k], true, w.Link)
	}
}

// priceAt is an element of a list of prices.
func priceAt(list []int64, k int) int64 {
	if len(list) == 0 {
		return 0
	}
	return list[k]
}

// demandPrices demands prices for all places and racks, none of them negative, and none of a link without a limit.
func (x *Relaxation) demandPrices(p *Prices) error {
	for _, l := range []struct {
		name  string
		list  []int64
		count int
		free  func(k int) bool
	}{
		{"map", p.Map, len(x.Places), nil}, {"reduce", p.Reduce, len(x.Places), nil},
		{"out", p.Out, x.in.Racks, func(k int) bool { return x.in.Uplink[k] == 0 }},
		{"in", p.In, x.in.Racks, func(k int) bool { return x.in.Uplink[k] == 0 }},
		{"fabric", p.Fabric, x.in.Racks, func(k int) bool { return x.in.Fabric[k] == 0 }},
		{"cross", []int64{p.Cross}, 1, nil},
	} {
		if len(l.list) != 0 && len(l.list) != l.count {
			return fmt.Errorf("certificate: %d prices %q, not %d", len(l.list), l.name, l.count)
		}
		for k, v := range l.list {
			if v < 0 || v > mostPrice || v > 0 && l.free != nil && l.free(k) {
				return fmt.Errorf("certificate: price %d of %q is %d", k, l.name, v)
			}
		}
	}
	return nil
}
