package workload

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPeekProblem: the problem is found in documents, packed or not, and in directories, if it is near the beginning.
// Other paths give none.
func TestPeekProblem(t *testing.T) {
	dir := t.TempDir()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	// a buffer takes all
	_, _ = z.Write([]byte(`{"problem":"hta","tasks":[` + strings.Repeat(`{"id":"a"},`, 100_000) + `{}]}`))
	_ = z.Close()
	for name, text := range map[string]string{
		"first.json":              `{"format":"mrsched-workload/1","name":"x","problem":"msjo","jobs":[`,
		"behind.json":             `{"jobs":[{"problem":"no"}],"problem":"realtime"}`,
		"far.json":                `{"jobs":["` + strings.Repeat("x", peeked) + `"],"problem":"hta"}`,
		"none.json":               `{"format":"mrsched-workload/1","jobs":[]}`,
		"number.json":             `{"problem":7}`,
		"list.json":               `["problem","hta"]`,
		"broken.json":             `{"name" "problem":"hta"}`,
		"empty.json":              ``,
		"packed.json.gz":          packed.String(),
		"cut.json.gz":             packed.String()[:30],
		"tables/workload.json":    `{"problem":"multitenant"}`,
		"tables/jobs.csv":         "id\n",
		"packed/workload.json.gz": packed.String(),
		"bare/jobs.csv":           "id\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.json"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "outside"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../first.json", filepath.Join(dir, "outside/workload.json")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"first.json": "msjo", "behind.json": "realtime", "packed.json.gz": "hta",
		"tables": "multitenant", "packed": "hta", "far.json": "", "none.json": "",
		"number.json": "", "list.json": "", "broken.json": "", "empty.json": "", "cut.json.gz": "", "bare": "",
		"pipe.json": "", "outside": "", "nowhere": ""} {
		if got := PeekProblem(filepath.Join(dir, name)); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
