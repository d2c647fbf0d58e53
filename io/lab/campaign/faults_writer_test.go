package campaign

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// writer is a command that writes something.
type writer struct {
	command string // in the ground's directory; OUT stands for the target
	before  string // the command of an earlier target; none: some text
	ending  string // of the target's name
	parts   bool   // the target is a directory whose entries are written one by one
	check   string // the instance of the results; empty: there are none

	old, new state
	took     time.Duration
}

// state is what stands at a target, by part: the texts of its files, as listing gives them.
type state map[string]map[string]string

// prepare makes the input of the writers, and the states before and after each.
func (g *ground) prepare(t *testing.T) {
	t.Helper()
	for _, line := range []string{
		"generate msjo --jobs 8 --machines 5 -o w/msjo.json",
		"generate hta --tasks 300 --servers 30 --zipf 1.2 -o w/hta.json",
		"generate reduceplace --jobs 300 --lambda 0.9 -o w/placement.json",
		"generate realtime --jobs 10 --workers 4 --partitions 10 -o w/realtime.json",
		"generate multitenant --preset fig7 -o w/tenant.json",
		"generate cluster --tasks 60 --nodes 6 -o w/cluster.json",
		"solve w/cluster.json -a fifo -o planned", "compare w/msjo.json -a mars,huwf -o results",
	} {
		g.must(t, strings.Fields(line+" -q")...)
	}
	log, err := os.ReadFile("../../../testdata/spark/app.json")
	noError(t, err)
	spec := `{"format":"mrsched-sweep/1","iterations":20,"algorithms":"all","seeds":[1,2],"instances":[
{"path":"tenant.json"},{"path":"hta.json"},{"generate":"msjo","preset":"fig1"},{"generate":"msjo","preset":"dag"}]}`
	noError(t, errors.Join(os.WriteFile(g.in("w", "app.json"), log, 0o644),
		os.WriteFile(g.in("w", "sweep.json"), []byte(spec), 0o600)))
	g.alibaba(t, g.in("w", "batch.csv"))
	g.must(t, "sweep", "w/sweep.json", "-o", "sweep", "-q")
	g.calls = writers()
	for _, m := range g.calls {
		g.ready(t, m)
	}
}

func writers() []*writer {
	return []*writer{
		{command: "solve w/msjo.json -a mars", before: "solve w/msjo.json -a huwf", check: "w/msjo.json"},
		{command: "solve w/hta.json -a flow", before: "solve w/hta.json -a round-robin", check: "w/hta.json",
			ending: ".json.gz"},
		{command: "solve w/placement.json -a greedy,random,rhc", check: "w/placement.json", parts: true,
			before: "solve w/placement.json -a greedy,random --seed 5"},
		{command: "compare w/realtime.json -a llf,edf,fifo", check: "w/realtime.json", parts: true,
			before: "compare w/realtime.json -a edf,fifo --seed 7"},
		{command: "solve w/msjo.json w/hta.json w/tenant.json --iterations 3", parts: true,
			before: "solve w/msjo.json w/hta.json --iterations 2 --seed 3"},
		{command: "generate msjo --jobs 60", before: "generate msjo --jobs 50 --seed 9", ending: ".json"},
		{command: "generate realtime --jobs 12", before: "generate realtime --jobs 9 --seed 9"},
		{command: "import alibaba w/batch.csv", before: "generate msjo --jobs 5", ending: ".json"},
		{command: "import alibaba w/batch.csv", before: "generate msjo --jobs 5"},
		{command: "report results -o OUT/r.html --svg OUT/pictures", parts: true},
		{command: "experiment placement-fig10 --seeds 1", parts: true},
		{command: "formulate w/msjo.json --format lp", ending: ".lp"},
		{command: "validate hta --instances 3", ending: ".json"},
		{command: "size w/cluster.json --nodes 5..7 -a tetris", before: "size w/cluster.json --nodes 5..7 -a fifo",
			parts: true},
		{command: "solve w/cluster.json -a tetris", before: "solve w/cluster.json -a fair", check: "w/cluster.json"},
		{command: "solve w/cluster.json --from planned --freeze-until 300 --iterations 30", check: "w/cluster.json",
			before: "solve w/cluster.json -a fair"},
		{command: "import spark w/app.json", before: "generate cluster --tasks 9", ending: ".json"},
	}
}

func (g *ground) alibaba(t *testing.T, path string) {
	t.Helper()
	var b strings.Builder
	for j := range 400 {
		fmt.Fprintf(&b, "M1,%d,j_%d,1,Terminated,%d,%d,100,0.5\nR2_1,2,j_%d,1,Terminated,%d,%d,50,0.5\n", 2+j%7, j, 10+j,
			40+2*j, j, 40+2*j, 90+3*j)
	}
	noError(t, os.WriteFile(path, []byte(b.String()), 0o600))
}

