//go:build nightly

package campaign

import "mrsched/solver/lp/lpsolve"

// cHeap is how many bytes C code holds.
func cHeap() int64 { return lpsolve.Allocated() }
