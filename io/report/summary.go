package report

import (
	"fmt"
	"io"
	"strings"
)

// WriteSummary writes the claims of several figures as Markdown: a table of the verdicts, a line a paper, and then a
// table per figure.
func WriteSummary(w io.Writer, figures []*Figure) error {
	var b strings.Builder
	writeVerdicts(&b, figures)
	for _, f := range figures {
		fmt.Fprintf(&b, "\n### %s: %s\n\n%s.\n\n", f.Name, f.Title, f.Source)
		writeRow(&b, "verdict", "claim", "published", "ours", "95 % confidence", "why")
		b.WriteString("|---|---|---|---|---|---|\n")
		for _, c := range f.Claims {
			interval := ""
			if c.Interval != nil {
				interval = text(c.Interval[0]) + " … " + text(c.Interval[1])
			}
			writeRow(&b, string(c.Verdict), c.Title(), fmt.Sprint(c.Published), fmt.Sprint(c.Ours), interval, c.Why)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeVerdicts counts the claims of each paper by verdict, and in a last line those that are no paper's.
func writeVerdicts(b *strings.Builder, figures []*Figure) {
	const own = "limits and questions of our own"
	var names []string
	counts := map[string]map[Verdict]int{own: {}}
	for _, f := range figures {
		if counts[f.Paper] == nil {
			names, counts[f.Paper] = append(names, f.Paper), map[Verdict]int{}
		}
		for _, c := range f.Claims {
			if c.Own {
				counts[own][c.Verdict]++
			} else {
				counts[f.Paper][c.Verdict]++
			}
		}
	}
	b.WriteString("| paper | claims | hold | differ | contradicted | undecided |\n|---|--:|--:|--:|--:|--:|\n")
	for _, name := range append(names, own) {
		sum, cells := 0, []string{name, ""}
		for _, v := range Verdicts() {
			sum += counts[name][v]
			cells = append(cells, fmt.Sprint(counts[name][v]))
		}
		cells[1] = fmt.Sprint(sum)
		writeRow(b, cells...)
	}
}

// writeRow writes a row of a Markdown table.
func writeRow(b *strings.Builder, cells ...string) {
	for i := range cells {
		cells[i] = strings.ReplaceAll(cells[i], "|", `\|`)
	}
	fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
}
