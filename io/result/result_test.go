package result

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"mrsched/model"
	"mrsched/model/msjo"
)

// bundle is the result of a hand-made schedule: two tasks in a row on one machine, with a bound that a
// certificate without prices proves: every job alone.
func bundle(t testing.TB) (*model.Workload, model.View, *Bundle) {
	t.Helper()
	b := model.NewBuilder()
	b.Scalars("two", "msjo", model.Some(int64(1)), nil)
	b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, model.Locus{})
	for kind, id := range []string{"m", `r,"1"`} {
		b.Task(model.Task{ID: id, Kind: model.TaskKind(kind), Processing: model.Some(3 * model.Second / 2)}, "j", "",
			model.Locus{})
	}
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	in, err := msjo.New(w, 0)
	if err != nil {
		t.Fatal(err)
	}
	c := &msjo.Certificate{Claim: model.Claim{Method: "cls-lp", Kind: msjo.KindMidpointPrices}, Denominator: 1}
	if err := in.Sign(c); err != nil {
		t.Fatal(err)
	}
	end := 3 * model.Second / 2
	s := &model.Schedule{Entries: []model.Entry{{Task: 0, End: end}, {Task: 1, Start: end, End: 2 * end}}}
	r := &model.Result{Problem: "msjo", Algorithm: "hand", Status: model.StatusFeasible, Seed: 1,
		Parameters: map[string]any{},
		Instance:   model.InstanceSummary{SHA256: strings.Repeat("0", 64), Jobs: 1, Tasks: 2, Machines: 1}}
	proof, err := in.Certify(mustJSON(t, c))
	if err != nil {
		t.Fatal(err)
	}
	if err := Derive(r, in, s, &proof, Promise{}, false); err != nil {
		t.Fatal(err)
	}
	return w, in, sealed(t, New(r, in, s, c))
}

func mustJSON(t testing.TB, c *msjo.Certificate) []byte {
	t.Helper()
	return sealed(t, New(&model.Result{}, nil, nil, c)).Certificate
}

// TestRoundTrip writes a result in both forms and reads it back.
func TestRoundTrip(t *testing.T) {
	w, view, b := bundle(t)
	if b.Result.Status != model.StatusOptimal || b.Result.Ratio != "1" || b.Result.Objective.Value != "3" {
		t.Errorf("derived %+v", b.Result)
	}
	dir := filepath.Join(t.TempDir(), "r")
	if err := b.WriteDir(dir, false); err != nil {
		t.Fatal(err)
	}
	var line bytes.Buffer
	if err := b.WriteLine(&line); err != nil {
		t.Fatal(err)
	}
	single := filepath.Join(t.TempDir(), "r.json")
	if err := os.WriteFile(single, line.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, single} {
		again, found, err := Read(path)
		if err != nil || len(found) > 0 {
			t.Fatal(path, err, found)
		}
		if !reflect.DeepEqual(allRows(again), allRows(b)) || string(again.Certificate) != string(b.Certificate) ||
			again.Result.Digest != b.Result.Digest {
			t.Errorf("%s: read %+v, wrote %+v", path, again, b)
		}
		if found := again.Verify(w, b.Result.Instance.SHA256, view, Promise{}); len(found) > 0 {
			t.Errorf("%s: %v", path, found)
		}
	}
}

// TestReplaceable demands that only results are replaced.
func TestReplaceable(t *testing.T) {
	_, _, b := bundle(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "r")
	for range 2 {
		if err := b.WriteDir(path, true); err != nil {
			t.Fatal(err)
		}
	}
	precious := filepath.Join(path, "notes.txt")
	if err := os.WriteFile(precious, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := b.WriteDir(path, true); err == nil || !strings.Contains(err.Error(), `"notes.txt"`) {
		t.Error(err)
	}
	if err := Replaceable(precious); err == nil {
		t.Error("a file counts as a result directory")
	}
	if err := Replaceable(filepath.Join(dir, "new")); err != nil {
		t.Error(err)
	}
}

// FuzzRead feeds any bytes to the reader of documents and to that of schedule.csv. Nothing may panic, here or
// in what verifies the result.
func FuzzRead(f *testing.F) {
	w, view, b := bundle(f)
	var line, table bytes.Buffer
	if err := b.WriteLine(&line); err != nil {
		f.Fatal(err)
	}
	if err := writeRows(&table, b.Rows); err != nil {
		f.Fatal(err)
	}
	f.Add(line.Bytes())
	f.Add(bytes.Clone(table.Bytes()))
	_, own := implied(f, columnsView{})
	f.Add(oneLine(f, own))
	table.Reset()
	if err := writeRows(&table, own.Rows); err != nil {
		f.Fatal(err)
	}
	f.Add(bytes.Clone(table.Bytes()))
	f.Add([]byte(`{"format":null,"objective":null,"schedule":[{}],"certificate":null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if b, _, err := readSingle("f", text); err != nil {
			t.Error(err)
		} else if b != nil {
			b.Verify(w, "", view, Promise{Guarantee: &model.Guarantee{Factor: "3", Additive: "0"}})
		}
		if rows, digest, err := rowsIn(text); err == nil {
			s, _ := Schedule(view, rows)
			view.Check(s)
			view.Evaluate(s)
			Schedule(columnsView{}, rows)
			if again := new(bytes.Buffer); writeRows(again, rows) == nil {
				if back, same, err := rowsIn(again.Bytes()); err != nil || same != digest ||
					len(allRows(&Bundle{Rows: back})) != len(allRows(&Bundle{Rows: rows})) {
					t.Errorf("written and read again: %v", err)
				}
			}
		}
	})
}
