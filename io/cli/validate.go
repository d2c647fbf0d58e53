package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"mrsched/io/artifact"
	"mrsched/io/disk"
	"mrsched/io/engine"
	"mrsched/io/lab/validate"
	"mrsched/io/show"
)

func (s *session) validateCommand() *cli.Command {
	flags := []cli.Flag{
		count("instances", 2000, "number of random instances"),
		flagSeed,
		&cli.IntFlag{Name: "only", Usage: "solve only the instance with this number and write it beside the report " +
			"(without -o, into the current directory)"},
		outputFlag("write the report to this JSON file, too, and instances that break a guarantee beside it", "",
			"FILE.json", ".json"),
		count("iterations", validate.Iterations, "stop each search after this many iterations"),
		flagThreads,
		choice(cli.StringFlag{Name: flagFormat.Name, Value: string(show.FormatJSON),
			Usage: "print the report as JSON, or its rows for people or as CSV"}, formats...),
		flagForce, flagQuiet,
	}
	return &cli.Command{
		Name: "validate",
		Usage: "test the bounds and guarantees of all algorithms against exact optima of " +
			"small random instances (for multitenant, against the best schedules found)",
		ArgsUsage: problemArgument,
		Description: "The report is JSON unless --format says otherwise. The exit code is 4 if a bound or " +
			"guarantee was violated.",
		UsageText: examples("mrsched validate hta --instances 20",
			"mrsched validate msjo --instances 5 --only 3 -o report.json"),
		Flags:  append(flags, paramFlags(allParams())...),
		Action: s.validate,
	}
}

func (s *session) validate(c *cli.Context) error {
	table := s.output(c)
	v, err := newValidation(c, c.Args().First())
	if err != nil {
		return err
	}
	n := c.Int("instances")
	if v.Only = c.Int("only"); c.IsSet("only") && (v.Only < 1 || v.Only > n) {
		return engine.Usagef("--only %d: expected a number from 1 to %d", v.Only, n)
	}
	out := c.String("output")
	if err := engine.VacantFile(out, c.Bool(flagForce.Name)); err != nil {
		return err
	}
	bar := newBar(s.stderr, "validate", c.Bool(flagQuiet.Name))
	trials, err := v.Run(c.Context, n, c.Int(flagThreads.Name), bar.progress)
	bar.close()
	if err != nil {
		return err
	}
	report := v.Report(trials)
	if err := v.Keep(report, filepath.Dir(out), trials); err != nil {
		return err
	}
	if out != "" {
		if err := engine.Misplaced(out, disk.WriteFile(out, c.Bool(flagForce.Name), report.Write)); err != nil {
			return err
		}
	}
	if err := report.Print(table); err != nil {
		return err
	}
	if !c.Bool(flagQuiet.Name) {
		unknown := ""
		if report.Optimum != "" {
			unknown = "; no exact method is known: ratios are to the best schedule found"
		}
		fmt.Fprintf(s.stderr, "%s: %s, %s, %s%s\n", v.Problem.Name, show.Counted(report.Instances, "instance"),
			show.Counted(report.Solvers(), "algorithm"), show.Counted(len(report.Violations), "violation"), unknown)
	}
	if len(report.Violations) > 0 {
		return &engine.ExitError{Code: engine.ExitViolation}
	}
	return nil
}

func newValidation(c *cli.Context, name string) (*validate.Validation, error) {
	p, err := engine.FindProblem(name, nil)
	if kind, _ := artifact.KindOf(name); err != nil && kind != artifact.Unclear {
		return nil, engine.Usagef("%s is %s: validate makes instances by itself; name a problem, one of %s; "+
			"to look at an instance: mrsched lint %s", name, kind, strings.Join(engine.ProblemNames(), ", "), name)
	}
	if err != nil {
		return nil, err
	}
	if err := foreign(c, allParams(), p.Used(nil, p.Algorithms...), "this problem"); err != nil {
		return nil, err
	}
	params, err := paramValues(c, p.Params)
	if err != nil {
		return nil, err
	}
	return validate.New(p, params, c.IsSet, c.Uint64(flagSeed.Name), c.Int("iterations"))
}
