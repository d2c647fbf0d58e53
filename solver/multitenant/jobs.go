package multitenant

import (
	"cmp"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/multitenant"
)

// arrive adds a job and releases its tasks, except those with a later release.
func (s *simulation) arrive(id, rank int32) {
	in := s.in
	j := &job{id: id, user: in.UserOf[id], rank: rank, window: int64(in.Arrival[id] / s.c.window),
		maps: in.FirstMap[id+1] - in.FirstMap[id], reduces: in.Reduces(id), produced: make([]model.Bytes, in.Racks)}
	if j.maps+j.reduces == 0 {
		return
	}
	s.jobs[id] = j
	switch {
	case s.c.plan != nil:
		s.c.plan.admit(s, j)
	case s.c.nass:
		s.watch(j)
	}
	j.pending = newPendingMaps(in, id, j.sw.racks)
	j.idle.pending = newPending(in.FirstReduce(id), in.FirstReduce(id+1))
	first := [2]int32{in.FirstMap[id], in.FirstReduce(id)}
	for kind, end := range [2]int32{in.FirstMap[id+1], in.FirstReduce(id + 1)} {
		if s.room != nil {
			j.least[kind] = leastNeed(in, first[kind], end)
		}
		for t := first[kind]; t < end; t++ {
			if !in.Staggered() || in.Release(t) <= s.now {
				s.release(j, t)
			}
		}
	}
}

// laterReleases lists the tasks released after their jobs, and adds an event for each such time.
func (s *simulation) laterReleases() {
	in := s.in
	if !in.Staggered() {
		return
	}
	for t := range int32(in.Tasks) {
		if in.Release(t) > in.Arrival[in.JobOf(t)] {
			s.later = append(s.later, t)
		}
	}
	slices.SortStableFunc(s.later, func(a, b int32) int { return cmp.Compare(in.Release(a), in.Release(b)) })
	for k, t := range s.later {
		if at := in.Release(t); k == 0 || in.Release(s.later[k-1]) < at {
			s.events.Push(at, releaseEvent, 0)
		}
	}
}

// releaseLater releases the tasks whose time has come. Their jobs have arrived before.
func (s *simulation) releaseLater() {
	for ; s.next < len(s.later) && s.in.Release(s.later[s.next]) <= s.now; s.next++ {
		t := s.later[s.next]
		s.release(s.jobs[s.in.JobOf(t)], t)
	}
}

func (s *simulation) release(j *job, task int32) {
	kind := s.in.KindOf(task)
	j.open[kind]++
	if kind == model.Map {
		j.pending.release(task)
		if j.open[kind] == 1 {
			u := &s.users[j.user]
			u.maps = insert(u.maps, j)
		}
	} else if j.idle.release(task); !j.enabled {
		s.enable(j)
		return
	}
	s.waiting[kind]++
	s.wake(kind, j.user)
}

// enable offers slots to a job's reduces if they may start.
func (s *simulation) enable(j *job) {
	if j.open[model.Reduce] == 0 {
		return
	}
	u := &s.users[j.user]
	switch over := j.mapsEnded == j.maps; {
	case over && !j.listed:
		u.early = remove(u.early, j)
		u.ready, j.listed = insert(u.ready, j), true
	case over || j.enabled || !s.c.starts(j):
		return
	case s.c.nass:
		u.early = insert(u.early, j)
	default:
		u.ready, j.listed = insert(u.ready, j), true
	}
	if !j.enabled {
		j.enabled = true
		s.waiting[model.Reduce] += int(j.open[model.Reduce])
	}
	s.wake(model.Reduce, j.user)
}

// settleEarly notes that a job's maps have ended: its early reduces no longer wait, and its other reduces may use all
// that is free.
func (s *simulation) settleEarly(j *job) {
	if s.room == nil {
		return
	}
	for _, t := range j.early {
		s.room.settle(t, s.in.WorkerOf[s.rows[t].Machine])
	}
	j.early = nil
	if s.room.short && j.open[model.Reduce] > 0 {
		s.wake(model.Reduce, j.user)
	}
}

// insert adds a job to the jobs with tasks of a kind, in the order of arrivals or of a plan.
func insert(list []*job, j *job) []*job {
	at, _ := find(list, j)
	return slices.Insert(list, at, j)
}

