package workload

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"mrsched/model"
	"mrsched/model/tier"
)

// small is the canonical document of a workload that uses every table.
const small = `{"format":"mrsched-workload/1",
"name":"small",
"problem":"msjo",
"machines":2,
"now":10,
"grace":2.5,
"max_running_jobs":3,
"notes":[
"made by hand"
],
"jobs":[
{"id":"j1","release":0,"weight":1.5,"deadline":90,"tenant":"ann","class":"sort","reduces":3,"intermediate_bytes":1000,"map_work":7.25,"shuffle_ratio":0.3,"partitions":4,"task_overhead":0.75,"map_bytes_per_s":1000000,"reduce_bytes_per_s":0.5,"recorded_completion":55.000001},
{"id":"j\"2\"","release":0.25,"weight":0}
],
"topology":[
{"id":"top","kind":"root"},
{"id":"n1","parent":"top","kind":"node","map_slots":2,"reduce_slots":1,"speed":1.25,"bandwidth_bytes_per_s":125000000,"cpu":8,"memory_bytes":16000000000}
],
"slots":[
{"id":"s1","node":"n1","cost":1.25},
{"id":"s2","cost":0}
],
"tasks":[
{"id":"m1","job":"j1","kind":"map","processing_time":3,"shuffle_delay":0.5,"weight":2,"release":1,"block":"b1","input_bytes":64,"output_bytes":32,"cpu":0.5,"memory_bytes":1024,"recorded_node":"host7","recorded_start":2.5},
{"id":"r1","job":"j1","kind":"reduce"},
{"id":"m2","job":"j\"2\"","kind":"map"}
],
"delays":[
{"from":"m1","to":"r1","delay":0}
],
"placements":[
{"block":"b1","node":"n1"}
],
"partitions":[
{"job":"j1","map":"m1","partition":"p1","bytes":100},
{"job":"j\"2\"","partition":"p1","bytes":0}
],
"keys":[
{"job":"j1","map":"m1","key":"the","bytes":7},
{"job":"j1","key":"of","bytes":3}
],
"times":[
{"job":"j1","task":"p1","worker":"n1","seconds":4.5}
],
"history":[
{"class":"sort","worker":"n1","kind":"map","bytes":64,"cpu":1.5,"memory_bytes":2048,"seconds":2.5},
{"class":"sort","worker":"gone","kind":"reduce","bytes":0,"seconds":0}
],
"capacities":[
{"node":"n1","resource":"gpu","amount":2.5}
],
"demands":[
{"task":"m1","resource":"gpu","amount":0.5},
{"task":"r1","resource":"licence","amount":0}
],
"dependencies":[
{"job":"j\"2\"","after":"j1","delay":1.5}
],
"eligible":[
{"job":"j1","place":"top"},
{"task":"m1","place":"n1"}
],
"unavailable":[
{"node":"n1","from":0,"until":2.5},
{"node":"n1","from":70}
],
"fixed":[
{"task":"m2","node":"n1","start":12.25}
],
"state":[
{"task":"m1","node":"n1","start":-1.5,"end":5},
{"task":"r1","node":"n1","start":2,"remaining":3.5}
],
"runs":[
{"task":"m1","run":"monday","start":-86400,"end":-86390.5,"state":"failed","try":1},
{"task":"m1","run":"monday","start":-86000,"duration":3.5,"state":"running","try":2}
]}
`

// smallFiles is the same workload in CSV.
func smallFiles() fstest.MapFS {
	w, _ := ReadBytes([]byte(small), "small", Options{}) // TestCanonical reads it too
	files, _ := csvFiles(w, false)
	return files
}

func readFile(tb testing.TB, path string) []byte {
	tb.Helper()
	data, err := os.ReadFile(path)
	try(tb, err)
	return data
}

func pack(tb testing.TB, data []byte) []byte {
	tb.Helper()
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	if _, err := z.Write(data); err != nil {
		tb.Fatal(err)
	}
	try(tb, z.Close())
	return buf.Bytes()
}

func mustRead(tb testing.TB, doc string) *model.Workload {
	tb.Helper()
	w, err := ReadBytes([]byte(doc), "w.json", Options{})
	try(tb, err)
	return w
}

func TestCanonical(t *testing.T) {
	w := mustRead(t, small)
	if d := cmp.Diff(small, string(docOf(t, w))); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if at := w.Where(model.TableTasks, 1).String(); at != "w.json:25:1" {
		t.Errorf("task r1 has position %s", at)
	}
}

