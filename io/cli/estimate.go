package cli

import (
	"fmt"
	"mrsched/io/engine"
	"mrsched/io/show"
	"mrsched/model"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	realtimemodel "mrsched/model/realtime"
	"mrsched/solver"
	"mrsched/solver/realtime"
)

const estimateHelp = `Every map and partition is estimated on every worker that has slots for it. Cpu and memory are what the task states,
else the mean of the fullest bin of a histogram of past runs of its job's class and its kind. The time is that of the
nearest of these runs in bytes, cpu and memory, weighted by distance (Epanechnikov); of 101 partitions of a job or more,
that of a line through them. FROM says which runs count: those on the worker, those on all workers, scaled by their
speeds, or all of the class. R is the distance of the farthest of the K runs that count. Under each row stand the nearest
runs: HISTORY 7 is row 7 of the table history, and the weights of all of them add up to 1.

True times are not looked at and may be absent. With -o the workload is written with its times replaced by the
estimates: solve plans with them.`

// estimateParams are the parameters of the problem that say which partitions there are and how they are estimated.
func estimateParams() []solver.Param {
	list := realtime.Problem().Params
	return slices.DeleteFunc(slices.Clone(list), func(p solver.Param) bool {
		return !slices.Contains([]string{"partitions", "sketch-delta", "sketch-seed", "max-neighbours"}, p.Name)
	})
}

// selections are the flags that say what is printed.
var selections = []string{"task", "worker", "neighbours", "json"}

func (s *session) estimateCommand() *cli.Command {
	flags := []cli.Flag{
		flagJob,
		&cli.StringFlag{Name: "task", Usage: "only this task or partition (or these, " + listUsage + "); " +
			"without it, of partitions that sketches would make none"},
		&cli.StringFlag{Name: "worker", Usage: "only on this worker (or these, " + listUsage + ")"},
		&cli.IntFlag{Name: "neighbours", Value: 3, Usage: "print so many of the nearest past runs under each estimate"},
		flagJSON,
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "print nothing; write the workload with the " +
			"estimates as its times: FILE.json[.gz], a directory for CSV, or - for standard output"},
		flagForce, flagUnknown, maxInputFlag(), maxCountFlag(), flagQuiet,
	}
	return &cli.Command{
		Name:      "estimate",
		Usage:     "estimate from past runs what tasks need, and show these runs",
		ArgsUsage: "INSTANCE",
		Description: withExamples(estimateHelp,
			"mrsched generate realtime --jobs 3 -o jobs.json",
			"mrsched estimate jobs.json --task j1.m1 --worker w1 --neighbours 5",
			"mrsched estimate jobs.json -o expected.json && mrsched solve expected.json"),
		Flags:  append(flags, paramFlags(estimateParams())...),
		Action: s.estimate,
	}
}

func (s *session) estimate(c *cli.Context) error {
	args, err := arguments(c, "INSTANCE")
	if err != nil {
		return err
	}
	if n := c.Int("neighbours"); n < 0 {
		return engine.Usagef("--neighbours %d: expected at least 0", n)
	}
	if err := workloadFits(c); err != nil {
		return err
	}
	out := c.String("output")
	for _, name := range selections {
		if out != "" && onLine(c, name) {
			return engine.Usagef("--%s has no effect with -o, which writes all estimates", name)
		}
	}
	if out != "-" {
		if err := vacant(out, c.Bool(flagForce.Name)); err != nil { // before any work
			return err
		}
	}
	e, err := s.newEstimates(c, args[0])
	if err != nil {
		return err
	}
	if out != "" {
		return e.write()
	}
	if err := e.choose(); err != nil {
		return err
	}
	if c.Bool(flagJSON.Name) {
		return e.printJSON()
	}
	return e.print()
}

// estimates is one call of estimate.
type estimates struct {
	*realtime.Estimator
	s  *session
	c  *cli.Context
	w  *model.Workload
	in *realtimemodel.Instance

	groups  [][]int32 // of tasks that have the same estimates
	workers map[model.TaskKind][]int32
}

