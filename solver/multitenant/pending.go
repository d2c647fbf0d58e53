package multitenant

import "mrsched/model/multitenant"

// pendingMaps holds the maps of a job that have not begun, by where they are at home. A map stands in several lists; begun says
// which have begun elsewhere, and lists skip those when they come to them.
//
// Complexity: O(workers + replicas) to build; O(1) amortised for each map taken.
type pendingMaps struct {
	first    int32 // the job's first map
	begun    []bool
	byWorker lists
	byRack   lists
	homeless []int32 // maps without replicas, at home everywhere
	moved    []int32 // maps without a replica in the racks that SAMP chose
	next     int32
}

// lists are lists of maps, in order; list k is what items[from[k]:to[k]] holds.
type lists struct {
	from, to []int32
	items    []int32
}

// newLists makes lists of the pairs that add is called with; each is called twice.
func newLists(n int, each func(add func(k, item int32))) lists {
	l := lists{from: make([]int32, n), to: make([]int32, n)}
	each(func(k, _ int32) { l.to[k]++ })
	at := int32(0)
	for k := range l.to {
		l.from[k] = at
		at += l.to[k]
		l.to[k] = l.from[k]
	}
	l.items = make([]int32, at)
	each(func(k, item int32) {
		l.items[l.to[k]] = item
		l.to[k]++
	})
	return l
}

// newPendingMaps lists the maps of a job. preferred are SAMP's racks; nil: it chose none.
func newPendingMaps(in *multitenant.Instance, id int32, preferred []bool) pendingMaps {
	first, end := in.FirstMap[id], in.FirstMap[id+1]
	p := pendingMaps{first: first, begun: make([]bool, end-first)}
	p.byWorker = newLists(in.Workers, func(add func(k, item int32)) {
		for t := first; t < end; t++ {
			for _, w := range in.Replicas(t) {
				add(w, t-first)
			}
		}
	})
	p.byRack = newLists(in.Racks, func(add func(k, item int32)) {
		for t := first; t < end; t++ {
			eachRack(in, t, func(rack int32) { add(rack, t-first) })
		}
	})
	for t := first; t < end; t++ {
		if len(in.Replicas(t)) == 0 {
			p.homeless = append(p.homeless, t-first)
			continue
		}
		near := preferred == nil
		eachRack(in, t, func(rack int32) { near = near || preferred[rack] })
		if !near {
			p.moved = append(p.moved, t-first)
		}
	}
	return p
}

// eachRack visits the racks that hold what a map reads, each once.
func eachRack(in *multitenant.Instance, task int32, visit func(rack int32)) {
	replicas := in.Replicas(task)
next:
	for i, w := range replicas {
		for _, before := range replicas[:i] {
			if in.RackOf[before] == in.RackOf[w] {
				continue next
			}
		}
		visit(in.RackOf[w])
	}
}

// onWorker takes a map that is at home on a worker; -1: there is none.
func (p *pendingMaps) onWorker(w int32) int32 {
	if t := p.pull(&p.byWorker, w); t >= 0 {
		return t
	}
	return p.pop(&p.homeless)
}

// inRack takes a map with a replica in a rack.
func (p *pendingMaps) inRack(rack int32) int32 { return p.pull(&p.byRack, rack) }

// fromAfar takes a map that SAMP moves to its racks.
func (p *pendingMaps) fromAfar() int32 { return p.pop(&p.moved) }

// any takes any map.
func (p *pendingMaps) any() int32 {
	for ; int(p.next) < len(p.begun); p.next++ {
		if !p.begun[p.next] {
			return p.took(p.next)
		}
	}
	return -1
}

func (p *pendingMaps) pull(l *lists, k int32) int32 {
	for l.from[k] < l.to[k] {
		item := l.items[l.from[k]]
		l.from[k]++
		if !p.begun[item] {
			return p.took(item)
		}
	}
	return -1
}

func (p *pendingMaps) pop(list *[]int32) int32 {
	for len(*list) > 0 {
		item := (*list)[0]
		*list = (*list)[1:]
		if !p.begun[item] {
			return p.took(item)
		}
	}
	return -1
}

func (p *pendingMaps) took(item int32) int32 {
	p.begun[item] = true
	return p.first + item
}
