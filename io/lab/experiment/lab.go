package experiment

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"mrsched/instances"
	"mrsched/io/engine"
	"mrsched/model"
	"mrsched/model/multitenant"
	"mrsched/solver"
	"mrsched/solver/msjo"
)

// scenario is what an experiment measures at one point: instances of a preset, one a seed, and algorithms.
type scenario struct {
	preset     string
	generate   engine.Settings
	params     engine.Settings // of the problem
	algorithms []string
	// batch, if positive, makes jobs known only at the next multiple of so many seconds.
	batch float64
	// waiting asks for the distribution of relative waiting times too.
	waiting bool
	// copy tells several instances of a seed apart.
	copy int
	// iterations of searches; 0: solver.DefaultIterations.
	iterations int
	// bare leaves bounds out, which take longer than some algorithms; its readings have none.
	bare bool
}

// key names a scenario; maps print in the order of their keys.
func (s scenario) key() string { return fmt.Sprintf("%+v", s) }

// reading is one algorithm's outcome on one instance.
type reading struct {
	cost, bound float64
	rounds      float64        // LPs solved; 0 if the algorithm does not say
	metrics     map[string]any // of the schedule
	waiting     []float64      // see waitingShares
	found       map[string]any // facts about the run
	tenants     []tenantJob    // of multitenant: what became of each job
}

// Lab carries scenarios out, each once, and remembers what it measured. Readings do not depend on threads.
type Lab struct {
	ctx      context.Context
	problem  engine.Problem
	seeds    []uint64
	jobsMax  int
	tasksMax int
	threads  int
	progress func(done, total int)
	mu       sync.Mutex
	memo     map[string][]map[string]reading // by scenario: by seed, by algorithm
}

// run measures scenarios that were not measured yet, the ones that take longest, which stand last, first.
func (l *Lab) run(list ...scenario) error {
	type unit struct {
		s    scenario
		seed int
	}
	var units []unit
	for _, s := range list {
		if l.memo[s.key()] == nil {
			l.memo[s.key()] = make([]map[string]reading, len(l.seeds))
			for i := range l.seeds {
				units = append(units, unit{s, i})
			}
		}
	}
	slices.Reverse(units)
	g, ctx := errgroup.WithContext(l.ctx)
	g.SetLimit(l.threads)
	done := 0
	for _, u := range units {
		if ctx.Err() != nil {
			break
		}
		g.Go(func() error {
			readings, err := l.measure(ctx, u.s, l.seeds[u.seed])
			if err != nil {
				return err
			}
			l.mu.Lock()
			defer l.mu.Unlock()
			l.memo[u.s.key()][u.seed] = readings
			done++
			l.progress(done, len(units))
			return nil
		})
	}
	return cmp.Or(g.Wait(), l.ctx.Err())
}

// measure runs one scenario's algorithms on one instance.
func (l *Lab) measure(ctx context.Context, s scenario, seed uint64) (map[string]reading, error) {
	o, err := l.opened(s, seed)
	if err != nil {
		return nil, err
	}
	solve := o.Solve
	if s.bare {
		solve = func(ctx context.Context, a solver.Algorithm, opt solver.Options) (*engine.Verified, error) {
			return solveBare(ctx, o, a, opt)
		}
	}
	readings := map[string]reading{}
	for _, name := range s.algorithms {
		a, ok := l.problem.Algorithm(name)
		if !ok {
			return nil, fmt.Errorf("%s has no algorithm %q", l.problem.Name, name)
		}
		v, err := solve(ctx, a, s.options(seed))
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		readings[name] = read(o, v, s.waiting)
	}
	return readings, nil
}

// opened makes a scenario's instance of a seed, ready for algorithms.
func (l *Lab) opened(s scenario, seed uint64) (*engine.Opened, error) {
	w, err := generated(l.problem.Name, s.preset, s.generate, seed+uint64(s.copy)<<32) // seeds that users name are small
	if err != nil {
		return nil, err
	}
	if s.batch > 0 {
		w = batched(w, s.batch)
	}
	params, err := engine.SettingValues(l.problem.Params, s.params)
	if err != nil {
		return nil, err
	}
	return engine.Open(l.problem, w, params)
}