// newEstimates reads the instance and learns from its history.
func (s *session) newEstimates(c *cli.Context, path string) (*estimates, error) {
	w, err := s.readWorkload(c, path)
	if err != nil {
		return nil, err
	}
	if w, err = restrict(c, w); err != nil {
		return nil, err
	}
	p, err := paramValues(c, estimateParams())
	if err != nil {
		return nil, err
	}
	in, err := realtimemodel.New(w, realtimemodel.Options{Goal: realtimemodel.Deadlines, Untimed: true,
		Partitions: p.Int("partitions"), Delta: p.Float("sketch-delta"), SketchSeed: p.Int("sketch-seed")})
	if err != nil {
		return nil, err
	}
	if err := idle(c, estimateParams(), in); err != nil {
		return nil, err
	}
	e := &estimates{s: s, c: c, w: w, in: in, workers: map[model.TaskKind][]int32{}}
	if e.Estimator, err = realtime.NewEstimator(in, int(p.Int("max-neighbours"))); err != nil {
		return nil, err
	}
	for _, kind := range []model.TaskKind{model.Map, model.Reduce} {
		for _, slot := range in.SlotsFor(kind) {
			e.workers[kind] = append(e.workers[kind], in.WorkerOf[slot])
		}
		e.workers[kind] = slices.Compact(e.workers[kind])
	}
	return e, nil
}

// write writes the workload with the estimates in place of its times.
func (e *estimates) write() error {
	if !e.w.HasTopology {
		return model.NewInputError(model.Finding{Code: model.CodeNoMachines,
			What:     "estimates cannot be kept: the table times names nodes, and the workload has no topology",
			Expected: "workers as nodes of the table topology"})
	}
	out := *e.w
	out.Times = nil
	for t := range int32(e.in.Tasks) {
		if err := e.c.Context.Err(); err != nil {
			return err
		}
		id, _, kind := e.in.TaskName(model.TaskIndex(t))
		for _, m := range e.workers[kind] {
			out.Times = append(out.Times, model.GivenTime{Job: model.JobIndex(e.in.JobOf(t)), Task: id, Worker: e.in.Node[m],
				Time: e.Time(t, m)})
		}
	}
	out.Notes = append(slices.Concat(e.w.Notes, e.w.Skipped),
		fmt.Sprintf("times are estimates from %s", show.Counted(len(e.w.History), "past run")))
	if err := e.s.writeWorkload(e.c, &out); err != nil {
		return err
	}
	if !e.c.Bool(flagQuiet.Name) {
		fmt.Fprintf(e.s.stderr, "estimated %s of %s from %s\n", show.Counted(len(out.Times), "time"),
			show.Counted(e.in.Tasks, "task"),
			show.Counted(len(e.w.History), "past run"))
	}
	return nil
}

// choose applies --task and --worker.
func (e *estimates) choose() error {
	var found model.Findings
	wanted := map[int32]bool{}
	if e.c.IsSet("task") {
		for _, id := range strings.Split(e.c.String("task"), ",") {
			t, ok := e.in.FindTask(id)
			if !ok {
				found.Add(e.unknown("task", model.CodeUnknownTask, id, e.in.Tasks,
					func(i int32) string { id, _, _ := e.in.TaskName(model.TaskIndex(i)); return id }))
			}
			wanted[int32(t)] = true
		}
	} else {
		for t := range int32(e.in.Tasks) {
			wanted[t] = e.in.IsMap(t) || e.in.SetOf(t).Row == 0
		}
	}
	if e.c.IsSet("worker") {
		chosen := map[int32]bool{}
		for _, name := range strings.Split(e.c.String("worker"), ",") {
			m := int32(0)
			for int(m) < e.in.Workers && e.in.WorkerName(m) != name {
				m++
			}
			if int(m) == e.in.Workers {
				found.Add(e.unknown("worker", model.CodeUnknownNode, name, e.in.Workers, e.in.WorkerName))
			}
			chosen[m] = true
		}
		for kind, list := range e.workers {
			e.workers[kind] = slices.DeleteFunc(list, func(m int32) bool { return !chosen[m] })
		}
	}
	if err := found.Err(); err != nil {
		return err
	}
	for _, g := range e.Groups() {
		g = slices.DeleteFunc(g, func(t int32) bool { return !wanted[t] })
		if len(g) > 0 && len(e.workers[e.in.KindOf(g[0])]) > 0 {
			e.groups = append(e.groups, g)
		}
	}
	if len(e.groups) == 0 {
		return engine.Usagef("none of these workers has slots for any of these tasks")
	}
	return nil
}

// unknown is the finding for a name that the instance does not have. It has no place in a file.
func (e *estimates) unknown(flag string, code model.Code, name string, n int,
	nameOf func(i int32) string) model.Finding {
	names := make([]string, min(n, maxNames))
	for i := range names {
		names[i] = nameOf(int32(i))
	}
	f := model.Finding{Code: code, What: fmt.Sprintf("--%s %s: the instance has no such %s", flag, name, flag),
		Expected: "the id of one"}
	if near := model.Nearest(name, names); near != "" {
		f.Hint = fmt.Sprintf("did you mean %q?", near)
	}
	return f
}

// maxNames is how many names are compared with one that does not exist.
const maxNames = 100_000
