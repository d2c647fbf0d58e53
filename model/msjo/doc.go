// Package msjo is the MapReduce server-job organizer problem of Ling et al. (JPDC 2016):
// P | intra-job precedence with delays, r_j | Σ w_j C_j.
//
// # Model
//
// Identical machines run tasks without preemption, one at a time. A job's reduces start after all its maps have ended
// and their shuffle delays have passed; a job for which the workload states rows of `delays` has exactly that
// precedence instead (a general directed acyclic graph). A job completes with its last task. The objective is the total
// weighted completion time of the jobs, TWJCT, or of the tasks, TWTCT = Σ W_u C_u.
//
//	paper   code               unit
//	r_j     Earliest[u]        Time, per node: the job's release or the task's own, the later
//	w_j     Weight[j]          Weight
//	W_u     TaskWeight[u]      Weight, the task's own or its job's
//	p_u     Processing[u]      Time
//	d_uv    SuccDelay          Time
//	|M|     Machines
//	h_u     Head[u]            earliest start of u on an empty cluster
//	L_u     Tail[u]            longest path from u's end to its job's end
//	c_j     Alone[j]           job j's completion on an empty cluster
//	e_u     c_j − L_u − p_u/2  latest midpoint of u if its job completes at c_j (TwiceMidpoint: 2e_u)
//
// # Barriers
//
// A map-reduce job with k maps and l reduces has k·l precedence pairs. They are kept as k + l arcs through
// one node of length zero that needs no machine: the barrier. So nodes 0 … Tasks−1 are tasks and nodes
// Tasks … Nodes−1 are barriers, and every algorithm sees one kind of arc.
package msjo
