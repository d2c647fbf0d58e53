package command

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestDependencies: `version` tells every module that go.mod requires directly, but for those of tests alone.
func TestDependencies(t *testing.T) {
	onlyTests := []string{"github.com/chromedp/cdproto", "github.com/chromedp/chromedp", "github.com/crillab/gophersat", "github.com/google/go-cmp", "github.com/rogpeppe/go-internal", "github.com/santhosh-tekuri/jsonschema/v6", "pgregory.net/rapid"}
	for line := range strings.Lines(readText(t, filepath.Join(root, "go.mod"))) {
		f := strings.Fields(line)
		if len(f) == 2 && strings.HasPrefix(f[1], "v") && strings.Contains(f[0], ".") && !slices.Contains(onlyTests, f[0]) && !slices.Contains(dependencies, f[0]) {
			t.Errorf("%s is missing", f[0])
		}
	}
	if !slices.IsSorted(dependencies) {
		t.Error("not sorted")
	}
}
