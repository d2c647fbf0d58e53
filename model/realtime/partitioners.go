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

// SketchRows is d = ⌈ln 1/δ⌉, at least 1: a point query errs by more than ε of all data with probability at most δ.
func SketchRows(delta float64) int { return max(1, int(math.Ceil(math.Log(1/delta)))) }

// sketch is a Count-Min sketch of a job's keys, by row of hashes: each holds the data of the keys that its hash puts
// into each partition. Read as partitioners, the rows hold the exact sizes of the partitions that their hashes make. In
// the paper, each map makes a local sketch of its output, and the global one is their sum.
//
// Source: Cormode, Muthukrishnan, J. Algorithms 2005; DynamicShare, equations 6 and 7.
func sketch(keys []model.KeyData, hashes []Hash, partitions int) [][]int64 {
	cells := make([][]int64, len(hashes))
	for i := range cells {
		cells[i] = make([]int64, partitions)
	}
	for k := range keys {
		x := Point(keys[k].Key)
		for i, h := range hashes {
			cells[i][h.Of(x, partitions)] += int64(keys[k].Bytes)
		}
	}
	return cells
}
