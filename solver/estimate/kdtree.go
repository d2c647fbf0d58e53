package estimate

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"mrsched/model/heap"
)

// point is a point in the space of features with the runs that lie there.
type point struct {
	x     [features]float64
	id    int32 // from 0; its place in the tree is another
	count int32 // runs
}

// kdTree is a static k-d tree in arrays. Each inner node halves its points at the median of the feature in which they
// differ most.
//
// gonum/spatial/kdtree finds the same neighbours, but takes 25 s where this one takes 5 s (10⁵ queries for 256 of 10⁶
// points), and its shape differs from run to run.
//
// Source: Bentley 1975; Friedman, Bentley, Finkel 1977.
type kdTree struct {
	points []point
	scale  [features]float64 // of differences; 0: a feature that contributes nothing
	nodes  []kdNode          // a node's left child follows it
}

// kdNode is a leaf, or a plane that divides the points below it.
type kdNode struct {
	split       float64
	side, right int32 // side −1: a leaf
	low, high   int32 // its points
}

// newKDTree sorts points into a tree whose leaves have at most leaf points. If that is all points, the tree is a list.
// O(n log n).
func newKDTree(points []point, scale [features]float64, leaf int) kdTree {
	t := kdTree{points: points, scale: scale}
	t.halve(0, len(points), max(1, leaf))
	return t
}

// square is the squared distance of two points. Products are rounded before they are added, so that all machines agree
// and a sum never exceeds one with more or larger terms.
func (t *kdTree) square(a, b *[features]float64) float64 {
	u, v, w := (a[0]-b[0])*t.scale[0], (a[1]-b[1])*t.scale[1], (a[2]-b[2])*t.scale[2]
	return float64(u*u) + float64(v*v) + float64(w*w)
}

// halve makes the node of points[low:high].
func (t *kdTree) halve(low, high, leaf int) {
	n := len(t.nodes)
	t.nodes = append(t.nodes, kdNode{side: -1, low: int32(low), high: int32(high)})
	if high-low <= leaf {
		return
	}
	side := t.widest(t.points[low:high])
	mid := low + (high-low)/2
	selectMedian(t.points[low:high], mid-low, side)
	split := t.points[mid].x[side]
	t.halve(low, mid, leaf)
	right := len(t.nodes)
	t.halve(mid, high, leaf)
	t.nodes[n].split, t.nodes[n].side, t.nodes[n].right = split, int32(side), int32(right)
}

// widest is the feature in which points differ most; ties: the first.
func (t *kdTree) widest(points []point) (side int) {
	least, most := points[0].x, points[0].x
	for i := range points {
		for f, v := range points[i].x {
			least[f], most[f] = min(least[f], v), max(most[f], v)
		}
	}
	for f := range features {
		if (most[f]-least[f])*t.scale[f] > (most[side]-least[side])*t.scale[side] {
			side = f
		}
	}
	return side
}

// selectMedian moves the points of the k smallest values of a feature before position k, and the next one there.
// Source: Hoare, CACM 1961. Differs: after more rounds than usual it sorts the rest.
func selectMedian(p []point, k, side int) {
	for rounds := 3 * bits.Len(uint(len(p))); len(p) > 16 && rounds > 0; rounds-- {
		a, b, c := p[0].x[side], p[len(p)/2].x[side], p[len(p)-1].x[side]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := 0, len(p)-1
		for i <= j {
			for p[i].x[side] < pivot {
				i++
			}
			for p[j].x[side] > pivot {
				j--
			}
			if i <= j {
				p[i], p[j] = p[j], p[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			p = p[:j+1]
		case k >= i:
			p, k = p[i:], k-i
		default:
			return
		}
	}
	slices.SortFunc(p, func(a, b point) int { return cmp.Compare(a.x[side], b.x[side]) })
}

// candidate is a point with its squared distance.
type candidate struct {
	square float64
	id     int32
}

// nearest searches trees; it keeps its memory from one search to the next.
type nearest struct {
	t     *kdTree
	x     [features]float64
	k     int                // runs wanted
	total int                // runs of the points in heap
	limit float64            // squared distance from which on points are not needed
	heap  heap.Heap[float64] // indices of points by their squared distance, negated: the farthest first
}

// search leaves the points of the k nearest runs in heap, the farthest first. All points nearer than that are there; of
// those at that distance, any.
func (n *nearest) search(t *kdTree, x [features]float64, k int) {
	n.t, n.x, n.k, n.total, n.limit, n.heap = t, x, k, 0, math.Inf(1), n.heap[:0]
	n.visit(0, [features]float64{})
}

// visit looks at the points of a node; away are the distances of x from its box.
func (n *nearest) visit(node int32, away [features]float64) {
	for {
		d := &n.t.nodes[node]
		if d.side < 0 {
			for i := d.low; i < d.high; i++ {
				p := &n.t.points[i]
				if s := n.t.square(&n.x, &p.x); s < n.limit {
					n.keep(i, s)
				}
			}
			return
		}
		near, far, other, square := n.branch(node, d, away)
		n.visit(near, away)
		if square >= n.limit {
			return
		}
		node, away = far, other
	}
}

// branch returns the child of a node on x's side, the other child, and how far away that is.
func (n *nearest) branch(node int32, d *kdNode, away [features]float64) (near, far int32, other [features]float64,
	square float64) {
	near, far = node+1, d.right
	gap := (n.x[d.side] - d.split) * n.t.scale[d.side]
	if gap > 0 {
		near, far = far, near
	}
	other = away
	other[d.side] = gap
	return near, far, other, float64(other[0]*other[0]) + float64(other[1]*other[1]) + float64(other[2]*other[2])
}

// keep adds a point to the heap and drops those that are no longer needed.
func (n *nearest) keep(i int32, square float64) {
	n.heap.Push(heap.Item[float64]{Key: -square, Index: i})
	n.total += int(n.t.points[i].count)
	for {
		rest := n.total - int(n.t.points[n.heap[0].Index].count)
		if rest < n.k {
			break
		}
		n.total = rest
		n.heap.Pop()
	}
	if n.total >= n.k {
		n.limit = -n.heap[0].Key
	}
}

// within lists the points up to a squared distance, in no particular order. It leaves the heap alone.
func (n *nearest) within(t *kdTree, x [features]float64, square float64) (list []candidate) {
	n.t, n.x = t, x
	var visit func(node int32, away [features]float64)
	visit = func(node int32, away [features]float64) {
		d := &t.nodes[node]
		if d.side < 0 {
			for i := d.low; i < d.high; i++ {
				if s := t.square(&x, &t.points[i].x); s <= square {
					list = append(list, candidate{s, t.points[i].id})
				}
			}
			return
		}
		near, far, other, least := n.branch(node, d, away)
		visit(near, away)
		if least <= square {
			visit(far, other)
		}
	}
	visit(0, [features]float64{})
	return list
}
