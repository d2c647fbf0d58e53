package campaign

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"mrsched/model/cluster"
	"mrsched/model/hta"
	"mrsched/model/multitenant"
	"mrsched/model/realtime"
	"mrsched/model/reduceplace"
)

// localCuts is the least load of τ·local or more, over all numbers τ of node-local maps on a server, at which servers
// have room for all maps, counted in whole maps. check uses concave hulls, which never give more.
func (n *naive) localCuts(p *proof) (*big.Rat, error) {
	in := n.view.(*hta.Instance)
	if len(p.Levels) != in.Servers {
		return nil, fmt.Errorf("%d levels", len(p.Levels))
	}
	best := int64(-1)
	for tau := range int64(in.Tasks) + 1 {
		inside, caught := 0, 0 // servers of higher level, maps whose replicas all lie there
		for _, level := range p.Levels {
			if level > tau {
				inside++
			}
		}
		for b := range int32(in.Blocks) {
			if !slices.ContainsFunc(in.Replicas(b), func(s int32) bool { return p.Levels[s] <= tau }) {
				caught += int(in.Readers(b))
			}
		}
		outside := in.Tasks - caught
		local := min(int(tau)*inside+outside, int(tau)*in.Servers, in.Tasks)
		rho := in.Tasks - local
		w := int64(in.Cost.Remote.At(rho))
		if in.Cost.Rack.Known {
			w = int64(in.Cost.Rack.Value)
		}
		room := func(load int64) bool {
			if load < tau*int64(in.Cost.Local) {
				return false
			}
			most := func(servers int) []int { // node-local maps beside 0, 1, … others on so many servers; −1: they do not fit
				all := make([]int, rho+1)
				for k := range all {
					all[k] = -1
				}
				all[0] = 0
				for range servers {
					next := slices.Repeat([]int{-1}, rho+1)
					for k, a := range all {
						for b := 0; a >= 0 && k+b <= rho && int64(b)*w <= load; b++ {
							here := tau
							if in.Cost.Local > 0 {
								here = min(here, (load-int64(b)*w)/int64(in.Cost.Local))
							}
							next[k+b] = max(next[k+b], a+int(here))
						}
					}
					all = next
				}
				return all
			}
			cold, hot := most(in.Servers-inside), most(inside)
			for k := range cold {
				if cold[k] >= 0 && hot[rho-k] >= 0 && min(outside, cold[k])+hot[rho-k] >= local {
					return true
				}
			}
			return false
		}
		low, high := int64(-1), int64(1)
		for ; !room(high); high *= 2 {
			low = high
		}
		for low+1 < high {
			if mid := (low + high) / 2; room(mid) {
				high = mid
			} else {
				low = mid
			}
		}
		if best < 0 || high < best {
			best = high
		}
	}
	return perMillion(big.NewInt(best), 1), nil
}

