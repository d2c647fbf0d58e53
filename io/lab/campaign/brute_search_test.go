package campaign

import (
	"math/big"
	"slices"
)

// search tries all orders of tasks on all given machines, each task as early as possible. If the objective never falls
// when a task ends later, one of these schedules is optimal.
type search struct {
	tasks, machines int
	before          [][]arc // by task
	release         []int64
	length          func(task, machine int) int64 // negative: it cannot run there
	allowed         func(at []int, task, machine int) bool
	alike           bool // machines
	cost            func(end []int64) *big.Int

	at        []int // by task: its machine; −1: not placed
	end, free []int64
	best      *big.Int
}

// arc says that a task starts so long after another's end.
type arc struct {
	from  int
	delay int64
}

func (x *search) run() *big.Int {
	x.at, x.end, x.free = slices.Repeat([]int{-1}, x.tasks), make([]int64, x.tasks), make([]int64, x.machines)
	x.place(0)
	return x.best
}

func (x *search) place(done int) {
	if done == x.tasks {
		if c := x.cost(x.end); x.best == nil || c.Cmp(x.best) < 0 {
			x.best = c
		}
		return
	}
	for u := range x.tasks {
		ready := x.release[u]
		if x.at[u] >= 0 || slices.ContainsFunc(x.before[u], func(a arc) bool { return x.at[a.from] < 0 }) {
			continue
		}
		for _, a := range x.before[u] {
			ready = max(ready, x.end[a.from]+a.delay)
		}
		for _, m := range x.choices(u, ready) {
			was := x.free[m]
			x.at[u], x.end[u] = m, max(ready, was)+x.length(u, m)
			x.free[m] = x.end[u]
			x.place(done + 1)
			x.at[u], x.free[m] = -1, was
		}
	}
}

// choices are the machines worth trying: of identical ones, only the one that idles least before the task.
func (x *search) choices(u int, ready int64) (list []int) {
	for m := range x.machines {
		if x.length(u, m) >= 0 && (x.allowed == nil || x.allowed(x.at, u, m)) {
			list = append(list, m)
		}
	}
	if !x.alike || len(list) == 0 {
		return list
	}
	best := list[0]
	for _, m := range list[1:] {
		a, b := max(ready, x.free[m]), max(ready, x.free[best])
		if a < b || a == b && x.free[m] > x.free[best] {
			best = m
		}
	}
	return []int{best}
}
