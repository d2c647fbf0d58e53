package msjo

import (
	"cmp"
	"slices"

	"mrsched/model"
	"mrsched/model/msjo"
)

// room is the number of machines in use over time: used[i] from at[i] until at[i+1], and none after the last border.
// Neighbouring stretches differ.
type room struct {
	at   []model.Time
	used []int
	m    int
}

func (r *room) reset(machines int) {
	r.at, r.used, r.m = append(r.at[:0], 0), append(r.used[:0], 0), machines
}

// stretch is the index of the stretch that contains t.
func (r *room) stretch(t model.Time) int {
	i, found := slices.BinarySearch(r.at, t)
	if !found {
		i--
	}
	return i
}

// take uses a machine for the given length, at least a microsecond, as soon after ready as one is free. It returns the
// begin.
func (r *room) take(ready, length model.Time) model.Time {
	t := ready
	length = max(1, length)
	for i := r.stretch(t); i < len(r.at) && r.at[i] < t+length; i++ {
		if r.used[i] >= r.m {
			t = r.at[i+1] // the last stretch is empty
		}
	}
	i, end := r.split(t), r.split(t+length)
	for k := i; k < end; k++ {
		r.used[k]++
	}
	r.join(end)
	r.join(i)
	return t
}

// split makes a border at t and returns its index.
func (r *room) split(t model.Time) int {
	i := r.stretch(t)
	if r.at[i] < t {
		r.at, r.used = slices.Insert(r.at, i+1, t), slices.Insert(r.used, i+1, r.used[i])
		i++
	}
	return i
}

// join removes a border between equal stretches.
func (r *room) join(i int) {
	if i > 0 && r.used[i-1] == r.used[i] {
		r.at, r.used = slices.Delete(r.at, i, i+1), slices.Delete(r.used, i, i+1)
	}
}

// insertion schedules one job after another. Each task begins as early as there is free machine time, between tasks of
// earlier jobs if it fits. No job delays an earlier one.
//
// Source: serial schedule generation, as in Kolisch, EJOR 1996.
func (e *engine) insertion(jobs []int32, within [][]int32) {
	e.begin()
	clear(e.done)
	e.room.reset(e.in.Nodes)
	begin := func(u int32, start model.Time) {
		e.start[u] = start
		end, j := start+e.in.Least[u], e.in.Job[u]
		e.done[j] = max(e.done[j], end)
		e.release(e.graph, u, end, false)
	}
	for _, u := range e.held {
		if e.in.Least[u] > 0 { // tasks of length 0 take no machine time
			e.room.take(e.in.Earliest[u], e.in.Least[u])
		}
		begin(u, e.in.Earliest[u])
	}
	for _, j := range jobs {
		for _, u := range within[j] {
			if e.isHeld == nil || !e.isHeld[u] {
				begin(u, e.room.take(e.ready[u], e.in.Least[u]))
			}
		}
	}
}

// begin prepares the release of tasks in topological order, without counting waiting predecessors.
func (e *engine) begin() {
	copy(e.ready, e.in.Earliest)
	copy(e.waiting[e.in.Tasks:], e.in.Preds[e.in.Tasks:])
}

// criticalFirst lists the tasks of each job by falling distance from their start to the job's end, each after its
// predecessors.
func criticalFirst(in *msjo.Instance) [][]int32 {
	lists := make([][]int32, in.Jobs)
	for j := range lists {
		lists[j] = slices.Collect(tasksOf(in, j))
		slices.SortStableFunc(lists[j], func(a, b int32) int {
			return cmp.Compare(in.Tail[b]+in.Least[b], in.Tail[a]+in.Least[a])
		})
	}
	return lists
}

// byDueTime lists the jobs by due time; ties: the lower index.
func byDueTime(jobs []int32, due []model.Time) {
	slices.SortFunc(jobs, func(a, b int32) int { return cmp.Or(cmp.Compare(due[a], due[b]), cmp.Compare(a, b)) })
}
