package campaign

import (
	"math/big"
	"slices"

	"mrsched/model"
)

// rulesRealtime are the rules of problem realtime.
func rulesRealtime() []rule {
	naive := func(c *corrupted) *naiveRealtime { return c.b.problem.(*naiveRealtime) }
	kindOf := func(c *corrupted, kind string) int { return c.where(func(e *entry) bool { return e.kind == kind }) }
	// ready is when a job's maps have ended and their output has arrived.
	ready := func(c *corrupted, job string) (at int64) {
		for _, e := range c.rows {
			if t := naive(c).byID[e.task]; e.job == job && t != nil && t.kind == "map" {
				at = max(at, e.until+t.delay)
			}
		}
		return at
	}
	list := everywhere(nothing)
	for k, r := range list { // in pieces, a partition may have several rows
		list[k].damage = func(c *corrupted) bool {
			return r.damage(c) && (r.code != model.CodeTaskTwice || naive(c).piece == nil)
		}
	}
	return append(append(list, onSlots(func(c *corrupted) *naiveCluster { return naive(c).naiveCluster })...), ownColumn(),
		rule{"another duration", model.CodeDuration, func(c *corrupted) bool { return naive(c).piece == nil && damageDuration(c) }},
		rule{"the duration on another worker", model.CodeDuration, func(c *corrupted) bool {
			x, e := naive(c), &c.rows[c.any()]
			e.machine = pick(c.Rand, c.machinesOf()...)
			return x.piece == nil && x.slot[e.machine].kind == e.kind && x.byID[e.task].takes(x.slot[e.machine].node) != e.until-e.from
		}},
		rule{"before the release", model.CodeBeforeRelease, func(c *corrupted) bool {
			i := c.where(func(e *entry) bool { t := naive(c).byID[e.task]; return t.release > 0 && t.kind == "map" })
			return i >= 0 && !naive(c).partitions && c.move(i, naive(c).byID[c.rows[i].task].release-c.little())
		}},
		rule{"a reduce before its own release", model.CodeBeforeRelease, func(c *corrupted) bool {
			i := c.where(func(e *entry) bool {
				t := naive(c).byID[e.task]
				return t.kind == "reduce" && t.release > ready(c, e.job) && t.release > t.of.release
			})
			if i < 0 || naive(c).partitions {
				return false
			}
			at := naive(c).byID[c.rows[i].task].release
			return c.move(i, at-min(c.little(), at-ready(c, c.rows[i].job)))
		}},
		rule{"before the maps' output", model.CodePrecedence, func(c *corrupted) bool {
			i := kindOf(c, "reduce")
			return i >= 0 && !naive(c).partitions && c.move(i, ready(c, c.rows[i].job)-c.little())
		}},
		rule{"before an earlier phase ends", model.CodePrecedence, func(c *corrupted) bool {
			i := c.any()
			end := int64(0)
			for _, e := range c.rows[:i] {
				if e.job != c.rows[i].job {
					end = max(end, e.until)
				}
			}
			return naive(c).partitions && c.move(i, end-c.little())
		}},
		rule{"more slots than reducers", model.CodeReducers, func(c *corrupted) bool {
			i := kindOf(c, "reduce")
			if i < 0 {
				return false
			}
			x, e := naive(c), &c.rows[i]
			used := map[string]bool{}
			for k, other := range c.rows {
				if other.job == e.job && other.kind == "reduce" && k != i {
					used[other.machine] = true
				}
			}
			e.machine = pick(c.Rand, c.machinesOf()...)
			e.until = e.from + x.byID[e.task].takes(x.slot[e.machine].node)
			return !used[e.machine] && x.slot[e.machine].kind == "reduce" && int64(len(used)) >= x.byID[e.task].of.reduces
		}},
		rule{"partitions of two partitioners", model.CodePartitioner, func(c *corrupted) bool {
			x, i := naive(c), kindOf(c, "reduce")
			if i < 0 {
				return false
			}
			e := &c.rows[i]
			is := x.byID[e.task]
			k := slices.IndexFunc(x.list, func(t *timedTask) bool {
				return t.of == is.of && t.kind == "reduce" && t.set != is.set && c.IntN(6) == 0
			})
			if k < 0 || !slices.ContainsFunc(c.rows, func(o entry) bool { return o.job == e.job && o.kind == "reduce" && o.task != e.task }) {
				return false
			}
			e.task = x.list[k].id
			e.until = e.from + x.list[k].takes(x.slot[e.machine].node)
			rank := func(o entry) int { return slices.IndexFunc(x.list, func(t *timedTask) bool { return t.id == o.task }) }
			slices.SortStableFunc(c.rows, func(a, b entry) int { return rank(a) - rank(b) })
			return true
		}},
		rule{"pieces that are not all", model.CodePieces, damagePieces})
}

