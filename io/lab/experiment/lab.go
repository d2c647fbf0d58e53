package experiment

import (
	"cmp"
	"context"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"mrsched/io/engine"
	"mrsched/io/report"
)

// Experiment is one figure of a paper.
type Experiment struct {
	entry
	Problem, Paper string
}

// entry is a row of a paper's table. Place is where the paper has the figure; x and y name the axes.
type entry struct {
	Name, Title, Place string
	x, y               string
	draw               func(f *figure)
}

// paper holds the figures of a paper.
type paper struct {
	problem, name string
	figures       []entry
}

// All lists the experiments.
func All() (list []Experiment) {
	for _, p := range []paper{marsPaper, placementPaper, realtimePaper, tenantPaper} {
		for _, e := range p.figures {
			list = append(list, Experiment{e, p.problem, p.name})
		}
	}
	return list
}

// Find lists the experiment of a name, those of a problem, or all of them for "all".
func Find(name string) (list []Experiment, err error) {
	names := []string{"all"}
	for _, e := range All() {
		if name == "all" || name == e.Problem || name == e.Name {
			list = append(list, e)
		}
		names = append(names, e.Name)
	}
	if list == nil {
		err = engine.Unknown("experiment", name, names)
	}
	return list, err
}

// Files are the writers of a figure's files, by ending.
func Files(f *report.Figure) map[string]func(w io.Writer) error {
	return map[string]func(w io.Writer) error{".csv": f.WriteCSV, ".svg": f.WriteSVG, ".json": f.WriteJSON}
}

// Size is how much a lab measures: instances per point, the first one's seed, the largest number of jobs, and the
// processor cores it may use. Set replaces settings of presets and parameters of the problem: another reading of a
// paper.
type Size struct {
	Seeds   int
	Seed    uint64
	JobsMax int
	Threads int
	Set     engine.Settings
}

// Lab runs scenarios, each once, and remembers the readings. Readings do not depend on threads.
type Lab struct {
	ctx      context.Context
	problem  engine.Problem
	seeds    []uint64
	jobsMax  int
	threads  int
	progress func(done, total int)
	noting   bool             // readings are placeholders: the figure is asked which it needs
	asked    []request        // by the figure, without repetitions
	said     []string         // runs that the figure makes itself
	memo     map[string]*runs // by scenario
	values   map[string]any   // see measured
	set      engine.Settings
	idle     engine.Settings // those that no scenario of the figure has
}

// request is an algorithm on a scenario's instances.
type request struct {
	*runs
	algorithm string
}

// runs are the readings of a scenario: by algorithm, by seed.
type runs struct {
	scenario
	readings map[string][]reading
}

// NewLab makes the lab of a problem.
func NewLab(ctx context.Context, problem string, size Size) (*Lab, error) {
	p, err := engine.FindProblem(problem, nil)
	if err != nil {
		return nil, err
	}
	l := &Lab{ctx: ctx, problem: p, jobsMax: size.JobsMax, threads: size.Threads,
		set: size.Set, progress: func(int, int) {},
		memo: map[string]*runs{}, values: map[string]any{}}
	for i := range size.Seeds {
		l.seeds = append(l.seeds, size.Seed+uint64(i))
	}
	return l, nil
}

// ours begins claims that are not the paper's, fitted those that ours was fitted to, or that are an input.
const ours, fitted = "mrsched: ", "fitted: "

// failure is what a figure panics with when it cannot go on.
type failure struct{ error }

