package shop

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/model/shop"
)

// Settings of the rounding of prices to integers.
const (
	// priceBits is the length of the largest price.
	priceBits = 52
	// shave is the share of all payments that is given up, so that jobs can pay despite rounding.
	shave = 1e-13
)

// certificate turns payments into integer prices. It divides what tasks pay for their places as integers, after what
// they pay in groups, so that no task pays too much.
func (s *twoSided) certificate(e *shop.Evaluator, pooled []*shop.Pooled,
	bounds shop.Bounds) (cert *shop.Certificate, err error) {
	var top float64
	for i, k := range s.item {
		for o := range s.options {
			top = max(top, s.now.back[i*s.options+o]/s.unit(pooled, k, o))
		}
	}
	shift := 0
	if top > 0 {
		_, exp := math.Frexp(top)
		shift = min(max(0, priceBits-exp), shop.MaxShift)
	}
	for loss := shave; loss < 1; loss *= 64 {
		cert = &shop.Certificate{Claim: model.Claim{Method: shop.MethodTwoSided, Kind: shop.KindTwoSided},
			Shift: shift, Bounds: bounds, TwoSided: s.rounded(pooled, shift, 1-loss)}
		if err = e.Sign(cert); err == nil {
			break
		}
	}
	return cert, err
}

// unit is what a task pays at a price of 1: its area in a pool, or its length; infinite if it has no area.
func (s *twoSided) unit(pooled []*shop.Pooled, k int32, option int) float64 {
	u := s.task[k]
	if option == len(pooled) {
		return float64(s.in.Least[u])
	}
	if a := pooled[option].Area[u]; a > 0 {
		return float64(a)
	}
	return math.Inf(1)
}

func (s *twoSided) rounded(pooled []*shop.Pooled, shift int, keep float64) *shop.TwoSided {
	paid := make([]big.Int, len(s.task))
	t := &shop.TwoSided{}
	for _, g := range s.targets {
		t.Groups = append(t.Groups, s.group(g, pooled, shift, keep, paid))
	}
	t.Forward = s.prices(pooled, s.in.Tasks, func(set func(i int, k int32, option int, price int64)) {
		left, x := new(big.Float), new(big.Float)
		for k := range int32(len(s.task)) {
			now := s.now.forth[int(k)*s.options : int(k+1)*s.options]
			var sum float64
			for _, v := range now {
				sum += v
			}
			if sum == 0 {
				continue
			}
			has, _ := left.SetInt(&paid[k]).Float64()
			for o, v := range now {
				if unit := s.unit(pooled, k, o); v > 0 && !math.IsInf(unit, 1) {
					price, _ := x.SetFloat64(has * (1 - shave) * (v / sum) / unit).Int64()
					set(int(s.task[k]), k, o, min(price, shop.MaxPrice))
				}
			}
		}
	})
	return t
}

// group rounds the payments of a target and adds up what each position pays.
func (s *twoSided) group(g target, pooled []*shop.Pooled, shift int, keep float64,
	paid []big.Int) shop.PriceGroup {
	items := model.Indices(int(g.to - g.from))
	for i := range items {
		items[i] += g.from
	}
	slices.SortFunc(items, func(a, b int32) int { return cmp.Compare(s.task[s.item[a]], s.task[s.item[b]]) })
	group := shop.PriceGroup{Job: g.job, Tasks: make([]int32, len(items))}
	x, y := new(big.Int), new(big.Int)
	scale := math.Ldexp(keep, shift)
	group.Prices = *s.prices(pooled, len(items), func(set func(i int, k int32, option int, price int64)) {
		for i, item := range items {
			k := s.item[item]
			group.Tasks[i] = s.task[k]
			for o, v := range s.now.back[int(item)*s.options : int(item+1)*s.options] {
				unit := s.unit(pooled, k, o)
				price := int64(min(v*scale/unit, shop.MaxPrice/2))
				if price > 0 {
					set(i, k, o, price)
					paid[k].Add(&paid[k], x.Mul(x.SetInt64(price), y.SetInt64(int64(unit))))
				}
			}
		}
	})
	return group
}

// prices collects prices by pool, leaving out pools without any.
func (s *twoSided) prices(pooled []*shop.Pooled, size int,
	each func(set func(i int, k int32, option int, price int64))) *shop.Prices {
	p := &shop.Prices{Pool: make([][]int64, len(pooled))}
	each(func(i int, _ int32, option int, price int64) {
		row := &p.Latency
		if option < len(pooled) {
			row = &p.Pool[option]
		}
		if *row == nil {
			*row = make([]int64, size)
		}
		(*row)[i] = price
	})
	for r := range p.Pool {
		if p.Pool[r] == nil {
			p.Pool[r] = []int64{}
		}
	}
	return p
}