// damagePieces divides a partition into pieces that are a little less than all of it.
func damagePieces(c *corrupted) bool {
	x := c.b.problem.(*naiveRealtime)
	i := c.where(func(e *entry) bool { return e.kind == "reduce" && e.until-e.from > 2 })
	if x.piece == nil || i < 0 {
		return false
	}
	e := c.rows[i]
	rows := 0
	for _, o := range c.rows {
		if o.task == e.task {
			rows++
		}
	}
	if rows > 1 { // it has pieces: shorten one
		c.rows[i].until -= min(c.little(), e.until-e.from)
		return true
	}
	first := 1 + c.Int64N(e.until-e.from-1)
	c.rows[i].until = e.from + first
	e.from = e.from + first
	e.until += *x.piece - c.little()
	if c.IntN(2) == 0 { // at the end of all
		length := e.until - e.from
		e.from = c.end()
		e.until = e.from + length
	}
	c.rows = slices.Insert(c.rows, i+1, e)
	return e.until > e.from
}

// rulesTenants are the rules of problem multitenant.
func rulesTenants() []rule {
	naive := func(c *corrupted) *naiveTenants { return c.b.problem.(*naiveTenants) }
	at := func(c *corrupted, e *entry) (*tenantTask, *naiveNode) {
		return naive(c).byID[e.task], naive(c).slot[e.machine].node
	}
	return append(append(everywhere(nothing), onSlots(func(c *corrupted) *naiveCluster { return naive(c).naiveCluster })...), ownColumn(),
		rule{"another duration at the block", model.CodeDuration, func(c *corrupted) bool {
			i := c.where(func(e *entry) bool { t, n := at(c, e); return t.kind == "map" && t.locality(n) == "node" })
			if i < 0 {
				return false
			}
			e := &c.rows[i]
			if e.until += pick(c.Rand, int64(-1), 1) * c.little(); c.IntN(2) == 0 {
				e.until, e.from = c.rows[i].until, c.b.rows[i].until-(e.until-e.from) // at the other end
				e.until = c.b.rows[i].until
			}
			return e.from >= 0 && e.until >= e.from
		}},
		rule{"too short for what a map reads", model.CodeDuration, func(c *corrupted) bool {
			i := c.where(func(e *entry) bool { t, n := at(c, e); return t.locality(n) != "node" && t.kind == "map" })
			if i < 0 {
				return false
			}
			e := &c.rows[i]
			t, n := at(c, e)
			length := n.timeOn(t.base) + naive(c).reading(t, n) - c.little()
			e.until = e.from + length
			return length >= 0
		}},
		rule{"too short for what a reduce computes", model.CodePrecedence, func(c *corrupted) bool {
			i := c.where(func(e *entry) bool { return e.kind == "reduce" })
			if i < 0 {
				return false
			}
			e := &c.rows[i]
			t, n := at(c, e)
			length := n.timeOn(t.base) - c.little()
			e.from = e.until - length
			return length >= 0
		}},
		rule{"before the release", model.CodeBeforeRelease, func(c *corrupted) bool {
			i := c.where(func(e *entry) bool { return naive(c).byID[e.task].release > 0 })
			if i < 0 {
				return false
			}
			e := &c.rows[i]
			before := naive(c).byID[e.task].release - c.little()
			if t := naive(c).byID[e.task]; t.kind == "reduce" && c.IntN(2) == 0 { // it waits
				e.from = before
				return before >= 0
			}
			return c.move(i, before)
		}},
		rule{"before the maps end", model.CodePrecedence, func(c *corrupted) bool {
			i := c.where(func(e *entry) bool { return e.kind == "reduce" })
			if i < 0 {
				return false
			}
			e := &c.rows[i]
			last := int64(0)
			for _, m := range c.rows {
				if m.job == e.job && m.kind == "map" {
					last = max(last, m.until)
				}
			}
			t, n := at(c, e)
			e.until = last + n.timeOn(t.base) - c.little()
			e.from = min(e.from, e.until-n.timeOn(t.base))
			return e.from >= 0 && last > 0
		}},
		rule{"a fetch over links that are too narrow", model.CodeLink, damageFetch},
		rule{"no time for what a rack puts out last", model.CodeLink, damageLate},
		rule{"reads over links that are too narrow", model.CodeLink, damageReads},
		rule{"more memory than the node has", codeMemory, damageCapacity(
			func(n *naiveNode) *big.Rat { return n.memory }, func(t *tenantTask) *big.Rat { return t.memory })},
		rule{"more cores than the node has", codeCPU, damageCapacity(
			func(n *naiveNode) *big.Rat { return n.cpu }, func(t *tenantTask) *big.Rat { return t.cpu })})
}

