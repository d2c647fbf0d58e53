package campaign

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/model/msjo"
)

// path is the longest path from the end of one node to the start of another; negative if there is none.
func (n *naive) path(from, to int32, known map[int32]model.Time) model.Time {
	in := n.view.(*msjo.Instance)
	if v, ok := known[from]; ok {
		return v
	}
	longest := model.Time(-1)
	for k := in.SuccFirst[from]; k < in.SuccFirst[from+1]; k++ {
		v := in.SuccNode[k]
		if v == to {
			longest = max(longest, in.SuccDelay[k])
		} else if rest := n.path(v, to, known); rest >= 0 {
			longest = max(longest, in.SuccDelay[k]+in.Processing[v]+rest)
		}
	}
	known[from] = longest
	return longest
}

// paths are the longest paths between a node and all tasks: before it from their ends to its end, after it from its
// end to their starts.
func (n *naive) paths(node int, before bool) []model.Time {
	in := n.view.(*msjo.Instance)
	list, known := make([]model.Time, in.Tasks), map[int32]model.Time{}
	for u := range list {
		switch {
		case before:
			if list[u] = n.path(int32(u), int32(node), known); list[u] >= 0 {
				list[u] += in.Processing[node]
			}
		default:
			list[u] = n.path(int32(node), int32(u), map[int32]model.Time{})
		}
	}
	return list
}

// earliest is when each node can start, by bounds of nodes; if time runs backwards from the ends of the jobs, how long
// before these each node must end.
func (n *naive) earliest(bounds []nodeSet, backwards bool) ([]model.Time, error) {
	in := n.view.(*msjo.Instance)
	heads, order := slices.Clone(in.Head), slices.Clone(in.Topo)
	if backwards {
		heads = slices.Clone(in.Tail)
		slices.Reverse(order)
	}
	for _, u := range order {
		for v := range int32(in.Nodes) {
			for k := in.SuccFirst[v]; k < in.SuccFirst[v+1]; k++ {
				from, to := v, in.SuccNode[k]
				if backwards {
					from, to = to, from
				}
				if to == u {
					heads[u] = max(heads[u], heads[from]+in.Processing[from]+in.SuccDelay[k])
				}
			}
		}
		for _, b := range bounds {
			if b.Node != int(u) {
				continue
			}
			paths := n.paths(b.Node, !backwards)
			for v := range paths {
				switch {
				case v == b.Node:
					paths[v] = 0
				case backwards && paths[v] >= 0:
					paths[v] += in.Processing[u]
				}
			}
			end, err := n.setEnd(b.taskSet, func(v int) bool {
				return in.Job[v] == in.Job[u] && paths[v] >= 0 && int64(heads[v]) >= micros(b.Head) &&
					int64(paths[v]) >= micros(b.Tail)
			})
			if err != nil {
				return nil, err
			}
			whole := new(big.Rat).Mul(end, rat(1_000_000))
			heads[u] = max(heads[u], model.Time(whole.Num().Int64())-in.Processing[u])
		}
	}
	return heads, nil
}

// twoSidedTasks is Σ place_u (x_u + p_u/2) + Σ_before β_v (z_v − p_v/2) + Σ_after γ_v (z_v + p_v/2) +
// Σ_arcs f (d + p_v) + Σ rc_u (earliest end), as docs/formats.md has it.
func (n *naive) twoSidedTasks(p *proof) (*big.Rat, error) {
	in := n.view.(*msjo.Instance)
	heads, err := n.earliest(p.Ends, false)
	if err != nil {
		return nil, err
	}
	if p.Denominator <= 0 || len(p.Arcs) != 0 && len(p.Arcs) != len(in.SuccNode) ||
		len(p.Place) != 0 && len(p.Place) != in.Tasks {
		return nil, errors.New("no denominator, or other arcs or tasks")
	}
	bound, rest := new(big.Rat), make([]*big.Rat, in.Nodes)
	for u := range rest {
		rest[u] = perMillion(big.NewInt(int64(in.TaskWeight[u])), 1)
	}
	for u := range in.Nodes {
		for k := in.SuccFirst[u]; k < in.SuccFirst[u+1] && len(p.Arcs) > 0; k++ {
			f, v := big.NewRat(p.Arcs[k], p.Denominator), in.SuccNode[k]
			rest[u].Add(rest[u], f)
			rest[v].Sub(rest[v], f)
			sum(bound, f, timeOf(in.SuccDelay[k]+in.Processing[v]))
		}
	}
	group := func(tasks []int, from []model.Time, prices []int64, sign *big.Rat, node int) {
		for u, mean := range n.greedy(tasks, from, prices, make([]int64, in.Tasks)) {
			amount := new(big.Rat).Mul(timeOf(in.Processing[u]), big.NewRat(prices[u], p.Denominator))
			sum(bound, amount, mean)
			sum(bound, amount, sign, big.NewRat(1, 2), timeOf(in.Processing[u]))
			sum(rest[u], amount, new(big.Rat).Neg(sign))
			if node >= 0 {
				sum(rest[node], amount, sign)
			}
		}
	}
	var all []int
	for u := range in.Tasks {
		all = append(all, u)
	}
	lowest := slices.Min(append(slices.Clone(p.Arcs), 0))
	if len(p.Place) > 0 {
		group(all, heads, p.Place, rat(1), -1)
		lowest = min(lowest, slices.Min(p.Place))
	}
	for k, g := range slices.Concat(p.Before, p.After) {
		if g.Node < 0 || g.Node >= in.Nodes || len(g.Tasks) != len(g.Prices) {
			return nil, errors.New("no group")
		}
		before := k < len(p.Before)
		paths, prices := n.paths(g.Node, before), make([]int64, in.Tasks)
		var tasks []int
		for i, u := range g.Tasks {
			if u < 0 || int(u) >= in.Tasks || paths[u] < 0 || int(u) == g.Node || slices.Contains(tasks, int(u)) {
				return nil, fmt.Errorf("task %d in the group of %d", u, g.Node)
			}
			tasks = append(tasks, int(u))
			prices[u] = g.Prices[i]
			lowest = min(lowest, g.Prices[i])
		}
		sign := rat(1)
		if before {
			sign = rat(-1)
		}
		group(tasks, paths, prices, sign, g.Node)
	}
	for u, rc := range rest {
		if rc.Sign() < 0 || lowest < 0 {
			return nil, fmt.Errorf("node %d pays more than it has", u)
		}
		sum(bound, rc, timeOf(heads[u]+in.Processing[u]))
	}
	return bound, nil
}
