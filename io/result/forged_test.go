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

	"pgregory.net/rapid"

	"mrsched/io/textpos"
	"mrsched/model"
)

// TestDamaged changes files of directories. Texts that programs read as the result but people read differently are
// malformed, too.
func TestDamaged(t *testing.T) {
	const malformed, digest, numbers = model.CodeResultMalformed, model.CodeFileDigest, "numbers.csv"
	for about, x := range map[string]struct {
		file, old, new string
		want           []model.Code
	}{
		"digits that reading drops":       {ScheduleFile, "s2,0,1\n", "s2,0,1.0000001\n", []model.Code{malformed}},
		"another way to write a number":   {ScheduleFile, "s2,0,1\n", "s2,0,1e0\n", []model.Code{malformed}},
		"a key twice":                     {ResultFile, `"seed": 0,`, `"seed": 5, "seed": 0,`, []model.Code{malformed}},
		"a key in other letters":          {ResultFile, `"seed": 0,`, `"seed": 0, "Seed": 0,`, []model.Code{malformed}},
		"a table changed":                 {numbers, "2,4", "2,5", []model.Code{digest}},
		"a table quoted":                  {numbers, "2,4", "2,\"4\"", []model.Code{malformed}},
		"a table quoted and changed":      {numbers, "2,4", "2,\"5\"", []model.Code{malformed, digest}},
		"a table cut":                     {numbers, "2,4", "2", []model.Code{malformed, digest}},
		"a table emptied":                 {numbers, "n,square\n0,0\n1,1\n2,4\n", "", []model.Code{malformed, digest}},
		"a table lost, and one not named": {numbers, "", "", []model.Code{digest, digest}},
		"a table renamed": {ResultFile, `"numbers.csv"`, `"../numbers.csv"`,
			[]model.Code{malformed, digest, digest, model.CodeDocumentDigest}},
	} {
		_, b := implied(t, tablesView{rows: 3})
		dir := directory(t, b, [3]string{x.file, x.old, x.new})
		if x.old == "" {
			try(t, os.Rename(filepath.Join(dir, numbers), filepath.Join(dir, "more.csv")))
		}
		if _, found, err := Read(dir); err != nil || !slices.Equal(codes(found), x.want) {
			t.Errorf("%s: %v, %v", about, err, found)
		}
	}
	for want, tables := range map[string][]table{
		"row 1 of table a":             {{"a", []string{"x", "y"}, [][]string{{"1"}}}},
		`two tables have the name "a"`: {{"a", []string{"x"}, nil}, {"b", nil, nil}, {"a", []string{"x"}, nil}},
	} {
		text, err := json.Marshal(single{Result: &model.Result{}, Tables: tables})
		try(t, err)
		if _, found, err := readSingle("r.json", text); err != nil ||
			!slices.Equal(codes(found), []model.Code{malformed}) || !strings.Contains(found[0].What, want) {
			t.Error(err, found)
		}
	}
}

// TestForeignFormat: a result with another format is rejected, whatever its digests.
func TestForeignFormat(t *testing.T) {
	_, _, b := bundle(t)
	sealed(t, b)
	b.Result.Format = "mrsched-result/2"
	var err error
	if b.Result.Digest, err = Digest(b.Result); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{directory(t, b), write(t, "r.json", oneLine(t, b))} {
		if _, found, err := Read(path); err != nil ||
			!slices.Equal(codes(found), []model.Code{model.CodeResultMalformed}) {
			t.Error(err, found)
		}
	}
}

// TestReadPacked reads what -o FILE.json.gz wrote, and reports the error of one that is cut in half.
func TestReadPacked(t *testing.T) {
	_, _, b := bundle(t)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	try(t, b.WriteLine(z))
	try(t, z.Close())
	good(t, write(t, "r.json.gz", packed.Bytes()))
	if _, found, err := Read(write(t, "r.json.gz", packed.Bytes()[:packed.Len()/2])); err != nil || len(found) != 1 {
		t.Error(err, found)
	}
}

