package reduceplace

import (
	"cmp"
	"maps"
	"math/big"
	"math/bits"
	"slices"
)

// fractions adds products over small divisors exactly: one integer a divisor, since a big.Rat that grows by one
// fraction at a time is reduced each time. The zero value is 0.
type fractions struct {
	sum  map[int64]*words192
	last *words192 // of divisor by
	by   int64
}

// words192 is an integer of 192 bits, the lowest first: room for 2^64 products.
type words192 [3]uint64

// add adds a·b/by.
func (f *fractions) add(a, b uint64, by int64) {
	if f.by != by {
		if f.sum == nil {
			f.sum = map[int64]*words192{}
		}
		if f.sum[by] == nil {
			f.sum[by] = new(words192)
		}
		f.last, f.by = f.sum[by], by
	}
	high, low := bits.Mul64(a, b)
	w, carry := f.last, uint64(0)
	w[0], carry = bits.Add64(w[0], low, 0)
	w[1], carry = bits.Add64(w[1], high, carry)
	w[2] += carry
}

// total is the sum of the fractions, of which each product has a cost in millionths.
func (f *fractions) total() *big.Rat {
	total, part := new(big.Rat), new(big.Rat)
	for _, by := range slices.SortedFunc(maps.Keys(f.sum), cmp.Compare[int64]) {
		total.Add(total, part.SetFrac(f.sum[by].int(), new(big.Int).Mul(big.NewInt(by), costUnit)))
	}
	return total
}

func (w *words192) int() *big.Int {
	v, word := new(big.Int), new(big.Int)
	for _, x := range slices.Backward(w[:]) {
		v.Lsh(v, 64)
		v.Add(v, word.SetUint64(x))
	}
	return v
}
