package realtime

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"mrsched/model"
)

// hadoopHash is the hash code of Hadoop's Text: 31·h + byte starting from 1, with signed bytes, in 32 bits.
func hadoopHash(key string) int32 {
	h := int32(1)
	for i := range len(key) {
		h = 31*h + int32(int8(key[i]))
	}
	return h
}

// HadoopPartition is where Hadoop's HashPartitioner puts a key: the hash code without its sign, mod partitions.
func HadoopPartition(key string, partitions int) int {
	return int(hadoopHash(key)&0x7fffffff) % partitions
}

// prime is the Mersenne prime 2⁶¹ − 1.
const prime = 1<<61 - 1

// Hash is ((a·x + b) mod prime) mod p, pairwise independent over random a and b.
type Hash struct{ A, B uint64 }

// NewHashes draws hash functions.
func NewHashes(count int, seed uint64) []Hash {
	r := rand.New(rand.NewPCG(seed, 0x636d73)) // an independent stream
	list := make([]Hash, count)
	for i := range list {
		list[i] = Hash{1 + r.Uint64N(prime-1), r.Uint64N(prime)}
	}
	return list
}

// Point is the x of a key: its 64-bit FNV-1a hash mod prime. Keys that share it share their partition in every row.
func Point(key string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(key) {
		h = (h ^ uint64(key[i])) * 1099511628211
	}
	return h % prime
}

// Of is where the hash puts a point.
func (h Hash) Of(x uint64, partitions int) int {
	high, low := bits.Mul64(h.A, x) // below 2¹²²
	r := (low & prime) + (high<<3 | low>>61)
	if r >= prime {
		r -= prime
	}
	if r += h.B; r >= prime {
		r -= prime
	}
	return int(r % uint64(partitions))
}

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

// sketchOf is the global sketch of a job's keys, and the number of local ones that it is made of. In the paper, each
// map makes a local sketch of its output, and the global one is their sum. Rows that name no map share one.
//
// Source: DynamicShare, equations 6 and 7.
func sketchOf(keys []model.KeyData, hashes []Hash, partitions int) (global *Sketch, local int) {
	maps := map[string]bool{}
	global = NewSketch(hashes, partitions)
	for i := range keys {
		global.Add(keys[i].Key, keys[i].Bytes)
		maps[keys[i].Map] = true
	}
	return global, len(maps)
}

// counterBytes is the size of a counter of a sketch.
const counterBytes = 8

// SketchSize is the number of local sketches of all jobs, and the bytes that maps send to the master with them: d·p
// counters each.
func (in *Instance) SketchSize() (local, bytes int64) {
	for j, n := range in.localSketches {
		for _, s := range in.SetsOf(int32(j))[1:] {
			bytes += int64(n) * int64(s.Count) * counterBytes
		}
		local += int64(n)
	}
	return local, bytes
}
