package realtime

import (
	"context"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
	"mrsched/solver/list"
	"mrsched/solver/sim"
)

// The kinds of events, in the order in which those of one instant happen. Within a kind they happen in the order in
// which they became known: ends in the order of starts, then of workers. After all of them LOF moves tasks, and then
// idle slots start waiting units, worker by worker, maps before partitions.
const (
	finishEvent  sim.Kind = iota // of a task
	arriveEvent                  // of a job
	releaseEvent                 // of a unit that is released after it was placed
	readyEvent                   // of a job: all output of its maps has arrived
)

// simulation runs one policy over all jobs. The scheduler decides by the estimates of b; tasks take their true times.
//
// Units wait and run. A unit is a map, or all partitions of a job on one reduce slot, which processes them without a
// break. A placed unit enters the queue of its worker's slots of its kind. An idle slot takes the unit that the policy
// ranks first in its queue, so no slot idles while its queue holds something.
//
// Maps are placed when their job arrives, reduce units when the output of its maps has arrived, by rules that are the
// same for all policies (simulate_place.go). Policies differ in the order, and in whether LOF moves units.
//
// Units are numbered in the order of their jobs' arrivals, ties by job, and for each job maps first. Ties of ranks go
// to the lower unit.
//
// Complexity: O(log n) for each event and each look at a queue, plus the units that a look puts back because their rank
// has risen; see queue.
type simulation struct {
	in          *realtime.Instance
	r           *run
	b           expectation
	p           policy
	partitioner string
	threshold   float64 // of LOF; 0: off

	now    model.Time
	events sim.Queue[int32] // of jobs or units
	jobs   []jobState
	units  []unit
	parts  []int32  // partitions of reduce units
	one    [1]int32 // room for the task of a map
	queues []queue  // by worker, for each that of maps and that of partitions

	slotUnit []int32    // by slot: the last unit that it started; -1: none
	next     int        // the map slot that gets the next map
	workers  [2][]int32 // by kind: those with slots for it
	common   int32      // a worker of median speed among those with reduce slots; -1: there is none
	holders  [][]int32  // by block: the workers with map slots that hold it; nil: there are no blocks
	most     model.Time // cap of an estimate

	dirty   []int32 // queues on which a task may start
	touched []int32 // jobs of which a unit entered or ended in this instant
	flagged []int32 // by queue: the last evaluation of LOF that flagged it
	rows    []model.Entry
	facts   facts
	seen    func(job int32, laxities []model.Time, queues, over []int32) // sees every evaluation of LOF; may be nil
}

func (r *run) simulate(ctx context.Context, p policy, opt solver.Options) (*solver.Outcome, error) {
	b, err := r.expects()
	if err != nil {
		return nil, err
	}
	s := newSimulation(r, p, b)
	status, err := s.play(ctx, opt)
	if err != nil {
		return nil, err
	}
	return &solver.Outcome{Status: status, Schedule: &model.Schedule{Entries: byTask(s.rows)},
		Facts: s.facts.stated(p)}, nil
}

func newSimulation(r *run, p policy, b expectation) *simulation {
	in := r.in
	s := &simulation{in: in, r: r, b: b, p: p, partitioner: r.p.partitioner, jobs: make([]jobState, in.Jobs),
		queues: make([]queue, 2*in.Workers), flagged: make([]int32, 2*in.Workers), slotUnit: make([]int32, in.Slots),
		common: -1}
	if p.moves {
		s.threshold = r.p.lofThreshold
	}
	for slot, w := range in.WorkerOf {
		q := &s.queues[queueOf(w, in.SlotKind[slot])]
		q.slots++
		q.idle.Push(list.Item{Index: int32(slot)})
		s.slotUnit[slot] = -1
	}
	for kind := range s.workers {
		s.workers[kind] = workersFor(in, model.TaskKind(kind))
	}
	parts := in.Maps
	for _, j := range sortBy(numbers(0, int32(in.Jobs)), func(j int32) model.Time { return in.Release[j] }) {
		first, maps := int32(len(s.units)), in.FirstMap[j+1]-in.FirstMap[j]
		most := int32(0)
		for _, set := range in.SetsOf(j) {
			most = max(most, set.Count)
		}
		reduces := min(in.Reducers[j], most)
		parts += int(most)
		s.jobs[j] = jobState{first: first, maps: maps, count: maps + reduces, ready: in.Release[j]}
		for k := range maps + reduces {
			s.units = append(s.units, unit{job: j, queue: -1, isMap: k < maps})
		}
		s.events.Push(in.Release[j], arriveEvent, j)
	}
	s.most = model.MaxHorizon / model.Time(max(1, parts))
	s.findCommon()
	s.findHolders()
	return s
}

// play checks the context every checkEvery instants.
const checkEvery = 256

