package grammar

import (
	"slices"
	"strings"
	"testing"

	"mrsched/io/engine"
)

func TestAligned(t *testing.T) {
	var b strings.Builder
	Aligned(&b, [][2]string{{"a", "one"}, {"longer", strings.Repeat("word ", 30)},
		{strings.Repeat("x", nameColumn+1), "below"}})
	want := "  a       one\n" +
		"  longer  " + strings.TrimSpace(strings.Repeat("word ", 20)) + "\n" +
		"          " + strings.TrimSpace(strings.Repeat("word ", 10)) + "\n" +
		"  " + strings.Repeat("x", nameColumn+1) + "\n" +
		"          below\n"
	if b.String() != want {
		t.Errorf("%s, not\n%s", b.String(), want)
	}
}

// TestOrigins: Origins lists the settings that an error names or quotes.
func TestOrigins(t *testing.T) {
	set := map[string]Setting{"threads": {Value: "0", From: "A"}, "thread": {Value: "5", From: "B"},
		"algorithm": {Value: "mars,mrs", From: "C"}, "job": {Value: "", From: "D"}, "seed": {Value: "-1", From: "E"},
		"output": {Value: "out", From: "F", short: []string{" -o"}}}
	for text, want := range map[string][]string{
		"--threads 0: expected at least 1":      {"--threads 0 is from A"},
		`unknown algorithm of msjo "mrs"`:       {"--algorithm mars,mrs is from C"},
		`invalid value "-1" for flag --seed: x`: {"--seed -1 is from E"},
		"w.json: already exists":                nil,
		"-o out: it is not a directory":         {"--output out is from F"},
		"give --job":                            {"--job  is from D"},
	} {
		if got := Origins(set, engine.Usagef("%s", text)); !slices.Equal(got, want) {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// TestUnquoted: words keep their original spelling.
func TestUnquoted(t *testing.T) {
	const home = "/home/user"
	t.Setenv("HOME", home)
	for typed, want := range map[string]string{"~/examples/x.json": home + "/examples/x.json", `a\ b.json`: "a b.json",
		`"a b"`: "a b", "'": "'", "": "", "a~/b": "a~/b"} {
		if got := unquoted(typed); got != want {
			t.Errorf("%q: %q, not %q", typed, got, want)
		}
	}
}

func TestRoff(t *testing.T) {
	for text, want := range map[string]string{
		`a\b`:      `a\eb`,
		"--lp=x|y": `\-\-lp=x|\:y`,
		"1, 2,3":   `1, 2,\:3`,
		"it's ≥":   `it\(aqs \[u2265]`,
	} {
		if got := roff(text); got != want {
			t.Errorf("%s: %s, not %s", text, got, want)
		}
	}
	p := &manPage{}
	p.text("'quoted")
	p.text(".request")
	if got := p.String(); strings.Contains(got, "\n'") || strings.Contains(got, "\n.request") {
		t.Error(got)
	}
}
