package msjo

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver/list"
)

// root is the empty schedule.
func (s *exactSearch) root() *exactNode {
	in := s.in
	n := &exactNode{idle: make([]model.Time, min(in.Nodes, in.Tasks)), ready: slices.Clone(in.Head),
		waiting: slices.Clone(in.Preds),
		ended:   make([]model.Time, len(s.alone)), left: make([]int32, len(s.alone)),
		est: make([]model.Time, in.Steps), done: make([]model.Time, len(s.alone))}
	for _, g := range s.group[:in.Tasks] {
		n.left[g]++
	}
	s.foresee(n)
	return n
}

// groups assigns each task its group in the objective and returns the groups' weights.
func (s *exactSearch) groups() []model.Weight {
	in := s.in
	if in.Objective == shop.WeightedEnds {
		s.group, s.tail, s.alone = in.Job, in.Tail, in.Alone
		return in.Weight
	}
	s.group, s.tail, s.alone = make([]int32, in.Tasks), make([]model.Time, in.Tasks), make([]model.Time, in.Tasks)
	for u := range s.group {
		s.group[u], s.alone[u] = int32(u), in.Head[u]+in.Least[u]
	}
	return in.TaskWeight[:in.Tasks]
}

// scale chooses the units of weights and times. It says why some sum of the search would not fit into its integer;
// empty: all do.
func (s *exactSearch) scale(weights []model.Weight) (why string) {
	in := s.in
	var divisor uint64
	var total, all model.Wide
	for _, w := range weights {
		divisor = model.GCD(divisor, uint64(w))
	}
	divisor = max(divisor, 1)
	s.divisor = float64(divisor)
	s.weight = make([]uint64, len(weights))
	var horizon uint64 // no end or tail exceeds it, and no bound of one exceeds twice this
	for g, w := range weights {
		s.weight[g] = uint64(w) / divisor
		total = total.Plus(model.Wide{Low: s.weight[g]})
		all = all.Plus(model.Wide{Low: uint64(w)})
		horizon = max(horizon, uint64(s.alone[g]))
	}
	s.unit = max(1, in.TimeUnit())
	for _, p := range in.Least {
		horizon += uint64(p)
	}
	for _, d := range in.SuccDelay {
		horizon += uint64(d)
	}
	if fits(uint64(min(in.Nodes, in.Tasks))+1, 2*horizon) && fits(total.High+1, 2*horizon) {
		return ""
	}
	return fmt.Sprintf("no search: times of %s s and weights of %.6g in all are too large for it", model.Time(horizon),
		all.Float()/float64(model.UnitWeight))
}

func fits(a, b uint64) bool {
	hi, lo := bits.Mul64(a, b)
	return hi == 0 && lo <= math.MaxInt64
}

// twins links tasks of one job that have the same length, weight, release and arcs.
func (s *exactSearch) twins() {
	in := s.in
	s.twin = make([]int32, in.Tasks)
	out := graph(in)
	both := [2]*list.Graph{out, out.Reversed()}
	alike := func(u, v int32) bool {
		for _, g := range both {
			uFrom, uTo, vFrom, vTo := g.SuccFirst[u], g.SuccFirst[u+1], g.SuccFirst[v], g.SuccFirst[v+1]
			if !slices.Equal(g.SuccStep[uFrom:uTo], g.SuccStep[vFrom:vTo]) ||
				!slices.Equal(g.SuccDelay[uFrom:uTo], g.SuccDelay[vFrom:vTo]) {
				return false
			}
		}
		return in.Job[u] == in.Job[v] && in.Least[u] == in.Least[v] && in.Earliest[u] == in.Earliest[v] &&
			(in.Objective == shop.WeightedEnds || in.TaskWeight[u] == in.TaskWeight[v])
	}
	for u := range s.twin {
		v := int32(u) - 1
		for v >= 0 && !alike(int32(u), v) {
			v--
		}
		s.twin[u] = v
	}
}
