package cli

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"mrsched/io/engine"
	"mrsched/io/estimates"
	"mrsched/io/grammar"
	"mrsched/io/show"
	"mrsched/io/solve"
	"mrsched/model"
)

const estimateHelp = `Estimates every map and partition on every worker that has slots for it. Cpu and memory are what the task states; if it states
none, the mean of the fullest histogram bin over past runs of the same job class and kind. The time is a weighted mean (Epanechnikov
kernel) of the past runs that are nearest in bytes, cpu and memory; for jobs of 101 or more partitions it is read off a line
through these runs.

Column FROM says which past runs count: those on the worker; those on all workers, scaled by speed; or all of the class. R is
the distance of the farthest of the K runs that count. The nearest runs stand under each row: HISTORY 7 is row 7 of the table
history. The weights of all runs add up to 1.

estimate ignores true times, which may be absent. With -o it writes the workload with its times replaced by the
estimates, so that solve plans with them.

With --duration, all this does not apply: the processing time of each task becomes what the rule makes of its successful runs in
the table runs. Percentiles interpolate linearly; last is the run that started last. A task without such runs keeps its time.`

// durationFlag names the rule that makes a time of past runs.
func durationFlag(value string) cli.Flag {
	return choice(cli.StringFlag{Name: "duration", Value: value,
		Usage: "processing times from successful runs in the table runs"}, model.DurationRules()...)
}

func (s *session) estimateCommand() *cli.Command {
	flags := []cli.Flag{
		flagJob,
		&listFlag{cli.StringFlag{Name: "task", Usage: "only this task or partition (or these, " + grammar.ListUsage + "); " +
			"without it, partitions that sketches would make are left out"}},
		&listFlag{cli.StringFlag{Name: "worker", Usage: "only on this worker (or these, " + grammar.ListUsage + ")"}},
		counted(0, &cli.IntFlag{Name: "neighbours", Value: 3,
			Usage: "print this many of the nearest past runs under each estimate"}),
		flagFormat, flagJSON, durationFlag(""),
		workloadOutput("write the workload with the estimates as its times, and print nothing: ", ""),
		flagForce, flagUnknown, maxInputFlag(), maxCountFlag(), flagQuiet,
	}
	return &cli.Command{
		Name:        "estimate",
		Usage:       "estimate from past runs what tasks need, and show these runs",
		ArgsUsage:   "INSTANCE",
		Description: estimateHelp,
		UsageText: examples("mrsched generate realtime --jobs 3 -o jobs.json",
			"mrsched estimate jobs.json --task j1.m1 --worker w1 --neighbours 5",
			"mrsched estimate jobs.json -o expected.json && mrsched solve expected.json",
			"mrsched estimate --duration p90 night.json -o cautious.json"),
		Flags:  append(flags, paramFlags(estimates.Params())...),
		Action: s.estimate,
	}
}

func (s *session) estimate(c *cli.Context) error {
	table := s.output(c)
	out := c.String("output")
	if out != "-" {
		if err := engine.Vacant(out, c.Bool(flagForce.Name)); err != nil { // before any work
			return err
		}
	}
	w, err := s.readWorkload(c, c.Args().First())
	if err != nil {
		return err
	}
	if w, err = s.restrict(c, w, c.Args().First()); err != nil {
		return err
	}
	if rule := c.String("duration"); rule != "" {
		return s.writeDurations(c, w, rule)
	}
	p, err := paramValues(c, estimates.Params())
	if err != nil {
		return err
	}
	e, err := estimates.New(w, p, c.Int("neighbours"))
	if err != nil {
		return solve.OfInstance(c.Args().First(), err)
	}
	if err := idle(c, estimates.Params(), e.In); err != nil {
		return err
	}
	if out != "" {
		return s.writeEstimates(c, e)
	}
	if err := e.Choose(namedIn(c, "task"), namedIn(c, "worker")); err != nil {
		return err
	}
	return e.Print(c.Context, table)
}

// writeEstimates writes the workload with the estimates instead of its times.
func (s *session) writeEstimates(c *cli.Context, e *estimates.Estimates) error {
	w, err := e.Workload(c.Context)
	if err != nil {
		return err
	}
	if err := s.writeWorkload(c, w); err != nil {
		return err
	}
	fmt.Fprintf(s.notes(c), "estimated %s of %s from %s\n", show.Counted(len(w.Times), "time"),
		show.Counted(e.In.Tasks, "task"), show.Counted(len(w.History), "past run"))
	return nil
}

// writeDurations writes the workload with the times that a rule makes of past runs.
func (s *session) writeDurations(c *cli.Context, w *model.Workload, rule string) error {
	w, said, err := w.Estimated(rule)
	if err != nil {
		return err
	}
	if err := s.writeWorkload(c, w); err != nil {
		return err
	}
	fmt.Fprintf(s.notes(c), "processing times: %s\n", said)
	return nil
}

// namedIn are the names that a flag lists; nil: it is not given.
func namedIn(c *cli.Context, flag string) []string {
	if !c.IsSet(flag) {
		return nil
	}
	return strings.Split(c.String(flag), ",")
}
