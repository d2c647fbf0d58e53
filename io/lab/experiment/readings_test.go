package experiment

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// printed is a figure as docs/experiments.md prints it; words stay.
func printed(s string) string {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return s
	}
	digits := 2
	if a := math.Abs(x); a >= 1000 {
		digits = 0
	} else if a >= 20 {
		digits = 1
	}
	return strings.ReplaceAll(strconv.FormatFloat(x, 'f', digits, 64), "-", "−")
}

// TestReadings: what docs/experiments.md says of other readings stands in docs/readings.csv, whose figures exist.
func TestReadings(t *testing.T) {
	page, err := os.ReadFile("../../../docs/experiments.md")
	fail(t, err)
	text, err := os.ReadFile("../../../docs/readings.csv")
	fail(t, err)
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	fail(t, err)
	known := map[string]bool{} // by what a line of the page has but for the figure under the closest reading
	for _, r := range rows[1:] {
		figure, statement, published, here, low, high, verdict, seeds, command := r[0], r[1], r[2], r[3], r[4], r[5], r[6],
			r[7], r[8]
		found, err := Find(figure)
		fail(t, err)
		start := "mrsched experiment " + figure + " --seed 2001"
		if !strings.HasPrefix(command, start+" --seeds "+seeds+" ") {
			t.Errorf("command %q of figure %s, %s seeds", command, figure, seeds)
		}
		if here = printed(here); low != "" {
			here += fmt.Sprintf(" [%s, %s]", printed(low), printed(high))
		}
		known[fmt.Sprint(found[0].Place, ": ", statement, " | ", printed(published), " | ", here, ", ", verdict, " | `",
			figure, strings.TrimPrefix(command, start), "`")] = true
	}
	_, section, _ := strings.Cut(string(page), "\n## Other readings\n")
	section, _, _ = strings.Cut(section, "\n## ")
	lines := 0
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		if len(cells) != 5 || cells[0] == "figure, statement" {
			continue
		}
		lines++
		if line := strings.Join(append(cells[:2:2], cells[3:]...), " | "); !known[line] {
			t.Errorf("not in docs/readings.csv: %s", line)
		}
	}
	if lines == 0 {
		t.Error("docs/experiments.md states no other reading")
	}
}
