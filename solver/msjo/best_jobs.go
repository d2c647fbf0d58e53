package msjo

import (
	"cmp"
	"slices"

	"mrsched/model"
	"mrsched/model/msjo"
)

// Settings of the search over due times.
const (
	// justifyLeast is the relative gain below which justification stops.
	justifyLeast = 1e-6
	// gainMemory is the weight of the newest gain in the moving average of the gains of justification. The average starts
	// at gainStart.
	gainMemory = 0.05
	gainStart  = 0.01
	// Every freshEvery-th schedule, on average, is made from due times alone.
	freshEvery = 8
	// Every serialEvery-th schedule, on average, keeps machines idle until the next task in the order can start.
	serialEvery = 3
	// Every insertEvery-th schedule, on average, inserts one job after another. With many jobs, whose tasks mix, it is
	// every jobs/insertJobs-th.
	insertEvery, insertJobs = 12, 3
	// The shortest shift is 1/moveSteps of the schedule's length.
	moveSteps = 1000
	// The highest temperature, relative to the cost, is jobHeat over jobs × tasks, but at most mostHeat. Jobs count as
	// if they had at least fewTasks tasks on average. The temperature of a refining chain is coldShare of it. Form and
	// numbers were fitted on mixes of 5 to 20 workflows and on 10 to 100 generated jobs.
	jobHeat, mostHeat, fewTasks, coldShare = 54, 0.13, 45, 1.0 / 18
	// neighbourhood is the largest distance, in the order of due times, of two jobs that change together.
	neighbourhood = 8
)

// Ways to decode due times (bits).
const (
	midpoint = 1 // keys are latest midpoints, not starts
	serial   = 2 // tasks strictly in the order of their keys, even if a machine idles meanwhile
	fresh    = 4 // keys from the due times alone, not from the current schedule
	inserted = 8 // insert jobs by due time into the gaps that earlier jobs leave
)

// jobMoves search over due times of the jobs.
//
// A vector of due times D gives every task the key D_j − L_u − p_u, its latest start (or at random its latest
// midpoint). The keys make a list schedule. The first D are the LP's completions. From then on a step makes one to
// three moves. A move shifts the keys of one or two jobs by the change of their due times, shifts those of a task or of
// a part of a job, or swaps those of two tasks. Shifts have all orders of magnitude alike. Every schedule that may
// still become good enough is justified right and left. The completions that it reaches are its due times.
type jobMoves struct {
	*chain
	due    []model.Time // of the current schedule, by job
	trial  []model.Time
	nudged []nudge
	how    int        // how to decode
	byDue  []int32    // jobs by current due time
	within [][]int32  // by job: tasks in the order of insertion
	span   model.Time // from the first start to the last due time
	gain   float64    // average relative gain of one justification
}

// nudge is a task whose key moves.
type nudge struct {
	task int32
	by   model.Time
}

func newJobMoves(c *chain, due []model.Time) *jobMoves {
	in := c.e.in
	m := &jobMoves{chain: c, due: slices.Clone(due), trial: slices.Clone(due), byDue: upTo(in.Jobs), gain: gainStart,
		within: criticalFirst(in)}
	c.hot = min(mostHeat, jobHeat/float64(in.Jobs*max(in.Tasks, fewTasks*in.Jobs)))
	c.cold = c.hot * coldShare
	return m
}

func (m *jobMoves) change() {
	copy(m.trial, m.due)
	m.nudged = m.nudged[:0]
	m.how = 0
	if m.e.in.Jobs > 1 && m.random.IntN(serialEvery) == 0 {
		m.how = serial
	}
	for range 1 + m.random.IntN(3) {
		m.move()
	}
	if m.random.IntN(max(insertEvery, m.e.in.Jobs/insertJobs)) == 0 {
		m.how = inserted
	} else if m.random.IntN(freshEvery) == 0 {
		m.how |= fresh | m.random.IntN(2)*midpoint
	}
}

func (m *jobMoves) adopted() {
	clear(m.due)
	for u, begin := range m.base {
		j := m.e.in.Job[u]
		m.due[j] = max(m.due[j], begin+m.e.in.Least[u])
	}
	m.span = slices.Max(m.due) - m.base[m.sorted[0]]
}

// dueKeys are the latest starts and the latest midpoints under due times.
func dueKeys(in *msjo.Instance, due []model.Time) [][]model.Time {
	keys := make([][]model.Time, 2)
	for u := range in.Tasks {
		for half := range keys {
			keys[half] = append(keys[half], latest(in, u, due, half))
		}
	}
	return keys
}

