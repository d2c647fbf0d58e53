package campaign

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mrsched/model/tier"
)

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
	name  string
	args  []string // OUT stands for the target
	check string   // the instance of what is written
}

func (g *ground) longRuns(t *testing.T) []longRun {
	t.Helper()
	at := func(name string) string { return g.in("w", name) }
	size := func(n int) string { return strconv.Itoa(max(2, int(float64(n)*largeFaults))) }
	for _, args := range [][]string{
		{"long-msjo.json", "msjo", "--jobs", size(60)}, {"long-hta.json", "hta", "--tasks", size(4000), "--servers", "100",
			"--zipf", "1.1"},
		{"long-placement.json", "reduceplace", "--jobs", size(20000), "--lambda", "0.9"},
		{"long-realtime.json", "realtime", "--jobs", size(60), "--workers", "20"},
		{"long-tenant.json", "multitenant", "--hours", "0.2", "--input-scale", "0.05"}, {"long-cluster.json", "cluster", "--tasks", size(3000), "--nodes",
			"40"},
	} {
		g.must(t, append(append([]string{"generate"}, args[1:]...), "-o", at(args[0]), "-q")...)
	}
	earlier := g.folder(t)
	g.must(t, "solve", at("long-cluster.json"), "-a", "fifo", "-o", earlier, "--force", "-q")
	best := func(problem, algorithm string, more ...string) longRun {
		file := at("long-" + problem + ".json")
		return longRun{"solve -a " + algorithm, append([]string{"solve", file, "-a", algorithm, "--iterations", "1000000000",
			"-o", "OUT"}, more...), file}
	}
	list := []longRun{
		best("msjo", "best"), best("msjo", "mars", "--formulation", "published", "--separation", "every"),
		best("msjo", "exact"),
		best("hta", "best"), best("hta", "exact"), best("hta", "flow-lp"), best("placement", "exact"),
		best("placement", "clairvoyant"),
		best("realtime", "best"), best("realtime", "exact"), best("tenant", "best"), best("tenant", "shufflewatcher"),
		best("cluster", "best"), best("cluster", "exact"),
		best("cluster", "best", "--from", earlier, "--freeze-until", "100"),
		{"size", []string{"size", at("long-cluster.json"), "--nodes", "10..60", "--iterations", "1000000", "-o", "OUT"}, ""},
		{"compare", []string{"compare", at("long-msjo.json"), "--iterations", "1000000000", "-o", "OUT"},
			at("long-msjo.json")},
		{"solve of several instances", []string{"solve", at("long-msjo.json"), at("long-hta.json"), at("long-realtime.json"),
			"--iterations", "1000000000", "-o", "OUT"}, ""},
		{"validate", []string{"validate", "msjo", "--instances", "1000000", "-o", "OUT.json"}, ""},
		{"experiment", []string{"experiment", "mars-fig7", "-o", "OUT"}, ""},
		{"report", []string{"report", g.in("results"), "--instance", at("msjo.json"), "-o", "OUT.html"}, ""},
		{"generate", []string{"generate", "msjo", "--jobs", size(10000), "-o", "OUT.json.gz"}, ""},
		{"import", []string{"import", "alibaba", at("batch.csv"), "-o", "OUT.json"}, ""},
		{"sweep", []string{"sweep", at("long.json"), "-o", "OUT"}, ""},
	}
	spec := `{"format":"mrsched-sweep/1","iterations":100000000,"instances":[{"path":"long-*.json"}],"algorithms":"all"}`
	if err := os.WriteFile(at("long.json"), []byte(spec), 0o600); err != nil {
		t.Fatal(err)
	}
	return list
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
	args := append([]string(nil), x.args...)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "OUT", filepath.Join(dir, "t"))
	}
	p := g.command(nil, append(args, "--threads", "1", "-q")...)
	if !hasThreads(args) {
		p = g.command(nil, append(args, "-q")...)
	}
	if err := p.start(); err != nil {
		t.Fatal(err)
	}
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
	what := fmt.Sprintf("%s (%s), %v after %s", x.name, filepath.Base(x.check), sent, before)
	over := min(time.Since(since), e.cpu-before)
	switch {
	case e.hung || over > faultGrace:
		n.fault("%s: it goes on for %s\n%v", what, over, e)
	case e.code == exitDone:
		n.note("over before")
	case twice && e.signal == sent:
		n.note("ended by the second signal")
	case e.code != exitInterrupted:
		n.fault("%s: want exit %d\n%v", what, exitInterrupted, e)
	default:
		n.note("exit 130")
	}
	if left := strays(t, dir); len(left) > 0 && e.signal == 0 {
		n.fault("%s: left behind: %v\n%v", what, left, e)
	}
	if x.check == "" || e.signal != 0 {
		return
	}
	if _, err := os.Stat(filepath.Join(dir, "t")); err == nil {
		n.note("with a result, which passes check")
		if c := g.run(nil, "check", x.check, filepath.Join(dir, "t")); c.code != exitDone {
			n.fault("%s: check: %v", what, c)
		}
	}
}

func hasThreads(args []string) bool {
	switch args[0] {
	case "report", "generate", "import":
		return false
	}
	return true
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
	n.note("under nohup")
	if e.code != exitDone {
		n.fault("a hangup under nohup: %v", e)
	}
}
