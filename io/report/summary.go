package report

import (
	"fmt"
	"io"
	"strings"
)

// WriteSummary writes the claims of several figures as Markdown: a table of the verdicts, a line a paper, then a table
// a paper, and one of what is no paper's.
func WriteSummary(w io.Writer, figures []*Figure) error {
	var b strings.Builder
	names, counts := writeVerdicts(&b, figures)
	for _, name := range append(names, own, fitted) {
		if len(counts[name]) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n### %s\n\n", strings.ToUpper(name[:1])+name[1:])
		writeRow(&b, "statement", "where", "published", "here", "verdict")
		b.WriteString("|---|---|---|---|---|\n")
		for _, f := range figures {
			for _, c := range f.Claims {
				if c.group(f) != name {
					continue
				}
				here := fmt.Sprint(c.Ours)
				if c.Interval != nil {
					here += " [" + text(c.Interval[0]) + ", " + text(c.Interval[1]) + "]"
				}
				writeRow(&b, c.Claim, f.Name, fmt.Sprint(c.Published), here, string(c.Verdict))
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// own and fitted stand for a paper where a claim tests none.
const (
	own    = "limits and questions of our own"
	fitted = "what was fitted or put in"
)

// group is the claim's paper, or what stands for it.
func (c Claim) group(f *Figure) string {
	if c.Fitted {
		return fitted
	} else if c.Own {
		return own
	}
	return f.Paper
}

// writeVerdicts counts the claims of each paper by verdict, and in a last line those that are no paper's.
func writeVerdicts(b *strings.Builder, figures []*Figure) (names []string, counts map[string]map[Verdict]int) {
	counts = map[string]map[Verdict]int{own: {}, fitted: {}}
	for _, f := range figures {
		if counts[f.Paper] == nil {
			names, counts[f.Paper] = append(names, f.Paper), map[Verdict]int{}
		}
		for _, c := range f.Claims {
			counts[c.group(f)][c.Verdict]++
		}
	}
	b.WriteString("| paper | claims | hold | differ | contradicted | undecided |\n|---|--:|--:|--:|--:|--:|\n")
	for _, name := range append(names, own, fitted) {
		sum, cells := 0, []string{name, ""}
		for _, v := range Verdicts() {
			sum += counts[name][v]
			cells = append(cells, fmt.Sprint(counts[name][v]))
		}
		cells[1] = fmt.Sprint(sum)
		writeRow(b, cells...)
	}
	return names, counts
}

// writeRow writes a row of a Markdown table.
func writeRow(b *strings.Builder, cells ...string) {
	for i := range cells {
		cells[i] = strings.ReplaceAll(cells[i], "|", `\|`)
	}
	fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
}
