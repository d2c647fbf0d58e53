package campaign

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mrsched/instances"
	"mrsched/io/engine"
	"mrsched/model"
	"mrsched/model/tier"
	"mrsched/solver"
)

func entries() (list []*solver.Problem) {
	for _, p := range engine.Problems() {
		list = append(list, p.Problem)
	}
	return list
}

// made are instances, by problem, that are large enough for threads to share the work.
var made = map[string][][]string{
	"msjo": {{"--jobs", "9", "--machines", "15"}, {"--preset", "wikipedia", "--set", "small"}},
	"hta": {{"--tasks", "150", "--servers", "12", "--zipf", "1.2", "--racks", "3"},
		{"--tasks", "90", "--servers", "9", "--racks", "3", "--rack-cost", "1.5", "--zipf", "0.8"},
		{"--preset", "3sat", "--cnf", "@cnf"}},
	"reduceplace": {{"--jobs", "80", "--slots", "40", "--max-reduces", "4", "--maps", "5"}},
	"realtime": {{"--jobs", "4", "--workers", "12", "--maps", "8", "--reduces", "6", "--partitions", "20", "--skew",
		"60", "--keys", "60", "--history-runs", "20"}, {"--preset", "youtube", "--jobs", "3", "--workers", "10", "--maps",
		"6", "--reduces", "4", "--partitions", "12", "--skew", "60"}},
	"multitenant": {{"--nodes", "8", "--racks", "2", "--users", "3", "--hours", "0.02", "--ramp-up", "0",
		"--input-scale", "0.02"}},
	"cluster": {{"--tasks", "120", "--nodes", "10"}, {"--tasks", "12", "--nodes", "4", "--mean-tasks", "1",
		"--least-demand", "0.6", "--most-demand", "1", "--classes", "1"}},
}

// variants are additional flags of compare, by problem.
var variants = map[string][][]string{
	"msjo": {{"--objective", "twtct"}, {"--bound", "all", "--prediction-error", "0.2"}, {"--lp", "first-order"},
		{"--formulation", "published", "--separation", "every"}},
	"hta":         {{"--tie", "random"}},
	"reduceplace": {{"--estimate", "0.2"}, {"--law", "exponential", "--law-values", "5000000"}},
	"realtime":    {{"--goal", "partitions"}, {"--goal", "partitions", "--resplit-cost", "0.5"}, {"--estimates", "true"}},
	"multitenant": {{"--without", "nass", "--saturation", "0.5"}},
	"cluster":     {{"--objective", "tardiness"}, {"--objective", "late"}, {"--objective", "makespan"}},
}

// needs are flags without which an algorithm refuses the instances made here.
var needs = map[string][]string{"stationary": {"--load", "0.5", "--max-running-jobs", "1"},
	"skewtune": {"--resplit-cost", "0.5"}}

// subject is an instance; its name is that of its file among the inputs.
type subject struct {
	problem, name string
	tiny          bool // exact algorithms end soon
}

func (s subject) path() string { return "@in/" + s.name + ".json" }

// scenarios are everything that is compared. The small version has some of each kind.
func (l *lab) scenarios() []scenario {
	l.t.Helper()
	if err := os.MkdirAll(l.in, 0o755); err != nil {
		l.t.Fatal(err)
	}
	subjects := l.subjects()
	if !tier.Nightly {
		var list []scenario
		for _, p := range entries() {
			k := slices.IndexFunc(subjects, func(s subject) bool { return s.problem == p.Name })
			d := compared(subjects[k])[0]
			d.calls = d.calls[:1]
			list = append(list, d)
		}
		k := slices.IndexFunc(subjects, func(s subject) bool { return s.problem == "cluster" })
		return append(list, planned(subjects[k])[0], l.imports()[0], l.sweeps()[0])
	}
	list := slices.Concat(l.others(subjects), generateScenarios(), l.imports(), l.sweeps())
	for _, s := range subjects {
		list = slices.Concat(list, l.results(s), compared(s), planned(s))
	}
	return append(list, algorithmScenarios(subjects)...)
}

