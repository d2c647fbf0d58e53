package unrelated

import (
	"context"
	"math"

	"mrsched/model"
)

const (
	// treeNumbers is how many prices the proof of a tree may hold.
	treeNumbers = 1_000_000
	// treeSearch is the share of nodes, one in this many, at which a tabu search starts from the program's solution, and
	// treeMoves how many moves it looks at.
	treeSearch, treeMoves = 8, 300_000
)

// tree decides whether a limit can be kept, by branch and bound: the configuration program of a node either refutes the
// limit, or chooses sets that make an assignment, or splits a task; then come the two cases of where that task runs,
// depth first. The tree depends on the instance and the limit alone.
type tree struct {
	*configuration
	nodes, nodeLimit int
	numbers          int // prices that the proof may still hold; below 0: there will be none
}

// search searches the tree below the present decisions: it refutes them with a proof, or finds an assignment.
func (x *tree) search(ctx context.Context) (Verdict, Assignment, *Proof, error) {
	if x.nodes >= x.nodeLimit || ctx.Err() != nil {
		return Undecided, nil, nil, nil
	}
	x.nodes++
	v, proof, s, err := x.solve(ctx)
	if err != nil || v == Undecided {
		return Undecided, nil, nil, err
	}
	if v == Refuted {
		if x.numbers -= len(proof.Tasks) + 1; x.numbers < 0 {
			proof = nil
		}
		return Refuted, nil, proof, nil
	}
	part := x.parts(s)
	if a := x.integral(s, part); a != nil {
		return Feasible, a, nil, nil
	}
	if x.nodes%treeSearch == 1 {
		if a := x.repair(ctx, s, part); a != nil {
			return Feasible, a, nil, nil
		}
	}
	i, k := x.choose(s, part)
	return x.branch(ctx, i, k)
}

// branch looks at the case that task i runs on machine k, then at the other.
func (x *tree) branch(ctx context.Context, i int, k int32) (Verdict, Assignment, *Proof, error) {
	was := x.group[k]
	x.fixed[i], x.group[k] = k, x.groups
	x.groups++
	v, a, on, err := x.search(ctx)
	x.fixed[i], x.group[k] = -1, was
	if err != nil || v != Refuted {
		return v, a, nil, err
	}
	var excluded []int
	for s, g := range x.group {
		if at := i*x.m + s; g == was && !x.excluded[at] {
			x.excluded[at] = true
			excluded = append(excluded, at)
		}
	}
	v, a, off, err := x.search(ctx)
	for _, at := range excluded {
		x.excluded[at] = false
	}
	if err != nil || v != Refuted || on == nil || off == nil {
		return v, a, nil, err
	}
	return Refuted, nil, &Proof{Branch: &Branch{Task: int32(i), Machine: k, On: *on, Off: *off}}, nil
}

// parts are how often the sets chosen for each group hold each task, at most once.
func (x *tree) parts(s *configSolution) [][]float64 {
	part := make([][]float64, len(s.groups))
	for g := range part {
		part[g] = make([]float64, x.n)
	}
	for _, c := range s.chosen {
		for _, i := range c.set {
			part[c.group][i] = math.Min(1, part[c.group][i]+c.times)
		}
	}
	return part
}

// integral is the assignment of a solution that splits nothing, else nil. Of a group of several machines the chosen
// sets must be whole; of one machine all chosen sets hold what runs there.
func (x *tree) integral(s *configSolution, part [][]float64) Assignment {
	const near = 1 - 10*configTolerance
	a := make(Assignment, x.n)
	for i := range a {
		a[i] = -1
	}
	next := make([]int, len(s.groups)) // of the group's machines
	for _, c := range s.chosen {
		if s.groups[c.group].count == 1 || c.times <= 1-near {
			continue
		}
		if c.times < near {
			return nil
		}
		for range int(math.Round(c.times)) {
			k := x.member(s.groups[c.group].first, next[c.group])
			next[c.group]++
			for _, i := range c.set {
				if k >= 0 && a[i] < 0 {
					a[i] = k
				}
			}
		}
	}
	for i := range a {
		for g, own := range part {
			if a[i] < 0 && s.groups[g].count == 1 && own[i] >= near {
				a[i] = s.groups[g].first
			}
		}
		if a[i] < 0 {
			return nil
		}
	}
	return x.valid(a)
}

