package deploy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mrsched/instances"
	"mrsched/io/cli"
	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/model"
)

// python runs a script that finds the module mrsched.
func python(t *testing.T, script string, args ...string) (string, error) {
	t.Helper()
	needs(t, "python3")
	c := exec.Command("python3", append([]string{"-c", script}, args...)...)
	c.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1",
		"PYTHONPATH="+absolute(t, "python")+string(filepath.ListSeparator)+os.Getenv("PYTHONPATH"))
	out, err := c.CombinedOutput()
	return string(out), err
}

// mrsched runs a command in this process, which must succeed.
func mrsched(t *testing.T, args ...string) {
	t.Helper()
	var errs bytes.Buffer
	if code := cli.Main(append([]string{"mrsched"}, args...), nil, &errs, &errs); code != 0 {
		t.Fatalf("%v: exit %d\n%s", args, code, errs.String())
	}
}

// solved is a result of an example: a directory, or a file if the ending is that of a file.
func solved(t *testing.T, example, ending string) string {
	t.Helper()
	dir := t.TempDir()
	instance, out := filepath.Join(dir, "instance.json"), filepath.Join(dir, "result"+ending)
	for _, p := range instances.Examples() {
		if p.Name == example {
			write(t, instance, string(p.Document), 0o600)
		}
	}
	mrsched(t, "solve", instance, "--iterations", "20", "-q", "-o", out)
	return out
}

// readers is a script that prints a result as the Python module reads it: objective, bounds and rows, with exact
// numbers.
const readers = `
import decimal, mrsched, sys
r = mrsched.read(sys.argv[1], number=decimal.Decimal)
print(r.objective, r.lower_bound, r.bounds[r.document["lower_bound"]["method"]], sorted(r.metrics))
for row in r.schedule:
    print(" ".join("%s=%s" % (name, "" if cell is None else cell) for name, cell in row.items()))
`

// TestPythonReads: the module reads what Go reads, of directories and files and of every problem's example.
func TestPythonReads(t *testing.T) {
	for _, example := range []string{"fig1", "deadlines", "tree", "fig7", "sorts"} {
		for _, ending := range []string{"", ".json", ".json.gz"} {
			path := solved(t, example, ending)
			got, err := python(t, readers, path)
			if err != nil {
				t.Fatalf("%s%s: %v\n%s", example, ending, err, got)
			}
			if want := listed(t, path); got != want {
				t.Errorf("%s%s:\n%s\nwant\n%s", example, ending, got, want)
			}
		}
	}
}

// listed is the output of the script readers.
func listed(t *testing.T, path string) string {
	t.Helper()
	b, found, err := result.Read(path)
	if err != nil || len(found) > 0 {
		t.Fatal(err, found)
	}
	var names []string
	for name := range b.Result.Metrics {
		if name != "bounds" && name != "run" {
			names = append(names, "'"+name+"'")
		}
	}
	slices.Sort(names)
	bound := b.Result.LowerBound.Value
	var text strings.Builder
	fmt.Fprintf(&text, "%s %s %s [%s]\n", b.Result.Objective.Value, bound, bound, strings.Join(names, ", "))
	for r := range b.Rows.Each() {
		fmt.Fprintf(&text, "task=%s job=%s kind=%s machine=%s start=%s end=%s", r.Task, r.Job, r.Kind, r.Machine,
			r.Start, r.End)
		for _, c := range r.Columns {
			fmt.Fprintf(&text, " %s=%s", c.Name, c.Text)
		}
		text.WriteByte('\n')
	}
	return text.String()
}

// TestPythonNumbers: the module knows the number columns of schedules.
func TestPythonNumbers(t *testing.T) {
	var want []string
	for _, p := range engine.Problems() {
		for _, c := range p.Results.Columns {
			if c.Role.Numeric() || p.Results.Unit(c.Name) != model.UnitNone {
				want = append(want, c.Name)
			}
		}
	}
	want = append(want, "start", "end")
	slices.Sort(want)
	out, err := python(t, "import json, mrsched; print(json.dumps(sorted(mrsched.NUMBERS)))")
	var got []string
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err, out)
	}
	if err != nil || !slices.Equal(got, slices.Compact(want)) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestPythonErrors: a file that is no result, or a changed one, gives an error message.
