// Package experiment reproduces the figures of the five papers and judges what the papers say about them. An entry of
// a paper's table is a figure: its place in the paper, its axes, and a function that states curves and claims.
// docs/experiments.md explains the results.
//
// One mechanism measures all figures. A figure asks the Lab for readings of scenarios (settings of a preset, parameters
// of a problem) under algorithms, seed by seed. The Lab draws a figure twice. The first time it gives placeholders and
// notes which runs the figure needs. It then makes all runs, as many at once as there are threads.
package experiment

import (
	"cmp"
	"context"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"mrsched/io/engine"
	"mrsched/io/report"
)

// Experiment is one figure of a paper.
type Experiment struct {
	Name, Problem, Title, Paper, Source string
	entry                               entry
}

// paper holds the figures of a paper.
type paper struct {
	problem, source string
	figures         []entry
}

// entry is one figure; its source is the place in the paper. Without one the question is our own. x and y name the
// axes.
type entry struct {
	name, title, source string
	x, y                string
	draw                func(f *figure)
}

// All lists the experiments.
func All() (list []Experiment) {
	for _, p := range []paper{marsPaper, htaPaper, placementPaper, realtimePaper, tenantPaper} {
		for _, e := range p.figures {
			source := p.source + ", " + e.source
			if e.source == "" {
				source = "A question of our own, in the setting of " + p.source
			}
			list = append(list, Experiment{e.name, p.problem, e.title, p.source, source, e})
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

// Files are the writers of a figure's files, by ending.
func Files(f *report.Figure) map[string]func(w io.Writer) error {
	return map[string]func(w io.Writer) error{".csv": f.WriteCSV, ".svg": f.WriteSVG, ".json": f.WriteJSON}
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
	noting   bool             // readings are placeholders: the figure is asked which it needs
	asked    []request        // by the figure, without repetitions
	said     []string         // runs that the figure makes itself
	pending  []*runs          // some algorithms are missing
	memo     map[string]*runs // by scenario
	values   map[string]any   // see measured
}

// request is an algorithm on a scenario's instances.
type request struct {
	*runs
	algorithm string
}

// runs are the readings of a scenario.
type runs struct {
	scenario
	missing  []string             // algorithms asked for and not run yet
	readings []map[string]reading // by seed, by algorithm
}

// NewLab makes the lab of a problem.
func NewLab(ctx context.Context, problem string, size Size) (*Lab, error) {
	p, err := engine.FindProblem(problem, nil)
	if err != nil {
		return nil, err
	}
	l := &Lab{ctx: ctx, problem: p, jobsMax: size.JobsMax, tasksMax: size.TasksMax, threads: size.Threads,
		progress: func(int, int) {}, memo: map[string]*runs{}, values: map[string]any{}}
	for i := range size.Seeds {
		l.seeds = append(l.seeds, size.Seed+uint64(i))
	}
	return l, nil
}

// ours begins claims that are not the paper's.
const ours = "mrsched: "

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
	l.progress, l.noting = progress, true
	_, err := e.draw(l)
	l.noting = false
	if err == nil {
		err = l.run()
	}
	if err != nil {
		return nil, err
	}
	return e.draw(l)
}

// draw gives the figure what the lab knows.
func (e Experiment) draw(l *Lab) (f *report.Figure, err error) {
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
	f = &report.Figure{Name: e.Name, Title: e.Title, Paper: e.Paper, Source: e.Source, XLabel: e.entry.x,
		YLabel: e.entry.y, Parameters: map[string]any{"problem": e.Problem, "seeds": l.seeds}}
	if l.jobsMax > 0 && e.Problem != htaPaper.problem {
		f.Parameters["jobs_max"] = l.jobsMax
	}
	e.entry.draw(&figure{l, f})
	if own := l.stated(); own != nil {
		f.Parameters["runs"] = own
	}
	for i, c := range f.Claims {
		claim, own := strings.CutPrefix(c.Claim, ours)
		f.Claims[i].Claim, f.Claims[i].Own = claim, own || e.entry.source == ""
	}
	return f, nil
}

// readings are an algorithm's outcomes on a scenario, by seed.
func (l *Lab) readings(s scenario, algorithm string) []reading {
	key := s.String()
	r := l.memo[key]
	if r == nil {
		r = &runs{scenario: s, readings: make([]map[string]reading, len(l.seeds))}
		for i := range r.readings {
			r.readings[i] = map[string]reading{}
		}
		l.memo[key] = r
	}
	if ask := (request{r, algorithm}); !slices.Contains(l.asked, ask) {
		l.asked = append(l.asked, ask)
	}
	list := make([]reading, len(l.seeds))
	if _, ok := r.readings[0][algorithm]; !ok {
		if r.missing == nil {
			l.pending = append(l.pending, r)
		}
		if !slices.Contains(r.missing, algorithm) {
			r.missing = append(r.missing, algorithm)
		}
		if l.noting {
			for i := range list {
				list[i] = reading{cost: 1, bound: 1, strongest: 1, rounds: 1, waiting: make([]float64, waitingSteps+1)}
			}
			return list
		}
		must(l.run())
	}
	for i := range list {
		list[i] = r.readings[i][algorithm]
	}
	return list
}

// run makes the pending runs in reverse: the last ones take longest.
func (l *Lab) run() error {
	pending := l.pending
	l.pending = nil
	slices.Reverse(pending)
	n := len(l.seeds)
	err := l.every(l.threads, len(pending)*n, func(ctx context.Context, i int) error {
		return l.measure(ctx, pending[i/n], n-1-i%n)
	})
	for _, r := range pending {
		r.missing = nil
	}
	return err
}

// every does n things, so many at once.
func (l *Lab) every(threads, n int, do func(ctx context.Context, i int) error) error {
	g, ctx := errgroup.WithContext(l.ctx)
	g.SetLimit(threads)
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

// measured are n values that a figure measures itself. A name, unique among the problem's figures, is measured once.
func measured[T any](l *Lab, name string, n int, do func(ctx context.Context, i int) (T, error)) []T {
	return measuredBy(l, l.threads, name, n, do)
}

// timed are n values that take processor time, one after another on one core.
func timed[T any](l *Lab, name string, n int, do func(ctx context.Context, i int) (T, error)) []T {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	return measuredBy(l, 1, name, n, do)
}

func measuredBy[T any](l *Lab, threads int, name string, n int, do func(ctx context.Context, i int) (T, error)) []T {
	if found, ok := l.values[name].([]T); ok {
		return found
	}
	list := make([]T, n)
	must(l.every(threads, n, func(ctx context.Context, i int) (err error) {
		list[i], err = do(ctx, i)
		return err
	}))
	l.values[name] = list
	return list
}

// measure runs the missing algorithms of a scenario on one instance.
func (l *Lab) measure(ctx context.Context, r *runs, seed int) error {
	o, err := l.opened(r.scenario, l.seeds[seed])
	if err != nil {
		return err
	}
	for _, name := range r.missing {
		v, err := l.solve(ctx, o, name, r.options(l.seeds[seed]), r.bare)
		if err != nil {
			return err
		}
		r.readings[seed][name] = newReading(o, v)
	}
	return nil
}
