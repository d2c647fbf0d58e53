package campaign

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzPlan plans again from arbitrary earlier results and asks for arbitrary sizes: commands end with a result that
// check accepts, or refuse the input.
func FuzzPlan(f *testing.F) {
	dir := f.TempDir()
	w, earlier := filepath.Join(dir, "w.json"), filepath.Join(dir, "earlier.json")
	for _, args := range [][]string{{"generate", "cluster", "--tasks", "8", "--nodes", "2", "-o", w, "-q"},
		{"solve", w, "-a", "fifo", "-o", earlier, "-q"}} {
		if o := run(args...); o.code != exitDone {
			f.Fatal(o.stderr)
		}
	}
	text, err := os.ReadFile(earlier)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text, "3.5", "2", "1..2")
	f.Add(text[:len(text)/2], "2024-01-01T00:00:00Z", "0.000001", "3")
	f.Fuzz(func(t *testing.T, text []byte, freeze, penalty, sizes string) {
		path, out := filepath.Join(t.TempDir(), "r.json"), filepath.Join(t.TempDir(), "again.json")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		again := run("solve", w, "--from="+path, "--freeze-until="+freeze, "--change-penalty="+penalty, "--iterations", "2",
			"-o", out, "-q")
		if again.broken != "" || again.code != exitDone && again.code != exitUsage {
			t.Fatalf("exit %d %s %s", again.code, again.broken, again.stderr)
		}
		if again.code == exitDone {
			if o := run("check", w, out); o.code != exitDone {
				t.Fatalf("check: exit %d %s %s", o.code, o.stdout, o.stderr)
			}
		}
		if len(sizes) > 5 {
			return // of thousands of nodes
		}
		o := run("size", w, "--nodes="+sizes, "-a", "fifo", "-q")
		if o.broken != "" || o.code != exitDone && o.code != exitUsage {
			t.Fatalf("size %q: exit %d %s %s", sizes, o.code, o.broken, o.stderr)
		}
	})
}
