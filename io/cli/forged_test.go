package cli

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/model"
)

// forgery changes a result. tells is what check says of it; empty: it is accepted.
type forgery struct {
	forge func(r *model.Result)
	tells string
}

func set(name string, value any) func(*model.Result) {
	return func(r *model.Result) { r.Parameters[name] = value }
}

func unset(name string) func(*model.Result) {
	return func(r *model.Result) { delete(r.Parameters, name) }
}

// forged lets check read forgeries of a result, each under right digests, after the result itself. With a code, check
// must find that alone.
func forged(t *testing.T, w, r, code string, list map[string]forgery) {
	t.Helper()
	run(t, engine.ExitDone, "check", w, r)
	for _, name := range slices.Sorted(maps.Keys(list)) {
		b, found, err := result.Read(r)
		if err != nil || len(found) > 0 {
			t.Fatal(err, found)
		}
		list[name].forge(b.Result)
		if b.Result.Digest, err = result.Digest(b.Result); err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(t.TempDir(), "forged")
		if err := b.WriteDir(to, false); err != nil {
			t.Fatal(err)
		}
		if list[name].tells == "" {
			run(t, engine.ExitDone, "check", w, to)
			continue
		}
		out := run(t, engine.ExitViolation, "check", w, to)
		if code != "" && strings.Count(out, "\n") != 1 || !strings.Contains(out, code+list[name].tells) {
			t.Errorf("%s: %s", name, out)
		}
	}
}

// TestForgedProvenance: check reports an unknown algorithm, and parameters with which an algorithm does not run, even
// under right digests. It does not report another seed or number of iterations: no claim of a result depends on them.
func TestForgedProvenance(t *testing.T) {
	w, r := filepath.Join(root, "instances/examples/fig1.json"), filepath.Join(t.TempDir(), "r")
	run(t, engine.ExitDone, "solve", w, "-a", "best", "-o", r, "-q")
	forged(t, w, r, "K620: ", map[string]forgery{
		"seed":              {func(r *model.Result) { r.Seed = 2 }, ""},
		"iterations":        {set("iterations", json.Number("7")), ""},
		"time limit":        {set("time_limit", json.Number("7.5")), ""},
		"algorithm":         {func(r *model.Result) { r.Algorithm = "beast" }, `msjo has no algorithm "beast"`},
		"no algorithm":      {func(r *model.Result) { r.Algorithm = "" }, `msjo has no algorithm ""`},
		"unknown parameter": {set("speed", json.Number("9")), "parameter speed is 9; best is not run with such a parameter"},
		"another's parameter": {func(r *model.Result) { r.Algorithm = "mars" },
			"parameter batch-interval is 50; mars is not run with such a parameter"},
		"absent parameter": {unset("epsilon"),
			"parameter epsilon is null, and is written as 0"},
		"parameter as text": {set("epsilon", "0"), `parameter epsilon is "0", and is written as 0`},
		"no iterations": {unset("iterations"),
			"the parameters name neither iterations nor time_limit"},
		"half an iteration":      {set("iterations", json.Number("0.5")), "parameter iterations is 0.5"},
		"iterations in a list":   {set("iterations", []any{json.Number("5")}), "parameter iterations is [5]"},
		"iterations as text":     {set("iterations", "5"), `parameter iterations is "5", and is written as 5`},
		"time limit as text":     {set("time_limit", "5"), "parameter time_limit"},
		"time limit of a second": {set("time_limit", json.Number("1.0")), "parameter time_limit is 1.0, and is written as 1"},
	})
}

// TestForgedReplan: check detects a false claim about the kept part of an earlier result. It cannot detect a false
// digest of the earlier result, which it does not have.
func TestForgedReplan(t *testing.T) {
	dir := t.TempDir()
	w, old, r := filepath.Join(root, "instances/examples/fig1.json"), filepath.Join(dir, "old"), filepath.Join(dir, "r")
	run(t, engine.ExitDone, "solve", w, "-a", "huwf", "-o", old, "-q")
	run(t, engine.ExitDone, "solve", w, "--from", old, "--freeze-until", "50", "--change-penalty", "1", "-o", r, "-q")
	forged(t, w, r, "", map[string]forgery{
		"from":        {set("from", "another"), ""},
		"later":       {set("freeze_until", json.Number("200")), "K636"},
		"earlier":     {set("freeze_until", json.Number("0")), "frozen is stated as"},
		"cheaper":     {set("change_penalty", json.Number("0.5")), "change_penalty is stated as"},
		"tolerant":    {set("change_tolerance", json.Number("1000")), "changes is stated as"},
		"negative":    {set("freeze_until", json.Number("-1")), "parameter freeze_until is -1"},
		"as text":     {set("freeze_until", "50"), `parameter freeze_until is "50", and is written as 50`},
		"absent":      {unset("change_tolerance"), "change_tolerance"},
		"afresh":      {unset("from"), "best is not run with such a parameter"},
		"by another":  {func(r *model.Result) { r.Algorithm = "exact" }, "exact cannot plan again from a result"},
		"fewer":       {func(r *model.Result) { r.Metrics["changes"] = json.Number("0") }, "changes is stated as 0"},
		"without one": {func(r *model.Result) { delete(r.Metrics, "change_penalty") }, "change_penalty is absent"},
	})
}

// TestForgedFacts: the answer about a formula, and the bound on bytes that cross racks, follow from the schedule.
func TestForgedFacts(t *testing.T) {
	facts := func(forge func(facts map[string]any)) forgery {
		return forgery{func(r *model.Result) { forge(r.Metrics["run"].(map[string]any)) }, "run."}
	}
	dir := t.TempDir()
	w, r := filepath.Join(dir, "w.json"), filepath.Join(dir, "r")
	run(t, engine.ExitDone, "generate", "hta", "--preset", "3sat", "--cnf",
		filepath.Join(root, "instances/examples/phi.cnf"), "-o", w)
	run(t, engine.ExitDone, "solve", w, "-a", "exact", "-o", r, "-q")
	forged(t, w, r, "K615: ", map[string]forgery{
		"satisfiable": facts(func(facts map[string]any) { facts["satisfiable"] = false }),
		"assignment":  facts(func(facts map[string]any) { facts["truth_assignment"].(map[string]any)["x99"] = true }),
		"no answer":   facts(func(facts map[string]any) { delete(facts, "truth_assignment") }),
	})
	w, r = filepath.Join(root, "instances/examples/fig7.json"), filepath.Join(dir, "fig7")
	run(t, engine.ExitDone, "solve", w, "-a", "shufflewatcher", "-o", r, "-q")
	forged(t, w, r, "K615: ", map[string]forgery{
		"more": facts(func(facts map[string]any) { facts["cross_rack_bytes_bound"] = 10_000_000_001 }),
		"none": facts(func(facts map[string]any) { delete(facts, "cross_rack_bytes_bound") }),
	})
}