// slotPrices is Σ_k (H(k) − H(k − 1)) (W − M_{k−1}), with M_k from whichever row proves the least room.
func (n *naive) slotPrices(p *proof) (*big.Rat, error) {
	in, ok := n.view.(*reduceplace.Instance)
	if !ok {
		return nil, errors.New("slot prices of another problem")
	}
	var periods []struct {
		Period int
		Rows   [][]int64
	}
	unit, whole := new(big.Rat).SetString(p.Unit)
	if err := json.Unmarshal(p.Prices, &periods); err != nil && len(p.Prices) > 0 || !whole || unit.Sign() <= 0 {
		return nil, fmt.Errorf("unit %q: %w", p.Unit, err)
	}
	line := in.Timeline()
	room := make([]*big.Rat, in.Slots) // M_k
	for k := range room {
		room[k] = new(big.Rat)
	}
	data := new(big.Rat)
	for i := range line.Periods {
		x := &line.Periods[i]
		all := new(big.Rat)
		for _, v := range line.Intervals[x.First:x.Last] {
			_, bytes := in.Amount(v)
			all.Add(all, rat(bytes))
		}
		data.Add(data, all)
		least := make([]*big.Rat, in.Slots)
		for k := range least {
			least[k] = new(big.Rat).Set(all)
		}
		least[0].SetInt64(0)
		for _, q := range periods {
			price := make([]int64, x.Points)
			for _, changes := range q.Rows {
				if q.Period != i {
					break
				}
				at := int64(-1)
				for k := 0; k+1 < len(changes); k += 2 {
					if at += changes[k]; changes[k] < 1 || at >= int64(x.Points) {
						return nil, errors.New("a price at no point")
					}
					if price[at] += changes[k+1]; price[at] < 0 {
						return nil, errors.New("a negative price")
					}
				}
				slope, base := new(big.Rat), new(big.Rat)
				for _, y := range price {
					sum(slope, unit, rat(y))
				}
				for _, v := range line.Intervals[x.First:x.Last] {
					count, bytes := in.Amount(v)
					over := rat(bytes)
					for t := v.From; t < v.To; t++ {
						sum(over, rat(-int64(count)), unit, rat(price[t]))
					}
					if over.Sign() > 0 {
						base.Add(base, over)
					}
				}
				for k := 1; k < in.Slots; k++ {
					if m := new(big.Rat).Add(base, new(big.Rat).Mul(rat(int64(k)), slope)); m.Cmp(least[k]) < 0 {
						least[k] = m
					}
				}
			}
		}
		for k := range room {
			room[k].Add(room[k], least[k])
		}
	}
	bound, before := new(big.Rat), int64(0)
	for k := range room {
		rise := perMillion(big.NewInt(int64(in.Cost[k])-before), 1)
		sum(bound, rise, new(big.Rat).Sub(data, room[k]))
		before = int64(in.Cost[k])
	}
	for i := range int32(in.Jobs) { // tasks that hold slots for no time cost H(1)
		if in.End[i] <= in.Start[i] {
			for t := in.First[i]; t < in.First[i+1]; t++ {
				bytes, parts := in.Data(i, t)
				sum(bound, perMillion(big.NewInt(int64(in.Cost[0])), 1), big.NewRat(int64(bytes), parts))
			}
		}
	}
	return bound, nil
}

// resourcePrices is ( Σ_j c_j + Σ_x price_x·C_x·(h_x + t_x) − Σ_links z_x·( 20 µs·C_x + (L + 1) bytes ) ) / Σ_x
// price_x·C_x, as docs/formats.md has it, with the groups and spans of the model.
func (n *naive) resourcePrices(text []byte) (*big.Rat, error) {
	in := n.view.(*multitenant.Instance)
	var p multitenant.Prices
	if err := unmarshal(text, &p); err != nil {
		return nil, err
	}
	x := in.Relax()
	price := func(list []int64, k int) *big.Rat {
		if len(list) == 0 {
			return new(big.Rat)
		}
		return rat(list[k])
	}
	all, rate := new(big.Rat), new(big.Rat)
	add := func(y *big.Rat, capacity *big.Rat, s multitenant.Span, link bool) {
		sum(rate, y, capacity)
		sum(all, y, capacity, rat(int64(s.Head+s.Tail)))
		if link {
			sum(all, rat(-1), y, new(big.Rat).Add(new(big.Rat).Mul(rat(20), capacity), rat(x.Loads+1)))
		}
	}
	w := x.Window(p.From)
	for k, q := range x.Places {
		add(price(p.Map, k), rat(q.MapSlots), w.Map, false)
		add(price(p.Reduce, k), rat(q.ReduceSlots), w.Reduce, false)
	}
	for k := range in.Racks {
		up, fabric := big.NewRat(in.Uplink[k], 1_000_000), big.NewRat(in.Fabric[k], 1_000_000)
		add(price(p.Out, k), up, w.Link, true)
		add(price(p.In, k), up, w.Link, true)
		add(price(p.Fabric, k), fabric, w.Link, true)
	}
	for j := range x.Jobs {
		if in.Arrival[j] >= p.From && x.Jobs[j].MapCount+x.Jobs[j].ReduceCount > 0 {
			all.Add(all, n.jobPays(x, &x.Jobs[j], &p, price))
		}
	}
	if rate.Sign() <= 0 {
		return nil, errors.New("no prices")
	}
	all.Quo(all, rate)
	return all.Mul(all, big.NewRat(1, 1_000_000)), nil
}

