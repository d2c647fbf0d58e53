package shop

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"mrsched/model"
)

// tiny draws an instance with random features, small enough for brute force. Times are a few microseconds.
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

// drawing draws rows of an instance.
type drawing struct {
	*rand.Rand
	b                         *model.Builder
	nodes, jobs               int
	bare, slots, named, delay bool
	shared                    bool // racks state seats
}

func (d *drawing) chance(p float64) bool { return d.Float64() < p }

func (d *drawing) node() string { return fmt.Sprintf("n%d", d.IntN(d.nodes)) }

func drawTiny(r *rand.Rand, tasks int) *model.Builder {
	d := &drawing{Rand: r, b: model.NewBuilder(), nodes: 1 + r.IntN(3), jobs: 1 + r.IntN(min(3, tasks))}
	d.bare, d.slots, d.named, d.delay = d.chance(0.25), d.chance(0.3), d.chance(0.3), d.chance(0.5)
	d.shared = d.chance(0.3)
	d.b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
	d.b.Node(model.Node{ID: "rack", Kind: model.RackNode, Bandwidth: model.Some(1e6)}, "root", model.Locus{})
	d.b.Node(model.Node{ID: "side", Kind: model.RackNode}, "root", model.Locus{})
	for _, place := range []string{"root", "rack", "side", "n0"} {
		if d.shared && d.chance(0.6) {
			d.b.Capacity(model.Capacity{Resource: "seat", Amount: model.Amount(1+d.IntN(3)) * model.UnitAmount}, place,
				model.Locus{})
		}
	}
	for i := range d.nodes {
		d.drawNode(fmt.Sprintf("n%d", i))
	}
	for j := range d.jobs {
		d.drawJob(j)
	}
	for u := range tasks {
		d.drawTask(u)
	}
	return d.b
}

func (d *drawing) drawNode(id string) {
	n, at := model.Node{ID: id, Kind: model.HostNode}, model.Locus{}
	if d.chance(0.4) {
		n.Speed = model.Some(float64(1+d.IntN(3)) / 2)
	}
	if !d.bare {
		n.CPU = model.Some(float64(2 + d.IntN(3)))
		if d.chance(0.5) {
			n.MemoryBytes = model.Some(model.Bytes(4 + d.IntN(5)))
		}
		if d.slots {
			n.MapSlots, n.ReduceSlots = 1+d.Int64N(2), 1+d.Int64N(2)
		}
	}
	d.b.Node(n, []string{"rack", "side"}[d.IntN(2)], at)
	if d.named && !d.bare {
		d.b.Capacity(model.Capacity{Resource: "gpu", Amount: model.Amount(2+d.IntN(3)) * model.UnitAmount}, id, at)
	}
	if d.chance(0.2) {
		from := model.Time(d.IntN(6))
		d.b.Unavailable(model.Unavailable{From: from, Until: model.Some(from + 1 + model.Time(d.IntN(4)))}, id, at)
	}
}

func (d *drawing) drawJob(j int) {
	job, at := model.Job{ID: fmt.Sprintf("j%d", j), Weight: model.UnitWeight * model.Weight(d.IntN(4))}, model.Locus{}
	if d.chance(0.3) {
		job.Release = model.Time(d.IntN(5))
	}
	if d.chance(0.7) {
		job.Deadline = model.Some(model.Time(1 + d.IntN(10)))
	}
	d.b.Job(job, at)
	if j > 0 && d.chance(0.25) {
		d.b.Dependency(job.ID, fmt.Sprintf("j%d", d.IntN(j)), model.Time(d.IntN(3)), at)
	}
	if d.chance(0.1) {
		d.b.Eligible(job.ID, "", d.node(), at)
	}
}

