// Package engine connects files and algorithms: it opens a workload for a problem, runs an algorithm, proves its claims
// in exact arithmetic, and derives a result again from the raw instance. It knows all problems, but no flags or
// terminals. Read problems.go first, the table of problems, then verified.go.
//
//	p, err := engine.FindProblem("hta", w)
//	o, err := engine.Open(p, w, params)
//	v, err := o.Solve(ctx, algorithm, opt)       // checked: the schedule breaks no rule, each bound is proven
//	b, err := o.Settle(r, v, engine.Strongest(v)) // the result, judged against the strongest bound
//	violations, err := engine.Recheck(ctx, w, b, most)
package engine
