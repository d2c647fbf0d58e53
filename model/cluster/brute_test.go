package cluster

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"mrsched/model"
)

// tiny draws an instance with any of the features, whose optimum brute force finds. Times are a few microseconds.
func tiny(t testing.TB, r *rand.Rand, tasks int) *Instance {
	t.Helper()
	for {
		b := drawTiny(r, tasks)
		w, err := b.Build()
		if err != nil {
			continue // a cycle
		}
		if in, err := New(w); err == nil {
			return in.Under(Objective(Objectives()[r.IntN(4)]))
		}
	}
}

func drawTiny(r *rand.Rand, tasks int) *model.Builder {
	b, at := model.NewBuilder(), model.Locus{}
	chance := func(p float64) bool { return r.Float64() < p }
	nodes := 1 + r.IntN(3)
	node := func() string { return fmt.Sprintf("n%d", r.IntN(nodes)) }
	bare, slots, named := chance(0.25), chance(0.3), chance(0.3)
	b.Node(model.Node{ID: "rack", Kind: model.RackNode, Bandwidth: model.Some(1e6)}, "", at)
	for i := range nodes {
		n := model.Node{ID: fmt.Sprintf("n%d", i), Kind: model.HostNode}
		if chance(0.4) {
			n.Speed = model.Some(float64(1+r.IntN(3)) / 2)
		}
		if !bare {
			n.CPU = model.Some(float64(2 + r.IntN(3)))
			if chance(0.5) {
				n.MemoryBytes = model.Some(model.Bytes(4 + r.IntN(5)))
			}
			if slots {
				n.MapSlots, n.ReduceSlots = 1+r.Int64N(2), 1+r.Int64N(2)
			}
		}
		b.Node(n, "rack", at)
		if named && !bare {
			b.Capacity(model.Capacity{Resource: "gpu", Amount: model.Amount(2+r.IntN(3)) * model.UnitAmount}, n.ID, at)
		}
		if chance(0.2) {
			from := model.Time(r.IntN(6))
			b.Unavailable(model.Unavailable{From: from, Until: model.Some(from + 1 + model.Time(r.IntN(4)))}, n.ID, at)
		}
	}
	jobs := 1 + r.IntN(min(3, tasks))
	for j := range jobs {
		job := model.Job{ID: fmt.Sprintf("j%d", j), Weight: model.UnitWeight * model.Weight(r.IntN(4))}
		if chance(0.3) {
			job.Release = model.Time(r.IntN(5))
		}
		if chance(0.7) {
			job.Deadline = model.Some(model.Time(1 + r.IntN(10)))
		}
		b.Job(job, at)
		if j > 0 && chance(0.25) {
			b.Dependency(job.ID, fmt.Sprintf("j%d", r.IntN(j)), model.Time(r.IntN(3)), at)
		}
		if chance(0.1) {
			b.Eligible(job.ID, "", node(), at)
		}
	}
	delays := chance(0.5)
	for u := range tasks {
		j := r.IntN(jobs)
		if u < jobs {
			j = u
		}
		task := model.Task{ID: fmt.Sprintf("t%d", u), Kind: model.TaskKind(r.IntN(2)),
			Processing: model.Some(model.Time(r.IntN(6))), ShuffleDelay: model.Time(r.IntN(2))}
		if chance(0.8) {
			task.CPU = model.Some(float64(r.IntN(9)) / 2)
		}
		if chance(0.5) {
			task.MemoryBytes = model.Some(model.Bytes(r.IntN(8)))
		}
		if chance(0.2) {
			task.Release = model.Some(model.Time(r.IntN(6)))
		}
		b.Task(task, fmt.Sprintf("j%d", j), "", at)
		if named && !bare && chance(0.6) {
			b.Demand(model.TaskDemand{Resource: "gpu", Amount: model.Amount(r.IntN(4)) * model.UnitAmount}, task.ID, at)
		}
		if delays && u >= jobs && chance(0.5) {
			b.Delay(fmt.Sprintf("t%d", j), task.ID, model.Time(r.IntN(3)), at)
		}
		if chance(0.1) {
			b.Eligible("", task.ID, node(), at)
		}
		if chance(0.1) {
			b.FixedTask(task.ID, node(), model.Time(r.IntN(4)-2), at)
		}
		if chance(0.15) {
			for i := range nodes {
				if chance(0.8) {
					b.GivenTime(model.GivenTime{Task: task.ID, Time: model.Time(1 + r.IntN(6))}, fmt.Sprintf("j%d", j),
						fmt.Sprintf("n%d", i), at)
				}
			}
		}
	}
	return b
}

