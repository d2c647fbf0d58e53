package multitenant

import (
	"cmp"
	"container/heap"
	"fmt"
	"slices"

	"mrsched/model"
)

// load is something that has to cross a link within a window.
type load struct {
	from, until model.Time
	bytes       float64
}

// checkLinks demands that each link can carry what has to cross it: a rack's uplink, out and in, and the pooled links of
// its workers. A map's input moves before it computes; what a reduce fetches from a rack moves after that rack's first
// output and the reduce's start, and before the reduce computes, which also its own worker's link has to be fast enough for
// (checkTimes sees to that for maps). Whether a link alone can do that, sharing its rate
// freely, is decided by earliest deadline first (Horn 1974): if that is late, everything is. Rounding moves each end
// of a window by at most a microsecond, so no interval's demand by more than what the link carries in two, and each load
// by less than a byte.
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
		rack, until := in.RackOf[w], e.End-in.Compute(t, w)
		if in.IsMap(t) {
			if near := in.Locality(t, w); near != model.NodeLocal {
				l := load{e.Start, until, float64(in.Input[t])}
				add(fabric, in.Fabric, rack, l)
				if near == model.Remote {
					add(up, in.Uplink, in.RackOf[in.Source(t, w)], l)
					add(down, in.Uplink, rack, l)
				}
			}
			continue
		}
		j := in.JobOf(t)
		parts := float64(in.Reduces(j))
		all, foreign := load{until: until}, load{until: until}
		all.from, foreign.from = until, until
		for a := range int32(in.Racks) {
			k := int(j)*in.Racks + int(a)
			if f.Output[k] == 0 {
				continue
			}
			l := load{max(e.Start, f.First[k]), until, float64(f.Output[k]) / parts}
			all.from, all.bytes = min(all.from, l.from), all.bytes+l.bytes
			if a != rack {
				foreign.from, foreign.bytes = min(foreign.from, l.from), foreign.bytes+l.bytes
				add(up, in.Uplink, a, l)
			}
		}
		if need := float64(all.from) + all.bytes/float64(in.Bandwidth[w])*float64(model.Second); in.Bandwidth[w] > 0 && need > float64(until)+linkSlack {
			found.Add(model.CodeLink, "reduce %q fetches until %s; over the link of %s it needs until %s", in.id(t), until, in.WorkerName(w), model.Time(need))
		}
		add(fabric, in.Fabric, rack, all)
		add(down, in.Uplink, rack, foreign)
	}
	for rack := range in.Racks {
		in.checkLink(fmt.Sprintf("the uplink of rack %q, outwards,", in.rackName[rack]), up[rack], in.Uplink[rack], found)
		in.checkLink(fmt.Sprintf("the uplink of rack %q, inwards,", in.rackName[rack]), down[rack], in.Uplink[rack], found)
		in.checkLink(fmt.Sprintf("the links of the nodes of rack %q together", in.rackName[rack]), fabric[rack], in.Fabric[rack], found)
	}
}

// linkSlack is what rounding may cost, on links that several loads share beside a byte a load: a few microseconds.
const linkSlack = 10

// checkLink carries loads by earliest deadline first and reports the first that is late.
func (in *Instance) checkLink(name string, loads []load, rate int64, found *model.Violations) {
	slices.SortFunc(loads, func(a, b load) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.until, b.until), cmp.Compare(a.bytes, b.bytes))
	})
	perByte := float64(model.Second) / float64(rate) // microseconds
	slack := linkSlack + perByte*float64(len(loads))
	now, next := 0.0, 0
	var open byDeadline
	for next < len(loads) || len(open) > 0 {
		if len(open) == 0 {
			now = max(now, float64(loads[next].from))
		}
		for next < len(loads) && float64(loads[next].from) <= now {
			heap.Push(&open, loads[next])
			next++
		}
		first := &open[0]
		end := now + first.bytes*perByte
		if next < len(loads) && float64(loads[next].from) < end {
			at := float64(loads[next].from)
			first.bytes -= (at - now) / perByte
			now = at
			continue
		}
		if end > float64(first.until)+slack {
			found.Add(model.CodeLink, "%s cannot carry what crosses it until %s; it needs until %s", name, first.until, model.Time(end))
			return
		}
		now = end
		heap.Pop(&open)
	}
}

// byDeadline is the heap of open loads.
type byDeadline []load

func (h byDeadline) Len() int           { return len(h) }
func (h byDeadline) Less(i, k int) bool { return h[i].until < h[k].until }
func (h byDeadline) Swap(i, k int)      { h[i], h[k] = h[k], h[i] }
func (h *byDeadline) Push(x any)        { *h = append(*h, x.(load)) }
func (h *byDeadline) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