// member returns the n-th machine, counted from 0, of the group that a machine belongs to; −1 if the group has fewer.
func (x *tree) member(machine int32, n int) int32 {
	for k, g := range x.group {
		if g == x.group[machine] {
			if n == 0 {
				return int32(k)
			}
			n--
		}
	}
	return -1
}

// valid returns an assignment that keeps the limit, or nil.
func (x *tree) valid(a Assignment) Assignment {
	if x.Makespan(a) > x.limit || x.Used(a) > x.most {
		return nil
	}
	return a
}

// repair puts each task where the solution has most of it and starts a tabu search there, which need not keep to the
// decisions.
func (x *tree) repair(ctx context.Context, s *configSolution, part [][]float64) Assignment {
	a := make(Assignment, x.n)
	turn := make([]int, len(s.groups))
	for i := range a {
		best := 0
		for g := range part {
			if part[g][i] > part[best][i] {
				best = g
			}
		}
		a[i] = x.member(s.groups[best].first, turn[best]%s.groups[best].count)
		turn[best]++
	}
	if x.Used(a) > x.most {
		return nil
	}
	t := x.newTabu(1, treeMoves)
	if t.start(a, x.limit); !t.reach(ctx, tabuPatience) {
		return nil
	}
	return x.valid(t.machine)
}

// choose finds the split task with the largest part on one machine; ties: the one that takes longest. If only sets are
// split, it is the task that takes longest in a group of several machines.
func (x *tree) choose(s *configSolution, part [][]float64) (int, int32) {
	task, machine, most := -1, int32(-1), 0.0
	for g, own := range part {
		k := s.groups[g].first
		for i, v := range own {
			if x.fixed[i] >= 0 || v <= configTolerance || v >= 1-10*configTolerance {
				continue
			}
			if v > most+configTolerance || v > most-configTolerance && x.on(i, k) > x.on(task, machine) {
				task, machine, most = i, k, v
			}
		}
	}
	if task >= 0 {
		return task, machine
	}
	for g, own := range part {
		k := s.groups[g].first
		for i, v := range own {
			if v > configTolerance && x.fixed[i] < 0 && (task < 0 || x.on(i, k) > x.on(task, machine)) {
				task, machine = i, k
			}
		}
	}
	return task, machine
}

// Question is whether an instance has an assignment within a limit.
type Question struct {
	Limit model.Time
	// Nodes and Work limit the branch-and-bound tree that answers.
	Nodes int
	Work  int64
}

// Answer is the answer to a question.
type Answer struct {
	Verdict Verdict
	// Assignment keeps the limit if Feasible.
	Assignment Assignment
	// Proof refutes the limit if Refuted; nil if it were too large.
	Proof *Proof
	// Nodes and Work are what the tree used.
	Nodes int
	Work  int64
}

// Decide answers a question by branch and bound. It is for indivisible instances of at most 1000 tasks and 50 000 pairs
// of task and machine; for others the verdict is Undecided.
//
// Complexity: exponential, within the limits of the question.
func (in *Instance) Decide(ctx context.Context, q Question) (*Answer, error) {
	if !in.configurable() {
		return &Answer{}, nil
	}
	f, err := in.relaxation(ctx)
	if err != nil {
		return nil, err
	}
	x := &tree{configuration: in.newConfiguration(q.Limit, in.firstTrial(f.Bound), q.Work), nodeLimit: q.Nodes,
		numbers: treeNumbers}
	a := &Answer{}
	a.Verdict, a.Assignment, a.Proof, err = x.search(ctx)
	if x.numbers < 0 {
		a.Proof = nil
	}
	a.Nodes, a.Work = x.nodes, q.Work-x.knap.work
	return a, err
}

// Confirm says whether trees of at most this many nodes in all refute that any of some instances has a makespan below a
// value, and how many nodes they have.
func Confirm(ctx context.Context, list []*Instance, value model.Time, most int) (nodes int, ok bool, err error) {
	for _, in := range list {
		b, err := in.RootBound(ctx)
		if err != nil {
			return nodes, false, err
		}
		if b.Value >= value {
			continue
		}
		a, err := in.Decide(ctx, Question{Limit: in.below(value), Nodes: most - nodes, Work: math.MaxInt64})
		if err != nil {
			return nodes, false, err
		}
		if nodes += a.Nodes; a.Verdict != Refuted {
			return nodes, false, nil
		}
	}
	return nodes, true, nil
}
