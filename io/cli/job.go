package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"mrsched/io/artifact"
	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/io/show"
	"mrsched/io/solve"
	"mrsched/io/textpos"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
)

// jobOptions reads what the flags of solve say about every instance.
func (s *session) jobOptions(c *cli.Context, out show.Output) solve.Options {
	o := solve.Options{ProblemName: c.String(flagProblem.Name), Algorithm: c.String("algorithm"), Out: c.String("output"),
		Threads: c.Int(flagThreads.Name), Iterations: iterations(c),
		Seed: c.Uint64(flagSeed.Name), Force: c.Bool(flagForce.Name), Quiet: c.Bool(flagQuiet.Name),
		Strict: c.Bool(flagStrict.Name), Several: c.NArg() > 1, Stdout: out, Stderr: s.stderr}
	o.TimeLimit, o.Folders = timeLimit(c), c.Bool(compareName)
	if o.Folders && o.Algorithm == "" {
		o.Algorithm = "all"
	}
	if c.IsSet(flagFrom.Name) {
		o.ReadEarlier = func(folder string) (*result.Bundle, model.Replan, error) { return readEarlier(c, folder) }
	}
	o.Merged = c.String(flagState.Name) != ""
	o.ReadWorkload = func(path string) (*model.Workload, error) { return s.readWorkload(c, path) }
	o.ReadParams = func(list []solver.Param) (solver.Params, error) { return paramValues(c, list) }
	o.Refuse = func(j *solve.Job) error {
		if err := foreign(c, allParams(), j.Problem.Used(j.Params, j.Algorithms...),
			"this problem and algorithm"); err != nil {
			return err
		}
		return idle(c, j.Problem.Params, j.Run.View())
	}
	o.Follow = func(j *solve.Job, algorithm string, watch *solver.Watch) solve.Follower {
		title := algorithm
		if s.log != nil && o.Several {
			title = textpos.Visible(artifact.Titled(j.Path)) + ": " + title
		}
		return newStatus(c.Context, o.Stderr, s.log, title, o.Quiet, o.TimeLimit, watch)
	}
	return o
}

// newJob reads the one instance that is named and everything that the flags say, and refuses targets that may not be
// written.
func (s *session) newJob(c *cli.Context) (*solve.Job, error) {
	args, err := arguments(c, "INSTANCE")
	if err != nil {
		return nil, err
	}
	out := s.output(c)
	if c.String("output") == "-" {
		if out.ForRecords() {
			out.Format = show.FormatTable
		}
		out.Width = s.width(s.stderr)
	}
	j, err := solve.Open(s.jobOptions(c, out), args[0])
	if err != nil {
		return nil, err
	}
	return j, j.TargetsFree()
}

// limitCores lets the program use this many processor cores; restore undoes it.
func limitCores(c *cli.Context) (restore func()) {
	before := runtime.GOMAXPROCS(c.Int(flagThreads.Name))
	return func() { runtime.GOMAXPROCS(before) }
}

// instance reads a workload and says which problem it is for.
func (s *session) instance(c *cli.Context, path string) (engine.Problem, *model.Workload, error) {
	w, err := s.readWorkload(c, path)
	if err != nil {
		return engine.Problem{}, nil, err
	}
	p, err := engine.FindProblem(c.String(flagProblem.Name), w)
	return p, w, err
}

// finish says how long a job took and gives the command's end.
func (s *session) finish(c *cli.Context, j *solve.Job, begin time.Time) error {
	solve.Took(begin, s.stderr, j.Quiet)
	switch {
	case errors.Is(context.Cause(c.Context), context.Canceled):
		return &engine.ExitError{Code: engine.ExitInterrupted}
	case j.Limited && c.Bool("fail-on-limit"):
		return &engine.ExitError{Code: engine.ExitLimit}
	}
	return nil
}

// readWorkload reads a workload as workload.Read does and prints which rows it skipped.
func (s *session) readWorkload(c *cli.Context, path string) (*model.Workload, error) {
	w, err := s.readWith(c, path, readOptions(c))
	if err == nil {
		for _, line := range w.Skipped {
			fmt.Fprintf(s.notes(c), "note: %s: %s\n", textpos.Visible(artifact.Titled(path)), textpos.Visible(line))
		}
	}
	return w, err
}

// readWith reads a workload with options.
func (s *session) readWith(c *cli.Context, path string, opt workload.Options) (*model.Workload, error) {
	if err := artifact.Expect(path, artifact.ArgInstance); err != nil {
		return nil, err
	}
	w, err := workload.Read(path, s.stdin, opt)
	return w, problemHint(c, path, err)
}

// problemHint is an error of reading; if the path is none but the name of a problem, with a hint how to name one.
func problemHint(c *cli.Context, path string, err error) error {
	input, ok := errors.AsType[*model.InputError](err)
	if ok && input.Findings[0].Code == model.CodeUnreadable && slices.Contains(engine.ProblemNames(), path) &&
		slices.ContainsFunc(c.Command.Flags, func(f cli.Flag) bool { return f.Names()[0] == flagProblem.Name }) {
		input.Findings[0].Hint = "for the problem write -p " + path
	}
	return err
}
