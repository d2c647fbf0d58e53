package campaign

import (
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/model/hta"
	"mrsched/model/reduceplace"
	"mrsched/model/shop"
)

// tries is how many ways to place tasks are tried.
const tries = 20_000

// optimum is the least cost of the schedules of a tiny instance, by trying everything; nil if there is too much to try,
// or the problem has no way here.
func optimum(view model.View, w *model.Workload) *big.Rat {
	switch in := view.(type) {
	case *hta.Instance:
		return assigned(in, in.Tasks, in.Servers, in.Schedule)
	case *reduceplace.Instance:
		return assigned(in, in.Tasks, in.Slots, func(at []int32) *model.Schedule {
			s := &model.Schedule{}
			for u, m := range at {
				j := in.JobOf(int32(u))
				s.Entries = append(s.Entries, model.Entry{Task: model.TaskIndex(u), Machine: m, Start: in.Start[j],
					End: in.End[j]})
			}
			return s
		})
	case *shop.Instance:
		x := &orders{w: w, goal: string(in.Stated()), earliest: in.Earliest, topo: in.Topo, first: in.SuccFirst,
			next: in.SuccStep, delay: in.SuccDelay}
		for u := range int32(in.Tasks) {
			if in.Fixed(u) {
				x.rows = append(x.rows, model.Entry{Task: model.TaskIndex(u), Machine: in.FixedNode(u),
					Start: in.FixedStart(u), End: in.FixedStart(u) + in.Least[u]})
			}
		}
		x.places = func(u int32, ready model.Time) []model.Entry { return onNodes(in, u, ready, x.rows) }
		if in.Identical {
			x.places = func(u int32, ready model.Time) []model.Entry { return onMachines(in, u, ready, x.rows) }
		}
		return x.optimum()
	}
	return nil
}

// onMachines is the row on the identical machine that is idle first.
func onMachines(in *shop.Instance, u int32, ready model.Time, rows []model.Entry) []model.Entry {
	idle := make([]model.Time, min(in.Nodes, in.Tasks))
	for _, e := range rows {
		idle[e.Machine] = max(idle[e.Machine], e.End)
	}
	m := slices.Index(idle, slices.Min(idle))
	return []model.Entry{{Machine: int32(m), Start: max(ready, idle[m]), End: max(ready, idle[m]) + in.Least[u]}}
}

// assigned tries every machine for every task.
func assigned(view model.View, tasks, machines int, schedule func(at []int32) *model.Schedule) (best *big.Rat) {
	ways := 1
	for range tasks {
		if ways *= machines; ways > tries {
			return nil
		}
	}
	at := make([]int32, tasks)
	for way := range ways {
		for u := range at {
			at[u] = int32(way % machines)
			way /= machines
		}
		s := schedule(at)
		if cost := view.Evaluate(s).Value; (best == nil || cost.Cmp(best) < 0) && len(view.Check(s)) == 0 {
			best = cost
		}
	}
	return best
}

// orders tries every order of the tasks, with each as early as possible on the machines worth trying. One of these
// schedules is optimal.
type orders struct {
	w        *model.Workload
	goal     string       // the objective
	earliest []model.Time // by step: tasks, then barriers
	topo     []int32      // the steps, each after its predecessors
	// The arcs out of step u are those from first[u] on, up to first[u+1].
	first, next []int32
	delay       []model.Time
	// places are the rows that are worth trying of a task that is ready at a time.
	places func(u int32, ready model.Time) []model.Entry

	rows  []model.Entry
	tried int
	best  *big.Rat
}

func (x *orders) optimum() *big.Rat {
	if x.place(); x.tried > tries {
		return nil
	}
	return x.best
}

func (x *orders) place() {
	if x.tried++; x.tried > tries {
		return
	}
	if len(x.rows) == len(x.w.Tasks) {
		if cost := costOf(x.w, x.goal, x.rows); x.best == nil || cost.Cmp(x.best) < 0 {
			x.best = cost
		}
		return
	}
	for u := range int32(len(x.w.Tasks)) {
		ready, ok := x.ready(u)
		if !ok {
			continue
		}
		for _, e := range x.places(u, ready) {
			e.Task = model.TaskIndex(u)
			x.rows = append(x.rows, e)
			x.place()
			x.rows = x.rows[:len(x.rows)-1]
		}
	}
}

