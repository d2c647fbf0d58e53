// Package sat reduces 3SAT to task assignment, and decodes assignments back: instances of problem hta that are hard by
// construction, and whose answers a SAT solver can check. Read formula.go first, then reduce.go.
//
// A formula is satisfiable exactly if the reduction's workload has an assignment of makespan at most 3 (local tasks
// cost 1, remote ones 3, a block has at most two replicas). Reduce makes the workload, Decode turns such an assignment
// of tasks to servers into a satisfying truth assignment.
//
//	paper              task                     replicas of its block
//	l_uv               clause<u>.literal<v>(x3) C<u>; R.x3.T<j> if it is the j-th x3 of the formula
//	                   clause<u>.literal<v>(-x3) C<u>; R.x3.F<j> if it is the j-th -x3
//	a_u                clause<u>.aux            C<u>
//	r_j of ring i      ring.x<i>.<j>            the servers at the positions j and j+1 of the ring
//	v_j of ring i      variable.x<i>.<j>        P
//	p_j                sink.<j>                 P
//
//	paper              server
//	C_u                C<u>
//	R_{2j-1} of ring i R.x<i>.T<j>              all of them together: T_i
//	R_{2j} of ring i   R.x<i>.F<j>              all of them together: F_i
//	P                  P
//
//	α, β, ω            clauses, variables that occur, most occurrences of one literal: in the workload's notes
//
// Variables keep their numbers in the file. Every task reads a block of its own, named like it. Names need no quotes in
// CSV.
//
// Source: Fischer, Su, Yin, SPAA 2010, §3.
package sat
