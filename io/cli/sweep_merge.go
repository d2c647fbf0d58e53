package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"mrsched/io/artifact"
	"mrsched/io/disk"
	"mrsched/io/engine"
	"mrsched/io/lab/shard"
	"mrsched/io/lab/sweep"
	"mrsched/io/show"
	"mrsched/io/textpos"
)

const mergeHelp = `Reads the rows of all shards of a sweep and writes sweep.csv, a line a run, and summary.csv, a line for each group of instances,
algorithm and choice of parameters: means with 95 % confidence intervals, extremes and medians of objective and ratio, and the
worst verdict. The files do not depend on how the runs were spread over shards, cores and interruptions.

Exit code 4 if a run has no row, unless --partial is given, or if rows of one instance are not about the same workload.

Examples:
mrsched sweep merge out
mrsched sweep merge out --partial -o runs.csv,summary.csv --force`

func (s *session) sweepMergeCommand() *cli.Command {
	return &cli.Command{
		Name:        "merge",
		Usage:       "make tables of a sweep's rows",
		ArgsUsage:   "DIR",
		Description: mergeHelp,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "FILE.csv for the runs, and FILE-summary.csv or, " +
				"after a comma, another name for the summary (default: sweep.csv and summary.csv in DIR, which are replaced)"},
			&cli.BoolFlag{Name: "partial", Usage: "merge what there is, even if runs have no row"},
			&cli.BoolFlag{Name: "json", Usage: "print the summary as JSON, one line a group, in place of the table"},
			flagForce, maxInputFlag(), flagQuiet,
		},
		Action: s.sweepMerge,
	}
}

// The tables in a sweep's directory.
const (
	sweepTable   = "sweep.csv"
	summaryTable = "summary.csv"
)

func (s *session) sweepMerge(c *cli.Context) error {
	args, err := arguments(c, "DIR")
	if err != nil {
		return err
	}
	if err := artifact.Expect(args[0], artifact.ArgSweep); err != nil {
		return err
	}
	runs, summary, replace, err := mergeTargets(c, args[0])
	if err != nil {
		return err
	}
	m, err := sweep.Merge(args[0])
	if err != nil {
		return err
	}
	note := func(format string, args ...any) {
		if !c.Bool(flagQuiet.Name) {
			fmt.Fprintf(s.stderr, "note: "+format+"\n", args...)
		}
	}
	if m.Foreign > 0 {
		note("%s of no run of this spec %s left out", show.Counted(m.Foreign, "row"), isAre(m.Foreign))
	}
	if m.Damaged > 0 {
		note("%s cannot be read", show.Counted(m.Damaged, "row"))
	}
	if m.Differ > 0 {
		note("%s %s rows that are not alike; the first row counts", show.Counted(m.Differ, "run"), hasHave(m.Differ))
	}
	if m.Plan.TimeLimit > 0 {
		note("runs have a time limit: rows are not reproducible")
	}
	if err := s.incomplete(c, m); err != nil {
		return err
	}
	if err := engine.Misplaced(runs, disk.WriteFile(runs, replace, m.WriteRuns)); err != nil {
		return err
	}
	if err := engine.Misplaced(summary, disk.WriteFile(summary, replace, m.WriteSummary)); err != nil {
		return err
	}
	if c.Bool(flagJSON.Name) {
		return show.WriteLines(s.stdout, shard.SummaryLines(m))
	}
	return shard.PrintSummary(s.stdout, m, runs, summary)
}

// mergeTargets says where the tables go, and whether they may replace others.
func mergeTargets(c *cli.Context, dir string) (runs, summary string, replace bool, err error) {
	out := c.String("output")
	if out == "" || !strings.Contains(out, ".csv") && !onLine(c, "output") { // a variable or file means the -o of sweep
		return filepath.Join(dir, sweepTable), filepath.Join(dir, summaryTable), true, nil
	}
	runs, summary, two := strings.Cut(out, ",")
	if !two {
		summary = strings.TrimSuffix(runs, ".csv") + "-" + summaryTable
	}
	for _, path := range []string{runs, summary} {
		if !strings.HasSuffix(path, ".csv") {
			return "", "", false, engine.Usagef("-o %s: expected FILE.csv or FILE.csv,FILE.csv", out)
		}
	}
	if runs == summary {
		return "", "", false, engine.Usagef("-o %s names one file for both tables", out)
	}
	for _, path := range []string{runs, summary} {
		if err := engine.HasPlace(path); err != nil {
			return "", "", false, err
		}
		if engine.Exists(path) && !c.Bool(flagForce.Name) {
			return "", "", false, fmt.Errorf("%s: %w", path, disk.ErrExists)
		}
	}
	return runs, summary, c.Bool(flagForce.Name), nil
}

// maxListed is how many missing runs a message lists.
const maxListed = 20

// incomplete refuses to merge what is not the whole sweep, or not one.
func (s *session) incomplete(c *cli.Context, m *sweep.Merged) error {
	for _, name := range m.Mixed {
		fmt.Fprintf(s.stderr, "%s rows of %s are about different workloads: the instance has changed; sweep into another "+
			"directory\n", s.alarm(), textpos.Visible(name))
	}
	if n := len(m.Missing); n > 0 && !c.Bool("partial") {
		fmt.Fprintf(s.stderr, "%s %d of %s %s no row; run the sweep again to go on, or pass --partial\n", s.alarm(), n,
			show.Counted(len(m.Runs), "run"), hasHave(n))
		for _, run := range m.Missing[:min(n, maxListed)] {
			fmt.Fprintf(s.stderr, "missing: %s: %s, %s\n", run.ID, textpos.Visible(m.Plan.Instances[run.Instance].Name),
				shard.RunText(m.Plan, run))
		}
		if n > maxListed {
			fmt.Fprintf(s.stderr, "… and %d more\n", n-maxListed)
		}
		return &exitError{exitViolation}
	}
	if len(m.Mixed) > 0 {
		return &exitError{exitViolation}
	}
	return nil
}

func isAre(n int) string { return map[bool]string{true: "is", false: "are"}[n == 1] }

func hasHave(n int) string { return map[bool]string{true: "has", false: "have"}[n == 1] }
