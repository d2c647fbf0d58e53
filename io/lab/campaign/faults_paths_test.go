package campaign

import (
	"errors"
	"fmt"
	"maps"
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
	name     string
	script   string // makes it in the directory; $T is the target. The writer must not change what it makes
	in       string // where the target stands below the directory
	force    bool
	harmless func(m *writer) bool // whether a writer may still succeed; nil: none
}

// earlier is the name of the obstacle that is the writer's own earlier target.
const earlier = "an earlier target"

// mkdir makes a directory and a file in it.
func mkdir(t *testing.T, path, name, text string) {
	t.Helper()
	noError(t, errors.Join(os.MkdirAll(path, 0o755), os.WriteFile(filepath.Join(path, name), []byte(text), 0o644)))
}

func obstacles() []obstacle {
	inParts := func(m *writer) bool { return m.parts }
	return []obstacle{
		{name: "a file", script: `echo precious >$T`},
		{name: "a file, forced", script: `echo precious >$T`, force: true,
			harmless: func(m *writer) bool { return m.ending != "" }},
		{name: earlier},
		{name: "a directory with a foreign file", script: `mkdir $T; echo precious >$T/diary.txt`, force: true,
			harmless: inParts},
		{name: "a link to a file", script: `echo precious >linked; ln -s linked $T`, force: true},
		{name: "a link to a directory", script: `mkdir linked; echo precious >linked/diary.txt; ln -s linked $T`,
			force: true, harmless: inParts},
		{name: "a link to nothing", script: `ln -s nothing $T`, force: true},
		{name: "a link to itself", script: `ln -s $T $T`, force: true},
		{name: "a pipe", script: `mkfifo $T`, force: true},
		{name: "a parent that is a file", script: `echo precious >parent`, in: "parent", force: true},
		{name: "a name that is too long", in: strings.Repeat("n", 256), force: true},
		{name: "a path that is too long", in: strings.Repeat("directory/", 420), force: true},
		{name: "missing parents", in: "a/b/c", harmless: func(*writer) bool { return true }},
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
	target := m.target(filepath.Join(dir, o.in))
	if o.name == earlier {
		m.put(t, dir, m.old)
	}
	c := exec.Command("sh", "-c", o.script)
	c.Dir, c.Env = dir, append(os.Environ(), "T="+filepath.Base(target))
	if text, err := c.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", o.script, err, text)
	}
	before := listing(t, dir)
	args := m.line(m.command, target)
	if !o.force {
		args = args[:len(args)-1]
	}
	e := g.run(nil, args...)
	n.tried.Add(1)
	what := fmt.Sprintf("%s: %s", o.name, m.command)
	n.clean(dir, what, e)
	after := listing(t, dir)
	switch {
	case e.code == exitDone:
		if o.harmless == nil || !o.harmless(m) {
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
		if !maps.Equal(before, after) {
			n.fault("%s: something changed: %v, %v", what, before, after)
		}
		if strings.Count(e.stderr, "\n") > 3 || e.stderr == "" {
			n.fault("%s: no clear message\n%v", what, e)
		}
	}
}

// listing is everything below a directory, with the texts of files.
func listing(t *testing.T, dir string) map[string]string {
	t.Helper()
	list := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name := strings.TrimPrefix(path, dir+"/")
		list[name] = d.Type().String()
		if d.Type().IsRegular() {
			text, err := os.ReadFile(path)
			list[name] = string(text)
			return err
		}
		return nil
	})
	noError(t, err)
	return list
}

// readOnly writes to a read-only file system: a long run must notice before its end.
func (g *ground) readOnly(t *testing.T, n *tally) {
	for _, m := range g.someCalls() {
		d, err := newSmallDisk(t, g)
		if err != nil {
			t.Logf("SKIPPED: no read-only disk can be made: %v", err)
			return
		}
		m.put(t, d.dir, m.old)
		if err := d.mount(syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
			n.fault("%v", err)
		}
		e := g.attempt(t, n, m, d.dir, m.old, nil, "read-only")
		n.refused(e, m.command, exitUsage, "read-only file system")
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
			noError(t, os.Chmod(dir, info.Mode().Perm()|0o055))
		}
		if filepath.Dir(dir) == dir || dir == os.TempDir() {
			break
		}
	}
	for _, name := range []string{"msjo.json", "hta.json", "placement.json", "realtime.json", "tenant.json", "batch.csv",
		"sweep.json", "cluster.json", "app.json"} {
		noError(t, os.Chmod(g.in("w", name), 0o644))
	}
	for _, m := range g.someCalls() {
		dir := g.folder(t)
		m.put(t, dir, m.old)
		e := g.attempt(t, n, m, dir, m.old, wrap, "no permission")
		n.refused(e, m.command, exitUsage, "permission denied")
	}
}

// vanishing removes the output directory while a command runs: the command makes it again or reports that it is gone.
func (g *ground) vanishing(t *testing.T, n *tally) {
	long := []string{
		"solve w/msjo.json -a best --time-limit 700ms -o OUT/r -q",
		"compare w/msjo.json -a best,mars --time-limit 700ms -o OUT/r -q",
		"solve w/msjo.json w/tenant.json --time-limit 700ms -o OUT/b -q",
	}
	for _, args := range long {
		dir := g.folder(t)
		out := filepath.Join(dir, "out")
		noError(t, os.Mkdir(out, 0o755))
		p := g.command(nil, strings.Fields(strings.ReplaceAll(args, "OUT", out))...)
		noError(t, p.start())
		time.Sleep(300 * time.Millisecond)
		noError(t, os.RemoveAll(out))
		e := p.end()
		n.tried.Add(1)
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
	noError(t, os.WriteFile(spec, []byte(text), 0o600))
	p := g.command(nil, "sweep", spec, "-o", out, "--threads", "1")
	noError(t, p.start())
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if info, err := os.Stat(filepath.Join(out, "rows-1-of-1.jsonl")); err == nil && info.Size() > 0 {
			break
		}
	}
	noError(t, os.RemoveAll(out))
	e := p.end()
	n.tried.Add(1)
	if e.code != exitInternal || !strings.Contains(e.stderr, "was removed") {
		n.fault("a sweep whose directory vanished: %v", e)
	}
}
