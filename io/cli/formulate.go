package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"mrsched/io/disk"
	"mrsched/io/engine"
	"mrsched/io/grammar"
	"mrsched/io/solve"
	"mrsched/solver"
)

func (s *session) formulateCommand() *cli.Command {
	flags := []cli.Flag{
		flagProblem,
		offering(cli.StringFlag{Name: "format", Value: "lp",
			Usage: "lp_solve's LP format, free MPS, or DIMACS for problems with a network"}, "lp", "mps", "dimacs"),
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: "-", Usage: "file (gzip if it ends in .gz), or - " +
			"for standard output"},
		flagForce, flagUnknown, maxInputFlag(), maxCountFlag(),
	}
	return &cli.Command{
		Name:        "formulate",
		Usage:       "write the LP, the mixed-integer program or the network behind a problem",
		ArgsUsage:   "INSTANCE",
		Description: formulationHelp(),
		UsageText: examples("mrsched formulate fig1.json --format mps -o fig1.mps",
			"mrsched formulate tree.json --format dimacs"),
		Flags:  append(flags, paramFlags(engine.ModelParams())...),
		Action: s.formulate,
	}
}

// formulationHelp says what is written for each problem.
func formulationHelp() string {
	var rows [][2]string
	for _, p := range engine.Problems() {
		if len(p.Formats) == 0 {
			continue
		}
		rows = append(rows, [2]string{p.Name, fmt.Sprintf("%s (%s)", p.Formulation, strings.Join(p.Formats, ", "))})
	}
	return "What it writes:\n\n" + grammar.Aligned(rows)
}

func (s *session) formulate(c *cli.Context) error {
	p, w, err := s.instance(c, c.Args().First())
	if err != nil {
		return err
	}
	if len(p.Formats) == 0 {
		have := problemsThat(func(p engine.Problem) bool { return len(p.Formats) > 0 })
		return engine.Usagef("%s has no formulation to write; %s have one", p.Name, engine.Sentence(have))
	}
	format, err := engine.ParseParam(solver.Param{Name: "format", Kind: solver.StringParam, Choices: p.Formats},
		c.String("format"))
	if err != nil {
		return err
	}
	params, err := paramValues(c, p.Params)
	if err != nil {
		return err
	}
	if err := foreign(c, engine.ModelParams(), p.Written(params), "the model"); err != nil {
		return err
	}
	run, err := p.Open(w, params)
	if err != nil {
		return solve.OfInstance(c.Args().First(), err)
	}
	if err := idle(c, p.Params, run.View()); err != nil {
		return err
	}
	write := func(out io.Writer) error {
		return solve.OfInstance(c.Args().First(), run.Formulate(c.Context, out, format.(string)))
	}
	path := c.String("output")
	if path == "-" {
		return write(s.stdout)
	}
	return engine.Misplaced(path, disk.WriteFile(path, c.Bool(flagForce.Name),
		func(out io.Writer) error { return disk.Compress(out, path, write) }))
}
