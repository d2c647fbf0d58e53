package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"mrsched/io/artifact"
	"mrsched/io/disk"
	"mrsched/io/engine"
	sweep "mrsched/io/run"
	"mrsched/io/show"
	"mrsched/io/textpos"
)

// How many runs a sweep may have, by default and at most: a plan is held in memory.
const (
	defaultMaxRuns = 1_000_000
	mostRuns       = 10_000_000
)

const sweepHelp = `Runs every instance with every algorithm, every combination of parameters and every seed of SPEC, a JSON document that
docs/formats.md describes. Each run uses one core and adds its row to DIR/rows-I-of-N.jsonl when it ends. The same command
continues an interrupted sweep, however it ended. A failed run becomes a row, too, and is listed at the end. Runs during which
the process died are repeated last, one at a time; after three deaths they count as failed. "sweep merge DIR" makes
tables from the rows of all shards.

Each shard gets an equal share of every algorithm's runs. --shard I/N or the environment says which shard this is: a Slurm array
(SLURM_ARRAY_TASK_ID, _COUNT, _MIN, _STEP) or a Kubernetes Indexed Job (JOB_COMPLETION_INDEX with --shards N,
MRSCHED_SWEEP_SHARDS or JOB_COMPLETIONS).`

func (s *session) sweepCommand() *cli.Command {
	return &cli.Command{
		Name: "sweep",
		Usage: "run instances × algorithms × parameters × seeds on many cores and machines; " +
			"continue after any interruption",
		ArgsUsage:   "SPEC.json",
		Description: sweepHelp,
		UsageText: examples("mrsched sweep spec.json -o out",
			"mrsched sweep spec.json --dry-run --shards 16",
			"mrsched sweep spec.json -o out --shard 3/16 --threads 8",
			"mrsched sweep merge out"),
		Flags: []cli.Flag{
			outputFlag("directory of the sweep; created if missing", "", "a directory"),
			&cli.StringFlag{Name: "shard", Usage: "run only shard I of N: I/N"},
			&cli.IntFlag{Name: "shards", Usage: "number of shards, if the environment says which one this is"},
			count("max-runs", defaultMaxRuns, "refuse specs with more runs"),
			&cli.BoolFlag{Name: "retry-failed", Usage: "repeat runs that failed"},
			&cli.BoolFlag{Name: "fail-on-error", Usage: "exit with 2 if a run of this shard failed"},
			&cli.BoolFlag{Name: "dry-run", Usage: "print the runs without running them"},
			flagFormat, flagJSON,
			&cli.BoolFlag{Name: "allow-outside",
				Usage: "allow paths in SPEC that leave its folder: by .., from the root, or through " +
					"links"},
			maxInputFlag(), maxCountFlag(), flagThreads, flagQuiet,
		},
		Action:      s.sweep,
		Subcommands: []*cli.Command{s.sweepMergeCommand()},
	}
}

func (s *session) sweep(c *cli.Context) error {
	out := s.output(c)
	x, err := s.planSweep(c)
	if err != nil {
		return err
	}
	if c.Bool("dry-run") {
		return x.Print(out)
	}
	if x.Dir = c.String("output"); x.Dir == "" {
		return engine.Usagef("-o DIR is missing: the directory of the sweep")
	}
	if err := engine.Misplaced(x.Dir, os.MkdirAll(x.Dir, 0o755)); err != nil {
		return err
	}
	bar := newBar(s.stderr, "sweep", c.Bool(flagQuiet.Name))
	defer bar.close()
	defer limitCores(c)()
	x.Progress = bar.progress
	err = x.CarryOut(c.Context)
	bar.close()
	if err != nil {
		return err
	}
	if err := c.Context.Err(); errors.Is(err, context.Canceled) {
		return engine.ErrInterrupted
	}
	if _, err := fmt.Fprintln(s.stdout, x.Summary()); err != nil {
		return err
	}
	if x.Failed > 0 {
		if err := x.ListFailed(s.stderr); err != nil {
			return err
		}
	}
	if x.Failed > 0 && c.Bool("fail-on-error") {
		return &engine.ExitError{Code: engine.ExitUsage}
	}
	return nil
}

