package campaign

import (
	"math/big"

	"mrsched/model"
)

func (c *corrupted) tenants() *naiveTenants { return c.b.problem.(*naiveTenants) }

// placed are the task of a row and its node.
func (c *corrupted) placed(e *entry) (*tenantTask, *naiveNode) {
	x := c.tenants()
	return x.byID[e.task], x.slot[e.machine].node
}

func rulesTenants() []rule {
	list := append(everywhere(nothing), onSlots(func(c *corrupted) *naiveWorkers { return c.tenants().naiveWorkers })...)
	list = append(list, ownColumn(),
		rule{"another duration at the block", model.CodeDuration, func(c *corrupted) bool {
			i := c.where(func(e *entry) bool { t, n := c.placed(e); return t.kind == "map" && t.locality(n) == "node" })
			return i >= 0 && stretch(c, &c.rows[i])
		}},
		rule{"too short for what a map reads", model.CodeDuration, func(c *corrupted) bool {
			i := c.where(func(e *entry) bool { t, n := c.placed(e); return t.kind == "map" && t.locality(n) != "node" })
			if i < 0 {
				return false
			}
			e := &c.rows[i]
			t, n := c.placed(e)
			e.until = e.from + n.timeOn(t.base) + c.tenants().reading(t, n) - c.little()
			return e.until >= e.from
		}},
		rule{"too short for what a reduce computes", model.CodePrecedence, func(c *corrupted) bool {
			i := c.where(isReduce)
			if i < 0 {
				return false
			}
			e := &c.rows[i]
			t, n := c.placed(e)
			e.from = e.until - n.timeOn(t.base) + c.little()
			return e.until >= e.from
		}},
		rule{"before the maps end", model.CodePrecedence, damageMapsEnd},
		rule{"before the release", model.CodeBeforeRelease, func(c *corrupted) bool {
			i := c.where(func(e *entry) bool { return c.tenants().byID[e.task].release > 0 })
			if i < 0 {
				return false
			}
			e := &c.rows[i]
			before := c.tenants().byID[e.task].release - c.little()
			if isReduce(e) && c.IntN(2) == 0 { // and wait
				e.from = before
				return before >= 0
			}
			return c.move(i, before)
		}},
		rule{"a fetch over links that are too narrow", model.CodeLink, damageFetch},
		rule{"reads over links that are too narrow", model.CodeLink, damageReads},
		rule{"more memory than the node has", model.CodeMemory, func(c *corrupted) bool {
			return damageCapacity(c, memory, cores)
		}},
		rule{"more cores than the node has", model.CodeCores, func(c *corrupted) bool {
			return damageCapacity(c, cores, memory)
		}},
		rule{"no time for what a rack puts out last", model.CodeLink, damageLate})
	return list
}

// stretch makes a row begin or end a little earlier or later.
func stretch(c *corrupted, e *entry) bool {
	by := pick(c.Rand, int64(-1), 1) * c.little()
	if c.IntN(2) == 0 {
		e.from += by
	} else {
		e.until += by
	}
	return 0 <= e.from && e.from <= e.until
}

// damageMapsEnd makes a reduce compute before the last map has ended.
func damageMapsEnd(c *corrupted) bool {
	i := c.where(isReduce)
	if i < 0 {
		return false
	}
	e, last := &c.rows[i], int64(0)
	for _, m := range c.rows {
		if m.job == e.job && m.kind == "map" {
			last = max(last, m.until)
		}
	}
	t, n := c.placed(e)
	compute := n.timeOn(t.base)
	e.until = last + compute - c.little()
	e.from = min(e.from, e.until-compute)
	return e.from >= 0
}

// outputs is the output of a job's maps by rack, and when the first of it exists.
func (c *corrupted) outputs(job *tenantJob) (out, first map[string]int64) {
	out, first = map[string]int64{}, map[string]int64{}
	for _, m := range c.rows {
		t, n := c.placed(&m)
		if t.of != job || t.kind != "map" || t.output == 0 {
			continue
		}
		if at, ok := first[n.rack]; !ok || m.until < at {
			first[n.rack] = m.until
		}
		out[n.rack] += t.output
	}
	return out, first
}

// fits says whether a link can carry bytes in a time, with a margin of a few microseconds beyond rounding.
func (c *corrupted) fits(rate int64, bytes *big.Rat, time int64) bool {
	room := new(big.Rat).Mul(big.NewRat(rate, 1_000_000), rat(time+20))
	return rate == 0 || room.Add(room, rat(int64(len(c.rows)))).Cmp(bytes) >= 0
}

