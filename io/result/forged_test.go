package result

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mrsched/model"
)

// TestNotCanonical: texts that programs read as the result but people read differently are malformed, whatever their
// digests.
func TestNotCanonical(t *testing.T) {
	for _, x := range []struct{ name, file, old, new string }{
		{"digits that reading drops", ScheduleFile, "1.5,3\n", "1.5,3.0000001\n"},
		{"another way to write a number", ScheduleFile, "1.5,3\n", "1.5,3e0\n"},
		{"a key twice", ResultFile, `"ratio": 1,`, `"ratio": 0.5, "ratio": 1,`},
		{"a key in other letters", ResultFile, `"ratio": 1,`, `"ratio": 0.5, "Ratio": 1,`},
	} {
		t.Run(x.name, func(t *testing.T) {
			_, _, b := bundle(t)
			dir := filepath.Join(t.TempDir(), "r")
			if err := b.WriteDir(dir, false); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, x.file)
			text, err := os.ReadFile(path)
			if err != nil || !bytes.Contains(text, []byte(x.old)) {
				t.Fatalf("%v: no %q in %s", err, x.old, text)
			}
			if err := os.WriteFile(path, bytes.Replace(text, []byte(x.old), []byte(x.new), 1), 0o600); err != nil {
				t.Fatal(err)
			}
			_, found, err := Read(dir)
			if err != nil || len(found) == 0 || found[0].Code != model.CodeResultMalformed || !strings.Contains(found[0].What,
				"as mrsched writes it") {
				t.Error(err, found)
			}
		})
	}
}

