package msjo

import (
	"math"
	"math/big"

	"mrsched/model"
	"mrsched/model/shop"
)

// certificate converts the flows to integer prices and multipliers. Node by node it divides the received weight in
// integers, so that every node can pay. A small loss makes sure of that in spite of rounding.
func (s *taskAscent) certificate(bounds shop.Bounds) (cert *shop.Certificate, err error) {
	densities, arcs := make([]float64, 0, len(s.items)), make([]float64, 0, len(s.in.SuccStep))
	for e, edge := range s.edges {
		switch {
		case edge.item != model.None:
			densities = append(densities, s.flow[e]/s.p[edge.item])
		case edge.arc != model.None:
			arcs = append(arcs, s.flow[e])
		}
	}
	shift := min(spare(densities, priceBits), spare(arcs, arcBits))
	for loss := 0.0; loss < 1; loss = max(shave, loss*64) {
		cert = s.rounded(bounds, 1<<shift, loss)
		if err = s.in.Sign(cert); err == nil {
			break
		}
	}
	return cert, err
}

func (s *taskAscent) rounded(bounds shop.Bounds, denominator int64, loss float64) *shop.Certificate {
	in := s.in
	price := make([]int64, in.Tasks)
	cert := preemptiveFrom(bounds, denominator, make([]int64, len(in.SuccStep)))
	cert.Terms = []shop.PriceTerm{{Prices: price}}
	has, x, y := make([]big.Int, in.Steps), new(big.Int), new(big.Int)
	for u := range has {
		has[u].Mul(x.SetInt64(int64(in.TaskWeight[u])), y.SetInt64(denominator))
	}
	s.weigh(func(u int32) {
		now, _ := new(big.Float).SetInt(&has[u]).Float64()
		var weight float64
		for e := s.first[u]; e < s.first[u+1]; e++ {
			weight += s.flow[e]
		}
		if weight <= 0 {
			return
		}
		for e := s.first[u]; e < s.first[u+1]; e++ {
			amount, edge := now*(1-loss)*s.flow[e]/weight, s.edges[e]
			var number, unit int64
			switch {
			case edge.item != model.None:
				unit = int64(in.Least[u])
				number = int64(min(amount/float64(unit), shop.MaxPrice/2))
				price[u] = number
			case edge.arc != model.None:
				unit = int64(model.UnitWeight)
				number = int64(min(amount/float64(unit), math.MaxInt64/2))
				cert.Arcs[edge.arc] = number
			}
			if edge.to != model.None {
				has[edge.to].Add(&has[edge.to], x.Mul(x.SetInt64(number), y.SetInt64(unit)))
			}
		}
	})
	return cert
}

// preemptiveFrom is a certificate without prices.
func preemptiveFrom(bounds shop.Bounds, denominator int64, arcs []int64) *shop.Certificate {
	return &shop.Certificate{Claim: model.Claim{Method: methodPreemptive, Kind: shop.KindCompletionPrices},
		Bounds:    shop.Bounds{Pools: bounds.Pools, Ends: bounds.Ends},
		SetPrices: &shop.SetPrices{Denominator: denominator, Inequality: shop.InequalityPreemptive, Arcs: arcs}}
}