// jobAfterJob returns keys that order jobs by due time first, then tasks by their distance to the job's end.
func jobAfterJob(in *msjo.Instance, due []model.Time) []model.Time {
	jobs := upTo(in.Jobs)
	byDueTime(jobs, due)
	rank := ranks(jobs)
	key := make([]model.Time, in.Tasks)
	for k, u := range sorted(in.Tasks, func(a, b int32) int {
		return cmp.Or(cmp.Compare(rank[in.Job[a]], rank[in.Job[b]]),
			cmp.Compare(in.Tail[b]+in.Least[b], in.Tail[a]+in.Least[a]))
	}) {
		key[u] = model.Time(k)
	}
	return key
}

// latest is the latest start of a task under due times; with half = 1 it is the latest midpoint.
func latest(in *msjo.Instance, u int, due []model.Time, half int) model.Time {
	return due[in.Job[u]] - in.Tail[u] - in.Least[u]>>half
}

// decode makes the schedule of the trial due times and returns its cost after polish.
func (m *jobMoves) decode(limit float64) float64 {
	in, e := m.e.in, m.e
	if m.how&inserted != 0 {
		byDueTime(m.byDue, m.trial)
		e.insertion(m.byDue, m.within)
		return m.polish(limit)
	}
	for u := range e.key {
		if j := in.Job[u]; m.how&fresh != 0 {
			e.key[u] = int64(latest(in, u, m.trial, m.how&midpoint))
		} else {
			e.key[u] = int64(m.base[u] + m.trial[j] - m.due[j])
		}
	}
	for _, n := range m.nudged {
		e.key[n.task] += int64(n.by)
	}
	if m.how&serial != 0 {
		e.inOrder()
	} else {
		e.neverIdle()
	}
	return m.polish(limit)
}

// polish justifies the engine's schedule while that may still bring it below the limit. Below the limit it continues
// until the schedule stops improving. It returns the cost.
func (m *jobMoves) polish(limit float64) float64 {
	cost := m.e.cost()
	hope := m.gain * cost // expected gain of justifying
	for first := true; cost-hope < limit; first = false {
		m.e.justify()
		next := m.e.cost()
		gain := cost - next
		cost = next
		if first {
			m.gain += gainMemory * (gain/cost - m.gain)
		}
		if gain <= cost*justifyLeast {
			break
		}
		hope = gain
	}
	return cost
}

// move changes keys of tasks or due times of jobs.
func (m *jobMoves) move() {
	kinds := 8
	if m.e.in.Jobs == 1 {
		kinds = 5
	}
	kind := m.random.IntN(kinds)
	if m.how == serial { // keys of single tasks could fall along an arc
		kind = 5 + m.random.IntN(3)
	}
	if kind < 5 && len(m.order) > 0 {
		m.moveTasks(kind)
		return
	}
	switch a := m.random.IntN(m.e.in.Jobs); kind {
	case 6, 7:
		m.moveBeside(a, kind == 6)
	default:
		m.trial[a] += m.distance()
	}
}

// moveTasks swaps two tasks, or shifts a part of a job or a single task.
func (m *jobMoves) moveTasks(kind int) {
	a, b := m.pair()
	u, v := m.order[a], m.order[b]
	switch by := m.base[v] - m.base[u]; kind {
	case 0, 1: // swap
		m.nudged = append(m.nudged, nudge{u, by}, nudge{v, -by})
	case 2, 3: // shift the tasks of u's job before or after u, or all of them
		by = m.distance()
		m.part(u, func(w int32) { m.nudged = append(m.nudged, nudge{w, by}) })
	default:
		m.nudged = append(m.nudged, nudge{u, m.distance()})
	}
}

// moveBeside gives a job a due time near that of another one, or swaps their waiting times.
func (m *jobMoves) moveBeside(a int, swap bool) {
	alone, b := m.e.in.Alone, m.neighbour(a)
	if swap {
		waitA, waitB := m.trial[a]-alone[a], m.trial[b]-alone[b]
		m.trial[a], m.trial[b] = alone[a]+waitB, alone[b]+waitA
	} else {
		m.trial[a] = m.trial[b] + m.distance()/8
	}
}

// distance draws a distance of time, in either direction.
func (m *jobMoves) distance() model.Time {
	d := 1 + m.span/moveSteps*model.Time(magnitude(m.random, moveSteps))
	if m.random.IntN(2) == 0 {
		return -d
	}
	return d
}

// neighbour is another job with a similar due time to job a's.
func (m *jobMoves) neighbour(a int) int {
	slices.SortFunc(m.byDue, func(x, y int32) int {
		if m.trial[x] != m.trial[y] {
			return cmp.Compare(m.trial[x], m.trial[y])
		}
		return int(x - y)
	})
	at := slices.Index(m.byDue, int32(a))
	low, high := max(0, at-neighbourhood), min(len(m.byDue)-1, at+neighbourhood)
	k := low + m.random.IntN(high-low)
	if k >= at {
		k++
	}
	return int(m.byDue[k])
}
