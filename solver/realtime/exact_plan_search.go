package realtime

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver/search"
)

// planProof searches for a schedule in which all of some jobs are on time, depth first.
//
// Among those schedules take one with the least Φ, the sum of starts, and list its tasks by start, a map before its
// job's partitions. Each task starts as soon as its job's maps and its slot allow, or Φ could be smaller. So a task is
// appended only at that time, and no earlier than the one appended last. Of identical tasks of a job the first goes
// first; of identical slots the first is used.
//
// A node is cut if some task can no longer end by its latest time, if the least times of the tasks that must end by
// some time exceed the time that slots have until then, or if an explored node dominates it: that one has placed the
// same tasks, its slots are free no later, its jobs' partitions are ready no later and have used the same slots, and
// its Φ is no larger. Completing the dominating node with the starts of this one gives a Φ no larger, and so the least;
// the argument then continues from that node. It ends because each time a longer part of the schedule has been
// explored.
//
// Complexity: exponential.
type planProof struct {
	*planSubsets
	own     []int32               // the jobs
	tasks   []proofTask           // their maps and the partitions of all their sets
	mapsOf  []uint64              // by job: its maps
	setsOf  [][]uint64            // by job: its sets of partitions
	byTime  []int                 // tasks by latest end
	slotsOf [][]int32             // by kind
	class   []int32               // by slot: the first on which every task takes the same
	entries []model.Entry         // so far
	found   []model.Entry         // of the complete schedule
	memo    map[uint64][]planNode // by tasks placed: only such nodes can be compared
	size    int                   // of the memo
	stopped bool
}

type proofTask struct {
	task          int32
	job           int32 // its position in own
	kind          model.TaskKind
	latest, least model.Time // its latest end, its least time
	twin          int        // the task before it that is identical, or −1
	set           int        // its set's position among its job's; −1: a map
}

// planMemo bounds the number of remembered nodes.
const planMemo = 1 << 18

type planNode struct {
	placed uint64
	last   model.Time   // start of the latest task
	starts model.Wide   // Φ
	free   []model.Time // by slot
	ready  []model.Time // by job: when its partitions may start, as far as known
	set    []int8       // by job; −1: none chosen
	used   []uint64     // by job: slots of its partitions
}

func newPlanProof(x *planSubsets, jobs []int32) *planProof {
	in := x.in
	p := &planProof{planSubsets: x, own: jobs, mapsOf: make([]uint64, len(jobs)), setsOf: make([][]uint64, len(jobs)),
		slotsOf: [][]int32{in.MapSlots, in.ReduceSlots}, class: make([]int32, in.Slots), memo: map[uint64][]planNode{}}
	for i, j := range jobs {
		for t := in.FirstMap[j]; t < in.FirstMap[j+1]; t++ {
			p.mapsOf[i] |= p.add(t, int32(i), -1)
		}
		for k, s := range in.SetsOf(j) {
			p.setsOf[i] = append(p.setsOf[i], 0)
			for t := s.First; t < s.First+s.Count; t++ {
				p.setsOf[i][k] |= p.add(t, int32(i), k)
			}
		}
	}
	for k := range p.tasks {
		p.byTime = append(p.byTime, k)
	}
	sortBy(p.byTime, func(k int) model.Time { return p.tasks[k].latest })
	for kind, slots := range p.slotsOf {
		for at, s := range slots {
			p.class[s] = s
			same := func(o int32) bool { return p.interchangeable(model.TaskKind(kind), o, s) }
			if k := slices.IndexFunc(slots[:at], same); k >= 0 {
				p.class[s] = slots[k]
			}
		}
	}
	return p
}

// interchangeable says that every task of a kind takes equally long on two slots.
func (p *planProof) interchangeable(kind model.TaskKind, a, b int32) bool {
	v, w := p.in.WorkerOf[a], p.in.WorkerOf[b]
	return !slices.ContainsFunc(p.tasks, func(x proofTask) bool {
		return x.kind == kind && v != w && p.in.Time(x.task, v) != p.in.Time(x.task, w)
	})
}

// add numbers a task and returns its bit.
func (p *planProof) add(t, job int32, set int) uint64 {
	in := p.in
	x := proofTask{task: t, job: job, kind: in.KindOf(t), latest: p.tail(t), least: in.Least(t), twin: -1, set: set}
	for k, o := range slices.Backward(p.tasks) {
		if o.job == job && o.set == set && in.Alike(t, o.task) && in.ReleaseOf(t) == in.ReleaseOf(o.task) &&
			(!in.IsMap(t) || in.Shuffle[t] == in.Shuffle[o.task]) {
			x.twin = k
			break
		}
	}
	p.tasks = append(p.tasks, x)
	return 1 << (len(p.tasks) - 1)
}

// search looks for a schedule; false: a limit or ctx ended it.
func (p *planProof) search(ctx context.Context) bool {
	root := planNode{free: make([]model.Time, p.in.Slots), ready: make([]model.Time, len(p.own)),
		set: make([]int8, len(p.own)), used: make([]uint64, len(p.own))}
	for i, j := range p.own {
		root.ready[i], root.set[i] = p.in.Release[j], -1
	}
	p.visit(ctx, &root)
	return p.found != nil || !p.stopped
}

// left are the tasks of a job that are not placed: its maps, and the partitions of the chosen set or, if none is, of
// all.
func (p *planProof) left(n *planNode, i int) (maps, parts uint64) {
	maps = p.mapsOf[i] &^ n.placed
	if n.set[i] >= 0 {
		return maps, p.setsOf[i][n.set[i]] &^ n.placed
	}
	for _, s := range p.setsOf[i] {
		parts |= s
	}
	return maps, parts
}

