package campaign

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"mrsched/model/tier"
)

// noSpace is what the system says of a full disk.
const noSpace = "no space left on device"

// page is the unit in which a small disk grows.
const page = 4096

// smallDisk is a file system in memory.
type smallDisk struct{ dir string }

// newSmallDisk mounts one, or says why it cannot.
func newSmallDisk(t *testing.T, g *ground) (*smallDisk, error) {
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		return nil, fmt.Errorf("only root may mount a file system")
	}
	d := &smallDisk{g.folder(t)}
	return d, d.mount(0, "size=64m")
}

func (d *smallDisk) mount(flags uintptr, options string) error {
	return syscall.Mount("tmpfs", d.dir, "tmpfs", flags, options)
}

func (d *smallDisk) remove(t *testing.T) {
	if err := syscall.Unmount(d.dir, 2); err != nil { // MNT_DETACH
		t.Error(err)
	}
}

// shrink leaves a number of free pages or, with inodes, of free inodes.
func (d *smallDisk) shrink(free int, inodes bool) error {
	var s syscall.Statfs_t
	if err := syscall.Statfs(d.dir, &s); err != nil {
		return err
	}
	if inodes {
		return d.mount(syscall.MS_REMOUNT, fmt.Sprintf("size=64m,nr_inodes=%d", int(s.Files-s.Ffree)+free))
	}
	return d.mount(syscall.MS_REMOUNT, fmt.Sprintf("size=%d", (int(s.Blocks-s.Bfree)*int(s.Bsize)/page+free)*page))
}

// faultsFullDisk runs every command on disks with room for some part of its output, with and without an earlier result
// there.
func faultsFullDisk(t *testing.T, g *ground, n *tally) {
	probe, err := newSmallDisk(t, g)
	if err != nil {
		t.Logf("SKIPPED: no small disk can be made: %v; TestFaults/file_size_limit takes its place", err)
		return
	}
	probe.remove(t)
	var jobs []func()
	for _, m := range g.someCalls() {
		for _, earlier := range []bool{false, true} {
			for _, inodes := range []bool{false, true} {
				jobs = append(jobs, func() { g.fill(t, n, m, earlier, inodes) })
			}
		}
	}
	side(jobs)
	g.fullSweeps(t, n)
}

// fill runs a writer on disks with more and more room until it succeeds.
func (g *ground) fill(t *testing.T, n *tally, m *writer, earlier, inodes bool) {
	for k, free := 0, 0; k < fullSizes; k++ {
		d, err := newSmallDisk(t, g)
		if err != nil {
			n.fault("%v", err)
			return
		}
		done := g.filled(t, n, m, d, earlier, inodes, free)
		d.remove(t)
		if done {
			return
		}
		free += 1 + free/3
	}
}

// filled runs a writer on a disk and says whether there was enough room.
func (g *ground) filled(t *testing.T, n *tally, m *writer, d *smallDisk, earlier, inodes bool, free int) bool {
	old := state{}
	if earlier {
		old = m.old
		m.put(t, d.dir, old)
	}
	if err := d.shrink(free, inodes); err != nil {
		n.fault("%v", err)
		return true
	}
	what := fmt.Sprintf("%s, earlier %v, inodes %v, %d free", m.command, earlier, inodes, free)
	e := g.attempt(t, n, m, d.dir, old, nil, what)
	n.clean(d.dir, what, e)
	if wrong := g.checked(m, d.dir); wrong != "" && (earlier || e.code == exitDone) && !m.parts {
		n.fault("%s: %s", what, wrong)
	}
	if e.code == exitDone {
		return true
	}
	n.refused(e, what, exitInternal, noSpace)
	return false
}

// fullSweeps fills the disk during a sweep: the sweep ends with an error, continues when there is room, and ends with
// the same tables.
func (g *ground) fullSweeps(t *testing.T, n *tally) {
	want := g.merged(t, g.in("sweep"))
	for k := range max(1, fullSizes/2) {
		d, err := newSmallDisk(t, g)
		if err != nil {
			n.fault("%v", err)
			return
		}
		out := filepath.Join(d.dir, "s")
		if err := d.shrink(1+2*k, false); err != nil {
			n.fault("%v", err)
		}
		e := g.run(nil, "sweep", g.in("w", "sweep.json"), "-o", out, "-q")
		n.tried.Add(1)
		if e.code != exitDone {
			n.refused(e, "sweep", exitInternal, noSpace)
		}
		if err := d.mount(syscall.MS_REMOUNT, "size=64m"); err != nil {
			n.fault("%v", err)
		}
		if e := g.run(nil, "sweep", g.in("w", "sweep.json"), "-o", out, "-q"); e.code != exitDone {
			n.fault("sweep, with room again: %v", e)
		} else if got := g.merged(t, out); got != want {
			n.fault("a sweep that had no room makes other tables\n%s\n%s", got, want)
		}
		d.remove(t)
	}
}