// subjects writes the instances: tiny ones, the shipped examples, larger ones.
func (l *lab) subjects() []subject {
	l.t.Helper()
	var list []subject
	for _, f := range families() {
		for k := range 3 {
			s := subject{f.problem, fmt.Sprintf("%s-tiny%d", f.problem, k), true}
			writeWorkload(l.t, filepath.Join(l.in, s.name+".json"), 1, func() (*model.Workload,
				error) {
				return f.generate(rand.New(rand.NewPCG(uint64(k), 4)), k)
			})
			list = append(list, s)
		}
		for k, flags := range made[f.problem] {
			s := subject{f.problem, fmt.Sprintf("%s-made%d", f.problem, k), false}
			flags = strings.Split(strings.ReplaceAll(strings.Join(flags, " "), "@cnf", "../../../instances/examples/phi.cnf"),
				" ")
			must(l.t, slices.Concat([]string{"generate", f.problem, "-q", "-o", filepath.Join(l.in, s.name+".json")}, flags)...)
			list = append(list, s)
		}
	}
	for _, p := range instances.Examples() {
		if err := os.WriteFile(filepath.Join(l.in, p.Name+".json"), p.Document, 0o600); err != nil {
			l.t.Fatal(err)
		}
		list = append(list, subject{p.Problem, p.Name, false})
	}
	must(l.t, "import", "spark", "../../../testdata/spark/app.json", "-q", "-o", filepath.Join(l.in, "recorded0.json"))
	return append(list, subject{"cluster", "recorded0", false}) // compare has a row for what really ran
}

// searching adds the flags that every call with a search has.
func searching(words ...string) []string {
	return append(words, "--iterations", "40", "--threads", "@threads")
}

// algorithmScenarios run every algorithm by name on suitable instances, also those that `all` leaves out.
func algorithmScenarios(subjects []subject) []scenario {
	var list []scenario
	for _, p := range entries() {
		for _, a := range p.Algorithms {
			for _, s := range subjects {
				if s.problem != p.Name || !strings.HasSuffix(s.name, "0") && !strings.HasSuffix(s.name, "-tiny1") || !s.tiny &&
					a.SizeLimit > 0 {
					continue
				}
				d := scenario{name: fmt.Sprintf("solve %s %s", s.name, a.Name), runs: p.Name + " " + a.Name}
				d.calls = append(d.calls, searching("solve", s.path(), "-a", a.Name, "-o", "@out/r", "--seed", "3"))
				d.calls[0] = append(d.calls[0], needs[a.Name]...)
				if p.Name == "realtime" {
					d.calls[0] = append(d.calls[0], "--goal", goal(a.Name))
				}
				list = append(list, d)
			}
		}
	}
	return list
}

// goal is one that an algorithm of realtime supports.
func goal(algorithm string) string {
	if slices.Contains([]string{"llf", "admit", "edf", "fifo", "fair", "best"}, algorithm) {
		return "deadlines"
	}
	return "partitions"
}

// compared runs all algorithms on an instance with several sets of flags.
func compared(s subject) []scenario {
	var list []scenario
	all := [][]string{nil}
	if strings.HasSuffix(s.name, "0") { // one tiny instance, and one generated one
		all = append(all, variants[s.problem]...)
	}
	for k, flags := range all {
		d := scenario{name: fmt.Sprint("compare ", s.name, " ", k), calls: [][]string{append(searching("compare", s.path(), "-o",
			"@out/r"), flags...)}}
		if k == 0 {
			d.calls = append(d.calls, searching("solve", s.path(), "-o", "-", "--seed", "7"),
				searching("solve", s.path(), "-o", "@out/one.json.gz", "--json"))
		}
		list = append(list, d)
	}
	return list
}

