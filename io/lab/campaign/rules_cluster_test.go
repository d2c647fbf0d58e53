package campaign

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mrsched/model"
)

func (c *corrupted) onNodes() *naiveCluster { return c.b.problem.(*naiveCluster) }

// loose is a random row of a task that is not fixed, with a property; −1 if there is none.
func (c *corrupted) loose(has func(e *entry) bool) int {
	return c.where(func(e *entry) bool { _, stands := c.onNodes().stands[e.task]; return !stands && has(e) })
}

// place puts a task on a node from a time on, for as long as it takes there; false if it cannot run there.
func (c *corrupted) place(i int, node string, from int64) bool {
	if i < 0 {
		return false
	}
	e, length := &c.rows[i], c.onNodes().length(c.rows[i].task, node)
	e.machine, e.from, e.until = node, from, from+length
	return length >= 0
}

func rulesCluster() []rule {
	anyRow := func(*entry) bool { return true }
	node := func(c *corrupted) string { return pick(c.Rand, c.machinesOf()...) }
	return append(everywhere(nothing),
		rule{"another duration", model.CodeDuration, damageDuration},
		rule{"the duration on another node", model.CodeDuration, func(c *corrupted) bool {
			e := &c.rows[c.any()]
			e.machine = node(c)
			length := c.onNodes().length(e.task, e.machine)
			return length >= 0 && length != e.until-e.from
		}},
		rule{"before the release", model.CodeBeforeRelease, func(c *corrupted) bool {
			i := c.loose(func(e *entry) bool { return c.onNodes().release(e.task) > c.onNodes().until })
			return i >= 0 && c.place(i, node(c), max(c.onNodes().until, c.onNodes().release(c.rows[i].task)-c.little()))
		}},
		rule{"before a predecessor and its delay", model.CodePrecedence, func(c *corrupted) bool {
			if len(c.onNodes().arcs) == 0 {
				return false
			}
			arc := pick(c.Rand, c.onNodes().arcs...)
			a := slices.IndexFunc(c.rows, func(e entry) bool { return e.task == arc.from })
			return c.place(c.loose(func(e *entry) bool { return e.task == arc.to }), node(c),
				c.rows[a].until+arc.delay-c.little())
		}},
		rule{"where the table eligible leaves it out", model.CodePlace, func(c *corrupted) bool {
			at := node(c)
			i := c.loose(func(e *entry) bool { return !c.onNodes().allowed(e.task, at) })
			return i >= 0 && c.place(i, at, c.rows[i].from)
		}},
		rule{"where the table times has no row", model.CodePlace, func(c *corrupted) bool {
			at := node(c)
			i := c.where(func(e *entry) bool { return c.onNodes().length(e.task, at) < 0 })
			if i >= 0 {
				c.rows[i].machine = at
			}
			return i >= 0
		}},
		rule{"while its node is away", model.CodeAway, damageAway},
		rule{"a fixed task moved", model.CodeFixedMoved, func(c *corrupted) bool {
			i := c.where(func(e *entry) bool {
				_, stands := c.onNodes().stands[e.task]
				return stands && !c.onNodes().frozen[e.task]
			})
			return i >= 0 && damageStanding(c, i)
		}},
		rule{"a frozen task moved", model.CodeFrozen, func(c *corrupted) bool {
			i := c.where(func(e *entry) bool { return c.onNodes().frozen[e.task] })
			return i >= 0 && damageStanding(c, i)
		}},
		rule{"before the freeze ends", model.CodeFrozen, func(c *corrupted) bool {
			from := c.onNodes().until - c.little()
			return from >= 0 && c.place(c.loose(anyRow), node(c), from)
		}},
		rule{"more memory than the node has", model.CodeMemory, damageRoom("memory_bytes")},
		rule{"more cores than the node has", model.CodeCores, damageRoom("cpu")},
		rule{"more slots than the node has", model.CodeResource, damageRoom("map_slots", "reduce_slots")},
		rule{"two tasks on a node that states nothing", model.CodeResource, damageRoom("node")},
		rule{"more than the node has of a table's resource", model.CodeResource, damageRoom(named)})
}

