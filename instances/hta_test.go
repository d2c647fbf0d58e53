package instances

import (
	"compress/gzip"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/hta/sat"
	"mrsched/solver"
)

// defaults are the parameters of a preset as its flags state them, changed by pairs of name and value.
func defaults(t testing.TB, preset string, changes ...any) (Preset, solver.Params) {
	t.Helper()
	p, err := FindPreset("hta", preset)
	if err != nil {
		t.Fatal(err)
	}
	values := solver.Params{}
	for _, q := range p.Params {
		switch q.Kind {
		case solver.IntParam:
			v, err := strconv.ParseInt(q.Default, 10, 64)
			if err != nil || float64(v) < q.Minimum || float64(v) > q.Maximum {
				t.Fatalf("--%s %q", q.Name, q.Default)
			}
			values[q.Name] = v
		case solver.FloatParam:
			v, err := strconv.ParseFloat(q.Default, 64)
			if err != nil || v < q.Minimum || v > q.Maximum {
				t.Fatalf("--%s %q", q.Name, q.Default)
			}
			values[q.Name] = v
		case solver.BoolParam:
			values[q.Name] = q.Default == "true"
		default:
			values[q.Name] = q.Default
		}
	}
	for i := 0; i < len(changes); i += 2 {
		name := changes[i].(string)
		if reflect.TypeOf(values[name]) == reflect.TypeOf(int64(0)) {
			values[name] = int64(changes[i+1].(int))
		} else {
			values[name] = changes[i+1]
		}
		if !slices.ContainsFunc(p.Params, func(q solver.Param) bool { return q.Name == name }) {
			t.Fatalf("preset %s has no parameter %s", preset, name)
		}
	}
	return p, values
}

