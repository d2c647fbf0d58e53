package shop

import (
	"cmp"
	"slices"

	"mrsched/model"
)

// aloneJob is a job without the others: tasks in topological order, times in units of their greatest common divisor.
type aloneJob struct {
	n, m       int
	unit       model.Time
	tasks      []int32 // numbers in the instance
	p          []int64
	succ, pred [][]aloneArc // sorted by task
	// head and tail are the least times before a task begins and after it ends. They count paths and the work of
	// predecessors or successors.
	head, tail []int64
}

// aloneArc makes a task begin at least a delay after another task ends.
type aloneArc struct {
	task  int32
	delay int64
}

func (in *Instance) tasksOf(job int32) (n int) {
	for _, u := range in.JobSteps(int(job)) {
		if int(u) < in.Tasks {
			n++
		}
	}
	return n
}

// newTimeUnit is the greatest common divisor of a job's times, at least 1.
func newTimeUnit(in *Instance, job int32) (unit model.Time) {
	for _, u := range in.JobSteps(int(job)) {
		unit = model.GCD(model.GCD(in.Least[u], in.Earliest[u]), unit)
		for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
			unit = model.GCD(in.SuccDelay[a], unit)
		}
	}
	return max(unit, 1)
}

func newAloneJob(in *Instance, job int32) *aloneJob {
	a := &aloneJob{unit: newTimeUnit(in, job)}
	place := map[int32]int32{}
	for _, u := range in.JobSteps(int(job)) {
		if int(u) < in.Tasks {
			place[u] = int32(len(a.tasks))
			a.tasks = append(a.tasks, u)
		}
	}
	a.n = len(a.tasks)
	a.m = min(in.Nodes, a.n)
	a.p, a.head, a.tail = make([]int64, a.n), make([]int64, a.n), make([]int64, a.n)
	a.succ, a.pred = make([][]aloneArc, a.n), make([][]aloneArc, a.n)
	for k, u := range a.tasks {
		a.p[k], a.head[k] = int64(in.Least[u]/a.unit), int64(in.Head[u]/a.unit)
		in.followers(u, 0, func(v int32, delay model.Time) {
			a.succ[k] = append(a.succ[k], aloneArc{place[v], int64(delay / a.unit)})
		})
		a.succ[k] = sortedArcs(a.succ[k])
		for _, arc := range a.succ[k] {
			a.pred[arc.task] = append(a.pred[arc.task], aloneArc{int32(k), arc.delay})
		}
	}
	a.raiseHeads()
	return a
}

// followers visits the tasks that wait for a node, through barriers.
func (in *Instance) followers(u int32, delay model.Time, visit func(v int32, delay model.Time)) {
	for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
		if v := in.SuccStep[a]; int(v) < in.Tasks {
			visit(v, delay+in.SuccDelay[a])
		} else {
			in.followers(v, delay+in.SuccDelay[a], visit)
		}
	}
}

// sortedArcs sorts arcs by task and keeps the longest of several to the same one.
func sortedArcs(arcs []aloneArc) []aloneArc {
	slices.SortFunc(arcs, func(a, b aloneArc) int {
		return cmp.Or(cmp.Compare(a.task, b.task), cmp.Compare(b.delay, a.delay))
	})
	return slices.CompactFunc(arcs, func(a, b aloneArc) bool { return a.task == b.task })
}

// reversed is the job with time running backwards: predecessors become successors.
func (a *aloneJob) reversed() *aloneJob {
	b := &aloneJob{n: a.n, m: a.m, unit: a.unit, p: reversed(a.p), head: make([]int64, a.n)}
	turn := func(lists [][]aloneArc) [][]aloneArc {
		turned := make([][]aloneArc, a.n)
		for k, list := range lists {
			to := make([]aloneArc, len(list))
			for i, arc := range list {
				to[len(list)-1-i] = aloneArc{int32(a.n-1) - arc.task, arc.delay}
			}
			turned[a.n-1-k] = to
		}
		return turned
	}
	b.succ, b.pred = turn(a.pred), turn(a.succ)
	b.raiseHeads()
	return b
}

func reversed(list []int64) []int64 {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// raiseHeads computes the heads, task by task. Take the predecessors of v that have heads of at least a and at least q
// from their end to v. They have to run between a and v's begin less q.
func (a *aloneJob) raiseHeads() {
	far := make([]int64, a.n) // longest path from the end of a task to v; negative: there is none
	for v := range a.n {
		for u := range far {
			far[u] = -1
		}
		var before []int32
		for u := v; u >= 0; u-- {
			var from int64
			if u != v {
				if far[u] < 0 {
					continue
				}
				before = append(before, int32(u))
				from = far[u] + a.p[u]
			}
			for _, arc := range a.pred[u] {
				far[arc.task] = max(far[arc.task], from+arc.delay)
			}
		}
		slices.SortStableFunc(before, func(x, y int32) int { return cmp.Compare(far[y], far[x]) })
		a.head[v] = max(a.head[v], a.worked(before, far))
	}
}

// least is a bound on the end of the job.
func (a *aloneJob) least() int64 {
	list := make([]int32, a.n)
	for u := range list {
		list[u] = int32(u)
	}
	slices.SortStableFunc(list, func(x, y int32) int { return cmp.Compare(a.tail[y], a.tail[x]) })
	return a.worked(list, a.tail)
}

// worked is the least time by which the tasks have ended and their distances have passed. Tasks are sorted by falling
// distance.
func (a *aloneJob) worked(tasks []int32, far []int64) (end int64) {
	for i, x := range tasks {
		from := a.head[x]
		end = max(end, from+a.p[x]+far[x])
		if slices.ContainsFunc(tasks[:i], func(y int32) bool { return a.head[y] == from }) {
			continue
		}
		var work int64
		for _, u := range tasks {
			if a.head[u] >= from {
				work += a.p[u]
				end = max(end, from+(work+int64(a.m)-1)/int64(a.m)+far[u])
			}
		}
	}
	return end
}

// most is a time by which the job ends in any schedule without needless waiting.
func (a *aloneJob) most() (end int64) {
	for u, p := range a.p {
		var delay int64
		for _, arc := range a.pred[u] {
			delay = max(delay, arc.delay)
		}
		end += p + delay
	}
	return end + slices.Max(a.head)
}

// inOrder starts the tasks in the order of some start times, each as early as possible. None starts later.
func (a *aloneJob) inOrder(start []int64) []int64 {
	order := make([]int32, a.n)
	for u := range order {
		order[u] = int32(u)
	}
	slices.SortStableFunc(order, func(u, v int32) int { // tasks of length 0 first: they take no machine time
		return cmp.Or(cmp.Compare(start[u], start[v]), cmp.Compare(min(a.p[u], 1), min(a.p[v], 1)))
	})
	ready, idle := slices.Clone(a.head), make([]int64, a.m)
	for _, u := range order {
		k := 0
		for i := range idle {
			if idle[i] < idle[k] {
				k = i
			}
		}
		ready[u] = max(ready[u], idle[k])
		idle[k] = ready[u] + a.p[u]
		for _, arc := range a.succ[u] {
			ready[arc.task] = max(ready[arc.task], idle[k]+arc.delay)
		}
	}
	return ready
}
