//go:build !nightly

package campaign

// cHeap is how many bytes C code holds; only the full campaign measures it.
func cHeap() int64 { return 0 }