// damageFetch leaves a reduce less time than its fetches take on some link.
func damageFetch(c *corrupted) bool {
	x := c.b.problem.(*naiveTenants)
	i := c.where(func(e *entry) bool { return e.kind == "reduce" && x.byID[e.task].of.volume > 0 })
	if i < 0 {
		return false
	}
	e := &c.rows[i]
	t, n := x.byID[e.task], x.slot[e.machine].node
	across := new(big.Rat) // what it fetches from other racks
	for _, m := range c.rows {
		if o := x.byID[m.task]; o.of == t.of && o.kind == "map" && x.slot[m.machine].node.rack != n.rack {
			across.Add(across, big.NewRat(o.output, int64(len(t.of.reduces))))
		}
	}
	whole := big.NewRat(t.of.volume, int64(len(t.of.reduces)))
	need := int64(0)
	for _, link := range []struct {
		rate  int64
		bytes *big.Rat
	}{{x.uplink(n.rack), across}, {bandwidth(n.link), whole}} {
		bytes := new(big.Rat).Sub(link.bytes, rat(1+int64(len(x.list)))) // rounding may cost a byte a task
		if link.rate > 0 && bytes.Sign() > 0 {
			need = max(need, floor(new(big.Rat).Quo(bytes.Mul(bytes, rat(1_000_000)), rat(link.rate)))-20)
		}
	}
	if need <= 0 {
		return false
	}
	e.from = e.until - n.timeOn(t.base) - c.Int64N(need)
	return e.from >= 0
}

// damageLate lets a reduce compute as soon as the maps have ended, although what one of the racks has put out by then takes its
// time to the reduce.
func damageLate(c *corrupted) bool {
	x := c.b.problem.(*naiveTenants)
	i := c.where(func(e *entry) bool { return e.kind == "reduce" && x.byID[e.task].of.volume > 0 })
	if i < 0 {
		return false
	}
	e := &c.rows[i]
	t, n := x.byID[e.task], x.slot[e.machine].node
	until, first, out := int64(0), map[string]int64{}, map[string]int64{}
	for _, m := range c.rows {
		o, rack := x.byID[m.task], x.slot[m.machine].node.rack
		if o.of != t.of || o.kind != "map" || o.output == 0 {
			continue
		}
		if at, ok := first[rack]; !ok || m.until < at {
			first[rack] = m.until
		}
		until, out[rack] = max(until, m.until), out[rack]+o.output
	}
	compute := n.timeOn(t.base)
	e.from, e.until = min(e.from, until), until+compute
	for rack, bytes := range out {
		rates := []int64{bandwidth(n.link), x.fabric(n.rack)}
		if rack != n.rack {
			rates = append(rates, x.uplink(n.rack))
		}
		for _, rate := range rates {
			room := big.NewRat(rate, 1_000_000)
			room.Mul(room, rat(until-max(e.from, first[rack])+20)).Add(room, rat(int64(len(c.rows))))
			if rate > 0 && room.Cmp(big.NewRat(bytes, int64(len(t.of.reduces)))) < 0 {
				return true
			}
		}
	}
	return false
}

