package cli

import (
	"errors"
	"io"

	"github.com/urfave/cli/v2"

	"mrsched/io/engine"
	"mrsched/io/grammar"
	"mrsched/io/result"
	"mrsched/io/show"
	"mrsched/io/solve"
	"mrsched/model"
	"mrsched/solver"
)

// allParams lists the parameters of every problem's instances and algorithms.
func allParams() []solver.Param {
	var all []solver.Param
	for _, p := range engine.Problems() {
		used := p.Used(nil, p.Algorithms...)
		for _, q := range p.Params {
			if used[q.Name] {
				all = append(all, q)
			}
		}
	}
	return all
}

// solveFlags are the flags of every command that runs algorithms on an instance.
func solveFlags(algorithm *cli.StringFlag, output string) []cli.Flag {
	return append([]cli.Flag{
		flagProblem, algorithm,
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: output},
		flagJob,
		timeLimitFlag("stop each algorithm's search after this time, in seconds or as 5m (the result " +
			"may then differ from run to run)"),
		&cli.IntFlag{Name: "iterations", Value: solver.DefaultIterations,
			Usage: "stop each search after this many iterations; under --time-limit only if " +
				"given"},
		flagSeed,
		flagThreads,
		flagFormat, flagJSON, flagForce,
		&cli.BoolFlag{Name: "fail-on-limit", Usage: "exit 6 if a run has status limit; a search that used up its " +
			"iterations has not"},
		&cli.StringFlag{Name: "stats",
			Usage: "write the time of every phase and the memory used to this JSON file; refuse " +
				"an existing one without --force"},
		flagUnknown, flagStrict, maxInputFlag(), maxCountFlag(), flagQuiet,
	}, append(logFlags(), paramFlags(allParams())...)...)
}

// sideBySide begins the help on calls with several instances.
const sideBySide = `Several instances in one call run side by side, --threads at a time, each on one core. One that cannot be solved does not stop the
others.`

const batchHelp = sideBySide + ` With -o DIR the result of NAME.json goes to DIR/NAME (with several algorithms, to DIR/NAME/ALGORITHM) and the table,
one row per run, to DIR/summary.csv and DIR/summary.json.`

var flagShow = &cli.StringFlag{Name: "show", DefaultText: "jobs without -o, else none",
	Usage: "what to print of the best schedule below the table, or with another --format in place of it " +
		"(jobs|schedule|none)"}

// showNames are what --show may say.
var showNames = []string{string(solve.ShowJobs), string(solve.ShowSchedule), string(solve.ShowNone)}

// statusHelp describes the status line.
const statusHelp = `On a terminal, a line on standard error shows the progress: elapsed time and limit, phase, cost of the best schedule so far (the
incumbent), best lower bound, and the gap between them in percent of the bound. --quiet hides it.`

func (s *session) solveCommand() *cli.Command {
	algorithm := &cli.StringFlag{Name: "algorithm", Aliases: []string{"a"},
		Usage: "algorithms, " + grammar.ListUsage + "; or all (default: the problem's default)"}
	return &cli.Command{
		Name:      "solve",
		Usage:     "schedule an instance and prove a lower bound",
		ArgsUsage: "INSTANCE…",
		Description: grammar.Describe(batchHelp+"\n\n"+statusHelp+"\n\n"+logHelp,
			"mrsched solve fig1.json -a mars,best -o r/fig1",
			"mrsched generate msjo --jobs 8 --seed 7 | mrsched solve - --json",
			"mrsched solve fig1.json dag.json tree.json -o r/nightly --threads 2"),
		Flags: append(append(solveFlags(algorithm, "result directory, FILE.json[.gz], or - for standard output; of several "+
			"instances a directory"), flagShow), replanFlags...),
		Action: s.logged(s.solve),
	}
}

func (s *session) solve(c *cli.Context) error {
	if what := c.String(flagShow.Name); what != "" {
		if err := oneOf(flagShow.Name, what, showNames); err != nil {
			return err
		}
		if c.NArg() > 1 && onLine(c, flagShow.Name) && what != string(solve.ShowNone) {
			return engine.Usagef("--show %s has no effect with several instances; solve one", what)
		}
	}
	if err := replanFits(c); err != nil {
		return err
	}
	if c.NArg() > 1 {
		return s.many(c, false)
	}
	j, err := s.newJob(c, false)
	if err != nil {
		return err
	}
	what, alone, err := s.displayed(c, j)
	if err != nil {
		return err
	}
	defer limitCores(c)()
	var best *result.Bundle
	var lines []*model.Result
	table, doc, err := j.Do(c.Context, func(b *result.Bundle) error {
		if what != solve.ShowNone {
			best = solve.Best(best, b)
		}
		lines = append(lines, b.Result)
		if j.Stdout.Format == show.FormatJSON { // it prints the digests, also of what is not written
			return b.Seal()
		}
		return nil
	}, solve.Stops)
	if err != nil {
		return err
	}
	exact := solve.Exact{JSON: func(w io.Writer) error { return show.WriteLines(w, lines) }, Records: doc.Records}
	if alone {
		exact = j.Exact(best, what)
	}
	if err := errors.Join(table.Print(exact), j.Display(best, what), j.Keep(best)); err != nil {
		return err
	}
	return s.finish(c, j)
}

// displayed is what of the best schedule is printed: what --show says, else the jobs of a result that is not kept.
// Alone says that it is printed instead of the results.
func (s *session) displayed(c *cli.Context, j *solve.Job) (what solve.Display, alone bool, err error) {
	what = solve.Display(c.String(flagShow.Name))
	named := onLine(c, flagShow.Name) && what != solve.ShowNone
	people := j.Stdout.ForPeople() && (j.Out != "-" || !j.Quiet)
	switch {
	case named && j.Out == "-" && !people:
		return "", false, engine.Usagef("--show %s has no effect: -o - prints the result itself, and --quiet or --json "+
			"the table away", what)
	case named:
		return what, !j.Stdout.ForPeople(), nil
	case !people, what == "" && j.Out != "":
		return solve.ShowNone, false, nil
	case what == "":
		return solve.ShowJobs, false, nil
	}
	return what, false, nil
}
