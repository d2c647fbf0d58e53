package campaign

import (
	"encoding/json"
	"fmt"
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
	name   string
	args   []string // OUT stands for the target
	ending string   // of the target's name
	before []string // the command of an earlier target; none: some text
	parts  bool     // the target is a directory whose entries are written one by one
	check  string   // the instance of the results; empty: there are none
	loose  bool     // the output varies between runs: any JSON will do

	old, new state
	took     time.Duration
}

// state is what stands at a target, by part: the text of a file, or the files of a directory with their texts.
type state map[string]string

// prepare makes the input of the writers, and the states before and after each.
func (g *ground) prepare(t *testing.T) {
	t.Helper()
	at := func(name string) string { return g.in("w", name) }
	generate := func(name string, args ...string) {
		g.must(t, append(append([]string{"generate"}, args...), "-o", at(name), "-q")...)
	}
	generate("msjo.json", "msjo", "--jobs", "8", "--machines", "5")
	generate("hta.json", "hta", "--tasks", "300", "--servers", "30", "--zipf", "1.2")
	generate("placement.json", "reduceplace", "--jobs", "300", "--lambda", "0.9")
	generate("realtime.json", "realtime", "--jobs", "10", "--workers", "4", "--partitions", "10")
	generate("tenant.json", "multitenant", "--preset", "fig7")
	generate("cluster.json", "cluster", "--tasks", "60", "--nodes", "6")
	g.must(t, "solve", at("cluster.json"), "-a", "fifo", "-o", g.in("planned"), "-q")
	put(t, at("app.json"), g.log(t))
	g.must(t, "compare", at("msjo.json"), "-a", "mars,huwf", "-o", g.in("results"), "-q")
	g.alibaba(t, at("batch.csv"))
	spec := `{"format":"mrsched-sweep/1","iterations":20,"instances":[{"path":"tenant.json"},{"path":"hta.json"},{"generate":"msjo","preset":"fig1"},{"generate":"msjo","preset":"dag"}],"algorithms":"all","seeds":[1,2]}`
	if err := os.WriteFile(at("sweep.json"), []byte(spec), 0o600); err != nil {
		t.Fatal(err)
	}
	g.must(t, "sweep", at("sweep.json"), "-o", g.in("sweep"), "-q")
	g.calls = []*writer{
		{name: "solve", args: []string{"solve", at("msjo.json"), "-a", "mars"}, before: []string{"solve", at("msjo.json"),
			"-a", "huwf"}, check: at("msjo.json")},
		{name: "solve to a document", ending: ".json.gz", args: []string{"solve", at("hta.json"), "-a", "flow"},
			before: []string{"solve", at("hta.json"), "-a", "round-robin"}, check: at("hta.json")},
		{name: "solve with several algorithms", parts: true, args: []string{"solve", at("placement.json"), "-a",
			"greedy,random,rhc"},
			before: []string{"solve", at("placement.json"), "-a", "greedy,random", "--seed", "5"}, check: at("placement.json")},
		{name: "compare", parts: true, args: []string{"compare", at("realtime.json"), "-a", "llf,edf,fifo"},
			before: []string{"compare", at("realtime.json"), "-a", "edf,fifo", "--seed", "7"}, check: at("realtime.json")},
		{name: "solve of several instances", parts: true, args: []string{"solve", at("msjo.json"), at("hta.json"),
			at("tenant.json"), "--iterations", "3"},
			before: []string{"solve", at("msjo.json"), at("hta.json"), "--iterations", "2", "--seed", "3"}},
		{name: "solve with statistics", ending: ".json", loose: true, args: []string{"solve", at("tenant.json"), "-a", "fair",
			"--stats"}},
		{name: "generate", ending: ".json", args: []string{"generate", "msjo", "--jobs", "60"},
			before: []string{"generate", "msjo", "--jobs", "50", "--seed", "9"}},
		{name: "generate to tables", args: []string{"generate", "realtime", "--jobs", "12"},
			before: []string{"generate", "realtime", "--jobs", "9", "--seed", "9"}},
		{name: "import", ending: ".json", args: []string{"import", "alibaba", at("batch.csv")},
			before: []string{"generate", "msjo", "--jobs", "5"}},
		{name: "import to tables", args: []string{"import", "alibaba", at("batch.csv")},
			before: []string{"generate", "msjo", "--jobs", "5"}},
		{name: "sweep merge", parts: true, args: []string{"sweep", "merge", g.in("sweep"), "-o", "OUT/a.csv,OUT/b.csv"}},
		{name: "report", parts: true, args: []string{"report", g.in("results"), "-o", "OUT/r.html", "--svg", "OUT/pictures"}},
		{name: "experiment", parts: true, args: []string{"experiment", "placement-theorem2", "--jobs-max", "1",
			"--seeds", "1"}},
		{name: "formulate", ending: ".lp", args: []string{"formulate", at("msjo.json"), "--format", "lp"}},
		{name: "validate", ending: ".json", args: []string{"validate", "hta", "--instances", "3"}},
		{name: "size", parts: true, args: []string{"size", at("cluster.json"), "--nodes", "5..7", "-a", "tetris"},
			before: []string{"size", at("cluster.json"), "--nodes", "5..7", "-a", "fifo"}},
		{name: "solve of cluster", args: []string{"solve", at("cluster.json"), "-a", "tetris"}, before: []string{"solve",
			at("cluster.json"), "-a", "fair"}, check: at("cluster.json")},
		{name: "solve --from", args: []string{"solve", at("cluster.json"), "--from", g.in("planned"), "--freeze-until", "300",
			"--iterations", "30"}, before: []string{"solve", at("cluster.json"), "-a", "fair"}, check: at("cluster.json")},
		{name: "import spark", ending: ".json", args: []string{"import", "spark", at("app.json"), "--history"},
			before: []string{"generate", "cluster", "--tasks", "9"}},
	}
	for _, m := range g.calls {
		g.ready(t, m)
	}
}

