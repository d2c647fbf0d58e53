package msjo

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/solver"
	"mrsched/solver/lp"
)

const (
	// separationTolerance is by how much of the mean completion time the tasks of a set may lie too
	// early before the set is added. lp_solve works to 1e-9: below it the rounds chase its rounding.
	separationTolerance = 1e-9
	// cutsPerRound bounds how many of the most violated prefixes one round adds.
	cutsPerRound = 24
	// slackRounds is in how many solves, one after another, a row may have no price before it is dropped.
	slackRounds = 4
	// tightTolerance is by how much of its sides' magnitude a row may be slack and still count as tight.
	tightTolerance = 1e-9
	// stallRounds is after how many solves without a rise of the value what is still violated counts as
	// rounding.
	stallRounds = 40
	// stallRise is the least relative rise of the value that counts.
	stallRise = 1e-12
)

// How far the first-order method goes before constraint generation takes over.
const (
	seedIterations = 2000
	seedTolerance  = 1e-6
)

// generationOptions say how sets are generated.
type generationOptions struct {
	epsilon float64 // stop threshold of COGE; 0: until no set is violated
	every   bool    // add every violated prefix and drop none, as published
	warm    bool    // begin with the sets that the first-order method finds
}

// relaxation is a solved LP.
type relaxation struct {
	midpoint   []float64 // by position, seconds
	completion []float64 // by job, seconds
	value      float64   // Σ w_j C_j, weight × seconds
	price      []float64 // by position, weight a second of processing; of all thresholds together
	terms      []pricedTerm
	columns    []float64 // the solution as the LP has it
	fixed      []float64 // multipliers of the start model's rows
	rounds     int       // LPs solved
	rows       int       // sets added
	complete   bool      // no set is violated, or the stop threshold was met
}

// cut says that a limit ended the solution, so that more time would give another one.
func (r *relaxation) cut(ctx context.Context) bool { return !r.complete && ctx.Err() != nil }

// facts are what results state about how the LP was solved.
func (r *relaxation) facts() *LPFacts {
	return &LPFacts{r.rounds, r.rows}
}

// generation is the state of constraint generation.
type generation struct {
	c     *collapsed
	f     formulation
	opt   generationOptions
	s     lp.Solver
	fixed int         // rows of the start model
	seps  []separator // one; or one for each group of tasks with machines of their own
	sets  []any       // by generated row
	scale []float64
	slack []int // solves in which the row had no price, since it last had one
	added int   // rows ever added
}

// generate is constraint generation through a backend. It ends when no set is violated, at the stop
// threshold, after opt.Iterations rounds, or with ctx: then the last relaxation is returned, whose prices prove a bound
// all the same, with complete = false. If ctx ended before the first LP was solved, that is what the sets to begin with
// were taken from, else nil. opt.Watch must be one that waits for bounds on this LP's objective.
//
// Source: Ling et al. 2016, Algorithm 1 (COGE).
func (c *collapsed) generate(ctx context.Context, backend lp.Backend, f formulation, gen generationOptions,
	opt solver.Options) (*relaxation, error) {
	start := f.start()
	s, err := backend(start)
	if err != nil {
		return nil, &solver.BackendError{Err: err}
	}
	defer s.Close()
	g := &generation{c: c, f: f, opt: gen, s: s, fixed: start.NumRows(), seps: []separator{{c: c}}}
	if f, ok := f.(interface{ separators() []separator }); ok {
		g.seps = f.separators()
	}
	var seed *relaxation
	if gen.warm {
		if seed, err = g.seed(ctx, opt); err != nil {
			return nil, &solver.BackendError{Err: err}
		}
	}
	r, err := g.rounds(ctx, opt)
	switch {
	case err != nil:
		return nil, &solver.BackendError{Err: err}
	case r == nil:
		return seed, nil
	case !r.complete && seed != nil && seed.value > r.value:
		r.value, r.price, r.terms = seed.value, seed.price, seed.terms
	}
	return r, nil
}

// rounds solves the LP and adds sets by turns; nil if ctx ended before the first solution.
func (g *generation) rounds(ctx context.Context, opt solver.Options) (r *relaxation, err error) {
	high, highAt := math.Inf(-1), 0
	for rounds := 1; ; rounds++ {
		next, err := g.solve(ctx)
		if err != nil || next == nil {
			return r, err
		}
		r = next
		r.rounds = rounds
		added, err := g.separate(r)
		if err != nil {
			return nil, err
		}
		r.rows = g.added
		if r.value > high+stallRise*math.Abs(high) || rounds == 1 {
			high, highAt = r.value, rounds
			opt.Watch.Bound(high * (1 - floatError))
		}
		r.complete = added == 0 || rounds-highAt >= stallRounds ||
			g.opt.epsilon > 0 && r.value >= (1-g.opt.epsilon)*g.lifted(r)
		if r.complete || ctx.Err() != nil || rounds >= opt.Iterations {
			return r, nil
		}
		opt.Report(rounds, opt.Iterations)
	}
}

// separate adds rows for sets that the relaxation violates and counts them.
func (g *generation) separate(r *relaxation) (int, error) {
	total := 0.0
	for _, w := range g.c.weight {
		total += w
	}
	tolerance := separationTolerance
	if total > 0 {
		tolerance *= r.value / total
	}
	added := 0
	for i := range g.seps {
		sep := &g.seps[i]
		sep.sort(r.midpoint)
		peaks := sep.peaks(tolerance, g.opt.every)
		if len(peaks) > cutsPerRound && !g.opt.every {
			peaks = peaks[:cutsPerRound]
		}
		for _, p := range peaks {
			if err := g.add(sep.order[:p.length]); err != nil {
				return 0, err
			}
		}
		added += len(peaks)
	}
	return added, nil
}