func generateHTA(t testing.TB, preset string, seed uint64, changes ...any) *model.Workload {
	t.Helper()
	p, values := defaults(t, preset, changes...)
	w, err := p.Generate(values, seed)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// refused demands an input error with a text in it.
func refused(t *testing.T, want, preset string, changes ...any) {
	t.Helper()
	p, values := defaults(t, preset, changes...)
	w, err := p.Generate(values, 1)
	if input := (*model.InputError)(nil); w != nil || !errors.As(err, &input) || !strings.Contains(err.Error(), want) {
		t.Errorf("%s %v: %v, not %s", preset, changes, err, want)
	}
}

// replicas lists the servers of every block, in the order of the placements.
func replicas(w *model.Workload) map[string][]string {
	list := map[string][]string{}
	for _, p := range w.Placements {
		list[w.Blocks[p.Block]] = append(list[w.Blocks[p.Block]], w.Topology[p.Node].ID)
	}
	return list
}

// tasksOn lists the servers that hold each task's block.
func tasksOn(w *model.Workload) map[string][]string {
	blocks, list := replicas(w), map[string][]string{}
	for _, t := range w.Tasks {
		list[t.ID] = blocks[w.Blocks[t.Block]]
	}
	return list
}

// TestHTAPresets: replicated is the default; each preset but 3sat runs on its defaults, and says what it is.
func TestHTAPresets(t *testing.T) {
	if p, err := FindPreset("hta", ""); err != nil || p.Name != "replicated" {
		t.Errorf("%s, %v", p.Name, err)
	}
	for preset, tasks := range map[string]int{"replicated": 1000, "thm41": 10, "thm43": 80} {
		w := generateHTA(t, preset, 1)
		if w.Problem != "hta" || len(w.Tasks) != tasks || len(w.Jobs) != 1 || !w.HasTopology {
			t.Errorf("%s: %d tasks of problem %q", preset, len(w.Tasks), w.Problem)
		}
		if want := (model.AssignmentCost{Local: model.Second, Remote: model.RemoteCost{Base: 3 * model.Second}}); !reflect.DeepEqual(*w.Cost, want) {
			t.Errorf("%s: cost %+v", preset, *w.Cost)
		}
		for _, task := range w.Tasks {
			if task.Kind != model.Map || task.Block == model.None {
				t.Errorf("%s: task %s", preset, task.ID)
			}
		}
	}
}

// rackByServer names the parent of every server.
func rackByServer(w *model.Workload) map[string]string {
	rack := map[string]string{}
	for _, n := range w.Topology {
		if n.Kind == model.HostNode {
			rack[n.ID] = w.Topology[n.Parent].ID
		}
	}
	return rack
}

// TestReplicated: every block that is written has its number of distinct servers, in racks as HDFS wants them, and is read;
// racks hold the servers evenly; the seed decides everything.
func TestReplicated(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		servers := rapid.IntRange(1, 12).Draw(r, "servers")
		k := rapid.IntRange(1, servers).Draw(r, "replicas")
		racks := rapid.IntRange(0, 14).Draw(r, "racks")
		seed := rapid.Uint64().Draw(r, "seed")
		changes := []any{"tasks", rapid.IntRange(1, 40).Draw(r, "tasks"), "servers", servers, "replicas", k, "racks", racks,
			"zipf", rapid.SampledFrom([]float64{0, 0.5, 1, 3}).Draw(r, "zipf"), "blocks", rapid.SampledFrom([]int{0, 1, 20, 100}).Draw(r, "blocks"),
			"server-zipf", rapid.SampledFrom([]float64{0, 1, 10}).Draw(r, "server-zipf")}
		w := generateHTA(t, "replicated", seed, changes...)
		if again := generateHTA(t, "replicated", seed, changes...); !reflect.DeepEqual(w, again) {
			r.Fatal("another workload from the same seed")
		}
		rack := rackByServer(w)
		size := map[string]int{}
		for _, name := range rack {
			size[name]++
		}
		racks = min(racks, servers)
		for _, n := range size {
			if racks > 0 && n != servers/racks && n != (servers+racks-1)/racks {
				r.Fatalf("racks of %v servers", size)
			}
		}
		if len(rack) != servers || len(size) != max(1, racks) {
			r.Fatalf("%d servers in %d racks", len(rack), len(size))
		}
		read := map[model.BlockIndex]bool{}
		for _, task := range w.Tasks {
			read[task.Block] = true
		}
		blocks := replicas(w)
		if len(blocks) != len(w.Blocks) || len(read) != len(w.Blocks) {
			r.Fatalf("%d blocks, %d of them placed, %d read", len(w.Blocks), len(blocks), len(read))
		}
		for block, on := range blocks {
			sorted := slices.Sorted(slices.Values(on))
			if len(slices.Compact(sorted)) != k || len(on) != k {
				r.Fatalf("block %s on %v", block, on)
			}
			if racks < 2 || k < 2 {
				continue
			}
			if rack[on[0]] == rack[on[1]] || k > 2 && rack[on[2]] != rack[on[1]] && size[rack[on[1]]] > 1 {
				r.Fatalf("block %s on %v in %v", block, on, rack)
			}
		}
	})
}

// TestReplicatedZipf compares how often blocks are read, and servers hold replicas, with the popularity that was asked for:
// within five standard deviations.
func TestReplicatedZipf(t *testing.T) {
	const n, draws = 50, 100_000
	w := generateHTA(t, "replicated", 5, "tasks", draws, "blocks", n, "zipf", 0.5)
	reads := make([]float64, n)
	for _, task := range w.Tasks {
		rank, err := strconv.Atoi(w.Blocks[task.Block][1:])
		if err != nil {
			t.Fatal(err)
		}
		reads[rank-1]++
	}
	zipfLike(t, "reads", reads, 0.5)

	w = generateHTA(t, "replicated", 6, "tasks", draws, "servers", n, "replicas", 1, "server-zipf", 0.8)
	count := map[model.NodeIndex]float64{}
	for _, p := range w.Placements {
		count[p.Node]++
	}
	held := make([]float64, 0, n)
	for _, c := range count {
		held = append(held, c)
	}
	slices.Sort(held) // ranks are shuffled over the servers; neighbours in rank may change places
	slices.Reverse(held)
	zipfLike(t, "replicas", held, 0.8)

	w = generateHTA(t, "replicated", 7, "tasks", draws, "servers", n, "replicas", 1)
	count = map[model.NodeIndex]float64{}
	for _, p := range w.Placements {
		count[p.Node]++
	}
	for s, c := range count {
		if math.Abs(c-draws/n) > 5*math.Sqrt(draws/n) {
			t.Errorf("server %s has %v replicas of about %d", w.Topology[s].ID, c, draws/n)
		}
	}
}

