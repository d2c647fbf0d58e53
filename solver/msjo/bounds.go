package msjo

import (
	"context"
	"errors"
	"math/big"
	"strings"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
	"mrsched/solver/bound"
	solvershop "mrsched/solver/shop"
)

// priceTaskLimit is the number of tasks up to which --bound auto computes the time-indexed bound.
const priceTaskLimit = 20_000

// flowJobs is the number of jobs up to which --bound auto and all compute the bound by flows. The tasks of one job
// among many seldom fill all machines.
const flowJobs = 30

// bothEndsTasks is the number of tasks up to which --bound auto computes the two-sided bound.
const bothEndsTasks = 2_000_000

// Sources of bounds in reports.
const (
	methodTimeIndexed = "time-indexed"
	methodFlows       = "job-flows"
	methodCases       = "job-cases"
	methodTwoSided    = "two-sided"
	methodPreemptive  = "task-preemptive"
	methodAlone       = "job-alone"
	byLP              = "LP"
	byFirstOrder      = "first-order method"
)

const (
	// boundShare is a bound's share of the remaining time if others follow.
	boundShare = 0.4
	// provenTasks is the most tasks of a single job for which the engine searches. It gets engineShare of the time for
	// bounds, and these provingBounds of all time.
	provenTasks, engineShare, provingBounds = 256, 0.8, 0.7
)

// bounds adds the bounds on the objective to an outcome before any schedule is made.
func (r *run) bounds(ctx context.Context, out *solver.Outcome, a algorithm, opt solver.Options) error {
	ctx, end := opt.Phase(ctx, solver.PhaseBound, r.boundShare(a))
	defer end()
	r.least = nil
	if r.in.Objective == shop.WeightedTaskEnds {
		return r.taskBounds(ctx, out, a, opt)
	}
	return r.jobBounds(ctx, out, a, opt)
}

// boundShare is the bounds' share of a time limit: all of it if no slow step follows.
func (r *run) boundShare(a algorithm) float64 {
	if a.BoundOnly || !a.Search && !a.Exhaustive && r.effort(a.Name) == 0 {
		return 1
	}
	if r.proves() {
		return provingBounds
	}
	return solver.BoundShare
}

// proves reports whether the engine, which then finds schedules, too, gets most of the time.
func (r *run) proves() bool {
	return r.in.Jobs == 1 && r.in.Tasks <= provenTasks && r.in.Objective == shop.WeightedEnds
}

// effort ranks algorithms without search by the LPs that they solve beyond the one behind the bound. 0 is none, 1 that
// of the other objective or of predicted times, 2 that of MARES, 3 one per batch.
func (r *run) effort(algorithm string) int {
	switch algorithm {
	case "mars", "mars-list", "tmars", "tmars-list":
		byTask := strings.HasPrefix(algorithm, "tmars")
		if byTask == (r.in.Objective == shop.WeightedTaskEnds) && r.p.predictionError == 0 {
			return 0
		}
		return 1
	case "mares", "h-mares":
		return 2
	case "so-mars":
		return 3
	}
	return 0
}

// jobBounds adds the bound of the LP, and those that parameter bound selects.
func (r *run) jobBounds(ctx context.Context, out *solver.Outcome, a algorithm, opt solver.Options) error {
	which := r.p.bound
	searches := which == "auto" && (a.Search || a.Exhaustive)
	both := which == "two-sided" || which == "all" || searches && r.in.Tasks <= bothEndsTasks
	prices := searches && r.in.Tasks <= priceTaskLimit || which == "lagrange" || which == "all"

	var relax *relaxation
	steps := []bound.Step{{Share: boundShare, Compute: func(ctx context.Context) (*solver.Bound, error) {
		var err error
		if relax, err = r.relaxation(ctx, opt); err != nil {
			return nil, err
		}
		out.Facts = Facts{LPFacts: &relax.LPFacts}
		out.CutShort(!relax.complete)
		return r.proof(relax)
	}}}
	if both || which == "auto" {
		steps = append(steps, bound.Step{Share: 1, Compute: r.aloneBound})
	}
	if both {
		steps = append(steps, bound.Step{Share: boundShare, Compute: func(ctx context.Context) (*solver.Bound, error) {
			return r.twoSided(ctx, relax, opt)
		}})
	}
	if (searches || which == "all") && r.proves() {
		steps = append(steps, bound.Step{Share: engineShare, Compute: func(ctx context.Context) (*solver.Bound, error) {
			return r.byEngine(ctx, opt)
		}})
	}
	if prices {
		steps = append(steps, bound.Step{Share: boundShare, Compute: func(ctx context.Context) (*solver.Bound, error) {
			if r.proves() && r.optimum() != nil {
				return nil, nil
			}
			t, err := r.timeIndexed(ctx, relax, opt)
			if err != nil {
				return nil, err
			}
			return t.bound, nil
		}})
	}
	if both && prices && r.in.Jobs > 1 && r.in.Jobs <= flowJobs {
		steps = append(steps, bound.Step{Share: boundShare, Compute: func(ctx context.Context) (*solver.Bound, error) {
			f, err := r.flows(ctx, relax, which == "all", opt)
			if err != nil {
				return nil, err
			}
			return f.bound, nil
		}}, bound.Step{Share: boundShare, Compute: func(ctx context.Context) (*solver.Bound, error) {
			f, err := r.cases(ctx, opt)
			if err != nil {
				return nil, err
			}
			return f.bound, nil
		}})
	}
	return r.inSteps(ctx, out, steps, opt)
}