func (d *drawing) drawTask(u int) {
	at, j := model.Locus{}, d.IntN(d.jobs)
	if u < d.jobs {
		j = u
	}
	job := fmt.Sprintf("j%d", j)
	task := model.Task{ID: fmt.Sprintf("t%d", u), Kind: model.TaskKind(d.IntN(2)),
		Processing: model.Some(model.Time(d.IntN(6))), ShuffleDelay: model.Time(d.IntN(2))}
	if d.chance(0.8) {
		task.CPU = model.Some(float64(d.IntN(9)) / 2)
	}
	if d.chance(0.5) {
		task.MemoryBytes = model.Some(model.Bytes(d.IntN(8)))
	}
	if d.chance(0.2) {
		task.Release = model.Some(model.Time(d.IntN(6)))
	}
	d.b.Task(task, job, "", at)
	if d.named && !d.bare && d.chance(0.6) {
		d.b.Demand(model.TaskDemand{Resource: "gpu", Amount: model.Amount(d.IntN(4)) * model.UnitAmount}, task.ID, at)
	}
	if d.shared && d.chance(0.6) {
		d.b.Demand(model.TaskDemand{Resource: "seat", Amount: model.Amount(d.IntN(3)) * model.UnitAmount}, task.ID, at)
	}
	if d.delay && u >= d.jobs && d.chance(0.5) {
		d.b.Delay(fmt.Sprintf("t%d", j), task.ID, model.Time(d.IntN(3)), at)
	}
	if u > 0 && d.chance(0.15) { // mostly to a task of another job
		from, to := fmt.Sprintf("t%d", d.IntN(u)), task.ID
		if d.chance(0.5) {
			from, to = to, from
		}
		d.b.Delay(from, to, model.Time(d.IntN(3)), at)
	}
	if d.chance(0.1) {
		d.b.Eligible("", task.ID, d.node(), at)
	}
	if d.chance(0.1) {
		d.b.FixedTask(task.ID, d.node(), model.Time(d.IntN(4)-2), at)
	}
	if d.chance(0.15) {
		for i := range d.nodes {
			if d.chance(0.8) {
				d.b.GivenTime(model.GivenTime{Task: task.ID, Time: model.Time(1 + d.IntN(6))}, job, fmt.Sprintf("n%d", i), at)
			}
		}
	}
}

// naive enumerates the schedules that place one task after the other, in every order and on every node, each as early
// as possible. One of them is optimal.
type naive struct {
	in     *Instance
	placed []model.Entry
	done   []bool // by task
	least  *big.Int
}

// optimum is the least cost of a schedule in the objective's integers; nil if there is none.
func optimum(in *Instance) *big.Int {
	n := &naive{in: in, done: make([]bool, in.Tasks)}
	for u := range int32(in.Tasks) {
		if in.Fixed(u) {
			n.done[u] = true
			n.placed = append(n.placed, model.Entry{Task: model.TaskIndex(u), Machine: in.FixedNode(u),
				Start: in.FixedStart(u), End: in.FixedStart(u) + in.Least[u]})
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

// ready is the earliest start of a task by its predecessors; ok is false if one of them is not placed.
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

// earliest tries every time until the last placed task or absence ends.
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
			if n.sum(u, t, func(v int32) int64 { return in.Demands(v)[r] }, func(k int32) bool { return k == i }) > c {
				return false
			}
		}
		for _, g := range in.Above(i) {
			x := &in.Groups[g]
			if n.sum(u, t, func(v int32) int64 { return in.Part(v, g) }, func(k int32) bool {
				return slices.Contains(x.Nodes, k)
			}) > x.Capacity {
				return false
			}
		}
	}
	return true
}

// sum is what task u takes, and what tasks take that run at a time on some nodes.
func (n *naive) sum(u int32, t model.Time, takes func(u int32) int64, on func(i int32) bool) int64 {
	sum := takes(u)
	for _, e := range n.placed {
		if on(e.Machine) && e.Start <= t && t < e.End {
			sum += takes(int32(e.Task))
		}
	}
	return sum
}
