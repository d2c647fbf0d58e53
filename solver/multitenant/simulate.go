package multitenant

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"mrsched/model"
	"mrsched/model/multitenant"
	"mrsched/solver"
	"mrsched/solver/sim"
)

// The kinds of events, in the order of handling within one instant. Then free slots are assigned, and then transfers
// begin.
const (
	endEvent      sim.Kind = iota // the task on a slot has computed
	arriveEvent                   // a job arrives
	releaseEvent                  // tasks of a job that has arrived are released
	waitEvent                     // a job may accept a worse slot of a kind
	sampleEvent                   // NetSat takes a sample
	transferEvent                 // waiting transfers begin
)

// simulation runs one policy over all jobs of a cluster.
//
// A free slot is offered at once. The slots that have been free longest come first; at the beginning racks take turns.
// Of the slots that become free at one instant, map slots come first. A map whose block lies on its worker computes at
// once; others read first. A reduce fetches (transfers.go). It computes when its job's maps have ended and all its data
// has arrived, and then writes.
//
// Time is in microseconds. In large instances (stepFor), however, flows begin and complete at multiples of a step: a
// tenth of a second, or half a second with many racks. Events in between wait for the next step.
//
// Complexity: O(T·(U + log S)) for T tasks, U users and S slots, and one filling of the network per step; nass adds to
// that.
type simulation struct {
	in *multitenant.Instance
	c  config
	p  picker

	now      model.Time
	events   sim.Queue[int32] // of slots or jobs
	order    []int32          // jobs by arrival
	later    []int32          // tasks released after their jobs, by that time, then job
	next     int              // the first of later that has not been released
	jobs     []*job           // by job, from its arrival until its last task ends
	users    []user
	everyone []int32 // users
	turn     int     // counts picks
	tied     []*user // with the smallest share, in a pick

	rows    []model.Entry
	waiting [2]int     // by kind: tasks that may start where memory and cores suffice
	free    [2]vacancy // by kind
	running []int32    // by slot: the task
	left    int        // tasks that have not ended
	room    *room      // nil: unlimited
	fit     fit        // for the slot that is offered
	asking  bool       // a pick that only compares users: no task takes or refuses the slot

	t     transfers
	n     netsat
	facts struct {
		early int // reduces that started before their maps had ended
		WatcherFacts
	}

	usable  []bool // by rack: whether it has map slots
	limited bool
	loose   bool       // tasks no longer keep to the racks of the plan
	seen    func(Load) // receives the loads that NetSat sees; may be nil
}

// job is the scheduler's data about a job that has arrived and not ended.
type job struct {
	id, user        int32
	rank            int32 // the position in the order of arrivals, or of a plan
	window          int64
	maps, reduces   int32    // of all
	open            [2]int32 // by kind: tasks that have been released and have not begun
	mapsEnded       int32
	ended           int32         // tasks
	early           []int32       // reduces begun before all maps have ended; only with limits
	input, output   model.Bytes   // of maps that have ended
	produced        []model.Bytes // by rack: output of maps that have ended there
	pending         pendingMaps
	idle            pendingReduces
	least           [2]multitenant.Amount // by kind: no task needs less; only with limits
	enabled, listed bool                  // its reduces may start; it is in its user's list ready
	shuffle         shuffle
	waits           [2]localityWait // by kind
	sw              watch
	fetching        []int // by rack: reduces that have begun and have not all their data; only with a plan
}

// user is the scheduler's data about a user.
type user struct {
	running  [2]int32       // by kind: tasks
	cpu      [2]int64       // by kind: thousandths of cores that they use
	memory   [2]model.Bytes // by kind
	maps     []*job         // jobs with open maps, by arrival
	ready    []*job         // jobs with open reduces that are always eligible, by arrival
	early    []*job         // jobs with open reduces that NASS may start before the maps end, by arrival
	declined int            // the turn in which the user had no task for the slot
}

