package campaign

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mrsched/model/tier"
)

// obstacle is something in the way of a target.
type obstacle struct {
	name string
	// make creates the obstacle in dir and returns the target to use. The writer must not change what make created.
	make  func(t *testing.T, dir string, m *writer) (target string)
	force bool
	// harmless says that a writer may still succeed.
	harmless func(m *writer) bool
}

func never(*writer) bool  { return false }
func always(*writer) bool { return true }

func mkdir(t *testing.T, path, name string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
	if name != "" {
		if err := os.WriteFile(filepath.Join(path, name), []byte("precious\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func obstacles() []obstacle {
	plain := func(dir string, m *writer) string { return m.target(dir) }
	file := func(t *testing.T, path string) string { mkdir(t, filepath.Dir(path), filepath.Base(path)); return path }
	link := func(t *testing.T, to, at string) string {
		if err := os.Symlink(to, at); err != nil {
			t.Fatal(err)
		}
		return at
	}
	return []obstacle{
		{"a file", func(t *testing.T, dir string, m *writer) string { return file(t, plain(dir, m)) }, false, never},
		{"a file, forced", func(t *testing.T, dir string, m *writer) string { return file(t, plain(dir, m)) }, true,
			func(m *writer) bool { return m.ending != "" }},
		{"an earlier target", func(t *testing.T, dir string, m *writer) string {
			m.put(t, dir, m.old)
			return plain(dir,
				m)
		}, false, never},
		{"a directory with a foreign file", func(t *testing.T, dir string, m *writer) string {
			mkdir(t, plain(dir, m), "diary.txt")
			return plain(dir, m)
		}, true, func(m *writer) bool { return m.parts }},
		{"a link to a file", func(t *testing.T, dir string, m *writer) string {
			return link(t, file(t, filepath.Join(dir, "linked")), plain(dir, m))
		}, true, never},
		{"a link to a directory", func(t *testing.T, dir string, m *writer) string {
			mkdir(t, filepath.Join(dir, "linked"), "diary.txt")
			return link(t, filepath.Join(dir, "linked"), plain(dir, m))
		}, true, func(m *writer) bool { return m.parts }},
		{"a link to nothing", func(t *testing.T, dir string, m *writer) string {
			return link(t, filepath.Join(dir, "nothing"), plain(dir, m))
		}, true, never},
		{"a link to itself", func(t *testing.T, dir string, m *writer) string {
			return link(t, plain(dir, m),
				plain(dir, m))
		}, true, never},
		{"a pipe", func(t *testing.T, dir string, m *writer) string {
			if err := syscall.Mkfifo(plain(dir, m), 0o600); err != nil {
				t.Fatal(err)
			}
			return plain(dir, m)
		}, true, never},
		{"a parent that is a file", func(t *testing.T, dir string, m *writer) string {
			return m.target(file(t, filepath.Join(dir, "parent")))
		}, true, never},
		{"a name that is too long", func(_ *testing.T, dir string, m *writer) string {
			return m.target(filepath.Join(dir, strings.Repeat("n", 256)))
		}, true, never},
		{"a path that is too long", func(_ *testing.T, dir string, m *writer) string {
			return m.target(filepath.Join(dir, strings.Repeat("directory/", 420)))
		}, true, never},
		{"missing parents", func(_ *testing.T, dir string, m *writer) string {
			return m.target(filepath.Join(dir, "a", "b", "c"))
		}, false, always},
	}
}

// faultsPaths puts things in the way of targets.
func faultsPaths(t *testing.T, g *ground, n *tally) {
	var jobs []func()
	for i, m := range g.calls {
		for k, o := range obstacles() {
			if !tier.Nightly && (i+k)%9 != 0 {
				continue
			}
			jobs = append(jobs, func() { g.obstructed(t, n, m, o) })
		}
	}
	side(jobs)
	g.readOnly(t, n)
	g.withoutPermission(t, n)
	if tier.Nightly {
		g.vanishing(t, n)
	}
	g.vanishingSweep(t, n)
}

// obstructed runs a writer against an obstacle.
func (g *ground) obstructed(t *testing.T, n *tally, m *writer, o obstacle) {
	dir := g.folder(t)
	target := o.make(t, dir, m)
	before := listing(t, dir)
	args := m.line(m.args, target)
	if !o.force {
		args = args[:len(args)-1]
	}
	e := g.run(nil, args...)
	n.tried.Add(1)
	what := fmt.Sprintf("%s: %s", o.name, m.name)
	if left := strays(t, dir); len(left) > 0 {
		n.fault("%s: left behind: %v\n%v", what, left, e)
	}
	after := listing(t, dir)
	switch {
	case e.code == exitDone:
		n.note("served")
		if !o.harmless(m) && !m.within(o) {
			n.fault("%s: it was written\n%v", what, e)
		}
		for path, text := range before {
			if strings.HasPrefix(text, "precious") && after[path] != text && (o.name != "a file, forced" ||
				path != m.target(".")) {
				n.fault("%s: %s is lost", what, path)
			}
		}
	case e.code != exitUsage:
		n.fault("%s: want exit %d\n%v", what, exitUsage, e)
	default:
		n.note("refused")
		if !same(before, after) {
			n.fault("%s: something changed: %v, %v", what, before, after)
		}
		if strings.Count(e.stderr, "\n") > 3 || e.stderr == "" {
			n.fault("%s: no clear message\n%v", what, e)
		}
	}
}

// within says that a writer writes into an existing directory: its other files do not matter, as long as the writer's
// own names are free.
func (m *writer) within(o obstacle) bool {
	if o.name == "an earlier target" && m.args[0] == "experiment" {
		return false
	}
	return m.parts && o.name == "a directory with a foreign file"
}

// listing is everything below a directory, with the texts of files.
func listing(t *testing.T, dir string) map[string]string {
	t.Helper()
	list := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		list[name] = d.Type().String()
		if d.Type().IsRegular() {
			text, err := os.ReadFile(path)
			list[name] = string(text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func same(a, b map[string]string) bool {
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return len(a) == len(b)
}

// readOnly writes to a read-only file system: a long run must notice before its end.
func (g *ground) readOnly(t *testing.T, n *tally) {
	for i, m := range g.calls {
		if !tier.Nightly && i%5 != 0 {
			continue
		}
		d, err := newSmallDisk(t, g)
		if err != nil {
			t.Logf("SKIPPED: no read-only disk can be made: %v", err)
			return
		}
		m.put(t, d.dir, m.old)
		if err := d.mount(syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
			n.fault("%v", err)
		}
		e := g.run(nil, m.line(m.args, m.target(d.dir))...)
		n.tried.Add(1)
		n.note("on a read-only file system")
		if e.code != exitUsage || !strings.Contains(e.stderr, "read-only file system") {
			n.fault("read-only: %s: want exit %d and why\n%v", m.name, exitUsage, e)
		}
		if wrong := m.judge(t, d.dir, m.old, e); wrong != "" {
			n.fault("read-only: %s: %s", m.name, wrong)
		}
		d.remove(t)
	}
}

// withoutPermission runs writers as a user who may not write there.
func (g *ground) withoutPermission(t *testing.T, n *tally) {
	wrap := []string{"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"}
	if _, err := exec.LookPath(wrap[0]); err != nil || os.Geteuid() != 0 {
		t.Logf("SKIPPED: nobody's rights cannot be taken: %v", err)
		return
	}
	for dir := g.dir; ; dir = filepath.Dir(dir) { // the tests' user must be able to get there
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm()&0o001 == 0 {
			if err := os.Chmod(dir, info.Mode().Perm()|0o055); err != nil {
				t.Fatal(err)
			}
		}
		if filepath.Dir(dir) == dir || dir == os.TempDir() {
			break
		}
	}
	for _, name := range []string{"msjo.json", "hta.json", "placement.json", "realtime.json", "tenant.json", "batch.csv",
		"sweep.json", "cluster.json", "app.json"} {
		if err := os.Chmod(g.in("w", name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i, m := range g.calls {
		if !tier.Nightly && i%5 != 0 {
			continue
		}
		dir := g.folder(t)
		m.put(t, dir, m.old)
		e := g.run(wrap, m.line(m.args, m.target(dir))...)
		n.tried.Add(1)
		n.note("without permission")
		if e.code != exitUsage || !strings.Contains(e.stderr, "permission denied") {
			n.fault("no permission: %s: want exit %d and why\n%v", m.name, exitUsage, e)
		}
		if wrong := m.judge(t, dir, m.old, e); wrong != "" {
			n.fault("no permission: %s: %s", m.name, wrong)
		}
	}
}

// vanishing removes the output directory while a command runs: the command makes it again or reports that it is gone.
func (g *ground) vanishing(t *testing.T, n *tally) {
	long := [][]string{
		{"solve", g.in("w", "msjo.json"), "-a", "best", "--time-limit", "700ms", "-o", "OUT/r", "-q"},
		{"compare", g.in("w", "msjo.json"), "-a", "best,mars", "--time-limit", "700ms", "-o", "OUT/r", "-q"},
		{"solve", g.in("w", "msjo.json"), g.in("w", "tenant.json"), "--time-limit", "700ms", "-o", "OUT/b", "-q"},
	}
	for _, args := range long {
		dir := g.folder(t)
		out := filepath.Join(dir, "out")
		mkdir(t, out, "")
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "OUT", out)
		}
		p := g.command(nil, args...)
		if err := p.start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(300 * time.Millisecond)
		if err := os.RemoveAll(out); err != nil {
			t.Fatal(err)
		}
		e := p.end()
		n.tried.Add(1)
		n.note("directories that vanished")
		if e.code != exitDone || len(listing(t, dir)) < 4 {
			n.fault("vanished: %q: %v\n%v", args, e, listing(t, dir))
		}
	}
}

// vanishingSweep removes the directory of a sweep: losing rows is an error.
func (g *ground) vanishingSweep(t *testing.T, n *tally) {
	dir := g.folder(t)
	spec, out := filepath.Join(dir, "spec.json"), filepath.Join(dir, "out")
	text := `{"format":"mrsched-sweep/1","iterations":4000,"instances":[{"generate":"msjo","parameters":{"jobs":6}}],"algorithms":["best"],"seeds":[1,2,3,4,5,6,7,8]}`
	if err := os.WriteFile(spec, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p := g.command(nil, "sweep", spec, "-o", out, "--threads", "1")
	if err := p.start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if info, err := os.Stat(filepath.Join(out, "rows-1-of-1.jsonl")); err == nil && info.Size() > 0 {
			break
		}
	}
	if err := os.RemoveAll(out); err != nil {
		t.Fatal(err)
	}
	e := p.end()
	n.tried.Add(1)
	n.note("directories that vanished")
	if e.code != exitInternal || !strings.Contains(e.stderr, "was removed") {
		n.fault("a sweep whose directory vanished: %v", e)
	}
}
