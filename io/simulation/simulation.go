package simulation

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"mrsched/io/engine"
	"mrsched/io/export"
	"mrsched/io/run"
	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
)

// Options are the settings of one call.
type Options struct {
	Runs, Threads int
	Seed          uint64
	Night         bool // each run draws one night for all tasks
	Active        int  // tasks of a job that Airflow runs at once
}

// pause is how long a dispatcher waits before the next try: Airflow's default.
const pause = 300 * model.Second

// Case is a plan under a rule.
type Case struct {
	Name, Rule string // what the plan is called
	Opened     *engine.Opened
	Schedule   *model.Schedule // nil: the rule needs none
	in         *shop.Instance
	ends       [][]model.Time // by job, then by run
	delayed    [][]int32      // by job: how often which task delayed it most
	sample     int            // how many independent past runs or nights the runs show at the most
}

// Run simulates all cases. What each task takes in each run is the same in all of them. Errors are *model.InputError,
// or the end of ctx.
func Run(ctx context.Context, cases []*Case, opt Options) (*Past, error) {
	past, err := pastOf(cases[0].Opened.W)
	if err != nil {
		return nil, err
	}
	for _, c := range cases {
		if err := c.run(ctx, past, opt); err != nil {
			return nil, err
		}
	}
	return past, nil
}

func (c *Case) run(ctx context.Context, past *Past, opt Options) error {
	p := c.Opened.Problem
	in, ok := c.Opened.Run.View().(*shop.Instance)
	if !ok || p.Simulate == nil {
		return model.NewInputError(model.Finding{Code: model.CodeParameter, What: "problem " + p.Name + " has no dispatcher",
			Expected: "problem " + shop.Cluster, Hint: "mrsched solve INSTANCE -p " + shop.Cluster})
	}
	c.in = in
	if err := past.fits(in); err != nil {
		return err
	}
	rule, err := c.rule(opt)
	if err != nil {
		return err
	}
	trials := make([]*solver.Trial, opt.Runs)
	if err := run.Each(ctx, opt.Runs, opt.Threads, func(ctx context.Context, k int) (err error) {
		trials[k], err = p.Simulate(c.Opened.Run, ctx, rule, past.drawn(in, k, opt))
		return err
	}); err != nil {
		return err
	}
	if c.sample = opt.Runs; opt.Night {
		c.sample = min(c.sample, len(past.nights))
	}
	c.ends, c.delayed = make([][]model.Time, in.Jobs), make([][]int32, in.Jobs)
	for j := range in.Jobs {
		for _, t := range trials {
			c.ends[j], c.delayed[j] = append(c.ends[j], t.End[j]), append(c.delayed[j], t.Delayed[j])
		}
	}
	return nil
}

// rule is how the dispatcher follows the plan.
func (c *Case) rule(opt Options) (solver.Rule, error) {
	rule := solver.Rule{Pause: pause}
	if c.Rule == solver.OwnRule {
		return rule, nil
	}
	plan, err := export.New(c.in, c.Schedule)
	if err != nil {
		return rule, err
	}
	rule.Order, rule.Node = c.in.InOrder(c.Schedule), make([]int32, c.in.Tasks)
	rule.InTurn = c.Rule == solver.OrderRule
	for u, e := range c.Schedule.Entries {
		if rule.Node[u] = e.Machine; !rule.InTurn && !c.in.Fixed(int32(u)) {
			rule.Node[u] = model.None
		}
	}
	if rule.InTurn {
		return rule, nil
	}
	rule.Most = opt.Active
	list := plan.Airflow()
	slices.SortStableFunc(rule.Order, func(u, v int32) int {
		a, b := &list[u], &list[v]
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(c.in.Release[c.in.Job[u]], c.in.Release[c.in.Job[v]]),
			cmp.Compare(a.MapIndex, b.MapIndex), cmp.Compare(a.DAG, b.DAG), cmp.Compare(a.Task, b.Task))
	})
	return rule, nil
}

// Past are the runs that can be drawn.
type Past struct {
	Runs, Tries, Zero int // that can be drawn; attempts of 0 s, which take the least time that there is
	Failed, Without   int // runs that never succeeded and are not drawn, tasks without any
	of                map[string][]pastRun
	nights            []int64
}

