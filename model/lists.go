package model

import (
	"cmp"
	"math/big"
	"math/bits"
	"slices"
)

// Indices returns 0 … n−1.
func Indices(n int) []int32 {
	list := make([]int32, n)
	for k := range list {
		list[k] = int32(k)
	}
	return list
}

// Ordered lists 0 … n−1 by a comparison; ties: the lower index.
func Ordered(n int, compare func(a, b int32) int) []int32 {
	list := Indices(n)
	slices.SortStableFunc(list, compare)
	return list
}

// CompressedRows sorts n pairs (row, value) by row: the values of row i are value[first[i]:first[i+1]], in the order of
// the pairs. Pairs with a negative row are left out.
func CompressedRows(rows, n int, pair func(k int) (row, value int32)) (first, value []int32) {
	first = make([]int32, rows+1)
	for k := range n {
		if row, _ := pair(k); row >= 0 {
			first[row+1]++
		}
	}
	for i := range rows {
		first[i+1] += first[i]
	}
	next := append([]int32(nil), first...)
	value = make([]int32, first[rows])
	for k := range n {
		if row, v := pair(k); row >= 0 {
			value[next[row]] = v
			next[row]++
		}
	}
	return first, value
}

// Wide is an unsigned integer of 128 bits. Sums and products that need more wrap around.
type Wide struct{ High, Low uint64 }

// Product is a·b.
func Product(a, b uint64) Wide {
	high, low := bits.Mul64(a, b)
	return Wide{high, low}
}

// Plus is a + b.
func (a Wide) Plus(b Wide) Wide {
	low, carry := bits.Add64(a.Low, b.Low, 0)
	return Wide{a.High + b.High + carry, low}
}

// Minus is a − b.
func (a Wide) Minus(b Wide) Wide {
	low, borrow := bits.Sub64(a.Low, b.Low, 0)
	return Wide{a.High - b.High - borrow, low}
}

// Times is a·x.
func (a Wide) Times(x uint64) Wide {
	high, low := bits.Mul64(a.Low, x)
	return Wide{high + a.High*x, low}
}

// Less says whether a < b.
func (a Wide) Less(b Wide) bool { return a.High < b.High || a.High == b.High && a.Low < b.Low }

// Compare is −1 if a < b, 1 if a > b, else 0.
func (a Wide) Compare(b Wide) int {
	return cmp.Or(cmp.Compare(a.High, b.High), cmp.Compare(a.Low, b.Low))
}

// Float is a as a float64, rounded.
func (a Wide) Float() float64 { return float64(float64(a.High)*(1<<64)) + float64(a.Low) }

// Into sets v to a.
func (a Wide) Into(v *big.Int) *big.Int {
	v.SetUint64(a.High)
	return v.Or(v.Lsh(v, 64), new(big.Int).SetUint64(a.Low))
}
