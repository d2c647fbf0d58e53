package grammar

import (
	"slices"
	"strings"
	"testing"

	"mrsched/io/engine"
)

func TestAligned(t *testing.T) {
	got := Aligned([][2]string{{"a", "one"}, {"longer", strings.Repeat("word ", 30)},
		{strings.Repeat("x", nameColumn+1), "below"}})
	want := "  a       one\n" +
		"  longer  " + strings.TrimSpace(strings.Repeat("word ", 20)) + "\n" +
		"          " + strings.TrimSpace(strings.Repeat("word ", 10)) + "\n" +
		"  " + strings.Repeat("x", nameColumn+1) + "\n" +
		"          below\n"
	if got != want {
		t.Errorf("%s, not\n%s", got, want)
	}
}

// TestOrigins: Origins lists the settings that an error names or quotes.
func TestOrigins(t *testing.T) {
	set := map[string]Setting{"threads": {Value: "0", From: "A"}, "thread": {Value: "5", From: "B"},
		"algorithm": {Value: "mars,mrs", From: "C"}, "seed": {Value: "-1", From: "E"},
		"output": {Value: "out", From: "F"}}
	for text, want := range map[string][]string{
		"--threads 0: expected at least 1":      {"--thread 5 is from B", "--threads 0 is from A"},
		`unknown algorithm of msjo "mrs"`:       {"--algorithm mars,mrs is from C"},
		`invalid value "-1" for flag --seed: x`: {"--seed -1 is from E"},
		"w.json: already exists":                nil,
		"-o out: it is not a directory":         {"--output out is from F"},
	} {
		if got := Origins(set, engine.Usagef("%s", text)); !slices.Equal(got, want) {
			t.Errorf("%s: %q", text, got)
		}
	}
}

func TestRoff(t *testing.T) {
	for text, want := range map[string]string{
		`a\b`:       `a\eb`,
		"--lp=x|y":  `\-\-lp=x|y`,
		"it's ≥":    `it\(aqs \[u2265]`,
		"a\n.b\n'c": "a\n\\&.b\n\\&\\(aqc",
	} {
		if got := roff(text); got != want {
			t.Errorf("%s: %s, not %s", text, got, want)
		}
	}
}
