package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"mrsched/instances"
	"mrsched/io/sweep"
	"mrsched/io/textpos"
	"mrsched/model"
	"mrsched/solver"
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
			&cli.IntFlag{Name: "attempts", Value: defaultAttempts, Usage: "make a run an error when the process died this " +
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

// sweeping is one call of sweep.
type sweeping struct {
	s       *session
	c       *cli.Context
	base    string // the folder of the spec
	dir     string // where rows go
	shard   shard
	plan    *sweep.Plan
	runs    []sweep.Run // of all shards
	of      []int       // the shard of each run, from 0
	mine    []int       // the runs of this shard
	already int         // how many of these have a row
	failed  int         // how many of all of these have a row that is an error
}

func (s *session) sweep(c *cli.Context) error {
	x, err := s.planSweep(c)
	if err != nil {
		return err
	}
	if c.Bool("dry-run") {
		return x.print(s.stdout)
	}
	if x.dir = c.String("output"); x.dir == "" {
		return usagef("-o DIR is missing: the directory of the sweep")
	}
	if err := outputFits(c, "a directory"); err != nil {
		return err
	}
	if err := misplaced(x.dir, os.MkdirAll(x.dir, 0o755)); err != nil {
		return err
	}
	rows, err := sweep.OpenLog(x.dir, sweep.Rows, x.shard.index, x.shard.of)
	if err != nil {
		var locked *sweep.LockedError
		if errors.As(err, &locked) {
			return usagef("%v", locked)
		}
		return x.misplacedLog(sweep.Rows, err)
	}
	err = x.work(rows)
	if err = errors.Join(err, rows.Close()); err != nil {
		return err
	}
	return x.conclude()
}

// planSweep reads everything that the command line names, and refuses what is wrong with it.
func (s *session) planSweep(c *cli.Context) (*sweeping, error) {
	args, err := arguments(c, "SPEC.json")
	if err != nil {
		return nil, err
	}
	if err := atLeastOne(c, flagThreads.Name, "max-runs", "attempts"); err != nil {
		return nil, err
	}
	if n := c.Int("max-runs"); n > mostRuns {
		return nil, usagef("--max-runs %d: expected at most %d", n, mostRuns)
	}
	x := &sweeping{s: s, c: c, base: filepath.Dir(args[0])}
	if x.shard, err = shardOf(c, os.Getenv); err != nil {
		return nil, err
	}
	spec, err := readSpec(args[0], c.Int("max-runs"))
	if err != nil {
		return nil, err
	}
	names := catalog()
	names.Outside = c.Bool("allow-outside")
	if x.plan, err = spec.Plan(names, x.base); err != nil {
		return nil, err
	}
	x.runs = x.plan.Runs()
	x.of = sweep.Divide(x.runs, x.shard.of)
	for i := range x.runs {
		if x.of[i] == x.shard.index-1 {
			x.mine = append(x.mine, i)
		}
	}
	return x, nil
}

func readSpec(path string, maxRuns int) (*sweep.Spec, error) {
	if err := expect(path, argSpec); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		if e, ok := errors.AsType[*os.PathError](err); ok {
			err = e.Err
		}
		return nil, model.NewInputError(model.Finding{Code: model.CodeUnreadable, Pos: model.Position{File: path},
			What:     "cannot be read: " + err.Error(),
			Expected: "the JSON document of a sweep", Hint: "check the path and its permissions"})
	}
	defer f.Close() // it was only read
	return sweep.Read(f, path, maxRuns), nil
}

// catalog is what specs may name.
func catalog() sweep.Catalog {
	c := sweep.Catalog{Uses: func(p *solver.Problem, a solver.Algorithm, values solver.Params) map[string]bool {
		return problem{Problem: p}.used(values, a)
	}}
	for _, p := range problems() {
		c.Problems = append(c.Problems, p.Problem)
	}
	for _, p := range instances.Presets() {
		q := sweep.Preset{Problem: p.Problem, Name: p.Name, Params: p.Params, Seeded: p.Document == nil}
		if p.Name == "3sat" {
			q.Seeded, q.Files = false, []string{"cnf"}
		}
		c.Presets = append(c.Presets, q)
	}
	return c
}

