package campaign

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// all is a row for every line of the summary, in order.
var all = []Row{
	{"fuzz io/x FuzzX", "make fuzz", 100, 0, "inputs"},
	{"fuzz io/y FuzzY", "make fuzz", 23, 0, "inputs"},
	{"faults kills", "make faults", 7, 0, "3 of a, 4 of b"},
	{"faults disk", "make faults", 5, 0, ""},
	{"numbers hta", "make numbers", 1, 0, "runs"},
	{"mutations rules hta", "make mutations", 8, 0, "schedules"},
	{"mutations hta", "make mutations", 2, 0, "corruptions"},
	{"race", "make race", 3, 0, "tests"},
	{"leaks", "make leaks", 4, 0, "solves"},
	{"determinism", "make determinism", 6, 0, "runs"},
}

// TestEvidence: what Record leaves is read in the order of the summary, and its table can be read back. A table has the
// lines of the summary and no others.
func TestEvidence(t *testing.T) {
	was := directory
	directory = t.TempDir()
	defer func() { directory = was }()
	for _, r := range slices.Backward(all) {
		Record(t, r)
	}
	rows, err := ReadRows(directory)
	if diff := cmp.Diff(all, rows); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	noError(t, os.WriteFile(filepath.Join(directory, "half.json"), []byte(`{"name":`), 0o600))
	if _, err := ReadRows(directory); err == nil {
		t.Error("half a row is no error")
	}
	table, err := Table(all)
	noError(t, err)
	for _, line := range []string{"| 123 | 0 panics", "| 7 | 0 results lost or half", "| 5 | 0 results lost, half",
		"| faults kills | 7 | 0 | 3 of a, 4 of b |"} {
		if !strings.Contains(table, line) {
			t.Errorf("no %q in\n%s", line, table)
		}
	}
	rows, err = ParseTable(table)
	if diff := cmp.Diff(all, rows); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	for i, gone := range [][]Row{all[2:], slices.Concat(all[:2], all[3:]), all[:9],
		append(slices.Clone(all), Row{Name: "x", Command: "make x"})} {
		if _, err := Table(gone); err == nil {
			t.Errorf("%d: a table without all campaigns, or with more", i)
		}
	}
	for _, text := range []string{"", rowsHead + "| a | 1 |\n", rowsHead + "| a | x | 0 | b |\n",
		strings.Replace(table, "| 7 | 0 | 3", "| 7 | 3", 1)} {
		if _, err := ParseTable(text); err == nil {
			t.Errorf("read %q", text)
		}
	}
}

func TestGapsAreTold(t *testing.T) {
	rules := "schedules: 100 changed to break one rule (100 K601 a row missing; 49 K602 a row twice), 3 of them no other"
	list := few([]Row{{"mutations rules hta", "make mutations", 149, 0, rules}, {"faults kills", "make faults", 399, 0, ""}})
	if len(list) != 2 || !strings.Contains(list[0], "K602") || !strings.Contains(list[1], "399") {
		t.Errorf("%q", list)
	}
	list = gaps(all, targets(t))
	for _, name := range []string{"numbers cluster", "mutations rules msjo", "fuzz io/trace/spark FuzzImport",
		"leaks sanitizer", "mutations rules hta: nothing breaks K601 a row missing"} {
		if !slices.ContainsFunc(list, func(gap string) bool { return strings.Contains(gap, name) }) {
			t.Errorf("nothing about %s: %q", name, list)
		}
	}
}

// outcomes counts the tests of a run of go test -json, with subtests.
type outcomes struct {
	sync.Mutex // for those that count

	passed, failed, skipped int
	why                     []string // what failed, with the end of its output, and what was skipped
}

// said is how many bytes of a failed test's output are kept.
const said = 4000

// count reads what go test -json prints.
func (o *outcomes) count(text []byte) error {
	output := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var event struct{ Action, Package, Test, Output string }
		if err := d.Decode(&event); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if event.Test == "" && event.Action != "fail" && event.Action != "output" {
			continue
		}
		switch event.Action {
		case "output":
			output[event.Test] += event.Output
		case "pass":
			delete(output, event.Test)
			o.passed++
		case "fail":
			o.failed++
			text := output[event.Test]
			o.why = append(o.why, "failed: "+event.Package+" "+event.Test+"\n"+text[max(0, len(text)-said):])
		case "skip":
			delete(output, event.Test)
			o.skipped++
			o.why = append(o.why, "skipped: "+event.Package+" "+event.Test)
		}
	}
}

// races counts the reports of the race detector in a directory and returns their text.
func races(dir string) (n int, text string, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, "race.*"))
	for _, path := range paths {
		report, err := os.ReadFile(path)
		if err != nil {
			return n, text, err
		}
		n += bytes.Count(report, []byte("WARNING: DATA RACE"))
		text += string(report)
	}
	return n, text, err
}

func TestRaceCounts(t *testing.T) {
	o := &outcomes{}
	lines := `{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"--- PASS: TestA\n"}
{"Action":"pass","Package":"p","Test":"TestA/one"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"skip","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Test":"TestC","Output":"one is two\n"}
{"Action":"fail","Package":"p","Test":"TestC"}
{"Action":"fail","Package":"p"}
`
	if err := o.count([]byte(lines)); err != nil || o.passed != 2 || o.skipped != 1 || o.failed != 2 || len(o.why) != 3 ||
		o.why[1] != "failed: p TestC\none is two\n" {
		t.Errorf("%+v, %v", o, err)
	}
	if o.count([]byte("{")) == nil {
		t.Error("half a line is no error")
	}
	dir := t.TempDir()
	report := "==================\nWARNING: DATA RACE\nRead at 0x1\n==================\nWARNING: DATA RACE\nWrite at 0x1\n"
	noError(t, os.WriteFile(filepath.Join(dir, "race.17"), []byte(report), 0o600))
	if n, text, err := races(dir); n != 2 || !strings.Contains(text, "Write at") || err != nil {
		t.Errorf("%d races, %q, %v", n, text, err)
	}
}
