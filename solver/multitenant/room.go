package multitenant

import (
	"cmp"
	"slices"

	"mrsched/model"
	"mrsched/model/multitenant"
)

// room tracks the memory and cores of workers while a policy runs; the package comment says what early reduces leave to
// maps.
type room struct {
	in    *multitenant.Instance
	free  []multitenant.Amount // by worker: what no running task needs
	early []multitenant.Amount // by worker: what reduces need whose job's maps have not all ended
	spare []*spare             // by worker: those with equal limits share one; nil without map slots

	kinds  []multitenant.Amount // that maps need
	kindOf []int32              // by map
	left   []int32              // by kind: maps that have not begun

	short   bool      // some task did not fit on some worker
	lacked  []bool    // by worker: since its slots were last offered
	again   [2][]bool // by kind of slot and by worker: its free slots are to be offered again
	changed [2]bool   // some worker's are
}

// spare is what early reduces must leave of a worker: as much memory, and as many cores, as any map needs that has not
// begun and fits on the worker.
type spare struct {
	// Kinds of maps that fit, the largest need first, without kinds that have no map left.
	byMemory, byCores []int32
}

// newRoom is nil if nothing is limited.
func newRoom(in *multitenant.Instance) *room {
	if !in.Limited() {
		return nil
	}
	r := &room{in: in, free: make([]multitenant.Amount, in.Workers), early: make([]multitenant.Amount, in.Workers),
		spare: make([]*spare, in.Workers), lacked: make([]bool, in.Workers), kindOf: make([]int32, in.Maps)}
	at := map[multitenant.Amount]int32{}
	for t := range r.kindOf {
		need := in.Need(int32(t))
		k, known := at[need]
		if !known {
			k = int32(len(r.kinds))
			at[need] = k
			r.kinds, r.left = append(r.kinds, need), append(r.left, 0)
		}
		r.kindOf[t] = k
		r.left[k]++
	}
	for k := range r.again {
		r.again[k] = make([]bool, in.Workers)
	}
	for w := range r.free {
		r.free[w] = in.Limit(int32(w))
	}
	shared := map[multitenant.Amount]*spare{}
	for _, slot := range in.MapSlots {
		w := in.WorkerOf[slot]
		limit := in.Limit(w)
		if shared[limit] == nil {
			shared[limit] = r.newSpare(limit)
		}
		r.spare[w] = shared[limit]
	}
	return r
}

func (r *room) newSpare(limit multitenant.Amount) *spare {
	x := &spare{}
	for k, need := range r.kinds {
		if need.Within(limit) {
			x.byMemory = append(x.byMemory, int32(k))
		}
	}
	x.byCores = slices.Clone(x.byMemory)
	slices.SortStableFunc(x.byMemory, func(a, b int32) int { return cmp.Compare(r.kinds[b].Memory, r.kinds[a].Memory) })
	slices.SortStableFunc(x.byCores, func(a, b int32) int { return cmp.Compare(r.kinds[b].Cores, r.kinds[a].Cores) })
	return x
}

// reserve is what a worker has to keep for maps.
func (r *room) reserve(w int32) (keep multitenant.Amount) {
	x := r.spare[w]
	if x == nil {
		return keep
	}
	for len(x.byMemory) > 0 && r.left[x.byMemory[0]] == 0 {
		x.byMemory = x.byMemory[1:]
	}
	for len(x.byCores) > 0 && r.left[x.byCores[0]] == 0 {
		x.byCores = x.byCores[1:]
	}
	if len(x.byMemory) > 0 {
		keep.Memory = r.kinds[x.byMemory[0]].Memory
	}
	if len(x.byCores) > 0 {
		keep.Cores = r.kinds[x.byCores[0]].Cores
	}
	return keep
}

// needs is how much of a worker's limited resources a task needs.
func (r *room) needs(task, w int32) multitenant.Amount {
	need, limit := r.in.Need(task), r.in.Limit(w)
	if limit.Memory == multitenant.Unlimited {
		need.Memory = 0
	}
	if limit.Cores == multitenant.Unlimited {
		need.Cores = 0
	}
	return need
}

// fits says whether a task can start on a worker; early: it is a reduce whose job's maps have not all ended.
func (r *room) fits(task, w int32, early bool) bool {
	if r.holds(task, w, early) {
		return true
	}
	r.lack(w)
	return false
}

// lack notes that something did not fit on a worker.
func (r *room) lack(w int32) { r.short, r.lacked[w] = true, true }

func (r *room) holds(task, w int32, early bool) bool {
	need := r.needs(task, w)
	if !need.Within(r.free[w]) {
		return false
	}
	if !early || need == (multitenant.Amount{}) {
		return true
	}
	limit, keep, held := r.in.Limit(w), r.reserve(w), r.early[w]
	return (need.Memory == 0 || need.Memory <= limit.Memory-held.Memory-keep.Memory) &&
		(need.Cores == 0 || need.Cores <= limit.Cores-held.Cores-keep.Cores)
}

// begin takes a task's resources from a worker.
func (r *room) begin(task, w int32, early bool) {
	need := r.needs(task, w)
	if r.in.IsMap(task) {
		r.left[r.kindOf[task]]--
	}
	r.free[w].Memory -= need.Memory
	r.free[w].Cores -= need.Cores
	if early {
		r.early[w].Memory += need.Memory
		r.early[w].Cores += need.Cores
	}
}

// end returns them.
func (r *room) end(task, w int32) {
	need := r.needs(task, w)
	if need == (multitenant.Amount{}) {
		return
	}
	r.free[w].Memory += need.Memory
	r.free[w].Cores += need.Cores
	r.offer(w)
}

// settle notes that the maps of an early reduce's job have ended.
func (r *room) settle(task, w int32) {
	need := r.needs(task, w)
	r.early[w].Memory -= need.Memory
	r.early[w].Cores -= need.Cores
	r.offer(w)
}

// offer offers a worker's free slots again if something did not fit there.
func (r *room) offer(w int32) {
	if !r.lacked[w] {
		return
	}
	r.lacked[w] = false
	for kind := range r.again {
		r.again[kind][w], r.changed[kind] = true, true
	}
}

// offered notes that the free slots of a kind have been offered.
func (r *room) offered(kind model.TaskKind) {
	if r.changed[kind] {
		clear(r.again[kind])
		r.changed[kind] = false
	}
}
