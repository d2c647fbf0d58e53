package realtime

import (
	"cmp"
	"math"
	"math/big"
	"slices"
)

// features are what runs are compared by: bytes, cpu, memory.
const features = 3

// sample is one past run: its features, NaN where one is unknown, what it took in microseconds, and its row.
type sample struct {
	x   [features]float64
	y   float64
	row int32
}

// knn is a k-NN regression with Epanechnikov weights over past runs.
//
// Distances are Euclidean on features over their standard deviation (the mean cancels out); a feature that does not
// vary contributes nothing; an unknown one, of a run or a query, is the mean of the known. Runs that agree in all
// features are one point: 10⁶ maps of one block size cost no more than one.
//
// The k nearest runs need no rule for ties: those as far away as the farthest, at R, have weight 0, and where all are,
// the estimate is the plain mean of all runs at R, also beyond the k-th. Distances count as equal if their squares
// differ by less than one part in 10⁹, so that rounding decides nothing.
//
// Source: DynamicShare, equations 1–2; Epanechnikov, Theory Probab. Appl. 1969.
type knn struct {
	k     int
	mean  [features]float64
	tree  kdTree
	runs  []group // by point
	rows  []int32 // of history; those of point p are rows[first[p]:first[p+1]]
	first []int32

	near nearest    // scratch
	list []weighted // scratch
}

// group are the runs of one point: how many, and the sum, least and largest of what they took.
type group struct{ n, sum, least, most float64 }

// sameSquare is the relative difference below which squared distances are the same.
const sameSquare = 1e-9

// neighbours is k = ⌈n^{4/5}⌉, the least integer with k⁵ ≥ n⁴, at most limit.
func neighbours(n, limit int) int {
	power := func(x, e int64) *big.Int { return new(big.Int).Exp(big.NewInt(x), big.NewInt(e), nil) }
	want := power(int64(n), 4)
	k := max(1, int(math.Pow(float64(n), 0.8))-1) // below, in spite of rounding
	for k < limit && power(int64(k), 5).Cmp(want) < 0 {
		k++
	}
	return min(k, limit)
}

// kernel is K_R(d) = (1/R)·¾·(1 − (d/R)²) of the squares of d and R; 0 at R.
func kernel(square, farthest float64) float64 {
	if square >= farthest*(1-sameSquare) {
		return 0
	}
	return 0.75 * (1 - square/farthest) / math.Sqrt(farthest)
}

// scanned is up to how many points a query looks at all of them, leafPoints how many the leaves of larger k-d trees
// have.
const (
	scanned    = 2048
	leafPoints = 16
)

// newKNN learns from at least one sample, which it reorders; k is at most limit. Beyond scan points there is a tree.
// O(n log n).
func newKNN(samples []sample, limit, scan int) *knn {
	m := &knn{k: neighbours(len(samples), limit)}
	var scale [features]float64
	for f := range features {
		m.mean[f], scale[f] = standard(samples, f)
		for i := range samples {
			if x := &samples[i].x[f]; scale[f] == 0 {
				*x = 0
			} else if math.IsNaN(*x) {
				*x = m.mean[f]
			}
		}
	}
	slices.SortFunc(samples, func(a, b sample) int {
		return cmp.Or(cmp.Compare(a.x[0], b.x[0]), cmp.Compare(a.x[1], b.x[1]), cmp.Compare(a.x[2], b.x[2]),
			cmp.Compare(a.row, b.row))
	})
	m.rows = make([]int32, len(samples))
	var points []point
	for i := range samples {
		s := &samples[i]
		m.rows[i] = s.row
		if i == 0 || s.x != samples[i-1].x {
			points = append(points, point{x: s.x, id: int32(len(m.runs))})
			m.first, m.runs = append(m.first, int32(i)), append(m.runs, group{0, 0, s.y, s.y})
		}
		g := &m.runs[len(m.runs)-1]
		g.n, g.sum, g.least, g.most = g.n+1, g.sum+s.y, min(g.least, s.y), max(g.most, s.y)
		points[len(points)-1].count++
	}
	m.first = append(m.first, int32(len(samples)))
	leaf := leafPoints
	if len(points) <= scan {
		leaf = len(points)
	}
	m.tree = newKDTree(points, scale, leaf)
	return m
}

