package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mrsched/io/engine"
)

// refused runs a command line with a usage error and returns its message, without the program's name and the last line.
func refused(t *testing.T, args ...string) string {
	t.Helper()
	var messages bytes.Buffer
	if code := Main(append([]string{"mrsched"}, args...), nil, io.Discard, &messages); code != engine.ExitUsage {
		t.Errorf("%v: exit %d\n%s", args, code, messages.String())
		return ""
	}
	text, _, _ := strings.Cut(messages.String(), "\nsee mrsched ")
	return strings.TrimPrefix(text, "mrsched: ")
}

// TestRepeatedAlgorithmsAddUp: with -a mars -a best, an earlier version ran only best.
func TestRepeatedAlgorithmsAddUp(t *testing.T) {
	instance := root + "/instances/examples/fig1.json"
	want := run(t, engine.ExitDone, "solve", instance, "-a", "mars,best", "--json", "-q")
	if n := strings.Count(want, "\n"); n != 2 {
		t.Fatalf("%d results\n%s", n, want)
	}
	for _, args := range [][]string{
		{"-a", "mars", "-a", "best"},
		{"-a", "mars", "--algorithm=best"},
		{"-a=mars", "-a", "best,mars", "--algorithm", "best"},
		{"-a", "", "-a", "mars,best"},
	} {
		if got := run(t, engine.ExitDone, append([]string{"solve", instance, "--json", "-q"}, args...)...); got != want {
			t.Errorf("%v:\n%s", args, got)
		}
	}
	got := run(t, engine.ExitDone, "compare", instance, "-a", "mars", "--json", "-q", "-a", "best")
	if strings.Count(got, "\n") != 2 {
		t.Errorf("compare:\n%s", got)
	}
	t.Setenv("MRSCHED_ALGORITHM", "mars,best") // variables and the file of --config hold a list
	if got := run(t, engine.ExitDone, "solve", instance, "--json", "-q"); got != want {
		t.Errorf("of the environment:\n%s", got)
	}
	if got := run(t, engine.ExitDone, "solve", instance, "--json", "-q", "-a", "mars"); strings.Count(got, "\n") != 1 {
		t.Errorf("the command line adds to the environment:\n%s", got)
	}
	t.Setenv("MRSCHED_ALGORITHM", "")
	both := run(t, engine.ExitDone, "solve", instance, "-a", "all", "-a", "all", "--json", "-q")
	if all := run(t, engine.ExitDone, "solve", instance, "-a", "all", "--json", "-q"); both != all {
		t.Errorf("all twice:\n%s", both)
	}
	got = refused(t, "solve", instance, "-a", "all", "-a", "mars")
	if got != "-a all,mars: all names every algorithm: give it alone" {
		t.Error(got)
	}
}

