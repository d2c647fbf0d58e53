package shop

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
)

// Settings of the search over assignments.
const (
	// mostPairs is the most pairs of nodes and tasks for which this search is used.
	mostPairs = 2_000_000
	// assignMoves times tasks is how many moves a step tries.
	assignMoves = 20
	// firstCycle times tasks is how many moves the first cooling takes; each further one takes twice as many.
	firstCycle = 1000
	// warmest is the first temperature of a cooling, relative to the mean cost of a random move from the start; coldest
	// is the last one, relative to the first.
	warmest, coldest = 0.05, 0.01
)

// assignment searches instances of single tasks on nodes that run one at a time. There Σ w_j C_j depends only on the
// tasks of each node, since Smith's order is optimal. On node i, two tasks then add min(w_u p_vi, w_v p_ui) to what
// they cost alone. So it takes O(1) to judge a move or an exchange of two tasks, and O(tasks) to make it. The search is
// simulated annealing, restarted from the best assignment, each time for longer.
//
// Source: the order is Smith's, Naval Res. Logist. Quart. 1956, the sum over pairs Skutella's, J. ACM 2001; annealing
// is that of Kirkpatrick et al., Science 1983.
type assignment struct {
	in     *shop.Instance
	random *rand.Rand
	nodes  [][]int32   // by task: where it may run
	weight []float64   // by task
	length [][]float64 // by node and task; 0 where it does not run
	runs   [][]bool    // by node and task

	at, bestAt []int32
	share      [][]float64 // by node and task: what the task adds, or would add, to the cost of the node
	now, best  float64
	warm       float64 // first temperature of a cooling
	tries      int     // moves of a step
	move, all  int     // moves of this cooling
}

// assigns reports whether schedules are assignments: single tasks on nodes that run one task at a time, from time 0 on.
func assigns(in *shop.Instance) bool { return unordered(in) && shop.NewEvaluator(in).SingleTasks() }

// unordered reports whether all tasks may run from time 0 on, in any order, on nodes that are always available and
// share nothing.
func unordered(in *shop.Instance) bool {
	late := func(t model.Time) bool { return t > 0 }
	return len(in.SuccStep)+len(in.AwayFrom)+len(in.Groups) == 0 && in.Replan() == nil && in.Nodes*in.Tasks <= mostPairs &&
		!slices.ContainsFunc(in.Earliest, late)
}

// newAssignment starts from a schedule. It shares the tables that no search changes with another assignment, if there
// is one.
func newAssignment(in *shop.Instance, first *model.Schedule, random *rand.Rand, other *assignment) *assignment {
	a := &assignment{in: in, random: random, at: make([]int32, in.Tasks), bestAt: make([]int32, in.Tasks)}
	if other != nil {
		a.nodes, a.weight, a.length, a.runs = other.nodes, other.weight, other.length, other.runs
	} else {
		a.tables()
	}
	for _, e := range first.Entries {
		a.at[e.Task] = e.Machine
	}
	copy(a.bestAt, a.at)
	a.share = make([][]float64, in.Nodes)
	for i := range a.share {
		a.share[i] = make([]float64, in.Tasks)
	}
	a.restart()
	a.tries, a.all = assignMoves*in.Tasks, firstCycle*in.Tasks
	a.warm = warmest * a.spread()
	return a
}

// tables sets weights in units and lengths in seconds, so that whole numbers stay whole in all sums.
func (a *assignment) tables() {
	in := a.in
	a.nodes, a.weight = make([][]int32, in.Tasks), make([]float64, in.Tasks)
	a.length, a.runs = make([][]float64, in.Nodes), make([][]bool, in.Nodes)
	for u := range a.weight {
		a.weight[u] = float64(in.Weight[in.Job[u]]) / float64(model.UnitWeight)
	}
	for i := range int32(in.Nodes) {
		a.length[i], a.runs[i] = make([]float64, in.Tasks), make([]bool, in.Tasks)
		for u := range int32(in.Tasks) {
			if in.Runs(u, i) {
				a.length[i][u], a.runs[i][u] = float64(in.Length(u, i))/float64(model.Second), true
				a.nodes[u] = append(a.nodes[u], i)
			}
		}
	}
}

// pair is the additional cost of two tasks on one node.
func (a *assignment) pair(i, u, v int32) float64 {
	return min(a.weight[u]*a.length[i][v], a.weight[v]*a.length[i][u])
}

