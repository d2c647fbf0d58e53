package campaign

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"mrsched/model/tier"
	"mrsched/solver"
)

// fileOf is the name of the instance of a problem, without .json.
func fileOf(problem string) string {
	return cmp.Or(map[string]string{"reduceplace": "placement", "multitenant": "tenant"}[problem], problem)
}

// faultsTimeLimits runs every algorithm on a small and a large instance under time limits from 1 ms on.
func faultsTimeLimits(t *testing.T, g *ground, n *tally) {
	if _, err := os.Stat(g.in("w", "long-msjo.json")); err != nil {
		g.longRuns(t) // makes the large instances
	}
	var jobs []func()
	for _, p := range entries() {
		for i, a := range p.Algorithms {
			for _, prefix := range []string{"", "long-"} {
				for _, limit := range g.limits(a, prefix != "") {
					if !tier.Nightly && (i%4 != 0 || limit > time.Millisecond || prefix != "") {
						continue
					}
					jobs = append(jobs, func() { g.underLimit(t, n, prefix+fileOf(p.Name)+".json", a, limit) })
				}
			}
		}
	}
	side(jobs)
}

// limits are the time limits for an algorithm.
func (g *ground) limits(a solver.Algorithm, large bool) []time.Duration {
	list := []time.Duration{time.Millisecond, 30 * time.Millisecond}
	if large {
		list = append(list, 500*time.Millisecond)
	}
	if large && a.Default {
		list = append(list, time.Duration(faultSeconds)*time.Second)
	}
	return list
}

func (g *ground) underLimit(t *testing.T, n *tally, file string, a solver.Algorithm, limit time.Duration) {
	dir := g.folder(t)
	instance, out := g.in("w", file), filepath.Join(dir, "r")
	fail := n.tried.Add(1)%3 == 0
	args := []string{"solve", instance, "-a", a.Name, "--time-limit", limit.String(), "--threads", "1", "-o", out,
		"--stats", filepath.Join(dir, "s.json"), "-q"}
	if fail {
		args = append(args, "--fail-on-limit")
	}
	e := g.run(nil, args...)
	what := fmt.Sprintf("%s of %s under %s", a.Name, file, limit)
	if e.code == exitUsage { // the algorithm is none for this instance; it says so
		n.note("refusals: the algorithm is none for the instance")
		return
	}
	var s struct {
		Phases []struct {
			Name    string
			Seconds float64
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "s.json"))
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		n.fault("%s: %v\n%v", what, err, e)
		return
	}
	rest := 0.0 // reading, verification, writing
	for _, p := range s.Phases {
		if p.Name != a.Name {
			rest += p.Seconds
		}
	}
	took := min(e.wall, e.cpu) - time.Duration(rest*float64(time.Second))
	if e.hung || took > limit+faultGrace {
		n.fault("%s: it takes %s besides reading and verification\n%v", what, took, e)
	}
	g.limitedResult(t, n, what, instance, out, e, fail)
}

// limitedResult judges what a run under a limit wrote.
func (g *ground) limitedResult(t *testing.T, n *tally, what, instance, out string, e *ended, fail bool) {
	t.Helper()
	var r struct{ Status string }
	text, err := os.ReadFile(filepath.Join(out, "result.json"))
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		n.fault("%s: %v\n%v", what, err, e)
		return
	}
	n.note("results with status " + r.Status)
	want := exitDone
	if fail && r.Status == "limit" {
		want = exitLimit
	}
	if e.code != want {
		n.fault("%s: status %s, want exit %d\n%v", what, r.Status, want, e)
	}
	if c := g.run(nil, "check", instance, out); c.code != exitDone {
		n.fault("%s: check: %v", what, c)
	}
}