// damageReads lets two maps read at the same time over one uplink, as fast as one of them could alone.
func damageReads(c *corrupted) bool {
	x := c.b.problem.(*naiveTenants)
	begin := c.end() + 1
	var list []*entry
	for _, i := range c.Perm(len(c.rows)) {
		if e := &c.rows[i]; e.kind == "map" && len(list) < 2 {
			list = append(list, e)
		} else if e.kind == "reduce" { // they stay behind the maps
			e.from, e.until = e.from+3*begin, e.until+3*begin
		}
	}
	if len(list) < 2 {
		return false
	}
	bytes, window, rate := int64(0), int64(0), int64(0)
	link := map[string]bool{}
	for k, e := range list {
		e.machine = pick(c.Rand, c.machinesOf()...)
		t, n := x.byID[e.task], x.slot[e.machine].node
		if t.locality(n) != "remote" || x.slot[e.machine].kind != "map" || k > 0 && e.machine == list[0].machine {
			return false
		}
		e.from, e.until = begin, begin+x.reading(t, n)+n.timeOn(t.base)
		bytes, window = bytes+t.input, max(window, x.reading(t, n))
		into, out := "into "+n.rack, "out of "+t.source(n).rack
		if link[into] {
			rate = x.uplink(n.rack)
		} else if link[out] {
			rate = x.uplink(t.source(n).rack)
		}
		link[into], link[out] = true, true
	}
	room := new(big.Rat).Mul(rat(window+20), big.NewRat(rate, 1_000_000)) // rounding may cost a byte a task
	return rate > 0 && room.Cmp(rat(bytes-int64(len(c.rows)))) < 0
}

// damageCapacity lets tasks run on a node that together need more of something than it has, or one that alone does.
func damageCapacity(has func(n *naiveNode) *big.Rat, needs func(t *tenantTask) *big.Rat) func(c *corrupted) bool {
	return func(c *corrupted) bool {
		x := c.b.problem.(*naiveTenants)
		i := c.where(func(e *entry) bool { return needs(x.byID[e.task]) != nil })
		if i < 0 {
			return false
		}
		e := &c.rows[i]
		t := x.byID[e.task]
		if c.IntN(2) == 0 { // else where it is
			e.machine = pick(c.Rand, c.machinesOf()...)
			e.until = e.from + x.slot[e.machine].node.timeOn(t.base)
		}
		n := x.slot[e.machine].node
		if x.slot[e.machine].kind != e.kind || has(n) == nil {
			return false
		}
		if needs(t).Cmp(has(n)) > 0 {
			return true
		}
		k := c.where(func(o *entry) bool {
			return o.task != e.task && o.until > o.from && x.slot[o.machine].node == n && needs(x.byID[o.task]) != nil
		})
		if k < 0 || e.until == e.from {
			return false
		}
		o := c.rows[k]
		switch c.IntN(3) {
		case 0:
			c.move(i, o.until-c.little())
		case 1:
			if e.kind == "reduce" { // it waits
				e.from = min(e.from, o.until-c.little())
			}
		}
		sum := new(big.Rat).Add(needs(t), needs(x.byID[o.task]))
		return e.from >= 0 && e.from < o.until && o.from < e.until && sum.Cmp(has(n)) > 0
	}
}
