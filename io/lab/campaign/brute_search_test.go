package campaign

import (
	"cmp"
	"math/big"
	"slices"
)

// search tries all orders of tasks on all given machines, each task as early as possible. If the objective never falls
// when a task ends later, one of these schedules is optimal.
type search struct {
	tasks    []searchTask
	machines int
	names    []string // of machines
	alike    bool     // machines
	allowed  func(rows []entry) bool
	cost     func(rows []entry) *big.Rat

	rows []entry
	free []int64 // by machine
	best *big.Rat
}

type searchTask struct {
	id      string
	release int64
	before  []naiveArc
	length  func(machine int) int64 // negative: it cannot run there
}

func (x *search) run() *big.Rat {
	x.free = make([]int64, x.machines)
	x.place()
	return x.best
}

func (x *search) place() {
	if len(x.rows) == len(x.tasks) {
		if c := x.cost(x.rows); x.best == nil || c.Cmp(x.best) < 0 {
			x.best = c
		}
		return
	}
	end := map[string]int64{}
	for _, e := range x.rows {
		end[e.task] = e.until
	}
	for k := range x.tasks {
		t := &x.tasks[k]
		isOpen := func(a naiveArc) bool { _, done := end[a.from]; return !done }
		if _, done := end[t.id]; done || slices.ContainsFunc(t.before, isOpen) {
			continue
		}
		ready := t.release
		for _, a := range t.before {
			ready = max(ready, end[a.from]+a.delay)
		}
		for _, m := range x.choices(t, ready) {
			was := x.free[m]
			e := entry{task: t.id, until: max(ready, was) + t.length(m)}
			if x.names != nil {
				e.machine = x.names[m]
			}
			x.rows = append(x.rows, e)
			if x.allowed == nil || x.allowed(x.rows) {
				x.free[m] = e.until
				x.place()
			}
			x.rows, x.free[m] = x.rows[:len(x.rows)-1], was
		}
	}
}

// choices are the machines worth trying: of identical ones, only the one that idles least before the task.
func (x *search) choices(t *searchTask, ready int64) (list []int) {
	for m := range x.machines {
		if t.length(m) >= 0 {
			list = append(list, m)
		}
	}
	if !x.alike || len(list) == 0 {
		return list
	}
	return []int{slices.MinFunc(list, func(m, k int) int {
		return cmp.Or(cmp.Compare(max(ready, x.free[m]), max(ready, x.free[k])), cmp.Compare(x.free[k], x.free[m]))
	})}
}
