package workload

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
