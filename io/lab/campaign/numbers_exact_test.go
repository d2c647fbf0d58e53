package campaign

import (
	"encoding/json"
	"errors"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mrsched/io/result"
	"mrsched/model"
	"mrsched/solver"
)

// awkward are regimes besides regimes: everyday magnitudes, down to the last digit.
var awkward = []regime{
	{name: "small", times: pool{"1", "2", "3", "5", "8"}, releases: pool{"0", "1", "6"}, weights: pool{"1", "2", "3", "5"},
		bytes: pool{"1", "2", "3", "7", "10"}, costs: pool{"1", "2", "3"}, rates: pool{"1", "2"}, speeds: pool{"1", "2"}},
	{name: "a microsecond more", times: pool{"3", "3.000001", "3.000003", "6.000001"},
		releases: pool{"0", "0.000001", "3"}, weights: pool{"1", "1.000001", "0.999999"},
		bytes: pool{"1000003", "999983", "1000000"}, costs: pool{"1", "1.000001"}, rates: pool{"1000000", "999983"},
		speeds: pool{"1", "1.000001"}},
	{name: "days and primes", times: pool{"604800.000001", "304800.000003", "4800.5", "86399.999983"},
		releases: pool{"0", "5", "86400.000007"}, weights: pool{"10.333333", "20.5", "3.000001", "1000000.000001"},
		bytes: pool{"2147483647", "1000000007", "6700417"}, costs: pool{"10.333333", "3.000001", "7.000003"},
		rates: pool{"104729.7", "1299709"}, speeds: pool{"0.7", "1.3"}},
}

// secondChecker is a script that prints the second checker's verdict on results below a directory: a line each, `ok` or
// violations.
const secondChecker = `
import os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from check import verdict
for k in sys.argv[3:]:
    at = os.path.join(sys.argv[2], k)
    rep = verdict(at + ".json", os.path.join(at, "exact"))
    print("; ".join("%s %s" % x for x in rep.found) or "ok")
`

// roundedOff exceeds what rounding takes off a bound when it is printed.
var roundedOff = big.NewRat(1, 1_000_000)

// exacts collects what exact says of tiny instances.
type exacts struct {
	*numbers
	solved []string // instances with a result
	forged []string // the same, with a false result
	proven int      // results that are optimal by their search alone
	limit  int      // results without an optimum
}

// TestNumbersExact: on tiny instances with awkward or extreme numbers, exact proves the optimum of brute force, or says
// why it does not search. Both checkers accept every result.
func TestNumbersExact(t *testing.T) {
	var names []string
	for _, p := range entries() {
		if slices.ContainsFunc(p.Algorithms, func(a solver.Algorithm) bool { return a.Exhaustive }) {
			names = append(names, p.Name)
		}
	}
	inProcesses(t, names, func(t *testing.T, name string) {
		x := &exacts{numbers: &numbers{t: t, problem: name, name: name, dir: t.TempDir(), ends: map[string]int{}}}
		all := slices.Concat(awkward, regimes)
		for k := range 3 * numbersEach {
			x.one(k, all[k%len(all)])
		}
		x.judged()
		t.Logf("%d results: %d proven by search alone, %d without an optimum, %d optima by brute force; %s", len(x.solved),
			x.proven, x.limit, x.brute, counts(x.ends))
	})
}

// notSearched matches the note that says why exact has proven nothing.
var notSearched = regexp.MustCompile(`(?m)^note: exact: no (search|schedule)\b`)

func (x *exacts) one(k int, g regime) {
	r := rand.New(rand.NewPCG(uint64(k), 4))
	text, err := json.Marshal(extremes(x.problem, r, g))
	if err != nil {
		x.t.Fatal(err)
	}
	name := g.name + " " + id("", k)
	dir := filepath.Join(x.dir, name)
	w := dir + ".json"
	if err := os.WriteFile(w, text, 0o600); err != nil {
		x.t.Fatal(err)
	}
	flags := slices.DeleteFunc(slices.Clone(problemFlags[x.problem]), func(some []string) bool {
		return slices.Contains(some, "--tie") // exact does not depend on it
	})
	command := append([]string{"solve", "-a", "exact"}, pick(r, flags...)...)
	o := run(slices.Concat(command, []string{w, "-o", filepath.Join(dir, "exact"), "--threads", "1"})...)
	if !x.served(w, command, o) {
		return
	}
	x.solved = append(x.solved, name)
	x.verified(w, command, w, filepath.Join(dir, "exact"))
	x.inspect(w, dir)
	s := x.results(dir)[0]
	switch {
	case s.status != string(model.StatusOptimal):
		if x.limit++; !notSearched.MatchString(o.stderr) {
			x.miss(w, "%q: %s, without a reason: %s", command, s.status, o.stderr)
		}
	case s.bound == nil || new(big.Rat).Sub(s.objective, s.bound).Cmp(roundedOff) >= 0:
		x.proven++
		x.forge(text, name, s.bundle)
	}
}

// forge states that a search had no nodes; check must not accept that.
func (x *exacts) forge(instance []byte, name string, b *result.Bundle) {
	b.Result.Metrics[result.MetricRun].(map[string]any)[solver.FoundNodes] = json.Number("0")
	digest, err := result.Digest(b.Result)
	if err != nil {
		x.t.Fatal(err)
	}
	b.Result.Digest = digest
	name = "forged " + name
	dir := filepath.Join(x.dir, name)
	w := dir + ".json"
	if err := errors.Join(os.WriteFile(w, instance, 0o600), os.Mkdir(dir, 0o700),
		b.WriteDir(filepath.Join(dir, "exact"), false)); err != nil {
		x.t.Fatal(err)
	}
	x.forged = append(x.forged, name)
	if c := run("check", w, filepath.Join(dir, "exact")); c.code != exitViolation || !strings.Contains(c.stdout, "K619") {
		x.miss(w, "no nodes: check says: exit %d %s", c.code, c.stdout)
	}
}

// judged demands that the second checker accepts all results but the false ones.
func (x *exacts) judged() {
	python, err := exec.LookPath("python3")
	if err != nil || len(x.solved) == 0 {
		return
	}
	all := slices.Concat(x.solved, x.forged)
	args := append([]string{"-c", secondChecker, filepath.Join("..", "..", "..", "deploy", "verify"), x.dir}, all...)
	out, err := exec.Command(python, args...).CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(lines) != len(all) {
		x.t.Fatalf("%v\n%s", err, out)
	}
	for k, line := range lines {
		if want := map[bool]string{true: "ok", false: "K619"}[k < len(x.solved)]; !strings.HasPrefix(line, want) {
			x.miss(filepath.Join(x.dir, all[k]+".json"), "the second checker says: %s", line)
		}
	}
}
