package reduceplace

import (
	"context"
	"slices"

	"mrsched/model/heap"
	"mrsched/model/reduceplace"
)

// lineFlow finds, for k = 1, 2, …, the maximum weight M_k of tasks that k slots can hold in one busy period. A slot is
// a unit of flow from the first point to the end of the period. It idles along the line of points (weight 0, no limit)
// or takes arcs, one per interval, that carry a unit a task from its first point to the one after its last.
//
// Every level takes one unit more along a path of maximum weight in the residual network, found by Dijkstra's algorithm
// with potentials: π_v is the weight of a heaviest path from the first point to v, so residual arcs u → v of weight w
// have reduced cost π_v − π_u − w ≥ 0. A search ends at the end of the period; nodes further away count as being as
// far.
//
// Complexity: O(K·(n + m) log n) for n points, m intervals and K tasks at the busiest point; all levels of a step in
// one. Ties: the path found first; all depends on the order of the intervals only. Source: Carlisle, Lloyd, On the
// k-coloring of intervals, 1995; Ahuja, Magnanti, Orlin, Network Flows, 1993, §9.7.
type lineFlow struct {
	n      int32 // points; nodes 0 … n
	from   []int32
	to     []int32
	weight []int64 // by arc, of one unit
	room   []int32 // by arc: capacity left
	flow   []int32 // by arc

	out    []int32 // arcs that leave node v are out[v] … out[v+1]−1: arcs rise by their from
	first  []int32 // arcs that enter node v are in[first[v]:first[v+1]]
	in     []int32
	idle   []int32 // by point: flow on the line from it
	level  int32
	potent []int64

	dist []int64
	seen []int32          // round in which dist was set
	done []int32          // round in which the node was scanned
	via  []int32          // last residual arc: 2·arc, 2·arc+1 backwards, or one of the line's
	heap heap.Heap[int64] // nodes by their tentative distance
	now  []int32          // nodes as far away as the one that is being scanned
	time int32
}

const (
	viaLine = -1 // from the point before
	viaBack = -2 // from the next point, backwards
)

// load begins a busy period at level 0. Weights and capacities are by interval; weights are at least 0.
func (f *lineFlow) load(p *reduceplace.Period, intervals []reduceplace.Interval, weight []int64, room []int32) {
	m := len(intervals)
	f.n, f.weight, f.level = p.Points, weight, 0
	f.from, f.to, f.room, f.flow = sized(f.from, m), sized(f.to, m), sized(f.room, m), sized(f.flow, m)
	nodes := int(f.n) + 1
	f.out, f.first, f.in = sized(f.out, nodes+1), sized(f.first, nodes+1), sized(f.in, m)
	f.idle, f.potent, f.dist = sized(f.idle, nodes), sized(f.potent, nodes), sized(f.dist, nodes)
	f.seen, f.done, f.via = sized(f.seen, nodes), sized(f.done, nodes), sized(f.via, nodes)
	for _, list := range [][]int32{f.out, f.first, f.idle, f.seen, f.done, f.flow} {
		clear(list)
	}
	f.time = 0
	copy(f.room, room)
	for a, v := range intervals {
		f.from[a], f.to[a] = v.From, v.To
		f.out[v.From+1]++
		f.first[v.To+1]++
	}
	for v := range nodes {
		f.out[v+1] += f.out[v]
		f.first[v+1] += f.first[v]
	}
	at := f.via // not yet in use
	copy(at, f.first)
	for a := range f.to {
		f.in[at[f.to[a]]] = int32(a)
		at[f.to[a]]++
	}
	f.potent[0] = 0
	for v := int32(1); v <= f.n; v++ {
		best := f.potent[v-1]
		for _, a := range f.in[f.first[v]:f.first[v+1]] {
			best = max(best, f.potent[f.from[a]]+f.weight[a])
		}
		f.potent[v] = best
	}
}

// sized is list with a length, its contents undefined.
func sized[T any](list []T, n int) []T { return slices.Grow(list[:0], n)[:n] }

