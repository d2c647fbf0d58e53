package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"mrsched/io/engine"
)

// refused runs a command line with a usage error and returns its message, without the program's name and the last line.
func refused(t *testing.T, args ...string) string {
	t.Helper()
	_, messages := runBoth(t, engine.ExitUsage, args...)
	text, _, _ := strings.Cut(messages, "\nsee mrsched ")
	return strings.TrimPrefix(text, "mrsched: ")
}

// TestRepeatedListsAddUp: flags that take a list add up; with -a mars -a best, an earlier version ran only best.
func TestRepeatedListsAddUp(t *testing.T) {
	for _, lines := range [][]string{
		{"solve fig1.json -a mars,best --json -q", "solve fig1.json -a mars -a best --json -q",
			"solve fig1.json -a mars --algorithm=best --json -q", "solve fig1.json -a=mars -a best,mars --json -q --algorithm best",
			"solve fig1.json -a @ -a mars,best --json -q"},
		{"compare fig1.json -a mars,best --json -q", "compare fig1.json -a mars --json -q -a best"},
		{"solve fig1.json -a all --json -q", "solve fig1.json -a all -a all --json -q"},
		{"solve dag.json -a mars,stf --json -q", "solve dag.json -a mars -a stf --json -q"},
		{"solve fig7.json -a shufflewatcher --without samp,nass --json -q",
			"solve fig7.json -a shufflewatcher --without samp --without nass --json -q"},
		{"solve fig1.json --seed 3 --json -q", "solve fig1.json --seed 3 -q --seed=3 --json --quiet"},
	} {
		want := ""
		for _, line := range lines {
			args := strings.Fields(line)
			for i := range args {
				if strings.HasSuffix(args[i], ".json") {
					args[i] = root + "/instances/examples/" + args[i]
				}
				args[i] = strings.NewReplacer("@", "").Replace(args[i])
			}
			got := run(t, engine.ExitDone, args...)
			if want == "" {
				want = got
			}
			if got != want || want == "" {
				t.Errorf("%s:\n%s\nwant\n%s", line, got, want)
			}
		}
	}
	instance := root + "/instances/examples/fig1.json"
	t.Setenv("MRSCHED_ALGORITHM", "mars,best")                 // variables and the file of --config hold a list
	for more, n := range map[string]int{"": 2, "-a=mars": 1} { // the command line adds nothing to the environment
		args := append([]string{"solve", instance, "--json", "-q"}, strings.Fields(more)...)
		if got := run(t, engine.ExitDone, args...); strings.Count(got, "\n") != n {
			t.Errorf("of the environment, with %q:\n%s", more, got)
		}
	}
	got := refused(t, "solve", instance, "-a", "all", "-a", "mars")
	if got != "-a all,mars: all names every algorithm: give it alone" {
		t.Error(got)
	}
}

// TestFlagGivenTwice: a flag with one value may not be given two; an earlier version took the last one. Repeating the
// same value, under any name, is allowed.
func TestFlagGivenTwice(t *testing.T) {
	for args, want := range map[string]string{
		"solve w.json --seed 1 --seed=2":          `--seed is given twice, with "1" and with "2": give it once`,
		"solve w.json -o a --output b":            `--output is given twice, with "a" and with "b": give it once`,
		"formulate -p msjo w.json -p hta":         `--problem is given twice, with "msjo" and with "hta": give it once`,
		"check --json --json=false w.json r":      `--json is given twice, with "true" and with "false": give it once`,
		"generate msjo --machines 3 --machines 4": `--machines is given twice, with "3" and with "4": give it once`,
		"import --force rumen x --force=no":       `--force is given twice, with "true" and with "no": give it once`,
	} {
		if got := refused(t, strings.Fields(args)...); got != want {
			t.Errorf("%s: %s\nwant %s", args, got, want)
		}
	}
}

// TestOutputOfAnotherFormat: with -o out.csv an earlier version made a directory of that name, or a file of another
// format.
func TestOutputOfAnotherFormat(t *testing.T) {
	examples, err := filepath.Abs(root + "/instances/examples")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	instance, spec := filepath.Join(examples, "fig1.json"), "spec.json"
	writeText(t, spec, `{"format":"mrsched-sweep/1","instances":[
		{"generate":"msjo","parameters":{"jobs":4,"machines":5},"seeds":[1]}],"algorithms":["mars"]}`)
	run(t, engine.ExitDone, "solve", instance, "-o", "r", "-q")
	matrix := filepath.Join(examples, "../../testdata/rcmax/two.txt")
	for _, c := range []struct {
		args  []string
		other string // which it does not write
		takes []string
	}{
		{[]string{"solve", instance}, "out.csv", []string{"x.json", "y.json.gz", "x", "x.1", "meant.csv/"}},
		{[]string{"solve", instance, filepath.Join(examples, "dag.json")}, "out.csv.gz", []string{"several"}},
		{[]string{"compare", instance, "-a", "mars"}, "dir/out.svg", []string{"c"}},
		{[]string{"generate", "msjo", "--preset", "fig1"}, "out.txt", []string{"g.json", "g.json.gz", "g"}},
		{[]string{"import", "rcmax", matrix}, "OUT.PDF", []string{"i.json"}},
		{[]string{"sweep", spec}, "out.json", []string{"sweep"}},
		{[]string{"experiment", "mars-fig5", "--jobs-max", "10", "--seeds", "1"}, "out.html", []string{"figures"}},
		{[]string{"validate", "hta", "--instances", "1"}, "out.csv", []string{"v.json", "v"}},
		{[]string{"report", "r"}, "out.json", []string{"p.html", "p.htm", "p"}},
	} {
		_, ending, _ := strings.Cut(strings.ToLower(c.other), ".")
		got := refused(t, append(c.args, "-q", "-o", c.other)...)
		if !strings.Contains(got, " writes no ."+ending+"; name ") {
			t.Errorf("%s -o %s: %s", c.args[0], c.other, got)
		}
		if engine.Exists(c.other) {
			t.Errorf("%s -o %s made it", c.args[0], c.other)
		}
		for _, out := range c.takes {
			run(t, engine.ExitDone, append(c.args, "-q", "-o", out)...)
		}
	}
	got := refused(t, "solve", instance, filepath.Join(examples, "dag.json"), "-o", "s.json")
	if got != "-o s.json holds one result; name a directory for 2 instances" {
		t.Error(got)
	}
	if !engine.Exists("meant.csv/result.json") { // with a slash it is a directory
		t.Error("no meant.csv/result.json")
	}
}
