package golden

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mrsched/model"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Bad imports every file that a pattern matches, named after the code that it provokes, and compares the whole message
// with the .golden file next to it.
func Bad(t *testing.T, pattern string, read func(path string) (*model.Workload, error)) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, path := range files {
		if filepath.Ext(path) == ".golden" {
			continue
		}
		w, err := read(path)
		input, ok := errors.AsType[*model.InputError](err)
		if !ok || w != nil {
			t.Fatalf("%s: workload %v, error %v", path, w, err)
		}
		code := model.Code(filepath.Base(path)[:4])
		if !slices.ContainsFunc(input.Findings, func(f model.Finding) bool { return f.Code == code }) {
			t.Errorf("%s: %v", path, err)
		}
		got := err.Error() + "\n"
		if *update {
			if err := os.WriteFile(path+".golden", []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path + ".golden")
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s:\n%swant\n%s", path, got, want)
		}
	}
}
