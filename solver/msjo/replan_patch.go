package msjo

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"mrsched/model"
	"mrsched/model/msjo"
)

// Settings of the search for few changes.
const (
	// patchJobs is the largest number of jobs that a step changes.
	patchJobs = 4
	// patchStream separates its random stream from those of other searches with the same seed.
	patchStream = 0x7061746368
)

// patch is a search over schedules with machines that counts the penalty of changes. A step removes the tasks of one to
// four jobs, except frozen ones, and puts them back one job after another: into their old places if these are free, or
// wherever each can begin first. All other tasks stay. A step that makes the schedule more expensive is undone.
//
// Complexity: O(N) per step, and O(N) for each task that is put back.   Ties: the lower machine.
type patch struct {
	in     *msjo.Instance
	e      *engine // for ready times
	random *rand.Rand
	within [][]int32 // by job: tasks in the order of insertion
	open   []int32   // jobs with tasks that are not frozen
	now    []model.Entry
	cost   float64
	trial  []model.Entry
	busy   [][]span // by machine, in order; of the trial
}

// span is a time in which a machine is taken.
type span struct{ from, until model.Time }

func newPatch(in *msjo.Instance, s *model.Schedule, seed uint64) *patch {
	p := &patch{in: in, e: newEngine(in), random: rand.New(rand.NewPCG(seed, patchStream)), within: criticalFirst(in),
		now: slices.Clone(s.Entries), trial: slices.Clone(s.Entries), busy: make([][]span, in.Nodes)}
	for j, list := range p.within {
		p.within[j] = slices.DeleteFunc(list, func(u int32) bool { return in.Replan().Frozen(model.TaskIndex(u)) != nil })
		if len(p.within[j]) > 0 {
			p.open = append(p.open, int32(j))
		}
	}
	p.cost = p.value(p.now)
	return p
}

func (p *patch) schedule() *model.Schedule { return &model.Schedule{Entries: p.now} }

// value is the cost of a schedule with its penalty, in weight × microseconds.
func (p *patch) value(entries []model.Entry) (sum float64) {
	clear(p.e.done)
	plan, each := p.in.Replan(), p.in.Replan().Penalty.Float()*float64(model.Second)
	for _, e := range entries {
		p.e.start[e.Task] = e.Start
		j := p.in.Job[e.Task]
		p.e.done[j] = max(p.e.done[j], e.End)
		if plan.Changed(e) {
			sum += each
		}
	}
	return sum + p.e.cost()
}

// step tries one change.
func (p *patch) step() {
	if len(p.open) == 0 {
		return
	}
	n := min(1+p.random.IntN(patchJobs), len(p.open))
	for k := range n { // the first n of a random order
		i := k + p.random.IntN(len(p.open)-k)
		p.open[k], p.open[i] = p.open[i], p.open[k]
	}
	chosen := p.open[:n]
	copy(p.trial, p.now)
	p.takeOut(chosen)
	p.e.begin()
	for _, j := range chosen {
		p.putBack(j, p.random.IntN(2) == 0)
	}
	if value := p.value(p.trial); value <= p.cost {
		p.now, p.trial, p.cost = p.trial, p.now, value
	}
}

// takeOut computes the busy times of machines without the tasks of some jobs.
func (p *patch) takeOut(jobs []int32) {
	for i := range p.busy {
		p.busy[i] = p.busy[i][:0]
	}
	for _, e := range p.trial {
		if out := slices.Contains(jobs, p.in.Job[e.Task]) && p.in.Replan().Frozen(e.Task) == nil; !out {
			p.busy[e.Machine] = append(p.busy[e.Machine], span{e.Start, e.End})
		}
	}
	for _, list := range p.busy {
		slices.SortFunc(list, func(a, b span) int {
			return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.until, b.until))
		})
	}
}

// putBack places the tasks of a job. With stay it prefers their old places.
func (p *patch) putBack(j int32, stay bool) {
	plan := p.in.Replan()
	for u := range tasksOf(p.in, int(j)) {
		if plan.Frozen(model.TaskIndex(u)) != nil {
			p.e.release(p.e.graph, u, p.trial[u].End, false)
		}
	}
	for _, u := range p.within[j] {
		e := p.place(u, stay)
		p.trial[u] = e
		list := p.busy[e.Machine]
		p.busy[e.Machine] = slices.Insert(list, endingAfter(list, e.Start), span{e.Start, e.End})
		p.e.release(p.e.graph, u, e.End, false)
	}
}

// place finds a place for a task.
func (p *patch) place(u int32, stay bool) model.Entry {
	plan := p.in.Replan()
	ready, length := max(p.e.ready[u], plan.Until), p.in.Least[u]
	at := func(machine int32, start model.Time) model.Entry {
		return model.Entry{Task: model.TaskIndex(u), Machine: machine, Start: start, End: start + length}
	}
	if r := plan.Row(model.TaskIndex(u)); stay && r != nil && r.At != model.None {
		for _, least := range [2]model.Time{r.Start, r.Start - plan.Tolerance} {
			if start := p.fit(r.At, max(ready, least), length); start <= r.Start+plan.Tolerance {
				return at(r.At, start)
			}
		}
	}
	best := at(0, p.fit(0, ready, length))
	for i := int32(1); i < int32(len(p.busy)) && best.Start > ready; i++ {
		if start := p.fit(i, ready, length); start < best.Start {
			best = at(i, start)
		}
	}
	return best
}

// endingAfter is the index of the first span of a list that ends after t.
func endingAfter(list []span, t model.Time) int {
	i, _ := slices.BinarySearchFunc(list, t, func(s span, t model.Time) int {
		if s.until <= t {
			return -1
		}
		return 1
	})
	return i
}

// fit is the earliest time from t on at which a machine is free for the given length.
func (p *patch) fit(machine int32, t, length model.Time) model.Time {
	list := p.busy[machine]
	for _, s := range list[endingAfter(list, t):] {
		if s.from >= t+length {
			break
		}
		t = max(t, s.until)
	}
	return t
}
