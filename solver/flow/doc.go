// Package flow solves network flow problems exactly, in integers, on flat arrays. It does not depend on any scheduling
// problem. What comes in is a [Network] or a [Bipartite]; read maxflow.go first, then semimatching.go.
//
//	maximum flow              NewMaxFlow, Solve           Dinic                               maxflow.go
//	minimum cut               SmallestCut                 from the residual network           maxflow.go
//	balanced semi-matching    Balance                     all capacities of one side at once  semimatching.go
//
// The tests check every answer with code that the solvers do not share: flow against cut. [WriteDIMACS] hands networks,
// also those of minimum-cost flows, to other programs.
//
// # The problem
//
//	maximum flow        maximise v              subject to  out_i(x) − in_i(x) = v, 0, −v  at source, inside, sink
//	                    with                    0 <= x_a <= u_a for every arc a
//
// Capacities may be [Infinite], but not those of a whole path. Parallel arcs and loops are allowed.
//
// # Determinism
//
// Results depend on the network and on the order of its arcs only. Nothing is parallel.
package flow
