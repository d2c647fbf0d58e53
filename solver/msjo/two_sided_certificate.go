package msjo

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/model/msjo"
)

// certificate converts the flows to integer prices and multipliers. Node by node it divides the received weight in
// integers, so that every node can pay. A small loss makes sure of that in spite of rounding.
func (s *twoSidedTasks) certificate(ends []msjo.NodeBound) (cert *msjo.Certificate, err error) {
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
		cert = s.rounded(1<<shift, loss)
		cert.Ends = ends
		if err = s.in.Sign(cert); err == nil {
			break
		}
	}
	return cert, err
}

func (s *twoSidedTasks) rounded(denominator int64, loss float64) *msjo.Certificate {
	in := s.in
	price := make([]int64, len(s.items))
	cert := &msjo.Certificate{Claim: model.Claim{Method: methodTwoSided, Kind: msjo.KindTwoSidedTasks},
		Denominator: denominator, Arcs: make([]int64, len(in.SuccStep)), TwoSidedTasks: &msjo.TwoSidedTasks{}}
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
				unit = int64(in.Least[s.items[edge.item].task])
				number = int64(min(amount/float64(unit), msjo.MaxPrice/2))
				price[edge.item] = number
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
	cert.Place = make([]int64, in.Tasks)
	for i, item := range s.items[:s.groups[0].to] {
		cert.Place[item.task] = price[i]
	}
	for _, g := range s.groups[1:] {
		s.add(cert, g, price)
	}
	return cert
}

// add adds a group's prices to a certificate, unless there are none.
func (s *twoSidedTasks) add(cert *msjo.Certificate, g weightGroup, price []int64) {
	group := msjo.PricedGroup{Node: g.node}
	order := s.order[g.from:g.to:g.to]
	order = slices.DeleteFunc(slices.Clone(order), func(i int32) bool { return price[i] == 0 })
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(s.items[a].task, s.items[b].task) })
	for _, i := range order {
		group.Tasks = append(group.Tasks, s.items[i].task)
		group.Prices = append(group.Prices, price[i])
	}
	switch {
	case len(order) == 0:
	case g.before:
		cert.Before = append(cert.Before, group)
	default:
		cert.After = append(cert.After, group)
	}
}

// fromLP is a certificate with the prices of an LP on completion times. It proves at least as much.
func fromLP(in *msjo.Instance, lp *msjo.Certificate, ends []msjo.NodeBound) (*msjo.Certificate, error) {
	cert := &msjo.Certificate{Claim: model.Claim{Method: methodTwoSided, Kind: msjo.KindTwoSidedTasks},
		Denominator: lp.Denominator, Arcs: lp.Arcs, Ends: ends,
		TwoSidedTasks: &msjo.TwoSidedTasks{Place: lp.Terms[0].Prices}}
	return cert, in.Sign(cert)
}