// TestForged: what a result states about itself does not hold, whatever its digests say. A complete schedule is not
// infeasible. Without a schedule there is only a bound, which a limit may have cut short; it does not prove that there
// is no schedule.
func TestForged(t *testing.T) {
	bounds := func(values ...string) func(r *model.Result) {
		var list []any
		for _, v := range values {
			list = append(list, map[string]any{"method": "m", "value": json.Number(v)})
		}
		return func(r *model.Result) { r.Metrics[MetricBounds] = list }
	}
	metric := func(key string, value any) func(r *model.Result) {
		return func(r *model.Result) { r.Metrics[key] = value }
	}
	status := func(s model.Status) func(r *model.Result) {
		return func(r *model.Result) { r.Status = s }
	}
	named := func(name string) func(r *model.Result) {
		return func(r *model.Result) { r.Instance.Name = name }
	}
	machines := func(n int) func(r *model.Result) {
		return func(r *model.Result) { r.Instance.Machines = n }
	}
	text := []any{map[string]any{"method": "m", "value": "3"}}
	for _, x := range []struct {
		name   string
		bound  bool // without a schedule
		change func(r *model.Result)
		want   model.Code // "": nothing is wrong
	}{
		{"a weaker bound", false, bounds("2.5"), ""}, {"the bound", false, bounds("3"), ""},
		{"a bound above the proven one", false, bounds("3.000001"), model.CodeMetrics},
		{"a bound that is no number", false, metric(MetricBounds, text), model.CodeMetrics},
		{"no list", false, metric(MetricBounds, "all"), model.CodeMetrics},
		{"a negative bound", false, bounds("-1"), model.CodeMetrics},
		{"a bound written in another way", false, bounds("2.50"), model.CodeMetrics},
		{"a method twice", false, bounds("1", "2"), model.CodeMetrics},
		{"a number as text", false, metric("twjct", "3"), model.CodeMetrics},
		{"a made-up metric", false, metric("quality", json.Number("1")), model.CodeMetrics},
		{"an infeasible schedule", false, status("infeasible"), model.CodeStatus},
		{"a schedule as a bound", false, status(model.StatusBound), model.CodeStatus},
		{"a schedule that is skipped", false, status(model.StatusSkipped), model.CodeStatus},
		{"a schedule, splendid", false, status("splendid"), model.CodeStatus},
		{"a bound", true, status(model.StatusBound), ""}, {"a bound at a limit", true, status(model.StatusLimit), ""},
		{"infeasible", true, status("infeasible"), model.CodeStatus},
		{"an optimal bound", true, status(model.StatusOptimal), model.CodeStatus},
		{"a feasible bound", true, status(model.StatusFeasible), model.CodeStatus},
		{"a bound that is skipped", true, status(model.StatusSkipped), model.CodeStatus},
		{"splendid", true, status("splendid"), model.CodeStatus}, {"no status", true, status(""), model.CodeStatus},
		{"the instance's name", false, named("etl"), ""}, {"no name, as in older versions", false, named(""), ""},
		{`instance.name is stated as "other" and derived as "etl"`, false, named("other"), model.CodeOtherInstance},
		{"instance.machines is stated as 9 and derived as 1", false, machines(9), model.CodeOtherInstance},
	} {
		w, view, b := bundle(t)
		w.Name = "etl"
		if x.bound {
			b.Rows, b.tables, b.Result.Objective, b.Result.Ratio, b.Result.Metrics = nil, nil, nil, "", nil
		}
		x.change(b.Result)
		found := b.Verify(w, b.Result.Instance.SHA256, view, Promise{})
		if x.want == model.CodeOtherInstance && found[0].What != x.name {
			t.Errorf("%s: %v", x.name, found)
		}
		if len(found) == 0 != (x.want == "") || len(found) > 0 && found[0].Code != x.want {
			t.Errorf("%s: %v", x.name, found)
		}
	}
}