func zipfLike(t *testing.T, what string, count []float64, exponent float64) {
	t.Helper()
	var total, weights float64
	for i, c := range count {
		total += c
		weights += math.Pow(float64(i+1), -exponent)
	}
	for i, c := range count {
		want := total * math.Pow(float64(i+1), -exponent) / weights
		if math.Abs(c-want) > 5*math.Sqrt(want) {
			t.Errorf("%v %s at rank %d instead of about %.0f", c, what, i+1, want)
		}
	}
}

// TestReplicatedStreams: where blocks lie depends neither on the tasks that read them nor on their popularity.
func TestReplicatedStreams(t *testing.T) {
	all := replicas(generateHTA(t, "replicated", 3, "tasks", 200))
	some := replicas(generateHTA(t, "replicated", 3, "tasks", 60, "blocks", 200, "zipf", 1.0))
	if len(some) == 0 || len(some) >= 60 {
		t.Errorf("60 tasks read %d blocks", len(some))
	}
	for block, on := range some {
		if !slices.Equal(on, all[block]) {
			t.Errorf("block %s on %v and on %v", block, all[block], on)
		}
	}
}

func TestReplicatedCost(t *testing.T) {
	w := generateHTA(t, "replicated", 1, "local", 2.0, "remote", 5.0, "per-remote", 0.25)
	if c := w.Cost; c.Local != 2*model.Second || c.Remote.At(4) != 6*model.Second || c.Rack.Known {
		t.Errorf("%+v", *c)
	}
	w = generateHTA(t, "replicated", 1, "rack-cost", 1.5)
	if c := w.Cost; !c.Rack.Known || c.Rack.Value != 3*model.Second/2 {
		t.Errorf("%+v", *c)
	}
	refused(t, "S411: a remote task costs 3, less than a local one at 4", "replicated", "local", 4.0)
	refused(t, "S411: a cost with racks", "replicated", "rack-cost", 1.5, "per-remote", 0.1)
	refused(t, "V210: --rack-cost without racks", "replicated", "rack-cost", 1.5, "racks", 0)
	refused(t, "V210: 3 replicas of a block on 2 servers", "replicated", "servers", 2)
	refused(t, "V210: 1000000000 replicas in all", "replicated", "tasks", 1_000_000, "servers", 1000, "replicas", 1000)
	refused(t, "lower --replicas\nV210: --rack-cost", "replicated", "servers", 2, "rack-cost", 1.5, "racks", 0) // all at once
}

// TestUrn draws everything from an urn, in ranges and outside of them, and again after refilling.
func TestUrn(t *testing.T) {
	for n := 1; n < 20; n++ {
		u := newUrn(zipfWeights(n, 1), stream(uint64(n), 0))
		for range 2 {
			first, last := n/3, (2*n+2)/3
			var got []int
			for k := range 2 * n {
				number, ok := u.draw(first, last)
				inside := ok
				if k%2 == 0 || !ok {
					number, ok = u.drawOutside(first, last)
					inside = false
				}
				if !ok {
					continue
				}
				if in := first <= number && number < last; in != inside {
					t.Fatalf("%d is drawn from [%d,%d): %v", number, first, last, inside)
				}
				u.take(number)
				got = append(got, number)
			}
			slices.Sort(got)
			if len(slices.Compact(got)) != len(got) {
				t.Fatalf("%v", got)
			}
			for {
				number, ok := u.draw(0, n)
				if !ok {
					break
				}
				u.take(number)
				got = append(got, number)
			}
			slices.Sort(got)
			if len(got) != n || got[0] != 0 || got[n-1] != n-1 {
				t.Fatalf("%v of %d", got, n)
			}
			u.refill()
		}
	}
}

// TestThm41: G has an edge between t_i and s_i, G′ one more between t_n and s_1.
func TestThm41(t *testing.T) {
	want := map[string][]string{"t1": {"s1"}, "t2": {"s2"}, "t3": {"s3"}, "t4": {"s4"}}
	if got := tasksOn(generateHTA(t, "thm41", 0, "servers", 4)); !reflect.DeepEqual(got, want) {
		t.Error(got)
	}
	want["t4"] = []string{"s4", "s1"}
	if got := tasksOn(generateHTA(t, "thm41", 0, "servers", 4, "extra-replica", true)); !reflect.DeepEqual(got, want) {
		t.Error(got)
	}
}