// work runs what has no row yet.
func (x *sweeping) work(rows *sweep.Log) (err error) {
	if rows.Unlocked {
		x.note("%s cannot be locked on this file system: see to it that no other process runs this shard",
			sweep.LogFile(sweep.Rows, x.shard.index, x.shard.of))
	}
	changed, err := x.plan.Write(x.dir)
	if err != nil {
		return err
	}
	finished, err := sweep.ReadFinished(x.dir)
	if err != nil {
		return err
	}
	known := 0
	for _, run := range x.runs {
		if _, ok := finished.Done[run.ID]; ok {
			known++
		}
	}
	if changed {
		x.note("%s was made of another spec: of its finished runs %d are part of this one, %d are not and will be left out",
			x.dir, known, len(finished.Done)-known)
	}
	if finished.Damaged > 0 {
		x.note("%s in %s cannot be read; their runs are done again", counted(finished.Damaged, "row"), x.dir)
	}
	var left []int
	for _, i := range x.mine {
		failed, ok := finished.Done[x.runs[i].ID]
		if !ok || failed && x.c.Bool("retry-failed") {
			left = append(left, i)
			continue
		}
		x.already++
		if failed {
			x.failed++
		}
	}
	if x.already > 0 {
		x.note("%d of %s of this shard are finished already", x.already, counted(len(x.mine), "run"))
	}
	if x.plan.TimeLimit > 0 {
		x.note("runs have a time limit: rows are not reproducible")
	}
	if x.plan.Keep {
		if err := x.clearKept(); err != nil {
			return err
		}
	}
	return x.begin(left, rows, finished)
}

// begin opens the other logs of the shard and runs the runs that are left.
func (x *sweeping) begin(left []int, rows *sweep.Log, finished *sweep.Finished) error {
	timings, err := sweep.OpenLog(x.dir, sweep.Timings, x.shard.index, x.shard.of)
	if err != nil {
		return x.misplacedLog(sweep.Timings, err)
	}
	attempts, err := sweep.OpenAttempts(x.dir, x.shard.index, x.shard.of, func(id string) bool {
		failed, ok := finished.Done[id]
		return ok && !(failed && x.c.Bool("retry-failed"))
	})
	if err != nil {
		return errors.Join(x.misplacedLog(sweep.Begun, err), timings.Close())
	}
	stop := context.AfterFunc(x.c.Context, func() { _ = attempts.Release() }) // a second signal ends the process at once
	defer limitCores(x.c)()
	err = x.pool(left, &sweepLogs{rows, timings, attempts})
	stop()
	return errors.Join(err, attempts.Close(), timings.Close())
}

// misplacedLog is misplaced for a log of the shard.
func (x *sweeping) misplacedLog(kind string, err error) error {
	return misplaced(filepath.Join(x.dir, sweep.LogFile(kind, x.shard.index, x.shard.of)), err)
}

func (x *sweeping) note(format string, args ...any) {
	if !x.c.Bool(flagQuiet.Name) {
		fmt.Fprintf(x.s.stderr, "note: "+format+"\n", args...)
	}
}

// clearKept removes what results a killed process of this shard left half written.
func (x *sweeping) clearKept() error {
	dir := x.kept("")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	mine := map[string]bool{}
	for _, i := range x.mine {
		mine[x.runs[i].ID] = true
	}
	for _, e := range entries {
		name, half := strings.CutPrefix(e.Name(), ".") // .ID.tmp-…, see disk.WriteDir
		id, _, _ := strings.Cut(name, ".")
		if half && mine[id] {
			if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// keptName is the folder of result directories, one a run, by id.
const keptName = "results"

func (x *sweeping) kept(id string) string { return filepath.Join(x.dir, keptName, id) }

// conclude prints what became of the shard.
func (x *sweeping) conclude() error {
	if err := x.c.Context.Err(); errors.Is(err, context.Canceled) {
		x.note("%s of this shard are finished; the same command goes on", counted(x.already, "run"))
		return errInterrupted
	}
	text := fmt.Sprintf("%s, %s", counted(len(x.mine), "run"), counted(x.failed, "error"))
	if x.shard.of > 1 {
		text = fmt.Sprintf("shard %d/%d: %s", x.shard.index, x.shard.of, text)
	}
	if _, err := fmt.Fprintln(x.s.stdout, text); err != nil {
		return err
	}
	if x.failed > 0 {
		if err := x.listFailed(); err != nil {
			return err
		}
	}
	if x.failed > 0 && x.c.Bool("fail-on-error") {
		return &exitError{exitUsage}
	}
	return nil
}

// print lists the runs of the shard.
func (x *sweeping) print(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "ID\tINSTANCE\tPROBLEM\tALGORITHM\tPARAMETERS\tSEED")
	for _, i := range x.mine {
		run := x.runs[i]
		in, v := &x.plan.Instances[run.Instance], &x.plan.Variants[run.Variant]
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%d\n", run.ID, textpos.Visible(in.Name), dash(v.Problem), v.Algorithm,
			dash(textpos.Visible(v.StatedText())), run.Seed)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	of := ""
	if x.shard.of > 1 {
		of = fmt.Sprintf(" of %s in shard %d/%d", counted(len(x.runs), "run"), x.shard.index, x.shard.of)
	}
	_, err := fmt.Fprintf(w, "%s%s\n", counted(len(x.mine), "run"), of)
	return err
}