// TestForeignFormat: a result with another format is rejected, whatever its digests.
func TestForeignFormat(t *testing.T) {
	_, _, b := bundle(t)
	if err := b.Seal(); err != nil {
		t.Fatal(err)
	}
	b.Result.Format = "mrsched-result/2"
	var err error
	if b.Result.Digest, err = Digest(b.Result); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"r", "r.json"} {
		path = filepath.Join(t.TempDir(), path)
		if filepath.Ext(path) == "" {
			err = b.WriteDir(path, false)
		} else {
			var line bytes.Buffer
			err = errors.Join(b.WriteLine(&line), os.WriteFile(path, line.Bytes(), 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, found, err := Read(path); err != nil || len(found) != 1 || found[0].Code != model.CodeResultMalformed {
			t.Error(err, found)
		}
	}
}

// TestUnbackedMetrics: unproven metrics are violations, although the digests agree.
func TestUnbackedMetrics(t *testing.T) {
	bound := func(value string) []any {
		return []any{map[string]any{"method": "m", "value": json.Number(value)}}
	}
	for _, x := range []struct {
		name, key string
		value     any
		ok        bool
	}{
		{"a weaker bound", MetricBounds, bound("2.5"), true},
		{"the bound", MetricBounds, bound("3"), true},
		{"a bound above the proven one", MetricBounds, bound("3.000001"), false},
		{"a bound that is no number", MetricBounds, []any{map[string]any{"method": "m", "value": "3"}}, false},
		{"no list", MetricBounds, "all", false},
		{"a negative bound", MetricBounds, bound("-1"), false},
		{"a bound written in another way", MetricBounds, bound("2.50"), false},
		{"a method twice", MetricBounds, append(bound("1"), bound("2")...), false},
		{"a number as text", "twjct", "3", false},
		{"a made-up metric", "quality", json.Number("1"), false},
	} {
		t.Run(x.name, func(t *testing.T) {
			w, view, b := bundle(t)
			b.Result.Metrics[x.key] = x.value
			found := b.Verify(w, b.Result.Instance.SHA256, view, Promise{})
			if ok := len(found) == 0; ok != x.ok || !ok && found[0].Code != model.CodeMetrics {
				t.Error(found)
			}
		})
	}
}

// TestReadPacked reads what -o FILE.json.gz wrote, and reports the error of one that is cut in half.
func TestReadPacked(t *testing.T) {
	_, _, b := bundle(t)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if err := b.WriteLine(z); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "r.json.gz")
	for _, x := range []struct{ size, violations int }{{packed.Len(), 0}, {packed.Len() / 2, 1}} {
		if err := os.WriteFile(path, packed.Bytes()[:x.size], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, found, err := Read(path); err != nil || len(found) != x.violations {
			t.Error(err, found)
		}
	}
}

// TestForgedStatus: a complete schedule is not infeasible, and not optimal without a proof, whatever the digests say.
func TestForgedStatus(t *testing.T) {
	for _, status := range []model.Status{"infeasible", model.StatusBound, model.StatusSkipped, "splendid"} {
		w, view, b := bundle(t)
		b.Result.Status = status
		found := b.Verify(w, b.Result.Instance.SHA256, view, Promise{})
		if len(found) != 1 || found[0].Code != model.CodeStatus {
			t.Errorf("%s: %v", status, found)
		}
	}
}

// TestForgedStatusOfABound: without a schedule there is only a bound, which a limit may have cut short. It does not
// prove that there is no schedule.
func TestForgedStatusOfABound(t *testing.T) {
	for status, ok := range map[model.Status]bool{model.StatusBound: true, model.StatusLimit: true,
		"infeasible": false, model.StatusOptimal: false, model.StatusFeasible: false,
		model.StatusSkipped: false, "splendid": false,
		"": false} {
		w, view, b := bundle(t)
		b.Rows, b.tables, b.Result.Objective, b.Result.Ratio, b.Result.Metrics, b.Result.Status = nil, nil, nil, "",
			nil, status
		found := b.Verify(w, b.Result.Instance.SHA256, view, Promise{})
		if len(found) == 0 != ok || !ok && found[0].Code != model.CodeStatus {
			t.Errorf("%q: %v", status, found)
		}
	}
}

// TestRowsOutOfOrder: the rows of a schedule must be in the workload's order.
func TestRowsOutOfOrder(t *testing.T) {
	_, view, b := bundle(t)
	var rows []Row
	for some := range b.Rows.all() {
		rows = append(rows, some...)
	}
	if _, found := Schedule(view, rowsOf(rows)); len(found) > 0 {
		t.Fatal(found)
	}
	slices.Reverse(rows)
	if _, found := Schedule(view, rowsOf(rows)); len(found) == 0 || found[0].Code != model.CodeRowContradicts {
		t.Errorf("%d rows from the last to the first: %v", len(rows), found)
	}
}

// TestManyViolations: of each code 20 violations of rows and rules are listed, however many others there are.
func TestManyViolations(t *testing.T) {
	w, view, b := bundle(t)
	var rows []Row
	for some := range b.Rows.all() {
		rows = append(rows, some...)
	}
	unknown := rows[0]
	unknown.Task = "nobody's"
	rows = append(slices.Repeat([]Row{unknown}, 30), rows...)
	rows[len(rows)-1].Machine = "nowhere"
	found := map[model.Code]int{}
	_, all := Schedule(view, rowsOf(rows))
	for _, v := range all {
		found[v.Code]++
	}
	want := map[model.Code]int{model.CodeTaskUnknown: 20, model.CodeMachineUnknown: 1}
	if !maps.Equal(found, want) {
		t.Errorf("%v, want %v", found, want)
	}
	b.Rows = rowsOf(rows)
	clear(found)
	for _, v := range b.Verify(w, b.Result.Instance.SHA256, complaining{view}, Promise{}) {
		found[v.Code]++
	}
	if found[model.CodeTaskUnknown] != 20 || found[model.CodeOverlap] != 1 {
		t.Errorf("rows and rules together: %v, want 20 of the first code and one of the second", found)
	}
}

// complaining is a view whose rules report a code that rows report, too, and one more.
type complaining struct{ model.View }

func (complaining) Check(*model.Schedule) []model.Violation {
	return append(slices.Repeat([]model.Violation{{Code: model.CodeTaskUnknown}}, 20),
		model.Violation{Code: model.CodeOverlap})
}

// TestInstanceName: a result names its workload, except in older versions; another name is another instance.
func TestInstanceName(t *testing.T) {
	for name, ok := range map[string]bool{"etl": true, "": true, "other": false} {
		w, view, b := bundle(t)
		w.Name, b.Result.Instance.Name = "etl", name
		found := b.Verify(w, b.Result.Instance.SHA256, view, Promise{})
		if len(found) == 0 != ok || !ok && (found[0].Code != model.CodeOtherInstance || !strings.Contains(found[0].What,
			`"other"`)) {
			t.Errorf("%q: %v", name, found)
		}
	}
}
