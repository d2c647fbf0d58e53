package cli

import (
	"io"

	"github.com/urfave/cli/v2"

	"mrsched/io/engine"
	"mrsched/io/show"
	"mrsched/io/solve"
)

// many solves several instances.
func (s *session) many(c *cli.Context) error {
	if err := algorithmsApart(c.Args().Slice()); err != nil {
		return err
	}
	out := s.output(c)
	o := solve.BatchOptions{Problem: c.String(flagProblem.Name),
		Threads: c.Int(flagThreads.Name), Force: c.Bool(flagForce.Name), Quiet: c.Bool(flagQuiet.Name),
		Compare:     c.Bool(compareName),
		FailOnLimit: c.Bool("fail-on-limit"), Stdout: out, Stderr: s.stderr, Tell: s.tell}
	b := solve.NewBatch(c.Context, o, c.Args().Slice(), c.String("output"))
	b.Options = func(stderr io.Writer) solve.Options {
		alone := &session{stdin: s.stdin, stdout: io.Discard, stderr: stderr, log: s.log}
		return alone.jobOptions(c, show.Output{Writer: io.Discard})
	}
	if err := b.Named(); err != nil {
		return err
	}
	if err := b.Place(); err != nil {
		return err
	}
	defer limitCores(c)()
	bar := newBar(s.stderr, c.Command.Name, b.Quiet || s.log != nil)
	b.Progress, b.Clear, b.Gone = bar.progress, bar.clear, bar.close
	return b.RunAll()
}

// algorithmsApart refuses the name of an algorithm where an instance is wanted and no file has that name.
func algorithmsApart(paths []string) error {
	for _, path := range paths {
		if engine.IsAlgorithm(path) && !engine.Exists(path) {
			return engine.Usagef("%s is an algorithm; separate algorithms by commas, as in -a ALGORITHM,%s", path, path)
		}
	}
	return nil
}