// log is the event log of a Spark application.
func (g *ground) log(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../testdata/spark/app.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func (g *ground) alibaba(t *testing.T, path string) {
	t.Helper()
	var b strings.Builder
	for j := range 400 {
		fmt.Fprintf(&b, "M1,%d,j_%d,1,Terminated,%d,%d,100,0.5\nR2_1,2,j_%d,1,Terminated,%d,%d,50,0.5\n", 2+j%7, j, 10+j,
			40+2*j, j, 40+2*j, 90+3*j)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// line is the command line for a target.
func (m *writer) line(args []string, target string) []string {
	var list []string
	found := false
	for _, a := range args {
		found = found || strings.Contains(a, "OUT")
		list = append(list, strings.ReplaceAll(a, "OUT", target))
	}
	switch {
	case found:
	case args[len(args)-1] == "--stats":
		list = append(list, target)
	default:
		list = append(list, "-o", target)
	}
	if args[0] == "solve" || args[0] == "compare" || args[0] == "validate" {
		list = append(list, "--threads", "1")
	}
	if args[0] != "formulate" {
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
	g.must(t, m.line(m.args, m.target(after))...)
	m.took = time.Since(begin)
	m.new = m.look(t, after)
	if m.before != nil {
		g.must(t, m.line(m.before, m.target(before))...)
		m.old = m.look(t, before)
		return
	}
	m.old = state{}
	for name, text := range m.new {
		m.old[name] = "an earlier file\n"
		if strings.HasPrefix(text, folderMark) {
			m.old[name] = folderMark + "old.svg\x00<svg xmlns=\"http://www.w3.org/2000/svg\"/>\x00"
		}
		if m.loose {
			m.old[name] = "{}\n"
		}
	}
}

// folderMark begins the text of a directory.
const folderMark = "\x00directory\x00"

// look reads the target in a directory, without temporary files.
func (m *writer) look(t *testing.T, dir string) state {
	t.Helper()
	s := state{}
	path := m.target(dir)
	if !m.parts {
		if text, ok := textOf(t, path); ok {
			s["."] = text
		}
		return s
	}
	entries, err := os.ReadDir(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.Contains(e.Name(), ".mrsched-") {
			continue
		}
		s[e.Name()], _ = textOf(t, filepath.Join(path, e.Name()))
	}
	return s
}

// textOf is the text of a file, or of all files of a directory.
func textOf(t *testing.T, path string) (string, bool) {
	t.Helper()
	info, err := os.Lstat(path)
	if os.IsNotExist(err) {
		return "", false
	}
	if err != nil {
		t.Fatal(err)
	}
	if !info.IsDir() {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text), true
	}
	all := folderMark
	entries, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, _ := textOf(t, filepath.Join(path, e.Name()))
		all += e.Name() + "\x00" + text + "\x00"
	}
	return all, true
}

// put writes a state.
func (m *writer) put(t *testing.T, dir string, s state) {
	t.Helper()
	for name, text := range s {
		path := m.target(dir)
		if m.parts {
			path = filepath.Join(path, name)
		}
		put(t, path, text)
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	list, isFolder := strings.CutPrefix(text, folderMark)
	if !isFolder {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(list, "\x00")
	for i := 0; i+1 < len(parts); i += 2 {
		put(t, filepath.Join(path, parts[i]), parts[i+1])
	}
}

// judge compares a directory with the earlier state and with what the writer makes, and reports differences.
func (m *writer) judge(t *testing.T, dir string, old state, e *ended) string {
	t.Helper()
	now := m.look(t, dir)
	for _, name := range slices.Sorted(maps.Keys(now)) {
		text := now[name]
		if text != old[name] && !m.made(name, text) {
			return fmt.Sprintf("%s is neither the earlier one nor the new one: %q", name, brief(text))
		}
		if _, stood := old[name]; !stood && text == "" && m.new[name] != "" {
			return fmt.Sprintf("%s is empty", name)
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
func (m *writer) made(name, text string) bool {
	if m.loose {
		return strings.HasPrefix(text, "{\n") && strings.HasSuffix(text, "}\n")
	}
	if m.args[0] == "solve" && strings.HasPrefix(name, "summary.") { // it says what failed
		return strings.HasSuffix(text, "\n") && (strings.HasPrefix(text, "instance,problem,") &&
			strings.Count(text, "\n") == 4 || json.Valid([]byte(text)))
	}
	return text == m.new[name]
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
	if err != nil {
		t.Fatal(err)
	}
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
