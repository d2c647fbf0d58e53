package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"mrsched/io/disk"
	"mrsched/io/engine"
	"mrsched/io/lab/experiment"
	"mrsched/io/report"
	"mrsched/io/show"
)

func (s *session) experimentCommand() *cli.Command {
	return &cli.Command{
		Name: "experiment",
		Usage: "reproduce a figure of a paper: curves, a drawing, and its claims beside our " +
			"figures; without NAME, list the figures",
		ArgsUsage: experimentArgument,
		UsageText: examples("mrsched experiment",
			"mrsched experiment mars-fig5 --jobs-max 10 --seeds 1 -o figures"),
		Flags: []cli.Flag{
			outputFlag("directory for NAME.csv, NAME.svg and NAME.json; with all, summary.md too", "", "a directory"),
			count("seeds", 10, "number of instances per point"),
			flagSeed,
			count("jobs-max", 100, "cut figures at this many jobs; figures of reduceplace simulate 500 times as "+
				"many, those of multitenant this percentage of four hours"),
			&cli.StringFlag{Name: "set", Usage: "another reading of the paper: settings of presets and parameters of " +
				"the problem in place of the figure's own, NAME=VALUE with commas"},
			flagThreads,
			flagFormat, flagJSON, flagForce, flagQuiet,
		},
		Action: s.experiment,
	}
}

func (s *session) experiment(c *cli.Context) error {
	out := s.output(c)
	if c.NArg() == 0 {
		return listExperiments(out)
	}
	args, err := arguments(c, "NAME|PROBLEM|all")
	if err != nil {
		return err
	}
	chosen, err := experiment.Find(args[0])
	if err != nil {
		return err
	}
	dir := c.String("output")
	if err := figuresVacant(dir, chosen, c.Bool(flagForce.Name)); err != nil {
		return err
	}
	size := experiment.Size{Seeds: c.Int("seeds"), Seed: c.Uint64(flagSeed.Name), JobsMax: c.Int("jobs-max"),
		Threads: c.Int(flagThreads.Name)}
	if size.Set, err = settings(c.String("set")); err != nil {
		return err
	}
	var figures []*report.Figure
	bar := newBar(s.stderr, args[0], c.Bool(flagQuiet.Name))
	err = experiment.Draw(c.Context, size, chosen, bar.progress, func(f *report.Figure) error {
		bar.clear()
		figures = append(figures, f)
		if err := writeFigure(dir, f, c.Bool(flagForce.Name)); err != nil {
			return err
		}
		return printFigure(out, f)
	})
	bar.close()
	if err != nil {
		return err
	}
	if out.ForRecords() {
		if err := out.Print(claimTable(out, figures...)); err != nil {
			return err
		}
	}
	if dir == "" || len(figures) == 1 {
		return nil
	}
	return disk.WriteFile(filepath.Join(dir, summaryFile), c.Bool(flagForce.Name), func(w io.Writer) error {
		return report.WriteSummary(w, figures)
	})
}

// settings reads NAME=VALUE with commas.
func settings(text string) (engine.Settings, error) {
	list := engine.Settings{}
	for _, part := range strings.FieldsFunc(text, func(c rune) bool { return c == ',' }) {
		name, value, ok := strings.Cut(part, "=")
		if !ok {
			return nil, engine.Usagef("--set %q: expected NAME=VALUE, with commas", text)
		}
		list[name] = value
	}
	return list, nil
}

// summaryFile holds the claims of all figures, beside them.
const summaryFile = "summary.md"

func listExperiments(out show.Output) error {
	t := &show.Table{Columns: []show.Column{{Name: "name"}, {Name: "problem", Rank: 1}, {Name: "title"}}}
	for _, e := range experiment.All() {
		t.Add(e.Name, e.Problem, e.Title)
	}
	return out.Print(t)
}

// figuresVacant refuses to replace figures, before any work is done.
func figuresVacant(dir string, list []experiment.Experiment, force bool) error {
	if dir == "" {
		return nil
	}
	if err := engine.HasPlace(dir); err != nil {
		return err
	}
	if _, err := os.Lstat(dir); err == nil && !engine.IsDir(dir) { // a link to nothing, for one
		return engine.Usagef("-o %s: it is not a directory", dir)
	}
	names := []string{summaryFile}
	for _, e := range list {
		for ending := range experiment.Files(&report.Figure{}) {
			names = append(names, e.Name+ending)
		}
	}
	if len(list) == 1 {
		names = names[1:]
	}
	slices.Sort(names)
	for _, name := range names {
		if path := filepath.Join(dir, name); engine.Exists(path) && !force {
			return fmt.Errorf("%s: %w", path, disk.ErrExists)
		}
	}
	return nil
}

func writeFigure(dir string, f *report.Figure, force bool) error {
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return engine.Misplaced(dir, err)
	}
	for ending, write := range experiment.Files(f) {
		path := filepath.Join(dir, f.Name+ending)
		if err := engine.Misplaced(path, disk.WriteFile(path, force, write)); err != nil {
			return err
		}
	}
	return nil
}

// printFigure prints a figure: its claims for people, all of it as JSON. Claims of all figures are one table.
func printFigure(out show.Output, f *report.Figure) error {
	switch {
	case out.Format == show.FormatJSON:
		return f.WriteJSON(out)
	case out.ForRecords():
		return nil
	}
	fmt.Fprintf(out, "%s: %s (%s)\n", f.Name, f.Title, f.Source)
	return out.Print(claimTable(out, f).Without("figure"))
}

// claimTable has a row a claim. Some figures are words, such as "≥ 2", so only people see them as numbers.
func claimTable(out show.Output, figures ...*report.Figure) *show.Table {
	number := out.ForPeople()
	t := &show.Table{Columns: []show.Column{{Name: "figure"}, {Name: "verdict"},
		{Name: "published", Number: number, Show: show.Dash, Rank: 1},
		{Name: "ours", Number: number, Show: show.Dash}, {Name: "claim"}}}
	for _, f := range figures {
		for _, claim := range f.Claims {
			t.Add(f.Name, string(claim.Verdict), fmt.Sprint(claim.Published), fmt.Sprint(claim.Ours), claim.Title())
		}
	}
	return t
}
