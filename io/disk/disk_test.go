package disk

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

var errStop = errors.New("stop")

// names lists the entries of a directory, hidden files included.
func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// stands fails a test unless a directory has exactly these entries.
func stands(t *testing.T, dir string, want ...string) {
	t.Helper()
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("%s: there stand %v, want %v", dir, got, want)
	}
}

func write(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// half writes a part and fails.
func half(w io.Writer) error { return errors.Join(write("half")(w), errStop) }

func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	return string(text)
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := WriteFile(path, false, half); !errors.Is(err, errStop) || len(names(t, dir)) > 0 {
		t.Fatalf("%v; left behind: %v", err, names(t, dir))
	}
	must(t, WriteFile(path, false, write("old")))
	if err := WriteFile(path, false, write("new")); !errors.Is(err, ErrExists) {
		t.Error("an existing file is replaced:", err)
	}
	if err := WriteFile(path, true, half); !errors.Is(err, errStop) || content(t, path) != "old" {
		t.Errorf("%v; the old file holds %q", err, content(t, path))
	}
	if err := WriteFile(path, true, write("new")); err != nil || content(t, path) != "new" {
		t.Errorf("%v; the new file holds %q", err, content(t, path))
	}
	stands(t, dir, "f")
}

func TestWriteDir(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "d")
	fill := func(text string, err error) func(Dir) error {
		return func(d Dir) error { return errors.Join(d.File("a", write(text)), err) }
	}
	if err := WriteDir(path, false, fill("half", errStop)); !errors.Is(err, errStop) || len(names(t, dir)) > 0 {
		t.Fatalf("%v; left behind: %v", err, names(t, dir))
	}
	must(t, WriteDir(path, false, fill("old", nil)))
	must(t, os.WriteFile(filepath.Join(path, "b"), nil, 0o600))
	if err := WriteDir(path, false, fill("new", nil)); !errors.Is(err, ErrExists) {
		t.Error("an existing directory is replaced:", err)
	}
	if err := WriteDir(path, true, fill("half", errStop)); !errors.Is(err, errStop) ||
		content(t, filepath.Join(path, "a")) != "old" {
		t.Errorf("%v; the old directory is gone", err)
	}
	if err := WriteDir(path, true, fill("new", nil)); err != nil || content(t, filepath.Join(path, "a")) != "new" {
		t.Error(err)
	}
	stands(t, dir, "d")
	stands(t, path, "a")
}

// TestCompress requires that packing depends only on the contents.
func TestCompress(t *testing.T) {
	var a, b, plain bytes.Buffer
	for path, w := range map[string]io.Writer{"x.gz": &a, "y.gz": &b, "z": &plain} {
		must(t, Compress(w, path, write("text")))
	}
	if plain.String() != "text" || !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Errorf("%q, %x, %x", plain.String(), a.Bytes(), b.Bytes())
	}
	z, err := gzip.NewReader(&a)
	must(t, err)
	if text, err := io.ReadAll(z); err != nil || string(text) != "text" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestParents: missing parents are made, and removed again if nothing was written; existing ones stay.
func TestParents(t *testing.T) {
	for name, put := range map[string]func(path string, fail bool) error{
		"file": func(path string, fail bool) error {
			if fail {
				return WriteFile(path, false, half)
			}
			return WriteFile(path, false, write("x"))
		},
		"directory": func(path string, fail bool) error {
			return WriteDir(path, false, func(d Dir) error {
				if fail {
					return d.File("f", half)
				}
				return d.File("f", write("x"))
			})
		},
	} {
		dir := t.TempDir()
		must(t, os.Mkdir(filepath.Join(dir, "there"), 0o755))
		path := filepath.Join(dir, "there", "a", "b", "target")
		if err := put(path, true); !errors.Is(err, errStop) || len(names(t, filepath.Join(dir, "there"))) > 0 {
			t.Errorf("%s: %v; left behind: %v", name, err, names(t, filepath.Join(dir, "there")))
		}
		if err := put(path, false); err != nil || !slices.Equal(names(t, filepath.Dir(path)), []string{"target"}) {
			t.Errorf("%s: %v", name, err)
		}
		if err := put(filepath.Join(path, "f", "below"), false); err == nil {
			t.Errorf("%s: a file served as a directory", name)
		}
	}
}
