package cli

import (
	"context"
	"flag"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// TestPanicIsARow: a panic on one instance of several is its row, with the stack on standard error, and ends no other.
func TestPanicIsARow(t *testing.T) {
	c := cli.NewContext(nil, flag.NewFlagSet("solve", flag.ContinueOnError), nil)
	c.Context = context.Background()
	b := &batch{s: &session{}, c: c, paths: []string{"w.json"}, out: "r"} // without names: an index out of range
	e := b.protected(context.Background(), 0)
	if len(e.rows) != 1 || e.rows[0].Exit != exitInternal || e.rows[0].Code != "internal" ||
		!strings.Contains(e.rows[0].Error, "out of range") {
		t.Errorf("rows: %+v", e.rows)
	}
	if text := e.messages.String(); !strings.Contains(text, "mrsched: w.json: ") || !strings.Contains(text, "batch.go") {
		t.Errorf("messages: %s", text)
	}
}
