package cli

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mrsched/io/engine"
)

// TestGlossaryHasBounds: the glossary has one line for every method of a bound, which names its problem, and no others.
func TestGlossaryHasBounds(t *testing.T) {
	_, text, found := strings.Cut(readText(t, filepath.Join(root, "docs/guide.md")), "\nBounds, as the column BOUND BY")
	if !found {
		t.Fatal("the glossary has no table of bounds")
	}
	text, _, _ = strings.Cut(text, "\nNames from the papers:")
	said := map[string][]string{} // by method
	for line := range strings.Lines(text) {
		if cells := strings.Split(line, "|"); len(cells) == 4 {
			for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
				said[name[1]] = append(said[name[1]], cells[2])
			}
		}
	}
	var known []string
	for _, d := range engine.Descriptions() {
		if len(d.Bounds) == 0 {
			t.Errorf("%s has no bounds", d.Problem)
		}
		for _, method := range d.Bounds {
			known = append(known, method)
			mine := func(text string) bool { return strings.HasPrefix(text, " `"+d.Problem+"`") }
			if !slices.ContainsFunc(said[method], mine) {
				t.Errorf("the glossary should explain %s of %s, and says %q", method, d.Problem, said[method])
			}
		}
	}
	for method := range said {
		if !slices.Contains(known, method) {
			t.Errorf("the glossary explains %s, which is no method of a bound", method)
		}
	}
}