// TestRepeatedListsAddUp covers the other flags that take a list.
func TestRepeatedListsAddUp(t *testing.T) {
	instance := root + "/instances/examples/dag.json"
	want := run(t, engine.ExitDone, "solve", instance, "-a", "mars", "--job", "etl,scan", "--json", "-q")
	got := run(t, engine.ExitDone, "solve", instance, "-a", "mars", "--job", "etl", "--job", "scan", "--json", "-q")
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	racks := root + "/instances/examples/fig7.json"
	want = run(t, engine.ExitDone, "solve", racks, "-a", "shufflewatcher", "--without", "samp,nass", "--json", "-q")
	got = run(t, engine.ExitDone, "solve", racks, "-a", "shufflewatcher", "--without", "samp", "--without", "nass",
		"--json", "-q")
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	jobs := filepath.Join(t.TempDir(), "jobs.json")
	run(t, engine.ExitDone, "generate", "realtime", "--jobs", "3", "-o", jobs)
	want = run(t, engine.ExitDone, "estimate", jobs, "--task", "j1.m1,j1.m2", "--worker", "w1,w2", "--json")
	got = run(t, engine.ExitDone, "estimate", jobs, "--task", "j1.m1", "--worker", "w1", "--task", "j1.m2", "--worker=w2",
		"--json")
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestFlagGivenTwice: a flag with one value may not be given two; an earlier version took the last one. Repeating the
// same value, under any name, is allowed.
func TestFlagGivenTwice(t *testing.T) {
	instance := root + "/instances/examples/fig1.json"
	for want, args := range map[string][]string{
		`--seed is given twice, with "1" and with "2": give it once`:   {"solve", instance, "--seed", "1", "--seed=2"},
		`--output is given twice, with "a" and with "b": give it once`: {"solve", instance, "-o", "a", "--output", "b"},
		`--problem is given twice, with "msjo" and with "hta": give it once`: {"formulate", "-p", "msjo", instance,
			"-p", "hta"},
		`--json is given twice, with "true" and with "false": give it once`: {"check", "--json", "--json=false",
			instance, "r"},
		`--machines is given twice, with "3" and with "4": give it once`: {"generate", "msjo", "--machines", "3",
			"--machines", "4"},
		`--force is given twice, with "true" and with "no": give it once`: {"import", "--force", "rumen", "x",
			"--force=no"},
		`--config is given twice, with "a" and with "b": give it once`: {"--config", "a", "solve", instance,
			"--config=b"},
	} {
		if got := refused(t, args...); got != want {
			t.Errorf("%v: %s\nwant %s", args, got, want)
		}
	}
	want := run(t, engine.ExitDone, "solve", instance, "--seed", "3", "--json", "-q")
	if got := run(t, engine.ExitDone, "solve", instance, "--seed", "3", "-q", "--seed=3", "--json",
		"--quiet"); got != want {
		t.Errorf("%s\nwant %s", got, want)
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
	if err := os.WriteFile(spec, []byte(`{"format":"mrsched-sweep/1","instances":[
		{"generate":"msjo","parameters":{"jobs":4,"machines":5},"seeds":[1]}],"algorithms":["mars"]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, engine.ExitDone, "solve", instance, "-o", "r", "-q")
	matrix := filepath.Join(examples, "../../testdata/rcmax/two.txt")
	const asDirectory, asWorkload = "a directory", "FILE.json, FILE.json.gz, a directory for CSV, or - for standard output"
	commands := []struct {
		args   []string
		writes string
		takes  []string
	}{
		{[]string{"solve", instance}, "a directory, FILE.json, FILE.json.gz, or - for standard output",
			[]string{"x.json", "y.json.gz", "x", "x.1"}},
		{[]string{"solve", instance, filepath.Join(examples, "dag.json")}, asDirectory, []string{"several"}},
		{[]string{"compare", instance, "-a", "mars"}, "a directory, or - for standard output", []string{"c"}},
		{[]string{"generate", "msjo", "--preset", "fig1"}, asWorkload, []string{"g.json", "g.json.gz", "g"}},
		{[]string{"import", "rcmax", matrix}, asWorkload, []string{"i.json"}},
		{[]string{"sweep", spec}, asDirectory, []string{"sweep"}},
		{[]string{"experiment", "mars-fig5", "--jobs-max", "10", "--seeds", "1"}, asDirectory, []string{"figures"}},
		{[]string{"validate", "hta", "--instances", "1"}, "FILE.json", []string{"v.json", "v"}},
		{[]string{"report", "r"}, "FILE.html, or - for standard output", []string{"p.html", "p.htm", "p"}},
	}
	for _, c := range commands {
		for _, out := range []string{"out.csv", "out.txt", "dir/out.svg", "out.csv.gz", "OUT.PDF", "out.html", "out.json"} {
			ending := strings.ToLower(out[strings.Index(out, "."):])
			switch {
			case ending == ".html" && c.args[0] == "report", ending == ".json" && strings.Contains(c.writes, "FILE.json"),
				ending == ".json" && len(c.args) == 3 && c.args[0] == "solve": // see below
				continue
			}
			got := refused(t, append(c.args, "-q", "-o", out)...)
			if !strings.HasPrefix(got, "-o "+out+": mrsched "+c.args[0]) ||
				!strings.HasSuffix(got, " writes no "+ending+"; name "+c.writes) {
				t.Errorf("%s -o %s: %s", c.args[0], out, got)
			}
			if _, err := os.Lstat(out); err == nil {
				t.Errorf("%s -o %s made it", c.args[0], out)
			}
		}
		for _, out := range c.takes {
			run(t, engine.ExitDone, append(c.args, "-q", "-o", out)...)
		}
	}
	got := refused(t, append(commands[1].args, "-o", "s.json")...)
	if got != "-o s.json holds one result; name a directory for 2 instances" {
		t.Error(got)
	}
	run(t, engine.ExitDone, "solve", instance, "-o", "meant.csv/", "-q") // with a slash it is a directory
	if !engine.Exists("meant.csv/result.json") {
		t.Error("no meant.csv/result.json")
	}
}
