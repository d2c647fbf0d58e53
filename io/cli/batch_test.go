package cli

import (
	"context"
	"io"
	"strings"
	"testing"

	"mrsched/io/engine"
	"mrsched/io/solve"
)

// TestPanicIsARow: a panic on one instance of several is its row, with the stack on standard error, and ends no other.
func TestPanicIsARow(t *testing.T) {
	o := solve.BatchOptions{Tell: (&session{}).tell, Options: func(io.Writer) solve.Options { return solve.Options{} }}
	b := solve.NewBatch(context.Background(), o, []string{"w.json"}, "r") // without names: an index out of range
	e := b.Protected(context.Background(), 0)
	if len(e.Rows) != 1 || e.Rows[0].Exit != engine.ExitInternal || e.Rows[0].Code != "internal" ||
		!strings.Contains(e.Rows[0].Error, "out of range") {
		t.Errorf("rows: %+v", e.Rows)
	}
	if text := e.Messages.String(); !strings.Contains(text, "mrsched: w.json: ") || !strings.Contains(text, "batch") {
		t.Errorf("messages: %s", text)
	}
}
