package report

import (
	"fmt"
	"io"
	"strings"
)

// WriteSummary writes the claims of several figures as Markdown, one table a figure.
func WriteSummary(w io.Writer, figures []*Figure) error {
	var b strings.Builder
	counts := map[Verdict]int{}
	for _, f := range figures {
		for _, c := range f.Claims {
			counts[c.Verdict]++
		}
	}
	fmt.Fprintf(&b, "Of %d claims %d hold, %d differ and %d are contradicted.\n",
		counts[Holds]+counts[Differs]+counts[Contradicted], counts[Holds], counts[Differs], counts[Contradicted])
	for _, f := range figures {
		fmt.Fprintf(&b, "\n### %s: %s\n\n%s.\n\n", f.Name, f.Title, f.Source)
		b.WriteString("| verdict | claim | published | ours | over the seeds | why |\n|---|---|---|---|---|---|\n")
		for _, c := range f.Claims {
			spread := ""
			if c.Spread != nil {
				spread = text(c.Spread[0]) + " … " + text(c.Spread[1])
			}
			row := []string{string(c.Verdict), c.Claim, fmt.Sprint(c.Published), fmt.Sprint(c.Ours), spread, c.Why}
			for i := range row {
				row[i] = strings.ReplaceAll(row[i], "|", `\|`)
			}
			fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