// options are what a scenario's algorithms run under.
func (s scenario) options(seed uint64) solver.Options {
	return solver.Options{Iterations: cmp.Or(s.iterations, solver.DefaultIterations), Seed: seed, Threads: 1}
}

// bareRun is a run that can leave bounds out.
type bareRun interface {
	SolveBare(ctx context.Context, name string, opt solver.Options) (*solver.Outcome, error)
}

// solveBare solves and verifies without bounds.
func solveBare(ctx context.Context, o *engine.Opened, a solver.Algorithm,
	opt solver.Options) (*engine.Verified, error) {
	r, ok := o.Run.(bareRun)
	if !ok {
		return o.Solve(ctx, a, opt)
	}
	out, err := r.SolveBare(ctx, a.Name, opt)
	if err != nil {
		return nil, err
	}
	return o.Verify(a, out)
}

// read takes the figures from a verified outcome. The bound is that of the LP, which algorithms state first.
func read(o *engine.Opened, v *engine.Verified, waiting bool) (r reading) {
	r.found, _ = engine.Stated(v.Facts)
	if len(v.Proofs) > 0 {
		r.bound, _ = v.Proofs[0].Certified.Value.Float64()
	}
	if x, ok := v.Facts.(msjo.Facts); ok && x.LPFacts != nil {
		r.rounds = float64(x.LPFacts.Rounds)
	}
	if v.Schedule != nil {
		e := o.Run.View().Evaluate(v.Schedule)
		r.cost, _ = e.Value.Float64()
		r.metrics = e.Metrics
		if in, ok := o.Run.View().(*multitenant.Instance); ok {
			r.tenants = readTenantJobs(o.W, in, v.Schedule)
		}
	}
	if waiting {
		r.waiting = waitingShares(o.W, v.Schedule)
	}
	return r
}

// generated makes an instance of a preset.
func generated(problem, preset string, with engine.Settings, seed uint64) (*model.Workload, error) {
	p, err := instances.FindPreset(problem, preset)
	if err != nil {
		return nil, err
	}
	params, err := engine.SettingValues(p.Params, with)
	if err != nil {
		return nil, err
	}
	return p.Generate(params, seed)
}

// batched is the workload with every job released at the next multiple of an interval of seconds: when
// a scheduler that looks at arrivals only then learns of it.
func batched(w *model.Workload, seconds float64) *model.Workload {
	interval := model.TimeOf(seconds)
	other := *w
	other.Jobs = slices.Clone(w.Jobs)
	for j := range other.Jobs {
		r := &other.Jobs[j].Release
		*r = (*r + interval - 1) / interval * interval
	}
	return &other
}

// waitingSteps is into how many steps relative waiting times are divided.
const waitingSteps = 10

// waitingShares are the shares of tasks whose waiting time, from their job's release to their end, is at most
// 1/10, 2/10, … of the longest.
func waitingShares(w *model.Workload, s *model.Schedule) []float64 {
	var longest model.Time
	for _, e := range s.Entries {
		longest = max(longest, e.End-w.Jobs[w.Tasks[e.Task].Job].Release)
	}
	shares := make([]float64, waitingSteps+1)
	for _, e := range s.Entries {
		wait := float64(e.End-w.Jobs[w.Tasks[e.Task].Job].Release) / float64(longest)
		for k := int(math.Ceil(wait * waitingSteps)); k <= waitingSteps; k++ {
			shares[k] += 1 / float64(len(s.Entries))
		}
	}
	return shares
}

// each reads something of every seed's reading; nil if the scenario was not measured.
func (l *Lab) each(s scenario, algorithm string, what func(reading) float64) []float64 {
	var out []float64
	for _, r := range l.memo[s.key()] {
		out = append(out, what(r[algorithm]))
	}
	return out
}

func (l *Lab) costs(s scenario, algorithm string) []float64 {
	return l.each(s, algorithm, func(r reading) float64 { return r.cost })
}

func (l *Lab) bounds(s scenario, algorithm string) []float64 {
	return l.each(s, algorithm, func(r reading) float64 { return r.bound })
}

func (l *Lab) ratios(s scenario, algorithm string) []float64 {
	return l.each(s, algorithm, func(r reading) float64 { return r.cost / r.bound })
}