// costOf is an objective of msjo or cluster as docs/certificates.md defines it, from the workload's own columns. It
// shares nothing with Evaluate.
func costOf(w *model.Workload, goal string, rows []model.Entry) *big.Rat {
	rat := func(millionths int64) *big.Rat { return big.NewRat(millionths, 1e6) }
	sum, last, done := new(big.Rat), new(big.Rat), make([]model.Time, len(w.Jobs))
	for _, e := range rows {
		t, end := &w.Tasks[e.Task], rat(int64(e.End))
		if done[t.Job] = max(done[t.Job], e.End); end.Cmp(last) > 0 {
			last = end
		}
		if goal == "twtct" {
			sum.Add(sum, end.Mul(end, rat(int64(t.Weight.Or(w.Jobs[t.Job].Weight)))))
		}
	}
	if goal == "makespan" {
		return last
	}
	for j := range w.Jobs {
		end, weight := rat(int64(done[j])), rat(int64(w.Jobs[j].Weight))
		late := new(big.Rat).Sub(end, rat(int64(w.Jobs[j].Release)+int64(w.Jobs[j].Deadline.Value)))
		tardy := w.Jobs[j].Deadline.Known && late.Sign() > 0
		switch {
		case goal == "twjct":
			sum.Add(sum, end.Mul(end, weight))
		case goal == "flowtime" && done[j] > w.Jobs[j].Release:
			sum.Add(sum, end.Mul(end.Sub(end, rat(int64(w.Jobs[j].Release))), weight))
		case goal == "late" && tardy:
			sum.Add(sum, weight)
		case goal == "tardiness" && tardy:
			sum.Add(sum, late.Mul(late, weight))
		}
	}
	return sum
}

// ready is the earliest start of a task by its predecessors; false if one of them is not placed, or the task is.
func (x *orders) ready(task int32) (at model.Time, ok bool) {
	end, known := slices.Clone(x.earliest), make([]bool, len(x.earliest))
	for u := len(x.w.Tasks); u < len(known); u++ {
		known[u] = true
	}
	for _, e := range x.rows {
		end[e.Task], known[e.Task] = e.End, true
	}
	if known[task] {
		return 0, false
	}
	at, ok = x.earliest[task], true
	for _, u := range x.topo {
		for k := x.first[u]; k < x.first[u+1]; k++ {
			switch to := x.next[k]; {
			case to == task:
				ok, at = ok && known[u], max(at, end[u]+x.delay[k])
			case int(to) >= len(x.w.Tasks): // a barrier
				known[to], end[to] = known[to] && known[u], max(end[to], end[u]+x.delay[k])
			}
		}
	}
	return at, ok
}

// onNodes places a task as early as it fits between rows, on each node.
func onNodes(in *shop.Instance, u int32, ready model.Time, rows []model.Entry) (list []model.Entry) {
	starts := []model.Time{ready}
	for _, e := range rows {
		starts = append(starts, max(ready, e.End))
	}
	for _, t := range in.AwayUntil {
		if t < shop.Never {
			starts = append(starts, max(ready, t))
		}
	}
	slices.Sort(starts)
	for i := range int32(in.Nodes) {
		if !in.Runs(u, i) {
			continue
		}
		for _, start := range starts {
			e := model.Entry{Machine: i, Start: start, End: start + in.Length(u, i)}
			if _, _, away := in.Away(i, e.Start, e.End); !away && roomFor(in, u, e, rows) {
				list = append(list, e)
				break
			}
		}
	}
	return list
}

// roomFor says whether a node, and each place above it, has what a task needs beside the other rows, at its start and
// whenever one of them starts.
func roomFor(in *shop.Instance, u int32, e model.Entry, rows []model.Entry) bool {
	fits := func(on func(i int32) bool, most func(r int) int64) bool {
		for _, at := range append(slices.Clone(rows), e) {
			if at.Start < e.Start || at.Start >= e.End && at.Start > e.Start {
				continue
			}
			sum := slices.Clone(in.Demands(u))
			for _, o := range rows {
				if on(o.Machine) && o.Start <= at.Start && at.Start < o.End && e.End > e.Start {
					for r, need := range in.Demands(int32(o.Task)) {
						sum[r] += need
					}
				}
			}
			for r := range sum {
				if sum[r] > most(r) {
					return false
				}
			}
		}
		return true
	}
	for _, g := range in.Groups {
		below := func(i int32) bool { return slices.Contains(g.Nodes, i) }
		if below(e.Machine) && !fits(below, func(r int) int64 {
			if r == int(g.Resource) {
				return g.Capacity
			}
			return shop.Unlimited
		}) {
			return false
		}
	}
	own := in.Capacities(in.Class[e.Machine])
	return fits(func(i int32) bool { return i == e.Machine }, func(r int) int64 { return own[r] })
}