// inSteps adds one bound after the other, until the engine proves the optimum or ctx ends.
func (r *run) inSteps(ctx context.Context, out *solver.Outcome, steps []bound.Step, opt solver.Options) error {
	_, err := bound.Run(ctx, steps, func(_ int, b *solver.Bound) bool {
		r.add(out, b, opt)
		return b.Method == shop.MethodEngine && r.optimum() != nil
	})
	return err
}

// add adds a certified bound to an outcome and reports it.
func (r *run) add(out *solver.Outcome, b *solver.Bound, opt solver.Options) {
	out.Bounds = append(out.Bounds, *b)
	if exact, ok := new(big.Rat).SetString(b.Certificate.(*shop.Certificate).Value); ok {
		exact = r.in.RoundUp(exact)
		if r.least == nil || exact.Cmp(r.least) > 0 {
			r.least = exact
		}
		v, _ := exact.Float64()
		opt.Watch.Bound(v, b.Method)
	}
}

// proof is the bound from the LP of the job objective.
func (r *run) proof(relax *relaxation) (*solver.Bound, error) {
	if relax.bound != nil {
		return relax.bound, nil
	}
	cert, err := certify(r.in, r.method(), relax.price)
	if err != nil {
		return nil, err
	}
	relax.bound = &solver.Bound{Method: cert.Method, Certificate: cert, Theorem: relax.complete && !r.firstOrder()}
	return relax.bound, nil
}

// jobsAlone is the bound from the jobs' bounds alone, with what raises windows.
type jobsAlone struct {
	*solvershop.Pricing
	bound *solver.Bound
}

// bounds are what raises windows.
func boundsOf(b *solver.Bound) *shop.Bounds { return &b.Certificate.(*shop.Certificate).Bounds }

// aloneBound is the bound from the jobs' bounds alone.
func (r *run) aloneBound(ctx context.Context) (*solver.Bound, error) {
	x, err := r.jobsAlone(ctx, (*solvershop.Pricing).JobsAlone)
	if err != nil {
		return nil, err
	}
	return x.bound, nil
}

// jobsAlone computes alone, whose certificate sign makes.
func (r *run) jobsAlone(ctx context.Context, sign func(p *solvershop.Pricing) (*shop.Certificate, error)) (*jobsAlone,
	error) {
	if r.alone.known {
		return r.alone.value, nil
	}
	ctx, end := bound.Within(ctx, boundShare)
	defer end()
	p, err := solvershop.NewPricing(ctx, r.in)
	if err != nil {
		return nil, err
	}
	cert, err := sign(p)
	if err != nil {
		return nil, err
	}
	return r.alone.keep(&jobsAlone{p, &solver.Bound{Method: cert.Method, Certificate: cert}}, ctx.Err() != nil), nil
}

// twoSided is the bound from both ends of the jobs, started from the LP's prices; nil if nothing can be priced.
func (r *run) twoSided(ctx context.Context, relax *relaxation, opt solver.Options) (*solver.Bound, error) {
	if r.bothEnds.known {
		return r.bothEnds.value, nil
	}
	if _, err := r.aloneBound(ctx); err != nil {
		return nil, err
	}
	factor, _ := affordable(r.in, relax.price)
	forward := make([]float64, r.in.Tasks)
	for u := range forward {
		if w := r.in.Weight[r.in.Job[u]].Float(); w > 0 {
			forward[u] = max(0, relax.price[u]) * factor[r.in.Job[u]] * r.in.Least[u].Seconds() / w
		}
	}
	cert, err := r.alone.value.TwoSided(ctx, forward, opt)
	if err != nil || cert == nil {
		return nil, err
	}
	return r.bothEnds.keep(&solver.Bound{Method: cert.Method, Certificate: cert},
		relax.cut(ctx) || r.alone.cut || ctx.Err() != nil), nil
}

