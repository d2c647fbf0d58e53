package shop

import (
	"cmp"
	"context"
	"slices"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
)

// inOrder takes waiting tasks in a fixed order. It is the policy of fifo and of lists of priorities.
//
// fifo: jobs in the order of their releases, ties: the workload's order; tasks of a job in the workload's order. A task
// that does not fit lets later ones pass.   Source: Hadoop's queue, as in Ghodsi et al., NSDI 2011, §6.
type inOrder struct {
	b        *board
	q        *queue
	position []int32 // by task
}

func newInOrder(b *board, order []int32) *inOrder {
	return &inOrder{b, newQueue(order, b.resources), positions(order)}
}

// positions inverts an order.
func positions(order []int32) []int32 {
	p := make([]int32, len(order))
	for k, u := range order {
		p[u] = int32(k)
	}
	return p
}

func (p *inOrder) wait(u int32) { p.q.set(p.position[u], p.b.demands(u)) }

func (p *inOrder) park(u int32) { p.q.set(p.position[u], nil) }

func (p *inOrder) start(u int32) {
	if !p.b.in.Fixed(u) {
		p.park(u)
	}
}

func (p *inOrder) end(int32) {}

func (p *inOrder) pick(_ int32, free []int64, may func(u int32) bool) int32 {
	for k := p.q.next(0, free); k >= 0; k = p.q.next(k+1, free) {
		if u := p.q.task[k]; may(u) {
			return u
		}
	}
	return model.None
}

// byRelease lists the tasks by the releases of their jobs.
func byRelease(in *shop.Instance) []int32 {
	order := model.Indices(in.Tasks)
	slices.SortFunc(order, func(a, b int32) int {
		x, y := in.Job[a], in.Job[b]
		return cmp.Or(cmp.Compare(in.Release[x], in.Release[y]), cmp.Compare(x, y), cmp.Compare(a, b))
	})
	return order
}

// sharing serves the tenant with the lowest share among those with a task that fits. A job without a tenant is a tenant
// of its own. Within a tenant the order is that of fifo.
//
// fair: the share is the number of running tasks.   Source: Hadoop's fair scheduler, as in Ghodsi et al., NSDI 2011,
// §6. drf: the largest share that the tenant's running tasks have of any resource of the whole cluster.   Source:
// Ghodsi et al., NSDI 2011, §4.   Differs from both: tenants have equal weights, and a task that does not fit lets
// others pass. Resources without columns are none of the whole cluster.
type sharing struct {
	b       *board
	tenant  []int32 // by task
	queues  []*inOrder
	share   []float64 // by tenant
	used    [][]int64 // by tenant and resource; nil for fair
	total   []float64 // by resource: what all nodes have, 0 without a limit
	waiting []int32   // tenants with waiting tasks, by number
}

func newSharing(b *board, dominant bool) *sharing {
	in := b.in
	s := &sharing{b: b, tenant: make([]int32, in.Tasks)}
	number := map[string]int32{}
	tenantOf := make([]int32, in.Jobs)
	tenants := int32(0)
	for j := range in.Workload().Jobs {
		name := in.Workload().Jobs[j].Tenant
		k, ok := number[name]
		if !ok || name == "" {
			k = tenants
			number[name] = k
			tenants++
		}
		tenantOf[j] = k
	}
	lists := make([][]int32, tenants)
	position := make([]int32, in.Tasks)
	for _, u := range byRelease(in) {
		k := tenantOf[in.Job[u]]
		s.tenant[u], position[u] = k, int32(len(lists[k]))
		lists[k] = append(lists[k], u)
	}
	for _, list := range lists {
		s.queues = append(s.queues, &inOrder{b, newQueue(list, b.resources), position})
	}
	s.share = make([]float64, tenants)
	if dominant {
		s.total = totals(in)
		s.used = make([][]int64, tenants)
		for k := range s.used {
			s.used[k] = make([]int64, in.Resources)
		}
	}
	return s
}

// totals are what all nodes have of every resource, at most what a place above all of them has; 0 where some node has
// no limit.
func totals(in *shop.Instance) []float64 {
	total := make([]float64, in.Resources)
	for r := range total {
		for k := range int32(in.Classes) {
			c := in.Capacities(k)[r]
			if c == shop.Unlimited {
				total[r] = 0
				break
			}
			total[r] += float64(c) * float64(len(in.ClassNodes(k)))
		}
	}
	for _, g := range in.Groups {
		if r := g.Resource; len(g.Nodes) == in.Nodes && int(r) < in.Resources {
			total[r] = min(total[r], float64(g.Capacity))
		}
	}
	return total
}

func (s *sharing) wait(u int32) {
	k := s.tenant[u]
	if s.queues[k].q.count == 0 {
		at, _ := slices.BinarySearch(s.waiting, k)
		s.waiting = slices.Insert(s.waiting, at, k)
	}
	s.queues[k].wait(u)
}

