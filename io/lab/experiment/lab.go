package experiment

import (
	"cmp"
	"context"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"mrsched/io/engine"
	"mrsched/io/report"
	"mrsched/io/run"
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
	Size
	ctx     context.Context
	problem engine.Problem
	seeds   []uint64
	noting  bool             // readings are placeholders: figures are asked which they need
	asked   []request        // by the figure, without repetitions
	memo    map[string]*runs // by scenario
	values  map[string]any   // see measured
	idle    engine.Settings  // those of Set that no scenario of the figure has
}

// request is an algorithm on a scenario's instances.
type request struct {
	*runs
	algorithm string
}

// runs are the readings of a scenario: by algorithm, by seed. Bounds take longer than many algorithms, so that only
// those that a figure reads are computed.
type runs struct {
	scenario
	readings map[string][]reading
	bounded  map[string]bool // algorithms whose bounds are read
}

// item is the outcomes of algorithms on one instance, which a figure needs first.
type item struct {
	lab *Lab
	*runs
	algorithms   []string
	figure, seed int
}

// newLab makes the lab of a problem.
func newLab(ctx context.Context, problem string, size Size) (*Lab, error) {
	p, err := engine.FindProblem(problem, nil)
	if err != nil {
		return nil, err
	}
	l := &Lab{Size: size, ctx: ctx, problem: p, memo: map[string]*runs{}, values: map[string]any{}}
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

// Draw measures experiments, which share what they run. It reports its progress, and hands over each figure, in their
// order, as soon as its runs are made.
func Draw(ctx context.Context, size Size, list []Experiment, progress func(done, total int),
	ready func(f *report.Figure) error) error {
	labs := map[string]*Lab{} // by problem
	var items []item
	left := make([]int, len(list)) // runs that a figure waits for
	for k, e := range list {
		if labs[e.Problem] == nil {
			l, err := newLab(ctx, e.Problem, size)
			if err != nil {
				return err
			}
			labs[e.Problem] = l
		}
		more, err := labs[e.Problem].items(k, e)
		if err != nil {
			return err
		}
		left[k], items = len(more), append(items, more...)
	}
	next, done := 0, 0
	handOver := func() (err error) {
		for ; err == nil && next < len(list) && left[next] == 0; next++ {
			var f *report.Figure
			if f, err = list[next].attempt(labs[list[next].Problem], false); err == nil {
				err = ready(f)
			}
		}
		return err
	}
	if err := handOver(); err != nil {
		return err
	}
	var mu sync.Mutex // of what follows a run
	err := run.Each(ctx, len(items), size.Threads, func(ctx context.Context, i int) error {
		if err := items[i].measure(ctx); err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		left[items[i].figure]--
		done++
		progress(done, len(items))
		return handOver()
	})
	return cmp.Or(err, ctx.Err())
}

// items asks a figure which runs it needs, and lists those that no figure before needs: in reverse, because the last
// ones take longest.
func (l *Lab) items(figure int, e Experiment) (items []item, err error) {
	l.idle = maps.Clone(l.Set)
	if _, err := e.attempt(l, true); err != nil {
		return nil, err
	}
	if len(l.idle) > 0 {
		name := slices.Min(slices.Collect(maps.Keys(l.idle)))
		return nil, engine.Usagef("--set %s: figure %s has no such setting", name, e.Name)
	}
	var pending []item
	for _, q := range l.asked {
		if q.readings[q.algorithm] != nil {
			continue
		}
		q.readings[q.algorithm] = make([]reading, len(l.seeds))
		k := slices.IndexFunc(pending, func(x item) bool { return x.runs == q.runs })
		if k < 0 {
			k = len(pending)
			pending = append(pending, item{lab: l, runs: q.runs, figure: figure})
		}
		pending[k].algorithms = append(pending[k].algorithms, q.algorithm)
	}
	for _, x := range slices.Backward(pending) {
		for x.seed = range slices.Backward(l.seeds) {
			items = append(items, x)
		}
	}
	return items, l.ctx.Err()
}

// measure makes the runs of an item.
func (x *item) measure(ctx context.Context) error {
	seed := x.lab.seeds[x.seed]
	o, err := x.lab.opened(x.scenario, seed)
	if err != nil {
		return err
	}
	for _, name := range x.algorithms {
		loads := observed(o)
		v, err := x.lab.solve(ctx, o, name, seed, !x.bounded[name])
		if err != nil {
			return err
		}
		x.readings[name][x.seed] = x.reading(o, v, *loads)
	}
	return nil
}

// attempt gives the figure what the lab knows, or placeholders to note what it needs.
func (e Experiment) attempt(l *Lab, noting bool) (f *report.Figure, err error) {
	defer func() {
		if r := recover(); r != nil {
			stopped, ok := r.(failure)
			if !ok {
				panic(r)
			}
			err = stopped.error
		}
	}()
	l.noting, l.asked = noting, nil
	f = &report.Figure{Name: e.Name, Title: e.Title, Paper: e.Paper, Source: e.Paper + ", " + e.Place, XLabel: e.x,
		YLabel: e.y, Parameters: map[string]any{"problem": e.Problem, "seeds": l.seeds, "jobs_max": l.JobsMax}}
	if len(l.Set) > 0 {
		f.Parameters["set"] = l.Set
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

// readings are an algorithm's outcomes on a scenario, by seed; bounded says whether their bounds are read.
func (l *Lab) readings(s scenario, algorithm string, bounded bool) []reading {
	s = l.read(s)
	r := l.memo[s.String()]
	if r == nil {
		r = &runs{s, map[string][]reading{}, map[string]bool{}}
		l.memo[s.String()] = r
	}
	if ask := (request{r, algorithm}); !slices.Contains(l.asked, ask) {
		l.asked = append(l.asked, ask)
	}
	if !l.noting {
		return r.readings[algorithm]
	}
	r.bounded[algorithm] = r.bounded[algorithm] || bounded
	dummy := reading{cost: 1, bound: 1, rounds: 1, waiting: make([]float64, waitingSteps+1),
		reducers: reducers{make(samples, paperReducers), make(samples, paperReducers)}}
	return slices.Repeat([]reading{dummy}, len(l.seeds))
}

// measured are n values that a figure measures itself. A name, unique among the problem's figures, is measured once.
func measured[T any](l *Lab, name string, n int, do func(ctx context.Context, i int) (T, error)) []T {
	if found, ok := l.values[name].([]T); ok {
		return found
	}
	list := make([]T, n)
	must(run.Each(l.ctx, n, l.Threads, func(ctx context.Context, i int) (err error) {
		list[i], err = do(ctx, i)
		return err
	}))
	must(l.ctx.Err())
	l.values[name] = list
	return list
}
