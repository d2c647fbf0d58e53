package experiment

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mrsched/instances"
	"mrsched/io/engine"
	"mrsched/model"
	"mrsched/model/multitenant"
	"mrsched/model/realtime"
	"mrsched/solver"
	"mrsched/solver/msjo"
	tenantsolver "mrsched/solver/multitenant"
)

// scenario is what an experiment measures at one point: instances of a preset, one per seed.
type scenario struct {
	preset   string
	generate engine.Settings
	params   engine.Settings // of the problem
	plan     engine.Settings // further ones, on which no bound depends
	// batch, if positive, makes jobs known only at the next multiple of this many seconds. Bounds are of true releases.
	batch float64
	// copy distinguishes several instances of a seed.
	copy int
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

// read is the scenario with the settings that the user replaced.
func (l *Lab) read(s scenario) scenario {
	p, err := instances.FindPreset(l.problem.Name, s.preset)
	must(err)
	for name, value := range l.Set {
		named := func(p solver.Param) bool { return p.Name == name }
		if slices.ContainsFunc(p.Params, named) {
			s = s.generating(engine.Settings{name: value})
		} else if slices.ContainsFunc(l.problem.Params, named) {
			s = s.using(engine.Settings{name: value})
			s.plan = with(s.plan, nil)
			delete(s.plan, name)
		} else {
			continue
		}
		delete(l.idle, name)
	}
	return s
}

// with is the settings of both; the second's count where both have one.
func with(base, more engine.Settings) engine.Settings {
	all := engine.Settings{}
	maps.Copy(all, base)
	maps.Copy(all, more)
	return all
}

// String states the scenario: the preset with its settings, then the parameters of the problem.
func (s scenario) String() string {
	text := s.preset + flags(s.generate)
	if all := with(s.params, s.plan); len(all) > 0 {
		text += ";" + flags(all)
	}
	if s.batch > 0 {
		text += " batch " + number(s.batch)
	}
	if s.copy > 0 {
		text += " copy " + strconv.Itoa(s.copy)
	}
	return text
}

// flags are settings as on a command line.
func flags(s engine.Settings) (text string) {
	for _, name := range slices.Sorted(maps.Keys(s)) {
		text += " --" + name + " " + s[name]
	}
	return text
}

// stated says what the figure ran: a scenario with its algorithms a line.
func (l *Lab) stated() (lines []string) {
	algorithms := map[*runs][]string{}
	for _, q := range l.asked {
		algorithms[q.runs] = append(algorithms[q.runs], q.algorithm)
	}
	for _, q := range l.asked {
		if list := algorithms[q.runs]; list[0] == q.algorithm {
			lines = append(lines, q.scenario.String()+": "+strings.Join(list, ", "))
		}
	}
	return lines
}

// reading is one algorithm's outcome on one instance.
type reading struct {
	cost, bound float64
	rounds      float64        // LPs solved; 0 if the algorithm does not say
	metrics     map[string]any // of the schedule
	waiting     []float64      // of msjo, see waitingShares
	work        float64        // of msjo: tasks' weights times processing times
	tenants     []tenantJob    // of multitenant: the outcome of each job
	traffic     tenantTraffic  // of multitenant
	reducers    reducers       // of realtime
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
	return l.open(w, with(s.params, s.plan))
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
func (l *Lab) solve(ctx context.Context, o *engine.Opened, name string, seed uint64,
	bare bool) (v *engine.Verified, err error) {
	a, ok := l.problem.Algorithm(name)
	if !ok {
		return nil, fmt.Errorf("%s has no algorithm %q", l.problem.Name, name)
	}
	opt := solver.Options{Iterations: solver.DefaultIterations, Seed: seed, Threads: 1}
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

// reading takes the figures from a verified outcome. The bound is that of the LP, which algorithms state first.
func (s scenario) reading(o *engine.Opened, v *engine.Verified, loads []tenantsolver.Load) (r reading) {
	if len(v.Proofs) > 0 {
		r.bound, _ = v.Proofs[0].Certified.Value.Float64()
	}
	if x, ok := v.Facts.(msjo.Facts); ok {
		r.waiting = waitingShares(o.W, v.Schedule)
		for _, t := range o.W.Tasks {
			r.work += t.Weight.Or(model.UnitWeight).Float() * t.Processing.Or(0).Seconds()
		}
		if x.LPFacts != nil {
			r.rounds = float64(x.LPFacts.Rounds)
		}
	}
	if v.Schedule != nil {
		e := o.Run.View().Evaluate(v.Schedule)
		r.cost, _ = e.Value.Float64()
		r.metrics = e.Metrics
		switch in := o.Run.View().(type) {
		case *realtime.Instance:
			r.reducers = reducersOf(in, v.Schedule)
		case *multitenant.Instance:
			from, until := s.steadyTime()
			r.tenants, r.traffic = readTenantJobs(o.W, in, v.Schedule), readTraffic(loads, in.Uplink, from, until)
		}
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

// each reads a value from every seed's reading, but no bound.
func (l *Lab) each(s scenario, algorithm string, what func(reading) float64) (list samples) {
	for _, r := range l.readings(s, algorithm, false) {
		list = append(list, what(r))
	}
	return list
}

func (l *Lab) costs(s scenario, algorithm string) samples {
	return l.each(s, algorithm, func(r reading) float64 { return r.cost })
}

// bounds are those that an algorithm states first, for true times and releases.
func (l *Lab) bounds(s scenario, algorithm string) (list samples) {
	s.plan, s.batch = nil, 0
	for _, r := range l.readings(s, algorithm, true) {
		list = append(list, r.bound)
	}
	return list
}

func (l *Lab) ratios(s scenario, algorithm string) samples {
	return l.costs(s, algorithm).Over(l.bounds(s, algorithm))
}

// metric reads a metric of an algorithm's schedules; 0 where there is none.
func (l *Lab) metric(s scenario, algorithm, name string) samples {
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
