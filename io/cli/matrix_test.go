package cli

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/model/tier"
	"mrsched/solver"
)

// bestName is the name of the search that every problem has.
const bestName = "best"

// recordedEach is the number of random instances of every case whose results are recorded, matrixEach that of all.
const recordedEach = 4

var matrixEach = tier.Draws(recordedEach, 60)

// matrixCase is a problem under one of its descriptor's settings for small instances.
type matrixCase struct {
	engine.Problem
	name string
	with engine.Settings
}

// moreSettings are settings beside those of the descriptors, for one instance after the other.
var moreSettings = map[string][]engine.Settings{
	"msjo":        {nil, {"prediction-error": "0.5", "batch-interval": "5"}, {"bound": "all", "epsilon": "0.3"}},
	"reduceplace": {nil, {"max-running-jobs": "1", "window": "2"}, {"estimate": "0.5"}},
	"realtime": {nil, {"estimates": "true", "resplit-cost": "0.5"}, {"goal": "partitions", "sketch-delta": "0.2"},
		{"deadline-factor": "2", "max-neighbours": "1"}},
	"multitenant": {nil, {"slow-start": "0"}, {"slow-start": "1", "locality-wait": "5"}},
}

// matrixCases lists all problems and objectives.
func matrixCases() (list []matrixCase) {
	for _, p := range engine.Problems() {
		for _, variant := range p.Small.Variants {
			name := p.Name
			for _, key := range slices.Sorted(maps.Keys(variant)) {
				name += " " + variant[key]
			}
			list = append(list, matrixCase{p, name, variant})
		}
	}
	return list
}

// settings are those of an instance.
func (c matrixCase) settings(seed uint64) engine.Settings {
	with := maps.Clone(c.with)
	if more := moreSettings[c.Name]; more != nil {
		maps.Copy(with, more[seed%uint64(len(more))])
	}
	return with
}

// open makes a small random instance and opens it; nil if the problem rejects it under its settings.
func (c matrixCase) open(t *testing.T, seed uint64) *engine.Opened {
	t.Helper()
	var w *model.Workload
	r := rand.New(rand.NewPCG(seed, 20))
	for w == nil { // some draws have no solution
		w, _ = c.Small.Generate(r, int(seed))
	}
	params, err := engine.SettingValues(c.Params, c.settings(seed))
	if err != nil {
		t.Fatal(err)
	}
	o, err := engine.Open(c.Problem, w, params)
	if err != nil {
		t.Logf("%s, instance %d: %v", c.name, seed, err)
		return nil
	}
	return o
}

// runs reports whether -a all includes an algorithm.
func runs(o *engine.Opened, a solver.Algorithm) bool {
	small := a.SizeLimit == 0 || o.Run.View().TaskCount() <= a.SizeLimit
	return small && o.Run.Excludes(a.Name) == solver.Exclusion{}
}

// matrix is one instance with the results of one run of every algorithm.
type matrix struct {
	*testing.T
	about    string
	o        *engine.Opened
	names    []string // of the algorithms
	dir, w   string
	flags    []string
	messages string            // of the last call, on standard error
	document map[string]string // what solve wrote, by file
	results  map[string]*model.Result
}

// TestMatrix solves small random instances of every problem under every objective with every algorithm once, and
// judges that run: it writes what testdata/recorded says, check accepts it, best costs no more than what constructs a
// schedule, no bound lies above a cost, explain and report read it. Another run, with the
// algorithms in another order, more threads and no log, writes the same.
func TestMatrix(t *testing.T) {
	tier.Slow(t)
	sums := newSums(t, "matrix")
	for _, c := range matrixCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tried := 0
			for seed := range uint64(matrixEach) {
				if o := c.open(t, seed); o != nil {
					m := &matrix{T: t, about: fmt.Sprintf("%s, instance %d", c.name, seed), o: o, dir: t.TempDir()}
					m.solve(c, seed)
					if seed < recordedEach {
						sums.compare(t, m.about, m.document)
					}
					m.judge()
					m.asked()
					m.again(seed)
					tried++
				}
			}
			if tried*2 < matrixEach {
				t.Errorf("%d of %d instances are refused", matrixEach-tried, matrixEach)
			}
		})
	}
}

// run runs a command that must succeed, and returns what it prints.
func (m *matrix) run(args ...string) string {
	m.Helper()
	out, messages := runBoth(m.T, engine.ExitDone, args...)
	m.messages = messages
	return out
}

// solve writes the instance and the results of all algorithms.
func (m *matrix) solve(c matrixCase, seed uint64) {
	m.w = filepath.Join(m.dir, "w.json")
	if err := workload.Write(m.w, m.o.W, false, nil); err != nil {
		m.Fatal(err)
	}
	used := c.Used(nil, c.Algorithms...)
	with := c.settings(seed)
	for _, name := range slices.Sorted(maps.Keys(with)) {
		if used[name] && m.o.Run.View().Idle(name) == "" {
			m.flags = append(m.flags, "--"+name, with[name])
		}
	}
	m.flags = append(m.flags, "-p", c.Name, "-q", "--iterations", "5", "--seed", fmt.Sprint(1+seed))
	for _, a := range c.Algorithms {
		if runs(m.o, a) {
			m.names = append(m.names, a.Name)
		}
	}
	m.document = m.solved("first", m.names, 1, "--log")
	m.results = map[string]*model.Result{}
	for _, name := range m.names {
		b, found, err := result.Read(filepath.Join(m.dir, "first", name))
		if err != nil || len(found) > 0 {
			m.Fatal(err, found)
		}
		m.results[name] = b.Result
	}
}