func (g *ground) merged(t *testing.T, dir string) string {
	t.Helper()
	if e := g.run(nil, "sweep", "merge", dir, "-q"); e.code != exitDone {
		return e.String()
	}
	text := ""
	for _, name := range []string{"sweep.csv", "summary.csv"} {
		table, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		text += string(table)
	}
	return text
}

// faultsFileSize limits the size of files: the signal that comes with the limit must not end the process.
func faultsFileSize(t *testing.T, g *ground, n *tally) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Logf("SKIPPED: %v", err)
		return
	}
	var jobs []func()
	for _, m := range g.someCalls() {
		for _, blocks := range []int{0, 1, 2, 4, 16, 64, 256}[:min(7, fullSizes)] {
			jobs = append(jobs, func() {
				dir := g.folder(t)
				m.put(t, dir, m.old)
				what := fmt.Sprintf("%s, files of %d × 512 bytes", m.command, blocks)
				e := g.attempt(t, n, m, dir, m.old, limited(fmt.Sprintf("-f %d", blocks)), what)
				n.clean(dir, what, e)
				if e.code != exitDone {
					n.refused(e, what, exitInternal, "file too large")
				}
			})
		}
	}
	side(jobs)
}

// faultsStreams closes or fills standard output, input and error.
func faultsStreams(t *testing.T, g *ground, n *tally) {
	printing := []string{
		"solve w/msjo.json -a mars -q", "solve w/msjo.json -a mars -o - -q", "solve w/msjo.json -a mars --json -q",
		"compare w/realtime.json -q", "compare w/realtime.json --json -q", "compare w/realtime.json -o - -q",
		"solve w/tenant.json w/hta.json -q", "solve w/tenant.json w/hta.json --json -q", "check w/msjo.json results",
		"diff results/mars results/huwf", "diff results/mars results/huwf --json", "explain w/msjo.json results/mars j1",
		"generate msjo", "validate hta --instances 2 -q", "experiment", "import alibaba w/batch.csv -o - -q",
		"formulate w/msjo.json --format lp", "schema workload", "sweep w/sweep.json --dry-run", "sweep merge sweep",
		"report results -o - -q", "version", "--help", "solve --help", "man", "completion bash", "--version",
		"size w/cluster.json --nodes 5..7 -a tetris -q", "size w/cluster.json --nodes 5..7 -a tetris --json -q",
		"solve w/cluster.json --from planned --iterations 30 -q", "compare w/cluster.json -a fifo,drf -o - -q",
		"import spark w/app.json -q", "lint w/cluster.json",
	}
	var jobs []func()
	for i, line := range printing {
		if !tier.Nightly && i%9 != 0 {
			continue
		}
		args := strings.Fields(line) // relative to the ground's directory
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
	n.refused(e, fmt.Sprint(args), exitInternal, noSpace)
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
	if e.code != exitPipe || strings.Contains(e.stderr, "pipe") {
		n.fault("%q | (nobody): want exit %d and no word\n%v", args, exitPipe, e)
	}
}

// redirected runs a command with a closed or full stream that it does not need.
func (g *ground) redirected(n *tally, args []string, redirect string) {
	e := g.run([]string{"sh", "-c", `exec "$@" ` + redirect, "sh"}, args...)
	plain := g.run(nil, args...)
	n.tried.Add(1)
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
		n.clean(dir, "| head -1", e)
		if strings.Count(e.stdout, "\n") != 1 || e.stderr != "" {
			n.fault("%q | head -1: %v", args, e)
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
			if e.code != exitUsage || e.stderr == "" {
				n.fault("%q %s: want exit %d\n%v", args, redirect, exitUsage, e)
			}
		}
	}
}