func find(list []*job, j *job) (at int, found bool) {
	return slices.BinarySearchFunc(list, j.rank, func(x *job, rank int32) int { return cmp.Compare(x.rank, rank) })
}

func remove(list []*job, j *job) []*job {
	if at, ok := find(list, j); ok {
		return slices.Delete(list, at, at+1)
	}
	return list
}

// leastNeed is the least memory and the least cores that any of some tasks needs.
func leastNeed(in *multitenant.Instance, first, end int32) (least multitenant.Amount) {
	least = multitenant.Amount{Memory: math.MaxInt64, Cores: math.MaxInt64}
	for t := first; t < end; t++ {
		need := in.Need(t)
		least.Memory, least.Cores = min(least.Memory, need.Memory), min(least.Cores, need.Cores)
	}
	return least
}

// on says which of a job's tasks of a kind fit on a worker now. If some is false, none does.
func (s *simulation) on(w int32, j *job, kind model.TaskKind) (f *fit, some bool) {
	if s.room == nil {
		return nil, true
	}
	s.fit = fit{s.room, w, kind == model.Reduce && j.mapsEnded < j.maps}
	if some = j.least[kind].Within(s.room.free[w]); !some {
		s.room.lack(w)
	}
	return &s.fit, some
}

// nextReduce finds a job's first reduce that can begin on a worker; -1 if there is none.
func (s *simulation) nextReduce(j *job, w int32) int32 {
	if f, some := s.on(w, j, model.Reduce); some {
		return j.idle.any(f)
	}
	return -1
}

// pendingMaps holds the released maps of a job that have not begun, by where their blocks lie. A map is in several
// lists; a list drops maps that have begun when they come to its front.
//
// Complexity: O(workers + replicas) to build; O(1) amortised for each map taken, and for each that does not fit.
type pendingMaps struct {
	pending
	in       *multitenant.Instance
	byWorker [][]int32 // maps with a replica there
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

// onWorker finds a map that is at home on a worker; -1 if none fits.
func (p *pendingMaps) onWorker(w int32, f *fit) int32 {
	if t := p.find(&p.byWorker[w], f); t >= 0 {
		return t
	}
	return p.find(&p.homeless, f)
}

// inRack finds a map with a replica in a rack.
func (p *pendingMaps) inRack(rack int32, f *fit) int32 { return p.find(&p.byRack[rack], f) }

// near finds a map that is at home on a worker, else in its rack.
func (p *pendingMaps) near(w, rack int32, f *fit) int32 {
	if t := p.onWorker(w, f); t >= 0 {
		return t
	}
	return p.inRack(rack, f)
}

// fromAfar finds a map that SAMP moves to its racks.
func (p *pendingMaps) fromAfar(f *fit) int32 { return p.find(&p.moved, f) }

func (p *pendingMaps) any(f *fit) int32 {
	for int(p.next) < len(p.shut) && p.shut[p.next] {
		p.next++
	}
	for k := int(p.next); k < len(p.shut); k++ {
		if !p.shut[k] && f.holds(p.first+int32(k)) {
			return p.first + int32(k)
		}
	}
	return -1
}

// find finds the first task of a list that fits, and drops those at the front that have begun; -1 if there is none.
func (p *pending) find(list *[]int32, f *fit) int32 {
	for len(*list) > 0 && p.shut[(*list)[0]] {
		*list = (*list)[1:]
	}
	for _, item := range *list {
		if !p.shut[item] && f.holds(p.first+item) {
			return p.first + item
		}
	}
	return -1
}

// took notes that a task begins.
func (p *pending) took(task int32) { p.shut[task-p.first] = true }

// pendingReduces holds the released reduces of a job that have not begun, in the order of their release.
type pendingReduces struct {
	pending
	list []int32
}

func (p *pendingReduces) release(task int32) {
	p.shut[task-p.first] = false
	p.list = append(p.list, task-p.first)
}

// any finds the first reduce that fits.
func (p *pendingReduces) any(f *fit) int32 { return p.find(&p.list, f) }

// some says whether a reduce fits.
func (p *pendingReduces) some(f *fit) bool { return p.find(&p.list, f) >= 0 }
