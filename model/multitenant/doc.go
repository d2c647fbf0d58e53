// Package multitenant is the multi-tenant problem's view of a workload: users who share a cluster of racks whose
// uplinks are narrow; its metrics, checker and certificates. Nothing here depends on how schedules or bounds are found.
// What comes in is a workload and a schedule or a certificate; an objective, a bound or violations go out. Read
// instance.go first.
//
// Model (ShuffleWatcher, USENIX ATC 2014): nodes with map and reduce slots are in racks. A node moves at most its
// bandwidth inside its rack, a rack at most its uplink's to other racks, in each direction. Job j of a user arrives
// with maps, which read blocks and write V_j bytes, and R_j reduces, which fetch V_j/R_j bytes each, from every map in
// proportion to its output, and then compute.
//
//	paper                        code
//	users, racks                 Instance.Users, Instance.Racks
//	shuffle volume V             Instance.Shuffled
//	ShuffleInputRatio            Instance.Ratio
//	cross-rack bandwidth         Instance.Uplink
//	bandwidth inside a rack      Instance.Bandwidth
//
// A map on a node without a replica first reads its input, over the node's link and, outside its replicas' racks, over
// the uplinks of both racks; then it computes. A reduce may start before the maps end: it holds its slot, fetches the
// output that exists, and computes once it has all. The time of a transfer depends on the other transfers; the schedule
// states when tasks start and end, and the checker requires that every link can carry its transfers within the windows
// that these times leave.
//
// A task starts neither before its job arrives nor before its own release. Where a node states memory or cores, all
// tasks that run on it at the same time, maps and reduces, from their start to their end, need at most that much
// together; a reduce that waits for maps counts. Tasks that state no needs have none.
//
// A reduce that states output_bytes writes them to one other rack after it has computed, and then ends: as in HDFS, the
// first copy is on its node and the others are in one other rack, here a fixed one.
//
// Differs from the paper: a remote map reads from one fixed replica; the links
// inside a rack are pooled: what crosses them is bounded by the sum of its nodes' bandwidths, and each transfer by
// those of its own nodes.
package multitenant
