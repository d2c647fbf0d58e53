package multitenant

import (
	"cmp"
	"slices"

	"mrsched/model"
	"mrsched/model/multitenant"
)

// room tracks the memory and cores of workers while a policy runs. The reserve that early reduces leave to maps
// prevents deadlocks: docs/mathematics.md, section multitenant.
type room struct {
	in    *multitenant.Instance
	free  []multitenant.Amount // by worker
	early []multitenant.Amount // by worker: used by reduces whose job's maps have not all ended
	spare []*spare             // by worker; shared by those with equal limits, nil without map slots

	kinds  []multitenant.Amount // different needs of maps
	kindOf []int32              // by map
	left   []int32              // by kind: maps that have not begun

	short   bool      // some task did not fit on some worker
	lacked  []bool    // by worker: a task did not fit since its slots were last offered
	again   [2][]bool // by kind of slot and worker: its free slots will be offered again
	changed [2]bool   // by kind of slot: again has an entry
}

// spare lists the kinds of maps that fit on a worker alone, the largest need first. Kinds without maps left are dropped
// from the front.
type spare struct{ byMemory, byCores []int32 }

// newRoom is nil if nothing is limited.
func newRoom(in *multitenant.Instance) *room {
	if !in.Limited() {
		return nil
	}
	r := &room{in: in, free: make([]multitenant.Amount, in.Workers), early: make([]multitenant.Amount, in.Workers),
		spare: make([]*spare, in.Workers), lacked: make([]bool, in.Workers), kindOf: make([]int32, in.Maps),
		again: [2][]bool{make([]bool, in.Workers), make([]bool, in.Workers)}}
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

// reserve is the amount that early reduces must leave free on a worker: as much memory, and as many cores, as any map
// needs that has not begun and fits on the worker.
func (r *room) reserve(w int32) multitenant.Amount {
	x := r.spare[w]
	if x == nil {
		return multitenant.Amount{}
	}
	return multitenant.Amount{Memory: r.largest(&x.byMemory).Memory, Cores: r.largest(&x.byCores).Cores}
}

// largest is the need of the first kind in a list that has maps left.
func (r *room) largest(list *[]int32) multitenant.Amount {
	for len(*list) > 0 && r.left[(*list)[0]] == 0 {
		*list = (*list)[1:]
	}
	if len(*list) == 0 {
		return multitenant.Amount{}
	}
	return r.kinds[(*list)[0]]
}

func plus(a, b multitenant.Amount) multitenant.Amount {
	return multitenant.Amount{Memory: a.Memory + b.Memory, Cores: a.Cores + b.Cores}
}

func minus(a, b multitenant.Amount) multitenant.Amount {
	return multitenant.Amount{Memory: a.Memory - b.Memory, Cores: a.Cores - b.Cores}
}

// needs is the amount of a worker's limited resources that a task needs.
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

// lack records that some task did not fit on a worker.
func (r *room) lack(w int32) { r.short, r.lacked[w] = true, true }

// fits reports whether a task can start on a worker. early: it is a reduce whose job's maps have not all ended.
func (r *room) fits(task, w int32, early bool) bool {
	need := r.needs(task, w)
	if !need.Within(r.free[w]) {
		return false
	}
	if !early || need == (multitenant.Amount{}) {
		return true
	}
	left := minus(minus(r.in.Limit(w), r.early[w]), r.reserve(w))
	return (need.Memory == 0 || need.Memory <= left.Memory) && (need.Cores == 0 || need.Cores <= left.Cores)
}

// begin takes a task's resources from a worker.
func (r *room) begin(task, w int32, early bool) {
	need := r.needs(task, w)
	if r.in.IsMap(task) {
		r.left[r.kindOf[task]]--
	}
	r.free[w] = minus(r.free[w], need)
	if early {
		r.early[w] = plus(r.early[w], need)
	}
}

// end returns them.
func (r *room) end(task, w int32) {
	if need := r.needs(task, w); need != (multitenant.Amount{}) {
		r.free[w] = plus(r.free[w], need)
		r.offer(w)
	}
}

// settle records that the maps of an early reduce's job have ended.
func (r *room) settle(task, w int32) {
	r.early[w] = minus(r.early[w], r.needs(task, w))
	r.offer(w)
}

// offer offers a worker's free slots again if some task did not fit there.
func (r *room) offer(w int32) {
	if !r.lacked[w] {
		return
	}
	r.lacked[w] = false
	for kind := range r.again {
		r.again[kind][w], r.changed[kind] = true, true
	}
}

// offered records that the free slots of a kind have been offered.
func (r *room) offered(kind model.TaskKind) {
	if r.changed[kind] {
		clear(r.again[kind])
		r.changed[kind] = false
	}
}
