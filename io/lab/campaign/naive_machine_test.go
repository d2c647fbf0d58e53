package campaign

import (
	"encoding/json"
	"errors"
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/model/msjo"
)

// ownPrices are those of a job for completions from a time on.
type ownPrices struct {
	Job   int
	From  json.Number
	Steps []int64
}

// machinePrices are prices of machine time.
type machinePrices struct {
	Cell  json.Number
	Shift int
	Steps []int64
	Own   []ownPrices
}

// completionCase is a split, or a case with prices.
type completionCase struct {
	Job         int
	At          json.Number
	Until, From *completionCase
	machinePrices
}

// stepPrices are prices by cell.
type stepPrices struct {
	cell  int64
	steps []int64
}

// upTo is the integral of the prices, in microseconds times units.
func (s stepPrices) upTo(t int64) (v int64) {
	for k, x := range s.steps {
		v += x * max(0, min(s.cell, t-int64(k)*s.cell))
	}
	return v
}

func (s stepPrices) with(own []int64) stepPrices {
	sum := slices.Clone(s.steps)
	for k, x := range own {
		sum[k] += x
	}
	return stepPrices{s.cell, sum}
}

// completionPay is a completion of a job, with the least that a task pays to end by then.
type completionPay struct{ at, pays int64 }

// machinePrices is the least bound of the cases, or of the only one.
func (n *naive) machinePrices(p *proof) (*big.Rat, error) {
	heads, tails, err := n.windows(p)
	if err != nil {
		return nil, err
	}
	in := n.view.(*msjo.Instance)
	begins, ends := make([]int64, in.Jobs), slices.Repeat([]int64{1 << 60}, in.Jobs)
	for j := range begins {
		least, err := n.alone(p, j, heads, tails)
		if err != nil {
			return nil, err
		}
		begins[j] = new(big.Rat).Mul(least, rat(1_000_000)).Num().Int64()
	}
	c := p.Cases
	if c == nil {
		c = &completionCase{machinePrices: p.machinePrices}
	}
	return n.leastCase(c, heads, tails, begins, ends)
}

// leastCase is the least bound of the cases in c if each job completes between two times; nil if no job can.
func (n *naive) leastCase(c *completionCase, heads, tails []model.Time, begins, ends []int64) (*big.Rat, error) {
	if c.Until == nil || c.From == nil {
		for j, begin := range begins {
			if begin > ends[j] {
				return nil, nil
			}
		}
		return n.priced(&c.machinePrices, heads, tails, begins, ends)
	}
	if c.Job < 0 || c.Job >= len(begins) || micros(c.At) < 0 {
		return nil, errors.New("no such completion")
	}
	sooner, later := slices.Clone(ends), slices.Clone(begins)
	sooner[c.Job], later[c.Job] = min(ends[c.Job], micros(c.At)), max(begins[c.Job], micros(c.At))
	early, err := n.leastCase(c.Until, heads, tails, begins, sooner)
	if err != nil {
		return nil, err
	}
	late, err := n.leastCase(c.From, heads, tails, later, ends)
	if early == nil || late != nil && late.Cmp(early) < 0 {
		return late, err
	}
	return early, err
}