// planChild is one way to continue.
type planChild struct {
	task  int
	slot  int32
	start model.Time
}

// visit explores a node; true: a schedule was found, or a limit ended the search.
func (p *planProof) visit(ctx context.Context, n *planNode) bool {
	p.nodes++
	look := p.nodes%1024 == 0
	if p.nodes > p.limit || look && ctx.Err() != nil {
		p.stopped = true
		return true
	}
	if look {
		p.opt.Report(p.nodes, search.Known(p.limit))
	}
	var open uint64
	for i := range p.own {
		maps, parts := p.left(n, i)
		if open |= maps; maps == 0 {
			open |= parts
		}
	}
	if open == 0 {
		p.found = append([]model.Entry{}, p.entries...)
		return true
	}
	if !p.fits(n) || p.dominated(n) {
		return false
	}
	for _, c := range p.children(n, open) {
		next := p.after(n, c)
		p.entries = append(p.entries, model.Entry{Task: model.TaskIndex(p.tasks[c.task].task), Machine: c.slot,
			Start: c.start, End: next.free[c.slot]})
		if p.visit(ctx, &next) {
			return true
		}
		p.entries = p.entries[:len(p.entries)-1]
	}
	return false
}

// children lists what can be appended, the earliest start first, then the earliest latest end.
func (p *planProof) children(n *planNode, open uint64) (list []planChild) {
	for ; open != 0; open &= open - 1 {
		k := bits.TrailingZeros64(open)
		x := &p.tasks[k]
		if x.twin >= 0 && n.placed>>x.twin&1 == 0 {
			continue
		}
		ready, full := p.in.ReleaseOf(x.task), false
		if x.set >= 0 {
			ready = max(ready, n.ready[x.job])
			full = bits.OnesCount64(n.used[x.job]) >= int(p.in.Reducers[p.own[x.job]])
		}
		slots := p.slotsOf[x.kind]
		for at, s := range slots {
			start := max(ready, n.free[s])
			if start < n.last || start+p.in.Time(x.task, p.in.WorkerOf[s]) > x.latest || full && n.used[x.job]>>s&1 == 0 {
				continue
			}
			if !slices.ContainsFunc(slots[:at], func(o int32) bool { return p.same(n, o, s) }) {
				list = append(list, planChild{k, s, start})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b planChild) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(p.tasks[a.task].latest, p.tasks[b.task].latest))
	})
	return list
}

// same says that two slots of a kind are interchangeable in a node.
func (p *planProof) same(n *planNode, a, b int32) bool {
	if p.class[a] != p.class[b] || max(n.free[a], n.last) != max(n.free[b], n.last) {
		return false
	}
	return !slices.ContainsFunc(n.used, func(u uint64) bool { return u>>a&1 != u>>b&1 })
}

// after is the node that a child leads to.
func (p *planProof) after(n *planNode, c planChild) planNode {
	x := &p.tasks[c.task]
	next := planNode{placed: n.placed | 1<<c.task, last: c.start, starts: n.starts.Plus(model.Wide{Low: uint64(c.start)}),
		free: slices.Clone(n.free), ready: slices.Clone(n.ready), set: slices.Clone(n.set), used: slices.Clone(n.used)}
	end := c.start + p.in.Time(x.task, p.in.WorkerOf[c.slot])
	next.free[c.slot] = end
	if x.set < 0 {
		next.ready[x.job] = max(next.ready[x.job], end+p.in.Shuffle[x.task])
	} else {
		next.set[x.job] = int8(x.set)
		next.used[x.job] |= 1 << c.slot
	}
	return next
}

// fits says that every task by itself can still end in time, and that for any time the slots have room for the least
// times of the tasks that must end by then.
func (p *planProof) fits(n *planNode) bool {
	var must uint64 // tasks that will surely run
	for i := range p.own {
		maps, parts := p.left(n, i)
		must |= maps
		if n.set[i] >= 0 || len(p.setsOf[i]) == 1 {
			must |= parts
		}
	}
	var sum [2]model.Time
	for _, k := range p.byTime {
		if must>>k&1 == 0 {
			continue
		}
		x := &p.tasks[k]
		ready := max(n.last, p.in.ReleaseOf(x.task))
		if x.set >= 0 {
			ready = max(ready, n.ready[x.job], p.ready[model.Reduce][p.own[x.job]])
		}
		sum[x.kind] += x.least
		alone, room := realtime.NoDeadline, model.Time(0)
		for _, s := range p.slotsOf[x.kind] {
			alone = min(alone, max(ready, n.free[s])+p.in.Time(x.task, p.in.WorkerOf[s]))
			room = min(sum[x.kind], room+max(0, x.latest-max(n.last, n.free[s])))
		}
		if alone > x.latest || sum[x.kind] > room {
			return false
		}
	}
	return true
}

// dominated says whether an explored node dominates this one; if not, it remembers this one.
func (p *planProof) dominated(n *planNode) bool {
	seen := p.memo[n.placed]
	for k := range seen {
		if p.dominates(&seen[k], n) {
			return true
		}
	}
	if p.size < planMemo {
		p.size++
		p.memo[n.placed] = append(seen, *n)
	}
	return false
}

func (p *planProof) dominates(a, b *planNode) bool {
	if b.starts.Less(a.starts) || !slices.Equal(a.set, b.set) {
		return false
	}
	for s := range a.free {
		if max(a.free[s], a.last) > max(b.free[s], b.last) {
			return false
		}
	}
	for i := range a.ready {
		if maps, parts := p.left(b, i); maps|parts != 0 && (a.ready[i] > b.ready[i] || a.used[i] != b.used[i]) {
			return false
		}
	}
	return true
}
