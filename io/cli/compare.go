package cli

import (
	"io"

	"github.com/urfave/cli/v2"

	"mrsched/io/grammar"
	"mrsched/io/show"
)

func (s *session) compareCommand() *cli.Command {
	algorithm := &cli.StringFlag{Name: "algorithm", Aliases: []string{"a"}, Value: "all",
		Usage: "algorithms, " + grammar.ListUsage + "; or all"}
	return &cli.Command{
		Name: "compare",
		Usage: "run several algorithms on one instance and judge all of them by the " +
			"strongest bound",
		ArgsUsage: "INSTANCE",
		Description: grammar.Describe(statusHelp+"\n\n"+logHelp,
			"mrsched compare deadlines.json -o r/deadlines",
			"mrsched compare tree.json -a greedy,rhc,lookahead --json"),
		Flags: solveFlags(algorithm, "directory for one result each, compare.csv and compare.json; or - for the results "+
			"on standard output"),
		Action: s.logged(s.compare),
	}
}

func (s *session) compare(c *cli.Context) error {
	j, err := s.newJob(c, true)
	if err != nil {
		return err
	}
	defer limitCores(c)()
	t, doc, err := j.Compare(c.Context)
	if err != nil {
		return err
	}
	if err := t.Print(func(w io.Writer) error { return show.WriteLines(w, doc.Rows) }); err != nil {
		return err
	}
	return s.finish(c, j)
}
