package campaign

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mrsched/model/tier"
)

// faultsStreams closes or fills standard output, input and error.
func faultsStreams(t *testing.T, g *ground, n *tally) {
	at := func(name string) string { return g.in("w", name) }
	results := g.in("results")
	printing := [][]string{
		{"solve", at("msjo.json"), "-a", "mars", "-q"}, {"solve", at("msjo.json"), "-a", "mars", "-o", "-", "-q"},
		{"solve", at("msjo.json"), "-a", "mars", "--json", "-q"},
		{"compare", at("realtime.json"), "-q"}, {"compare", at("realtime.json"), "--json", "-q"},
		{"compare", at("realtime.json"), "-o", "-", "-q"},
		{"solve", at("tenant.json"), at("hta.json"), "-q"}, {"solve", at("tenant.json"), at("hta.json"), "--json", "-q"},
		{"check", at("msjo.json"), results}, {"diff", results + "/mars", results + "/huwf"},
		{"diff", results + "/mars", results + "/huwf", "--json"},
		{"explain", at("msjo.json"), results + "/mars", "j1"}, {"generate", "msjo"},
		{"validate", "hta", "--instances", "2", "-q"}, {"experiment"},
		{"import", "alibaba", at("batch.csv"), "-o", "-", "-q"}, {"formulate", at("msjo.json"), "--format", "lp"},
		{"schema", "workload"},
		{"sweep", at("sweep.json"), "--dry-run"}, {"sweep", "merge", g.in("sweep")}, {"report", results, "-o", "-", "-q"},
		{"version"}, {"--help"}, {"solve", "--help"},
		{"man"}, {"completion", "bash"}, {"--version"},
		{"size", at("cluster.json"), "--nodes", "5..7", "-a", "tetris", "-q"},
		{"size", at("cluster.json"), "--nodes", "5..7", "-a", "tetris", "--json", "-q"},
		{"solve", at("cluster.json"), "--from", g.in("planned"), "--iterations", "30", "-q"},
		{"compare", at("cluster.json"), "-a", "fifo,drf", "-o", "-", "-q"},
		{"import", "spark", at("app.json"), "-q"}, {"lint", at("cluster.json")},
	}
	var jobs []func()
	for i, args := range printing {
		if !tier.Nightly && i%9 != 0 {
			continue
		}
		jobs = append(jobs, func() { g.fullOutput(n, args) }, func() { g.closedPipe(t, n, args) })
		for _, redirect := range []string{">&-", "2>&-", "<&-", "2>/dev/full"} {
			jobs = append(jobs, func() { g.redirected(n, args, redirect) })
		}
	}
	side(jobs)
	g.pipedBatch(t, n)
	g.noInput(n)
}

// fullOutput prints to a device that is full.
func (g *ground) fullOutput(n *tally, args []string) {
	e := g.run([]string{"sh", "-c", `exec "$@" >/dev/full`, "sh"}, args...)
	n.tried.Add(1)
	n.note("outputs to a full device")
	if e.code != exitInternal || !strings.Contains(e.stderr, "no space left on device") {
		n.fault("%q > /dev/full: want exit %d and a word about it\n%v", args, exitInternal, e)
	}
}

// closedPipe prints into a pipe whose reader has gone.
func (g *ground) closedPipe(t *testing.T, n *tally, args []string) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Error(err)
		return
	}
	p := g.command(nil, args...)
	p.Stdout = w
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if err := p.start(); err != nil {
		t.Error(err)
		return
	}
	e := p.end()
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	n.tried.Add(1)
	n.note("closed pipes")
	if e.code != exitPipe || strings.Contains(e.stderr, "pipe") {
		n.fault("%q | (nobody): want exit %d and no word\n%v", args, exitPipe, e)
	}
}

// redirected runs a command with a closed or full stream that it does not need.
func (g *ground) redirected(n *tally, args []string, redirect string) {
	e := g.run([]string{"sh", "-c", `exec "$@" ` + redirect, "sh"}, args...)
	plain := g.run(nil, args...)
	n.tried.Add(1)
	n.note("other streams closed or full")
	if e.code != plain.code || redirect != ">&-" && e.stdout != plain.stdout {
		n.fault("%q %s: want exit %d\n%v", args, redirect, plain.code, e)
	}
}

// pipedBatch writes results of many instances while only the first line of output is read: all are written.
func (g *ground) pipedBatch(t *testing.T, n *tally) {
	for _, more := range [][]string{nil, {"--json"}} {
		dir := g.folder(t)
		args := append([]string{"solve", g.in("w", "msjo.json"), g.in("w", "hta.json"), g.in("w", "tenant.json"),
			"--iterations", "3", "-o", filepath.Join(dir, "t"), "-q"}, more...)
		e := g.run([]string{"sh", "-c", `"$@" | head -1`, "sh"}, args...)
		n.tried.Add(1)
		n.note("batches piped to head")
		if left := strays(t, dir); len(left) > 0 || strings.Count(e.stdout, "\n") != 1 || e.stderr != "" {
			n.fault("%q | head -1: left %v\n%v", args, left, e)
		}
		for _, name := range []string{"msjo/result.json", "hta/result.json", "tenant/result.json", "summary.csv",
			"summary.json"} {
			if _, err := os.Stat(filepath.Join(dir, "t", name)); err != nil {
				n.fault("%q | head -1: %v", args, err)
			}
		}
	}
}

// noInput reads an instance from standard input that is closed or empty.
func (g *ground) noInput(n *tally) {
	for _, redirect := range []string{"<&-", "</dev/null"} {
		for _, args := range [][]string{{"solve", "-", "-p", "msjo"}, {"import", "swim", "-"}, {"import", "spark", "-"}, {"size", "-", "--nodes", "1..2"}} {
			e := g.run([]string{"sh", "-c", `exec "$@" ` + redirect, "sh"}, args...)
			n.tried.Add(1)
			n.note("inputs that are not there")
			if e.code != exitUsage || e.stderr == "" {
				n.fault("%q %s: want exit %d\n%v", args, redirect, exitUsage, e)
			}
		}
	}
}
