package campaign

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// faultsKills ends every command with SIGKILL at random moments, half of them while it writes. Each remaining part is
// the earlier one or the new one; the same command then succeeds and leaves nothing else behind.
func faultsKills(t *testing.T, g *ground, n *tally) {
	var jobs []func()
	for i, m := range g.calls {
		if m.loose || strings.HasPrefix(m.name, "validate") || strings.HasPrefix(m.name, "formulate") {
			continue
		}
		kills := killsEach
		if i == 0 {
			kills = max(5, killsEach)
		}
		for k := range kills {
			jobs = append(jobs, func() { g.kill(t, n, m, rand.New(rand.NewPCG(uint64(i), uint64(k)))) })
		}
	}
	side(jobs)
}

// kill kills a writer until one kill comes before its end.
func (g *ground) kill(t *testing.T, n *tally, m *writer, r *rand.Rand) {
	dir := g.folder(t)
	old := state{}
	if r.IntN(3) > 0 {
		old = m.old
	}
	m.put(t, dir, old)
	for tries := 0; ; tries++ {
		if tries == 20 {
			n.fault("%s: it always ends before it is killed", m.name)
			return
		}
		e := g.killed(t, m, dir, r)
		if wrong := m.judge(t, dir, old, e); wrong != "" {
			n.fault("%s, killed: %s\n%v", m.name, wrong, e)
			return
		}
		if wrong := g.checked(m, dir); wrong != "" && len(m.look(t, dir)) > 0 && !m.parts {
			n.fault("%s, killed: %s", m.name, wrong)
			return
		}
		if e.signal == syscall.SIGKILL {
			break
		}
		old = m.look(t, dir)
	}
	n.tried.Add(1)
	switch left := strays(t, dir); {
	case len(left) > 0:
		n.note("with something half written beside the target")
	case len(m.look(t, dir)) == 0:
		n.note("with nothing written")
	}
	e := g.run(nil, m.line(m.args, m.target(dir))...)
	if wrong := m.judge(t, dir, old, e); wrong != "" || e.code != exitDone {
		n.fault("%s, after a kill: %s\n%v", m.name, wrong, e)
	}
	if left := strays(t, dir); len(left) > 0 {
		n.fault("%s, after a kill and a run that was none: left behind: %v", m.name, left)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Error(err)
	}
}

// killed runs a writer and kills it: at a random moment, when it starts writing, or a little later.
func (g *ground) killed(t *testing.T, m *writer, dir string, r *rand.Rand) *ended {
	t.Helper()
	p := g.command(nil, m.line(m.args, m.target(dir))...)
	if err := p.start(); err != nil {
		t.Fatal(err)
	}
	if r.IntN(2) == 0 {
		time.Sleep(time.Duration(r.Int64N(int64(m.took))))
	} else {
		for alive(p) && !m.writing(dir) {
			time.Sleep(50 * time.Microsecond)
		}
		time.Sleep(time.Duration(r.Int64N(4000)) * time.Microsecond)
	}
	_ = p.Process.Kill() // it may have ended
	return p.end()
}

func alive(p *process) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.Process.Pid))
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(text), ") ")
	return !strings.HasPrefix(after, "Z")
}

// writing says whether a temporary file stands beside a target or its parts.
func (m *writer) writing(dir string) bool {
	for _, in := range []string{dir, m.target(dir)} {
		entries, err := os.ReadDir(in)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if strings.Contains(e.Name(), ".mrsched-") {
				return true
			}
		}
	}
	return false
}

// faultsSweepKills ends sweeps that keep their results with SIGKILL again and again: finished rows stay, the next call
// continues, and the tables are those of an undisturbed sweep.
func faultsSweepKills(t *testing.T, g *ground, n *tally) {
	spec := g.in("w", "kept.json")
	text := `{"format":"mrsched-sweep/1","iterations":30,"keep":true,"instances":[{"path":"tenant.json"},{"path":"hta.json"},{"generate":"msjo","preset":"fig1"},{"generate":"msjo","preset":"dag"}],"algorithms":"all","seeds":[1,2,3,4]}`
	if err := os.WriteFile(spec, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	calm := g.folder(t)
	begin := time.Now()
	g.must(t, "sweep", spec, "-o", calm, "-q")
	took := time.Since(begin)
	want, results := g.merged(t, calm), listing(t, filepath.Join(calm, "results"))
	for round := 0; int(n.tried.Load()) < sweepKills && round < sweepKills; round++ {
		g.sweepKilled(t, n, spec, took, want, results, rand.New(rand.NewPCG(uint64(round), 77)))
	}
}

// sweepKilled kills one sweep several times, then lets it finish. It allows more deaths than that, since all of them
// may hit one run.
func (g *ground) sweepKilled(t *testing.T, n *tally, spec string, took time.Duration, want string,
	results map[string]string, r *rand.Rand) {
	out, kills := g.folder(t), min(8, sweepKills)
	rows := filepath.Join(out, "rows-1-of-1.jsonl")
	kept := ""
	call := []string{"sweep", spec, "-o", out, "-q", "--attempts", strconv.Itoa(kills + 1)}
	for range kills {
		p := g.command(nil, call...)
		if err := p.start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(r.Int64N(int64(took / 2))))
		_ = p.Process.Kill() // it may have ended
		if e := p.end(); e.signal == syscall.SIGKILL {
			n.tried.Add(1)
		} else if e.code != exitDone {
			n.fault("sweep: %v", e)
		}
		text, err := os.ReadFile(rows)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		whole := string(text[:strings.LastIndexByte(string(text), '\n')+1])
		if !strings.HasPrefix(whole, kept) {
			n.fault("rows that were finished are not there any more")
		}
		kept = whole
	}
	if e := g.run(nil, call...); e.code != exitDone {
		n.fault("sweep, after kills: %v", e)
	}
	n.note("sweeps, merged to the undisturbed bytes")
	if got := g.merged(t, out); got != want {
		n.fault("a killed sweep makes other tables\n%s\n%s", got, want)
	}
	if !same(listing(t, filepath.Join(out, "results")), results) {
		n.fault("a killed sweep keeps other results: %v", strays(t, out))
	}
	if left := strays(t, out); len(left) > 0 {
		n.fault("sweep, after kills: left behind: %v", left)
	}
}
