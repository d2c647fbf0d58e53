package model

// Indices are 0 … n−1.
func Indices(n int) []int32 {
	list := make([]int32, n)
	for k := range list {
		list[k] = int32(k)
	}
	return list
}

// CompressedRows sorts n pairs (row, value) by row: the values of row i are value[first[i]:first[i+1]], in the order of
// the pairs. Pairs of a negative row are left out.
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
