package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"mrsched/io/artifact"
	"mrsched/io/engine"
	"mrsched/io/grammar"
	"mrsched/io/result"
	"mrsched/io/simulation"
	"mrsched/io/textpos"
	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
)

const simulateHelp = `Repeats the time of INSTANCE, of problem cluster, with tasks that take as long as in past runs (table runs), and prints when
jobs end, how likely each deadline is, and which task most often delays a job. A try that failed is repeated 300 s later. Tasks
without a past run that succeeded, fixed ones, and those with rows of times take the times of the workload.

--as order: each task runs on its planned node, and none starts before those that the plan starts earlier on its node or in
its pools. --as airflow: tasks that are ready start on any node that may run them, in the order of the priorities
that export writes; those without room on a node, slots in their pools, or a place among the active tasks of their DAG let
others pass. --as fifo: as the algorithm fifo; RESULT makes no difference to it.

A RESULT may be of another instance with the same tasks and nodes, such as one with the 90th percentiles of times. All rules and
results meet the same runs: what a task takes depends on the seed, the run and the task.`

func (s *session) simulateCommand() *cli.Command {
	return &cli.Command{
		Name:        "simulate",
		Usage:       "find how likely a plan keeps its deadlines when tasks take as long as in past runs",
		ArgsUsage:   "INSTANCE [RESULT…]",
		Description: simulateHelp,
		UsageText: examples("mrsched simulate night.json results/night --as order",
			"mrsched simulate night.json results/p50 results/p90 --as airflow,fifo --draw night",
			"mrsched simulate night.json results/night --json > sure.json"),
		Flags: []cli.Flag{
			&listFlag{cli.StringFlag{Name: "as", Value: solver.OrderRule,
				Usage: "rules by which tasks start (" + grammar.ListUsage + ": " + strings.Join(solver.Rules(), "|") + ")"}},
			count("runs", 1000, "number of simulated runs"),
			choice(cli.StringFlag{Name: "draw", Value: "task",
				Usage: "draw a past run for each task, or one past night for all"}, "task", "night"),
			count("max-active-tasks", 16, "tasks of a job that run at once --as airflow, as in max_active_tasks of its DAG"),
			flagSeed, flagThreads, flagFormat, flagJSON, flagUnknown, maxInputFlag(), maxCountFlag(), flagQuiet,
		},
		Action: s.simulate,
	}
}

// unsure points to simulate where a workload has runs that it can draw.
func (s *session) unsure(c *cli.Context, w *model.Workload, then string) {
	if len(w.Runs) > 0 && w.Problem == shop.Cluster && !c.Bool(flagQuiet.Name) {
		fmt.Fprintf(s.stderr, "note: how sure is that? The workload has past runs: mrsched simulate INSTANCE %s\n", then)
	}
}

// maxRuns is the most runs that are held in memory.
const maxRuns = 1_000_000

func (s *session) simulate(c *cli.Context) error {
	if c.NArg() == 0 {
		return engine.Usagef("INSTANCE is missing: mrsched simulate INSTANCE [RESULT…]")
	}
	out := s.output(c)
	opt := simulation.Options{Runs: c.Int("runs"), Threads: c.Int(flagThreads.Name), Seed: c.Uint64(flagSeed.Name),
		Night: c.String("draw") == "night", Active: c.Int("max-active-tasks")}
	if opt.Runs > maxRuns {
		return engine.Usagef("--runs %d: expected at most %d", opt.Runs, maxRuns)
	}
	rules := strings.Split(c.String("as"), ",")
	for k, rule := range rules {
		if !slices.Contains(solver.Rules(), rule) {
			return engine.Unknown("--as", rule, solver.Rules())
		} else if slices.Contains(rules[:k], rule) {
			return engine.Usagef("--as names %s twice", rule)
		}
	}
	if onLine(c, "max-active-tasks") && !slices.Contains(rules, solver.AirflowRule) {
		return engine.Usagef("--max-active-tasks has no effect without --as %s", solver.AirflowRule)
	}
	cases, err := s.cases(c, rules)
	if err != nil {
		return err
	}
	defer limitCores(c)()
	past, err := simulation.Run(c.Context, cases, opt)
	if err != nil {
		return err
	}
	if !c.Bool(flagQuiet.Name) {
		for _, note := range past.Notes(opt, cases[0].Opened.W) {
			fmt.Fprintf(s.stderr, "note: %s\n", note)
		}
	}
	return out.Print(simulation.Table(cases))
}

// cases are the rules that need no plan, then each rule for each result.
func (s *session) cases(c *cli.Context, rules []string) (cases []*simulation.Case, err error) {
	args := c.Args().Slice()
	w, err := s.readWorkload(c, args[0])
	if err != nil {
		return nil, err
	}
	p, err := engine.FindProblem("", w)
	if err != nil {
		return nil, err
	}
	params, err := paramValues(c, p.Params)
	if err != nil {
		return nil, err
	}
	o, err := engine.Open(p, w, params)
	if err != nil {
		return nil, err
	}
	plans := []*simulation.Case{}
	for _, path := range args[1:] {
		plan, err := s.plan(c, o, path)
		if err != nil {
			return nil, err
		}
		plans = append(plans, plan)
	}
	for _, rule := range rules {
		if !simulation.NeedsPlan(rule) {
			cases = append(cases, &simulation.Case{Rule: rule, Opened: o})
			continue
		}
		if len(plans) == 0 {
			return nil, engine.Usagef("RESULT is missing: --as %s follows a plan", rule)
		}
		for _, plan := range plans {
			one := *plan
			one.Rule = rule
			cases = append(cases, &one)
		}
	}
	return cases, nil
}

// plan reads a result, of an instance or of another one with the same tasks and nodes.
func (s *session) plan(c *cli.Context, o *engine.Opened, path string) (*simulation.Case, error) {
	paths, err := artifact.ResultPaths(path)
	if err != nil {
		return nil, err
	}
	plan := &simulation.Case{Name: filepath.Base(filepath.Clean(path)), Opened: o}
	b, found, err := artifact.ResultAt(path, paths[0])
	if err != nil {
		return nil, err
	}
	other := false
	if b != nil && len(found) == 0 && b.Rows != nil && len(paths) == 1 {
		other = engine.IsInstanceOf(b, o.W, path) != nil
	}
	if !other {
		if plan.Opened, b, err = s.checked(c, o.W, path, paths); err != nil {
			return nil, err
		}
	}
	plan.Schedule, found = result.Schedule(plan.Opened.Run.View(), b.Rows)
	for u := range plan.Opened.W.Tasks {
		if len(found) == 0 && (u >= len(plan.Schedule.Entries) || int(plan.Schedule.Entries[u].Task) != u) {
			found = []model.Violation{{Code: model.CodeTaskMissing, What: fmt.Sprintf("task %q has not one row",
				plan.Opened.W.Tasks[u].ID)}}
		}
	}
	if len(found) > 0 {
		return nil, model.NewInputError(model.Finding{Code: found[0].Code, Pos: model.Position{File: path},
			What: "the result is of another instance: " + found[0].What, Expected: "a plan of the same tasks and nodes"})
	}
	if other && !c.Bool(flagQuiet.Name) {
		fmt.Fprintf(s.stderr, "note: %s is of another instance: only its order and its nodes count\n",
			textpos.Visible(plan.Name))
	}
	return plan, nil
}
