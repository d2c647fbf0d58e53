package campaign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/model/hta"
	"mrsched/model/msjo"
	"mrsched/model/multitenant"
	"mrsched/model/realtime"
	"mrsched/model/reduceplace"
)

// proof is the parts of certificates that are evaluated here.
type proof struct {
	Kind, Value, Method string
	Denominator         int64
	Terms               []struct {
		Threshold json.Number
		Prices    []int64
	}
	Arcs       []int64
	Inequality string
	Cell       json.Number
	Shift      int
	Steps      []int64
	Levels     []int64
	Unit       string
	Prices     json.RawMessage
}

// certificate shows that the corrupted certificate is another proof of the same bound, and says how.
func (n *naive) certificate(before, after []byte) (string, error) {
	a, b := parse(before), parse(after)
	switch {
	case b == nil:
		return "", errors.New("it is no JSON")
	case bytes.Equal(a.compact(), b.compact()):
		return "blanks around the same certificate", nil
	case a.get("value") == nil || b.get("value") == nil || a.get("value").text != b.get("value").text || a.get("method").text != b.get("method").text:
		return "", errors.New("it states another bound")
	}
	var p proof
	if err := unmarshal(after, &p); err != nil {
		return "", err
	}
	stated, ok := new(big.Rat).SetString(p.Value)
	if !ok {
		return "", fmt.Errorf("value %q", p.Value)
	}
	evaluate := map[string]func(*proof) (*big.Rat, error){
		"midpoint-prices": n.midpoints, "completion-prices": n.completions, "machine-prices": n.machinePrices, "local-cuts": n.localCuts, "slot-prices": n.slotPrices,
	}[p.Kind]
	switch {
	case evaluate != nil:
		v, err := evaluate(&p)
		if err == nil && v.Cmp(stated) < 0 {
			err = fmt.Errorf("it proves %s only", v.RatString())
		}
		return "another certificate of kind " + p.Kind + ", which proves the bound by naive evaluation", err
	case b.get("prices") != nil && n.problem == "multitenant":
		v, err := n.resourcePrices(p.Prices)
		if err == nil && v.Cmp(stated) < 0 {
			err = fmt.Errorf("it proves %s only", v.RatString())
		}
		return "other prices of slots and links, which prove the bound by naive evaluation", err
	case multiples(a, b):
		return "all prices and what they are counted in times one factor, which changes no quotient", nil
	}
	return n.trueBound(p.Method, stated)
}

// multiples says whether all numbers of two certificates that differ do so by one factor.
func multiples(a, b *node) bool {
	was, now := map[string]string{}, map[string]string{}
	a.leaves("", func(path string, leaf *node) { was[path] = leaf.text })
	b.leaves("", func(path string, leaf *node) { now[path] = leaf.text })
	var factor *big.Rat
	same := len(was) == len(now)
	for path, text := range was {
		x, ok := new(big.Rat).SetString(text)
		y, ok2 := new(big.Rat).SetString(now[path])
		if ok != ok2 || !ok && text != now[path] {
			return false
		}
		if !ok || x.Sign() == 0 && y.Sign() == 0 || bytes.HasSuffix([]byte(path), []byte(".from")) && x.Cmp(y) == 0 {
			continue
		}
		if x.Sign() == 0 {
			return false
		}
		y.Quo(y, x)
		if factor == nil {
			factor = y
		}
		same = same && y.Cmp(factor) == 0
	}
	return same
}

// seconds is a time of a certificate.
func seconds(v json.Number) *big.Rat { return perMillion(big.NewInt(micros(v)), 1) }

func rat(v int64) *big.Rat { return big.NewRat(v, 1) }

// sum adds a product to v.
func sum(v *big.Rat, factors ...*big.Rat) {
	p := rat(1)
	for _, f := range factors {
		p.Mul(p, f)
	}
	v.Add(v, p)
}

func timeOf(t model.Time) *big.Rat { return perMillion(big.NewInt(int64(t)), 1) }

// paid is a_u of the terms, by term and task, and by task; the heads of the tasks must be at the threshold or later.
func (n *naive) paid(p *proof) (each [][]*big.Rat, all []*big.Rat, err error) {
	in := n.view.(*msjo.Instance)
	all = make([]*big.Rat, in.Tasks)
	for u := range all {
		all[u] = new(big.Rat)
	}
	for _, t := range p.Terms {
		list := make([]*big.Rat, in.Tasks)
		for u, q := range t.Prices {
			list[u] = new(big.Rat).Mul(timeOf(in.Processing[u]), big.NewRat(q, p.Denominator))
			if q < 0 || q > 0 && timeOf(in.Head[u]).Cmp(seconds(t.Threshold)) < 0 {
				return nil, nil, fmt.Errorf("price %d of task %d", q, u)
			}
			all[u].Add(all[u], list[u])
		}
		each = append(each, list)
	}
	return each, all, nil
}