// faultsClock moves the wall clock that the C library reads while the program runs: limits and results stay the same.
// Go reads a clock that cannot be set.
func faultsClock(t *testing.T, g *ground, n *tally) {
	library := ""
	for _, pattern := range []string{"/usr/lib/*/faketime/libfaketime.so.1", "/usr/lib/faketime/libfaketime.so.1",
		"/usr/local/lib/faketime/libfaketime.so.1"} {
		if found, err := filepath.Glob(pattern); err == nil && len(found) > 0 {
			library = found[0]
		}
	}
	if library == "" {
		t.Log("SKIPPED: there is no libfaketime; on Debian, apt-get install faketime")
		return
	}
	for k, clock := range []string{"+0 x100000", "+0 x0.0001", "-10y", "+30y", "+0 i1000"} {
		if !tier.Nightly && k > 0 {
			break
		}
		wrap := []string{"env", "LD_PRELOAD=" + library, "FAKETIME=" + clock, "FAKETIME_DONT_RESET=1"}
		for i, m := range g.calls[:4] {
			if !tier.Nightly && i > 0 {
				break
			}
			dir := g.folder(t)
			e := g.run(wrap, m.line(m.args, m.target(dir))...)
			n.tried.Add(1)
			n.note("results that do not depend on the clock")
			if wrong := m.judge(t, dir, state{}, e); wrong != "" || e.code != exitDone {
				n.fault("%s, clock %s: %s\n%v", m.name, clock, wrong, e)
			}
		}
		for _, args := range [][]string{{"msjo.json", "best"}, {"msjo.json", "mars", "--formulation", "published",
			"--separation", "every"}, {"hta.json", "flow-lp"}, {"placement.json", "clairvoyant"}} {
			if !tier.Nightly {
				break
			}
			e := g.run(wrap, append([]string{"solve", g.in("w", args[0]), "-a", args[1], "--time-limit", "800ms", "--threads",
				"1", "-q"}, args[2:]...)...)
			n.tried.Add(1)
			n.note("time limits that do not depend on the clock")
			if args[1] == "best" && e.wall < 700*time.Millisecond || min(e.wall, e.cpu) > 800*time.Millisecond+faultGrace ||
				e.code != exitDone {
				n.fault("%s, clock %s: %v", args[1], clock, e)
			}
		}
	}
}

// faultsMemory limits memory: the program succeeds, or ends with a message and a nonzero exit code, and nothing is
// lost. A process without memory cannot clean up; the next one does.
func faultsMemory(t *testing.T, g *ground, n *tally) {
	const least, most = 1_050_000, 1_900_000 // KiB of addresses: Go's own needs, and enough for all
	var jobs []func()
	for i, m := range g.calls {
		if !tier.Nightly && i%5 != 0 {
			continue
		}
		for k := range memorySizes {
			jobs = append(jobs, func() {
				size := least + (most-least)*k/memorySizes
				dir := g.folder(t)
				m.put(t, dir, m.old)
				e := g.run(limited("-v "+strconv.Itoa(size)), m.line(m.args, m.target(dir))...)
				n.tried.Add(1)
				what := fmt.Sprintf("%s with %d KiB", m.name, size)
				if wrong := m.judge(t, dir, m.old, e); wrong != "" {
					n.fault("%s: %s\n%v", what, wrong, e)
				}
				if e.code == exitDone {
					n.note("with memory enough")
				} else if n.note("ends without memory"); e.stderr == "" {
					n.fault("%s: no message\n%v", what, e)
				}
				if e := g.run(nil, m.line(m.args, m.target(dir))...); e.code != exitDone || len(strays(t, dir)) > 0 {
					n.fault("%s: afterwards: %v %v", what, strays(t, dir), e)
				}
			})
		}
		jobs = append(jobs, func() {
			dir := g.folder(t)
			e := g.run([]string{"env", "GOMEMLIMIT=8MiB"}, m.line(m.args, m.target(dir))...)
			n.tried.Add(1)
			n.note("under GOMEMLIMIT")
			if wrong := m.judge(t, dir, state{}, e); wrong != "" || e.code != exitDone {
				n.fault("%s with GOMEMLIMIT: %s\n%v", m.name, wrong, e)
			}
		})
	}
	side(jobs)
}
