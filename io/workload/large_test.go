package workload

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"mrsched/model"
	"mrsched/model/tier"
)

// repeat repeats a text.
type repeat struct {
	text string
	left int64
	i    int
}

func (r *repeat) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	n := int(min(int64(len(p)), r.left))
	for k := range p[:n] {
		p[k] = r.text[r.i]
		if r.i++; r.i == len(r.text) {
			r.i = 0
		}
	}
	r.left -= int64(n)
	return n, nil
}

const huge = 100_000_000

// allocated is the total memory allocated while f runs.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestHuge reads a string, a line and a field of 100 MB, which are rejected, and a compact document of 100 MB, which is
// accepted.
func TestHuge(t *testing.T) {
	tier.Repeats(t)
	const start = `{"format":"mrsched-workload/1","jobs":[{"id":"j"}],"tasks":[{"id":"t","job":"j","kind":"map"}]`
	note := "," + strings.Repeat(" ", 50_000) + `"n"`
	document := func(rest io.Reader) (err error) {
		var w *model.Workload
		if n := allocated(func() {
			in := io.MultiReader(strings.NewReader(start+`,"notes":[""`), &repeat{text: note, left: 50_004 * 2000},
				rest)
			w, err = ReadJSON(in, "w", Options{})
		}); n > 16<<20 || err == nil && len(w.Notes) != 2001 {
			t.Errorf("%d bytes allocated; %v", n, err)
		}
		return err
	}
	if err := document(strings.NewReader("]}")); err != nil {
		t.Error(err)
	}
	oneFinding(t, "a note", document(strings.NewReader(",7]}")), "V201", fmt.Sprintf("w:1:%d: ", len(start)+len(`,"notes":[""`)+50_004*2000+2))
	name := io.MultiReader(strings.NewReader(`],"name":"`), &repeat{text: "x", left: huge})
	oneFinding(t, "a name", document(name), "F106", "w:1:")
	for name, text := range map[string]string{"line": "x,", "field": "x", "open quote": "\"\n"} {
		l := &intake{b: model.NewBuilder()}
		quote := map[bool]string{true: `"`}[name == "open quote"]
		in := io.MultiReader(strings.NewReader("id\n"+quote), &repeat{text: strings.TrimPrefix(text, quote), left: huge})
		if n := allocated(func() { jobsTable.readCSV(l, newText(in)) }); n > 128<<20 {
			t.Errorf("%s: %d bytes allocated", name, n)
		}
		oneFinding(t, name, l.findings.Err(), "F106", "w:2:1: ")
	}
}

// TestCountObjects: the rows of a document are counted, and its reader keeps its position. Braces without rows reserve
// no more than rows of as many bytes.
func TestCountObjects(t *testing.T) {
	var doc bytes.Buffer
	doc.WriteString("before")
	try(t, WriteJSON(&doc, cluster(t, 40_000, 80)))
	for text, want := range map[string]map[model.Table]int{
		doc.String(): {model.TableTasks: 40_000, model.TablePlacements: 120_000},
		`before{"notes":["history"],"tasks":[` + strings.Repeat("{", longFile): {model.TableTasks: 0},
		`before{"tasks":[` + strings.Repeat(`{""""""""`, longFile/4):           {model.TableTasks: longFile / 4 * 9 / minObject},
		`before{"tasks":[{},{},{}]}`:                                           {}, // too short
	} {
		r := strings.NewReader(text)
		_, _ = r.Seek(int64(len("before")), io.SeekStart)
		got := countObjects(r)
		for _, table := range tables {
			if n := want[model.Table(table.tableName())]; got[table] != n {
				t.Errorf("%.50s: %d rows of %s, want %d", text, got[table], table.tableName(), n)
			}
		}
		if rest, _ := io.ReadAll(r); "before"+string(rest) != text {
			t.Errorf("%.50s: %d bytes are left of %d", text, len(rest), len(text))
		}
	}
}

// TestCountLines: lines are counted, and a file of blank ones reserves no more than rows of its size.
func TestCountLines(t *testing.T) {
	for line, want := range map[string]int{"task1,job1,map,20\n": longFile, "\n": longFile / minLine, "": 0} {
		if got := countLines(strings.NewReader(strings.Repeat(line, longFile))); got != want {
			t.Errorf("%q: %d rows, want %d", line, got, want)
		}
	}
}

// TestReserved: counted tables have room for their rows and little more.
func TestReserved(t *testing.T) {
	tier.Slow(t)
	want := cluster(t, 40_000, 80)
	for _, name := range []string{"w", "w.json"} {
		name = filepath.Join(t.TempDir(), name)
		try(t, Write(name, want, false, nil))
		w, err := Read(name, nil, Options{})
		if err != nil || cap(w.Tasks) > len(w.Tasks)*11/10 {
			t.Errorf("%s: room for %d tasks, there are %d; %v", name, cap(w.Tasks), len(w.Tasks), err)
		}
	}
}
