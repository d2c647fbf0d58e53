package cli

import (
	"encoding/json"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mrsched/io/engine"
	"mrsched/io/solve"
)

// readStats reads what --stats wrote.
func readStats(t *testing.T, path string) *solve.Stats {
	t.Helper()
	text := readText(t, path)
	s := &solve.Stats{}
	var keys map[string]any
	if err := errors.Join(json.Unmarshal([]byte(text), s), json.Unmarshal([]byte(text), &keys)); err != nil {
		t.Fatal(err)
	}
	if names := slices.Sorted(maps.Keys(keys)); !slices.Equal(names, []string{"peak_mib", "phases", "seconds"}) {
		t.Errorf("the keys are %v", names)
	}
	return s
}

// tree lists the names of phases, with nested ones in brackets.
func tree(list []*solve.Phase) string {
	var names []string
	for _, p := range list {
		name := p.Name
		if len(p.Phases) > 0 {
			name += "[" + tree(p.Phases) + "]"
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

// total adds up the time of phases.
func total(list []*solve.Phase) (seconds float64) {
	for _, p := range list {
		seconds += p.Seconds
	}
	return seconds
}

// TestStatsTellPhases: an earlier version of --stats gave only the total time of each algorithm, which included writing
// the previous algorithm's result. An instance that cannot be read has its time, too.
func TestStatsTellPhases(t *testing.T) {
	dir := t.TempDir()
	small, dag := root+"/instances/examples/fig1.json", root+"/instances/examples/dag.json"
	for name, c := range map[string]struct {
		args []string
		want string // without the phases that algorithms name
	}{
		"solve": {[]string{"solve", small, "-a", "mars,best", "-o", filepath.Join(dir, "s")},
			"read mars[solve] mars verification best[solve] best verification output"},
		"compare": {[]string{"compare", dag, "-a", "mars,huwf"},
			"read mars[solve] mars verification huwf[solve] huwf verification output"},
		"several": {[]string{"solve", small, dag, "-a", "mars", "--threads", "1"},
			small + "[read mars[solve] mars verification output] " + dag + "[read mars[solve] mars verification output] output"},
		"failed": {[]string{"solve", "nowhere.json", small, "-a", "mars", "--threads", "1"},
			"nowhere.json[read output] " + small + "[read mars[solve] mars verification output] output"},
	} {
		file := filepath.Join(dir, name+".json")
		exit := engine.ExitDone
		if name == "failed" {
			exit = engine.ExitUsage
		}
		run(t, exit, append(c.args, "--stats", file, "-q")...)
		s := readStats(t, file)
		if got := tree(pruned(s.Phases)); got != c.want {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		}
		// A busy machine may pause the program between two phases.
		if sum := total(s.Phases); sum > s.Seconds+1e-6 || sum < min(s.Seconds/2, s.Seconds-0.5) || s.PeakMiB <= 0 {
			t.Errorf("%s: the phases took %v s of %v", name, sum, s.Seconds)
		}
		for _, p := range s.Phases {
			if inside := total(p.Phases); inside > p.Seconds+1e-6 || p.Seconds < 0 {
				t.Errorf("%s: %s took %v s, its inner phases %v", name, p.Name, p.Seconds, inside)
			}
		}
	}
}

// pruned leaves out phases that algorithms name.
func pruned(list []*solve.Phase) (kept []*solve.Phase) {
	for _, p := range list {
		q := *p
		if q.Phases = pruned(p.Phases); len(p.Phases) > 0 && p.Phases[0].Name == solve.PhaseSolve {
			q.Phases = p.Phases[:1]
		}
		kept = append(kept, &q)
	}
	return kept
}