// engineBound is what the engine proves, and the best schedule that it knows.
type engineBound struct {
	bound    *solver.Bound   // nil: no more than others prove
	schedule *model.Schedule // nil: there is none
	begun    bool            // from the first schedule of a search
}

// byEngine is the bound of a search that learns clauses; nil if a packing costs no more than other bounds. What it
// finds becomes the first schedule.
func (r *run) byEngine(ctx context.Context, opt solver.Options) (*solver.Bound, error) {
	x, begun := r.proved.value, r.first.schedule != nil
	if !r.proved.known || x.begun != begun {
		var err error
		opt.Iterations = 0 // of packing
		if r.first.schedule, err = r.packed(ctx, opt, r.first.schedule); err != nil || r.optimum() != nil {
			return nil, err
		}
		if x, err = r.prove(ctx, begun); err != nil {
			return nil, err
		}
	}
	if x.schedule != nil && (r.first.schedule == nil || r.cheaper(x.schedule, r.first.schedule)) {
		r.first.schedule = x.schedule
	}
	return x.bound, nil
}

// prove lets the engine raise the largest bound from the first schedule, if there is one.
func (r *run) prove(ctx context.Context, begun bool) (*engineBound, error) {
	var least float64
	if r.least != nil {
		least, _ = r.least.Float64()
	}
	c, best, err := solvershop.Prove(ctx, r.in, r.first.schedule, least)
	if err != nil {
		return nil, err
	}
	x := &engineBound{schedule: best, begun: begun}
	if c != nil {
		x.bound = &solver.Bound{Method: c.Method, Certificate: c}
	}
	return r.proved.keep(x, r.first.cut || ctx.Err() != nil), nil
}

// optimum is the first schedule if it costs no more than the largest bound, else nil.
func (r *run) optimum() *model.Schedule {
	if s := r.first.schedule; s != nil && r.least != nil && r.in.Evaluate(s).Value.Cmp(r.least) <= 0 {
		return s
	}
	return nil
}

// timeBound is the time-indexed bound with the fractional schedule of its prices.
type timeBound struct {
	bound *solver.Bound // nil: there is none
	plan  []model.Time  // starts by task

	target float64 // the cost of a schedule, in weight × seconds
}

// timeIndexed is the Lagrangian bound, started from the LP's prices. Its step sizes aim at the cost of the list
// schedule in the LP's order, whichever algorithm runs. It returns none if machine time has no value, or if times and
// weights differ so much in magnitude that no unit of prices keeps all sums exact.
func (r *run) timeIndexed(ctx context.Context, relax *relaxation, opt solver.Options) (*timeBound, error) {
	if r.priced.known {
		return r.priced.value, nil
	}
	t, err := r.priceTime(ctx, relax, opt)
	if errors.Is(err, shop.ErrInexact) {
		t, err = &timeBound{}, nil
	}
	if err != nil {
		return nil, err
	}
	return r.priced.keep(t, r.solved.cut || r.alone.cut || ctx.Err() != nil), nil
}

func (r *run) priceTime(ctx context.Context, relax *relaxation, opt solver.Options) (*timeBound, error) {
	s := graph(r.in).NeverIdle(ranks(r.midpointOrder(relax)), r.in.Nodes)
	var horizon model.Time
	for _, e := range s.Entries {
		horizon = max(horizon, e.End)
	}
	if horizon == 0 {
		return &timeBound{}, nil
	}
	b, err := r.aloneBound(ctx)
	if err != nil {
		return nil, err
	}
	const unit = float64(model.UnitWeight) * float64(model.Second)
	cell := (horizon + priceCells - 1) / priceCells
	var grid float64 // the values on the way are no bounds, as every completion is less than a cell before a grid point
	for _, w := range r.in.Weight {
		grid += float64(w) * float64(cell)
	}
	target, _ := r.in.Evaluate(s).Value.Float64()
	prices, plan, err := r.alone.value.MachineTime(ctx, cell, r.c.startPrices(relax, cell, priceCells), target*unit,
		func(value float64) { opt.Watch.Bound((value-grid)/unit, methodTimeIndexed) }, opt)
	if err != nil {
		return nil, err
	}
	cert := &shop.Certificate{Claim: model.Claim{Method: methodTimeIndexed, Kind: shop.KindMachinePrices},
		Bounds: *boundsOf(b), Machine: prices}
	if err := r.in.Sign(cert); err != nil {
		return nil, err
	}
	return &timeBound{&solver.Bound{Method: cert.Method, Certificate: cert}, plan, target}, nil
}