// solved returns the files that solve writes, by path.
func (m *matrix) solved(to string, names []string, threads int, more ...string) map[string]string {
	m.Helper()
	out := filepath.Join(m.dir, to)
	m.run(slices.Concat([]string{"solve", m.w, "-a", strings.Join(names, ","), "-o", out, "--threads",
		fmt.Sprint(threads)}, m.flags, more)...)
	files := map[string]string{}
	if err := filepath.WalkDir(out, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, out+"/")] = string(text)
		return err
	}); err != nil {
		m.Fatal(err)
	}
	return files
}

// judge compares costs and bounds of all results, and lets check read them.
func (m *matrix) judge() {
	if text := m.run("check", m.w, filepath.Join(m.dir, "first")); strings.Count(text, "ok: ") != len(m.names) {
		m.Errorf("%s: check says %s", m.about, text)
	}
	number := func(v model.Number) *big.Rat { r, _ := v.Rat(); return r }
	var least *big.Rat
	cost := map[string]*big.Rat{}
	for name, r := range m.results {
		if r.Objective != nil {
			cost[name] = number(r.Objective.Value)
			if least == nil || cost[name].Cmp(least) < 0 {
				least = cost[name]
			}
		}
	}
	for _, a := range m.o.Problem.Algorithms {
		r := m.results[a.Name]
		if r == nil {
			continue
		}
		if r.LowerBound != nil && least != nil && number(r.LowerBound.Value).Cmp(least) > 0 {
			m.Errorf("%s: %s proves %v, and a schedule costs %s", m.about, a.Name, r.LowerBound.Value, least.FloatString(6))
		}
		if r.Status == model.StatusOptimal && cost[a.Name].Cmp(least) > 0 {
			m.Errorf("%s: %s is optimal at %s, and a schedule costs %s", m.about, a.Name, cost[a.Name].FloatString(6),
				least.FloatString(6))
		}
		constructs := !a.Search && !a.Exhaustive && !a.BoundOnly
		if constructs && cost[a.Name] != nil && cost[bestName].Cmp(cost[a.Name]) > 0 {
			m.Errorf("%s: best costs %s, %s %s", m.about, cost[bestName].FloatString(6), a.Name, cost[a.Name].FloatString(6))
		}
	}
}

// asked lets explain and report read the results.
func (m *matrix) asked() {
	var paths []string
	for _, name := range m.names {
		if m.results[name].Objective == nil {
			continue
		}
		path := filepath.Join(m.dir, "first", name)
		paths = append(paths, path)
		rows := strings.Split(m.document[name+"/schedule.csv"], "\n")
		if len(rows) < 3 {
			continue
		}
		task, _, _ := strings.Cut(rows[len(rows)-2], ",")
		if text := m.run("explain", m.w, path, task); !strings.Contains(text, task) {
			m.Errorf("%s: explain of %s in %s says %s", m.about, task, name, text)
		}
	}
	page := filepath.Join(m.dir, "page.html")
	m.run(slices.Concat([]string{"report"}, paths, []string{"-o", page, "-q"})...)
	text, err := os.ReadFile(page)
	if err != nil {
		m.Fatal(err)
	}
	for _, name := range m.names {
		if m.results[name].Objective != nil && !bytes.Contains(text, []byte(name)) {
			m.Errorf("%s: the report lacks %s", m.about, name)
		}
	}
}

// again solves with the algorithms in another order and with more threads.
func (m *matrix) again(seed uint64) {
	names := slices.Clone(m.names)
	slices.Reverse(names)
	if seed%2 == 1 {
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	}
	files := m.solved("again", names, 3)
	for _, name := range slices.Sorted(maps.Keys(m.document)) {
		if files[name] != m.document[name] {
			m.Errorf("%s: -a %v with 3 threads writes another %s", m.about, names, name)
		}
	}
	if len(files) != len(m.document) {
		m.Errorf("%s: %d files, then %d", m.about, len(m.document), len(files))
	}
}

// sums are digests by name, in a file of testdata/recorded.
type sums struct {
	mu   sync.Mutex
	path string
	want map[string]string
}

// newSums reads a file of digests. With -update it is written anew when all tests have ended.
func newSums(t *testing.T, name string) *sums {
	t.Helper()
	s := &sums{path: filepath.Join(root, "testdata/recorded", name+".sums"), want: map[string]string{}}
	text, err := os.ReadFile(s.path)
	if err != nil && !*update {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		sum, about, _ := strings.Cut(strings.TrimSpace(line), " ")
		s.want[about] = sum
	}
	if *update {
		t.Cleanup(func() {
			var b strings.Builder
			for _, about := range slices.Sorted(maps.Keys(s.want)) {
				fmt.Fprintln(&b, s.want[about], about)
			}
			if err := os.WriteFile(s.path, []byte(b.String()), 0o644); err != nil {
				t.Error(err)
			}
		})
	}
	return s
}

// compare compares a digest of files with the recorded one.
func (s *sums) compare(t *testing.T, about string, files map[string]string) {
	t.Helper()
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%s %d\n", name, len(files[name]))
		_, _ = io.WriteString(h, files[name])
	}
	got := fmt.Sprintf("%.12x", h.Sum(nil))
	s.mu.Lock()
	defer s.mu.Unlock()
	if *update {
		s.want[about] = got
	} else if s.want[about] != got {
		t.Errorf("%s: not as recorded", about)
	}
}

// TestSessionsSideBySide: sessions of one process share nothing that one of them writes; make race sees it.
func TestSessionsSideBySide(t *testing.T) {
	for k := range 4 {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			t.Parallel()
			for range 20 {
				run(t, engine.ExitDone, "version")
			}
		})
	}
}