// TestManyViolations: of each code 20 violations of rows and rules are listed, however many others there are. Rows must
// be in the workload's order.
func TestManyViolations(t *testing.T) {
	w, view, b := bundle(t)
	rows := allRows(b)
	reversed := slices.Clone(rows)
	slices.Reverse(reversed)
	if _, found := Schedule(view, RowsOf(reversed)); len(found) == 0 || found[0].Code != model.CodeRowContradicts {
		t.Errorf("%d rows from the last to the first: %v", len(rows), found)
	}
	unknown := rows[0]
	unknown.Task = "nobody's"
	rows = append(slices.Repeat([]Row{unknown}, 30), rows...)
	rows[len(rows)-1].Machine = "nowhere"
	found := map[model.Code]int{}
	_, all := Schedule(view, RowsOf(rows))
	for _, v := range all {
		found[v.Code]++
	}
	if want := (map[model.Code]int{model.CodeTaskUnknown: 20, model.CodeMachineUnknown: 1}); !maps.Equal(found, want) {
		t.Errorf("%v, want %v", found, want)
	}
	b.Rows = RowsOf(rows)
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

// TestLongHeader: messages about a file have a few lines, however long the file's lines are.
func TestLongHeader(t *testing.T) {
	for name, text := range map[string]string{
		"header": strings.Repeat("[", 1<<20), "columns": strings.Join(common, ",") + strings.Repeat(",x", 1<<19) + "\n",
	} {
		_, err := ReadSide(write(t, ScheduleFile, []byte(text)), "s", known)
		if err == nil || len(err.Error()) > 2*maxMessage {
			t.Errorf("%s: an error of %d bytes", name, len(err.Error()))
		}
	}
}

// TestTooLarge: documents, directories and schedules stop at the limit, whatever reads them.
func TestTooLarge(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{ResultFile, ScheduleFile} {
		try(t, os.WriteFile(filepath.Join(dir, name), bytes.Repeat([]byte(" "), 1000), 0o644))
	}
	defer textpos.SetMaxInput(999)()
	read := func(path string) error {
		_, _, err := Read(path)
		return err
	}
	side := func(path string) error {
		_, err := ReadSide(path, path, known)
		return err
	}
	for name, err := range map[string]error{
		"directory": read(dir), "document": read(filepath.Join(dir, ResultFile)), "side": side(dir),
		"schedule": side(filepath.Join(dir, ScheduleFile)),
	} {
		input, ok := errors.AsType[*model.InputError](err)
		if !ok || input.Findings[0].Code != model.CodeTooLarge {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestHostileRows: a schedule with any ids is read as it was written, and no cell of the file begins like a formula.
func TestHostileRows(t *testing.T) {
	text := rapid.Custom(func(t *rapid.T) string {
		start := rapid.SampledFrom([]string{"", "=", "+", "-", "@", "'", "'=", "''@", "\t", "-7", "＝"}).Draw(t, "start")
		return strings.ReplaceAll(start+rapid.String().Draw(t, "rest"), "\r\n", "")
	})
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOf(rapid.Custom(func(t *rapid.T) Row {
			return Row{Task: text.Draw(t, "task"), Job: text.Draw(t, "job"), Kind: "map", Machine: text.Draw(t, "machine"),
				Start: 1, End: 2,
				Columns: Cells{{"block", text.Draw(t, "block")}, {"cost", "-7"}}}
		})).Draw(t, "rows")
		var file bytes.Buffer
		try(t, writeRows(&file, RowsOf(rows)))
		again, digest, err := rowsIn(file.Bytes())
		if err != nil || digest != rowsDigest(RowsOf(rows)) {
			t.Fatalf("%v; digest %s", err, digest)
		}
		got := allRows(&Bundle{Rows: again})
		if !slices.EqualFunc(got, rows, func(a, b Row) bool {
			return a.Task == b.Task && a.Job == b.Job && a.Machine == b.Machine && slices.Equal(a.Columns, b.Columns)
		}) {
			t.Fatalf("%v is read as %v:\n%s", rows, got, file.String())
		}
	})
}
