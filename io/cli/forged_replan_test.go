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

// TestForgedReplan: check detects a false claim about the kept part of an earlier result, even under right digests. It
// cannot detect a false digest of the earlier result, which it does not have.
func TestForgedReplan(t *testing.T) {
	dir := t.TempDir()
	run := func(out io.Writer, args ...string) int {
		return Main(append([]string{"mrsched"}, args...), nil, out, os.Stderr)
	}
	w, old, r := filepath.Join(root, "instances/examples/fig1.json"), filepath.Join(dir, "old"), filepath.Join(dir, "r")
	if run(io.Discard, "solve", w, "-a", "huwf", "-o", old, "-q") != engine.ExitDone ||
		run(io.Discard, "solve", w, "--from", old, "--freeze-until", "50", "--change-penalty", "1", "-o", r,
			"-q") != engine.ExitDone ||
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
		"from":        {set("from", "another"), ""},
		"later":       {set("freeze_until", json.Number("200")), "K636"},
		"earlier":     {set("freeze_until", json.Number("0")), "frozen is stated as"},
		"cheaper":     {set("change_penalty", json.Number("0.5")), "change_penalty is stated as"},
		"tolerant":    {set("change_tolerance", json.Number("1000")), "changes is stated as"},
		"negative":    {set("freeze_until", json.Number("-1")), "parameter freeze_until is -1"},
		"as text":     {set("freeze_until", "50"), `parameter freeze_until is "50", and is written as 50`},
		"absent":      {func(r *model.Result) { delete(r.Parameters, "change_tolerance") }, "change_tolerance"},
		"afresh":      {func(r *model.Result) { delete(r.Parameters, "from") }, "best is not run with such a parameter"},
		"by another":  {func(r *model.Result) { r.Algorithm = "exact" }, "exact cannot plan again from a result"},
		"fewer":       {func(r *model.Result) { r.Metrics["changes"] = json.Number("0") }, "changes is stated as 0"},
		"without one": {func(r *model.Result) { delete(r.Metrics, "change_penalty") }, "change_penalty is absent"},
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
		if ok := code == engine.ExitDone; ok != (x.tells == "") || !strings.Contains(out.String(), x.tells) {
			t.Errorf("%s: exit %d, %s", name, code, out.String())
		}
	}
}