// pastRun is what the tries of a task took in one run; the last one succeeded.
type pastRun struct {
	night int64
	tries []model.Time
}

// early is how long before time 0 of its night a run may start.
const early, day = model.Time(3600) * model.Second, model.DaySeconds * model.Second

// pastOf reads the rows of the table runs of the workload's tasks. A night is 24 hours from an hour before time 0 on;
// runs that state no start are numbered by their names.
func pastOf(w *model.Workload) (*Past, error) {
	p := &Past{of: map[string][]pastRun{}}
	known := map[string]bool{}
	for u := range w.Tasks {
		known[w.Tasks[u].ID] = true
	}
	rows := slices.DeleteFunc(model.Indices(len(w.Runs)), func(k int32) bool { return !known[w.Runs[k].Task] })
	slices.SortStableFunc(rows, func(a, b int32) int {
		x, y := &w.Runs[a], &w.Runs[b]
		return cmp.Or(cmp.Compare(x.Task, y.Task), cmp.Compare(x.Run, y.Run), cmp.Compare(x.Try, y.Try),
			cmp.Compare(x.Start.Or(0), y.Start.Or(0)))
	})
	names := map[string]int64{}
	for k := 0; k < len(rows); {
		first, r, done := &w.Runs[rows[k]], pastRun{}, false
		for ; k < len(rows); k++ {
			x := &w.Runs[rows[k]]
			if x.Task != first.Task || x.Run != first.Run {
				break
			}
			if took := x.Took(); took.Known && !done {
				if took.Value == 0 {
					p.Zero++
				}
				r.tries, done = append(r.tries, max(1, took.Value)), x.State == model.Succeeded
			}
		}
		if !done {
			p.Failed++
			continue
		}
		if r.night = names[first.Run]; first.Start.Known {
			at := first.Start.Value + early
			r.night = int64((at - (at%day+day)%day) / day)
		} else if r.night == 0 {
			r.night = -model.DaySeconds - int64(len(names))
			names[first.Run] = r.night
		}
		p.Runs, p.Tries = p.Runs+1, p.Tries+len(r.tries)
		p.of[first.Task], p.nights = append(p.of[first.Task], r), append(p.nights, r.night)
	}
	slices.Sort(p.nights)
	p.nights = slices.Compact(p.nights)
	for u := range w.Tasks {
		if len(p.of[w.Tasks[u].ID]) == 0 {
			p.Without++
		}
	}
	if p.Without == len(w.Tasks) {
		return nil, model.NewInputError(model.Finding{Code: model.CodeNoTime, Pos: w.File(model.TableRuns),
			What: "no task has a successful run in the table runs", Expected: "rows with ids of tasks",
			Hint: "mrsched import airflow writes this table"})
	}
	return p, nil
}

// fits refuses runs that take so long that times cannot be added.
func (p *Past) fits(in *shop.Instance) error {
	var total model.Horizon
	loose, w := in.Loose(), in.Workload()
	for u := range w.Tasks {
		total.Add(in.Least[u])
		for _, r := range p.of[w.Tasks[u].ID] {
			for _, t := range r.tries {
				longest, ok := loose.Work(int32(u), t)
				total.Over = total.Over || !ok
				total.Add(longest)
				total.Add(pause)
			}
		}
	}
	if total.Over {
		return model.NewInputError(model.BeyondHorizon(w.File(model.TableRuns), "the times of runs",
			"are times given in milliseconds?"))
	}
	return nil
}

// drawn are the tries of all tasks in a run. The stream of a task depends on the seed, the run and the task alone.
func (p *Past) drawn(in *shop.Instance, k int, opt Options) [][]model.Time {
	stream := func(u int) *rand.Rand { return rand.New(rand.NewPCG(opt.Seed, uint64(k)<<32|uint64(u+1))) }
	night := p.nights[stream(-1).IntN(len(p.nights))]
	tries, w := make([][]model.Time, in.Tasks), in.Workload()
	for u := range tries {
		list := p.of[w.Tasks[u].ID]
		if opt.Night {
			same := slices.DeleteFunc(slices.Clone(list), func(r pastRun) bool { return r.night != night })
			if len(same) > 0 {
				list = same
			}
		}
		if len(list) > 0 {
			tries[u] = list[stream(u).IntN(len(list))].tries
		}
	}
	return tries
}