// naive enumerates the schedules that place one task after the other, in every order and on every node, each as early
// as possible. One of them is optimal.
type naive struct {
	in     *Instance
	placed []model.Entry
	end    []model.Time // by step
	done   []bool       // by task
	least  *big.Int
}

// optimum is the least cost of a schedule in the objective's integers; nil if there is none.
func optimum(in *Instance) *big.Int {
	n := &naive{in: in, done: make([]bool, in.Tasks)}
	for u := range int32(in.Tasks) {
		if in.Fixed(u) {
			n.done[u] = true
			n.placed = append(n.placed, model.Entry{Task: model.TaskIndex(u), Machine: in.FixedNode[u],
				Start: in.FixedStart[u], End: in.FixedStart[u] + in.Least[u]})
		}
	}
	n.search()
	return n.least
}

func (n *naive) search() {
	in, left := n.in, false
	for u := range int32(in.Tasks) {
		if n.done[u] {
			continue
		}
		left = true
		ready, ok := n.ready(u)
		if !ok {
			continue
		}
		for i := range int32(in.Nodes) {
			if !in.Runs(u, i) {
				continue
			}
			s, ok := n.earliest(u, i, ready)
			if !ok {
				continue
			}
			n.done[u] = true
			n.placed = append(n.placed, model.Entry{Task: model.TaskIndex(u), Machine: i, Start: s, End: s + in.Length(u, i)})
			n.search()
			n.placed = n.placed[:len(n.placed)-1]
			n.done[u] = false
		}
	}
	if left {
		return
	}
	if cost := in.Cost(in.Objective, in.Completions(&model.Schedule{Entries: n.placed})); n.least == nil ||
		cost.Cmp(n.least) < 0 {
		n.least = cost
	}
}

// ready is when the steps before a task let it start; ok is false if one of them is not placed.
func (n *naive) ready(u int32) (ready model.Time, ok bool) {
	in := n.in
	end := make([]model.Time, in.Steps)
	known := make([]bool, in.Steps)
	for _, e := range n.placed {
		end[e.Task], known[e.Task] = e.End, true
	}
	for x := in.Tasks; x < in.Steps; x++ {
		known[x], end[x] = true, in.Earliest[x]
	}
	ready, ok = in.Earliest[u], true
	for _, a := range in.Topo {
		for k := in.SuccFirst[a]; k < in.SuccFirst[a+1]; k++ {
			b := in.SuccStep[k]
			if b == u {
				ok = ok && known[a]
				ready = max(ready, end[a]+in.SuccDelay[k])
			} else if int(b) >= in.Tasks {
				known[b] = known[b] && known[a]
				end[b] = max(end[b], end[a]+in.SuccDelay[k])
			}
		}
	}
	return ready, ok
}

// earliest tries every time until all that is placed or away has ended.
func (n *naive) earliest(u, i int32, ready model.Time) (model.Time, bool) {
	in, length, last := n.in, n.in.Length(u, i), ready
	for _, e := range n.placed {
		last = max(last, e.End)
	}
	for _, t := range in.AwayUntil {
		if t < Never {
			last = max(last, t)
		}
	}
	for s := ready; s <= last; s++ {
		if _, _, away := in.Away(i, s, s+length); !away && n.fits(u, i, s, s+length) {
			return s, true
		}
	}
	return 0, false
}

func (n *naive) fits(u, i int32, from, until model.Time) bool {
	in := n.in
	for t := from; t < until; t++ {
		for r, c := range in.Capacities(in.Class[i]) {
			sum := in.Demands(u)[r]
			for _, e := range n.placed {
				if e.Machine == i && e.Start <= t && t < e.End {
					sum += in.Demands(int32(e.Task))[r]
				}
			}
			if sum > c {
				return false
			}
		}
	}
	return true
}
