package cli

import (
	"context"
	"errors"
	"fmt"
	"mrsched/io/engine"
	"mrsched/io/lab/shard"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"
)

// How many runs a sweep may have, unless told otherwise and at most: a plan is held in memory.
const (
	defaultMaxRuns = 1_000_000
	mostRuns       = 10_000_000
)

const sweepHelp = `Runs every instance with every algorithm, every combination of parameters and every seed of SPEC, a JSON document that
docs/formats.md describes, each run on one core. A row a run goes to DIR/rows-I-of-N.jsonl as soon as it is finished; the same
command again goes on where the last one ended, however it ended. What fails is a row too, and listed at the end. Runs during which
the process died are tried again last, one at a time, and are errors after --attempts deaths. "sweep merge DIR" makes tables
of the rows of all shards.

The runs of each algorithm are dealt evenly to the shards of --shard I/N, or those of the environment: a Slurm array
(SLURM_ARRAY_TASK_ID, _COUNT, _MIN, _STEP), or a Kubernetes Indexed Job (JOB_COMPLETION_INDEX with --shards N, which
MRSCHED_SWEEP_SHARDS sets too, or JOB_COMPLETIONS).

Examples:
mrsched sweep spec.json -o out
mrsched sweep spec.json --dry-run --shards 16
mrsched sweep spec.json -o out --shard 3/16 --threads 8
mrsched sweep merge out`

func (s *session) sweepCommand() *cli.Command {
	return &cli.Command{
		Name: "sweep",
		Usage: "run instances × algorithms × parameters × seeds, on many cores and machines; go on after any " +
			"interruption",
		ArgsUsage:   "SPEC.json",
		Description: sweepHelp,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "directory of the sweep; made if it is not there"},
			&cli.StringFlag{Name: "shard", Usage: "run only the I-th of N shards: I/N"},
			&cli.IntFlag{Name: "shards", Usage: "how many shards there are, where the environment says which one this is"},
			&cli.IntFlag{Name: "max-runs", Value: defaultMaxRuns, Usage: "refuse specs of more runs"},
			&cli.IntFlag{Name: "attempts", Value: shard.DefaultAttempts,
				Usage: "make a run an error when the process died this " +
					"often while it was solved, at least once with no other run beside it"},
			&cli.BoolFlag{Name: "retry-failed", Usage: "do runs again whose row is an error"},
			&cli.BoolFlag{Name: "fail-on-error", Usage: "exit 2 if a row of this shard is an error"},
			&cli.BoolFlag{Name: "dry-run", Usage: "print the runs; run nothing, write nothing"},
			&cli.BoolFlag{Name: "allow-outside", Usage: "let paths of SPEC lead out of its folder, by .., from the root, or " +
				"through links"},
			maxInputFlag(), maxCountFlag(), flagThreads, flagQuiet,
		},
		Action:      s.sweep,
		Subcommands: []*cli.Command{s.sweepMergeCommand()},
	}
}

func (s *session) sweep(c *cli.Context) error {
	x, err := s.planSweep(c)
	if err != nil {
		return err
	}
	if c.Bool("dry-run") {
		return x.Print(s.stdout)
	}
	if x.Dir = c.String("output"); x.Dir == "" {
		return engine.Usagef("-o DIR is missing: the directory of the sweep")
	}
	if err := outputFits(c, "a directory"); err != nil {
		return err
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
		return errInterrupted
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
		return &exitError{exitUsage}
	}
	return nil
}

// planSweep reads everything that the command line names, and refuses what is wrong with it.
func (s *session) planSweep(c *cli.Context) (*shard.Sweep, error) {
	args, err := arguments(c, "SPEC.json")
	if err != nil {
		return nil, err
	}
	if err := atLeastOne(c, flagThreads.Name, "max-runs", "attempts"); err != nil {
		return nil, err
	}
	if n := c.Int("max-runs"); n > mostRuns {
		return nil, engine.Usagef("--max-runs %d: expected at most %d", n, mostRuns)
	}
	asked := shard.Asked{Index: c.String("shard"), DryRun: c.Bool("dry-run"), Named: c.IsSet("shard"),
		Of: c.Int("shards"), Counted: c.IsSet("shards")}
	which, err := shard.ShardOf(asked, os.Getenv)
	if err != nil {
		return nil, err
	}
	if err := expect(args[0], argSpec); err != nil {
		return nil, err
	}
	spec, err := shard.ReadSpec(args[0], c.Int("max-runs"))
	if err != nil {
		return nil, err
	}
	o := shard.Options{Base: filepath.Dir(args[0]), Shard: which, Attempts: c.Int("attempts"),
		RetryFailed: c.Bool("retry-failed"), Threads: c.Int(flagThreads.Name), Outside: c.Bool("allow-outside"),
		Read: readOptions(c), Note: func(format string, args ...any) {
			if !c.Bool(flagQuiet.Name) {
				fmt.Fprintf(s.stderr, "note: "+format+"\n", args...)
			}
		}}
	return shard.New(spec, o)
}