// damageStanding moves a task that stands.
func damageStanding(c *corrupted, i int) bool {
	e := c.rows[i]
	if c.IntN(2) == 0 {
		return c.place(i, pick(c.Rand, c.machinesOf()...), e.from) && c.rows[i].machine != e.machine
	}
	return c.place(i, e.machine, e.from+pick(c.Rand, int64(-1), 1)*c.little())
}

// damageAway runs a task while its node is away, a little of it or all.
func damageAway(c *corrupted) bool {
	x := c.onNodes()
	if len(x.doc.Away) == 0 {
		return false
	}
	a, i := pick(c.Rand, x.doc.Away...), c.any()
	node, from := text(a["node"]), micros(a["from"])
	switch length := x.length(c.rows[i].task, node); {
	case c.IntN(2) == 0:
		from += c.little() - length
	case a["until"] != nil:
		from = micros(a["until"]) - c.little()
	}
	return c.place(i, node, from) && x.away(&c.rows[i])
}

// damageRoom runs tasks on a node that together, or one alone, take more of a resource than it has. The resource is one
// of those whose names begin so.
func damageRoom(beginnings ...string) func(c *corrupted) bool {
	return func(c *corrupted) bool {
		x, node := c.onNodes(), pick(c.Rand, c.machinesOf()...)
		list := slices.DeleteFunc(slices.Clone(x.resources), func(r string) bool {
			return !slices.ContainsFunc(beginnings, func(b string) bool { return strings.HasPrefix(r, b) })
		})
		if len(list) == 0 {
			return false
		}
		resource := pick(c.Rand, list...)
		takes := func(e *entry) bool { return x.needs(e.task, resource).Sign() > 0 }
		i := c.loose(takes)
		if i < 0 || x.has(node, resource) == nil {
			return false
		}
		from, other := c.rows[i].from, c.where(func(e *entry) bool {
			return e.machine == node && e.task != c.rows[i].task && takes(e)
		})
		if other >= 0 {
			o := c.rows[other]
			from = pick(c.Rand, o.from, o.until-c.little(), o.from-x.length(c.rows[i].task, node)+c.little())
		}
		return c.place(i, node, from) && slices.ContainsFunc(c.rows, func(e entry) bool {
			return e.machine == node && slices.Contains(x.lacks(&e, c.rows), resource)
		})
	}
}

// makeCluster makes jobs of all shapes on nodes of all kinds. The first node has room for every task, and is allowed,
// and there, for each.
func makeCluster(m maker, d *document, k int) {
	kind, nodes := k%5, m.between(2, 4)
	if kind == 2 && m.one(3) { // nodes that are only counted
		d.Machines = number(fmt.Sprint(nodes))
		nodes = 0
	} else {
		makeNodes(m, d, kind, nodes)
	}
	for j := range m.between(2, 3) {
		id := fmt.Sprint("j", j+1)
		job := row{"id": id, "release": m.seconds(4), "weight": m.of("1", "2.5", "0", "30")}
		if m.one(2) {
			job["deadline"] = m.seconds(12)
		}
		d.Jobs = append(d.Jobs, job)
		if j > 0 && m.one(2) {
			d.Waits = append(d.Waits, row{"job": id, "after": m.name("j1", fmt.Sprint("j", j)), "delay": m.seconds(2)})
		}
		count := m.between(1, 4)
		for u := range count {
			makeClusterTask(m, d, job, fmt.Sprint(id, "t", u+1), u > count/2, kind, nodes)
			for v := range u {
				if j%2 == k%2 && m.one(2) {
					d.Delays = append(d.Delays, row{"from": fmt.Sprint(id, "t", v+1), "to": fmt.Sprint(id, "t", u+1),
						"delay": m.seconds(2)})
				}
			}
		}
	}
	if nodes > 0 && k%2 == 0 {
		d.Tasks[0]["processing_time"] = m.of("2", "3.000001")
		d.Fixed = append(d.Fixed, row{"task": "j1t1", "node": "n0", "start": m.of("-0.5", "0", "1", "2.25")})
	}
}