// TestForms reads one workload in every form that is accepted.
func TestForms(t *testing.T) {
	want := mustRead(t, small)
	cut := strings.Index(small, `"jobs"`)
	last := strings.Index(small, `"placements"`)
	reordered := "{" + strings.TrimSuffix(small[last:], "}\n") + "," + small[cut:last] + small[1:cut]
	reordered = strings.TrimRight(reordered, ",\n") + "}"
	documents := map[string]io.Reader{
		"plain":        strings.NewReader(small),
		"gzip":         bytes.NewReader(pack(t, []byte(small))),
		"mark":         strings.NewReader("\xef\xbb\xbf" + small),
		"one line":     strings.NewReader(strings.ReplaceAll(small, "\n", "")),
		"CRLF":         strings.NewReader(strings.ReplaceAll(small, "\n", "\r\n")),
		"single bytes": iotest.OneByteReader(strings.NewReader(small)),
		"reordered":    strings.NewReader(reordered),
		"nulls": strings.NewReader(strings.ReplaceAll(small, `"kind":"root"`,
			`"kind":"root","speed":null,"parent":null`)),
	}
	for name, doc := range documents {
		got, err := ReadJSON(doc, "w", Options{})
		compare(t, name, want, got, err)
	}
	got, err := Read("-", strings.NewReader(small), Options{})
	compare(t, "stdin", want, got, err)

	for name, change := range map[string]func([]byte) []byte{
		"as is": func(b []byte) []byte { return b },
		"mark":  func(b []byte) []byte { return append([]byte("\xef\xbb\xbf"), b...) },
		"CRLF":  func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) },
		"gzip":  func(b []byte) []byte { return pack(t, b) },
		"empty lines": func(b []byte) []byte {
			return bytes.ReplaceAll(b, []byte("\n"), []byte("\n\n"))
		},
	} {
		files := smallFiles()
		for _, file := range files {
			file.Data = change(file.Data)
		}
		got, err := readDirectory(files, "w", Options{})
		compare(t, "CSV "+name, want, got, err)
	}
	files := smallFiles()
	files["placements.csv.gz"] = &fstest.MapFile{Data: pack(t, files["placements.csv"].Data)}
	delete(files, "placements.csv")
	files["README.md"] = &fstest.MapFile{Data: []byte("no table")}
	got, err = readDirectory(files, "w", Options{})
	compare(t, "CSV, one table packed", want, got, err)
}

func TestNoScalars(t *testing.T) {
	files := fstest.MapFS{"jobs.csv": {Data: []byte("id\nj\n")}, "tasks.csv": {Data: []byte("id,job,kind\nt,j,map\n")}}
	w, err := readDirectory(files, "w", Options{})
	if err != nil || w.Jobs[0].Weight != model.UnitWeight {
		t.Errorf("%v, %v", w, err)
	}
}

func TestAllowUnknown(t *testing.T) {
	doc := strings.Replace(small, `"name"`, `"new":{"a":[1,{"b":2}]},"new":1,"name"`, 1)
	doc = strings.Replace(doc, `"id":"j1"`, `"colour":[[]],"id":"j1"`, 1)
	got, err := ReadBytes([]byte(doc), "w", Options{AllowUnknown: true})
	if want := []string{`skipped unknown key "new" of w, unknown key "colour" of w`}; err == nil &&
		!slices.Equal(got.Skipped, want) {
		t.Errorf("skipped %q, want %q", got.Skipped, want)
	}
	compare(t, "JSON", mustRead(t, small), got, err)

	files := smallFiles()
	files["tenants.csv"] = &fstest.MapFile{Data: []byte("x\n1\n")}
	files["delays.csv"] = &fstest.MapFile{Data: []byte("\u200bfrom, to,from,why,to,delay\nx,y,m1,,r1,0\n")}
	got, err = readDirectory(files, "w", Options{AllowUnknown: true})
	want := []string{`skipped unknown table "tenants.csv" of tenants.csv, unknown column "\u200bfrom" of delays.csv, ` +
		`unknown column " to" of delays.csv, unknown column "why" of delays.csv`}
	if err == nil && !slices.Equal(got.Skipped, want) {
		t.Errorf("skipped %q, want %q", got.Skipped, want)
	}
	compare(t, "CSV", mustRead(t, small), got, err)
}

// TestColumns gives every column of every table a bad value and requires the finding of its tags.
func TestColumns(t *testing.T) {
	tier.Slow(t)
	for _, table := range tables {
		for i, c := range table.tableColumns() {
			name := table.tableName() + "." + c.name
			bad := map[string]model.Code{}
			switch {
			case c.number:
				bad["x"], bad["-1"], bad["1e400"], bad["-1e-9"] = model.CodeNumber, model.CodeNegative, model.CodeOverflow,
					model.CodeNegative
				if c.signed {
					delete(bad, "-1")
					delete(bad, "-1e-9")
					bad["-+1"], bad["-1e400"] = model.CodeNumber, model.CodeOverflow
				}
				if c.whole {
					bad["0.5"] = model.CodeNumber
				}
				if c.above {
					bad["0"] = model.CodeNegative
				}
				if c.kind.name == "weight" || c.kind.name == "cost" || c.kind.name == "amount" {
					bad["0.0000004"] = model.CodeTooSmall
				}
			case c.words != nil:
				bad["x"] = model.CodeEnum
			}
			if c.required {
				bad[""] = model.CodeMissing
			} else if err := spoil(table, i, ""); err != nil && !strings.Contains(err.Error(), "S40") &&
				!strings.Contains(err.Error(), "R30") {
				t.Errorf("%s may be absent, but: %v", name, err)
			}
			at := len(strings.Join(append(spoiledRow(table.tableColumns(), i, "")[:i], ""), ",")) + 1
			for value, code := range bad {
				want := fmt.Sprintf("%s w/%s.csv:3:%d: ", code, table.tableName(), at)
				if err := spoil(table, i, value); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s = %q: %v; want %s", name, value, err, want)
				}
			}
		}
	}
}