// TestThm43: 7 tasks on 4 servers fall into sets of 2, 2, 2 and 1; and what the proof says of all sizes.
func TestThm43(t *testing.T) {
	want := map[string][]string{"t1.1": {"s1"}, "t1.2": {"s1"}, "t2.1": {"s2"}, "t2.2": {"s2"}, "t3.1": {"s3"}, "t3.2": {"s3"}, "t4.1": {"s4", "s1"}}
	if got := tasksOn(generateHTA(t, "thm43", 0, "tasks", 7, "servers", 4)); !reflect.DeepEqual(got, want) {
		t.Error(got)
	}
	for n := 3; n < 8; n++ {
		for m := 1; m <= n*(n-2); m++ {
			size := map[string]int{}
			elsewhere := map[string]bool{}
			for task, on := range tasksOn(generateHTA(t, "thm43", 0, "tasks", m, "servers", n)) {
				size[on[0]]++
				if last := on[0] == fmt.Sprintf("s%d", n); len(on) > 2 || last != (len(on) == 2) || last && (elsewhere[on[1]] || on[1] == on[0]) {
					t.Errorf("m = %d, n = %d: task %s on %v", m, n, task, on)
				} else if last {
					elsewhere[on[1]] = true
				}
			}
			for i := 1; i <= n; i++ {
				s := size[fmt.Sprintf("s%d", i)]
				if s < m/n || s > (m+n-1)/n || i > 1 && s > size[fmt.Sprintf("s%d", i-1)] {
					t.Errorf("m = %d, n = %d: sets of %v", m, n, size)
				}
			}
		}
	}
	refused(t, "V210: 16 tasks on 5 servers; expected at most n(n-2) = 15 tasks", "thm43", "tasks", 16, "servers", 5)
}

// TestSATPreset reads a formula, plain and packed, and reports what is wrong with one by its place.
func TestSATPreset(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const text = "\xef\xbb\xbfp cnf 3 2\n1 -2 0\n2 3 -1 0\n"
	w := generateHTA(t, "3sat", 0, "cnf", write("f.cnf", text))
	if f, err := sat.Recover(w); err != nil || !reflect.DeepEqual(f.Clauses, []sat.Clause{{1, -2, -2}, {2, 3, -1}}) {
		t.Errorf("%v, %v", f, err)
	}
	if want := []string{"3SAT: 3 variables, 2 clauses, omega 2; satisfiable exactly if the makespan is at most 3",
		"1 clauses with fewer than three literals repeat their last"}; w.Name != "3sat-3-variables-2-clauses" || !slices.Equal(w.Notes, want) {
		t.Errorf("%s: %q", w.Name, w.Notes)
	}
	var packed strings.Builder
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if again := generateHTA(t, "3sat", 0, "cnf", write("f.cnf.gz", packed.String())); !reflect.DeepEqual(w, again) {
		t.Error("another workload from the packed file")
	}
	refused(t, "V210: preset 3sat needs a formula; expected --cnf FILE", "3sat")
	refused(t, "F101 nowhere/f.cnf: no such file or directory", "3sat", "cnf", "nowhere/f.cnf")
	refused(t, "F101 "+dir+": ", "3sat", "cnf", dir)
	refused(t, "bad.cnf:2:7: clause 1 has 4 literals", "3sat", "cnf", write("bad.cnf", "p cnf 4 1\n1 2 3 4 0\n"))
	refused(t, "F102 "+dir+"/cut.cnf.gz", "3sat", "cnf", write("cut.cnf.gz", packed.String()[:20]))
	refused(t, "F105 "+dir+"/latin.cnf:1:3", "3sat", "cnf", write("latin.cnf", "c \xe9\np cnf 1 1\n1 0\n"))
}

// BenchmarkReplicated makes the size that hta is built for: a million tasks on ten thousand servers.
func BenchmarkReplicated(b *testing.B) {
	for _, zipf := range []float64{0, 0.5} {
		b.Run(fmt.Sprintf("zipf%g", zipf), func(b *testing.B) {
			for b.Loop() {
				generateHTA(b, "replicated", 1, "tasks", 1_000_000, "servers", 10_000, "racks", 100, "zipf", zipf)
			}
		})
	}
}
