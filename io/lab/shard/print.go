package shard

import (
	"fmt"
	"io"
	"text/tabwriter"

	"mrsched/io/lab/sweep"
	"mrsched/io/show"
	"mrsched/io/textpos"
	"mrsched/model"
)

// PrintSummary prints the table of groups.
func PrintSummary(w io.Writer, m *sweep.Merged, runs, summary string) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "INSTANCES\tALGORITHM\tPARAMETERS\tRUNS\tERRORS\tOBJECTIVE\tMEAN\tRATIO\t95 %\tWORST\tVERDICT")
	for _, g := range m.Groups {
		if n := g.Count(model.StatusSkipped); n > 0 && n == g.Runs { // the last line counts them
			continue
		}
		o, r := g.Objectives(), g.Ratios()
		interval := "–"
		if r.Low != "" {
			interval = show.Shorten(r.Low) + " … " + show.Shortened(r.High, model.RoundUp)
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n", textpos.Visible(g.Name), textpos.Visible(g.Algorithm),
			show.Dash(textpos.Visible(g.Parameters)), g.Runs-g.Missing(), g.Count(sweep.StatusError),
			show.Dash(g.Objective), numberText(o.Mean, model.RoundDown), numberText(r.Mean, model.RoundUp), interval,
			numberText(r.Max, model.RoundUp), show.Dash(g.Verdict))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	text := fmt.Sprintf("%s, %s", show.Counted(len(m.Runs)-len(m.Missing), "run"),
		show.Counted(m.Count(sweep.StatusError), "error"))
	if n := m.Count(model.StatusSkipped); n > 0 {
		text += fmt.Sprintf(", %d skipped", n)
	}
	if n := len(m.Missing); n > 0 {
		text += fmt.Sprintf(", %d missing", n)
	}
	_, err := fmt.Fprintf(w, "%s\n%s\n%s\n", text, textpos.Visible(runs), textpos.Visible(summary))
	return err
}

func numberText(n model.Number, mode model.Rounding) string {
	if n == "" {
		return "–"
	}
	return show.Shortened(n, mode)
}

// summaryLine is a group as --json prints it.
type summaryLine struct {
	Group      string         `json:"group"`
	Problem    string         `json:"problem,omitempty"`
	Algorithm  string         `json:"algorithm"`
	Parameters string         `json:"parameters,omitempty"`
	Runs       int            `json:"runs"`
	Missing    int            `json:"missing"`
	Errors     int            `json:"errors"`
	Skipped    int            `json:"skipped"`
	Name       string         `json:"objective_name,omitempty"`
	Objective  *summaryNumber `json:"objective,omitempty"`
	Ratio      *summaryNumber `json:"ratio,omitempty"`
	Verdict    string         `json:"worst_verdict,omitempty"`
}

type summaryNumber struct {
	Runs   int          `json:"n"`
	Mean   model.Number `json:"mean"`
	Low    model.Number `json:"low,omitempty"`
	High   model.Number `json:"high,omitempty"`
	Min    model.Number `json:"min"`
	Median model.Number `json:"median"`
	Max    model.Number `json:"max"`
}

// SummaryLines are the groups of a merged sweep as --json prints them.
func SummaryLines(m *sweep.Merged) []summaryLine {
	number := func(s sweep.Statistics) *summaryNumber {
		if s.Runs == 0 {
			return nil
		}
		return &summaryNumber{s.Runs, s.Mean, s.Low, s.High, s.Min, s.Median, s.Max}
	}
	var lines []summaryLine
	for _, g := range m.Groups {
		lines = append(lines, summaryLine{Group: g.Name, Problem: g.Problem, Algorithm: g.Algorithm, Parameters: g.Parameters,
			Runs: g.Runs - g.Missing(), Missing: g.Missing(),
			Errors: g.Count(sweep.StatusError), Skipped: g.Count(model.StatusSkipped), Name: g.Objective,
			Objective: number(g.Objectives()), Ratio: number(g.Ratios()), Verdict: g.Verdict})
	}
	return lines
}
