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
	for i, m := range g.calls {
		if !tier.Nightly && i%5 != 0 {
			continue
		}
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
	e := g.run(nil, m.line(m.args, m.target(d.dir))...)
	n.tried.Add(1)
	what := fmt.Sprintf("%s, earlier %v, inodes %v, %d free", m.name, earlier, inodes, free)
	if wrong := m.judge(t, d.dir, old, e); wrong != "" {
		n.fault("%s: %s\n%v", what, wrong, e)
	}
	if left := strays(t, d.dir); len(left) > 0 {
		n.fault("%s: left behind: %v\n%v", what, left, e)
	}
	if wrong := g.checked(m, d.dir); wrong != "" && (earlier || e.code == exitDone) && !m.parts {
		n.fault("%s: %s", what, wrong)
	}
	if e.code == exitDone {
		n.note("with room enough")
		return true
	}
	n.note("disks too small")
	if e.code != exitInternal || !strings.Contains(e.stderr, "no space left on device") {
		n.fault("%s: want exit %d and a word about the space\n%v", what, exitInternal, e)
	}
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
		n.note("sweeps")
		if e.code != exitDone && (e.code != exitInternal || !strings.Contains(e.stderr, "no space left on device")) {
			n.fault("sweep, %d pages: %v", 1+2*k, e)
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
	out := g.folder(t)
	if e := g.run(nil, "sweep", "merge", dir, "-q", "-o", filepath.Join(out, "a.csv")+","+filepath.Join(out,
		"b.csv")); e.code != exitDone {
		return e.String()
	}
	text, _ := textOf(t, out)
	return text
}

// faultsFileSize limits the size of files: the signal that comes with the limit must not end the process.
func faultsFileSize(t *testing.T, g *ground, n *tally) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Logf("SKIPPED: %v", err)
		return
	}
	var jobs []func()
	for i, m := range g.calls {
		if !tier.Nightly && i%5 != 0 {
			continue
		}
		for _, blocks := range []int{0, 1, 2, 4, 16, 64, 256}[:min(7, fullSizes)] {
			jobs = append(jobs, func() {
				dir := g.folder(t)
				m.put(t, dir, m.old)
				e := g.run(limited(fmt.Sprintf("-f %d", blocks)), m.line(m.args, m.target(dir))...)
				n.tried.Add(1)
				what := fmt.Sprintf("%s, files of %d × 512 bytes", m.name, blocks)
				if wrong := m.judge(t, dir, m.old, e); wrong != "" {
					n.fault("%s: %s\n%v", what, wrong, e)
				}
				if left := strays(t, dir); len(left) > 0 {
					n.fault("%s: left behind: %v\n%v", what, left, e)
				}
				if e.code == exitDone {
					return
				}
				n.note("files too large")
				if e.code != exitInternal || !strings.Contains(e.stderr, "file too large") {
					n.fault("%s: want exit %d and a word about the size\n%v", what, exitInternal, e)
				}
			})
		}
	}
	side(jobs)
}
