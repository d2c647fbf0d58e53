package multitenant

import (
	"slices"

	"mrsched/model/multitenant"
)

// pendingMaps holds the released maps of a job that have not begun, by where their blocks lie. A map is in several
// lists; a list drops maps that have begun when they come to its front.
//
// Complexity: O(workers + replicas) to build; O(1) amortised for each map taken, and for each that does not fit.
type pendingMaps struct {
	pending
	in       *multitenant.Instance
	byWorker [][]int32
	byRack   [][]int32
	homeless []int32 // maps without replicas, which are at home everywhere
	moved    []int32 // maps without a replica in the preferred racks
	next     int32   // all maps before have begun
	// preferred are the racks that SAMP or a plan chose; nil: none.
	preferred []bool
}

// pending says which tasks of a job can begin.
type pending struct {
	first int32  // the job's first task of the kind
	shut  []bool // have begun, or have not been released
}

// newPendingMaps is for a job without released maps.
func newPendingMaps(in *multitenant.Instance, id int32, preferred []bool) pendingMaps {
	first, end := in.FirstMap[id], in.FirstMap[id+1]
	atWorker, atRack := make([]int32, in.Workers), make([]int32, in.Racks)
	for t := first; t < end; t++ {
		for _, w := range in.Replicas(t) {
			atWorker[w]++
		}
		eachRack(in, t, func(rack int32) { atRack[rack]++ })
	}
	return pendingMaps{pending: newPending(first, end), in: in, preferred: preferred,
		byWorker: emptyLists(atWorker), byRack: emptyLists(atRack)}
}

// emptyLists makes lists with room for some numbers of items, in one piece of memory.
func emptyLists(room []int32) [][]int32 {
	all := int32(0)
	for _, n := range room {
		all += n
	}
	lists, items := make([][]int32, len(room)), make([]int32, all)
	for k, n := range room {
		lists[k], items = items[:0:n], items[n:]
	}
	return lists
}

// newPending is for tasks none of which has been released.
func newPending(first, end int32) pending {
	return pending{first: first, shut: slices.Repeat([]bool{true}, int(end-first))}
}

func (p *pendingMaps) release(task int32) {
	item := task - p.first
	p.shut[item] = false
	p.next = min(p.next, item)
	replicas := p.in.Replicas(task)
	if len(replicas) == 0 {
		p.homeless = append(p.homeless, item)
		return
	}
	for _, w := range replicas {
		p.byWorker[w] = append(p.byWorker[w], item)
	}
	near := p.preferred == nil
	eachRack(p.in, task, func(rack int32) {
		p.byRack[rack] = append(p.byRack[rack], item)
		near = near || p.preferred[rack]
	})
	if !near {
		p.moved = append(p.moved, item)
	}
}

// eachRack visits each rack that holds a map's input once.
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

// fit says which tasks fit on a worker now; nil if all do.
type fit struct {
	room   *room
	worker int32
	early  bool // the tasks are reduces whose job's maps have not all ended
}

func (f *fit) holds(task int32) bool {
	ok := f == nil || f.room.fits(task, f.worker, f.early)
	if !ok {
		f.room.lack(f.worker)
	}
	return ok
}

// onWorker takes a map that is at home on a worker; -1 if none fits.
func (p *pendingMaps) onWorker(w int32, f *fit) int32 {
	if t := p.pop(&p.byWorker[w], f); t >= 0 {
		return t
	}
	return p.pop(&p.homeless, f)
}

// inRack takes a map with a replica in a rack.
func (p *pendingMaps) inRack(rack int32, f *fit) int32 { return p.pop(&p.byRack[rack], f) }

// near takes a map that is at home on a worker, else in its rack.
func (p *pendingMaps) near(w, rack int32, f *fit) int32 {
	if t := p.onWorker(w, f); t >= 0 {
		return t
	}
	return p.inRack(rack, f)
}

// fromAfar takes a map that SAMP moves to its racks.
func (p *pendingMaps) fromAfar(f *fit) int32 { return p.pop(&p.moved, f) }

func (p *pendingMaps) any(f *fit) int32 {
	for int(p.next) < len(p.shut) && p.shut[p.next] {
		p.next++
	}
	for k := int(p.next); k < len(p.shut); k++ {
		if !p.shut[k] && f.holds(p.first+int32(k)) {
			return p.took(int32(k))
		}
	}
	return -1
}

// pop takes the first task of a list that fits.
func (p *pending) pop(list *[]int32, f *fit) int32 {
	if item := p.find(list, f); item >= 0 {
		return p.took(item)
	}
	return -1
}

// find finds the first task of a list that fits, and drops those at the front that have begun.
func (p *pending) find(list *[]int32, f *fit) int32 {
	for len(*list) > 0 && p.shut[(*list)[0]] {
		*list = (*list)[1:]
	}
	for _, item := range *list {
		if !p.shut[item] && f.holds(p.first+item) {
			return item
		}
	}
	return -1
}

func (p *pending) took(item int32) int32 {
	p.shut[item] = true
	return p.first + item
}

// pendingReduces holds the released reduces of a job that have not begun, in the order of their release.
type pendingReduces struct {
	pending
	list []int32
}

func (p *pendingReduces) release(task int32) {
	p.shut[task-p.first] = false
	p.list = append(p.list, task-p.first)
}

// any takes the first reduce that fits.
func (p *pendingReduces) any(f *fit) int32 { return p.pop(&p.list, f) }

// some says whether a reduce fits.
func (p *pendingReduces) some(f *fit) bool { return p.find(&p.list, f) >= 0 }
