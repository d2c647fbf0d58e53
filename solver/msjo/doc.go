// Package msjo solves the MapReduce server-job organizer problem: the LP relaxation of Ling et al. (JPDC 2016) in its
// published form and collapsed to one variable per job, MarS, T-MarS, MARES, rules, a search and branch and bound. What
// comes in is a shop.Instance of identical machines; a schedule and certificates go out. Read problem.go first: it has
// the table of algorithms; best.go is the default one.
//
// docs/mathematics.md states the LPs and holds the proofs: the collapse, the guarantees of MarS and T-MarS, and the
// lower bounds that follow from prices.
//
// # Symbols
//
// Symbols are those of mrsched/model/shop: r_j, w_j, p_u, d_uv; head h_u, tail L_u, c_j = completion of job j on an
// empty cluster. M_u = S_u + p_u/2 is the midpoint of task u, e_u = c_j − L_u − p_u/2 its midpoint on an empty cluster
// that delays its job's end no further, and δ_j = C_j − c_j.
//
// # Search
//
// best starts from the cheapest schedule of all algorithms without search and of the engine (first) and anneals.
//
// Under the job objective best anneals keys of tasks (chain), which become a list schedule. Justifying it right and
// left (engine.justify) makes no job later. Now and then the completions reached become due times, and the latest
// starts under them the keys.
//
// Under the task objective it does the same without justifying, which gains nothing, because every task has its own
// cost.
//
// # Limits
//
// Every Solve computes bounds first, in a share of the time (boundShare), then makes schedules, then searches. The
// bounds do not depend on the algorithm: the time-indexed one always aims at the cost of mars-list's schedule. A bound
// that a limit cut short is valid, but the next Solve computes it again (kept).
//
// # Flows
//
// Under prices of machine time alone, all tasks of a job may use the same cheap moment at once. job-flows forbids that.
// For each completion C of a job, its work flows to cells of time at the least price: a group of tasks at most as fast
// as its tasks can run, the job at most as fast as m machines (flowNetwork). That is the pricing problem of a
// Dantzig–Wolfe decomposition whose columns are completions with flows. The volume algorithm climbs in λ as for
// time-indexed. It stores the flows of each completion, so an iteration solves only a few again (flows.nearly). The
// dual solution of a flow gives the job's own prices ν. The certificate holds them for some completions: each entry
// covers the completions after the previous one.
//
// # Cases
//
// The best λ of flows corresponds to an average of schedules in which a job completes at several times. job-cases
// divides the schedules by the completions of jobs, each case with prices of its own (flows.cases). A case limits the
// completions of jobs. All cases share the stored flows, because a flow stays possible under any λ.
//
// # Exact
//
// exact is branch and bound over orders of tasks (exactSearch). It stores nodes to detect dominated ones (exactMemo).
// At every node it computes two bounds (exactBound): over the orders in which jobs may complete on machines of limited
// capacity, and from prices of the LP at the root, kept fixed. Which bound is better depends on the jobs. With 15 tasks
// in two or three jobs of half seconds the LP misses the optimum by 19 %, the LP with heads by 13 %, orders of
// completion by 6 %. With five jobs of the preset mars, thinned to 15 tasks, it is 7 %, 5 % and 16 %. Solving the LP
// takes some 50 to 100 times as long as the orders, so the search uses only its prices.
//
// Two MILPs for lp_solve were compared with it. The first had successors on machines, with big-M from windows and the
// LP's inequalities; the second had one binary for each task and half second. The second was the better one. On two
// machines it took some 60, 300, 2000 and 3000 times as long as exact at 5, 6, 7 and 8 tasks.
package msjo
