package cli

import (
	"errors"
	"io"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"mrsched/io/grammar"
	"mrsched/io/result"
	"mrsched/io/show"
	"mrsched/io/solve"
	"mrsched/model"
)

const batchHelp = `Several instances in one call run side by side, --threads at a time, each on one core. One that cannot be solved does not stop the
others. With -o DIR the result of NAME.json goes to DIR/NAME (with several algorithms, to DIR/NAME/ALGORITHM) and the table, one row
per run, to DIR/summary.csv and DIR/summary.json.

With --compare, for which compare is short, each result is judged by the strongest bound of all algorithms, and -o is a directory for
one result each, compare.csv and compare.json. Of several instances, a second table tells how often each algorithm is best, and the
mean and the worst of its ratios to the strongest bound of each instance.`

// statusHelp describes the status line.
const statusHelp = `On a terminal, a line on standard error shows the progress: elapsed time and limit, phase, cost of the best schedule so far (the
incumbent), best lower bound, and the gap between them in percent of the bound. --quiet hides it.`

// compareName is the flag, and the word for solve with it.
const compareName = "compare"

func (s *session) solveCommand() *cli.Command {
	return &cli.Command{
		Name:        "solve",
		Aliases:     []string{compareName},
		Usage:       "schedule an instance and prove a lower bound",
		ArgsUsage:   "INSTANCE…",
		Description: batchHelp + "\n\n" + statusHelp + "\n\n" + logHelp,
		UsageText: examples("mrsched solve fig1.json -a mars,best -o r/fig1",
			"mrsched generate msjo --jobs 8 --seed 7 | mrsched solve - --json",
			"mrsched solve fig1.json dag.json tree.json -o r/nightly --threads 2",
			"mrsched compare deadlines.json -o r/deadlines",
			"mrsched compare fig1.json dag.json -a mars,best -o r/both"),
		Flags: slices.Concat([]cli.Flag{flagProblem,
			&listFlag{cli.StringFlag{Name: "algorithm", Aliases: []string{"a"},
				Usage: "algorithms, " + grammar.ListUsage + "; or all (default: the problem's default; with --compare, all)"}},
			&cli.BoolFlag{Name: compareName, Usage: "judge all algorithms by the strongest bound"},
			outputFlag("result directory, FILE.json[.gz], or - for standard output; of several instances, and with "+
				"--compare, a directory", "", "a directory, FILE.json, FILE.json.gz, or - for standard output", ".json",
				".json.gz"),
			timeLimitFlag("stop each algorithm's search after this time, in seconds or as 5m (the result " +
				"may then differ from run to run)"),
			flagIterations, flagSeed, flagThreads, flagFormat, flagJSON, flagForce,
			&cli.BoolFlag{Name: "fail-on-limit", Usage: "exit 6 if a run has status limit; a search that used up its " +
				"iterations has not"},
			flagUnknown, flagStrict, maxInputFlag(), maxCountFlag(), flagQuiet,
			&cli.BoolFlag{Name: logName, Usage: "print the search log on standard error"},
		}, paramFlags(allParams()), replanFlags),
		Action: s.solve,
	}
}

func (s *session) solve(c *cli.Context) error {
	if s.log = nil; c.Bool(logName) {
		s.log = &searchLog{w: s.stderr}
	}
	if c.NArg() > 1 {
		return s.many(c)
	}
	begin := time.Now()
	j, err := s.newJob(c)
	if err != nil {
		return err
	}
	defer limitCores(c)()
	var best *result.Bundle
	var lines []*model.Result
	table, doc, err := j.Do(c.Context, func(b *result.Bundle) error {
		best = solve.Best(best, b)
		lines = append(lines, b.Result)
		if j.Stdout.Format == show.FormatJSON && !j.Folders { // it prints the digests, also of what is not written
			return b.Seal()
		}
		return nil
	}, solve.Stops)
	if err != nil {
		return err
	}
	display := func() error { return j.Display(best) }
	exact := solve.Exact{JSON: func(w io.Writer) error { return show.WriteLines(w, lines) }, Records: doc.Records}
	if j.Folders {
		display = func() error { return nil }
		exact.JSON = func(w io.Writer) error { return show.WriteLines(w, doc.Rows) }
	}
	if err := errors.Join(j.WriteMerged(), table.Print(exact), display()); err != nil {
		return err
	}
	if j.Out != "" {
		s.unsure(c, j.W, "RESULT")
	}
	return s.finish(c, j, begin)
}
