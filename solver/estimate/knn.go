package estimate

import (
	"cmp"
	"math"
	"math/big"
	"slices"
)

// features is how many numbers runs are compared by: bytes, cores, memory.
const features = 3

// sample is one past run: its features, NaN where one is unknown, its time in microseconds, and its row.
type sample struct {
	x   [features]float64
	y   float64
	row int32
}

// knn is a k-nearest-neighbour regression with Epanechnikov weights over past runs.
//
// Distances are Euclidean: in bytes, and in percent of the most cores and the most memory; or, if scaled, on features
// divided by their standard deviation. A feature that does not vary contributes nothing; an unknown one, of a run or a
// query, is the mean of the known ones. Runs that agree in all features are one point: 10⁶ maps of one block size cost
// no more than one.
//
// Ties among the k nearest runs need no rule: runs as far away as the farthest, at distance R, have weight 0. If all of
// the k nearest are at R, the estimate is the plain mean of all runs at R, also beyond the k-th. Distances count as
// equal if their squares differ by less than one part in 10⁹, so that rounding decides nothing.
//
// Source: DynamicShare, equations 1–2; Epanechnikov 1969.
type knn struct {
	k    int
	mean [features]float64
	line line
	runs []group // by point

	near nearest    // scratch
	list []weighted // scratch
}

// group are the runs of one point: how many, and the sum, least and largest of their times.
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

// newKNN learns from at least one sample; it reorders them. k is at most limit. O(n log n).
func newKNN(samples []sample, limit int, scaled bool) *knn {
	m := &knn{k: neighbours(len(samples), limit)}
	var scale [features]float64
	for f := range features {
		m.mean[f], scale[f] = standard(samples, f, scaled)
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
	var points []point
	for i := range samples {
		s := &samples[i]
		if i == 0 || s.x != samples[i-1].x {
			points = append(points, point{x: s.x, id: int32(len(m.runs))})
			m.runs = append(m.runs, group{0, 0, s.y, s.y})
		}
		g := &m.runs[len(m.runs)-1]
		g.n, g.sum, g.least, g.most = g.n+1, g.sum+s.y, min(g.least, s.y), max(g.most, s.y)
		points[len(points)-1].count++
	}
	m.line = newLine(points, scale)
	return m
}

// standard returns the mean of the known values of a feature and by what differences are multiplied; 0 if they do not
// vary.
func standard(samples []sample, f int, scaled bool) (mean, scale float64) {
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
	switch {
	case scaled:
		scale = math.Sqrt(n / squares)
	case f == 0:
		scale = 1
	default:
		scale = 100 / most
	}
	if math.IsInf(scale, 0) || math.IsNaN(scale) || math.IsInf(mean, 0) { // beyond the range of floating-point numbers
		return 0, 0
	}
	return mean, scale
}

// at replaces the unknown features of a query, NaN, by the mean, and those that do not vary by 0.
func (m *knn) at(x [features]float64) [features]float64 {
	for f := range features {
		switch {
		case m.line.scale[f] == 0:
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
// the least and the largest time of these runs.
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

// averaged lists the points that an estimate averages, by number, and the square of R. Weights are K_R, or 1 if that is
// 0 everywhere. The list is valid until the next call.
func (m *knn) averaged(x [features]float64) (list []weighted, farthest float64) {
	m.near.search(&m.line, x, m.k)
	farthest = -m.near.heap[0].Key
	list = m.list[:0]
	for _, c := range m.near.heap {
		if k := kernel(-c.Key, farthest); k > 0 {
			list = append(list, weighted{m.line.points[c.Index].id, k})
		}
	}
	if len(list) == 0 {
		for _, c := range m.line.within(x, farthest*(1+sameSquare)) {
			list = append(list, weighted{c.id, 1})
		}
	}
	// Sums are rounded, so the line's order must not decide theirs.
	slices.SortFunc(list, func(a, b weighted) int { return int(a.id - b.id) })
	m.list = list
	return list, farthest
}
