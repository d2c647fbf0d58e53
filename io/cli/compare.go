package cli

import (
	"io"

	"github.com/urfave/cli/v2"

	"mrsched/io/grammar"
	"mrsched/io/result"
	"mrsched/io/show"
	"mrsched/io/solve"
)

// compareHelp describes calls with several instances.
const compareHelp = sideBySide + ` A second table tells how often each algorithm is best, and the mean and the worst of its ratios to the strongest
bound of each instance. With -o DIR the comparison of NAME.json goes to DIR/NAME, and both tables go to DIR/summary.json.`

func (s *session) compareCommand() *cli.Command {
	algorithm := &listFlag{cli.StringFlag{Name: "algorithm", Aliases: []string{"a"}, Value: "all",
		Usage: "algorithms, " + grammar.ListUsage + "; or all"}}
	return &cli.Command{
		Name: "compare",
		Usage: "run several algorithms on an instance, or on several, and judge all of them by the " +
			"strongest bound",
		ArgsUsage:   "INSTANCE…",
		Description: compareHelp + "\n\n" + statusHelp + "\n\n" + logHelp,
		UsageText: examples("mrsched compare deadlines.json -o r/deadlines",
			"mrsched compare tree.json -a greedy,rhc,best --json",
			"mrsched compare fig1.json dag.json -a mars,best -o r/both"),
		Flags: solveFlags(algorithm, outputFlag("directory for one result each, compare.csv and compare.json; or - for the "+
			"results on standard output; of several instances a directory", "", "a directory, or - for standard output")),
		Action: s.logged(s.compare),
	}
}

func (s *session) compare(c *cli.Context) error {
	if c.NArg() > 1 {
		return s.many(c, true)
	}
	j, err := s.newJob(c, true)
	if err != nil {
		return err
	}
	defer limitCores(c)()
	t, doc, err := j.Do(c.Context, func(*result.Bundle) error { return nil }, solve.Stops)
	if err != nil {
		return err
	}
	lines := func(w io.Writer) error { return show.WriteLines(w, doc.Rows) }
	if err := t.Print(solve.Exact{JSON: lines, Records: doc.Records}); err != nil {
		return err
	}
	return s.finish(c, j)
}
