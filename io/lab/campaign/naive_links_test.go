package campaign

import (
	"math/big"
	"slices"

	"mrsched/model"
)

// naiveTransfer is what has to cross a link within a window.
type naiveTransfer struct {
	task        string // that it is for
	from, until int64
	bytes       *big.Rat
}

// naiveLinks are the links of the racks, by name.
type naiveLinks struct {
	rate map[string]int64 // bytes a second
	load map[string][]naiveTransfer
}

// bandwidth is a link's rate in whole bytes a second, at least 1; 0 if it has no limit.
func bandwidth(stated *big.Rat) int64 {
	if stated == nil || stated.Cmp(rat(1_000_000_000_000)) > 0 {
		return 0
	}
	return max(1, nearest(stated))
}

// uplink is the rate of a rack's link to the others, in either direction.
func (x *naiveTenants) uplink(rack string) int64 {
	for _, n := range x.doc.Topology {
		if n["id"] == rack {
			return bandwidth(decimal(n["bandwidth_bytes_per_s"]))
		}
	}
	return 0
}

// fabric is the total rate of the nodes of a rack; 0 if one of them has no limit.
func (x *naiveTenants) fabric(rack string) (sum int64) {
	for _, n := range x.nodes {
		if n.rack != rack {
			continue
		}
		if bandwidth(n.link) == 0 {
			return 0
		}
		sum += bandwidth(n.link)
	}
	return sum
}

// reading is the least time to read a map's block on a node without it, rounded down.
func (x *naiveTenants) reading(t *tenantTask, n *naiveNode) (least int64) {
	near := t.locality(n)
	if near == "node" {
		return 0
	}
	rates := []int64{bandwidth(n.link)}
	if near == "remote" {
		rates = append(rates, x.uplink(n.rack), x.uplink(t.source(n).rack))
	}
	return slowest(t.input, rates...)
}

// slowest is the time that bytes take over the slowest of some links, rounded down.
func slowest(bytes int64, rates ...int64) (least int64) {
	for _, r := range rates {
		if r > 0 {
			least = max(least, floor(new(big.Rat).Mul(big.NewRat(bytes, r), rat(1_000_000))))
		}
	}
	return least
}

// racks are those with workers, in the order of their first one.
func (x *naiveTenants) racks() (list []string) {
	if len(x.doc.Topology) == 0 {
		return []string{"cluster"}
	}
	for _, t := range x.doc.Topology {
		if n := x.nodes[text(t["id"])]; n != nil && !slices.Contains(list, n.rack) {
			list = append(list, n.rack)
		}
	}
	return list
}

// copyRack is where a reduce in a rack writes.
func (x *naiveTenants) copyRack(t *tenantTask, rack string) string {
	racks := x.racks()
	others := append(slices.Clone(racks), racks...)[slices.Index(racks, rack)+1:]
	return others[t.number%(len(racks)-1)]
}

// writing is the least time in which a reduce writes to another rack.
func (x *naiveTenants) writing(t *tenantTask, n *naiveNode) int64 {
	if t.kind != "reduce" || t.output == 0 {
		return 0
	}
	to := x.copyRack(t, n.rack)
	return slowest(t.output, bandwidth(n.link), x.uplink(n.rack), x.uplink(to), x.fabric(to))
}

// add adds a transfer over a link.
func (l *naiveLinks) add(name string, rate int64, t naiveTransfer) {
	if rate > 0 && t.bytes.Sign() > 0 {
		l.rate[name], l.load[name] = rate, append(l.load[name], t)
	}
}

// links demands that every link can carry its transfers.
func (x *naiveTenants) links(v *verdict) {
	l := &naiveLinks{map[string]int64{}, map[string][]naiveTransfer{}}
	for _, e := range v.rows {
		t, n := x.byID[e.task], x.slot[e.machine].node
		until := e.until - n.timeOn(t.base) - x.writing(t, n)
		if t.kind == "reduce" {
			x.fetches(v, l, &e, until)
			x.writes(v, l, &e)
			continue
		}
		read := naiveTransfer{e.task, e.from, until, rat(t.input)}
		switch t.locality(n) {
		case "remote":
			from := t.source(n).rack
			l.add("out of "+from, x.uplink(from), read)
			l.add("into "+n.rack, x.uplink(n.rack), read)
			fallthrough
		case "rack":
			l.add("inside "+n.rack, x.fabric(n.rack), read)
		}
	}
	for name, list := range l.load {
		if !carries(l.rate[name], list) {
			v.breaks(model.CodeLink, "the link %s cannot carry all", name)
		}
	}
}

// fetches adds what a reduce fetches: from every rack, its part of the output of the job's maps there.
func (x *naiveTenants) fetches(v *verdict, l *naiveLinks, reduce *entry, until int64) {
	job, n := x.byID[reduce.task].of, x.slot[reduce.machine].node
	first, out := map[string]int64{}, map[string]int64{} // by rack
	for _, e := range v.rows {
		t, rack := x.byID[e.task], x.slot[e.machine].node.rack
		if t.kind != "map" || t.of != job || t.output == 0 {
			continue
		}
		if at, ok := first[rack]; !ok || e.until < at {
			first[rack] = e.until
		}
		out[rack] += t.output
	}
	for rack, bytes := range out {
		t := naiveTransfer{reduce.task, max(reduce.from, first[rack]), until, big.NewRat(bytes, int64(len(job.reduces)))}
		if rack != n.rack {
			l.add("out of "+rack, x.uplink(rack), t)
			l.add("into "+n.rack, x.uplink(n.rack), t)
		}
		l.add("inside "+n.rack, x.fabric(n.rack), t)
		l.add("of the node of "+reduce.task, bandwidth(n.link), t)
	}
}

// writes adds what a reduce writes once it can have computed.
func (x *naiveTenants) writes(v *verdict, l *naiveLinks, reduce *entry) {
	t, n := x.byID[reduce.task], x.slot[reduce.machine].node
	if t.output == 0 {
		return
	}
	data := reduce.from
	for _, e := range v.rows {
		if m := x.byID[e.task]; m.kind == "map" && m.of == t.of {
			data = max(data, e.until)
		}
	}
	to, w := x.copyRack(t, n.rack), naiveTransfer{reduce.task, data + n.timeOn(t.base), reduce.until, rat(t.output)}
	l.add("out of "+n.rack, x.uplink(n.rack), w)
	l.add("into "+to, x.uplink(to), w)
	l.add("inside "+to, x.fabric(to), w)
}

// carries says whether a link can move everything in time: no interval needs more than the link carries in it, apart
// from rounding, ten microseconds and a byte for every task that uses the link.
func carries(rate int64, list []naiveTransfer) bool {
	tasks := map[string]bool{}
	for _, t := range list {
		tasks[t.task] = true
	}
	for _, a := range list {
		for _, b := range list {
			within := new(big.Rat)
			for _, c := range list {
				if c.from >= a.from && c.until <= b.until {
					within.Add(within, c.bytes)
				}
			}
			room := big.NewRat(max(0, b.until-a.from)+10, 1_000_000)
			if within.Cmp(room.Mul(room, rat(rate)).Add(room, rat(int64(len(tasks))))) > 0 {
				return false
			}
		}
	}
	return true
}
