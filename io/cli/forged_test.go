package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/model"
)

// TestForgedProvenance: check reports an unknown algorithm, and parameters with which an algorithm does not run, even
// under right digests. It does not report another seed or number of iterations: no claim of a result depends on them.
func TestForgedProvenance(t *testing.T) {
	dir := t.TempDir()
	r := filepath.Join(dir, "r")
	run := func(out io.Writer, args ...string) int {
		return Main(append([]string{"mrsched"}, args...), nil, out, os.Stderr)
	}
	w := filepath.Join(root, "instances/examples/fig1.json")
	if run(io.Discard, "solve", w, "-a", "best", "-o", r, "-q") != engine.ExitDone ||
		run(io.Discard, "check", w, r) != engine.ExitDone {
		t.Fatal("the honest result does not pass")
	}
	set := func(name string, value any) func(*model.Result) {
		return func(r *model.Result) { r.Parameters[name] = value }
	}
	for name, x := range map[string]struct {
		forge func(r *model.Result)
		tells string // empty: check says ok
	}{
		"seed":              {func(r *model.Result) { r.Seed = 2 }, ""},
		"iterations":        {set("iterations", json.Number("7")), ""},
		"time limit":        {set("time_limit", json.Number("7.5")), ""},
		"algorithm":         {func(r *model.Result) { r.Algorithm = "beast" }, `msjo has no algorithm "beast"`},
		"no algorithm":      {func(r *model.Result) { r.Algorithm = "" }, `msjo has no algorithm ""`},
		"unknown parameter": {set("speed", json.Number("9")), "parameter speed is 9; best is not run with such a parameter"},
		"another's parameter": {func(r *model.Result) { r.Algorithm = "mars" },
			"parameter batch-interval is 50; mars is not run with such a parameter"},
		"absent parameter": {func(r *model.Result) { delete(r.Parameters, "epsilon") },
			"parameter epsilon is null, and is written as 0"},
		"parameter as text": {set("epsilon", "0"), `parameter epsilon is "0", and is written as 0`},
		"no iterations": {func(r *model.Result) { delete(r.Parameters, "iterations") },
			"the parameters name neither iterations nor time_limit"},
		"half an iteration":      {set("iterations", json.Number("0.5")), "parameter iterations is 0.5"},
		"iterations in a list":   {set("iterations", []any{json.Number("5")}), "parameter iterations is [5]"},
		"iterations as text":     {set("iterations", "5"), `parameter iterations is "5", and is written as 5`},
		"time limit as text":     {set("time_limit", "5"), "parameter time_limit"},
		"time limit of a second": {set("time_limit", json.Number("1.0")), "parameter time_limit is 1.0, and is written as 1"},
	} {
		b, found, err := result.Read(r)
		if err != nil || len(found) > 0 {
			t.Fatal(err, found)
		}
		x.forge(b.Result)
		if b.Result.Digest, err = result.Digest(b.Result); err != nil {
			t.Fatal(err)
		}
		forged := filepath.Join(dir, name)
		if err := b.WriteDir(forged, false); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		code := run(&out, "check", w, forged)
		if ok := code == engine.ExitDone; ok != (x.tells == "") || !ok && (code != engine.ExitViolation ||
			strings.Count(out.String(), "\n") != 1 || !strings.Contains(out.String(), "K620: "+x.tells)) {
			t.Errorf("%s: exit %d, %s", name, code, out.String())
		}
	}
}
