// Package experiment reproduces the figures of the five papers and judges what the papers say about them.
//
// Every figure has the same shape: scenarios (settings of a preset, parameters of a problem, algorithms) along an axis,
// run once per seed; curves that read values from the runs; and the paper's claims next to our numbers. An experiment
// states these; Lab runs scenarios, figure draws and judges.
package experiment

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"mrsched/instances"
	"mrsched/io/engine"
	"mrsched/io/report"
	"mrsched/model"
	"mrsched/model/multitenant"
	"mrsched/solver"
	"mrsched/solver/msjo"
)

// Experiment is one figure of a paper.
type Experiment struct {
	Name, Problem, Title, Paper, Source string
	own                                 bool
	measure                             func(f *figure) error
}

// paper holds the figures of a paper.
type paper struct {
	problem, source string
	figures         []entry
}

// entry is one figure; its source is the place in the paper. Without one the question is our own.
type entry struct {
	name, title, source string
	measure             func(f *figure) error
}

// All lists the experiments.
func All() (list []Experiment) {
	for _, p := range []paper{marsPaper, htaPaper, placementPaper, realtimePaper, tenantPaper} {
		for _, e := range p.figures {
			x := Experiment{e.name, p.problem, e.title, p.source, p.source + ", " + e.source, e.source == "", e.measure}
			if x.own {
				x.Source = "A question of our own, in the setting of " + p.source
			}
			list = append(list, x)
		}
	}
	return list
}

// Find lists the experiment of a name, or all of them for "all".
func Find(name string) ([]Experiment, error) {
	var names []string
	for _, e := range All() {
		if e.Name == name {
			return []Experiment{e}, nil
		}
		names = append(names, e.Name)
	}
	if name == "all" {
		return All(), nil
	}
	return nil, engine.Unknown("experiment", name, append(names, "all"))
}

// Size is how much a lab measures: instances per point, the first one's seed, the largest numbers of jobs and tasks,
// and the processor cores it may use.
type Size struct {
	Seeds             int
	Seed              uint64
	JobsMax, TasksMax int
	Threads           int
}

// Lab runs scenarios, each once, and remembers the readings. Readings do not depend on threads.
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

// NewLab makes the lab of a problem.
func NewLab(ctx context.Context, problem string, size Size) (*Lab, error) {
	p, err := engine.FindProblem(problem, nil)
	if err != nil {
		return nil, err
	}
	l := &Lab{ctx: ctx, problem: p, jobsMax: size.JobsMax, tasksMax: size.TasksMax, threads: size.Threads,
		memo: map[string][]map[string]reading{}}
	for i := range size.Seeds {
		l.seeds = append(l.seeds, size.Seed+uint64(i))
	}
	return l, nil
}

// ours begins claims that are not the paper's.
const ours = "mrsched: "

// Draw measures the experiment's figure and reports its progress.
func (e Experiment) Draw(l *Lab, progress func(done, total int)) (*report.Figure, error) {
	l.progress = progress
	f := &report.Figure{Name: e.Name, Title: e.Title, Paper: e.Paper, Source: e.Source,
		Parameters: map[string]any{"problem": e.Problem, "seeds": l.seeds}}
	err := e.measure(&figure{l, f})
	for i, c := range f.Claims {
		claim, own := strings.CutPrefix(c.Claim, ours)
		f.Claims[i].Claim, f.Claims[i].Own = claim, own || e.own
	}
	return f, err
}

// Files are the writers of a figure's files, by ending.
func Files(f *report.Figure) map[string]func(w io.Writer) error {
	return map[string]func(w io.Writer) error{".csv": f.WriteCSV, ".svg": f.WriteSVG, ".json": f.WriteJSON}
}

// scenario is what an experiment measures at one point: instances of a preset, one per seed, and algorithms.
type scenario struct {
	preset     string
	generate   engine.Settings
	params     engine.Settings // of the problem
	algorithms []string
	// batch, if positive, makes jobs known only at the next multiple of this many seconds.
	batch float64
	// waiting asks for the distribution of relative waiting times too.
	waiting bool
	// copy distinguishes several instances of a seed.
	copy int
	// iterations of searches; 0: solver.DefaultIterations.
	iterations int
	// bare leaves out bounds, which take longer than some algorithms.
	bare bool
}

// key names a scenario; maps print in the order of their keys.
func (s scenario) key() string { return fmt.Sprintf("%+v", s) }

// options are the options of a scenario's algorithms.
func (s scenario) options(seed uint64) solver.Options {
	return solver.Options{Iterations: cmp.Or(s.iterations, solver.DefaultIterations), Seed: seed, Threads: 1}
}

// using is the scenario with other parameters of the problem added.
func (s scenario) using(params engine.Settings) scenario {
	s.params = with(s.params, params)
	return s
}

// generating is the scenario with other settings of the preset added.
func (s scenario) generating(settings engine.Settings) scenario {
	s.generate = with(s.generate, settings)
	return s
}

// with is the settings of both; the second's count where both have one.
func with(base, more engine.Settings) engine.Settings {
	all := engine.Settings{}
	maps.Copy(all, base)
	maps.Copy(all, more)
	return all
}

