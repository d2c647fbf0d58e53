package realtime

import (
	"math"

	"mrsched/model"
)

// Sketch is a Count-Min sketch: cell (i, j) counts the data of the keys that row i's hash puts into partition j. Read
// as partitioners, its rows hold the exact sizes of the partitions that their hashes make.
//
// Source: Cormode, Muthukrishnan, J. Algorithms 2005.
type Sketch struct {
	Hashes []Hash
	Cells  [][]int64 // by row, by partition
}

// SketchRows is d = ⌈ln 1/δ⌉, at least 1: a point query errs by more than ε of all data with probability at most δ.
func SketchRows(delta float64) int { return max(1, int(math.Ceil(math.Log(1/delta)))) }

// SketchError is ε = e/p, the share of all data by which a point query may overestimate a key.
func SketchError(partitions int) float64 { return math.E / float64(partitions) }

// NewSketch is an empty sketch.
func NewSketch(hashes []Hash, partitions int) *Sketch {
	s := &Sketch{Hashes: hashes, Cells: make([][]int64, len(hashes))}
	for i := range s.Cells {
		s.Cells[i] = make([]int64, partitions)
	}
	return s
}

// Add counts data of a key.
func (s *Sketch) Add(key string, bytes model.Bytes) {
	x := Point(key)
	for i, h := range s.Hashes {
		s.Cells[i][h.Of(x, len(s.Cells[i]))] += int64(bytes)
	}
}

// sketchOf is the global sketch of a job's keys. Sketches are linear: it is the sum of those of the maps, which
// therefore are not made one by one.
func sketchOf(keys []model.KeyData, hashes []Hash, partitions int) *Sketch {
	s := NewSketch(hashes, partitions)
	for i := range keys {
		s.Add(keys[i].Key, keys[i].Bytes)
	}
	return s
}
