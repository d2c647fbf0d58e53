package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"mrsched/io/artifact"
	"mrsched/io/engine"
	"mrsched/io/explain"
	"mrsched/io/result"
	"mrsched/io/show"
	"mrsched/io/solve"
	"mrsched/io/textpos"
	"mrsched/model"
	question "mrsched/solver/explain"
)

const explainHelp = `With RESULT and the id of a task or job: why it runs on this machine, what its start waits for, what would have to
change, and what the best alternatives would cost. For all problems but cluster: also what the dual solution behind the
lower bound says about it. For cluster, if the bound has a proof by clauses: the tasks of one interval or of one chain
that alone prove most of it, and how many cases prove the rest; of a task, only if it is one of these. explain checks
the result first and refuses an invalid one with exit code 4. An alternative moves only this task; tasks behind it are delayed as little as the constraints
allow. For cluster nothing else moves at all, so there may be no alternative. Of a result made with --from, what is
frozen stays. If an id names both a task and a job, the task is meant; write task:ID or job:ID to be explicit.

With INSTANCE alone: the smallest set found of requirements that exclude each other. Exit code 3: no schedule exists because of them;
2: the input contradicts itself or is otherwise invalid; 0: schedules exist, even if they cannot meet all deadlines.`

// defaultAlternatives is how many alternatives are told.
const defaultAlternatives = 3

var flagAlternatives = counted(0, &cli.IntFlag{Name: "alternatives", Aliases: []string{"k"}, Value: defaultAlternatives,
	Usage: "show at most this many alternatives"})

func (s *session) explainCommand() *cli.Command {
	return &cli.Command{
		Name: "explain",
		Usage: "explain why a task or job is where and when it is, or which requirements of " +
			"an instance conflict",
		ArgsUsage:   "INSTANCE [RESULT TASK|JOB]",
		Description: explainHelp,
		UsageText: examples("mrsched explain fig1.json results/fig1/mars 1.r1",
			"mrsched explain fig1.json results/fig1/mars 2 -k 5 --json",
			"mrsched explain deadlines.json"),
		Flags: append([]cli.Flag{flagAlternatives, flagFormat, flagJSON, flagProblem, flagUnknown, maxInputFlag(),
			maxCountFlag()}, paramFlags(viewParams())...),
		Action: s.explain,
	}
}

func (s *session) explain(c *cli.Context) error {
	out := s.output(c)
	if c.NArg() == 1 {
		return s.explainConflict(c, out, c.Args().First())
	}
	args, err := arguments(c, "INSTANCE", "RESULT", "TASK|JOB")
	if err != nil {
		return err
	}
	o, b, err := s.checkedResult(c, args[0], args[1], fmt.Sprintf("explain %s %s %s", args[1], args[0],
		args[2]))
	if err != nil {
		return err
	}
	return s.explainResult(c, out, o, b, args[2])
}

// checkedResult reads a workload and one result of it that passes check, and opens what it was made for. Swapped is the
// call with both paths in each other's place.
func (s *session) checkedResult(c *cli.Context, instance, path, swapped string) (*engine.Opened, *result.Bundle,
	error) {
	if path == "-" {
		return nil, nil, engine.Usagef("RESULT cannot be -: name a result's directory or file; only INSTANCE is read from " +
			"standard input")
	}
	paths, err := artifact.ResultPaths(path)
	if err != nil {
		return nil, nil, artifact.Swapped(err, instance, path, swapped)
	}
	w, err := s.readWorkload(c, instance)
	if err != nil {
		return nil, nil, err
	}
	return s.checked(c, w, path, paths)
}

// checked is checkedResult of a workload and of paths below one.
func (s *session) checked(c *cli.Context, w *model.Workload, path string, paths []string) (*engine.Opened,
	*result.Bundle, error) {
	if len(paths) > 1 {
		return nil, nil, engine.Usagef("%s holds several results; name one of %s", path, strings.Join(paths, ", "))
	}
	b, found, err := artifact.CheckOne(c.Context, w, path, paths[0], engine.DefaultMaxSearch)
	if err != nil {
		return nil, nil, err
	}
	if len(found) > 0 {
		for _, v := range result.Told(found) {
			fmt.Fprintln(s.stderr, textpos.Visible(paths[0]+": "+v.String()))
		}
		fmt.Fprintf(s.stderr, "%s %s does not pass check, so %s does nothing\n", alarm, paths[0], c.Command.Name)
		return nil, nil, &engine.ExitError{Code: engine.ExitViolation}
	}
	if p := c.String(flagProblem.Name); p != "" && p != b.Result.Problem {
		return nil, nil, engine.Usagef("--problem %s: %s is a result of %s", p, filepath.Clean(paths[0]), b.Result.Problem)
	}
	if b.Rows == nil {
		return nil, nil, engine.Usagef("%s has no schedule: it is the bound of %s alone", filepath.Clean(paths[0]),
			b.Result.Algorithm)
	}
	o, err := explain.Reopen(w, b)
	return o, b, err
}

