package shop

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"mrsched/model"
)

// Pool is one resource of all nodes seen as one machine, whose speed is what the nodes add to it, and which tasks
// share. Worth is what a node of each class adds, in any unit. While task u runs on a node of class k, it takes
//
//	⌊Worth[k] · f(demand/capacity)⌋,
//
// where f is dual feasible: its values add up to at most 1 whenever its arguments do. So the tasks of a node never
// take more than the node adds. The area of a task is the least of what it takes times its length, over the classes
// that may run it. Without Least and Steps f(x) = x. A node without a limit adds nothing that tasks take.
type Pool struct {
	Resource int32   `json:"resource"`
	Worth    []int64 `json:"worth"` // by class
	// Group k + 1, if set, stands for group k instead of the nodes: what it adds is the Worth of the class of its first
	// node, and other classes have none. A task takes a share of its capacity on a class of which it may run on nodes of
	// the group only, and none elsewhere.
	Group int32 `json:"group,omitempty"`
	// Least, if set, makes f(demand) = 1/⌊capacity/Least⌋ for demands of at least Least, and 0 for others: no more than
	// ⌊capacity/Least⌋ such tasks run at a time.
	Least int64 `json:"least,omitempty"`
	// Steps k, if set, makes f(x) = x if (k+1)x is an integer, and ⌊(k+1)x⌋/k otherwise (Fekete and Schepers 2001).
	Steps int64 `json:"steps,omitempty"`
}

// Speed is the speed of a pool from some time on.
type Speed struct {
	From  model.Time
	Speed int64
}

// Pooled is a pool, and what the tasks of an instance take of it.
type Pooled struct {
	Area   []int64 // by task; 0 for fixed tasks, whose share the speeds leave out
	Speeds []Speed // rising from 0 on
	Most   int64   // the largest speed
}

// Bounds of the numbers of pools, so that sums of two of them fit.
const (
	maxWorth = 1 << 60
	maxArea  = 1 << 61
	maxSteps = 1000
)

var errPool = errors.New("certificate: too large numbers of a pool")

// Pool computes areas and speeds. Errors: the pool is none of this instance, or its numbers are too large.
func (e *Evaluator) Pool(p *Pool) (*Pooled, error) {
	in := e.in
	if p.Resource < 0 || p.Group == 0 && int(p.Resource) >= in.Resources || len(p.Worth) != in.Classes || p.Least < 0 ||
		p.Steps < 0 || p.Steps > maxSteps || p.Least > 0 && p.Steps > 0 {
		return nil, fmt.Errorf("certificate: pool of resource %d for %s", p.Resource, model.Counted(len(p.Worth), "class"))
	}
	if p.Group != 0 && !in.grouped(p) {
		return nil, fmt.Errorf("certificate: pool of group %d", p.Group)
	}
	var sum int64
	for k, worth := range p.Worth {
		hi, all := bits.Mul64(uint64(len(in.ClassNodes(int32(k)))), uint64(worth))
		if worth < 0 || hi != 0 || all > maxWorth || sum > maxWorth-int64(all) {
			return nil, errPool
		}
		sum += int64(all)
	}
	x := &Pooled{Area: make([]int64, in.Tasks)}
	for u := range int32(in.Tasks) {
		if in.Fixed(u) || in.Least[u] == 0 {
			continue
		}
		area, ok := e.area(p, u)
		if !ok {
			return nil, errPool
		}
		x.Area[u] = area
	}
	x.Speeds = in.speeds(p, allClasses)
	for _, s := range x.Speeds {
		x.Most = max(x.Most, s.Speed)
	}
	return x, nil
}

// grouped says whether a pool is one of a group that has nodes: it has the resource and the worths of one.
func (in *Instance) grouped(p *Pool) bool {
	if p.Group < 0 || int(p.Group) > len(in.Groups) {
		return false
	}
	g := &in.Groups[p.Group-1]
	if g.Resource != p.Resource || len(g.Nodes) == 0 {
		return false
	}
	for k, worth := range p.Worth {
		if worth != 0 && int32(k) != in.lead(p) {
			return false
		}
	}
	return true
}

