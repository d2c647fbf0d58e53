package hta

import (
	"math/big"
	"sort"

	"mrsched/model"
)

// This file computes what levels of servers prove (docs/mathematics.md, section hta, Room). For a threshold τ with its
// cut (A, X) let h = |A|, Y = m − |X|, ρ = m − ℓ(τ), w = w_rem(ρ), and ĝ the concave hull of g(b) = min(τ, ⌊(L −
// b·w)/w_loc⌋), the most local tasks next to b remote ones under load L. The relaxation has room for all tasks under L
// only if, for some integer β ≤ ρ,
//
//	min(Y, (n−h)·ĝ(β/(n−h))) + h·ĝ((ρ−β)/h) ≥ m − ρ.

// cut is what a threshold's cut says: h, Y and the most local tasks.
type cut struct {
	tau, inside, outside, local int
	// local tasks on one server: τ, or all tasks if the cut stands for larger τ, too
	most  int
	least model.Time // a quick bound on the load
}

// CutBound is the lower bound on the makespan that levels of the servers prove; the levels may be any integers between
// 0 and Tasks.
func (in *Instance) CutBound(levels []int32) model.Time {
	cuts := in.cuts(levels)
	sort.SliceStable(cuts, func(i, k int) bool { return cuts[i].least < cuts[k].least })
	best := in.refine(cuts[0])
	for _, c := range cuts[1:] {
		if c.least >= best {
			break
		}
		best = min(best, in.refine(c))
	}
	return best
}

// cuts lists the thresholds with their cuts and quick bounds. If all tasks may be local, they may be so at the last one
// without a load above τ·w_loc, so larger ones cannot lower the bound; else the last one stands for larger ones, too.
func (in *Instance) cuts(levels []int32) []cut {
	top := int32((in.Tasks + in.Servers - 1) / in.Servers)
	for _, level := range levels {
		top = max(top, level)
	}
	servers, tasks := make([]int, top+2), make([]int, top+2) // with level > τ, by τ
	for _, level := range levels {
		if level > 0 {
			servers[level-1]++
		}
	}
	for b := range int32(in.Blocks) {
		own, least := in.Replicas(b), top
		for _, s := range own {
			least = min(least, levels[s])
		}
		if len(own) > 0 && least > 0 {
			tasks[least-1] += int(in.Readers(b))
		}
	}
	list := make([]cut, top+1)
	for tau := int(top); tau >= 0; tau-- {
		servers[tau] += servers[tau+1]
		tasks[tau] += tasks[tau+1]
		c := cut{tau: tau, inside: servers[tau], outside: in.Tasks - in.Unheld - tasks[tau], most: tau}
		if in.Unheld > 0 && tau == int(top) {
			c.most = in.Tasks
		}
		c.local = min(c.most*c.inside+c.outside, c.most*in.Servers, in.Tasks)
		c.least = in.quick(c)
		list[tau] = c
	}
	return list
}

// remoteAt is the least that a task that is not node-local costs when there are r of them.
func (in *Instance) remoteAt(r int) model.Time {
	if in.Cost.Rack.Known {
		return in.Cost.Rack.Value
	}
	return in.Cost.Remote.At(r)
}

// quick is the largest of τ·w_loc, the cost of a remote task if there is one, and the mean load.
func (in *Instance) quick(c cut) model.Time {
	rho := in.Tasks - c.local
	least := model.Time(c.tau) * in.Cost.Local
	total := model.Time(c.local) * in.Cost.Local
	if rho > 0 {
		w := in.remoteAt(rho)
		least = max(least, w)
		total += model.Time(rho) * w
	}
	n := model.Time(in.Servers)
	return max(least, (total+n-1)/n)
}

// refine is the least load at which a cut's relaxation has room for all tasks.
func (in *Instance) refine(c cut) model.Time {
	high := c.least
	for step := model.Time(1); !in.room(c, high); step *= 2 {
		high += step
	}
	low := c.least // the least load lies in [low, high]
	for low < high {
		mid := low + (high-low)/2
		if in.room(c, mid) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

// room says whether the relaxation has room for all tasks at a load.
func (in *Instance) room(c cut, load model.Time) bool {
	rho := in.Tasks - c.local
	g := in.hull(c, rho, load)
	most := g[len(g)-1].x // remote tasks on one server
	cold := in.Servers - c.inside
	if rho > most*in.Servers {
		return false
	}
	need := big.NewRat(int64(c.local), 1)
	local := func(beta int) *big.Rat { // the left side, for β remote tasks outside A
		outside := g.total(cold, beta)
		if y := big.NewRat(int64(c.outside), 1); outside.Cmp(y) > 0 {
			outside = y
		}
		return outside.Add(outside, g.total(c.inside, rho-beta))
	}
	// The left side is concave in β: it rises until its maximum.
	low, high := max(0, rho-most*c.inside), min(rho, most*cold)
	for low < high {
		mid := (low + high) / 2
		if local(mid).Cmp(local(mid+1)) >= 0 {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return local(low).Cmp(need) >= 0
}

// hull is a concave, falling, piecewise linear function by its corners.
type hull []struct{ x, y int }

// hull is ĝ: its corners for b = 0 … the most remote tasks that fit on a server.
func (in *Instance) hull(c cut, rho int, load model.Time) hull {
	most, w := 0, model.Time(0)
	if rho > 0 {
		w = in.remoteAt(rho)
		most = rho
		if w > 0 {
			most = int(min(model.Time(rho), load/w))
		}
	}
	var g hull
	for b := 0; b <= most; b++ {
		y := c.most
		if left := load - model.Time(b)*w; in.Cost.Local > 0 {
			y = int(min(model.Time(y), left/in.Cost.Local))
		}
		for k := len(g); k >= 2; k-- {
			p, q := g[k-2], g[k-1]
			if (y-q.y)*(q.x-p.x) < (q.y-p.y)*(b-q.x) {
				break
			}
			g = g[:k-1]
		}
		g = append(g, struct{ x, y int }{b, y})
	}
	return g
}

// total is k·ĝ(β/k), an upper bound on the local tasks of k servers with β remote tasks; 0 for no servers.
func (g hull) total(k, beta int) *big.Rat {
	if k == 0 {
		return new(big.Rat)
	}
	i := sort.Search(len(g), func(i int) bool { return g[i].x*k >= beta })
	if i == 0 {
		return big.NewRat(int64(k*g[0].y), 1)
	}
	p, q := g[i-1], g[i]
	sum := big.NewRat(int64(beta-k*p.x)*int64(q.y-p.y), int64(q.x-p.x))
	return sum.Add(sum, big.NewRat(int64(k*p.y), 1))
}
