package cli

import (
	"fmt"
	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/io/show"
	"mrsched/io/textpos"
	"mrsched/model"
	"mrsched/solver"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

const explainHelp = `With RESULT and the id of a task or job: why it is on this machine, what its start waits for, what the dual solution
behind the lower bound says about it, what its best alternatives would cost, and what would have to change. The result is checked first; one that does
not pass is refused with exit 4. Alternatives move this task alone; tasks behind it are pushed as little as the
constraints demand. Where an id names a task and a job, the task is meant; task:ID and job:ID tell them apart.

With INSTANCE alone: the smallest set found of its demands that exclude each other. Exit 3: because of it no schedule exists; 2: the
input contradicts itself, or is bad otherwise; 0: schedules exist, even if some demands, such as deadlines, cannot all be met.

Examples:
   mrsched explain fig1.json results/fig1/mars 1.r1
   mrsched explain fig1.json results/fig1/mars 2 -k 5 --json
   mrsched explain deadlines.json`

// defaultAlternatives is how many alternatives are told.
const defaultAlternatives = 3

var flagAlternatives = &cli.IntFlag{Name: "alternatives", Aliases: []string{"k"}, Value: defaultAlternatives,
	Usage: "tell at most so many alternatives"}

func (s *session) explainCommand() *cli.Command {
	return &cli.Command{
		Name:        "explain",
		Usage:       "say why a task or job is where and when it is, or which demands of an instance conflict",
		ArgsUsage:   "INSTANCE [RESULT TASK|JOB]",
		Description: explainHelp,
		Flags: append([]cli.Flag{flagAlternatives, flagJSON, flagProblem, flagJob, flagUnknown, maxInputFlag(),
			maxCountFlag()}, paramFlags(viewParams())...),
		Action: s.explain,
	}
}

// viewParams are the parameters that change an instance itself.
func viewParams() []solver.Param {
	var list []solver.Param
	for _, p := range engine.Problems() {
		for _, q := range p.Params {
			if q.View {
				list = append(list, q)
			}
		}
	}
	return list
}

func (s *session) explain(c *cli.Context) error {
	if n := c.Int(flagAlternatives.Name); n < 0 {
		return engine.Usagef("--alternatives %d: expected at least 0", n)
	}
	if c.NArg() == 1 {
		if onLine(c, flagAlternatives.Name) {
			return engine.Usagef("--alternatives has no effect without RESULT and TASK or JOB")
		}
		return s.explainConflict(c, c.Args().First())
	}
	args, err := arguments(c, "INSTANCE", "RESULT", "TASK|JOB")
	if err != nil {
		return err
	}
	for _, f := range append([]cli.Flag{flagProblem, flagJob}, paramFlags(viewParams())...) {
		if name := f.Names()[0]; onLine(c, name) {
			return engine.Usagef("--%s has no effect with RESULT, which states it", name)
		}
	}
	o, b, err := s.checkedResult(c, args[0], args[1])
	if err != nil {
		return err
	}
	return s.explainResult(c, o, b, args[2])
}

// checkedResult reads a workload and one result of it that passes check, and opens what it was made for.
func (s *session) checkedResult(c *cli.Context, instance, path string) (*engine.Opened, *result.Bundle, error) {
	if path == "-" {
		return nil, nil, engine.Usagef("RESULT cannot be -: name a result's directory or file; only INSTANCE is read from " +
			"standard input")
	}
	paths, err := resultPaths(path)
	if err != nil {
		return nil, nil, err
	}
	w, err := s.readWorkload(c, instance)
	if err != nil {
		return nil, nil, err
	}
	if len(paths) > 1 {
		return nil, nil, engine.Usagef("%s holds several results; name one of %s", path, strings.Join(paths, ", "))
	}
	b, found, err := resultAt(path, paths[0])
	if err != nil {
		return nil, nil, err
	}
	if len(found) == 0 {
		if found, err = engine.Recheck(c.Context, w, b, engine.DefaultMaxSearch); err != nil {
			return nil, nil, err
		}
	}
	if len(found) > 0 {
		for _, v := range found {
			fmt.Fprintln(s.stderr, textpos.Visible(paths[0]+": "+v.String()))
		}
		fmt.Fprintf(s.stderr, "%s %s does not pass check: nothing is explained\n", s.alarm(), paths[0])
		return nil, nil, &exitError{exitViolation}
	}
	if b.Rows == nil {
		return nil, nil, engine.Usagef("%s has no schedule: it is the bound of %s alone", filepath.Clean(paths[0]),
			b.Result.Algorithm)
	}
	o, err := reopen(w, b.Result)
	return o, b, err
}

// reopen opens the instance of a result that passed check.
func reopen(w *model.Workload, r *model.Result) (*engine.Opened, error) {
	p, err := engine.FindProblem(r.Problem, nil)
	if err != nil {
		return nil, err
	}
	if only, ok := r.Parameters["job"].(string); ok {
		if w, err = w.Restrict(strings.Split(only, ",")); err != nil {
			return nil, err
		}
	}
	params, err := engine.StatedParams(p.Params, r.Parameters)
	if err != nil {
		return nil, err
	}
	return engine.Open(p, w, params)
}

// explainResult asks about one id and prints the answer.
func (s *session) explainResult(c *cli.Context, o *engine.Opened, b *result.Bundle, id string) error {
	x, ok := o.Run.(solver.Explainer)
	if !ok {
		return engine.Usagef("results of problem %s cannot be explained", o.Problem.Name)
	}
	schedule, _ := result.Schedule(o.W, o.Run.View(), b.Rows)
	q := solver.Question{Schedule: schedule, Alternatives: c.Int(flagAlternatives.Name), Algorithm: b.Result.Algorithm,
		Certificate: b.Certificate}
	var err error
	if q.Task, q.Job, err = s.subject(o, id); err != nil {
		return err
	}
	if err := scheduled(o, q); err != nil {
		return err
	}
	e, err := x.Explain(c.Context, q)
	if err != nil {
		return err
	}
	line := lineOf(o, b.Result, q, e)
	if c.Bool(flagJSON.Name) {
		return show.WriteLines(s.stdout, []explanationLine{line})
	}
	return line.print(s.stdout)
}

// subject finds the task or job of an id: tasks first, unless the id says what it is.
func (s *session) subject(o *engine.Opened, id string) (model.TaskIndex, model.JobIndex, error) {
	jobs := jobIndices(o.W)
	task, isTask := findTask(o, id)
	job, isJob := jobs[id]
	switch {
	case isTask && isJob:
		fmt.Fprintf(s.stderr, "note: %s is a task and a job; for the job write job:%s\n", textpos.Visible(id),
			textpos.Visible(id))
	case isTask:
	case isJob:
		return model.None, job, nil
	default:
		if rest, ok := strings.CutPrefix(id, "task:"); ok {
			task, isTask = findTask(o, rest)
		} else if rest, ok := strings.CutPrefix(id, "job:"); ok {
			if job, isJob = jobs[rest]; isJob {
				return model.None, job, nil
			}
		}
	}
	if isTask {
		_, name := taskName(o, task)
		return task, jobs[name], nil
	}
	return 0, 0, unknownID(o, id)
}

func jobIndices(w *model.Workload) map[string]model.JobIndex {
	jobs := make(map[string]model.JobIndex, len(w.Jobs))
	for j := range w.Jobs {
		jobs[w.Jobs[j].ID] = model.JobIndex(j)
	}
	return jobs
}

// findTask is the view's task of an id.
func findTask(o *engine.Opened, id string) (model.TaskIndex, bool) {
	if n, ok := o.Run.View().(model.TaskNamer); ok {
		return n.FindTask(id)
	}
	i := slices.IndexFunc(o.W.Tasks, func(t model.Task) bool { return t.ID == id })
	return model.TaskIndex(i), i >= 0
}

// taskName is the id of the view's task, and that of its job.
func taskName(o *engine.Opened, t model.TaskIndex) (id, job string) {
	if n, ok := o.Run.View().(model.TaskNamer); ok {
		id, job, _ = n.TaskName(t)
		return id, job
	}
	return o.W.Tasks[t].ID, o.W.Jobs[o.W.Tasks[t].Job].ID
}

// unknownID is the usage error for an id that is neither a task nor a job.
func unknownID(o *engine.Opened, id string) error {
	var names []string
	for t := range min(model.TaskCount(o.W, o.Run.View()), maxNames) {
		name, _ := taskName(o, model.TaskIndex(t))
		names = append(names, name)
	}
	for j := range min(len(o.W.Jobs), maxNames) {
		names = append(names, o.W.Jobs[j].ID)
	}
	if near := model.Nearest(id, names); near != "" {
		return engine.Usagef("there is no task or job %q; did you mean %q?", id, near)
	}
	return engine.Usagef("there is no task or job %q; there are tasks such as %q and jobs such as %q", id, names[0],
		o.W.Jobs[0].ID)
}

// scheduled is a usage error if what is asked about has no row in the schedule.
func scheduled(o *engine.Opened, q solver.Question) error {
	for _, e := range q.Schedule.Entries {
		if e.Task == q.Task {
			return nil
		}
		if q.Task == model.None {
			if _, job := taskName(o, e.Task); job == o.W.Jobs[q.Job].ID {
				return nil
			}
		}
	}
	what := "job " + o.W.Jobs[q.Job].ID
	if q.Task != model.None {
		id, _ := taskName(o, q.Task)
		what = "task " + id
	}
	if x, ok := o.Run.View().(model.Selective); ok {
		if left := x.LeftOut(); len(left) > 0 {
			return engine.Usagef("%s is not in this schedule: %s", what, strings.Join(left, "; "))
		}
	}
	return engine.Usagef("%s is not in this schedule", what)
}
