package msjo

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"mrsched/model/msjo"
	"mrsched/solver"
	"mrsched/solver/lp"
)

const (
	// separationTolerance is by how much of the mean completion time the tasks of a set may lie too early before the set
	// is added. lp_solve works to 1e-9; below that the rounds would chase its rounding errors.
	separationTolerance = 1e-9
	// cutsPerRound bounds how many of the most violated prefixes one round adds.
	cutsPerRound = 24
	// slackRounds is in how many solves, one after another, a row may have no price before it is dropped.
	slackRounds = 4
	// tightTolerance is by how much of its sides' magnitude a row may be slack and still count as tight.
	tightTolerance = 1e-9
	// stallRounds is after how many solves without a rise of the value any violation left counts as rounding.
	stallRounds = 40
	// stallRise is the least relative rise of the value that counts.
	stallRise = 1e-12
	// seedIterations and seedTolerance are how far the first-order method goes before constraint generation takes over.
	seedIterations = 2000
	seedTolerance  = 1e-6
)

// generationOptions say how sets are generated.
type generationOptions struct {
	epsilon float64   // stop threshold of COGE; 0: until no set is violated
	every   bool      // add every violated prefix and drop none, as published
	warm    bool      // begin with the sets that the first-order method finds
	sets    [][]keyed // to begin with
}

// relaxation is a solved LP.
type relaxation struct {
	LPFacts
	midpoint   []float64     // by position, seconds
	completion []float64     // by job, seconds
	value      float64       // Σ w_j C_j, weight × seconds
	terms      []pricedTerm  // threshold 0 first
	columns    []float64     // the solution as the LP has it
	fixed      []float64     // multipliers of the start model's rows
	complete   bool          // no set is violated, or the stop threshold was met
	bound      *solver.Bound // that the terms prove, once certified
}

// price is the prices by task of an LP without heads.
func (r *relaxation) price() []float64 { return r.terms[0].price }

// cut says that a limit ended the solution, so that more time would give another one.
func (r *relaxation) cut(ctx context.Context) bool { return !r.complete && ctx.Err() != nil }

// generation is the state of constraint generation.
type generation struct {
	c     *collapsed
	f     formulation
	opt   generationOptions
	s     lp.Solver
	fixed int // rows of the start model
	seps  []separator
	cuts  []cut // by generated row
	added int   // rows ever added
}

func newGeneration(c *collapsed, f formulation, opt generationOptions) *generation {
	g := &generation{c: c, f: f, opt: opt}
	for _, group := range f.groups() {
		g.seps = append(g.seps, separator{group: group, c: c})
	}
	return g
}

// generate is constraint generation through a backend. It ends when no set is violated, at the stop threshold, after
// opt.Iterations rounds, or with ctx: then it returns the last relaxation with complete = false, whose prices prove a
// bound all the same. If ctx ends before the first LP is solved, it returns what the first-order method found, or nil.
// opt.Watch must be one that waits for bounds on this LP's objective.
//
// Source: Ling et al. 2016, Algorithm 1 (COGE).
func (c *collapsed) generate(ctx context.Context, backend lp.Backend, f formulation, gen generationOptions,
	opt solver.Options) (*relaxation, error) {
	r, err := newGeneration(c, f, gen).run(ctx, backend, opt)
	if err != nil {
		return nil, &solver.BackendError{Err: err}
	}
	return r, nil
}