// must ends the figure at an error.
func must(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// Draw measures the experiment's figure and reports its progress.
func (e Experiment) Draw(l *Lab, progress func(done, total int)) (*report.Figure, error) {
	l.progress, l.noting, l.idle = progress, true, maps.Clone(l.set)
	_, err := e.attempt(l)
	l.noting = false
	if err == nil {
		err = l.run()
	}
	if err != nil {
		return nil, err
	}
	for name := range l.idle {
		return nil, engine.Usagef("--set %s: figure %s has no such setting", name, e.Name)
	}
	return e.attempt(l)
}

// attempt gives the figure what the lab knows.
func (e Experiment) attempt(l *Lab) (f *report.Figure, err error) {
	defer func() {
		if r := recover(); r != nil {
			stopped, ok := r.(failure)
			if !ok {
				panic(r)
			}
			err = stopped.error
		}
	}()
	l.asked, l.said = nil, nil
	f = &report.Figure{Name: e.Name, Title: e.Title, Paper: e.Paper, Source: e.Paper + ", " + e.Place, XLabel: e.x,
		YLabel: e.y, Parameters: map[string]any{"problem": e.Problem, "seeds": l.seeds, "jobs_max": l.jobsMax}}
	if len(l.set) > 0 {
		f.Parameters["set"] = l.set
	}
	e.draw(&figure{l, f})
	if own := l.stated(); own != nil {
		f.Parameters["runs"] = own
	}
	for i := range f.Claims {
		c := &f.Claims[i]
		c.Claim, c.Own = strings.CutPrefix(c.Claim, ours)
		c.Claim, c.Fitted = strings.CutPrefix(c.Claim, fitted)
	}
	return f, nil
}

// readings are an algorithm's outcomes on a scenario, by seed.
func (l *Lab) readings(s scenario, algorithm string) []reading {
	s = l.read(s)
	r := l.memo[s.String()]
	if r == nil {
		r = &runs{s, map[string][]reading{}}
		l.memo[s.String()] = r
	}
	if ask := (request{r, algorithm}); !slices.Contains(l.asked, ask) {
		l.asked = append(l.asked, ask)
	}
	if r.readings[algorithm] == nil {
		if l.noting {
			dummy := reading{cost: 1, bound: 1, rounds: 1, waiting: make([]float64, waitingSteps+1)}
			return slices.Repeat([]reading{dummy}, len(l.seeds))
		}
		must(l.run())
	}
	return r.readings[algorithm]
}

// run makes the runs that were asked for and not made yet, in reverse: the last ones take longest.
func (l *Lab) run() error {
	var pending []*runs
	missing, n := map[*runs][]string{}, len(l.seeds)
	for _, q := range l.asked {
		if q.readings[q.algorithm] != nil {
			continue
		}
		q.readings[q.algorithm] = make([]reading, n)
		if missing[q.runs] == nil {
			pending = append(pending, q.runs)
		}
		missing[q.runs] = append(missing[q.runs], q.algorithm)
	}
	slices.Reverse(pending)
	return l.every(len(pending)*n, func(ctx context.Context, i int) error {
		r, seed := pending[i/n], n-1-i%n
		o, err := l.opened(r.scenario, l.seeds[seed])
		if err != nil {
			return err
		}
		for _, name := range missing[r] {
			v, err := l.solve(ctx, o, name, r.options(l.seeds[seed]), r.bare)
			if err != nil {
				return err
			}
			r.readings[name][seed] = newReading(o, v)
		}
		return nil
	})
}

// every does n things, so many at once.
func (l *Lab) every(n int, do func(ctx context.Context, i int) error) error {
	g, ctx := errgroup.WithContext(l.ctx)
	g.SetLimit(l.threads)
	var mu sync.Mutex
	done := 0
	for i := range n {
		if ctx.Err() != nil {
			break
		}
		g.Go(func() error {
			if err := do(ctx, i); err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			done++
			l.progress(done, n)
			return nil
		})
	}
	return cmp.Or(g.Wait(), l.ctx.Err())
}

// measured are n values that a figure measures itself. A name, unique among the problem's figures, is measured once.
func measured[T any](l *Lab, name string, n int, do func(ctx context.Context, i int) (T, error)) []T {
	if found, ok := l.values[name].([]T); ok {
		return found
	}
	list := make([]T, n)
	must(l.every(n, func(ctx context.Context, i int) (err error) {
		list[i], err = do(ctx, i)
		return err
	}))
	l.values[name] = list
	return list
}