// play simulates all events. After ctx ends, the rest runs under fifo with Hadoop's partitioner.
func (s *simulation) play(ctx context.Context, opt solver.Options) (model.Status, error) {
	status, total := model.StatusFeasible, len(s.units)
	for k := 0; ; k++ {
		at, ok := s.events.Next()
		if !ok {
			return status, nil
		}
		if k%checkEvery == 0 {
			opt.Report(s.facts.units, total)
			if ctx.Err() != nil && status != model.StatusLimit {
				status = model.StatusLimit
				s.fallBack()
			}
		}
		s.now = at
		for ok && at == s.now {
			e, _ := s.events.Pop()
			if err := s.happen(e); err != nil {
				return status, err
			}
			at, ok = s.events.Next()
		}
		s.settle()
		s.dispatch()
	}
}

// fallBack changes to fifo and Hadoop's partitioner, without LOF, for the rest.
func (s *simulation) fallBack() {
	s.p, s.partitioner, s.threshold = policy{rank: fifoRank}, "hash", 0
	for q := range s.queues {
		s.queues[q].front, s.queues[q].back = s.queues[q].front[:0], s.queues[q].back[:0]
	}
	for u := range s.units {
		if s.units[u].state == waiting {
			s.enqueue(int32(u))
		}
	}
}

func (s *simulation) happen(e sim.Event[int32]) error {
	switch e.Kind {
	case finishEvent:
		s.finish(e.Payload)
	case arriveEvent:
		s.arrive(e.Payload)
	case releaseEvent:
		s.enter(e.Payload)
		s.enqueue(e.Payload)
	case readyEvent:
		return s.reduce(e.Payload)
	}
	return nil
}

// arrive places the maps of a job.
func (s *simulation) arrive(j int32) {
	job := &s.jobs[j]
	job.pending, job.phase, job.after = job.maps, job.maps, s.expect(j)
	if job.maps == 0 {
		s.events.Push(s.now, readyEvent, j)
	} else {
		s.placeMaps(j)
	}
	s.facts.arrive(s, j)
}

// enter puts a placed unit into its queue. enqueue gives it a rank later, once all units that enter at this time are
// known, because they change it.
func (s *simulation) enter(u int32) {
	x := &s.units[u]
	x.state = waiting
	s.queues[x.queue].backlog += x.left
	s.await(u)
	s.jobs[x.job].fresh++
	s.touch(x.job)
}

// enterAt makes a placed unit enter its queue at a time, or now if that has passed.
func (s *simulation) enterAt(u int32, at model.Time) {
	if at <= s.now {
		s.enter(u)
		return
	}
	s.units[u].end = at + s.units[u].left
	s.run(u)
	s.events.Push(at, releaseEvent, u)
}

// await notes in its job and its queue that a unit waits.
func (s *simulation) await(u int32) {
	x := &s.units[u]
	s.jobs[x.job].waiting.Push(list.Item{Key: -(x.left + s.tail(u)), Index: u})
	if due := s.in.Due[x.job]; !x.isMap && due != realtime.NoDeadline {
		s.queues[x.queue].promised.Push(list.Item{Key: due, Index: u})
	}
}

func (s *simulation) touch(j int32) {
	if !s.jobs[j].touched {
		s.jobs[j].touched = true
		s.touched = append(s.touched, j)
	}
}

func (s *simulation) start(u, slot int32) {
	x := &s.units[u]
	job, q := &s.jobs[x.job], &s.queues[x.queue]
	x.state, x.slot, x.end = running, slot, s.now+x.left
	q.backlog -= x.left
	q.busy.Push(list.Item{Key: x.end, Index: u})
	s.slotUnit[slot] = u
	s.run(u)
	job.active++
	job.begun += s.now
	at, w := s.now, s.in.WorkerOf[slot]
	for _, t := range s.tasks(u) {
		end := at + s.in.Time(t, w)
		s.rows = append(s.rows, model.Entry{Task: model.TaskIndex(t), Machine: slot, Start: at, End: end})
		at = end
	}
	s.facts.start(x.left, at-s.now)
	s.events.Push(at, finishEvent, u)
}

// run notes in its job that a unit runs.
func (s *simulation) run(u int32) {
	x := &s.units[u]
	s.jobs[x.job].running.Push(list.Item{Key: -(x.end + s.tail(u)), Index: u})
}

func (s *simulation) finish(u int32) {
	x := &s.units[u]
	job := &s.jobs[x.job]
	start := x.end - x.left
	x.state = done
	s.queues[x.queue].idle.Push(list.Item{Index: x.slot})
	s.markDirty(x.queue)
	s.touch(x.job)
	job.active--
	job.begun -= start
	job.ended += s.now - start
	job.pending--
	job.fresh++
	s.facts.units++
	if !x.isMap {
		return
	}
	job.ready = max(job.ready, s.now+s.in.Shuffle[s.task(u)])
	if job.pending == 0 {
		s.events.Push(job.ready, readyEvent, x.job)
	}
}
