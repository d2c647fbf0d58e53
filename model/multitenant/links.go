package multitenant

import (
	"cmp"
	"fmt"
	"slices"

	"mrsched/model"
	"mrsched/model/heap"
)

// load is a transfer of a task over a link within a window.
type load struct {
	task        int32
	from, until model.Time
	bytes       float64
}

// checkLinks requires that each link can carry its transfers: a rack's uplink, out and in, the links of the rack's
// workers together, and the link of each reduce's worker (checkTimes tests the worker's link for maps). Earliest
// deadline first decides whether a link alone can carry its loads, sharing its rate freely (Horn 1974): if that order
// is late, every order is. Rounding moves each end of a window by at most a microsecond, so it changes an interval's
// demand by at most what the link carries in two microseconds, and the loads of a task by less than a byte.
func (in *Instance) checkLinks(s *model.Schedule, f *Flows, found *model.Violations) {
	up, down, fabric := make([][]load, in.Racks), make([][]load, in.Racks), make([][]load, in.Racks)
	add := func(list [][]load, rates []int64, rack int32, l load) {
		if rates[rack] > 0 && l.bytes > 0 {
			list[rack] = append(list[rack], l)
		}
	}
	for i := range s.Entries {
		e := &s.Entries[i]
		t, w := int32(e.Task), in.WorkerOf[e.Machine]
		var own []load // over the link of a reduce's worker
		in.moves(e, f, func(m move) {
			l := load{t, m.start, m.until, m.bytes}
			add(fabric, in.Fabric, m.to, l)
			if m.from != m.to {
				add(up, in.Uplink, m.from, l)
				add(down, in.Uplink, m.to, l)
			}
			if m.fetched {
				own = append(own, l)
			}
		})
		if rate := in.Bandwidth[w]; rate > 0 && len(own) > 0 {
			in.checkLink(fmt.Sprintf("reduce %q: the link of %s", in.id(t), in.WorkerName(w)), own, rate, found)
		}
	}
	for rack := range in.Racks {
		in.checkLink(fmt.Sprintf("the uplink of rack %q, outwards,", in.rackName[rack]), up[rack], in.Uplink[rack], found)
		in.checkLink(fmt.Sprintf("the uplink of rack %q, inwards,", in.rackName[rack]), down[rack], in.Uplink[rack], found)
		in.checkLink(fmt.Sprintf("the links of the nodes of rack %q together", in.rackName[rack]), fabric[rack],
			in.Fabric[rack], found)
	}
}

// linkSlack is the allowance for rounding on a link, in microseconds, besides a byte per task.
const linkSlack = 10

// checkLink carries loads, those of a task in a row, by earliest deadline first and reports the first that is late.
func (in *Instance) checkLink(name string, loads []load, rate int64, found *model.Violations) {
	tasks := slices.CompactFunc(slices.Clone(loads), func(a, b load) bool { return a.task == b.task })
	slices.SortFunc(loads, func(a, b load) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.until, b.until), cmp.Compare(a.bytes, b.bytes))
	})
	perByte := float64(model.Second) / float64(rate) // microseconds
	slack := linkSlack + float64(perByte*float64(len(tasks)))
	if len(loads) == 0 {
		return
	}
	zero := loads[0].from // times count from here: late ones would lose microseconds as floating-point numbers
	since := func(t model.Time) float64 { return float64(t - zero) }
	now, next := 0.0, 0
	open := heap.By[load]{Before: func(a, b load) bool { return a.until < b.until }}
	for next < len(loads) || open.Len() > 0 {
		if open.Len() == 0 {
			now = max(now, since(loads[next].from))
		}
		for next < len(loads) && since(loads[next].from) <= now {
			open.Push(loads[next])
			next++
		}
		first := &open.Items[0]
		end := now + float64(first.bytes*perByte)
		if next < len(loads) && since(loads[next].from) < end {
			at := since(loads[next].from)
			first.bytes -= (at - now) / perByte
			now = at
			continue
		}
		if end > since(first.until)+slack {
			found.Add(model.CodeLink, "%s cannot carry what crosses it until %s; it needs until %s", name, first.until,
				zero+model.Time(end))
			return
		}
		now = end
		open.Pop()
	}
}
