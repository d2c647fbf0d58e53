package cli

import (
	"github.com/urfave/cli/v2"

	"mrsched/io/engine"
	"mrsched/io/lint"
	"mrsched/io/show"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
)

const lintHelp = `Lists all errors of an instance, then warnings: contradictions, other values that are probably wrong, rows that are skipped. Then
it says when jobs are due, and for each problem whether it can solve the instance, which columns it would use and ignore, and which defaults it
would assume. The exit code is 2 if there is an error, or if the problem that -p or the workload names cannot solve the instance;
without such a name, if no problem can. With --strict, warnings count as errors; for a named problem, those that concern it.`

func (s *session) lintCommand() *cli.Command {
	return &cli.Command{
		Name:        "lint",
		Usage:       "say what is wrong with an instance, and what each problem would use and ignore of it",
		ArgsUsage:   "INSTANCE…",
		Description: lintHelp,
		UsageText: examples("mrsched lint fig1.json dag.json",
			"mrsched lint -p realtime --goal deadlines --strict deadlines.json"),
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: flagProblem.Name, Aliases: flagProblem.Aliases, Usage: "look at this problem only"},
			&cli.BoolFlag{Name: flagStrict.Name, Usage: "count warnings as errors"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON line for each instance"}, flagUnknown,
			maxInputFlag(), maxCountFlag()}, paramFlags(viewParams())...),
		Action: s.lint,
	}
}

func (s *session) lint(c *cli.Context) error {
	if c.NArg() == 0 {
		return engine.Usagef("lint needs an INSTANCE")
	}
	problem := c.String(flagProblem.Name)
	if problem != "" {
		p, err := engine.FindProblem(problem, nil)
		if err != nil {
			return err
		}
		if err := foreign(c, viewParams(), p.Used(nil), "this problem"); err != nil {
			return err
		}
	}
	o := lint.Options{Problem: problem, Strict: c.Bool(flagStrict.Name),
		Read: func(path string, opt workload.Options) (*model.Workload, error) {
			with := readOptions(c)
			with.MaxFindings, with.Unknown = opt.MaxFindings, opt.Unknown
			return s.readWith(c, path, with)
		},
		ReadParams: func(list []solver.Param) (solver.Params, error) { return paramValues(c, list) }}
	clean := true
	for _, path := range c.Args().Slice() {
		r, err := lint.Look(o, path)
		if err != nil {
			return err
		}
		clean = clean && r.Clean
		if c.Bool("json") {
			if err := show.WriteLines(s.stdout, []*lint.Report{r}); err != nil {
				return err
			}
			continue
		}
		r.Print(s.stdout)
	}
	if !clean {
		return &engine.ExitError{Code: engine.ExitUsage}
	}
	return nil
}
