package cli

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"mrsched/io/engine"
	"mrsched/model"
)

const estimateHelp = `The processing time of each task becomes what the rule --duration makes of its successful runs in the table runs. Percentiles
interpolate linearly; last is the run that started last. A task without such runs keeps its time.`

// durationFlag names the rule that makes a time of past runs.
func durationFlag(value string) cli.Flag {
	return choice(cli.StringFlag{Name: "duration", Value: value,
		Usage: "processing times from successful runs in the table runs"}, model.DurationRules()...)
}

func (s *session) estimateCommand() *cli.Command {
	return &cli.Command{
		Name:        "estimate",
		Usage:       "make processing times of past runs",
		ArgsUsage:   "INSTANCE",
		Description: estimateHelp,
		UsageText:   examples("mrsched estimate --duration p90 night.json -o cautious.json"),
		Flags: []cli.Flag{durationFlag("p50"), workloadOutput("", "-"), flagForce, flagUnknown, maxInputFlag(),
			maxCountFlag(), flagQuiet},
		Action: s.estimate,
	}
}

func (s *session) estimate(c *cli.Context) error {
	if out := c.String("output"); out != "-" {
		if err := engine.Vacant(out, c.Bool(flagForce.Name)); err != nil { // before any work
			return err
		}
	}
	w, err := s.readWorkload(c, c.Args().First())
	if err != nil {
		return err
	}
	w, said, err := w.Estimated(c.String("duration"))
	if err != nil {
		return err
	}
	if err := s.writeWorkload(c, w); err != nil {
		return err
	}
	fmt.Fprintf(s.notes(c), "processing times: %s\n", said)
	return nil
}
