package reduceplace

import (
	"cmp"
	"container/heap"
	"context"
	"slices"

	"mrsched/model/reduceplace"
)

// policy chooses slots for the reduces of jobs, one job after another, without knowing later ones.
type policy interface {
	// choose appends the slots for a job's reduces to list, the cheapest first; they are free, and as many as it has
	// reduces are.
	choose(list []int32, job int32, free *freeSlots) []int32
}

// watcher is a policy that wants to know what became of its choices.
type watcher interface {
	// placed tells the slots of a job that starts, departed that it ended and its slots are free again.
	placed(job int32, slots []int32)
	departed(job int32)
}

// ends is a heap of jobs by their end.
type ends struct {
	in  *reduceplace.Instance
	job []int32
}

func (e *ends) Len() int { return len(e.job) }
func (e *ends) Less(i, k int) bool {
	return cmp.Or(cmp.Compare(e.in.End[e.job[i]], e.in.End[e.job[k]]), cmp.Compare(e.job[i], e.job[k])) < 0
}
func (e *ends) Swap(i, k int) { e.job[i], e.job[k] = e.job[k], e.job[i] }
func (e *ends) Push(x any)    { e.job = append(e.job, x.(int32)) }
func (e *ends) Pop() any {
	last := e.job[len(e.job)-1]
	e.job = e.job[:len(e.job)-1]
	return last
}

// checkEvery is how many jobs are placed between looks at the context.
const checkEvery = 1024

// play runs a policy over all jobs, in the order of their starts, and returns the slot by task. If ctx ends first, the
// other jobs get the cheapest free slots, and stopped is true.
func play(ctx context.Context, in *reduceplace.Instance, p policy, report func(done, total int)) (slot []int32,
	stopped bool) {
	slot = make([]int32, in.Tasks)
	free := newFreeSlots(in.Slots)
	running := &ends{in: in}
	w, watches := p.(watcher)
	var list []int32
	for k, job := range in.Order {
		if k%checkEvery == 0 {
			if report(k, in.Jobs); ctx.Err() != nil && !stopped {
				p, watches, stopped = inRanks{greedy{in}, in}, false, true
			}
		}
		for running.Len() > 0 && in.End[running.job[0]] <= in.Start[job] {
			j := heap.Pop(running).(int32)
			for t := in.First[j]; t < in.First[j+1]; t++ {
				free.release(slot[t])
			}
			if watches {
				w.departed(j)
			}
		}
		list = p.choose(list[:0], job, free)
		for _, s := range list {
			free.take(s)
		}
		if watches {
			w.placed(job, list)
		}
		hand(in, job, list, slot)
		heap.Push(running, job)
	}
	return slot, stopped
}

// hand gives a job's reduces their slots: where they are known to fetch different amounts, the largest gets the
// cheapest slot (Hardy's lemma), else they are equal.
func hand(in *reduceplace.Instance, job int32, list, slot []int32) {
	if !in.Uneven(job) {
		copy(slot[in.First[job]:in.First[job+1]], list)
		return
	}
	tasks := make([]int32, len(list))
	for k := range tasks {
		tasks[k] = in.First[job] + int32(k)
	}
	slices.SortStableFunc(tasks, func(a, b int32) int {
		x, _ := in.Data(job, a)
		y, _ := in.Data(job, b)
		return cmp.Compare(y, x)
	})
	for k, t := range tasks {
		slot[t] = list[k]
	}
}
