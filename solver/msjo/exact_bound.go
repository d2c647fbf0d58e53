package msjo

import (
	"cmp"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
)

const (
	// boundGroups is the number of groups whose completion orders the bound enumerates together, over 2^boundGroups sets.
	boundGroups = 5
	// boundTasks is the number of tasks up to which the search is faster than the LP.
	boundTasks = 10
	// boundRounds is the number of iterations in which the first-order method looks for prices.
	boundRounds = 300
	// boundMargin exceeds the relative rounding error of the bound from prices.
	boundMargin = 1e-9
)

// exactBound bounds the cost of all schedules below a node by the larger of two relaxations. In both, machines work
// from their idle time or the last start on, and a task may run on several at once.
//
// Capacity: let G be a set of groups. The group of G that completes last completes no earlier than any of G would on
// unlimited machines. Let B be the tasks in G with tails of at least q. Then it completes no earlier than q after the
// machines have done p(B), begun at the least earliest start in B. The cost is at least that of the best order of
// completion, found by enumerating all G. With more than boundGroups groups, each block of them is bounded separately,
// as if it had the machines alone.
//
// Prices: fix a_u ≥ 0 with Σ_{u∈g} a_u ≤ w_g, taken from the LP at the root. The bound is Σ_g (w_g − Σ a_u) done_g +
// Σ_u a_u (M_u + L_u + p_u/2) over the unplaced tasks. Σ a_u M_u is least if the machines run tasks in the order of
// a_u/p_u.
//
// Neither bound falls along an arc of the tree or is higher at a dominating node.
type exactBound struct {
	s       *exactSearch
	byTail  []int32      // tasks of groups that have a weight, the longest tail first
	byPrice []int32      // tasks with a price, the highest first; none for small instances and under the task objective
	price   []float64    // by task: a_u/p_u
	open    []int32      // groups of one block
	bit     []int32      // by group: its place in the block, or −1
	rest    []boundTask  // tasks of the block
	least   []model.Wide // by set of groups: cost
	end     []model.Time // by set of groups: completion of the last
}

// boundTask is an unplaced task.
type boundTask struct {
	group        int // as a set
	est, p, tail model.Time
}

func newExactBound(s *exactSearch) *exactBound {
	b := &exactBound{s: s, bit: make([]int32, len(s.alone)), least: make([]model.Wide, 1<<boundGroups),
		end: make([]model.Time, 1<<boundGroups)}
	for u := range int32(s.in.Tasks) {
		if s.weight[s.group[u]] > 0 {
			b.byTail = append(b.byTail, u)
		}
	}
	slices.SortStableFunc(b.byTail, func(u, v int32) int { return cmp.Compare(s.tail[v], s.tail[u]) })
	if s.in.Objective == shop.WeightedEnds && s.in.Tasks > boundTasks {
		b.findPrices()
	}
	return b
}

// findPrices takes prices from the LP, in weight units of the search per microsecond.
func (b *exactBound) findPrices() {
	in := b.s.in
	c := newCollapsed(in)
	relax := c.firstOrder(b.s.ctx, solver.Options{Iterations: boundRounds}, firstOrderTolerance)
	b.price = relax.price
	factor, _ := affordable(in, b.price)
	for u := range int32(in.Tasks) {
		g := in.Job[u]
		if b.price[u] <= 0 || b.s.weight[g] == 0 {
			b.price[u] = 0
			continue
		}
		unit := in.Weight[g].Float() / float64(b.s.weight[g])
		b.price[u] *= factor[g] * (1 - shave) / unit / float64(model.Second)
		b.byPrice = append(b.byPrice, u)
	}
	slices.SortStableFunc(b.byPrice, func(u, v int32) int { return cmp.Compare(b.price[v], b.price[u]) })
}

// of bounds the cost of every schedule below the node. It stops early at a bound that cuts the node.
func (b *exactBound) of(n *exactNode) model.Wide {
	free := n.paid // cost on unlimited machines
	for g, left := range n.left {
		if left > 0 {
			free = free.Plus(b.s.cost(int32(g), n.done[g]))
		}
	}
	bound := higher(free, b.priced(n, free))
	if !bound.Less(b.s.best) {
		return bound
	}
	return higher(bound, b.ordered(n))
}

func higher(a, b model.Wide) model.Wide {
	if a.Less(b) {
		return b
	}
	return a
}

