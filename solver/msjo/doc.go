// Package msjo solves the MapReduce server-job organizer problem: the LP relaxation of Ling et al. (JPDC
// 2016) in its published form and collapsed to one variable a job, MarS, and list schedules.
//
// Symbols are those of mrsched/model/msjo: r_j, w_j, p_u, d_uv; head h_u, tail L_u, c_j = completion of
// job j on an empty cluster, M_u = S_u + p_u/2.
//
// # The published LP
//
// CLS-LPP minimises Σ w_j C_j subject to S_u ≥ r_j, S_v ≥ S_u + p_u + d_uv, C_j ≥ S_v + p_v and, for every
// set B of tasks,
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
// C_j = S_v + p_v + L_v ≥ S_v + p_v; and M_u = C_j − τ_u = e_u + δ_j, so (1) is the inequality of (2).
// CLS-LPP ≥ (2): let (S, C) be feasible. Following a longest path from u to its job's end gives
// C_j ≥ S_u + p_u + L_u for every u, so M_u ≤ C_j − τ_u = e_u + δ_j with δ_j = C_j − c_j. Following a longest path that
// defines c_j from its release gives C_j ≥ c_j, that is δ ≥ 0. All p_u ≥ 0, so raising every M_u to
// e_u + δ_j keeps (1), at the same C. ∎
//
// So n jobs need n variables. Separation is sorting: for fixed M the left side minus the right side of (1)
// is least on a prefix of the tasks by M_u, because adding u to B changes it by
// p_u (M_u − p(B)/m − p_u/2m), and the tasks for which that is negative come first.
//
// The value is that of the published LP; the point is one of several optimal ones. What is scheduled from
// it says so in its parameters (formulation = collapsed).
//
// # MarS
//
// MarS takes the tasks in the order of M_u, each to the machine that idles first, and starts it as soon as
// task and machine allow. With M from a solution of CLS-LPP:
//
// Theorem (Ling et al., Theorem 3). If p_u ≤ p_v on every precedence path, then C_j(MarS) ≤ 3·C_j(LP).
//
// Theorem (general times). C_j(MarS) ≤ 4·C_j(LP) always.
//
// Proof of the second. Let u be scheduled at S. Consider the maximal chain of tight arcs u_1 → … → u_s = u, those
// with S(u_{k+1}) = S(u_k) + p + d. If it reaches back to a release, then S is the length of a path from a
// release, so S ≤ M_u. Else u_1 started the moment its machine, the one idle first, became idle: at that time
// of the algorithm every machine was busy up to S(u_1) or later. Since M_{k+1} − M_k ≥ d + (p_k + p_{k+1})/2 in the LP,
// d + p_k ≤ 2 (M_{k+1} − M_k), so S − S(u_1) ≤ 2 (M_u − M_{u_1}). On any machine, let o be the last task that it
// had got when u_1 was placed; M_o ≤ M_{u_1}, and the machine's idle time before S(u_1) is at most its idle time
// before o. By induction the idle time on any machine before S is at most 2 M_o + 2 (M_u − M_{u_1}) ≤ 2 M_u.
// (Under the premise d + p_k ≤ M_{k+1} − M_k + (p_k − p_{k+1})/2 ≤ M_{k+1} − M_k, and it is at most M_u.) The tasks before u in
// the order satisfy Σ p ≤ 2m M_u by (1), so some machine has at most 2 M_u of work before u; u starts on
// the machine idle first, at 2 M_u + 2 M_u at the latest, and ends by 4 M_u + p_u ≤ 4 (S_u + p_u) ≤ 4 C_j. ∎
//
// With a stop threshold ε the relaxation only satisfies Σ w C ≥ (1−ε) Σ w C^NV for a point C^NV that fulfils (1)
// on the prefixes, in the same order and with the same precedence; both theorems hold for C^NV, which costs
// 1/(1−ε) on the factors.
//
// # Lower bounds from prices
//
// For any prices a_u ≥ 0 with Σ_{u∈j} a_u ≤ w_j, Σ w_j c_j − Σ a_u e_u + min Σ a_u M_u over (1) is a lower bound, and the
// minimum is (1/m) Σ a_u (A_{<u} + p_u/2), tasks in the order of falling a_u/p_u. The multipliers of the generated
// rows are such prices up to rounding; package model/msjo re-evaluates them in integers.
package msjo