func (r *run) simulate(ctx context.Context, c config, opt solver.Options) (*solver.Outcome, error) {
	s, err := newSimulation(r.in, c)
	if err != nil {
		return nil, err
	}
	s.seen = r.seen
	if err := s.play(ctx, opt); err != nil {
		return nil, err
	}
	out := &solver.Outcome{Status: model.StatusFeasible, Schedule: &model.Schedule{Entries: s.rows}, Facts: s.stated()}
	if s.limited {
		out.Status = model.StatusLimit
	}
	return out, nil
}

// byArrival lists the jobs by arrival; ties: the lower index.
func byArrival(in *multitenant.Instance) []int32 {
	return ordered(in.Jobs, func(a, b int32) int { return cmp.Compare(in.Arrival[a], in.Arrival[b]) })
}

// ordered sorts 0 … n−1; ties: the lower index.
func ordered(n int, compare func(a, b int32) int) []int32 {
	order := model.Indices(n)
	slices.SortStableFunc(order, compare)
	return order
}

func newSimulation(in *multitenant.Instance, c config) (*simulation, error) {
	s := &simulation{in: in, c: c, jobs: make([]*job, in.Jobs), users: make([]user, len(in.Users)),
		rows: make([]model.Entry, in.Tasks), running: make([]int32, in.Slots), left: in.Tasks, order: byArrival(in),
		everyone: model.Indices(len(in.Users)), usable: make([]bool, in.Racks), room: newRoom(in), p: c.picker()}
	for t := range s.rows {
		s.rows[t] = model.Entry{Task: model.TaskIndex(t), Machine: -1}
	}
	for rank, j := range s.order {
		s.events.Push(in.Arrival[j], arriveEvent, int32(rank))
	}
	s.laterReleases()
	for _, kind := range []model.TaskKind{model.Map, model.Reduce} {
		s.free[kind].slots = inTurn(in, kind)
	}
	for _, slot := range in.MapSlots {
		s.usable[in.RackOf[in.WorkerOf[slot]]] = true
	}
	if err := s.openNetwork(); err != nil {
		return nil, err
	}
	return s, nil
}

// checkEvery is the number of instants between two checks of ctx.
const checkEvery = 1024

// play runs until every task has ended. When ctx ends, it schedules the rest in a faster way (cutShort).
func (s *simulation) play(ctx context.Context, opt solver.Options) error {
	for instants := 0; s.left > 0; instants++ {
		if instants%checkEvery == 0 {
			opt.Report(s.in.Tasks-s.left, s.in.Tasks)
			if ctx.Err() != nil && !s.limited {
				if s.c.plan != nil { // the search does not use incomplete plans
					s.limited = true
					return nil
				}
				s.cutShort()
			}
		}
		next, ok := s.events.Next()
		if at, some := s.t.net.NextCompletion(); some && (!ok || at < next) {
			next, ok = at, true
		}
		if !ok && s.c.plan != nil && !s.loose {
			s.loosen()
			continue
		}
		if !ok {
			return errors.New("multitenant: nothing can happen any more, and tasks are left")
		}
		s.now = next
		s.arrivals()
		for at, ok := s.events.Next(); ok && at <= s.now; at, ok = s.events.Next() {
			e, _ := s.events.Pop()
			s.happen(e)
		}
		s.give()
	}
	if !s.n.on {
		s.n.count(s.now)
	}
	return nil
}

// loosen releases tasks from the plan's racks if they have no room there, and assigns slots.
func (s *simulation) loosen() {
	s.loose = true
	s.c.plan = s.c.plan.loosen()
	s.p = s.c.picker()
	s.wakeAll()
	s.give()
}

// wakeAll offers all free slots again to all users.
func (s *simulation) wakeAll() {
	for _, u := range s.everyone {
		s.wake(model.Map, u)
		s.wake(model.Reduce, u)
	}
}