// damageFetch starts a reduce so late that some link has too little time for its fetch.
func damageFetch(c *corrupted) bool {
	i := c.where(func(e *entry) bool { return isReduce(e) && c.tenants().byID[e.task].of.volume > 0 })
	if i < 0 {
		return false
	}
	e := &c.rows[i]
	t, n := c.placed(e)
	window := c.Int64N(3_000_000)
	e.from = e.until - n.timeOn(t.base) - window
	out, _ := c.outputs(t.of)
	share := func(bytes int64) *big.Rat { return big.NewRat(bytes, int64(len(t.of.reduces))) }
	fits := c.fits(c.tenants().uplink(n.rack), share(t.of.volume-out[n.rack]), window) &&
		c.fits(bandwidth(n.link), share(t.of.volume), window)
	return e.from >= 0 && !fits
}

// damageLate makes a reduce compute as soon as the maps have ended, although the output of one rack still needs time to
// arrive.
func damageLate(c *corrupted) bool {
	i := c.where(func(e *entry) bool { return isReduce(e) && c.tenants().byID[e.task].of.volume > 0 })
	if i < 0 {
		return false
	}
	e := &c.rows[i]
	t, n := c.placed(e)
	out, first := c.outputs(t.of)
	until := int64(0)
	for _, m := range c.rows {
		if m.job == e.job && m.kind == "map" {
			until = max(until, m.until)
		}
	}
	e.from, e.until = min(e.from, until), until+n.timeOn(t.base)
	for rack, bytes := range out {
		share, window := big.NewRat(bytes, int64(len(t.of.reduces))), until-max(e.from, first[rack])
		if !c.fits(bandwidth(n.link), share, window) || !c.fits(c.tenants().fabric(n.rack), share, window) ||
			rack != n.rack && !c.fits(c.tenants().uplink(n.rack), share, window) {
			return true
		}
	}
	return false
}

// damageReads makes two maps read at the same time over one uplink, each as fast as one alone.
func damageReads(c *corrupted) bool {
	x, begin := c.tenants(), c.end()+1
	var list []*entry
	for _, i := range c.Perm(len(c.rows)) {
		if e := &c.rows[i]; e.kind == "map" && len(list) < 2 {
			list = append(list, e)
		} else if isReduce(e) { // they stay behind the maps
			e.from, e.until = e.from+3*begin, e.until+3*begin
		}
	}
	bytes, window, rate, uses := int64(0), int64(0), int64(0), map[string]bool{}
	for k, e := range list {
		e.machine = pick(c.Rand, c.machinesOf()...)
		t, n := c.placed(e)
		if t.locality(n) != "remote" || x.slot[e.machine].kind != "map" || k > 0 && e.machine == list[0].machine {
			return false
		}
		from := t.source(n).rack
		if uses["into "+n.rack] {
			rate = x.uplink(n.rack)
		} else if uses["out of "+from] {
			rate = x.uplink(from)
		}
		uses["into "+n.rack], uses["out of "+from] = true, true
		e.from, e.until = begin, begin+x.reading(t, n)+n.timeOn(t.base)
		bytes, window = bytes+t.input, max(window, x.reading(t, n))
	}
	return !c.fits(rate, rat(bytes), window)
}

// damageCapacity runs tasks on a node that together, or one alone, need more of a resource than it has, while the other
// resource suffices.
func damageCapacity(c *corrupted, r, other resource) bool {
	x := c.tenants()
	i := c.where(func(e *entry) bool { return r.needs(x.byID[e.task]) != nil })
	if i < 0 {
		return false
	}
	e := &c.rows[i]
	if c.IntN(2) == 0 { // else where it is
		e.machine = pick(c.Rand, c.machinesOf()...)
	}
	t, n := c.placed(e)
	if x.slot[e.machine].kind != e.kind || r.has(n) == nil || !other.fits(n, other.needs(t)) {
		return false
	}
	if e.machine != c.b.rows[i].machine {
		e.until = e.from + n.timeOn(t.base)
	}
	if !r.fits(n, r.needs(t)) {
		return true
	}
	k := c.where(func(o *entry) bool {
		u, at := c.placed(o)
		return o.task != e.task && at == n && r.needs(u) != nil
	})
	if k < 0 {
		return false
	}
	o := c.rows[k]
	switch c.IntN(3) {
	case 0:
		c.move(i, o.until-c.little())
	case 1:
		if isReduce(e) { // and wait
			e.from = min(e.from, o.until-c.little())
		}
	}
	sum := new(big.Rat).Add(r.needs(t), r.needs(x.byID[o.task]))
	return e.from >= 0 && max(e.from, o.from) < min(e.until, o.until) && !r.fits(n, sum)
}