// step finds the path of the next level and sends as many units along it as fit, at most most. They raise M by worth
// each. The potentials then are optimal for all levels of the step, and for the one before it. It returns 0 units if
// nothing is gained. If ctx ended first, nothing has changed.
func (f *lineFlow) step(ctx context.Context, most int32) (units int32, worth int64, ended bool) {
	if !f.search(ctx) {
		return 0, 0, true
	}
	length := f.dist[f.n]
	for v := range f.n + 1 {
		if f.seen[v] == f.time {
			f.potent[v] -= min(f.dist[v], length)
		} else {
			f.potent[v] -= length
		}
	}
	if worth = f.potent[f.n]; worth <= 0 {
		return 0, 0, false
	}
	units = f.push(most)
	f.level += units
	return units, worth, false
}

// checkNodes is how many nodes a search scans between looks at the context, the first at once.
const checkNodes = 1 << 14

// search labels nodes with their distances from node 0, until node n is scanned; false: ctx ended first.
func (f *lineFlow) search(ctx context.Context) bool {
	f.time++
	f.heap = f.heap[:0]
	f.now = append(f.now[:0], 0)
	f.seen[0], f.dist[0], f.via[0] = f.time, 0, viaLine
	at := int64(0)
	for scanned := 0; ; scanned++ {
		if scanned%checkNodes == 0 && ctx.Err() != nil {
			return false
		}
		var v int32
		if k := len(f.now) - 1; k >= 0 {
			v, f.now = f.now[k], f.now[:k]
		} else {
			top := f.heap.Pop()
			v, at = top.Index, top.Key
		}
		if f.done[v] == f.time {
			continue
		}
		f.done[v] = f.time
		if v == f.n {
			return true
		}
		f.scan(v, at)
	}
}

// scan follows the residual arcs that leave node v at a distance.
func (f *lineFlow) scan(v int32, at int64) {
	base := at - f.potent[v]
	if v > 0 && f.idle[v-1] > 0 {
		f.reach(v-1, at, base+f.potent[v-1], viaBack)
	}
	for _, a := range f.in[f.first[v]:f.first[v+1]] {
		if f.flow[a] > 0 {
			f.reach(f.from[a], at, base+f.potent[f.from[a]]+f.weight[a], 2*a+1)
		}
	}
	f.reach(v+1, at, base+f.potent[v+1], viaLine)
	for a := f.out[v]; a < f.out[v+1]; a++ {
		if f.room[a] > 0 {
			f.reach(f.to[a], at, base+f.potent[f.to[a]]-f.weight[a], 2*a)
		}
	}
}

// reach offers a node a distance.
func (f *lineFlow) reach(v int32, at, dist int64, via int32) {
	if f.seen[v] == f.time && f.dist[v] <= dist {
		return
	}
	f.seen[v], f.dist[v], f.via[v] = f.time, dist, via
	if dist == at {
		f.now = append(f.now, v)
		return
	}
	f.heap.Push(heap.Item[int64]{Key: dist, Index: v})
}

// push sends units along the path that search found.
func (f *lineFlow) push(most int32) int32 {
	units := most
	for v := f.n; v != 0; {
		switch a := f.via[v]; {
		case a == viaLine:
			v--
		case a == viaBack:
			units = min(units, f.idle[v])
			v++
		case a&1 == 0:
			units = min(units, f.room[a/2])
			v = f.from[a/2]
		default:
			units = min(units, f.flow[a/2])
			v = f.to[a/2]
		}
	}
	for v := f.n; v != 0; {
		switch a := f.via[v]; {
		case a == viaLine:
			v--
			f.idle[v] += units
		case a == viaBack:
			f.idle[v] -= units
			v++
		case a&1 == 0:
			f.room[a/2] -= units
			f.flow[a/2] += units
			v = f.from[a/2]
		default:
			f.room[a/2] += units
			f.flow[a/2] -= units
			v = f.to[a/2]
		}
	}
	return units
}