// give assigns free slots, and begins transfers.
func (s *simulation) give() {
	s.offer(model.Map)
	s.offer(model.Reduce)
	s.beginTransfers()
}

// cutShort switches to fast rules: fair schedules the rest, and the network is updated about once per minute.
func (s *simulation) cutShort() {
	s.limited = true
	s.c.cutShort()
	s.p = s.c.picker()
	s.t.coarsen(64 * model.Second)
	for u := range s.users {
		x := &s.users[u]
		for _, j := range slices.Clone(x.early) {
			x.early, j.enabled = remove(x.early, j), false
			s.waiting[model.Reduce] -= int(j.open[model.Reduce])
			s.enable(j)
		}
	}
	s.wakeAll()
}

func (s *simulation) happen(e sim.Event[int32]) {
	switch e.Kind {
	case endEvent:
		if s.in.Writes(s.running[e.Payload]) > 0 {
			s.t.writes = append(s.t.writes, e.Payload)
		} else {
			s.end(e.Payload)
		}
	case arriveEvent:
		s.arrive(s.order[e.Payload], e.Payload)
	case releaseEvent:
		s.releaseLater()
	case waitEvent:
		s.waited(e.Payload)
	case sampleEvent:
		s.n.sample(s)
	case transferEvent:
		s.t.scheduled = false
	}
}

func (s *simulation) begin(task, slot int32) {
	in := s.in
	kind := in.KindOf(task)
	s.rows[task].Machine, s.rows[task].Start, s.running[slot] = slot, s.now, task
	s.waiting[kind]--
	j := s.jobs[in.JobOf(task)]
	u := &s.users[j.user]
	u.running[kind]++
	u.cpu[kind] += thousandths(in.CPU[task])
	u.memory[kind] += in.Memory[task]
	early := kind == model.Reduce && j.mapsEnded < j.maps
	if s.room != nil {
		s.room.begin(task, in.WorkerOf[slot], early)
	}
	j.open[kind]--
	if kind == model.Map {
		j.pending.took(task)
		if j.open[kind] == 0 {
			u.maps = remove(u.maps, j)
			if len(u.maps) == 0 && len(u.early) > 0 { // a saturated rack no longer delays them
				s.wake(model.Reduce, j.user)
			}
		}
		s.beginMap(task, slot)
		return
	}
	j.idle.took(task)
	if j.open[kind] == 0 {
		u.ready, u.early = remove(u.ready, j), remove(u.early, j)
		j.enabled, j.listed = false, false
	}
	if early {
		s.facts.early++
		if s.room != nil {
			j.early = append(j.early, task)
		}
	}
	if j.sw.begun != nil {
		j.sw.begun[in.RackOf[in.WorkerOf[slot]]]++
	}
	s.beginReduce(j, slot)
}

func (s *simulation) end(slot int32) {
	in, task := s.in, s.running[slot]
	kind := in.KindOf(task)
	s.rows[task].End = s.now
	s.left--
	s.free[kind].slots = append(s.free[kind].slots, slot)
	j := s.jobs[in.JobOf(task)]
	u := &s.users[j.user]
	u.running[kind]--
	u.cpu[kind] -= thousandths(in.CPU[task])
	u.memory[kind] -= in.Memory[task]
	if s.room != nil {
		s.room.end(task, in.WorkerOf[slot])
	}
	if j.ended++; j.ended == j.maps+j.reduces {
		s.jobs[j.id] = nil
	}
	if kind == model.Reduce {
		return
	}
	j.mapsEnded++
	j.input += in.Input[task]
	j.output += in.Output[task]
	j.produced[in.RackOf[in.WorkerOf[slot]]] += in.Output[task]
	if j.mapsEnded == j.maps {
		j.pending, j.sw.counts = pendingMaps{}, nil
		s.settleEarly(j)
	}
	s.enable(j)
	s.announce(j)
}

func thousandths(cores float64) int64 { return int64(cores*1000 + 0.5) }
