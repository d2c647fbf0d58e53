// Package sim simulates: an event queue and a fluid network with max-min fair sharing, both in integers. It knows no
// problem. Read queue.go first, then network.go.
//
//	events in the order of time, kind, insertion       Queue                                        queue.go
//	max-min fair rates                                 allocator                                    allocator.go
//	racks, their uplinks, their nodes' links           Topology, Link                               topology.go
//	flows over them, from start to completion          Network: Start, Advance, NextCompletion     network.go, advance.go
//
// # The network
//
// Every rack has a link out to a core without limits and a link in from it ([RackOut], [RackIn]). The links of its
// nodes may count as one ([PoolDown]), which is crossed by flows that end in the rack. A flow that crosses no link and
// has no limit of its own completes the moment it starts.
//
// A [Flow] of weight n stands for n equal flows, each with a share of its own: the n reduces of one rack that fetch
// from another are one flow.
//
// # Fairness
//
// The rate of one of the n flows is its level. Levels are max-min fair by progressive filling: all levels rise together
// until a link is full; its flows keep their level, the others continue to rise. A flow's limit is a full link of its
// own. Hence every flow has a bottleneck: its limit, or a full link on which no level is higher. Source: Bertsekas and
// Gallager, Data Networks, 1992, section 6.5.2.
//
// Flows with the same route and limit have the same level. They form a class, and the filling sees classes only: at
// most one per pair of racks, however many jobs there are. Within a class every flow receives the same service S(t),
// the integral of the level, so a flow completes when S reaches a target that was known when it started (processor
// sharing in virtual time). A change of rates therefore costs O(1) per class, not O(1) per flow.
//
// # What is computed again
//
// Changes mark the links of their class; nothing is computed before a rate or a completion is requested, so that
// changes of the same instant share one filling. The filling covers the links that the marked ones reach through common
// classes. Nothing else can change: progressive filling of a set of links that shares no class with any other link
// never looks at the other. The result is the same to the last bit as filling everything, since bottlenecks are taken
// in the order of level, then of link, which other components do not influence. A filling of k classes with u uses of
// links and m links takes O(u + m log m) without limits.
//
// # Exactness
//
// Rates are integers of 1/1024 byte per second ([Rate]), times integers of a microsecond, so service is counted in
// units of 1/(1024·10⁶) byte, in 128 bits, without any rounding. What is rounded, and where:
//
//   - A level is rounded down, to left / weight of the bottleneck. So no link ever carries more than its capacity, not
//     by one unit; on a full link less than one unit of rate a flow is left. A level is 0 only where a link has more
//     flows than units, 1024 for each byte per second: such flows wait until others are gone, perhaps forever.
//   - A completion is rounded up to the next microsecond, or to the next multiple of a longer step ([Network.Coarsen]).
//     The flow counts as its volume, exactly: the level of that last fraction is not given to anybody else, and is no
//     byte on any link.
//
// # Determinism
//
// Results depend on the calls and their order. The levels depend on the set of flows alone, not on the order in which
// they started; flows that complete together are reported in the order of their start. Nothing is parallel.
package sim