// area is the least area of a task; ok is false if it is too large.
func (e *Evaluator) area(p *Pool, u int32) (least int64, ok bool) {
	least = maxArea
	for k, length := range e.Lengths(u) {
		if length < 0 {
			continue
		}
		share := e.in.Share(p, u, int32(k))
		if share == 0 {
			return 0, true
		}
		if hi, lo := bits.Mul64(uint64(share), uint64(length)); hi == 0 && lo < uint64(least) {
			least = int64(lo)
		}
	}
	return least, least < maxArea
}

// payer is the class whose Worth the tasks on class k share: k, but of a group the class of its first node.
func (in *Instance) payer(p *Pool, k int32) int32 {
	if p.Group > 0 {
		return in.lead(p)
	}
	return k
}

// lead is the class of the first node of the group of a pool.
func (in *Instance) lead(p *Pool) int32 { return in.Class[in.Groups[p.Group-1].Nodes[0]] }

// Share is what task u takes of a pool while it runs on a node of class k, which has room for it.
func (in *Instance) Share(p *Pool, u, k int32) int64 {
	var d, c int64
	if p.Group > 0 {
		c, d = in.Groups[p.Group-1].Capacity, in.Part(u, p.Group-1)
	} else {
		d, c = in.Demands(u)[p.Resource], in.Capacities(k)[p.Resource]
	}
	worth := p.Worth[in.payer(p, k)]
	switch {
	case d == 0 || worth == 0 || c == Unlimited || d > c || p.Group > 0 && !in.inside(u, k, p.Group-1):
		return 0
	case p.Least > 0:
		if d < p.Least {
			return 0
		}
		return worth / (c / p.Least)
	case p.Steps > 0:
		hi, lo := bits.Mul64(uint64(p.Steps+1), uint64(d))
		whole, rest := bits.Div64(hi, lo, uint64(c)) // at most Steps + 1
		if rest == 0 {
			return scaled(worth, int64(whole), p.Steps+1)
		}
		return scaled(worth, int64(whole), p.Steps)
	}
	return scaled(worth, d, c)
}

// scaled is ⌊x·part/all⌋ for 0 ≤ part ≤ all.
func scaled(x, part, all int64) int64 {
	hi, lo := bits.Mul64(uint64(x), uint64(part))
	q, _ := bits.Div64(hi, lo, uint64(all))
	return int64(q)
}

// speeds computes the step function of time: all nodes of a class less those that are away and what fixed tasks take
// there, but those that run on while their node is away. AllClasses stands for all of them.
func (in *Instance) speeds(p *Pool, class int32) []Speed {
	var changes []Speed // Speed is the change
	change := func(from, until model.Time, by int64) {
		if from = max(from, 0); by == 0 || from >= until {
			return
		}
		changes = append(changes, Speed{from, -by})
		if until < Never {
			changes = append(changes, Speed{until, by})
		}
	}
	speeds := []Speed{{}}
	for i := range int32(in.Nodes) {
		k := in.Class[i]
		if class != allClasses && k != class || p.Group > 0 && i != in.Groups[p.Group-1].Nodes[0] {
			continue
		}
		speeds[0].Speed += p.Worth[k]
		for a := in.AwayFirst[i]; a < in.AwayFirst[i+1] && p.Group == 0; a++ {
			change(in.AwayFrom[a], in.AwayUntil[a], p.Worth[k])
		}
	}
	for u := range int32(in.Tasks) {
		if !in.Fixed(u) || in.Least[u] == 0 || p.Group == 0 && in.cut(u) {
			continue
		}
		k := in.Class[in.FixedNode(u)]
		if class == allClasses || in.payer(p, k) == class {
			change(in.FixedStart(u), in.FixedStart(u)+in.Least[u], in.Share(p, u, k))
		}
	}
	slices.SortFunc(changes, func(a, b Speed) int { return cmp.Compare(a.From, b.From) })
	for _, c := range changes {
		last := &speeds[len(speeds)-1]
		if c.From > last.From {
			speeds = append(speeds, Speed{c.From, last.Speed})
			last = &speeds[len(speeds)-1]
		}
		last.Speed += c.Speed
	}
	return speeds
}

const allClasses = -1
