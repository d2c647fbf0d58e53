package disk

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestAbandon: what is being written when a program abandons its work disappears, parents included, and gets no name
// when its writer goes on.
func TestAbandon(t *testing.T) {
	defer func() { underway.over = false }()
	dir := t.TempDir()
	text := func(w io.Writer) error { _, err := io.WriteString(w, "text"); return err }
	errs := []error{
		WriteFile(filepath.Join(dir, "a", "file"), false, func(w io.Writer) error { Abandon(); return text(w) }),
		WriteDir(filepath.Join(dir, "b", "dir"), false, func(d Dir) error {
			err := d.File("one", text)
			Abandon()
			return err
		}),
		WriteFile(filepath.Join(dir, "later"), false, text),
	}
	for _, err := range errs {
		if !errors.Is(err, errAbandoned) {
			t.Error(err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v is left: %v", left, err)
	}
}