func TestPythonErrors(t *testing.T) {
	changed := solved(t, "fig1", "")
	schedule := filepath.Join(changed, "schedule.csv")
	text := strings.Join(lines(t, schedule), "\n") + "\n"
	write(t, schedule, strings.Replace(text, ",150", ",151", 1), 0o600)
	other := filepath.Join(t.TempDir(), "w.json")
	write(t, other, `{"format":"mrsched-workload/1"}`, 0o600)
	for path, want := range map[string]string{
		changed:     "ValueError: " + changed + ": schedule.csv is not the one that result.json states",
		other:       "ValueError: " + other + ": expected a result of mrsched, format mrsched-result/1",
		t.TempDir(): "FileNotFoundError: ",
		filepath.Dir(changed): "ValueError: " + filepath.Dir(changed) + ": expected one result; read one of its folders: " +
			filepath.Base(changed),
	} {
		out, err := python(t, readers, path)
		if err == nil || !strings.Contains(out, want) {
			t.Errorf("%v, want %q\n%s", err, want, out)
		}
	}
}

// TestPythonCells: apostrophes before spreadsheet formulas do not belong to the text.
func TestPythonCells(t *testing.T) {
	dir := t.TempDir()
	instance, out := filepath.Join(dir, "w.json"), filepath.Join(dir, "r")
	write(t, instance, `{"format":"mrsched-workload/1","problem":"msjo","machines":1,"jobs":[{"id":"=a"}],"tasks":[`+
		`{"id":"'=b","job":"=a","kind":"map","processing_time":1.5},{"id":"'c","job":"=a","kind":"map","processing_time":1},`+
		`{"id":"d,\"\né","job":"=a","kind":"map","processing_time":1}]}`, 0o600)
	mrsched(t, "solve", instance, "-q", "-o", out)
	got, err := python(t, "import mrsched, sys; r = mrsched.read(sys.argv[1])\n"+
		"print(ascii([(x['job'], x['task']) for x in r.schedule]))", out)
	if want := `[('=a', "'=b"), ('=a', "'c"), ('=a', 'd,"\n\xe9')]` + "\n"; err != nil || got != want {
		t.Errorf("%v %s, want %s", err, got, want)
	}
}

// TestPythonFrame: only frame needs pandas.
func TestPythonFrame(t *testing.T) {
	path := solved(t, "deadlines", "")
	out, err := python(t, "import sys; sys.modules['pandas'] = None\nimport mrsched\nr = mrsched.read(sys.argv[1])\n"+
		"print(len(r.schedule))\nr.frame()", path)
	if err == nil || !strings.HasPrefix(out, "20\n") || !strings.Contains(out, "pandas") {
		t.Errorf("without pandas: %v\n%s", err, out)
	}
	if _, err := python(t, "import pandas"); err != nil {
		t.Skip("this python3 has no pandas")
	}
	out, err = python(t, "import mrsched, sys; f = mrsched.read(sys.argv[1]).frame()\n"+
		"print(f.shape, *[str(x) for x in f.dtypes], f.end.max())", path)
	if want := "(20, 8) object object object object float64 float64 float64 float64 24.0\n"; err != nil || out != want {
		t.Errorf("%v %s, want %s", err, out, want)
	}
}

// TestPythonExample runs the lines of docs/operations.md.
func TestPythonExample(t *testing.T) {
	text, err := os.ReadFile("../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)```python\n(.*?)```\n\n```text\n(.*?)```").FindStringSubmatch(string(text))
	if m == nil {
		t.Fatal("docs/operations.md has no example with its output")
	}
	dir := t.TempDir()
	mrsched(t, "solve", "../instances/etl", "-p", "cluster", "-a", "fifo,best,exact", "-q", "-o",
		filepath.Join(dir, "results/etl"))
	out, err := python(t, "import os, sys; os.chdir(sys.argv[1])\n"+m[1], dir)
	if err != nil || out != m[2] {
		t.Errorf("%v\n%s\nwant\n%s", err, out, m[2])
	}
}
