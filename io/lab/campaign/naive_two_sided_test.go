package campaign

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/model/msjo"
)

// twoSided is Σ (w_j − Y_j) L_j + Σ α_u M_u + Σ β_u N_u + Σ a_u (head + p/2) + Σ b_u (tail + p/2), as docs/formats.md
// has it, where M_u and N_u are mean times in the greedy schedules from either side.
func (n *naive) twoSided(p *proof) (*big.Rat, error) {
	in := n.view.(*msjo.Instance)
	if p.Denominator <= 0 {
		return nil, errors.New("no denominator")
	}
	none := make([]int64, in.Tasks)
	for _, list := range []*[]int64{&p.Both, &p.Forward, &p.Backward} {
		if len(*list) == 0 {
			*list = none
		}
		if len(*list) != in.Tasks || slices.Min(append(slices.Clone(*list), 0)) < 0 {
			return nil, errors.New("prices")
		}
	}
	heads, err := n.earliest(p.Ends, false)
	if err != nil {
		return nil, err
	}
	tails, err := n.earliest(p.Starts, true)
	if err != nil {
		return nil, err
	}
	bound, half := new(big.Rat), big.NewRat(1, 2)
	price := func(u int, q int64) *big.Rat {
		return new(big.Rat).Mul(timeOf(in.Processing[u]), big.NewRat(q, p.Denominator))
	}
	for j := range in.Jobs {
		least, err := n.alone(p, j, heads, tails)
		if err != nil {
			return nil, err
		}
		rest := perMillion(big.NewInt(int64(in.Weight[j])), 1)
		var own []int
		for u := range in.Tasks {
			if int(in.Job[u]) != j {
				continue
			}
			own = append(own, u)
			length := timeOf(in.Processing[u])
			for _, q := range []int64{p.Both[u], p.Forward[u], p.Backward[u]} {
				rest.Sub(rest, price(u, q))
			}
			sum(bound, price(u, p.Backward[u]), new(big.Rat).Add(timeOf(heads[u]), new(big.Rat).Mul(half, length)))
			sum(bound, price(u, p.Forward[u]), new(big.Rat).Add(timeOf(tails[u]), new(big.Rat).Mul(half, length)))
		}
		if rest.Sign() < 0 {
			return nil, fmt.Errorf("the prices of job %d exceed its weight", j)
		}
		sum(bound, rest, least)
		for u, mean := range n.greedy(own, tails, p.Both, p.Backward) {
			sum(bound, price(u, p.Both[u]+p.Backward[u]), mean)
		}
	}
	all := make([]int, in.Tasks)
	for u := range all {
		all[u] = u
	}
	for u, mean := range n.greedy(all, heads, p.Both, p.Forward) {
		sum(bound, price(u, p.Both[u]+p.Forward[u]), mean)
	}
	return bound, nil
}

// alone is L_j.
func (n *naive) alone(p *proof, j int, heads, tails []model.Time) (*big.Rat, error) {
	in := n.view.(*msjo.Instance)
	least := timeOf(in.Alone[j])
	for u := range in.Nodes {
		if path := timeOf(heads[u] + in.Processing[u] + tails[u]); int(in.Job[u]) == j && path.Cmp(least) > 0 {
			least = path
		}
	}
	for _, b := range p.Alone {
		if b.Job != j {
			continue
		}
		inside, err := n.setEnd(b.taskSet, func(u int) bool {
			return int(in.Job[u]) == j && int64(heads[u]) >= micros(b.Head) && int64(tails[u]) >= micros(b.Tail)
		})
		if err != nil {
			return nil, err
		}
		if inside.Cmp(least) > 0 {
			least = inside
		}
	}
	return least, nil
}

// setEnd is when the tasks of a set can end and their tail have passed.
func (n *naive) setEnd(s taskSet, holds func(u int) bool) (*big.Rat, error) {
	in := n.view.(*msjo.Instance)
	var lengths []int64
	work := new(big.Int)
	for u := range in.Tasks {
		if holds(u) {
			lengths = append(lengths, int64(in.Processing[u]))
			work.Add(work, big.NewInt(int64(in.Processing[u])))
		}
	}
	end := new(big.Rat)
	m := in.Machines
	switch {
	case s.Packing != nil:
		within := micros(s.Packing.Within)
		if !doNotFit(lengths, m, within, micros(s.Packing.Cut), s.Packing.Steps) {
			return nil, errors.New("they may fit")
		}
		end = perMillion(big.NewInt(within+1), 1)
	case s.Count == 0 && len(lengths) == 0:
		return end, nil
	case s.Count == 0:
		whole := new(big.Int).Div(work.Add(work, big.NewInt(int64(m-1))), big.NewInt(int64(m)))
		end = perMillion(whole, 1)
	case s.Count < 0 || len(lengths) <= s.Count*m:
		return nil, errors.New("too few tasks")
	default:
		slices.Sort(lengths)
		for _, p := range lengths[len(lengths)-s.Count*m-1:][:s.Count+1] {
			end.Add(end, perMillion(big.NewInt(p), 1))
		}
	}
	sum(end, rat(1), seconds(s.Head))
	sum(end, rat(1), seconds(s.Tail))
	return end, nil
}

// doNotFit says whether Σ f > m for f after what docs/formats.md says about packings.
func doNotFit(lengths []int64, m int, within, cut, steps int64) bool {
	if within < 0 || cut < 0 || 2*cut > within || steps < 0 {
		return false
	}
	total := new(big.Rat)
	for _, p := range lengths {
		switch {
		case p > within:
			return true
		case p == 0 || p < cut:
			continue
		case p > within-cut:
			p = within
		}
		x := big.NewRat(p, within)
		if y := new(big.Rat).Mul(x, rat(steps+1)); steps > 0 && !y.IsInt() {
			x = big.NewRat(new(big.Int).Quo(y.Num(), y.Denom()).Int64(), steps)
		}
		total.Add(total, x)
	}
	return total.Cmp(rat(int64(m))) > 0
}

// greedy is each task's mean time in the schedule of one machine, m times as fast, that always works on the available
// task of the highest price.
func (n *naive) greedy(tasks []int, from []model.Time, one, other []int64) map[int]*big.Rat {
	in := n.view.(*msjo.Instance)
	speed := rat(int64(in.Machines))
	left, mean := map[int]*big.Rat{}, map[int]*big.Rat{}
	for _, u := range tasks {
		if in.Processing[u] > 0 {
			left[u], mean[u] = timeOf(in.Processing[u]), new(big.Rat)
		}
	}
	now := new(big.Rat)
	for len(left) > 0 {
		first, next := -1, (*big.Rat)(nil)
		for _, u := range tasks {
			at := timeOf(from[u])
			switch {
			case left[u] == nil:
			case at.Cmp(now) > 0:
				if next == nil || at.Cmp(next) < 0 {
					next = at
				}
			case first < 0 || one[u]+other[u] > one[first]+other[first]:
				first = u
			}
		}
		if first < 0 {
			now = next
			continue
		}
		until := new(big.Rat).Add(now, new(big.Rat).Quo(left[first], speed))
		if next != nil && next.Cmp(until) < 0 {
			until = next
		}
		work := new(big.Rat).Mul(speed, new(big.Rat).Sub(until, now))
		middle := new(big.Rat).Mul(big.NewRat(1, 2), new(big.Rat).Add(now, until))
		sum(mean[first], work, middle, new(big.Rat).Inv(timeOf(in.Processing[first])))
		if left[first].Sub(left[first], work); left[first].Sign() == 0 {
			delete(left, first)
		}
		now = until
	}
	return mean
}