// makeNodes makes nodes that state cores and memory, slots, nothing, a resource of a table, or some of each.
func makeNodes(m maker, d *document, kind, nodes int) {
	d.node(row{"id": "root", "kind": "root"})
	d.node(row{"id": "r0", "kind": "rack", "parent": "root"})
	d.node(row{"id": "r1", "kind": "rack", "parent": "root", "bandwidth_bytes_per_s": m.of("3", "0.5")})
	for s := range nodes {
		n := row{"id": fmt.Sprint("n", s), "kind": "node", "parent": fmt.Sprint("r", s%2)}
		most := map[string][]string{"cpu": {"4", "1", "2.000001"}, "memory_bytes": {"1000", "599", "800"}, "map_slots": {"2", "1",
			"0"}, "reduce_slots": {"1", "2", "0"}, "bandwidth_bytes_per_s": {"2", "7.5", "3"}, "speed": {"1", "0.7", "3"}}
		for _, key := range [][]string{{"cpu", "memory_bytes"}, {"memory_bytes", "map_slots", "reduce_slots"}, {}, {},
			{"cpu", "map_slots", "reduce_slots"}}[kind] {
			n[key] = json.Number(most[key][0])
			if s > 0 && m.one(2) {
				n[key] = m.of(most[key]...)
			}
		}
		for _, key := range []string{"speed", "bandwidth_bytes_per_s"} {
			if m.one(2) {
				n[key] = m.of(most[key]...)
			}
		}
		d.node(n)
		if kind > 2 && (s == 0 || m.one(2)) {
			d.Amounts = append(d.Amounts, row{"node": n["id"], "resource": "gpu", "amount": json.Number("2.5")})
		}
		switch {
		case s == 0 && m.one(3):
			d.Away = append(d.Away, row{"node": "n0", "from": json.Number("20"), "until": json.Number("21.5")})
		case s > 0 && m.one(2):
			d.Away = append(d.Away, row{"node": n["id"], "from": m.seconds(9), "until": m.whole(10, 14)})
		case s > 0 && m.one(3):
			d.Away = append(d.Away, row{"node": n["id"], "from": m.seconds(9)})
		}
	}
}

// makeClusterTask makes a task of a job, with its rows in the tables.
func makeClusterTask(m maker, d *document, job row, id string, reduce bool, kind, nodes int) {
	t := row{"id": id, "job": job["id"], "kind": "map", "processing_time": m.seconds(5), "shuffle_delay": m.seconds(3)}
	d.Tasks = append(d.Tasks, t)
	if reduce {
		t["kind"] = "reduce"
	}
	if m.one(2) {
		t["cpu"], t["memory_bytes"] = m.of("1", "1.000001", "0.5", "2"), m.of("400", "401", "600", "200")
	}
	if m.one(3) {
		t["release"] = m.seconds(9)
	}
	if m.one(8) {
		t["processing_time"] = json.Number("0")
	}
	if nodes == 0 {
		return
	}
	if kind > 2 && m.one(2) {
		d.Demands = append(d.Demands, row{"task": id, "resource": "gpu", "amount": m.of("0.5", "1.25", "1.250001", "2")})
	}
	if !reduce && m.one(3) {
		t["block"], t["input_bytes"] = "b"+id, m.whole(1, 9)
		d.Places = append(d.Places, row{"block": t["block"], "node": fmt.Sprint("n", m.IntN(nodes))})
	}
	if m.one(4) {
		d.Eligible = append(d.Eligible, row{"task": id, "place": m.name("n0", "r0")})
	}
	if m.one(5) {
		for s := range nodes - 1 {
			d.Times = append(d.Times, row{"job": job["id"], "task": id, "worker": fmt.Sprint("n", s), "seconds": m.seconds(5)})
		}
	}
}
