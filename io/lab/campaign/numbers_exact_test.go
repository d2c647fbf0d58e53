package campaign

import (
	"encoding/json"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"mrsched/io/result"
	"mrsched/model"
	"mrsched/solver"
)

// roundedOff exceeds what rounding takes off a bound when it is printed.
var roundedOff = big.NewRat(1, 1_000_000)

// notSearched matches the note that says why exact has proven nothing.
var notSearched = regexp.MustCompile(`(?m)^note: exact: no (search|schedule)\b`)

// exact lets exact prove an optimum, or say why it does not search.
func (n *numbers) exact(w string, flags []string) {
	dir := strings.TrimSuffix(w, ".json") + "-exact"
	command := append([]string{"solve", "-a", "exact"}, flags...)
	o := run(slices.Concat(command, []string{w, "-o", filepath.Join(dir, "exact"), "--threads", "1"})...)
	if !n.served(w, command, o) {
		return
	}
	n.verified(w, command, w, filepath.Join(dir, "exact"))
	n.inspect(w, dir)
	s := n.results(dir)[0]
	switch {
	case s.status != string(model.StatusOptimal):
		if !notSearched.MatchString(o.stderr) {
			n.miss(w, "%q: %s, without a reason: %s", command, s.status, o.stderr)
		}
	case s.bound == nil || new(big.Rat).Sub(s.objective, s.bound).Cmp(roundedOff) >= 0:
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
	if found := n.second.judge(w, filepath.Join(dir, "exact")); len(found) == 0 || found[0].Code != model.CodeStatus {
		n.miss(w, "no nodes: the second checker says: %v", found)
	}
}