// planSweep reads everything that the command line names, and refuses what is wrong with it.
func (s *session) planSweep(c *cli.Context) (*sweep.Sweep, error) {
	if n := c.Int("max-runs"); n > mostRuns {
		return nil, engine.Usagef("--max-runs %d: expected at most %d", n, mostRuns)
	}
	asked := sweep.Asked{Index: c.String("shard"), DryRun: c.Bool("dry-run"), Named: c.IsSet("shard"),
		Of: c.Int("shards"), Counted: c.IsSet("shards")}
	which, err := sweep.ShardOf(asked, os.Getenv)
	if err != nil {
		return nil, err
	}
	if err := artifact.Expect(c.Args().First(), artifact.ArgSpec); err != nil {
		return nil, err
	}
	return sweep.New(c.Args().First(), sweep.Options{MaxRuns: c.Int("max-runs"), Shard: which,
		RetryFailed: c.Bool("retry-failed"), Threads: c.Int(flagThreads.Name),
		Outside: c.Bool("allow-outside"), Read: readOptions(c), Note: s.noting(c)})
}

// noting prints notes, unless the call is to be quiet.
func (s *session) noting(c *cli.Context) func(format string, args ...any) {
	return func(format string, args ...any) { fmt.Fprintf(s.notes(c), "note: "+format+"\n", args...) }
}

const mergeHelp = `Reads the rows of all shards of a sweep and writes two tables: sweep.csv has one row per run; summary.csv has one row per group of
instances, algorithm and parameters, with means and 95 % confidence intervals, extremes and medians of objective and ratio, and the
worst verdict. The tables do not depend on how the runs were spread over shards, cores and interruptions.

The exit code is 4 if a run has no row (unless --partial is given), or if rows of one instance belong to different workloads.`

func (s *session) sweepMergeCommand() *cli.Command {
	return &cli.Command{
		Name:        "merge",
		Usage:       "make tables from the rows of a sweep",
		ArgsUsage:   "DIR",
		Description: mergeHelp,
		UsageText: examples("mrsched sweep merge out",
			"mrsched sweep merge out --partial"),
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "partial", Usage: "merge the rows there are, even if runs are missing"},
			flagFormat, flagJSON, maxInputFlag(), flagQuiet,
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
	out := s.output(c)
	if err := artifact.Expect(c.Args().First(), artifact.ArgSweep); err != nil {
		return err
	}
	runs, summary := filepath.Join(c.Args().First(), sweepTable), filepath.Join(c.Args().First(), summaryTable)
	m, err := sweep.Merge(c.Args().First())
	if err != nil {
		return err
	}
	defer m.Close()
	note := s.noting(c)
	if m.Foreign > 0 {
		note("%s of no run of this spec %s left out", show.Counted(m.Foreign, "row"), isAre(m.Foreign))
	}
	if m.Damaged > 0 {
		note("%s cannot be read", show.Counted(m.Damaged, "row"))
	}
	if m.Differ > 0 {
		note("%s %s rows that differ; the first row counts", show.Counted(m.Differ, "run"), hasHave(m.Differ))
	}
	if m.Plan.TimeLimit > 0 {
		note("runs have a time limit: rows are not reproducible")
	}
	if err := s.incomplete(c, m); err != nil {
		return err
	}
	if err := writeRecords(runs, m.RunRecords()); err != nil {
		return err
	}
	if err := writeRecords(summary, m.SummaryRecords()); err != nil {
		return err
	}
	return sweep.PrintSummary(out, m, runs, summary)
}

// writeRecords writes a table.
func writeRecords(path string, r show.Records) error {
	return engine.Misplaced(path, disk.WriteFile(path, true, r.WriteCSV))
}

// maxListed is how many missing runs a message lists.
const maxListed = 20

// incomplete refuses to merge what is not the whole sweep, or not one.
func (s *session) incomplete(c *cli.Context, m *sweep.Merged) error {
	for _, name := range m.Mixed {
		fmt.Fprintf(s.stderr, "%s rows of %s are about different workloads: the instance has changed; sweep into another "+
			"directory\n", alarm, textpos.Visible(name))
	}
	if n := len(m.Missing); n > 0 && !c.Bool("partial") {
		fmt.Fprintf(s.stderr, "%s %d of %s %s no row; run the sweep again to continue, or pass --partial\n", alarm, n,
			show.Counted(len(m.Runs), "run"), hasHave(n))
		for _, run := range m.Missing[:min(n, maxListed)] {
			fmt.Fprintf(s.stderr, "missing: %s\n", sweep.RunText(m.Plan, run))
		}
		if n > maxListed {
			fmt.Fprintf(s.stderr, "… and %d more\n", n-maxListed)
		}
		return &engine.ExitError{Code: engine.ExitViolation}
	}
	if len(m.Mixed) > 0 {
		return &engine.ExitError{Code: engine.ExitViolation}
	}
	return nil
}

func isAre(n int) string { return map[bool]string{true: "is", false: "are"}[n == 1] }

func hasHave(n int) string { return map[bool]string{true: "has", false: "have"}[n == 1] }
