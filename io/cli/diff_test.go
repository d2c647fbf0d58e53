package cli

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"mrsched/io/engine"
)

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// TestDiffInternal: with --exit-code, 1 means different, so an internal error has code 70.
func TestDiffInternal(t *testing.T) {
	out := filepath.Join(t.TempDir(), "r")
	if code := Main([]string{"mrsched", "solve", root + "/instances/examples/fig1.json", "-a", "mars", "-o", out}, nil,
		io.Discard, io.Discard); code != engine.ExitDone {
		t.Fatal(code)
	}
	for flag, want := range map[string]int{"--exit-code": 70, "--all": 1} {
		var messages bytes.Buffer
		if code := Main([]string{"mrsched", "diff", flag, out, out}, nil, full{}, &messages); code != want ||
			!strings.Contains(messages.String(), "mrsched: no space left on device\n") {
			t.Errorf("%s: exit %d, want %d: %s", flag, code, want, messages.String())
		}
	}
}