// spoiledRow is a row with one given value; its other fields are "1" or a word.
func spoiledRow(columns []column, spoiled int, value string) []string {
	row := make([]string, len(columns))
	for i, c := range columns {
		switch {
		case i == spoiled:
			row[i] = value
		case c.words != nil:
			row[i] = c.words[len(c.words)-1]
		default:
			row[i] = "1"
		}
	}
	return row
}

// spoil reads a workload one of whose tables is a spoiled row, on line 3.
func spoil(table tableCodec, column int, value string) error {
	columns := table.tableColumns()
	text := strings.Join(columnNames(columns), ",") + "\n\n" + strings.Join(spoiledRow(columns, column, value), ",") + "\n"
	files := smallFiles()
	files[table.tableName()+csvSuffix] = &fstest.MapFile{Data: []byte(text)}
	return findingsOf(files, Options{})
}

// findingsOf reads a directory.
func findingsOf(files fstest.MapFS, o Options) error {
	_, err := readDirectory(files, "w", o)
	return err
}

// TestDeterministicFindings has more findings than the limit, in two files.
func TestDeterministicFindings(t *testing.T) {
	files := smallFiles()
	files["tasks.csv"].Data = []byte("id,job,kind\n" + strings.Repeat("t,j,mpa\n", 200))
	files["placements.csv"].Data = []byte("block,node\n" + strings.Repeat("x,\n", 200))
	first := findingsOf(files, Options{MaxFindings: 100})
	if e, ok := errors.AsType[*model.InputError](first); !ok || len(e.Findings) != 100 || e.More < 500 {
		t.Fatal(first)
	}
	for range tier.Draws(1, 10) {
		if err := findingsOf(files, Options{MaxFindings: 100}); err == nil || err.Error() != first.Error() {
			t.Fatalf("findings differ:\n%s\n\n%v", first, err)
		}
	}
}

func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	try(t, os.WriteFile(filepath.Join(dir, "mini-trace.json"), []byte(small), 0o666))
	_, err := Read(filepath.Join(dir, "minitrace.json"), nil, Options{})
	oneFinding(t, "the nearest name", err, "F101", `"mini-trace.json"?`)
	_, err = ReadJSON(iotest.ErrReader(errors.New("disk on fire")), "w", Options{})
	oneFinding(t, "a broken disk", err, "F101", "F101 w: disk on fire")
}

// TestLinks requires that no path leads out of the directory.
func TestLinks(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	for name, file := range smallFiles() {
		path := filepath.Join(dir, name)
		if name == "jobs.csv" {
			path = filepath.Join(outside, name)
			if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
				t.Skip(err)
			}
		}
		try(t, os.WriteFile(path, file.Data, 0o666))
	}
	try(t, os.Mkdir(filepath.Join(dir, "delays.csv.gz"), 0o777))
	try(t, os.Remove(filepath.Join(dir, "delays.csv")))
	_, err := Read(dir, nil, Options{})
	if err == nil || !strings.Contains(err.Error(), "jobs.csv: cannot be read: path escapes from parent") ||
		!strings.Contains(err.Error(), "delays.csv.gz: cannot be read: it is not a regular file") {
		t.Errorf("%v", err)
	}
}

// TestCountsAddUp: of each kind, as many as the limit are accepted and one more is not. Rows that only group nodes have
// no slots.
func TestCountsAddUp(t *testing.T) {
	const doc = `{"format":"mrsched-workload/1","machines":%d,
"jobs":[{"id":"a","reduces":%d,"partitions":%d},
{"id":"b","reduces":2,"partitions":1}],
"topology":[{"id":"r","kind":"root"},{"id":"k","parent":"r","kind":"rack","map_slots":1000},
{"id":"n","parent":"k","kind":"node","map_slots":%d,"reduce_slots":4}]}`
	for _, c := range []struct {
		machines, reduces, partitions, slots int
		code, at                             string
	}{
		{10, 8, 9, 6, "", ""}, {11, 8, 9, 6, "V204", "w: machines"}, {10, 9, 9, 6, "V204", "w:3:1: "},
		{10, 11, 9, 6, "V204", "w:2:9: "}, {10, 8, 10, 6, "V204", "w:3:1: "}, {10, 8, 9, 7, "V204", "w:5:1: "},
		{10, 8, 9, 2147483647, "V204", "w:5:1: "},
	} {
		w, err := ReadBytes(fmt.Appendf(nil, doc, c.machines, c.reduces, c.partitions, c.slots), "w", Options{MaxCount: 10})
		if c.code != "" {
			oneFinding(t, fmt.Sprint(c), err, c.code, c.at)
		} else if err != nil || w == nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
