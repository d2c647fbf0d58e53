package sweep

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLogVanished: appending to a removed or replaced file is an error.
func TestLogVanished(t *testing.T) {
	for _, again := range []bool{false, true} {
		dir := t.TempDir()
		l, err := OpenLog(dir, Rows, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Append(map[string]int{"a": 1}); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, LogFile(Rows, 1, 1))
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if again {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Append(map[string]int{"a": 2}); err == nil || !strings.Contains(err.Error(), "was removed") {
			t.Error(err)
		}
		_ = l.Close() // it already reported the error
	}
}
