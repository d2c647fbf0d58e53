// Package flow solves network flow problems exactly, in integers, on flat arrays. It does not depend on any scheduling
// problem. Read builder.go first, then maxflow.go.
//
// A [Builder] collects nodes and arcs, [Builder.Build] freezes them into a [Network], and the algorithms work on that
// (semi-matchings on a [Bipartite]):
//
//	maximum flow              NewMaxFlow, Solve           Dinic                               maxflow.go
//	minimum cut               SmallestCut                 from the residual network           maxflow.go
//	balanced semi-matching    Balance                     all capacities of one side at once  semimatching.go
//
// The tests check every answer with code that the solvers do not share: flow against cut. [WriteDIMACS] hands networks,
// also those of minimum-cost flows, to other programs.
//
// # The problems
//
//	maximum flow        maximise v              subject to  out_i(x) − in_i(x) = v, 0, −v  at source, inside, sink
//	                    with                    0 <= x_a <= u_a for every arc a
//
// Capacities may be [Infinite]. The finite capacities, the supplies and the demands add up to at most [MaxTotal] each,
// so that no sum of flows leaves int64. Parallel arcs and loops are allowed.
//
// # Call status and outcome
//
// An error says that a call could not run (bad input, numbers beyond int64). What a solve found out is a [Status].
//
// # Determinism
//
// Results depend on the network and on the order of its arcs only. Nothing is parallel; a [Network] is immutable and
// may be shared by goroutines, solvers may not.
//
// # Memory
//
// For n nodes and m arcs, in bytes: a Network 4n + 28m, where there are supplies 8n more, for costs 8m more, and while
// it is built 4n + 8m more; a [MaxFlow] 12n + 16m, 8m more once capacities change.
//
// # Symbols
//
//	n, m            Network.NumNodes, Network.NumArcs
//	u_a, c_a        Network.Capacity, Network.Cost
//	b_i             Network.Supply: flow that enters the network at i; negative: a demand
//	x_a             Flow
package flow
