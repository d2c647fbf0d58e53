package cli

import (
	"github.com/urfave/cli/v2"

	"mrsched/io/artifact"
	"mrsched/io/check"
	"mrsched/io/engine"
	"mrsched/model"
)

const checkHelp = `RESULT is a directory or document that solve wrote, a directory of results as compare -o writes it, or the directory that solve
wrote for several instances. In the last case each INSTANCE is checked against the results in the folder of its name, and the
summary against the results. check always checks everything; the exit code is the most serious one.`

func (s *session) checkCommand() *cli.Command {
	return &cli.Command{
		Name: "check",
		Usage: "verify a result against its instance: schedule, objective, bound, ratio, " +
			"guarantee",
		ArgsUsage:   "INSTANCE… RESULT",
		Description: checkHelp,
		UsageText: examples("mrsched check fig1.json r/fig1",
			"mrsched check deadlines.json r/deadlines --json",
			"mrsched check fig1.json dag.json tree.json r/nightly"),
		Flags: []cli.Flag{
			flagFormat, flagJSON, flagUnknown, maxInputFlag(), maxCountFlag(), maxSearchFlag(), flagQuiet,
		},
		Action: s.check,
	}
}

func (s *session) check(c *cli.Context) error {
	args := c.Args().Slice()
	if len(args) < 2 {
		if len(args) > 0 && artifact.IsResult(args[0]) {
			return engine.Usagef("INSTANCE is missing: mrsched check INSTANCE %s", args[0])
		}
		_, err := arguments(c, "INSTANCE", "RESULT")
		return err
	}
	out := s.output(c)
	at := args[len(args)-1]
	if at == "-" {
		return engine.Usagef("RESULT cannot be -: name a result's directory or file; " +
			"only INSTANCE is read from standard input")
	}
	k := &check.Checker{Dir: at, Most: c.Int(engine.MaxSearchName), Quiet: c.Bool(flagQuiet.Name),
		Stdout: out, Stderr: s.stderr, Tell: s.tell,
		ReadWorkload: func(path string) (*model.Workload, error) { return s.readWorkload(c, path) }}
	if len(args) > 2 || check.IsBatch(at) {
		return k.CheckBatch(c.Context, args[:len(args)-1])
	}
	return k.CheckAll(c.Context, args[0])
}