// before is A_u: what is processed before each task in the order of falling prices.
func (n *naive) beforeInOrder(prices []int64) []*big.Rat {
	in := n.view.(*msjo.Instance)
	order := make([]int, len(prices))
	for u := range order {
		order[u] = u
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(prices[b] - prices[a]) })
	list, so := make([]*big.Rat, len(prices)), new(big.Rat)
	for _, u := range order {
		list[u] = new(big.Rat).Set(so)
		so.Add(so, timeOf(in.Processing[u]))
	}
	return list
}

// midpoints is Σ w_j c_j + Σ a_u (threshold − e_u) + (1/m) Σ a_u (A_u + p_u/2), as docs/formats.md has it.
func (n *naive) midpoints(p *proof) (*big.Rat, error) {
	in := n.view.(*msjo.Instance)
	each, all, err := n.paid(p)
	if err != nil {
		return nil, err
	}
	bound, half := new(big.Rat), big.NewRat(1, 2)
	job := make([]*big.Rat, in.Jobs)
	for j := range job {
		weight := perMillion(big.NewInt(int64(in.Weight[j])), 1)
		job[j] = new(big.Rat)
		sum(bound, weight, timeOf(in.Alone[j]))
		for u := range in.Tasks {
			if int(in.Job[u]) == j {
				job[j].Add(job[j], all[u])
			}
		}
		if job[j].Cmp(weight) > 0 {
			return nil, fmt.Errorf("the prices of job %d exceed its weight", j)
		}
	}
	for k, t := range p.Terms {
		ahead := n.beforeInOrder(t.Prices)
		for u, a := range each[k] {
			length := timeOf(in.Processing[u])
			e := new(big.Rat).Sub(timeOf(in.Alone[in.Job[u]]), timeOf(in.Tail[u]))
			sum(e, rat(-1), half, length)
			sum(bound, a, new(big.Rat).Sub(seconds(t.Threshold), e))
			sum(bound, a, big.NewRat(1, int64(in.Machines)), new(big.Rat).Add(ahead[u], new(big.Rat).Mul(half, length)))
		}
	}
	return bound, nil
}

// completions is Σ a_u (threshold + p_u/2 + (A_u + p_u/2)/m) + Σ f (d + p_v) + Σ rc_u (h_u + p_u).
func (n *naive) completions(p *proof) (*big.Rat, error) {
	in := n.view.(*msjo.Instance)
	each, all, err := n.paid(p)
	if err != nil || len(p.Arcs) != len(in.SuccNode) {
		return nil, errors.Join(err, fmt.Errorf("%d arcs", len(p.Arcs)))
	}
	bound, half, m := new(big.Rat), big.NewRat(1, 2), big.NewRat(1, int64(in.Machines))
	rest := make([]*big.Rat, in.Nodes)
	for u := range rest {
		rest[u] = perMillion(big.NewInt(int64(in.TaskWeight[u])), 1)
		if u < in.Tasks {
			rest[u].Sub(rest[u], all[u])
		}
	}
	for u := range in.Nodes {
		for k := in.SuccFirst[u]; k < in.SuccFirst[u+1]; k++ {
			f, v := big.NewRat(p.Arcs[k], p.Denominator), in.SuccNode[k]
			if f.Sign() < 0 {
				return nil, errors.New("a negative multiplier")
			}
			rest[u].Add(rest[u], f)
			rest[v].Sub(rest[v], f)
			sum(bound, f, timeOf(in.SuccDelay[k]+in.Processing[v]))
		}
	}
	for u, rc := range rest {
		if rc.Sign() < 0 {
			return nil, fmt.Errorf("node %d pays more than it weighs", u)
		}
		sum(bound, rc, timeOf(in.Head[u]+in.Processing[u]))
	}
	for k, t := range p.Terms {
		ahead := n.beforeInOrder(t.Prices)
		for u, a := range each[k] {
			length := timeOf(in.Processing[u])
			inside := new(big.Rat).Set(seconds(t.Threshold))
			if p.Inequality == "published" {
				sum(inside, m, new(big.Rat).Add(ahead[u], length))
			} else {
				sum(inside, half, length)
				sum(inside, m, new(big.Rat).Add(ahead[u], new(big.Rat).Mul(half, length)))
			}
			sum(bound, a, inside)
		}
	}
	return bound, nil
}

