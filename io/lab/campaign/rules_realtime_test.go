package campaign

import (
	"slices"

	"mrsched/model"
)

func (c *corrupted) realtime() *naiveRealtime { return c.b.problem.(*naiveRealtime) }

func (c *corrupted) timed(e *entry) *timedTask { return c.realtime().byID[e.task] }

func rulesRealtime() []rule {
	list := everywhere(nothing)
	for k, r := range list { // a partition that may be divided may have several rows
		list[k].damage = func(c *corrupted) bool {
			return r.damage(c) && (r.code != model.CodeTaskTwice || c.realtime().piece == nil)
		}
	}
	list = append(list, onSlots(func(c *corrupted) *naiveWorkers { return c.realtime().naiveWorkers })...)
	list = append(list, ownColumn(),
		rule{"another duration", model.CodeDuration, func(c *corrupted) bool {
			return c.realtime().piece == nil && damageDuration(c)
		}},
		rule{"the duration on another worker", model.CodeDuration, damageWorker},
		rule{"before the release", model.CodeBeforeRelease, func(c *corrupted) bool {
			i := c.where(func(e *entry) bool { return e.kind == "map" && c.timed(e).release > 0 })
			return i >= 0 && c.move(i, c.timed(&c.rows[i]).release-c.little())
		}},
		rule{"before the maps' output", model.CodePrecedence, func(c *corrupted) bool {
			i := c.where(isReduce)
			return i >= 0 && !c.realtime().partitions && c.move(i, c.fetched(c.rows[i].job)-c.little())
		}},
		rule{"before an earlier phase ends", model.CodePrecedence, damagePhase},
		rule{"more slots than reducers", model.CodeReducers, damageReducers},
		rule{"partitions of two partitioners", model.CodePartitioner, damagePartitioner},
		rule{"pieces that are not all", model.CodePieces, damagePieces},
		rule{"a reduce before its own release", model.CodeBeforeRelease, damageReduceRelease})
	return list
}

func isReduce(e *entry) bool { return e.kind == "reduce" }

// fetched is when a job's maps have ended and their output has arrived.
func (c *corrupted) fetched(job string) (at int64) {
	for _, e := range c.rows {
		if t := c.timed(&e); e.job == job && t.kind == "map" {
			at = max(at, e.until+t.delay)
		}
	}
	return at
}

// damageWorker moves a task to a worker on which it takes another time.
func damageWorker(c *corrupted) bool {
	x, e := c.realtime(), &c.rows[c.any()]
	e.machine = pick(c.Rand, c.machinesOf()...)
	s := x.slot[e.machine]
	return x.piece == nil && s.kind == e.kind && c.timed(e).takes(s.node) != e.until-e.from
}

// damageReduceRelease lets a reduce start after its maps and before its own release.
func damageReduceRelease(c *corrupted) bool {
	i := c.where(func(e *entry) bool {
		t := c.timed(e)
		return t.kind == "reduce" && t.release > c.fetched(e.job) && t.release > t.of.release
	})
	if i < 0 || c.realtime().partitions {
		return false
	}
	at := c.timed(&c.rows[i]).release
	return c.move(i, at-min(c.little(), at-c.fetched(c.rows[i].job)))
}

// damagePhase lets a partition start before the phases of earlier jobs have ended.
func damagePhase(c *corrupted) bool {
	i, end := c.any(), int64(0)
	for _, e := range c.rows[:i] {
		if e.job != c.rows[i].job {
			end = max(end, e.until)
		}
	}
	return c.realtime().partitions && c.move(i, end-c.little())
}

// damageReducers puts a partition on one more slot than the job has reducers.
func damageReducers(c *corrupted) bool {
	i := c.where(isReduce)
	if i < 0 {
		return false
	}
	e, used := &c.rows[i], map[string]bool{}
	for k, o := range c.rows {
		if o.job == e.job && isReduce(&o) && k != i {
			used[o.machine] = true
		}
	}
	e.machine = pick(c.Rand, c.machinesOf()...)
	s, t := c.realtime().slot[e.machine], c.timed(e)
	e.until = e.from + t.takes(s.node)
	return !used[e.machine] && s.kind == "reduce" && int64(len(used)) >= t.of.reduces
}

// damagePartitioner replaces a partition by one that divides the job's data in another way.
func damagePartitioner(c *corrupted) bool {
	x, i := c.realtime(), c.where(isReduce)
	if i < 0 {
		return false
	}
	e := &c.rows[i]
	is := c.timed(e)
	var others []*timedTask
	for _, t := range x.list {
		if t.of == is.of && t.kind == "reduce" && t.set != is.set {
			others = append(others, t)
		}
	}
	isOther := func(o entry) bool { return o.job == e.job && isReduce(&o) && o.task != e.task }
	if len(others) == 0 || !slices.ContainsFunc(c.rows, isOther) {
		return false
	}
	t := pick(c.Rand, others...)
	e.task, e.until = t.id, e.from+t.takes(x.slot[e.machine].node)
	rank := func(o entry) int { return slices.IndexFunc(x.list, func(t *timedTask) bool { return t.id == o.task }) }
	slices.SortStableFunc(c.rows, func(a, b entry) int { return rank(a) - rank(b) })
	return true
}

// damagePieces divides a partition into pieces that are a little less than all of it, or shortens one of its pieces.
func damagePieces(c *corrupted) bool {
	x := c.realtime()
	i := c.where(func(e *entry) bool { return isReduce(e) && e.until-e.from > 2 })
	if x.piece == nil || i < 0 {
		return false
	}
	e := c.rows[i]
	if slices.ContainsFunc(c.rows, func(o entry) bool { return o.task == e.task && o.from != e.from }) {
		c.rows[i].until -= min(2+c.little(), e.until-e.from) // a microsecond may have been what rounding added
		return true
	}
	first := 1 + c.Int64N(e.until-e.from-1)
	c.rows[i].until = e.from + first
	e.from += first
	e.until += *x.piece - c.little()
	if c.IntN(2) == 0 { // when all else has ended
		e.from, e.until = c.end(), c.end()+e.until-e.from
	}
	c.rows = slices.Insert(c.rows, i+1, e)
	return e.until > e.from
}
