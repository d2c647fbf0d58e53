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
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
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
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := WriteFile(path, false, half); !errors.Is(err, errStop) || len(names(t, dir)) > 0 {
		t.Fatalf("%v; left behind: %v", err, names(t, dir))
	}
	if err := WriteFile(path, false, write("old")); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(path, false, write("new")); !errors.Is(err, ErrExists) {
		t.Error("an existing file is replaced:", err)
	}
	if err := WriteFile(path, true, half); !errors.Is(err, errStop) || content(t, path) != "old" {
		t.Errorf("%v; the old file holds %q", err, content(t, path))
	}
	if err := WriteFile(path, true, write("new")); err != nil || content(t, path) != "new" {
		t.Errorf("%v; the new file holds %q", err, content(t, path))
	}
	if got := names(t, dir); !slices.Equal(got, []string{"f"}) {
		t.Errorf("left behind: %v", got)
	}
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
	if err := WriteDir(path, false, fill("old", nil)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(path, "b"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
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
	if got := slices.Concat(names(t, dir), names(t, path)); !slices.Equal(got, []string{"d", "a"}) {
		t.Errorf("left behind: %v", got)
	}
}

// TestCompress requires that packing depends only on the contents.
func TestCompress(t *testing.T) {
	var a, b, plain bytes.Buffer
	for path, w := range map[string]io.Writer{"x.gz": &a, "y.gz": &b, "z": &plain} {
		if err := Compress(w, path, write("text")); err != nil {
			t.Fatal(err)
		}
	}
	if plain.String() != "text" || !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Errorf("%q, %x, %x", plain.String(), a.Bytes(), b.Bytes())
	}
	z, err := gzip.NewReader(&a)
	if err != nil {
		t.Fatal(err)
	}
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
		if err := os.Mkdir(filepath.Join(dir, "there"), 0o755); err != nil {
			t.Fatal(err)
		}
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
