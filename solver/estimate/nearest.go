package estimate

import (
	"cmp"
	"math"
	"slices"

	"mrsched/model/heap"
)

// point is a point in the space of features with the runs that lie there.
type point struct {
	x     [features]float64
	id    int32 // from 0; its place in the line is another
	count int32 // runs
}

// cellWidth is how near points are to each other for the choice of the feature that sorts them.
const cellWidth = 0.1

// line is points sorted by the feature in which the fewest of them are near each other. Points whose values of that
// feature are too far from a query's need not be looked at.
type line struct {
	points []point
	scale  [features]float64 // of differences; 0: a feature that contributes nothing
	side   int               // the feature that sorts them; ties: the first
	unit   float64           // its scale
}

// newLine sorts points. O(n log n).
func newLine(points []point, scale [features]float64) line {
	t := line{points: points, scale: scale}
	least := math.Inf(1)
	for f := range features {
		cells, sum := map[float64]float64{}, 0.0
		for i := range points {
			cell := math.Floor(points[i].x[f] * scale[f] / cellWidth)
			sum += 2*cells[cell] + 1 // to the square of the number of points
			cells[cell]++
		}
		if sum < least {
			t.side, least = f, sum
		}
	}
	t.unit = scale[t.side]
	slices.SortStableFunc(points, func(a, b point) int { return cmp.Compare(a.x[t.side], b.x[t.side]) })
	return t
}

// square is the squared distance of two points. Products are rounded before they are added, so that all machines agree
// and a sum never exceeds one with more or larger terms.
func (t *line) square(a, b *[features]float64) float64 {
	u, v, w := (a[0]-b[0])*t.scale[0], (a[1]-b[1])*t.scale[1], (a[2]-b[2])*t.scale[2]
	return float64(u*u) + float64(v*v) + float64(w*w)
}

// outward visits the points of a line by rising distance from a query in the line's feature.
type outward struct {
	t           *line
	x           float64
	left, right int // the next points on either side
}

func (t *line) outward(x *[features]float64) outward {
	i, _ := slices.BinarySearchFunc(t.points, x[t.side], func(p point, v float64) int {
		return cmp.Compare(p.x[t.side], v)
	})
	return outward{t, x[t.side], i - 1, i}
}

// next returns the next point and its squared distance in the line's feature, which no distance is below; infinity
// after the last one.
func (o *outward) next() (i int, square float64) {
	before, after := o.gap(o.left), o.gap(o.right)
	if before <= after {
		i = o.left
		o.left--
		return i, before
	}
	i = o.right
	o.right++
	return i, after
}

func (o *outward) gap(i int) float64 {
	if i < 0 || i >= len(o.t.points) {
		return math.Inf(1)
	}
	d := (o.x - o.t.points[i].x[o.t.side]) * o.t.unit
	return d * d
}

// candidate is a point with its squared distance.
type candidate struct {
	square float64
	id     int32
}

// nearest searches lines; it keeps its memory from one search to the next.
type nearest struct {
	t     *line
	k     int                // runs wanted
	total int                // runs of the points in heap
	limit float64            // squared distance from which on points are not needed
	heap  heap.Heap[float64] // indices of points by their squared distance, negated: the farthest first
}

// search leaves the points of the k nearest runs in heap, the farthest first. All points nearer than that are there; of
// those at that distance, any.
func (n *nearest) search(t *line, x [features]float64, k int) {
	n.t, n.k, n.total, n.limit, n.heap = t, k, 0, math.Inf(1), n.heap[:0]
	for o := t.outward(&x); ; {
		i, gap := o.next()
		if gap >= n.limit {
			return
		}
		if s := t.square(&x, &t.points[i].x); s < n.limit {
			n.keep(int32(i), s)
		}
	}
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

// within lists the points up to a squared distance, in no particular order.
func (t *line) within(x [features]float64, square float64) (list []candidate) {
	for o := t.outward(&x); ; {
		i, gap := o.next()
		if gap > square || math.IsInf(gap, 1) {
			return list
		}
		if s := t.square(&x, &t.points[i].x); s <= square {
			list = append(list, candidate{s, t.points[i].id})
		}
	}
}
