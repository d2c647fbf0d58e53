// Package msjo solves the MapReduce server-job organizer problem: the LP relaxation of Ling et al. (JPDC 2016) in its
// published form and collapsed to one variable per job, MarS, T-MarS, MARES, rules, a search and branch and bound.
//
// docs/mathematics.md states the LPs and holds the proofs: the collapse, the guarantees of MarS and T-MarS, and the
// lower bounds that follow from prices.
//
// # Symbols
//
// Symbols are those of mrsched/model/msjo: r_j, w_j, p_u, d_uv; head h_u, tail L_u, c_j = completion of job j on an
// empty cluster. M_u = S_u + p_u/2 is the midpoint of task u, e_u = c_j − L_u − p_u/2 its midpoint on an empty cluster
// that delays its job's end no further, and δ_j = C_j − c_j.
//
// # Search
//
// best starts from the cheapest schedule of all algorithms that search nothing (firstSchedule) and anneals. It seldom
// solves MARES's LP for that: prices prove a bound on every schedule that keeps to MARES's machines, and as soon as it
// reaches the cost of a known schedule, neither mares nor h-mares can be cheaper (assignedBound).
//
// Under the job objective best anneals a vector of due times, one per job, plus offsets of single tasks (jobMoves). Due
// times become latest starts, latest starts a list schedule, and justifying it right and left (engine.justify) makes no
// job later. The reached completions are the next due times, so that some schedule always keeps the vector.
//
// Under the task objective it anneals the order of the tasks (taskMoves). There justifying has nothing to gain, because
// every task has a cost of its own.
//
// # Limits
//
// Every Solve bounds the optimum first, in a share of the time (boundShare), then makes schedules, then searches. The
// bounds do not depend on which algorithm asks for them: the time-indexed one aims at the cost of mars-list's schedule.
// A bound that a limit cut short is valid, but the next Solve computes it again (kept).
//
// # Flows
//
// Under prices of machine time alone, all tasks of a job may use the same cheap moment at once. job-flows forbids
// that: for each completion C of a job, its work flows to cells of time at the least price, a group of tasks at most
// as fast as its tasks can go, the job at most as fast as m machines (flowNetwork). That is the pricing problem of a
// Dantzig–Wolfe decomposition whose columns are completions with flows. The volume algorithm climbs in λ as for
// time-indexed and remembers the flows of each completion, so that an iteration solves only a few again
// (flows.nearly). The dual solution of a flow are the job's own prices ν, and the certificate holds them for some
// completions: each entry covers those after the one before it.
//
// # Exact
//
// exact is branch and bound over orders of tasks (exactSearch). It remembers dominated nodes (exactMemo) and computes
// two bounds at every node (exactBound): the orders in which jobs may complete on machines of limited capacity, and
// prices from the LP at the root, kept fixed. Which bound is better depends on the jobs. With 15 tasks in two or three
// jobs of half seconds the LP misses the optimum by 19 %, the LP with heads by 13 %, orders of completion by 6 %; with
// five jobs of the preset mars, thinned to 15 tasks, it is 7 %, 5 % and 16 %. Solving the LP takes some 50 to 100 times
// as long as the orders, so the search uses only its prices.
//
// Two MILPs for lp_solve were compared with it (milp_model_test.go, BenchmarkExact): successors on machines, with big-M
// from windows and the LP's inequalities, and one binary for each task and half second. The second is the better. On
// two machines it takes some 60, 300, 2000 and 3000 times as long as exact at 5, 6, 7 and 8 tasks.
package msjo
