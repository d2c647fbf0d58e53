package workload

import (
	"errors"
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
	packed := string(pack(t, []byte(`{"problem":"hta","tasks":[`+strings.Repeat(`{"id":"a"},`, 100_000)+`{}]}`)))
	for name, x := range map[string]struct{ text, want string }{
		"first.json":              {`{"format":"mrsched-workload/1","name":"x","problem":"msjo","jobs":[`, "msjo"},
		"behind.json":             {`{"jobs":[{"problem":"no"}],"problem":"realtime"}`, "realtime"},
		"far.json":                {`{"jobs":["` + strings.Repeat("x", peeked) + `"],"problem":"hta"}`, ""},
		"none.json":               {`{"format":"mrsched-workload/1","jobs":[]}`, ""},
		"number.json":             {`{"problem":7}`, ""},
		"list.json":               {`["problem","hta"]`, ""},
		"broken.json":             {`{"name" "problem":"hta"}`, ""},
		"empty.json":              {},
		"packed.json.gz":          {packed, "hta"},
		"cut.json.gz":             {packed[:30], ""},
		"tables/workload.json":    {`{"problem":"multitenant"}`, "multitenant"},
		"packed/workload.json.gz": {packed, "hta"},
		"bare/jobs.csv":           {"id\n", ""},
	} {
		path := filepath.Join(dir, name)
		try(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(x.text), 0o644)))
		if parent := filepath.Dir(path); parent != dir {
			path = parent
		}
		if got := PeekProblem(path); got != x.want {
			t.Errorf("%s: %q, want %q", name, got, x.want)
		}
	}
	if err := errors.Join(syscall.Mkfifo(filepath.Join(dir, "pipe.json"), 0o644), os.Mkdir(filepath.Join(dir, "outside"),
		0o755), os.Symlink("../first.json", filepath.Join(dir, "outside/workload.json"))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pipe.json", "outside", "nowhere"} {
		if got := PeekProblem(filepath.Join(dir, name)); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}
