package campaign

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mrsched/model/tier"
)

// faultsKills ends every command with SIGKILL at random moments, half of them while it writes. Each remaining part is
// the earlier one or the new one; the same command then succeeds and leaves nothing else behind.
func faultsKills(t *testing.T, g *ground, n *tally) {
	var jobs []func()
	for i, m := range g.calls {
		if strings.HasPrefix(m.command, "validate") || strings.HasPrefix(m.command, "formulate") {
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
			n.fault("%s: it always ends before it is killed", m.command)
			return
		}
		e := g.killed(t, m, dir, r)
		if wrong := m.judge(t, dir, old, e); wrong != "" {
			n.fault("%s, killed: %s\n%v", m.command, wrong, e)
			return
		}
		if wrong := g.checked(m, dir); wrong != "" && len(m.look(t, dir)) > 0 && !m.parts {
			n.fault("%s, killed: %s", m.command, wrong)
			return
		}
		if e.signal == syscall.SIGKILL {
			break
		}
		old = m.look(t, dir)
	}
	n.tried.Add(1)
	e := g.run(nil, m.line(m.command, m.target(dir))...)
	if wrong := m.judge(t, dir, old, e); wrong != "" || e.code != exitDone {
		n.fault("%s, after a kill: %s\n%v", m.command, wrong, e)
	}
	n.clean(dir, m.command+", after a kill and a run that was none", e)
	if err := os.RemoveAll(dir); err != nil {
		t.Error(err)
	}
}

// killed runs a writer and kills it: at a random moment, when it starts writing, or a little later.
func (g *ground) killed(t *testing.T, m *writer, dir string, r *rand.Rand) *ended {
	t.Helper()
	p := g.command(nil, m.line(m.command, m.target(dir))...)
	noError(t, p.start())
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

// faultsSweepKills ends sweeps with SIGKILL again and again: finished rows stay, the next call
// continues, and the tables are those of an undisturbed sweep.
func faultsSweepKills(t *testing.T, g *ground, n *tally) {
	spec := g.in("w", "kept.json")
	text := `{"format":"mrsched-sweep/1","iterations":30,"instances":[{"path":"tenant.json"},{"path":"hta.json"},{"generate":"msjo","preset":"fig1"},{"generate":"msjo","preset":"dag"}],"algorithms":"all","seeds":[1,2,3,4]}`
	noError(t, os.WriteFile(spec, []byte(text), 0o600))
	calm := g.folder(t)
	begin := time.Now()
	g.must(t, "sweep", spec, "-o", calm, "-q")
	took := time.Since(begin)
	want := g.merged(t, calm)
	for round := 0; int(n.tried.Load()) < sweepKills && round < sweepKills; round++ {
		g.sweepKilled(t, n, spec, took, want, rand.New(rand.NewPCG(uint64(round), 77)))
	}
}

// sweepKilled kills one sweep several times, then lets it finish. It allows more deaths than that, since all of them
// may hit one run.
func (g *ground) sweepKilled(t *testing.T, n *tally, spec string, took time.Duration, want string,
	r *rand.Rand) {
	out, kills := g.folder(t), min(8, sweepKills)
	rows := filepath.Join(out, "rows-1-of-1.jsonl")
	kept := ""
	call := []string{"sweep", spec, "-o", out, "-q", "--retry-failed"}
	for range kills {
		p := g.command(nil, call...)
		noError(t, p.start())
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
	for range 2 { // the first gives up what was under way at three kills, the second tries it again
		if e := g.run(nil, call...); e.code != exitDone {
			n.fault("sweep, after kills: %v", e)
		}
	}
	if got := g.merged(t, out); got != want {
		n.fault("a killed sweep makes other tables\n%s\n%s", got, want)
	}
	n.clean(out, "sweep, after kills", nil)
}

// faultGrace is the processor time that a command may take to end after a signal or a time limit: it finishes a step,
// verifies what it has and writes it, for instances of some ten thousand tasks.
const faultGrace = 3 * time.Second

// ticks is how many units a second has in which Linux counts processor time.
const ticks = 100

func worked(pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(after)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11]) // utime and stime, the 14th and 15th fields
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * time.Second / ticks
}

// longRun is a command that takes longer than any test waits unless it is interrupted.
type longRun struct {
	command string // in the ground's directory; OUT stands for the target
	check   string // the instance of what is written
}

