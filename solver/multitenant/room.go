package multitenant

import (
	"mrsched/model"
	"mrsched/model/multitenant"
)

// room tracks the memory and cores of workers while a policy runs. The reserve that early reduces leave to maps
// prevents deadlocks: docs/mathematics.md, section multitenant.
type room struct {
	in    *multitenant.Instance
	free  []multitenant.Amount // by worker
	early []multitenant.Amount // by worker: used by reduces whose job's maps have not all ended
	// reserve is by worker what early reduces must leave free: as much memory, and as many cores, as any map needs that
	// fits on the worker; nothing without map slots.
	reserve []multitenant.Amount

	short   bool      // some task did not fit on some worker
	lacked  []bool    // by worker: a task did not fit since its slots were last offered
	again   [2][]bool // by kind of slot and worker: its free slots will be offered again
	changed [2]bool   // by kind of slot: again has an entry
}

// newRoom is nil if nothing is limited.
func newRoom(in *multitenant.Instance) *room {
	if !in.Limited() {
		return nil
	}
	n := in.Workers
	r := &room{in: in, free: make([]multitenant.Amount, n), early: make([]multitenant.Amount, n),
		reserve: make([]multitenant.Amount, n), lacked: make([]bool, n), again: [2][]bool{make([]bool, n), make([]bool, n)}}
	needs := map[multitenant.Amount]bool{}
	for t := range int32(in.Maps) {
		needs[in.Need(t)] = true
	}
	for w := range r.free {
		r.free[w] = in.Limit(int32(w))
	}
	known := map[multitenant.Amount]multitenant.Amount{} // by limit
	for _, slot := range in.MapSlots {
		w := in.WorkerOf[slot]
		limit := in.Limit(w)
		most, ok := known[limit]
		for need := range needs {
			if !ok && need.Within(limit) {
				most = multitenant.Amount{Memory: max(most.Memory, need.Memory), Cores: max(most.Cores, need.Cores)}
			}
		}
		known[limit], r.reserve[w] = most, most
	}
	return r
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
	left := minus(minus(r.in.Limit(w), r.early[w]), r.reserve[w])
	return (need.Memory == 0 || need.Memory <= left.Memory) && (need.Cores == 0 || need.Cores <= left.Cores)
}

// begin takes a task's resources from a worker.
func (r *room) begin(task, w int32, early bool) {
	need := r.needs(task, w)
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