// priced is Σ_j min_C [ w_j C + Σ_u min { Λ(S + p_u) − Λ(S) } − m N(C) ] − m Λ(∞), where the prices of a job's own are
// in Λ and N, and C is among the points where the slope may change. The term of each task is the running minimum of a
// function that is linear between the borders of cells.
func (n *naive) priced(p *machinePrices, heads, tails []model.Time, begins, ends []int64) (*big.Rat, error) {
	in := n.view.(*msjo.Instance)
	prices := stepPrices{micros(p.Cell), p.Steps}
	if prices.cell <= 0 {
		return nil, errors.New("no cells")
	}
	for _, o := range append([]ownPrices{{Steps: p.Steps}}, p.Own...) {
		if len(o.Steps) > len(p.Steps) || slices.ContainsFunc(o.Steps, func(s int64) bool { return s < 0 || s > 1<<40 }) {
			return nil, errors.New("prices out of range")
		}
	}
	unit := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1_000_000), uint(max(0, p.Shift))))
	if p.Shift < 0 {
		unit.Mul(unit, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(-p.Shift))))
	}
	unit.Mul(unit, big.NewRat(1, 1_000_000))
	bound := new(big.Rat)
	for j, from := range begins {
		var best *big.Rat
		last := from
		for u := range in.Tasks {
			if int(in.Job[u]) == j {
				last = max(last, prices.cell*int64(len(p.Steps))+int64(tails[u]+in.Processing[u]))
			}
		}
		last = min(last, ends[j])
		own := slices.DeleteFunc(slices.Clone(p.Own), func(o ownPrices) bool { return o.Job != j || micros(o.From) > last })
		for i := -1; i < len(own); i++ {
			begin, end, steps := from, ends[j], []int64(nil)
			if i >= 0 {
				begin, steps = max(begin, micros(own[i].From)), own[i].Steps
			}
			if i+1 < len(own) {
				end = min(end, micros(own[i+1].From)-1)
			}
			if v := n.cheapest(j, heads, tails, prices, steps, begin, end, unit); v != nil && (best == nil || v.Cmp(best) < 0) {
				best = v
			}
		}
		bound.Add(bound, best)
	}
	sum(bound, rat(-int64(in.Machines)), rat(prices.upTo(1<<60)), unit)
	return bound, nil
}

// cheapest is the least cost of a job that completes between two times, less what is refunded; nil: it cannot.
func (n *naive) cheapest(j int, heads, tails []model.Time, prices stepPrices, own []int64, begin, end int64,
	unit *big.Rat) (best *big.Rat) {
	in, both, refund := n.view.(*msjo.Instance), prices.with(own), stepPrices{prices.cell, own}
	breaks := []int64{begin, end}
	for k := range int64(len(own)) + 1 {
		breaks = append(breaks, k*prices.cell)
	}
	var tasks [][]completionPay
	for u := range in.Tasks {
		if int(in.Job[u]) == j && in.Processing[u] > 0 {
			list := both.pays(int64(in.Processing[u]), int64(heads[u]), int64(tails[u]+in.Processing[u]))
			for _, x := range list {
				breaks = append(breaks, x.at)
			}
			tasks = append(tasks, list)
		}
	}
	for _, c := range breaks {
		if c < begin || c > end || c == 1<<60 {
			continue
		}
		v := rat(-refund.upTo(c))
		v.Mul(v, rat(int64(in.Machines)))
		for _, list := range tasks {
			v.Add(v, payAt(list, c))
		}
		v.Mul(v, unit)
		sum(v, perMillion(big.NewInt(int64(in.Weight[j])), 1), timeOf(model.Time(c)))
		if best == nil || v.Cmp(best) < 0 {
			best = v
		}
	}
	return best
}

// pays lists completions between which the least that a task pays is linear.
func (s stepPrices) pays(length, head, lag int64) (list []completionPay) {
	starts := []int64{head, max(head, s.cell*int64(len(s.steps)))}
	for k := range int64(len(s.steps)) + 1 {
		starts = append(starts, k*s.cell, k*s.cell-length)
	}
	slices.Sort(starts)
	pays := func(at int64) int64 { return s.upTo(at+length) - s.upTo(at) }
	least := pays(head)
	for i, at := range starts {
		if at < head {
			continue
		}
		// the function may have come below the minimum on the way here, so all whole microseconds before count
		if v := pays(at); v < least && i > 0 {
			from, above := max(head, starts[i-1]), pays(max(head, starts[i-1]))
			if above > least && above > v {
				cross := from + (above-least)*(at-from)/(above-v)
				list = append(list, completionPay{cross + lag, min(least, pays(cross))},
					completionPay{cross + 1 + lag, min(least, pays(cross+1))})
			}
			least = v
		}
		list = append(list, completionPay{at + lag, least})
	}
	return list
}

// payAt is linear between completions.
func payAt(list []completionPay, c int64) *big.Rat {
	k, _ := slices.BinarySearchFunc(list, c, func(x completionPay, c int64) int { return int(min(1, max(-1, x.at-c))) })
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