// explainResult asks about one id and prints the answer.
func (s *session) explainResult(c *cli.Context, out show.Output, o *engine.Opened, b *result.Bundle, id string) error {
	schedule, _ := result.Schedule(o.Run.View(), b.Rows)
	q := question.Question{Workload: o.W, Schedule: schedule, Alternatives: c.Int(flagAlternatives.Name),
		Algorithm: b.Result.Algorithm, Certificate: b.Certificate}
	var err error
	if q.Task, q.Job, err = s.subject(o, id); err != nil {
		return err
	}
	if err := explain.Scheduled(o, q); err != nil {
		return err
	}
	e, err := o.Run.Explain(c.Context, q)
	if err != nil {
		return err
	}
	return explain.New(o, b.Result, q, e).Print(out)
}

// subject finds the task or job of an id: tasks first, unless the id says what it is.
func (s *session) subject(o *engine.Opened, id string) (model.TaskIndex, model.JobIndex, error) {
	jobs := explain.JobIndices(o.W)
	task, isTask := o.Run.View().FindTask(id)
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
			task, isTask = o.Run.View().FindTask(rest)
		} else if rest, ok := strings.CutPrefix(id, "job:"); ok {
			if job, isJob = jobs[rest]; isJob {
				return model.None, job, nil
			}
		}
	}
	if isTask {
		_, name, _ := o.Run.View().TaskName(task)
		return task, jobs[name], nil
	}
	return 0, 0, explain.NoSuch(o, id)
}

// explainConflict looks for demands of an instance that exclude each other.
func (s *session) explainConflict(c *cli.Context, out show.Output, path string) error {
	line := explain.Conflict{Format: explain.Format, Instance: path}
	o, err := s.openForExplaining(c, path)
	var input *model.InputError
	if errors.As(err, &input) {
		f := explain.SmallestConflict(input)
		if f == nil {
			return err
		}
		line.Code, line.At, line.Conflict, line.Infeasible = f.Code, f.Pos.String(), f.Conflict, f.Conflict.Infeasible
		s.otherFindings(input, line.Conflict)
	} else if err != nil {
		return err
	} else {
		line.Problem = o.Problem.Name
		if o.Problem.Conflict != nil {
			if line.Conflict, line.Late, err = o.Problem.Conflict(o.Run, c.Context); err != nil {
				return err
			}
		}
	}
	if out.Format == show.FormatJSON {
		err = show.WriteLines(s.stdout, []explain.Conflict{line})
	} else {
		_, err = fmt.Fprint(s.stdout, line.Text(input != nil))
	}
	switch {
	case err != nil:
		return err
	case line.Infeasible:
		return &engine.ExitError{Code: engine.ExitInfeasible}
	case input != nil:
		return &engine.ExitError{Code: engine.ExitUsage}
	}
	return nil
}

// openForExplaining opens an instance as its problem and the flags say.
func (s *session) openForExplaining(c *cli.Context, path string) (*engine.Opened, error) {
	p, w, err := s.instance(c, path)
	if err != nil {
		return nil, err
	}
	params, err := paramValues(c, p.Params)
	if err != nil {
		return nil, err
	}
	if err := foreign(c, allParams(), p.Used(params), "this problem"); err != nil {
		return nil, err
	}
	o, err := engine.Open(p, w, params)
	return o, solve.OfInstance(path, err)
}

// otherFindings prints what else is wrong with an input.
func (s *session) otherFindings(e *model.InputError, told *model.Conflict) {
	for _, f := range e.Findings {
		if f.Conflict != told {
			fmt.Fprintf(s.stderr, "besides: %s\n", textpos.Visible(f.String()))
		}
	}
	if e.More > 0 {
		fmt.Fprintf(s.stderr, "… and %d more findings\n", e.More)
	}
}
