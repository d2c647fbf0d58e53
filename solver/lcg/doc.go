// Package lcg proves bounds of schedules by lazy clause generation: a search that learns a clause from every conflict.
// What comes in is a model of variables, arcs and limits; a bound and the log that proves it go out. Read engine.go
// first.
//
// # Model
//
// A variable v takes a whole number S_v of its window [Least, Most]: the start of a task, an end, or 0 or 1 for a
// choice. Constraints are arcs, S_v ≥ S_u + d, and limits: the tasks that run at any time need at most the capacity
// together.
//
// # Literals
//
// A variable has two sides: 2v is S_v, 2v+1 is −S_v. The literal (side, t) says that the side is at least t, so (2v,
// t) is S_v ≥ t and (2v+1, t) is S_v ≤ −t. Its negation is (side^1, 1−t). Bounds of sides only rise on the way down,
// and a literal is true or false by them. An atom is the pair of a literal of a clause and its negation; an atom
// exists as long as a clause has it.
//
// # Search
//
// Reasons are conjunctions of literals that force another literal. They are relaxed as far as the constraint allows. A
// conflict is resolved to its first unique implication point, and the clause is kept. The objective's limit is the
// first decision, so that clauses hold for every limit.
//
// Sources: Schutt, Feydy, Stuckey and Wallace, Explaining the cumulative propagator, Constraints 16 (2011); Ohrimenko,
// Stuckey and Codish, Propagation via lazy clause generation, Constraints 14 (2009).
package lcg
