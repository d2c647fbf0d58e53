// Package msjo solves the MapReduce server-job organizer problem: the LP relaxation of Ling et al. (JPDC
// 2016) in its published form and collapsed to one variable a job, MarS, and list schedules.
//
// Symbols are those of mrsched/model/msjo: r_j, w_j, p_u, d_uv; head h_u, tail L_u, c_j = completion of job j on an
// empty cluster, M_u = S_u + p_u/2.
//
// # The published LP
//
// CLS-LPP minimises Σ w_j C_j subject to S_u ≥ r_j, S_v ≥ S_u + p_u + d_uv, C_j ≥ S_v + p_v and, for every set B of
// tasks,
//
//	Σ_B p_u S_u ≥ p(B)²/2m − ½ Σ_B p_u²,  that is  Σ_B p_u M_u ≥ p(B)²/2m.                    (1)
//
// # The collapse
//
// Proposition. Let δ_j = C_j − c_j, τ_u = L_u + p_u/2 and e_u = c_j − τ_u. The LP
//
//	min Σ_j w_j c_j + Σ_j w_j δ_j  over δ ≥ 0  s.t.  Σ_B p_u (e_u + δ_j(u)) ≥ p(B)²/2m for every B    (2)
//
// has the optimal value of CLS-LPP, and M_u = e_u + δ_j, C_j = c_j + δ_j is an optimal point of it.
//
// Proof. (2) ≥ CLS-LPP: given δ, set C_j = c_j + δ_j and S_u = C_j − L_u − p_u. Then S_u ≥ c_j − L_u − p_u ≥ h_u ≥ r_j
// by the definition of c_j; along an arc L_u ≥ d_uv + p_v + L_v, hence S_v − S_u = L_u + p_u − L_v − p_v ≥ p_u + d_uv;
// C_j = S_v + p_v + L_v ≥ S_v + p_v; and M_u = C_j − τ_u = e_u + δ_j, so (1) is the inequality of (2). CLS-LPP ≥ (2):
// let (S, C) be feasible. Following a longest path from u to its job's end gives C_j ≥ S_u + p_u + L_u for every u, so
// M_u ≤ C_j − τ_u = e_u + δ_j with δ_j = C_j − c_j. Following a longest path that defines c_j from its release gives
// C_j ≥ c_j, that is δ ≥ 0. All p_u ≥ 0, so raising every M_u to e_u + δ_j keeps (1), at the same C. ∎
//
// So n jobs need n variables. Separation is sorting: for fixed M the left side minus the right side of (1) is least on
// a prefix of the tasks by M_u, because adding u to B changes it by p_u (M_u − p(B)/m − p_u/2m), and the tasks for
// which that is negative come first.
//
// The value is that of the published LP; the point is one of several optimal ones. What is scheduled from it says so in
// its parameters (formulation = collapsed).
//
// # MarS
//
// MarS takes the tasks in the order of M_u, each to the machine that idles first, and starts it as soon as task and
// machine allow. With M from a solution of CLS-LPP:
//
// Theorem (Ling et al., Theorem 3). If p_u ≤ p_v on every precedence path, then C_j(MarS) ≤ 3·C_j(LP).
//
// Theorem (general times). C_j(MarS) ≤ 4·C_j(LP) always.
//
// Proof of the second. Let u be scheduled at S. Consider the maximal chain of tight arcs u_1 → … → u_s = u, those with
// S(u_{k+1}) = S(u_k) + p + d. If it reaches back to a release, then S is the length of a path from a release, so S ≤
// M_u. Else u_1 started the moment its machine, the one idle first, became idle: at that time of the algorithm every
// machine was busy up to S(u_1) or later. Since M_{k+1} − M_k ≥ d + (p_k + p_{k+1})/2 in the LP, d + p_k ≤ 2 (M_{k+1} −
// M_k), so S − S(u_1) ≤ 2 (M_u − M_{u_1}). On any machine, let o be the last task that it had got when u_1 was placed;
// M_o ≤ M_{u_1}, and the machine's idle time before S(u_1) is at most its idle time before o. By induction the idle
// time on any machine before S is at most 2 M_o + 2 (M_u − M_{u_1}) ≤ 2 M_u. (Under the premise d + p_k ≤ M_{k+1} − M_k
// + (p_k − p_{k+1})/2 ≤ M_{k+1} − M_k, and it is at most M_u.) The tasks before u in the order satisfy Σ p ≤ 2m M_u by
// (1), so some machine has at most 2 M_u of work before u; u starts on the machine idle first, at 2 M_u + 2 M_u at the
// latest, and ends by 4 M_u + p_u ≤ 4 (S_u + p_u) ≤ 4 C_j. ∎
//
// With a stop threshold ε the relaxation only satisfies Σ w C ≥ (1−ε) Σ w C^NV for a point C^NV that fulfils (1) on the
// prefixes, in the same order and with the same precedence; both theorems hold for C^NV, which costs 1/(1−ε) on the
// factors.
//
// # Lower bounds from prices
//
// For any prices a_u ≥ 0 with Σ_{u∈j} a_u ≤ w_j, Σ w_j c_j − Σ a_u e_u + min Σ a_u M_u over (1) is a lower bound, and
// the minimum is (1/m) Σ a_u (A_{<u} + p_u/2), tasks in the order of falling a_u/p_u. The multipliers of the generated
// rows are such prices up to rounding; package model/msjo re-evaluates them in integers.
//
// # Stronger bounds
//
// No task of a set B starts before h = min h_u, so Σ_B p_u (M_u − h) ≥ p(B)²/2m (byDelayHeads): one vector of prices
// for each threshold h, all of them together within w_j.
//
// The time-indexed bound prices machine time by a step function λ(t) ≥ 0 and lets every job choose its completion and
// every task its start by itself (volume); formula and proof stand with msjo.MachinePrices. It is the strongest one
// here for small and medium instances, because a job pays for the spread of its tasks over time, which midpoints do not
// see. λ starts where the LP's prices put it: where the fluid schedule of the LP works on a task of price π a second, λ
// falls at the rate π.
//
// # Search
//
// best starts from the cheapest schedule of all algorithms that search nothing (firstSchedule) and anneals. MARES's LP
// is seldom solved for that: prices prove a bound on every schedule that keeps to MARES's machines, and as soon as it
// reaches the cost of a known schedule, neither mares nor h-mares can be cheaper (assignedBound).
//
// Under the job objective best anneals a vector of due times, one a job, plus offsets of single tasks (jobMoves). Due
// times become latest starts, latest starts a list schedule, and justifying it right and left (engine.justify) makes no
// job later. The reached completions are the next due times, so that the vector is always one that a schedule keeps.
//
// Under the task objective it anneals the order of the tasks (taskMoves): every task has a cost of its own, so that
// justifying has nothing to gain.
//
// # Limits
//
// Every Solve bounds the optimum first, in a share of the time (boundShare), then makes schedules, then searches. The
// bounds do not depend on which algorithm asks for them: the time-indexed one aims at the cost of mars-list's schedule.
// What a limit cut short proves what it proves, but is not kept for the next Solve (kept).
//
// # Exact
//
// exact is branch and bound over orders of tasks (exactSearch) with a memory of dominated nodes (exactMemo) and two
// bounds at every node (exactBound): the orders in which jobs may complete on machines of limited capacity, and prices
// from the LP at the root, kept fixed.
//
// Two MILPs for lp_solve were compared with it (milp_model_test.go, BenchmarkExact): successors on machines, with big-M
// from windows and the LP's inequalities, and one binary for each task and half second. On two machines the second,
// which is the better, takes some 60, 300, 2000 and 3000 times as long as exact at 5, 6, 7 and 8 tasks, and over 10 s
// on every tenth instance of 10; the first takes 8 times as long again at 8.
//
// Which bound is better depends on the jobs. With 15 tasks in two or three jobs of half seconds the LP misses the
// optimum by 19 %, the LP with heads by 13 %, orders of completion by 6 %; with five jobs of the preset mars, thinned
// to 15 tasks, it is 7 %, 5 % and 16 %. Solving the LP takes some 50 to 100 times as long as the orders, so that only
// its prices are used. Against the search whose bound was the completions on machines without limit, and which had no
// memory, nodes fell to 1/770 on the former instances and to 1/30 on the latter, time to 1/30 and 1/4.
//
// # T-MarS and the task objective
//
// TWTCT is Σ W_u C_u over tasks; W_u is the task's own weight, else its job's. Its LP has a column C_v for every task
// and barrier, C_v ≥ h_v + p_v, C_v ≥ C_u + d_uv + p_v along arcs, and for every set B
//
//	Σ_B p_u C_u ≥ (Σ_B p_u² + p(B)²)/2m  (published)   or   Σ_B p_u (C_u − p_u/2) ≥ p(B)²/2m  (schulz).            (3)
//
// The second is (1), valid on m machines, and implies the first because m ≥ 1. Bounds come from multipliers of all
// rows; msjo.KindCompletionPrices has the formula and its proof. There is no collapse: every task has its own cost.
//
// Theorem (Ling et al., Theorem 5, with delays). With times in units of the least positive LP completion, tasks end by
// 7·C_u(LP) in T-MarS.
//
// Proof. Let t_0 = 1, t_n = 2^(n−1), B_n the tasks with t_{n−1} < C_u(LP) ≤ t_n (B_1: C_u = 1), α_n = p(B_n)/m and t̄_n
// = 1 + Σ_{k≤n} (t_k + α_k). Tasks of B_n may start from t̄_{n−1} on, by then all of B_1 … B_{n−1} have ended:
// induction. As t̄_{n−1} ≥ 1 + Σ_{k<n} t_k = t_n, their releases have passed. From t̄_{n−1} on, go back from the end of
// u ∈ B_n: at any time before it, either all machines run tasks of B_n, or u or an ancestor of it in B_n runs, or a
// delay of such a one passes, which may have begun at a predecessor's end in an earlier interval. The latter times lie
// on one path of arcs into u, so they last at most C_u(LP), because the LP keeps every arc; the former last at most
// α_n. So u ends by t̄_{n−1} + α_n + C_u(LP) ≤ t̄_n, and t̄_{n−1} + α_n = t_n + Σ_{k≤n} α_k. The sets (3) give p(B_1 ∪
// … ∪ B_n)/m ≤ 2·max C(LP) ≤ 2t_n. For n = 1 u ends by 1 + 2 + 1; else t_n < 2C_u(LP) and it ends by 2C_u + 4C_u + C_u.
// Tasks with C_u(LP) = 0 take no time and run at 0. ∎
//
// The first-order method (completionADMM) reaches the LP's optimum to about 1e-6. Its point keeps (3) after stretching,
// so the theorem holds for it at a value as much above the bound; lp_solve finishes small instances exactly.
package msjo