func (g *ground) longRuns(t *testing.T) []longRun {
	t.Helper()
	size := func(n int) string { return strconv.Itoa(max(2, int(float64(n)*largeFaults))) }
	for _, line := range []string{
		"generate msjo --jobs " + size(60) + " -o w/long-msjo.json",
		"generate hta --servers 100 --zipf 1.1 --tasks " + size(4000) + " -o w/long-hta.json",
		"generate reduceplace --lambda 0.9 --jobs " + size(20000) + " -o w/long-placement.json",
		"generate realtime --workers 20 --jobs " + size(60) + " -o w/long-realtime.json",
		"generate multitenant --hours 0.2 --input-scale 0.05 -o w/long-tenant.json",
		"generate cluster --nodes 40 --tasks " + size(3000) + " -o w/long-cluster.json",
		"solve w/long-cluster.json -a fifo -o long-planned --force",
	} {
		g.must(t, strings.Fields(line+" -q")...)
	}
	var list []longRun
	for _, of := range []string{"msjo.json -a best", "msjo.json -a mars --formulation published --separation every",
		"msjo.json -a exact", "hta.json -a best", "hta.json -a exact", "hta.json -a flow-lp", "placement.json -a exact",
		"placement.json -a best", "realtime.json -a best", "realtime.json -a exact", "tenant.json -a best",
		"tenant.json -a shufflewatcher", "cluster.json -a best", "cluster.json -a exact",
		"cluster.json -a best --from long-planned --freeze-until 100"} {
		file, _, _ := strings.Cut(of, " ")
		list = append(list, longRun{"solve w/long-" + of + " --iterations 1000000000 -o OUT", "w/long-" + file})
	}
	spec := `{"format":"mrsched-sweep/1","iterations":100000000,"instances":[{"path":"long-*.json"}],"algorithms":"all"}`
	noError(t, os.WriteFile(g.in("w", "long.json"), []byte(spec), 0o600))
	return append(list,
		longRun{"compare w/long-msjo.json --iterations 1000000000 -o OUT", "w/long-msjo.json"},
		longRun{"size w/long-cluster.json --nodes 10..60 --iterations 1000000 -o OUT", ""},
		longRun{"solve w/long-msjo.json w/long-hta.json w/long-realtime.json --iterations 1000000000 -o OUT", ""},
		longRun{"validate msjo --instances 1000000 -o OUT.json", ""},
		longRun{"experiment mars-fig7 -o OUT", ""},
		longRun{"report results --instance w/msjo.json -o OUT.html", ""},
		longRun{"generate msjo --jobs " + size(10000) + " -o OUT.json.gz", ""},
		longRun{"import alibaba w/batch.csv -o OUT.json", ""},
		longRun{"sweep w/long.json -o OUT", ""})
}

// faultsSignals interrupts commands at random moments: they end with exit code 130 within the grace and leave complete
// output or none; a second signal ends them at once.
func faultsSignals(t *testing.T, g *ground, n *tally) {
	hangups := make(chan os.Signal, 1)
	// under nohup, programs inherit that hangups are ignored unless they are handled here
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	var jobs []func()
	for i, x := range g.longRuns(t) {
		for k := range signalsEach {
			if !tier.Nightly && i%7 != 0 {
				continue
			}
			sent := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}[(i+k)%3]
			jobs = append(jobs, func() { g.interrupt(t, n, x, sent, rand.New(rand.NewPCG(uint64(i), uint64(k))), false) })
		}
		if tier.Nightly {
			jobs = append(jobs, func() { g.interrupt(t, n, x, syscall.SIGINT, rand.New(rand.NewPCG(uint64(i), 99)), true) })
		}
	}
	side(jobs)
	g.hangup(t, n)
}

// interrupt sends one signal or two after a random share of one or two seconds of work.
func (g *ground) interrupt(t *testing.T, n *tally, x longRun, sent syscall.Signal, r *rand.Rand, twice bool) {
	dir := g.folder(t)
	args := strings.Fields(strings.ReplaceAll(x.command, "OUT", filepath.Join(dir, "t")))
	if !slices.Contains([]string{"report", "generate", "import"}, args[0]) {
		args = append(args, "--threads", "1")
	}
	p := g.command(nil, append(args, "-q")...)
	noError(t, p.start())
	goal := 30*time.Millisecond + time.Duration(r.Int64N(int64(1500*time.Millisecond)))
	for alive(p) && worked(p.Process.Pid) < goal {
		time.Sleep(2 * time.Millisecond)
	}
	before, since := worked(p.Process.Pid), time.Now()
	_ = p.Process.Signal(sent) // it may have ended
	if twice {
		time.Sleep(5 * time.Millisecond)
		_ = p.Process.Signal(sent)
	}
	e := p.end()
	n.tried.Add(1)
	what := fmt.Sprintf("%s, %v after %s", x.command, sent, before)
	over := min(time.Since(since), e.cpu-before)
	switch {
	case e.hung || over > faultGrace:
		n.fault("%s: it goes on for %s\n%v", what, over, e)
	case e.code == exitDone:
	case twice && e.signal == sent:
	case e.code != exitInterrupted:
		n.fault("%s: want exit %d\n%v", what, exitInterrupted, e)
	default:
	}
	if e.signal == 0 {
		n.clean(dir, what, e)
	}
	if x.check == "" || e.signal != 0 {
		return
	}
	if _, err := os.Stat(filepath.Join(dir, "t")); err == nil {
		if c := g.run(nil, "check", x.check, filepath.Join(dir, "t")); c.code != exitDone {
			n.fault("%s: check: %v", what, c)
		}
	}
}

// hangup demands that nohup works.
func (g *ground) hangup(t *testing.T, n *tally) {
	if !tier.Nightly {
		return
	}
	p := g.command([]string{"nohup"}, "solve", g.in("w", "msjo.json"), "-a", "best", "--time-limit", "1s", "-q")
	if err := p.start(); err != nil {
		t.Logf("SKIPPED: %v", err)
		p.cancel()
		return
	}
	time.Sleep(400 * time.Millisecond)
	_ = p.Process.Signal(syscall.SIGHUP)
	e := p.end()
	n.tried.Add(1)
	if e.code != exitDone {
		n.fault("a hangup under nohup: %v", e)
	}
}
