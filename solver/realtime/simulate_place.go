package realtime

import (
	"cmp"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/solver/list"
)

// This file decides on which worker units wait. All policies share its rules.

// findCommon finds a worker of median speed.
func (s *simulation) findCommon() {
	if workers := slices.Clone(s.workers[model.Reduce]); len(workers) > 0 {
		s.common = sortBy(workers, func(w int32) float64 { return s.in.Speed[w] })[len(workers)/2]
	}
}

// findHolders finds the workers with map slots that hold each block.
func (s *simulation) findHolders() {
	w := s.in.Workload()
	if len(w.Placements) == 0 {
		return
	}
	worker := map[string]int32{}
	for _, id := range s.workers[model.Map] {
		worker[s.in.WorkerName(id)] = id
	}
	s.holders = make([][]int32, len(w.Blocks))
	for _, p := range w.Placements {
		if id, ok := worker[w.Topology[p.Node].ID]; ok {
			s.holders[p.Block] = append(s.holders[p.Block], id)
		}
	}
}

// placeMaps gives the maps of a job to workers. A map goes to the worker with map slots and a replica of its block that
// is expected to be free first (ties: the first placement). The other maps go to the map slots in turn, from where the
// last job stopped. The paper does the same: its splits are all alike and are spread over the workers, whatever their
// speed, when the job is uploaded. Slow workers then fall behind, which LOF corrects.
func (s *simulation) placeMaps(j int32) {
	job := &s.jobs[j]
	for u := job.first; u < job.first+job.maps; u++ {
		x, task := &s.units[u], s.task(u)
		w := s.holder(task)
		if w < 0 {
			w = s.in.WorkerOf[s.in.MapSlots[s.next]]
			s.next = (s.next + 1) % len(s.in.MapSlots)
		}
		x.queue, x.left = queueOf(w, model.Map), s.estimate(task, w)
		s.enterAt(u, s.in.ReleaseOf(task))
	}
	s.refresh(j)
}

// holder is the worker with a replica of a map's block that is expected to be free first; -1: there is none.
func (s *simulation) holder(task int32) int32 {
	row := s.in.Task(task)
	if s.holders == nil || row == nil || row.Block == model.None {
		return -1
	}
	best, least := int32(-1), model.Time(math.MaxInt64)
	for _, w := range s.holders[row.Block] {
		if at := s.free(&s.queues[queueOf(w, model.Map)]); at < least {
			best, least = w, at
		}
	}
	return best
}

// estimate is how long a task is expected to take, capped so that sums do not overflow.
func (s *simulation) estimate(task, worker int32) model.Time {
	return min(max(0, s.b.Time(task, worker)), s.most)
}

// expect estimates how long the reduce phase of a job will last, before its maps have ended: all its reducers are on
// workers of median speed and take its partitions the largest first. At that time the scheduler knows the sizes of the
// partitions of Hadoop's hash (set 0), as from earlier runs of the job, but not those of a sketch, nor which slots will
// be free.
func (s *simulation) expect(j int32) (last model.Time) {
	set := s.in.SetsOf(j)[0]
	if set.Count == 0 {
		return 0
	}
	load := make(list.Heap, min(s.in.Reducers[j], set.Count))
	for _, k := range descending(s.in, set) {
		x := load[0]
		x.Key += s.estimate(set.First+k, s.common)
		last = max(last, x.Key)
		load.ReplaceTop(x)
	}
	return last
}

// reduce assigns the partitions of a job once the output of its maps has arrived. The partitions of one slot are a
// unit, the largest first, which waits for any slot of its worker. Partitions with later releases of their own are
// units by themselves.
func (s *simulation) reduce(j int32) error {
	job := &s.jobs[j]
	job.after, job.reducing = 0, true
	if job.count == job.maps {
		return nil
	}
	a, err := s.r.assign(s.partitioner, j, s.b, s.outlook(j))
	if err != nil {
		return err
	}
	order := descending(s.in, a.set)
	release := func(k int32) model.Time { return max(s.now, s.in.ReleaseOf(a.set.First+k)) }
	slices.SortStableFunc(order, func(i, k int32) int {
		return cmp.Or(cmp.Compare(a.slot[i], a.slot[k]), cmp.Compare(release(i), release(k)))
	})
	u := job.first + job.maps - 1
	for i, k := range order {
		if i == 0 || a.slot[k] != a.slot[order[i-1]] || release(k) != release(order[i-1]) {
			u++
			first := int32(len(s.parts))
			s.units[u].queue, s.units[u].first, s.units[u].last = queueOf(s.in.WorkerOf[a.slot[k]], model.Reduce), first, first
		}
		s.parts = append(s.parts, a.set.First+k)
		s.units[u].last++
	}
	end := u + 1
	job.pending = end - job.first - job.maps
	job.phase = job.pending
	for u := job.first + job.maps; u < end; u++ {
		s.units[u].left = s.takes(u, s.units[u].queue)
		s.enterAt(u, s.in.ReleaseOf(s.parts[s.units[u].first]))
	}
	s.refresh(j)
	return nil
}

// tasks are the map or the partitions of a unit.
func (s *simulation) tasks(u int32) []int32 {
	if x := &s.units[u]; !x.isMap {
		return s.parts[x.first:x.last]
	}
	s.one[0] = s.task(u)
	return s.one[:]
}

// takes is how long a unit is expected to take in a queue.
func (s *simulation) takes(u, queue int32) (sum model.Time) {
	for _, t := range s.tasks(u) {
		sum += s.estimate(t, queue/2)
	}
	return sum
}

// freeSlots is when each reduce slot is expected to be free: after its running unit and its share of those that wait at
// its worker.
func (s *simulation) freeSlots() []model.Time {
	free := make([]model.Time, s.in.Slots)
	for _, slot := range s.in.ReduceSlots {
		free[slot] = s.now
		if u := s.slotUnit[slot]; u >= 0 && s.units[u].state == running {
			free[slot] = max(s.now, s.units[u].end)
		}
		q := &s.queues[queueOf(s.in.WorkerOf[slot], model.Reduce)]
		free[slot] += q.backlog / model.Time(q.slots)
	}
	return free
}
