package campaign

import (
	"encoding/json"
	"errors"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"mrsched/io/result"
	"mrsched/model"
	"mrsched/solver"
)

// secondChecker is a script that prints the second checker's verdict on a result: `ok`, or violations.
const secondChecker = `
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from check import verdict
rep = verdict(sys.argv[2], sys.argv[3])
print("; ".join("%s %s" % x for x in rep.found) or "ok")
`

// roundedOff exceeds what rounding takes off a bound when it is printed.
var roundedOff = big.NewRat(1, 1_000_000)

// notSearched matches the note that says why exact has proven nothing.
var notSearched = regexp.MustCompile(`(?m)^note: exact: no (search|schedule)\b`)

// exact lets exact prove the optimum of brute force, or say why it does not search.
func (n *numbers) exact(w string, flags []string) {
	dir := strings.TrimSuffix(w, ".json") + "-exact"
	command := append([]string{"solve", "-a", "exact"}, flags...)
	o := run(slices.Concat(command, []string{w, "-o", filepath.Join(dir, "exact"), "--threads", "1"})...)
	if !n.served(w, command, o) {
		return
	}
	n.verified(w, command, w, filepath.Join(dir, "exact"))
	n.inspect(w, dir)
	n.judged(w, dir, "ok")
	s := n.results(dir)[0]
	switch {
	case s.status != string(model.StatusOptimal):
		if !notSearched.MatchString(o.stderr) {
			n.miss(w, "%q: %s, without a reason: %s", command, s.status, o.stderr)
		}
	case s.bound == nil || new(big.Rat).Sub(s.objective, s.bound).Cmp(roundedOff) >= 0:
		n.searched++
		n.forge(w, dir+"-forged", s.bundle)
	}
}

// forge states that a search had no nodes; no checker must accept that.
func (n *numbers) forge(w, dir string, b *result.Bundle) {
	b.Result.Metrics[result.MetricRun].(map[string]any)[solver.FoundNodes] = json.Number("0")
	digest, err := result.Digest(b.Result)
	noError(n.t, err)
	b.Result.Digest = digest
	noError(n.t, errors.Join(os.Mkdir(dir, 0o700), b.WriteDir(filepath.Join(dir, "exact"), false)))
	if c := run("check", w, filepath.Join(dir, "exact")); c.code != exitViolation || !strings.Contains(c.stdout, "K619") {
		n.miss(w, "no nodes: check says: exit %d %s", c.code, c.stdout)
	}
	n.judged(w, dir, "K619")
}

// judged lets the second checker read a result of exact.
func (n *numbers) judged(w, dir, want string) {
	python, err := exec.LookPath("python3")
	if err != nil {
		return
	}
	at := filepath.Join(dir, "exact")
	out, err := exec.Command(python, "-c", secondChecker, "../../../deploy/verify", w, at).Output()
	if err != nil || !strings.HasPrefix(string(out), want) {
		n.miss(w, "the second checker says: %v %s", err, out)
	}
}