// standard is the mean of a feature where it is known, and one over its standard deviation; 0 if it does not vary.
func standard(samples []sample, f int) (mean, scale float64) {
	n, sum, least, most := 0.0, 0.0, math.Inf(1), math.Inf(-1)
	for i := range samples {
		if x := samples[i].x[f]; !math.IsNaN(x) {
			n, sum, least, most = n+1, sum+x, min(least, x), max(most, x)
		}
	}
	if n == 0 || least == most {
		return 0, 0
	}
	mean = sum / n
	squares := 0.0
	for i := range samples {
		if x := samples[i].x[f]; !math.IsNaN(x) {
			squares += float64((x - mean) * (x - mean))
		}
	}
	scale = math.Sqrt(n / squares)
	if math.IsInf(scale, 0) || math.IsNaN(scale) || math.IsInf(mean, 0) { // beyond floating point
		return 0, 0
	}
	return mean, scale
}

// at is the point that a query stands for, NaN being unknown.
func (m *knn) at(x [features]float64) [features]float64 {
	for f := range features {
		switch {
		case m.tree.scale[f] == 0:
			x[f] = 0
		case math.IsNaN(x[f]):
			x[f] = m.mean[f]
		}
	}
	return x
}

// weighted is a point with the weight K_R of each of its runs.
type weighted struct {
	id     int32
	weight float64
}

// estimate is Σ K_R y / Σ K_R over the k nearest runs, or the plain mean of those at R where Σ K_R = 0. It lies between
// the least and the largest of what these runs took.
func (m *knn) estimate(x [features]float64) float64 {
	list, _ := m.averaged(m.at(x))
	weights, sum, least, most := 0.0, 0.0, math.Inf(1), math.Inf(-1)
	for _, w := range list {
		g := &m.runs[w.id]
		weights += float64(w.weight * g.n)
		sum += float64(w.weight * g.sum)
		least, most = min(least, g.least), max(most, g.most)
	}
	return min(max(sum/weights, least), most)
}

// averaged lists the points that an estimate averages, by number, and the square of R. Weights are K_R; 1 where that is
// 0 everywhere. The list is good until the next call.
func (m *knn) averaged(x [features]float64) (list []weighted, farthest float64) {
	m.near.search(&m.tree, x, m.k)
	farthest = -m.near.heap[0].Key
	list = m.list[:0]
	for _, c := range m.near.heap {
		if k := kernel(-c.Key, farthest); k > 0 {
			list = append(list, weighted{m.tree.points[c.Index].id, k})
		}
	}
	if len(list) == 0 {
		for _, c := range m.near.within(&m.tree, x, farthest*(1+sameSquare)) {
			list = append(list, weighted{c.id, 1})
		}
	}
	// The tree's order is no part of the result: sums are rounded.
	slices.SortFunc(list, func(a, b weighted) int { return int(a.id - b.id) })
	m.list = list
	return list, farthest
}

// neighbour is a past run near a query.
type neighbour struct {
	row              int32
	distance, weight float64 // weights add up to 1 over all runs that an estimate averages
}

// explain lists the nearest runs within R, at most so many, and R; ties: the earlier row.
func (m *knn) explain(x [features]float64, most int) (near []neighbour, R float64) {
	x = m.at(x)
	list, farthest := m.averaged(x)
	share, sum := map[int32]float64{}, 0.0
	for _, w := range list {
		share[w.id] = w.weight
		sum += float64(w.weight * m.runs[w.id].n)
	}
	for _, c := range m.near.within(&m.tree, x, farthest*(1+sameSquare)) {
		for _, row := range m.rows[m.first[c.id]:m.first[c.id+1]] {
			near = append(near, neighbour{row, math.Sqrt(c.square), share[c.id] / sum})
		}
	}
	slices.SortFunc(near, func(a, b neighbour) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.row, b.row))
	})
	return near[:min(len(near), most)], math.Sqrt(farthest)
}