// priced is the bound from prices, rounded up to a possible cost.
func (b *exactBound) priced(n *exactNode, free model.Wide) model.Wide {
	s := b.s
	floor := max(n.idle[0], n.last)
	k := 1 // machines at work
	for k < len(n.idle) && n.idle[k] <= floor {
		k++
	}
	now, sum := float64(floor), free.Float()
	for _, u := range b.byPrice {
		if n.waiting[u] < 0 {
			continue
		}
		p := float64(s.in.Least[u])
		var area float64 // p·M_u
		left := p
		for k < len(n.idle) && now+left/float64(k) > float64(n.idle[k]) {
			next := float64(n.idle[k])
			area += (next - now) * float64(k) * (next + now) / 2
			left -= (next - now) * float64(k)
			now = next
			k++
		}
		area += left * (now + left/float64(2*k))
		now += left / float64(k)
		sum += b.price[u] * (area + p*(p/2+float64(s.tail[u])-float64(n.done[s.group[u]])))
	}
	if sum *= 1 - boundMargin; !(sum > 0 && sum < 1<<126) {
		return model.Wide{}
	}
	units := math.Ceil(sum / float64(s.unit))
	high := math.Floor(units / (1 << 64))
	return model.Wide{High: uint64(high), Low: uint64(units - high*(1<<64))}.Times(uint64(s.unit))
}

// ordered is the bound from capacity.
func (b *exactBound) ordered(n *exactNode) model.Wide {
	sum := n.paid
	b.open = b.open[:0]
	for g := range b.bit {
		b.bit[g] = -1
	}
	for g, left := range n.left {
		if left == 0 || b.s.weight[g] == 0 {
			continue
		}
		b.bit[g] = int32(len(b.open))
		b.open = append(b.open, int32(g))
		if len(b.open) == boundGroups {
			sum = sum.Plus(b.block(n))
			for _, g := range b.open {
				b.bit[g] = -1
			}
			b.open = b.open[:0]
		}
	}
	return sum.Plus(b.block(n))
}

// block is the least cost of the open groups over all orders of completion.
func (b *exactBound) block(n *exactNode) model.Wide {
	s := b.s
	b.rest = b.rest[:0]
	for _, u := range b.byTail {
		if bit := b.bit[s.group[u]]; bit >= 0 && n.waiting[u] >= 0 {
			b.rest = append(b.rest, boundTask{1 << bit, n.est[u], s.in.Least[u], s.tail[u]})
		}
	}
	for set := 1; set < 1<<len(b.open); set++ {
		var end model.Time
		for k, g := range b.open {
			if set>>k&1 != 0 {
				end = max(end, n.done[g], b.end[set&^(1<<k)])
			}
		}
		b.end[set] = b.capacity(n, set, end)
		b.least[set] = model.Wide{High: math.MaxUint64}
		for k, g := range b.open {
			if set>>k&1 == 0 {
				continue
			}
			if c := b.least[set&^(1<<k)].Plus(s.cost(g, b.end[set])); c.Less(b.least[set]) {
				b.least[set] = c
			}
		}
	}
	return b.least[1<<len(b.open)-1]
}

// capacity raises the end of a set of groups to the least time that the machines need.
func (b *exactBound) capacity(n *exactNode, set int, end model.Time) model.Time {
	floor := max(n.idle[0], n.last)
	var work model.Time
	est := model.Time(math.MaxInt64)
	for _, t := range b.rest {
		if t.group&set == 0 {
			continue
		}
		work += t.p
		est = min(est, t.est)
		from := max(floor, est)
		missing := work
		for _, idle := range n.idle {
			missing -= max(0, end-t.tail-max(idle, from))
		}
		if missing > 0 {
			end = b.worked(n, work, from) + t.tail
		}
	}
	return end
}

// worked is the time at which the machines have done the given work, rounded up to a possible time. Each begins at from
// or at its idle time, whichever is later.
func (b *exactBound) worked(n *exactNode, work, from model.Time) model.Time {
	sum, k := work, model.Time(0)
	for _, idle := range n.idle {
		idle = max(idle, from)
		if k > 0 && sum <= k*idle { // done before this machine idles
			break
		}
		sum += idle
		k++
	}
	per := k * b.s.unit
	return (sum + per - 1) / per * b.s.unit
}
