package result

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/model/tier"
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
	try(t, err)
	in, err := shop.NewIdentical(w, 0)
	try(t, err)
	c := &shop.Certificate{Claim: model.Claim{Method: "cls-lp", Kind: shop.KindMidpointPrices},
		SetPrices: &shop.SetPrices{Denominator: 1}}
	try(t, in.Sign(c))
	end := 3 * model.Second / 2
	s := &model.Schedule{Entries: []model.Entry{{Task: 0, End: end}, {Task: 1, Start: end, End: 2 * end}}}
	r := &model.Result{Problem: "msjo", Algorithm: "hand", Status: model.StatusFeasible, Seed: 1,
		Parameters: map[string]any{},
		Instance:   model.InstanceSummary{SHA256: strings.Repeat("0", 64), Jobs: 1, Tasks: 2, Machines: 1}}
	proof, err := in.Certify(mustJSON(t, c))
	try(t, err)
	try(t, Derive(r, in, s, &proof, Promise{}, false))
	return w, in, sealed(t, New(r, in, s, c))
}

func mustJSON(t testing.TB, c *shop.Certificate) []byte {
	t.Helper()
	return sealed(t, New(&model.Result{}, nil, nil, c)).Certificate
}

// try fails a test that met an error.
func try(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// write makes a file in a folder of its own and returns its path.
func write(t testing.TB, name string, text []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	try(t, os.WriteFile(path, text, 0o600))
	return path
}

// directory writes a result as a directory, and then changes a text in its files, if there is one to change.
func directory(t testing.TB, b *Bundle, changes ...[3]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "r")
	try(t, b.WriteDir(dir, false))
	for _, c := range changes {
		path := filepath.Join(dir, c[0])
		text, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(text, []byte(c[1])) {
			t.Fatalf("%v: no %q in %s", err, c[1], text)
		}
		try(t, os.WriteFile(path, bytes.Replace(text, []byte(c[1]), []byte(c[2]), 1), 0o600))
	}
	return dir
}

func oneLine(t testing.TB, b *Bundle) []byte {
	t.Helper()
	var buf bytes.Buffer
	try(t, b.WriteLine(&buf))
	return buf.Bytes()
}

// readBack writes a result in both forms, reads and verifies it. It returns the directory.
func readBack(t *testing.T, w *model.Workload, view model.View, b *Bundle) (dir string) {
	t.Helper()
	dir = directory(t, b)
	for _, path := range []string{dir, write(t, "r.json", oneLine(t, b))} {
		again := good(t, path)
		if !reflect.DeepEqual(allRows(again), allRows(b)) || string(again.Certificate) != string(b.Certificate) ||
			again.Result.Digest != b.Result.Digest {
			t.Errorf("%s: read %+v, wrote %+v", path, again, b)
		}
		if found := again.Verify(w, b.Result.Instance.SHA256, view, Promise{}); len(found) > 0 {
			t.Errorf("%s: %v", path, found)
		}
	}
	return dir
}

// good reads a result without violations.
func good(t testing.TB, path string) *Bundle {
	t.Helper()
	b, found, err := Read(path)
	if err != nil || len(found) > 0 {
		t.Fatal(path, err, found)
	}
	return b
}

// codes are those of violations.
func codes(found []model.Violation) (list []model.Code) {
	for _, v := range found {
		list = append(list, v.Code)
	}
	return list
}

// holds requires texts of files.
func holds(t *testing.T, dir string, texts map[string]string) {
	t.Helper()
	for name, want := range texts {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != want {
			t.Errorf("%v, %s is %s", err, name, text)
		}
	}
}

func init() { tier.Rapid(40) }

// TestRoundTrip writes a result in both forms and reads it back.
func TestRoundTrip(t *testing.T) {
	w, view, b := bundle(t)
	if b.Result.Status != model.StatusOptimal || b.Result.Ratio != "1" || b.Result.Objective.Value != "3" {
		t.Errorf("derived %+v", b.Result)
	}
	readBack(t, w, view, b)
}

// TestReplaceable demands that only results are replaced.
func TestReplaceable(t *testing.T) {
	_, _, b := bundle(t)
	path := directory(t, b)
	try(t, b.WriteDir(path, true))
	precious := filepath.Join(path, "notes.txt")
	try(t, os.WriteFile(precious, nil, 0o600))
	if err := b.WriteDir(path, true); err == nil || !strings.Contains(err.Error(), `"notes.txt"`) {
		t.Error(err)
	}
	if err := Replaceable(precious); err == nil {
		t.Error("a file counts as a result directory")
	}
	if err := Replaceable(path + "/new"); err != nil {
		t.Error(err)
	}
}

// FuzzRead feeds any bytes to the reader of documents and to that of schedule.csv. Nothing may panic, here or
// in what verifies the result.
func FuzzRead(f *testing.F) {
	w, view, b := bundle(f)
	_, own := implied(f, columnsView{})
	for _, b := range []*Bundle{b, own} {
		var table bytes.Buffer
		try(f, writeRows(&table, b.Rows))
		f.Add(oneLine(f, b))
		f.Add(table.Bytes())
	}
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

// long is a new result whose rows do not all exist at once.
func long(view model.View, rows int) *Bundle {
	s := &model.Schedule{}
	for k := range rows {
		s.Entries = append(s.Entries, model.Entry{Task: model.TaskIndex(k), Machine: int32(k % 2), Start: model.Time(k),
			End: model.Time(k) + model.Second})
	}
	r := &model.Result{Problem: "p<&>", Algorithm: "hand", Status: model.StatusFeasible, Parameters: map[string]any{}}
	return New(r, view, s, map[string]any{"a<&>": []int{1, 2}})
}

// TestLineInPieces: the document written piece by piece equals that of encoding/json.
func TestLineInPieces(t *testing.T) {
	for _, rows := range []int{0, 1, chunk, 2*chunk + 1} {
		for _, view := range []model.View{slotView{}, columnsView{}, tablesView{rows: rows}} {
			b := long(view, rows)
			text := oneLine(t, b)
			var whole bytes.Buffer
			e := json.NewEncoder(&whole)
			e.SetEscapeHTML(false)
			try(t, e.Encode(single{b.Result, allRows(b), allTables(b), bytes.TrimSpace(b.Certificate)}))
			if !bytes.Equal(text, whole.Bytes()) {
				t.Errorf("%T, %d rows: written %.300s, encoding/json writes %.300s", view, rows, text, whole.Bytes())
			}
		}
	}
}

// TestSealed: a directory sealed while it is written has the digests of a result sealed before, and its rows are read
// back piece by piece.
func TestSealed(t *testing.T) {
	before, while := sealed(t, long(columnsView{}, 2*chunk+1)), long(columnsView{}, 2*chunk+1)
	if before.Result.SHA256.Schedule == "" || before.Result.SHA256.Certificate == "" || before.Result.Digest == "" {
		t.Errorf("not sealed: %+v", before.Result)
	}
	dir := directory(t, while)
	if !reflect.DeepEqual(while.Result, before.Result) {
		t.Errorf("%+v, then %+v", before.Result, while.Result)
	}
	if !reflect.DeepEqual(allRows(good(t, dir)), allRows(before)) {
		t.Error("other rows are read than were written")
	}
	path := filepath.Join(dir, ScheduleFile)
	text, err := os.ReadFile(path)
	try(t, err)
	try(t, os.WriteFile(path, append(text, "r0,j\n"...), 0o600))
	again, found, err := Read(dir)
	if err != nil || again.Rows != nil || len(found) != 2 || !strings.Contains(found[0].What, "row 8194: ") {
		t.Error("a broken last row: ", err, found)
	}
}