// lifted is the cost of C^NV, every group of tasks lifted by itself.
func (g *generation) lifted(r *relaxation) (total float64) {
	if f, ok := g.f.(byCompletion); ok && g.c.in.Objective == msjo.TaskObjective {
		for i := range g.seps {
			g.seps[i].lift(func(o keyed, raise float64) {
				total += g.c.in.TaskWeight[g.c.task[o.k]].Float() * (o.x + f.shift(g.c.p[o.k]) + raise)
			})
		}
		return total
	}
	done := slices.Clone(r.completion)
	for i := range g.seps {
		g.seps[i].liftJobs(done)
	}
	for j, t := range done {
		total += g.c.weight[j] * t
	}
	return total
}

// seed adds the sets at which the first-order method's last projection bends: nearly all of those that
// the optimum makes tight, which saves most rounds. It returns what that method reached; nil if the formulation
// brought its sets along.
func (g *generation) seed(ctx context.Context, opt solver.Options) (*relaxation, error) {
	if f, ok := g.f.(interface{ seeds() [][]keyed }); ok {
		for _, set := range f.seeds() {
			if err := g.add(set); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}
	thresholds := []model.Time{0}
	if f, ok := g.f.(*byDelayHeads); ok && len(f.thresholds) <= admmThresholds {
		thresholds = f.thresholds
	}
	s := newADMM(g.c, thresholds...)
	opt.Iterations = seedIterations
	best, price, _ := s.run(ctx, admmPatience, seedTolerance, opt)
	for _, part := range s.parts {
		for _, set := range part.proj.bends() {
			if err := g.add(set); err != nil {
				return nil, err
			}
		}
	}
	return s.relaxation(best, price), nil
}

// add adds the row of a set. The prefixes of the first-order method's coordinates may take the tasks of a job
// in another order than their latest midpoints; a formulation that counts tasks then takes the first ones by
// midpoint, a set as good as any.
func (g *generation) add(prefix []keyed) error {
	entries, rhs, scale, set := g.f.row(prefix)
	if scale == 0 {
		return nil // tasks of no length demand nothing
	}
	if _, err := g.s.AddRow("set_"+strconv.Itoa(g.added+1), entries, lp.GE, rhs); err != nil {
		return err
	}
	g.sets, g.scale, g.slack = append(g.sets, set), append(g.scale, scale), append(g.slack, 0)
	g.added++
	return nil
}

// solve solves the LP with the rows so far and reads its solution; nil if ctx ended.
func (g *generation) solve(ctx context.Context) (*relaxation, error) {
	solution, err := g.s.Solve(ctx)
	if err != nil {
		return nil, err
	}
	switch solution.Status {
	case lp.Optimal:
	case lp.Timeout, lp.Aborted:
		return nil, nil
	default:
		return nil, fmt.Errorf("LP with %d sets: %s", len(g.sets), solution.Status)
	}
	r := &relaxation{value: solution.Objective, columns: solution.X, fixed: solution.Dual[:g.fixed]}
	r.midpoint, r.completion = g.f.point(solution.X)
	dual := make([]float64, len(g.sets))
	for i := range g.sets {
		dual[i] = max(0, solution.Dual[g.fixed+i]/g.scale[i])
		if math.IsNaN(dual[i]) {
			return nil, errors.New("LP: a dual value is not a number")
		}
	}
	r.price = g.f.price(g.sets, dual)
	r.terms = []pricedTerm{{0, g.c.byTask(r.price)}}
	if f, ok := g.f.(*byDelayHeads); ok {
		r.terms = f.priced()
	}
	if g.opt.every {
		return r, nil
	}
	return r, g.drop(dual, solution.X)
}

// drop removes rows that had no price for long, unless they are tight: in a degenerate solution the slack of such a row
// may be out of the basis, and without the row the next solve would start from nothing.
func (g *generation) drop(dual, x []float64) error {
	var rows []lp.Row
	kept := 0
	for i := range g.sets {
		g.slack[i]++
		if dual[i] > 0 {
			g.slack[i] = 0
		}
		if row := lp.Row(g.fixed + i); g.slack[i] > slackRounds && !g.tight(row, x) {
			rows = append(rows, row)
			continue
		}
		g.sets[kept], g.scale[kept], g.slack[kept] = g.sets[i], g.scale[i], g.slack[i]
		kept++
	}
	g.sets, g.scale, g.slack = g.sets[:kept], g.scale[:kept], g.slack[:kept]
	if len(rows) == 0 {
		return nil
	}
	return g.s.DeleteRows(rows)
}

// tight says whether a point has nothing to spare in a row.
func (g *generation) tight(row lp.Row, x []float64) bool {
	m := g.s.Model()
	rhs, left := m.RHS(row), 0.0
	for _, e := range m.Entries(row) {
		left += e.Coef * x[e.Col]
	}
	return left-rhs <= tightTolerance*max(math.Abs(left), math.Abs(rhs))
}

// unlimited is a number of rounds that no generation needs.
const unlimited = 1 << 30

// formulate is the LP with the rows that are left when constraint generation ends.
func (c *collapsed) formulate(ctx context.Context, backend lp.Backend, f formulation, gen generationOptions) (*lp.Model,
	error) {
	var final *lp.Model
	keep := func(m *lp.Model) (lp.Solver, error) {
		s, err := backend(m)
		if err == nil {
			final = s.Model()
		}
		return s, err
	}
	if _, err := c.generate(ctx, keep, f, gen, solver.Options{Iterations: unlimited}); err != nil {
		return nil, err
	}
	return final.Clone(), ctx.Err()
}
