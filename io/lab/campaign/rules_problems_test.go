package campaign

import (
	"fmt"
	"slices"

	"mrsched/model"
)

func rulesMSJO() []rule {
	naive := func(c *corrupted) *naiveMSJO { return c.b.problem.(*naiveMSJO) }
	return append(everywhere(nothing),
		rule{"another duration", model.CodeDuration, damageDuration},
		rule{"before the release", model.CodeBeforeRelease, func(c *corrupted) bool {
			i := c.where(func(e *entry) bool { return naive(c).release(e.task) > 0 })
			if i < 0 {
				return false
			}
			c.rows[i].machine = pick(c.Rand, c.machinesOf()...)
			return c.move(i, naive(c).release(c.rows[i].task)-c.little())
		}},
		rule{"before a predecessor and its delay", model.CodePrecedence, func(c *corrupted) bool {
			if len(naive(c).arcs) == 0 {
				return false
			}
			arc := pick(c.Rand, naive(c).arcs...)
			a := slices.IndexFunc(c.rows, func(e entry) bool { return e.task == arc.from })
			b := slices.IndexFunc(c.rows, func(e entry) bool { return e.task == arc.to })
			c.rows[b].machine = pick(c.Rand, c.machinesOf()...)
			return c.move(b, c.rows[a].until+arc.delay-c.little())
		}},
		overlapping())
}

// damageDuration lets a task run a little shorter or longer.
func damageDuration(c *corrupted) bool {
	e := &c.rows[c.any()]
	switch by := c.little(); c.IntN(3) {
	case 0:
		e.from += by
	case 1:
		e.until -= by
	default:
		e.until += by
	}
	return e.from <= e.until
}

// overlapping is the rule that a machine runs one task at a time.
func overlapping() rule {
	return rule{"two tasks at a time", model.CodeOverlap, func(c *corrupted) bool {
		i := c.any()
		a := c.rows[i]
		k := c.where(func(b *entry) bool { return b.task != a.task && b.kind == a.kind && b.until > b.from })
		if k < 0 || a.until == a.from {
			return false
		}
		b := c.rows[k]
		switch c.rows[i].machine = b.machine; c.IntN(3) {
		case 0: // where it stands
			return a.from < b.until && b.from < a.until
		case 1:
			return c.move(i, b.until-min(c.little(), b.until-b.from))
		}
		return c.move(i, b.from-(a.until-a.from)+min(c.little(), a.until-a.from))
	}}
}

func rulesHTA() []rule {
	return append(everywhere(settleHTA), ownColumn(),
		rule{"another duration", model.CodeDuration, func(c *corrupted) bool {
			i := c.any()
			e, by := &c.rows[i], c.little()
			if c.IntN(2) == 0 {
				by = -min(by, e.until-e.from)
			}
			e.until += by
			c.moveBehind(i, by)
			return by != 0
		}},
		rule{"the duration of another locality", model.CodeDuration, damageLocality},
		rule{"a gap, or an overlap", model.CodeSequence, func(c *corrupted) bool {
			i, by := c.any(), c.little()
			if c.IntN(2) == 0 {
				by = -min(by, c.rows[i].from)
			}
			c.move(i, c.rows[i].from+by)
			if c.IntN(2) == 0 {
				c.moveBehind(i, by)
			}
			return by != 0
		}},
		rule{"tasks of a server in another order", model.CodeSequence, func(c *corrupted) bool {
			a, b := &c.rows[c.any()], &c.rows[c.any()]
			if a.machine != b.machine || a.until-a.from != b.until-b.from || a.from == b.from {
				return false
			}
			a.from, b.from, a.until, b.until = b.from, a.from, b.until, a.until
			return true
		}},
		rule{"a node without map slots", model.CodeMachineUnknown, func(c *corrupted) bool {
			var idle []string
			for _, n := range c.b.problem.(*naiveHTA).doc.Topology {
				if n["kind"] == "node" && whole(n["map_slots"]) == 0 {
					idle = append(idle, text(n["id"]))
				}
			}
			if len(idle) == 0 {
				return false
			}
			c.rows[c.any()].machine = pick(c.Rand, idle...)
			settleHTA(c)
			return true
		}})
}

// moveBehind moves the rows after another one on its server.
func (c *corrupted) moveBehind(i int, by int64) {
	for k := i + 1; k < len(c.rows); k++ {
		if c.rows[k].machine == c.rows[i].machine {
			c.move(k, c.rows[k].from+by)
		}
	}
}

// damageLocality swaps two tasks of one length whose durations change at the new places.
func damageLocality(c *corrupted) bool {
	a, b := &c.rows[c.any()], &c.rows[c.any()]
	if a.until-a.from != b.until-b.from {
		return false
	}
	a.machine, b.machine, a.from, b.from, a.until, b.until = b.machine, a.machine, b.from, a.from, b.until, a.until
	x, away := c.b.problem.(*naiveHTA), 0
	for _, e := range c.rows {
		if x.locality(e.task, e.machine) != "node" {
			away++
		}
	}
	return a.until-a.from != x.length(x.locality(a.task, a.machine), away)
}

// settleHTA makes every server run its maps without gaps.
func settleHTA(c *corrupted) {
	x, away, end := c.b.problem.(*naiveHTA), 0, map[string]int64{}
	for _, e := range c.rows {
		if x.locality(e.task, e.machine) != "node" {
			away++
		}
	}
	for i := range c.rows {
		e := &c.rows[i]
		e.from = end[e.machine]
		e.until = e.from + x.length(x.locality(e.task, e.machine), away)
		end[e.machine] = e.until
	}
}

func rulesPlacement() []rule {
	return append(everywhere(nothing), ownColumn(),
		rule{"a slot held for another time", model.CodeHolding, func(c *corrupted) bool {
			i := c.any()
			if c.IntN(2) == 0 {
				return damageDuration(c)
			}
			by := c.little()
			for k := range c.rows { // of one reduce, or of the whole job
				if k == i || c.rows[k].job == c.rows[i].job {
					c.rows[k].from += by
					c.rows[k].until += by
				}
			}
			return true
		}},
		overlapping())
}

// onSlots are the rules of problems with slots of two kinds.
func onSlots(workers func(c *corrupted) *naiveWorkers) []rule {
	return []rule{
		overlapping(),
		{"a slot of the other kind", model.CodeSlotKind, func(c *corrupted) bool {
			x, i := workers(c), c.any()
			e := &c.rows[i]
			var other []string
			for _, name := range c.machinesOf() {
				if x.slot[name].kind != x.slot[e.machine].kind && (x.slot[name].node == x.slot[e.machine].node || c.IntN(8) == 0) {
					other = append(other, name)
				}
			}
			if len(other) == 0 {
				return false
			}
			e.machine = pick(c.Rand, other...)
			return true
		}},
		{"a slot that its node does not have", model.CodeMachineUnknown, func(c *corrupted) bool {
			x := workers(c)
			e := &c.rows[c.any()]
			for _, n := range x.doc.Topology {
				for kind, mark := range map[string]string{"map": "/m", "reduce": "/r"} {
					slots := whole(n[kind+"_slots"])
					if n["kind"] == "node" && e.kind == kind && c.IntN(4) == 0 {
						e.machine = fmt.Sprintf("%s%s%d", n["id"], mark, slots+1)
						return true
					}
				}
			}
			return false
		}},
	}
}