// line is the command line of a command for a target.
func (m *writer) line(command, target string) []string {
	if !strings.Contains(command, "OUT") {
		command += " -o OUT"
	}
	list := strings.Fields(command)
	for k, word := range list {
		list[k] = strings.ReplaceAll(word, "OUT", target)
	}
	if list[0] == "solve" || list[0] == "compare" || list[0] == "validate" {
		list = append(list, "--threads", "1")
	}
	if list[0] != "formulate" {
		list = append(list, "-q")
	}
	return append(list, "--force")
}

func (m *writer) target(dir string) string { return filepath.Join(dir, "t"+m.ending) }

// ready makes the states before and after a writer.
func (g *ground) ready(t *testing.T, m *writer) {
	t.Helper()
	before, after := g.folder(t), g.folder(t)
	begin := time.Now()
	g.must(t, m.line(m.command, m.target(after))...)
	m.took = time.Since(begin)
	m.new = m.look(t, after)
	if m.before != "" {
		g.must(t, m.line(m.before, m.target(before))...)
		m.old = m.look(t, before)
		return
	}
	m.old = state{}
	for name, part := range m.new {
		m.old[name] = map[string]string{}
		for path, text := range part {
			switch {
			case text == folder:
			case filepath.Ext(path) == ".svg":
				text = `<svg xmlns="http://www.w3.org/2000/svg"/>`
			default:
				text = "an earlier file\n"
			}
			m.old[name][path] = text
		}
	}
}

// folder is what listing says of a directory.
var folder = fs.ModeDir.String()

// look reads the target in a directory, without temporary files.
func (m *writer) look(t *testing.T, dir string) state {
	t.Helper()
	s := state{}
	target := filepath.Base(m.target(dir))
	for path, text := range listing(t, dir) {
		below, inside := strings.CutPrefix(path, target+"/")
		part := "."
		if m.parts {
			part, _, _ = strings.Cut(below, "/")
		}
		if strings.Contains(path, ".mrsched-") || !inside && (m.parts || path != target) {
			continue
		}
		if s[part] == nil {
			s[part] = map[string]string{}
		}
		s[part][path] = text
	}
	return s
}

// put writes a state.
func (m *writer) put(t *testing.T, dir string, s state) {
	t.Helper()
	for _, part := range s {
		for path, text := range part {
			if text != folder {
				mkdir(t, filepath.Join(dir, filepath.Dir(path)), filepath.Base(path), text)
			}
		}
	}
}

// judge compares a directory with the earlier state and with what the writer makes, and reports differences.
func (m *writer) judge(t *testing.T, dir string, old state, e *ended) string {
	t.Helper()
	now := m.look(t, dir)
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if !maps.Equal(now[name], old[name]) && !m.made(name, now[name]) {
			return fmt.Sprintf("%s is neither the earlier one nor the new one: %s", name, brief(fmt.Sprint(now[name])))
		}
	}
	for name := range old {
		if _, ok := now[name]; !ok {
			return fmt.Sprintf("%s is lost", name)
		}
	}
	if e.code == exitDone {
		for name := range m.new {
			if !m.made(name, now[name]) {
				return fmt.Sprintf("exit 0, and %s was not written", name)
			}
		}
	}
	if e.hung {
		return "it does not end"
	}
	return ""
}

// made says whether the writer writes such a text.
func (m *writer) made(name string, part map[string]string) bool {
	text := part[filepath.Join(filepath.Base(m.target("")), name)]                     // of a part that is a file
	if strings.HasPrefix(m.command, "solve ") && strings.HasPrefix(name, "summary.") { // it says what failed
		return strings.HasSuffix(text, "\n") && (strings.HasPrefix(text, "instance,problem,") &&
			strings.Count(text, "\n") == 4 || json.Valid([]byte(text)))
	}
	return maps.Equal(part, m.new[name])
}

// strays lists everything below a directory that has a temporary name.
func strays(t *testing.T, dir string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.Contains(d.Name(), ".mrsched-") {
			list = append(list, path)
		}
		return err
	})
	noError(t, err)
	return list
}

// checked runs check on the results of a target.
func (g *ground) checked(m *writer, dir string) string {
	if m.check == "" {
		return ""
	}
	path := m.target(dir)
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	if e := g.run(nil, "check", m.check, path); e.code != exitDone {
		return "check: " + e.String()
	}
	return ""
}
