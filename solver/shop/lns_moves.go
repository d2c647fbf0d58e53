package shop

import (
	"cmp"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/shop"
)

// choose draws the tasks to move: those of a span of time on some nodes, those of some jobs, or all from a time on.
func (c *chain) choose() {
	c.moved = c.moved[:0]
	u := c.seed()
	most := min(mostMoved, 3+c.random.IntN(len(c.tasks)))
	switch c.random.IntN(4) {
	case 0:
		c.takeJob(c.in.Job[u], u, most)
		if c.random.IntN(2) == 0 {
			v := c.tasks[c.random.IntN(len(c.tasks))]
			c.takeJob(c.in.Job[v], v, most)
		}
	case 1:
		if len(c.tasks) <= 2*mostMoved {
			from := c.b.start[u]
			for _, v := range c.tasks {
				if c.b.start[v] >= from {
					c.moved = append(c.moved, v)
				}
			}
			return
		}
		c.takeSpan(u, 1+c.random.IntN(2), most)
	default:
		c.takeSpan(u, 1+c.random.IntN(6), most)
	}
}

// seed draws a task; half of the time, it draws three and takes the one whose job costs most.
func (c *chain) seed() int32 {
	u := c.tasks[c.random.IntN(len(c.tasks))]
	if c.random.IntN(2) == 0 {
		return u
	}
	cost := jobPrice(c.in, c.in.Job[u], c.done[c.in.Job[u]])
	for range 2 {
		v := c.tasks[c.random.IntN(len(c.tasks))]
		if p := jobPrice(c.in, c.in.Job[v], c.done[c.in.Job[v]]); cost.less(p) {
			u, cost = v, p
		}
	}
	return u
}

// take adds a task to those that are moved, once, unless it is fixed.
func (c *chain) take(u int32) {
	if !c.in.Fixed(u) && !slices.Contains(c.moved, u) {
		c.moved = append(c.moved, u)
	}
}

// takeJob adds all tasks of a job or, if there are too many, the next ones from u on.
func (c *chain) takeJob(j, u int32, most int) {
	list := c.ofJob[j]
	if len(list) <= most {
		for _, v := range list {
			c.take(v)
		}
		return
	}
	at, _ := slices.BinarySearch(list, u)
	for k := range most {
		c.take(list[(at+k)%len(list)])
	}
}

// takeSpan adds tasks that run around the time of a task, on its node and some others.
func (c *chain) takeSpan(u int32, nodes, most int) {
	length := c.b.end[u] - c.b.start[u]
	span := model.Time(float64(length+1) * (0.5 + 3*c.random.Float64()))
	from, until := c.b.start[u]-span, c.b.end[u]+span
	c.take(u)
	for k := range nodes {
		i := c.b.node[u]
		if k > 0 {
			i = int32(c.random.IntN(c.in.Nodes))
		}
		for _, v := range c.ofNode[i] {
			if len(c.moved) >= most {
				return
			}
			if c.b.start[v] < until && c.b.end[v] > from {
				c.take(v)
			}
		}
	}
}

// arrange orders the moved tasks by a random kind of key, adjusted so that it never falls along arcs.
func (c *chain) arrange() {
	c.turn = append(c.turn[:0], c.moved...)
	first, last := model.MaxTime, model.Time(0)
	for _, at := range c.old {
		first, last = min(first, at.start), max(last, at.end)
	}
	noise := float64(last-first) * [...]float64{0, 0.1, 0.5, 2}[c.random.IntN(4)]
	mode, chosen := c.random.IntN(5), c.moved[c.random.IntN(len(c.moved))]
	for k, u := range c.moved {
		key := float64(c.old[k].start)
		switch mode {
		case 1:
			key = c.middle[u]
		case 2:
			key = -c.rank[u]
		case 3:
			key = float64(c.old[k].end)
		case 4: // one task first
			if u == chosen {
				key = math.Inf(-1)
			}
		}
		c.key[u] = max(key+noise*c.random.Float64(), c.before(u))
	}
	slices.SortFunc(c.turn, func(a, b int32) int {
		return cmp.Or(cmp.Compare(c.key[a], c.key[b]), cmp.Compare(c.order[a], c.order[b]))
	})
}

// before is the largest key of the moved tasks from which an arc, or a path through barriers, leads to a step.
func (c *chain) before(u int32) float64 {
	key := math.Inf(-1)
	for k := c.preds.SuccFirst[u]; k < c.preds.SuccFirst[u+1]; k++ {
		v := c.preds.SuccStep[k]
		switch {
		case int(v) < c.in.Tasks:
			if c.moving[v] {
				key = max(key, c.key[v])
			}
		default:
			if c.memo.keyAt[v] != c.memo.step {
				c.key[v], c.memo.keyAt[v] = c.before(v), c.memo.step
			}
			key = max(key, c.key[v])
		}
	}
	return key
}

// justify shifts all tasks right as far as the price allows, then left again. No job's part of the objective grows.
func (c *chain) justify() {
	c.memo.step++
	last := slices.Max(c.done)
	all := slices.Clone(c.tasks)
	slices.SortFunc(all, func(a, b int32) int {
		return cmp.Or(cmp.Compare(c.b.end[b], c.b.end[a]), cmp.Compare(c.order[b], c.order[a]))
	})
	for _, u := range all {
		i, start, length := c.b.node[u], c.b.start[u], c.b.end[u]-c.b.start[u]
		c.off(u)
		end := min(c.limit(u), c.latest(c.in.Job[u], last))
		at := end - length
		if takes := c.b.takes(length); takes > 0 {
			at = c.b.latest(u, i, at+takes, takes, start)
		}
		c.put(u, i, max(start, at))
	}
	c.memo.step++
	slices.SortFunc(all, func(a, b int32) int {
		return cmp.Or(cmp.Compare(c.b.start[a], c.b.start[b]), cmp.Compare(c.order[a], c.order[b]))
	})
	for _, u := range all {
		i, start := c.b.node[u], c.b.start[u]
		only := []int32{i}
		if c.in.Nodes <= mostNodes {
			only = nil
		}
		end := c.b.end[u]
		c.off(u)
		at, ok := c.b.soonest(u, c.ready(u), end, only)
		if !ok {
			at = spot{node: i, start: start}
		}
		c.put(u, at.node, at.start)
	}
	c.count()
}

// latest is when job j may end without a higher objective; last is when the last job ends.
func (c *chain) latest(j int32, last model.Time) model.Time {
	in, end := c.in, c.done[j]
	switch {
	case in.Objective == shop.Makespan:
		return last
	case in.Objective == shop.Tardiness && in.Due[j] < shop.Never:
		return max(end, in.Due[j])
	case in.Objective == shop.Late && end <= in.Due[j] && in.Due[j] < shop.Never:
		return in.Due[j]
	}
	return end
}