// jobPays is c_j.
func (n *naive) jobPays(x *multitenant.Relaxation, job *multitenant.JobGroups, p *multitenant.Prices,
	price func([]int64, int) *big.Rat) *big.Rat {
	racks := n.view.(*multitenant.Instance).Racks
	less := func(best, v *big.Rat) *big.Rat {
		if best == nil || v.Cmp(best) < 0 {
			return v
		}
		return best
	}
	alone := func(m *multitenant.MapGroup, k int) (best *big.Rat) { // m(k): nil without slots
		kind := &job.Kinds[m.Kind]
		for _, at := range x.AtRack[k] {
			q := &x.Places[at]
			if q.MapSlots == 0 {
				continue
			}
			away := !m.Near(int32(k))
			v := new(big.Rat).Mul(price(p.Map, int(at)), rat(int64(x.MapTime(kind, q, away))))
			if away {
				read := new(big.Rat).Add(price(p.In, k), price(p.Fabric, k))
				if m.Source >= 0 {
					read.Add(read, price(p.Out, int(m.Source)))
				}
				sum(v, rat(int64(kind.Input)), read)
			}
			best = less(best, v)
		}
		return best
	}
	reduce := func(r *multitenant.ReduceGroup, l int) (best *big.Rat) {
		for _, at := range x.AtRack[l] {
			if q := &x.Places[at]; q.ReduceSlots > 0 {
				best = less(best, new(big.Rat).Mul(price(p.Reduce, int(at)), rat(int64(x.ReduceTime(r, q)))))
			}
		}
		return best
	}
	maps := func(l int) *big.Rat { // if all reduces are in rack l; −1: they fetch nothing
		total := new(big.Rat)
		for i := range job.Maps {
			m := &job.Maps[i]
			var best *big.Rat
			for k := range racks {
				v := alone(m, k)
				if v == nil {
					continue
				}
				if l >= 0 && k != l {
					sum(v, rat(int64(job.Kinds[m.Kind].Output)), new(big.Rat).Add(price(p.Out, k), price(p.In, l)))
				}
				best = less(best, v)
			}
			sum(total, rat(m.Count), best)
		}
		return total
	}
	total := new(big.Rat)
	if !job.Shuffles {
		total = maps(-1)
	}
	for i := range job.Reduces {
		r := &job.Reduces[i]
		var best *big.Rat
		for l := range racks {
			v := reduce(r, l)
			if v == nil {
				continue
			}
			if job.Shuffles {
				share := maps(l)
				sum(share, rat(int64(job.Volume)), price(p.Fabric, l))
				sum(v, big.NewRat(1, job.ReduceCount), share)
			}
			best = less(best, v)
		}
		sum(total, rat(r.Count), best)
	}
	return rat(0).SetInt(new(big.Int).Quo(total.Num(), total.Denom()))
}

// trueBound shows that a bound of problem realtime or cluster, which is also the honest certificate's, is true: trying
// everything finds nothing cheaper; or, where that takes too long, the search of algorithm exact proved its schedule
// optimal.
func (n *naive) trueBound(method string, stated *big.Rat) (string, error) {
	var optimum *big.Rat
	switch in := n.view.(type) {
	case *realtime.Instance:
		optimum = bruteRealtime(in)
	case *cluster.Instance:
		optimum = n.problemOf().(*naiveCluster).optimum()
	default:
		return "", errors.New("it differs")
	}
	by := "trying everything"
	if optimum == nil {
		optimum, by = n.optimum, "the exhaustive search of exact"
	}
	if optimum == nil {
		optimum, by = stated, "the honest certificate alone"
	}
	if stated.Cmp(optimum) > 0 {
		return "", fmt.Errorf("the bound is wrong: the optimum is %s", optimum.RatString())
	}
	return "other prices of method " + method + " for the same bound, which is true by " + by, nil
}