// restart continues from the best assignment.
func (a *assignment) restart() {
	copy(a.at, a.bestAt)
	for i, share := range a.share {
		for u := range share {
			share[u] = a.weight[u] * a.length[i][u]
		}
	}
	a.now = 0
	for u, i := range a.at {
		a.now += a.share[i][u]
		a.changeShares(i, int32(u), 1)
	}
	a.best = a.now
}

// changeShares adds a task to the shares of the others on a node, or takes it away.
func (a *assignment) changeShares(i, u int32, sign float64) {
	share, length := a.share[i], a.length[i]
	w, p := sign*a.weight[u], sign*length[u]
	own := share[u]
	if sign > 0 {
		for v := range share {
			share[v] += min(w*length[v], a.weight[v]*p)
		}
	} else {
		for v := range share {
			share[v] += max(w*length[v], a.weight[v]*p)
		}
	}
	share[u] = own
}

// put moves a task to another node.
func (a *assignment) put(u, to int32) {
	a.changeShares(a.at[u], u, -1)
	a.at[u] = to
	a.changeShares(to, u, 1)
}

// draw draws a move: a task and another node, and, half of the time, a task there that takes its place. ok is false if
// there is no such move.
func (a *assignment) draw() (u, to, other int32, change float64, ok bool) {
	u = int32(a.random.IntN(len(a.at)))
	from := a.at[u]
	if a.random.Uint64()&1 == 0 {
		to, other = a.nodes[u][a.random.IntN(len(a.nodes[u]))], model.None
		return u, to, other, a.share[to][u] - a.share[from][u], to != from
	}
	other = int32(a.random.IntN(len(a.at)))
	to = a.at[other]
	if to == from || !a.runs[to][u] || !a.runs[from][other] {
		return u, to, other, 0, false
	}
	change = a.share[to][u] - a.share[from][u] - a.pair(to, u, other) +
		a.share[from][other] - a.share[to][other] - a.pair(from, u, other)
	return u, to, other, change, true
}

// spread is the mean cost of random moves of the best assignment.
func (a *assignment) spread() float64 {
	sum, n := 0.0, 0.0
	for range a.tries {
		if _, _, _, change, ok := a.draw(); ok {
			sum, n = sum+math.Abs(change), n+1
		}
	}
	return sum / max(n, 1)
}

// step tries some moves of a cooling; its parameter, the heat of the search, has no effect.
func (a *assignment) step(float64) {
	temperature := a.warm * solver.Exp(float64(a.move)/float64(a.all)*math.Log(coldest))
	for range a.tries {
		u, to, other, change, ok := a.draw()
		if !ok || change > 0 && a.random.Float64() >= solver.Exp(-change/temperature) {
			continue
		}
		from := a.at[u]
		a.put(u, to)
		if other != model.None {
			a.put(other, from)
		}
		if a.now += change; a.now < a.best*(1-1e-12) {
			a.best = a.now
			copy(a.bestAt, a.at)
		}
	}
	if a.move += a.tries; a.move >= a.all {
		a.move, a.all = 0, 2*a.all
		a.restart()
	}
}

func (a *assignment) adopt(better walk) {
	b := better.(*assignment)
	copy(a.bestAt, b.bestAt)
	a.best = b.best
}

func (a *assignment) cost() price { return priceOf(a.in, a.in.Completions(a.schedule())) }

func (a *assignment) schedule() *model.Schedule { return inSmithsOrder(a.in, a.bestAt) }

// inSmithsOrder runs the tasks of each node, given by task, in Smith's order from time 0 on.
func inSmithsOrder(in *shop.Instance, at []int32) *model.Schedule {
	order := model.Indices(in.Tasks)
	slices.SortStableFunc(order, func(u, v int32) int {
		i := at[u]
		if c := cmp.Compare(i, at[v]); c != 0 {
			return c
		}
		return shop.Smith(uint64(in.Weight[in.Job[u]]), uint64(in.Length(u, i)), uint64(in.Weight[in.Job[v]]),
			uint64(in.Length(v, i)))
	})
	s := &model.Schedule{Entries: make([]model.Entry, in.Tasks)}
	ends := make([]model.Time, in.Nodes)
	for _, u := range order {
		i := at[u]
		start := ends[i]
		ends[i] += in.Length(u, i)
		s.Entries[u] = model.Entry{Task: model.TaskIndex(u), Machine: i, Start: start, End: ends[i]}
	}
	return s
}