func (s *sharing) park(u int32) {
	k := s.tenant[u]
	s.queues[k].start(u)
	if at, ok := slices.BinarySearch(s.waiting, k); ok && s.queues[k].q.count == 0 {
		s.waiting = slices.Delete(s.waiting, at, at+1)
	}
}

func (s *sharing) start(u int32) {
	s.park(u)
	s.change(u, 1)
}

func (s *sharing) end(u int32) { s.change(u, -1) }

// change adds a task to its tenant's share, or takes it out.
func (s *sharing) change(u int32, sign int64) {
	k := s.tenant[u]
	if s.used == nil {
		s.share[k] += float64(sign)
		return
	}
	s.share[k] = 0
	for r, d := range s.b.in.Demands(u) {
		s.used[k][r] += sign * d
		if s.total[r] > 0 {
			s.share[k] = max(s.share[k], float64(s.used[k][r])/s.total[r])
		}
	}
}

func (s *sharing) pick(i int32, free []int64, may func(u int32) bool) int32 {
	var tried []int32
	for {
		best := int32(model.None)
		for _, k := range s.waiting {
			if (best == model.None || s.share[k] < s.share[best]) && s.queues[k].q.fits(1, free) &&
				!slices.Contains(tried, k) {
				best = k
			}
		}
		if best == model.None {
			return model.None
		}
		if u := s.queues[best].pick(i, free, may); u != model.None {
			return u
		}
		tried = append(tried, best)
	}
}

// packing is the policy of tetris: of the waiting tasks that fit, it picks the one with the largest score. The score is
// the alignment, which is the sum over resources of demand times free capacity, both as shares of the node, minus ε
// times the job's remaining work, so that jobs with little left come first. ε is the mean alignment of these tasks over
// their mean remaining work.
//
// Source: Grandl et al., SIGCOMM 2014, §3.2, §3.3. Differs: if many tasks fit, it looks at only the first few in the
// order of their jobs' work. Ties: that order.
type packing struct {
	inOrder
	remaining []float64 // by job: Σ of length × share of all resources, over tasks that have not started
	work      []float64 // by task
	worth     []float64
	found     []int32
}

// packingLooks is the largest number of tasks that tetris compares.
const packingLooks = 256

func newPacking(b *board) *packing {
	in := b.in
	p := &packing{work: make([]float64, in.Tasks), remaining: make([]float64, in.Jobs)}
	total := totals(in)
	for u := range int32(in.Tasks) {
		for r, x := range in.Demands(u) {
			if total[r] > 0 {
				p.work[u] += float64(x) / total[r]
			}
		}
		p.work[u] *= in.Least[u].Seconds()
		p.remaining[in.Job[u]] += p.work[u]
	}
	order := model.Indices(in.Tasks)
	slices.SortStableFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(p.remaining[in.Job[a]], p.remaining[in.Job[b]]), cmp.Compare(in.Job[a], in.Job[b]))
	})
	p.inOrder = *newInOrder(b, order)
	return p
}

func (p *packing) start(u int32) {
	p.inOrder.start(u)
	p.remaining[p.b.in.Job[u]] -= p.work[u]
}

func (p *packing) pick(i int32, free []int64, may func(u int32) bool) int32 {
	in := p.b.in
	p.found, p.worth = p.found[:0], p.worth[:0]
	capacity := in.Capacities(in.Class[i])
	sumWorth, sumWork := 0.0, 0.0
	for k := p.q.next(0, free); k >= 0 && len(p.found) < packingLooks; k = p.q.next(k+1, free) {
		u := p.q.task[k]
		if !may(u) {
			continue
		}
		worth := 0.0
		for r, x := range in.Demands(u) {
			if c := capacity[r]; c != shop.Unlimited && c > 0 {
				worth += float64(x) / float64(c) * (float64(free[r]) / float64(c))
			}
		}
		p.found, p.worth = append(p.found, u), append(p.worth, worth)
		sumWorth += worth
		sumWork += p.remaining[in.Job[u]]
	}
	epsilon := 0.0
	if sumWork > 0 {
		epsilon = sumWorth / sumWork
	}
	best, most := int32(model.None), 0.0
	for k, u := range p.found {
		if w := p.worth[k] - epsilon*p.remaining[in.Job[u]]; best == model.None || w > most {
			best, most = u, w
		}
	}
	return best
}

// dispatched makes an algorithm from a policy.
func dispatched(policyOf func(b *board) policy) solve {
	return func(ctx context.Context, r *run, opt solver.Options) (*made, error) {
		b := newBoard(r.in)
		return &made{schedule: dispatch(ctx, b, policyOf(b), opt)}, nil
	}
}
