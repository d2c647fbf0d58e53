package cli

import (
	"io"

	"github.com/urfave/cli/v2"

	"mrsched/io/engine"
	"mrsched/io/grammar"
	"mrsched/io/show"
	"mrsched/io/solve"
)

func (s *session) compareCommand() *cli.Command {
	algorithm := &cli.StringFlag{Name: "algorithm", Aliases: []string{"a"}, Value: "all",
		Usage: "algorithms, " + grammar.ListUsage + "; or all"}
	return &cli.Command{
		Name: "compare",
		Usage: "run several algorithms on one instance and judge all of them by the " +
			"strongest bound",
		ArgsUsage: "INSTANCE",
		Description: grammar.Describe(statusHelp,
			"mrsched compare deadlines.json -o r/deadlines",
			"mrsched compare tree.json -a greedy,rhc,lookahead --json"),
		Flags: solveFlags(algorithm, "directory for one result each, compare.csv and compare.json; or - for the results "+
			"on standard output"),
		Action: s.compare,
	}
}

func (s *session) compare(c *cli.Context) error {
	j, err := s.newJob(c, true)
	if err != nil {
		return err
	}
	defer limitCores(c)()
	var found []*engine.Verified
	for _, a := range j.Algorithms {
		v, err := j.Solve(c.Context, a)
		if err != nil {
			return err
		}
		found = append(found, v)
	}
	best := engine.Strongest(j.InTableOrder(found)...)
	t, doc := solve.NewTable(j), j.Comparison(found, best)
	for _, v := range found {
		bundle, err := j.Bundle(v, best)
		if err != nil {
			return err
		}
		if err := j.Write(bundle); err != nil {
			return err
		}
		t.Add(bundle.Result)
		doc.Rows = append(doc.Rows, j.ComparisonRow(bundle.Result, v))
	}
	j.Recorded(t, doc, best)
	j.LeftOut(t, doc)
	doc.Objective = solve.ObjectiveName(t.Rows)
	if err := j.WriteComparison(doc); err != nil {
		return err
	}
	if doc.LowerBound != nil {
		t.Note("all rows are judged against the strongest bound of the run, %s from %s", doc.LowerBound.Method, doc.BoundFrom)
	}
	lines := func(w io.Writer) error { return show.WriteLines(w, doc.Rows) }
	if err := t.Print(solve.Exact{JSON: lines, CSV: doc.WriteCSV}); err != nil {
		return err
	}
	return s.finish(c, j)
}