func (g *generation) run(ctx context.Context, backend lp.Backend, opt solver.Options) (*relaxation, error) {
	start := g.f.start()
	s, err := backend(start)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	g.s, g.fixed = s, start.NumRows()
	sets := g.opt.sets
	var seed *relaxation
	if g.opt.warm {
		seed, sets = g.seed(ctx, opt)
	}
	for _, set := range sets {
		if err := g.add(set); err != nil {
			return nil, err
		}
	}
	r, err := g.rounds(ctx, opt)
	switch {
	case err != nil:
		return nil, err
	case r == nil:
		return seed, nil
	case !r.complete && seed != nil && seed.value > r.value:
		r.value, r.terms = seed.value, seed.terms
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
		r.Rounds = rounds
		added, err := g.separate(r)
		if err != nil {
			return nil, err
		}
		r.Rows = g.added
		if r.value > high+stallRise*math.Abs(high) || rounds == 1 {
			high, highAt = r.value, rounds
			opt.Watch.Bound(high*(1-floatError), byLP)
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
	f, ok := g.f.(byCompletion)
	byTask := ok && g.c.in.Objective == msjo.TaskObjective
	done := slices.Clone(r.completion)
	for i := range g.seps {
		g.seps[i].lift(func(o keyed, raise float64) {
			if byTask {
				total += g.c.in.TaskWeight[g.c.task[o.k]].Float() * (o.x + f.shift(g.c.p[o.k]) + raise)
				return
			}
			j := g.c.job[o.k]
			done[j] = max(done[j], o.x+g.c.p[o.k]/2+raise)
		})
	}
	if byTask {
		return total
	}
	for j, t := range done {
		total += g.c.weight[j] * t
	}
	return total
}

// seed is what the first-order method reaches, and the sets at which its last projection bends: nearly all of those
// that the optimum makes tight, which saves most rounds.
func (g *generation) seed(ctx context.Context, opt solver.Options) (*relaxation, [][]keyed) {
	groups := g.f.groups()
	if len(groups) > admmThresholds {
		groups = groups[:1]
	}
	s := newADMM(g.c, groups)
	opt.Iterations = seedIterations
	best, price, _ := s.run(ctx, admmPatience, seedTolerance, opt)
	var sets [][]keyed
	for _, part := range s.parts {
		sets = append(sets, part.proj.bends()...)
	}
	return s.relaxation(best, price), sets
}

// add adds the row of a set.
func (g *generation) add(prefix []keyed) error {
	row := g.f.row(prefix)
	if row.scale == 0 {
		return nil // tasks of length 0 demand nothing
	}
	if _, err := g.s.AddRow("set_"+strconv.Itoa(g.added+1), row.entries, lp.GE, row.rhs); err != nil {
		return err
	}
	row.entries = nil
	g.cuts = append(g.cuts, row)
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
		return nil, fmt.Errorf("LP with %d sets: %s, but it has an optimum: its weights or times differ too much in "+
			"magnitude; try --lp auto, without --epsilon, --formulation and --separation", len(g.cuts), solution.Status)
	}
	r := &relaxation{value: solution.Objective, columns: solution.X, fixed: solution.Dual[:g.fixed]}
	r.midpoint, r.completion = g.f.point(solution.X)
	for i := range g.cuts {
		row := &g.cuts[i]
		if row.dual = max(0, solution.Dual[g.fixed+i]/row.scale); math.IsNaN(row.dual) {
			return nil, errors.New("LP: a dual value is not a number")
		}
	}
	r.terms = g.f.prices(g.cuts)
	if g.opt.every {
		return r, nil
	}
	return r, g.drop(solution.X)
}

// drop removes rows that had no price for long, unless they are tight: in a degenerate solution the slack of such a row
// may be out of the basis, and without the row the next solve would start from nothing.
func (g *generation) drop(x []float64) error {
	var rows []lp.Row
	kept := g.cuts[:0]
	for i, row := range g.cuts {
		row.slack++
		if row.dual > 0 {
			row.slack = 0
		}
		if r := lp.Row(g.fixed + i); row.slack > slackRounds && !g.tight(r, x) {
			rows = append(rows, r)
		} else {
			kept = append(kept, row)
		}
	}
	g.cuts = kept
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
func (c *collapsed) formulate(ctx context.Context, backend lp.Backend, f formulation,
	gen generationOptions) (*lp.Model, error) {
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
