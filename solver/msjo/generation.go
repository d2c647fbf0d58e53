package msjo

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"mrsched/model/shop"
	"mrsched/solver"
	"mrsched/solver/lp"
)

const (
	// separationTolerance is the least violation of a set that is added: how much too early its tasks lie, relative to the
	// mean completion time. lp_solve works to 1e-9; below that, rounds would only chase its rounding errors.
	separationTolerance = 1e-9
	// cutsPerRound bounds the number of prefixes, the most violated first, that one round adds.
	cutsPerRound = 24
	// slackRounds is the number of consecutive solves without a price after which a row is dropped.
	slackRounds = 4
	// tightTolerance is the slack, relative to the magnitude of its sides, up to which a row counts as tight.
	tightTolerance = 1e-9
	// stallRounds: after this many solves without a rise of the value, any remaining violation counts as rounding.
	stallRounds = 40
	// stallRise is the least relative rise of the value that counts.
	stallRise = 1e-12
	// seedIterations and seedTolerance limit the first-order method before constraint generation takes over.
	seedIterations = 2000
	seedTolerance  = 1e-6
)

// generationOptions controls the generation of sets.
type generationOptions struct {
	epsilon float64   // stop threshold of COGE; 0: stop when no set is violated
	literal bool      // compare with the offsets of Algorithm 1
	every   bool      // add every violated prefix and drop none, as published
	warm    bool      // start with the sets that the first-order method finds
	sets    [][]keyed // to start with
}

// relaxation is a solved LP.
type relaxation struct {
	LPFacts
	midpoint   []float64     // by position, seconds
	completion []float64     // by job, seconds
	value      float64       // Σ w_j C_j, weight × seconds
	price      []float64     // per second of processing, by task
	columns    []float64     // the solution in the LP's columns
	fixed      []float64     // multipliers of the start model's rows
	complete   bool          // no set is violated, or the stop threshold was met
	bound      *solver.Bound // the certified bound of the terms, once computed
}

// cut reports whether a limit stopped the LP before its end.
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
// opt.Iterations rounds, or with ctx. In the last two cases it returns the last relaxation with complete = false; its
// prices still prove a bound. If ctx ends before the first LP is solved, it returns the result of the first-order
// method, or nil. opt.Watch must expect bounds on this LP's objective.
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
		r.value, r.price = seed.value, seed.price
	}
	return r, nil
}

// rounds alternates solving the LP and adding sets; nil if ctx ended before the first solution.
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

// lifted is the cost of C^NV, with every group of tasks lifted separately.
func (g *generation) lifted(r *relaxation) (total float64) {
	f, ok := g.f.(byCompletion)
	byTask := ok && g.c.in.Objective == shop.WeightedTaskEnds
	done := slices.Clone(r.completion)
	for i := range g.seps {
		g.seps[i].lift(g.opt.literal, func(o keyed, raise float64) {
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

// seed returns the result of the first-order method, and the sets at which its last projection bends. These are nearly
// all that are tight at the optimum, which saves most rounds.
func (g *generation) seed(ctx context.Context, opt solver.Options) (*relaxation, [][]keyed) {
	s := newADMM(g.c)
	opt.Iterations = seedIterations
	best, price, _ := s.run(ctx, admmPatience, seedTolerance, opt)
	return s.relaxation(best, price), s.proj.bends()
}

// add adds the row of a set.
func (g *generation) add(prefix []keyed) error {
	row := g.f.row(prefix)
	if row.scale == 0 {
		return nil // tasks of length 0 have no inequality
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
	r.price = g.f.prices(g.cuts)
	if g.opt.every {
		return r, nil
	}
	return r, g.drop(solution.X)
}

// drop removes rows that had no price for many solves, unless they are tight. In a degenerate solution the slack of a
// tight row may be out of the basis; without the row the next solve would start from scratch.
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

// tight reports whether a row has no slack at a point.
func (g *generation) tight(row lp.Row, x []float64) bool {
	m := g.s.Model()
	rhs, left := m.RHS(row), 0.0
	for _, e := range m.Entries(row) {
		left += e.Coef * x[e.Col]
	}
	return left-rhs <= tightTolerance*max(math.Abs(left), math.Abs(rhs))
}

// unlimited exceeds the number of rounds of any generation.
const unlimited = 1 << 30

// formulate returns the LP with the rows at the end of constraint generation.
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
	return final, ctx.Err()
}