// reading is one algorithm's outcome on one instance.
type reading struct {
	cost, bound float64
	strongest   float64        // of all bounds
	rounds      float64        // LPs solved; 0 if the algorithm does not say
	metrics     map[string]any // of the schedule
	waiting     []float64      // see waitingShares
	found       map[string]any // facts about the run
	tenants     []tenantJob    // of multitenant: the outcome of each job
}

// run measures scenarios not yet measured, in reverse: the last ones take longest.
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
	return l.every(len(units), func(ctx context.Context, i int) (err error) {
		u := units[i]
		l.memo[u.s.key()][u.seed], err = l.measure(ctx, u.s, l.seeds[u.seed])
		return err
	})
}

// every does n things, as many at once as there are threads.
func (l *Lab) every(n int, do func(ctx context.Context, i int) error) error {
	g, ctx := errgroup.WithContext(l.ctx)
	g.SetLimit(l.threads)
	done := 0
	for i := range n {
		if ctx.Err() != nil {
			break
		}
		g.Go(func() error {
			if err := do(ctx, i); err != nil {
				return err
			}
			l.mu.Lock()
			defer l.mu.Unlock()
			done++
			l.progress(done, n)
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
	readings := map[string]reading{}
	for _, name := range s.algorithms {
		v, err := l.solve(ctx, o, name, s.options(seed), s.bare)
		if err != nil {
			return nil, err
		}
		readings[name] = newReading(o, v, s.waiting)
	}
	return readings, nil
}

// opened makes a scenario's instance of a seed, ready for algorithms.
func (l *Lab) opened(s scenario, seed uint64) (*engine.Opened, error) {
	w, err := generated(l.problem.Name, s.preset, s.generate, copySeed(seed, s.copy))
	if err != nil {
		return nil, err
	}
	if s.batch > 0 {
		w = batched(w, s.batch)
	}
	return l.open(w, s.params)
}

// copySeed is the seed of one of several instances of a seed; seeds that users name are small.
func copySeed(seed uint64, k int) uint64 { return seed + uint64(k)<<32 }

// open checks the parameters of a problem and makes the instance of a workload.
func (l *Lab) open(w *model.Workload, with engine.Settings) (*engine.Opened, error) {
	params, err := engine.SettingValues(l.problem.Params, with)
	if err != nil {
		return nil, err
	}
	return engine.Open(l.problem, w, params)
}

// bareRun is a run that can leave bounds out.
type bareRun interface {
	SolveBare(ctx context.Context, name string, opt solver.Options) (*solver.Outcome, error)
}

// solve runs one algorithm, without bounds if bare and the problem can, and verifies its outcome.
func (l *Lab) solve(ctx context.Context, o *engine.Opened, name string, opt solver.Options,
	bare bool) (v *engine.Verified, err error) {
	a, ok := l.problem.Algorithm(name)
	if !ok {
		return nil, fmt.Errorf("%s has no algorithm %q", l.problem.Name, name)
	}
	if r, ok := o.Run.(bareRun); ok && bare {
		var out *solver.Outcome
		if out, err = r.SolveBare(ctx, a.Name, opt); err == nil {
			v, err = o.Verify(a, out)
		}
	} else {
		v, err = o.Solve(ctx, a, opt)
	}
	return v, cmp.Or(err, ctx.Err())
}

// newReading takes the figures from a verified outcome. The bound is that of the LP, which algorithms state first.
func newReading(o *engine.Opened, v *engine.Verified, waiting bool) (r reading) {
	r.found, _ = engine.Stated(v.Facts)
	if len(v.Proofs) > 0 {
		r.bound, _ = v.Proofs[0].Certified.Value.Float64()
		r.strongest, _ = engine.Strongest(v).Certified.Value.Float64()
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

// batched is the workload with every job released at the next multiple of an interval in seconds, which is when a
// scheduler that looks at arrivals only then would see it.
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

// each reads a value from every seed's reading; nil if the scenario was not measured.
func (l *Lab) each(s scenario, algorithm string, what func(reading) float64) (list report.Samples) {
	for _, r := range l.memo[s.key()] {
		list = append(list, what(r[algorithm]))
	}
	return list
}

func (l *Lab) costs(s scenario, algorithm string) report.Samples {
	return l.each(s, algorithm, func(r reading) float64 { return r.cost })
}

func (l *Lab) bounds(s scenario, algorithm string) report.Samples {
	return l.each(s, algorithm, func(r reading) float64 { return r.bound })
}

func (l *Lab) ratios(s scenario, algorithm string) report.Samples {
	return l.costs(s, algorithm).Over(l.bounds(s, algorithm))
}

// metric reads a metric of an algorithm's schedules; 0 where there is none.
func (l *Lab) metric(s scenario, algorithm, name string) report.Samples {
	return l.each(s, algorithm, func(r reading) float64 { return asFloat(r.metrics[name]) })
}

// asFloat converts a value of a result; 0 if it is not a number.
func asFloat(v any) float64 {
	switch x := v.(type) {
	case model.Number:
		if r, ok := x.Rat(); ok {
			f, _ := r.Float64()
			return f
		}
	case int:
		return float64(x)
	}
	return 0
}
