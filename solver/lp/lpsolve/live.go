package lpsolve

import "sync/atomic"

// live counts the problems inside lp_solve.
var live atomic.Int64

// Live returns how many problems this process holds inside lp_solve: those that New, Read and NewSolver made and nobody
// has closed. Each is memory outside the Go heap.
func Live() int64 { return live.Load() }
