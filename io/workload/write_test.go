package workload

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"mrsched/io/textpos"
	"mrsched/model"
)

func newText(r io.Reader) *textpos.Reader { return textpos.NewReader(r, "w") }

func TestWrite(t *testing.T) {
	w := mustRead(t, small)
	for _, name := range []string{"w.json", "w.json.gz", "w"} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		try(t, Write(path, w, false, nil))
		back, err := Read(path, nil, Options{})
		compare(t, name, w, back, err)
		if err := Write(path, w, false, nil); !errors.Is(err, ErrExists) {
			t.Errorf("%s written twice: %v", name, err)
		}
		if again := filepath.Join(t.TempDir(), name); name == "w.json.gz" {
			if err := Write(again, w, false, nil); err != nil || !bytes.Equal(readFile(t, path), readFile(t, again)) {
				t.Errorf("two packed files of one workload differ: %v", err)
			}
		}
		other := mustRead(t, strings.Replace(small, `"name":"small"`, `"name":"other"`, 1))
		if err := Write(path, other, true, nil); err != nil {
			t.Errorf("%s not replaced: %v", name, err)
		}
		back, err = Read(path, nil, Options{})
		compare(t, name, other, back, err)
		if entries, _ := os.ReadDir(dir); len(entries) != 1 {
			t.Errorf("%s: %v left in the directory", name, entries)
		}
	}
	var out bytes.Buffer
	if err := Write("-", w, false, &out); err != nil || out.String() != small {
		t.Errorf("standard output: %v\n%s", err, out.String())
	}
}

// TestWriteRefused demands that nothing is lost or left behind.
func TestWriteRefused(t *testing.T) {
	w := mustRead(t, small)
	dir := t.TempDir()
	home := filepath.Join(dir, "home")
	if err := errors.Join(os.MkdirAll(filepath.Join(home, "photos"), 0o777), os.WriteFile(filepath.Join(dir, "file"), nil,
		0o666), os.Mkdir(filepath.Join(dir, "d.json"), 0o777)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		home:                            "which is no part of a workload",
		filepath.Join(dir, "file"):      "is a file",
		filepath.Join(dir, "d.json"):    "is not a file",
		filepath.Join(dir, "file", "d"): "not a directory",
	} {
		if err := Write(path, w, true, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", path, err, want)
		}
	}
	w = mustRead(t, strings.ReplaceAll(small, "m2", `m\r\n2`))
	if err := Write(filepath.Join(dir, "w"), w, false, nil); err == nil ||
		!strings.Contains(err.Error(), `tasks.csv: id "m\r\n2" cannot be kept in CSV`) {
		t.Errorf("%v", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 3 {
		t.Errorf("%v left in the directory", entries)
	}
}

// failing accepts some bytes.
type failing struct{ left int }

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errors.New("disk full")
	}
	return len(p), nil
}

func TestWriteErrors(t *testing.T) {
	w := grid(t, 2000)
	for _, room := range []int{0, 100_000} {
		if err := WriteJSON(&failing{room}, w); err == nil || err.Error() != "disk full" {
			t.Errorf("JSON: %v", err)
		}
		if err := tasksTable.writeCSV(&failing{room / 2}, w); err == nil || err.Error() != "disk full" {
			t.Errorf("CSV: %v", err)
		}
	}
	b := model.NewBuilder()
	b.Job(model.Job{ID: "\xff"}, model.Locus{})
	b.Task(model.Task{ID: "t"}, "\xff", "", model.Locus{})
	broken, err := b.Build()
	try(t, err)
	if err := WriteJSON(io.Discard, broken); err == nil || Digest(broken) != "" {
		t.Error("text that is not UTF-8 was written")
	}
}

// twoNodes has no topology: its nodes are those that placements name.
const twoNodes = `{"format":"mrsched-workload/1",
"jobs":[
{"id":"j"}
],
"tasks":[
{"id":"m1","job":"j","kind":"map","block":"b1"},
{"id":"m2","job":"j","kind":"map","block":"b2"}
],
"placements":[
{"block":"b1","node":"n1"},
{"block":"b2","node":"n2"}
]}
`

// TestSkippedPlacementsChangeNothing: placements of unread blocks do not change the workload, in any form: it has the
// same document and digest, also after reading it again.
func TestSkippedPlacementsChangeNothing(t *testing.T) {
	first, last := `{"block":"b1"`, `"node":"n1"}`
	for name, clean := range map[string]string{"topology": small, "no topology": twoNodes} {
		rows := `{"block":"c1","node":"n1"},` + "\n" + `{"block":"c2","node":"n1"},` + "\n"
		dirty := strings.Replace(clean, first, rows+first, 1)
		if name == "no topology" {
			dirty = strings.Replace(dirty, last+",\n"+`{"block":"b2"`, last+`,{"block":"c1","node":"n0"},{"block":"b2"`, 1)
		}
		want := mustRead(t, clean)
		got, err := ReadBytes([]byte(dirty), "w.json", Options{})
		try(t, err)
		if len(got.Skipped) != 1 || !strings.Contains(got.Skipped[0],
			` placements of 2 blocks that no task reads ("c1", … at w.json:`) {
			t.Errorf("%s: %q", name, got.Skipped)
		}
		compare(t, name, want, got, nil)
		compare(t, name+" again", want, mustRead(t, string(docOf(t, got))), nil)
	}
	files := smallFiles()
	files["placements.csv"] = &fstest.MapFile{Data: []byte("block,node\nc1,n1\nb1,n1\nc1,n1\n")}
	got, err := readDirectory(files, "small", Options{})
	if err != nil ||
		!slices.Equal(got.Skipped, []string{
			`2 placements of 1 block that no task reads ("c1" at small/placements.csv:2:1) were skipped`}) {
		t.Fatal(err, got)
	}
	if at := got.Where(model.TablePlacements, 0).String(); at != "small/placements.csv:3:1" {
		t.Errorf("the kept placement has position %s", at)
	}
	compare(t, "CSV", mustRead(t, small), got, nil)
}

// TestProblemOf: the problem is found in a document, wherever it stands; other texts give none.
func TestProblemOf(t *testing.T) {
	for text, want := range map[string]string{
		`{"format":"mrsched-workload/1","name":"x","problem":"msjo","jobs":[`: "msjo",
		`{"jobs":[{"problem":"no"}],"problem":"realtime"}`:                    "realtime",
		`{"jobs":["` + strings.Repeat("x", 1<<17) + `"],"problem":"hta"}`:     "hta",
		string(pack(t, []byte(`{"problem":"hta"}`))):                          "hta",
		`{"format":"mrsched-workload/1","jobs":[]}`:                           "", `{"problem":7}`: "", `["problem","hta"]`: "",
		`{"name" "problem":"hta"}`: "", "": "",
	} {
		if got := ProblemOf(strings.NewReader(text)); got != want {
			t.Errorf("%.40q: %q, want %q", text, got, want)
		}
	}
}
