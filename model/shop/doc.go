// Package shop models all of a cluster: nodes of different size, speed and place, tasks that need several resources,
// precedence inside jobs and between them, deadlines, maintenance, and tasks that run already. It generalises
// P|prec|Cmax, R||Cmax, R||Σ w_j C_j, Σ w_j T_j and resource-constrained project scheduling. What comes in is a
// workload and a schedule or a certificate; an objective, a bound or violations go out. Read instance.go first, then
// graph.go, check.go and certificate.go.
//
// # Model
//
// A task runs on one node, without preemption, and takes its demand of every resource from its start to its end, end
// excluded; a task of length 0 takes nothing. The tasks of a node never need more of a resource than the node has. No
// task overlaps a time at which its node is unavailable.
//
//	notation  code                  unit
//	w_j       Weight[j]             Weight
//	r_j       Release[j]            Time
//	d_j       Due[j]                Time; Never without a deadline
//	a_ur      Demand[u·R + r]       millionths; bytes of memory
//	c_kr      Capacity[k·R + r]     the same, of each node of class k
//	p_ui      Length(u, i)          Time
//	p_u       Least[u]              the least length on a node that may run u
//	h_u       Head[u]               earliest start of u on an empty cluster
//	L_u       Tail[u]               longest path from u's end to its job's end
//	c_j       Alone[j]              the end of job j if every task ran as early and as fast as it can
//
// # Steps
//
// Tasks and barriers are the steps of a graph: steps 0 … Tasks−1 are tasks, the others take no time and no node. One
// barrier stands between the maps and the reduces of a job, one before all tasks of a job that depends on others, and
// one after all tasks of a job that others depend on. So k predecessors of l tasks take k + l arcs.
//
// # Classes
//
// Nodes that differ only in the blocks they hold form one class: they have the same capacities, speed and bandwidths,
// and the same rows of times. Lengths are kept by task and class, capacities by class.
//
// # Identical machines
//
// The problem msjo is the MapReduce server-job organizer problem of Ling et al. (JPDC 2016):
// P | intra-job precedence with delays, r_j | Σ w_j C_j, or Σ W_u C_u over the tasks. Its instances are Identical: one
// class of nodes, one resource of which every node has 1 and every task takes 1, no calendars, and no dependencies
// between jobs. A job's reduces start after all its maps have ended and their shuffle delays have passed; a job with
// rows of `delays` has exactly that precedence instead.
//
//	paper   code               unit
//	|M|     Nodes
//	r_j     Earliest[u]        Time, by step: the job's release or the task's own, the later
//	W_u     TaskWeight[u]      Weight, the task's own or its job's
//	d_uv    SuccDelay          Time
//	e_u     c_j − L_u − p_u/2  latest midpoint of u if its job completes at c_j (TwiceMidpoint: 2e_u)
package shop
