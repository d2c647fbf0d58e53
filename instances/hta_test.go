package instances

import (
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

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

// refused requires an input error that contains a text.
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

// TestHTAPresets: replicated is the default. Each preset except 3sat runs on its defaults, and describes itself.
func TestHTAPresets(t *testing.T) {
	if p, err := FindPreset("hta", ""); err != nil || p.Name != "replicated" {
		t.Errorf("%s, %v", p.Name, err)
	}
	for preset, tasks := range map[string]int{"replicated": 1000, "thm41": 10, "thm43": 80} {
		w := generateHTA(t, preset, 1)
		if w.Problem != "hta" || len(w.Tasks) != tasks || len(w.Jobs) != 1 || !w.HasTopology {
			t.Errorf("%s: %d tasks of problem %q", preset, len(w.Tasks), w.Problem)
		}
		if want := (model.AssignmentCost{Local: model.Second,
			Remote: model.RemoteCost{Base: 3 * model.Second}}); !reflect.DeepEqual(*w.Cost, want) {
			t.Errorf("%s: cost %+v", preset, *w.Cost)
		}
		for _, task := range w.Tasks {
			if task.Kind != model.Map || task.Block == model.None {
				t.Errorf("%s: task %s", preset, task.ID)
			}
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

// TestThm43: 7 tasks on 4 servers form sets of 2, 2, 2 and 1, and the statements of the proof hold for all sizes.
func TestThm43(t *testing.T) {
	want := map[string][]string{"t1.1": {"s1"}, "t1.2": {"s1"}, "t2.1": {"s2"}, "t2.2": {"s2"}, "t3.1": {"s3"},
		"t3.2": {"s3"}, "t4.1": {"s4", "s1"}}
	if got := tasksOn(generateHTA(t, "thm43", 0, "tasks", 7, "servers", 4)); !reflect.DeepEqual(got, want) {
		t.Error(got)
	}
	for n := 3; n < 8; n++ {
		for m := 1; m <= n*(n-2); m++ {
			size := map[string]int{}
			elsewhere := map[string]bool{}
			for task, on := range tasksOn(generateHTA(t, "thm43", 0, "tasks", m, "servers", n)) {
				size[on[0]]++
				if last := on[0] == fmt.Sprintf("s%d", n); len(on) > 2 || last != (len(on) == 2) ||
					last && (elsewhere[on[1]] || on[1] == on[0]) {
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

// TestSATPreset reads a formula, plain and packed, and reports errors with their places.
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
		"1 clauses with fewer than three literals repeat their last"}; w.Name != "3sat-3-variables-2-clauses" ||
		!slices.Equal(w.Notes, want) {
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