// machinePrices is Σ_j min_C [ w_j C + Σ_u min { Λ(S + p_u) − Λ(S) } ] − m Λ(∞), C among the points where the slope may change: the
// term of each task is the least so far of a function that is linear between borders of cells, and between its end and those.
func (n *naive) machinePrices(p *proof) (*big.Rat, error) {
	in := n.view.(*msjo.Instance)
	cell := micros(p.Cell)
	if cell <= 0 {
		return nil, errors.New("no cells")
	}
	unit := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1_000_000), uint(max(0, p.Shift))))
	if p.Shift < 0 {
		unit.Mul(unit, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(-p.Shift))))
	}
	upTo := func(t int64) int64 { // Λ in microseconds times units
		v := int64(0)
		for k, s := range p.Steps {
			if s < 0 || s > 1<<40 {
				return -1 << 62
			}
			v += s * max(0, min(cell, t-int64(k)*cell))
		}
		return v
	}
	horizon := cell * int64(len(p.Steps))
	bound := new(big.Rat)
	for j := range in.Jobs {
		// point is a completion of the job, and what a task pays at most so early.
		type point struct{ at, pays int64 }
		var tasks [][]point
		breaks := []int64{int64(in.Alone[j])}
		for u := range in.Tasks {
			if int(in.Job[u]) != j || in.Processing[u] == 0 {
				continue
			}
			length, head, lag := int64(in.Processing[u]), int64(in.Head[u]), int64(in.Tail[u]+in.Processing[u])
			starts := []int64{head, max(head, horizon)}
			for k := range int64(len(p.Steps)) + 1 {
				starts = append(starts, k*cell, k*cell-length)
			}
			slices.Sort(starts)
			pays := func(s int64) int64 { return upTo(s+length) - upTo(s) }
			var list []point
			least := pays(head)
			for i, s := range starts {
				if s < head {
					continue
				}
				if v := pays(s); v < least && i > 0 { // it may have come below the least so far on the way here: before, all whole microseconds count
					from, above := max(head, starts[i-1]), pays(max(head, starts[i-1]))
					if above > least && above > v {
						cross := from + (above-least)*(s-from)/(above-v)
						list = append(list, point{cross + lag, min(least, pays(cross))}, point{cross + 1 + lag, min(least, pays(cross+1))})
					}
					least = v
				}
				list = append(list, point{s + lag, least})
			}
			for _, x := range list {
				breaks = append(breaks, x.at)
			}
			tasks = append(tasks, list)
		}
		at := func(list []point, c int64) *big.Rat { // linear between points
			k, _ := slices.BinarySearchFunc(list, c, func(x point, c int64) int { return int(min(1, max(-1, x.at-c))) })
			switch {
			case k == len(list):
				return rat(list[k-1].pays)
			case list[k].at == c || k == 0:
				return rat(list[k].pays)
			}
			a, b := list[k-1], list[k]
			v := big.NewRat(c-a.at, b.at-a.at)
			return v.Add(v.Mul(v, rat(b.pays-a.pays)), rat(a.pays))
		}
		var best *big.Rat
		for _, c := range breaks {
			if c < int64(in.Alone[j]) {
				continue
			}
			v := new(big.Rat)
			for _, list := range tasks {
				v.Add(v, at(list, c))
			}
			v.Mul(v, unit)
			v.Mul(v, big.NewRat(1, 1_000_000))
			sum(v, perMillion(big.NewInt(int64(in.Weight[j])), 1), timeOf(model.Time(c)))
			if best == nil || v.Cmp(best) < 0 {
				best = v
			}
		}
		bound.Add(bound, best)
	}
	sum(bound, rat(-int64(in.Machines)), rat(upTo(horizon)), unit, big.NewRat(1, 1_000_000))
	return bound, nil
}

// localCuts is the least load of τ·local or more, over all numbers τ of node-local maps on a server, at which servers have room for all maps, counted in whole
// maps: what check takes from concave hulls is never more.
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

// slotPrices is Σ_k (H(k) − H(k − 1)) (W − M_{k−1}), M_k from the row that proves least room, whichever that is.
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
	for i := range int32(in.Jobs) { // what is held for no time costs H(1)
		if in.End[i] <= in.Start[i] {
			for t := in.First[i]; t < in.First[i+1]; t++ {
				bytes, parts := in.Data(i, t)
				sum(bound, perMillion(big.NewInt(int64(in.Cost[0])), 1), big.NewRat(int64(bytes), int64(parts)))
			}
		}
	}
	return bound, nil
}

// resourcePrices is ( Σ_j c_j + Σ_x price_x·C_x·(h_x + t_x) − Σ_links z_x·( 20 µs·C_x + (L + 1) bytes ) ) / Σ_x price_x·C_x, as docs/formats.md
// has it, with the groups and spans of the model.
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
func (n *naive) jobPays(x *multitenant.Relaxation, job *multitenant.JobGroups, p *multitenant.Prices, price func([]int64, int) *big.Rat) *big.Rat {
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

// trueBound shows that a bound of problem realtime is true, which is also the honest certificate's: trying everything finds nothing
// cheaper; or where that takes too long, the search of algorithm exact found its schedule optimal.
func (n *naive) trueBound(method string, stated *big.Rat) (string, error) {
	in, ok := n.view.(*realtime.Instance)
	if !ok {
		return "", errors.New("it differs")
	}
	optimum := bruteRealtime(in)
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
