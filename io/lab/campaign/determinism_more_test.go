package campaign

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mrsched/model/tier"
)

// imports reads every format. The files are copied so that their paths are the same everywhere.
func (l *lab) imports() []scenario {
	l.t.Helper()
	for _, format := range []string{"rumen", "swim", "rcmax", "wfformat", "alibaba", "keys", "spark",
		"pcmax", "psplib", "rwct", "stg"} {
		if err := os.CopyFS(filepath.Join(l.in, format), os.DirFS("../../../testdata/"+format)); err != nil {
			l.t.Fatal(err)
		}
	}
	lines := []string{
		"rumen @in/rumen/rules.json --topology @in/rumen/topology.json --history --speeds",
		"rumen @in/rumen/rules.json --weights size",
		"swim @in/swim/jobs.tsv @in/swim/more.tsv --users 2", "swim @in/swim/jobs.tsv --seed 5",
		"rcmax @in/rcmax/two.txt", "wfformat @in/wfformat/diamond.json @in/wfformat/older.json --bandwidth 8",
		"alibaba @in/alibaba/jobs.csv @in/alibaba/more.csv", "alibaba @in/alibaba/odd.csv --instances one",
		"spark @in/spark/app.json --history --memory", "spark @in/spark/odd.json --jobs free",
		"keys @in/keys/words.csv @in/keys/more.csv", "pcmax @in/pcmax/three.txt",
		"psplib @in/psplib/small.sm", "rwct @in/rwct/two.csv",
		"stg @in/stg/fork.stg --machines 2",
	}
	var list []scenario
	for k, line := range lines {
		words := append([]string{"import"}, strings.Fields(line)...)
		d := scenario{name: fmt.Sprintf("import %s %d", words[1], k)}
		for _, out := range []string{"-", "@out/w.json.gz", "@out/w"} {
			d.calls = append(d.calls, append(slices.Clone(words), "-o", out))
		}
		bad := []string{"import", words[1]}
		for path := range l.paths(words[1] + "/bad/*") {
			if !strings.HasSuffix(path, ".golden") && !strings.HasSuffix(path, ".txt") {
				bad = append(bad, "@in/"+path)
			}
		}
		if len(bad) > 2 && words[1] != "rumen" { // findings of many files, in order
			d.calls = append(d.calls, bad)
		}
		list = append(list, d)
	}
	return list
}

func (l *lab) paths(pattern string) func(func(string) bool) {
	found, err := filepath.Glob(filepath.Join(l.in, pattern))
	if err != nil {
		l.t.Fatal(err)
	}
	return func(yield func(string) bool) {
		for _, path := range found {
			name, err := filepath.Rel(l.in, path)
			if err != nil || !yield(name) {
				return
			}
		}
	}
}

// spec is a sweep over all problems, shortSpec one over two.
const (
	spec = `{"format":"mrsched-sweep/1","name":"all problems","instances":[
{"path":"fig1.json"},{"path":"*-tiny1.json"},{"path":"none.json"},
{"generate":"msjo","parameters":{"jobs":[2,3],"machines":5},"seeds":[1]},
{"generate":"hta","parameters":{"tasks":40,"servers":8,"zipf":1.2},"seeds":[1]}],
"algorithms":["mars","best","flow","greedy","edf","hash","delay","tetris"],
"parameters":{"epsilon":[0,0.3],"tie":["first","random"]},"iterations":10,"seeds":[1,2]}
`
	shortSpec = `{"format":"mrsched-sweep/1","instances":[{"path":"fig1.json"},{"generate":"hta","parameters":{"tasks":40,"servers":8,"zipf":1.2}}],
"algorithms":["mars","flow"],"iterations":10,"seeds":[1,2]}
`
)

// sweeps run whole and in shards, which are merged.
func (l *lab) sweeps() []scenario {
	l.t.Helper()
	text := spec
	if !tier.Nightly {
		text = shortSpec
	}
	if err := os.WriteFile(filepath.Join(l.in, "spec.json"), []byte(text), 0o600); err != nil {
		l.t.Fatal(err)
	}
	run := func(more ...string) []string {
		return append([]string{"sweep", "@in/spec.json", "-o", "@out/s", "--threads", "@threads", "-q"}, more...)
	}
	merge := []string{"sweep", "merge", "@out/s"}
	dry := []string{"sweep", "@in/spec.json", "--dry-run", "--shards", "3"}
	return []scenario{
		{name: "sweep", calls: [][]string{run(), merge, append(slices.Clone(merge), "--json", "--force"), dry}},
		{name: "sweep in shards", calls: [][]string{run("--shard", "1/3"), run("--shard", "3/3"), run("--shard", "2/3"),
			merge}},
	}
}

// others are the remaining commands.
func (l *lab) others(subjects []subject) []scenario {
	l.t.Helper()
	var list []scenario
	for _, p := range entries() {
		list = append(list, scenario{name: "validate " + p.Name, calls: [][]string{{"validate", p.Name, "--instances", "24",
			"--iterations", "30", "--threads", "@threads", "-o", "@out/v.json", "-q"}}})
		d := scenario{name: "formulate " + p.Name}
		batch := scenario{name: "batch " + p.Name, named: true, calls: [][]string{searching("solve", "-o", "@out/r", "-a",
			"all", "-q")}}
		for _, s := range subjects {
			if s.problem != p.Name {
				continue
			}
			if s.tiny || strings.HasSuffix(s.name, "1") { // compare solves the others
				batch.calls[0] = append(batch.calls[0], s.path())
			}
			for _, format := range p.Formats {
				d.calls = append(d.calls, []string{"formulate", s.path(), "--format", format, "-o",
					fmt.Sprintf("@out/%s.%s", s.name, format)})
			}
		}
		if len(d.calls) > 0 {
			list = append(list, d)
		}
		list = append(list, batch)
	}
	for _, name := range []string{"mars-fig7", "mars-fig16", "hta-roundrobin", "placement-theorem2", "placement-fig9",
		"realtime-fig1", "realtime-fig9-youtube", "realtime-fig5-youtube", "multitenant-small"} {
		list = append(list, scenario{name: "experiment " + name, calls: [][]string{{"experiment", name, "--seeds", "1",
			"--jobs-max", "4", "--threads", "@threads", "-o", "@out/e", "-q"}}})
	}
	phi, err := os.ReadFile("../../../instances/examples/phi.cnf")
	if err == nil {
		err = os.WriteFile(filepath.Join(l.in, "phi.cnf"), phi, 0o600)
	}
	if err != nil {
		l.t.Fatal(err)
	}
	return append(list, scenario{name: "estimate", calls: [][]string{{"estimate", "@in/realtime-made0.json"},
		{"estimate", "@in/realtime-made0.json", "--json", "--neighbours", "9"}, {"estimate", "@in/realtime-made0.json", "-o",
			"@out/w.json"}}},
		scenario{name: "words", calls: [][]string{{"schema"}, {"schema", "result"}, {"man"}, {"completion", "bash"}, {"version"},
			{"solve", "--help"}, {"experiment"}, {"solve", "@in/none.json"}, {"sove"}}},
		scenario{name: "bad input", calls: [][]string{{"solve", "@in/phi.cnf"}, {"check", "@in/fig1.json", "@in/results/dag"},
			{"compare", "@in/spec.json"}}})
}