// planned asks how many machines an instance needs, and plans a result of it again; none of a problem that cannot.
func planned(s subject) []scenario {
	machines, search := map[string]string{"msjo": "--machines", "cluster": "--nodes"}[s.problem], "--iterations=20"
	if machines == "" || !s.tiny && !strings.HasSuffix(s.name, "0") {
		return nil
	}
	with := func(words ...string) []string { return append(words, search, "--threads", "@threads") }
	again := with("solve", s.path(), "--from", "@out/old", "--freeze-until", "3.5", "--change-penalty", "2", "-o",
		"@out/new")
	d := scenario{name: "plan " + s.name, calls: [][]string{
		with("size", s.path(), machines, "2..4", "-o", "@out/sizes"), with("size", s.path(), machines, "3", "--json"),
		with("solve", s.path(), "-a", map[string]string{"msjo": "huwf", "cluster": "fifo"}[s.problem], "-o", "@out/old"),
		again, {"check", s.path(), "@out/new"}, {"diff", "@out/old", "@out/new"}}}
	if s.problem == "cluster" {
		d.calls = append(d.calls, with("size", s.path(), machines, "1..5", "--deadline", "30"))
	}
	return []scenario{d}
}

// results reads results, which it makes once.
func (l *lab) results(s subject) []scenario {
	l.t.Helper()
	at := "@in/results/" + s.name
	dir := filepath.Join(l.in, "results", s.name)
	must(l.t, quiet("compare", filepath.Join(l.in, s.name+".json"), "-o", dir)...)
	d := scenario{name: "results " + s.name, calls: [][]string{
		{"check", s.path(), at}, {"check", s.path(), at, "--json"},
		{"report", at, "-o", "@out/a.html", "--svg", "@out/svg", "-q"},
		{"report", at, "-o", "@out/b.html", "--instance", s.path(), "-q"},
	}}
	scheduled, err := filepath.Glob(filepath.Join(dir, "*", "schedule.csv"))
	if err != nil || len(scheduled) < 2 {
		l.t.Fatalf("%s: %d schedules, %v", s.name, len(scheduled), err)
	}
	name := func(k int) string { return filepath.Base(filepath.Dir(scheduled[k])) }
	for k := range scheduled {
		if k > 0 {
			d.calls = append(d.calls, []string{"diff", at + "/" + name(k-1), at + "/" + name(k),
				[]string{"--all", "--json", "--markdown"}[k%3]})
		}
		if k%3 > 0 {
			continue
		}
		rows := l.rows(scheduled[k])
		row := rows[k%len(rows)]
		d.calls = append(d.calls, []string{"explain", s.path(), at + "/" + name(k), "task:" + row[0]},
			[]string{"explain", s.path(), at + "/" + name(k), "job:" + row[1], "--json", "-k", "3"})
	}
	return []scenario{d}
}

func (l *lab) rows(path string) [][]string {
	l.t.Helper()
	f, err := os.Open(path)
	if err != nil {
		l.t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) < 2 {
		l.t.Fatalf("%s: %d rows, %v", path, len(rows), err)
	}
	return rows[1:]
}

// generateScenarios make the instances of every preset in every form.
func generateScenarios() []scenario {
	small := map[string]string{"mars": "--jobs 9", "replicated": "--tasks 80 --servers 9 --zipf 1.1 --server-zipf 0.5",
		"3sat": "--cnf @in/phi.cnf", "placement": "--jobs 60 --slots 20 --correlate block1 --maps 4",
		"twitter": "--jobs 3 --keys 60 --noise 0.1 --size-spread 0.2", "youtube": "--jobs 3 --per-map",
		"shufflewatcher":    "--nodes 10 --racks 2 --users 3 --hours 0.01 --draw independent",
		"shufflewatcher-v1": "--nodes 10 --racks 2 --users 3 --hours 0.2 --draw independent"}
	var list []scenario
	for _, p := range instances.Presets() {
		d := scenario{name: "generate " + p.Name}
		for k, out := range []string{"-", "@out/w.json.gz", "@out/w"} {
			words := []string{"generate", p.Problem, "--preset", p.Name, "-o", out}
			if len(p.Document) == 0 {
				words = append(words, "--seed", fmt.Sprint(k+1))
			}
			d.calls = append(d.calls, append(words, strings.Fields(small[p.Name])...))
		}
		list = append(list, d)
	}
	return list
}
