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
	errors, skipped := 0, 0
	for _, g := range m.Groups {
		errors += g.Errors
		skipped += g.Skipped
		if g.Skipped > 0 && g.Skipped == g.Runs+g.Missing { // the last line counts them
			continue
		}
		interval := "–"
		if r := g.Ratio; r.Low != "" {
			interval = show.Shorten(r.Low) + " … " + show.Shortened(r.High, model.RoundUp)
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n", textpos.Visible(g.Name),
			textpos.Visible(g.Algorithm), show.Dash(textpos.Visible(g.Parameters)), g.Runs, g.Errors, show.Dash(g.Measure),
			numberText(g.Objective.Mean, model.RoundDown), numberText(g.Ratio.Mean, model.RoundUp), interval,
			numberText(g.Ratio.Max, model.RoundUp), show.Dash(g.Verdict))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	text := show.Counted(len(m.Runs)-len(m.Missing), "run") + ", " + show.Counted(errors, "error")
	if skipped > 0 {
		text += fmt.Sprintf(", %d skipped", skipped)
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
