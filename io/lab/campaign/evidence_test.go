package campaign

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
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

func TestEvidenceTable(t *testing.T) {
	table, err := Table(all)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"| 123 | 0 panics", "| 7 | 0 results lost or half", "| 5 | 0 results lost, half",
		"| faults kills | 7 | 0 | 3 of a, 4 of b |"} {
		if !strings.Contains(table, line) {
			t.Errorf("no %q in\n%s", line, table)
		}
	}
	rows, err := ParseTable(table)
	if diff := cmp.Diff(all, rows); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if _, err := Table(all[1:]); err != nil {
		t.Error(err)
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

func TestEvidenceIsWhatWasRecorded(t *testing.T) {
	dir := t.TempDir()
	was := directory
	directory = dir
	defer func() { directory = was }()
	for _, r := range slices.Backward(all) {
		Record(t, r)
	}
	rows, err := ReadRows(dir)

	if diff := cmp.Diff(all, rows); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if err := os.WriteFile(filepath.Join(dir, "half.json"), []byte(`{"name":`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadRows(dir); err == nil {
		t.Error("half a row is no error")
	}
}
