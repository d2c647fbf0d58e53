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

// settings are a preset's parameters as its flags state them by default, with some of them changed.
func settings(t testing.TB, p Preset, more solver.Params) solver.Params {
	t.Helper()
	values := solver.Params{}
	for _, q := range p.Params {
		var err error
		switch q.Kind {
		case solver.IntParam:
			values[q.Name], err = strconv.ParseInt(q.Default, 10, 64)
		case solver.FloatParam:
			values[q.Name], err = strconv.ParseFloat(q.Default, 64)
		case solver.BoolParam:
			values[q.Name] = q.Default == "true"
		default:
			values[q.Name] = q.Default
		}
		if err != nil {
			t.Fatal(q.Name, err)
		}
	}
	for name, v := range more {
		if n, ok := v.(int); ok {
			v = int64(n)
		}
		if values[name] == nil {
			t.Fatalf("preset %s has no parameter %s", p.Name, name)
		}
		values[name] = v
	}
	return values
}

// workloadOf is what a preset generates.
func workloadOf(t testing.TB, p Preset, seed uint64, more solver.Params) *model.Workload {
	t.Helper()
	w, err := p.Generate(settings(t, p, more), seed)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// hta finds a preset of problem hta, and the changes that pairs of name and value state.
func hta(t testing.TB, preset string, changes []any) (Preset, solver.Params) {
	t.Helper()
	p, err := FindPreset("hta", preset)
	if err != nil {
		t.Fatal(err)
	}
	more := solver.Params{}
	for i := 0; i < len(changes); i += 2 {
		more[changes[i].(string)] = changes[i+1]
	}
	return p, more
}

func generateHTA(t testing.TB, preset string, seed uint64, changes ...any) *model.Workload {
	t.Helper()
	p, more := hta(t, preset, changes)
	return workloadOf(t, p, seed, more)
}

// refused requires an input error whose findings have these codes and places: "V210, F105 file:line:column".
func refused(t *testing.T, want, preset string, changes ...any) {
	t.Helper()
	p, more := hta(t, preset, changes)
	w, err := p.Generate(settings(t, p, more), 1)
	var input *model.InputError
	if !errors.As(err, &input) || w != nil {
		t.Fatalf("%s %v: %v", preset, changes, err)
	}
	var got []string
	for _, f := range input.Findings {
		where := string(f.Code)
		if at := f.Pos.String(); at != "" {
			where += " " + filepath.Base(at)
		}
		got = append(got, where)
	}
	if is := strings.Join(got, ", "); is != want {
		t.Errorf("%s %v: %s, not %s: %v", preset, changes, is, want, err)
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

// TestHTAPresets: replicated is the default. Each preset except 3sat runs on its defaults.
func TestHTAPresets(t *testing.T) {
	want := model.AssignmentCost{Local: model.Second, Remote: model.RemoteCost{Base: 3 * model.Second}}
	for preset, tasks := range map[string]int{"": 1000, "thm41": 10, "thm43": 80} {
		w := generateHTA(t, preset, 1)
		if w.Problem != "hta" || len(w.Tasks) != tasks || len(w.Jobs) != 1 || !w.HasTopology ||
			!reflect.DeepEqual(*w.Cost, want) {
			t.Errorf("%s: %d tasks of problem %q, cost %+v", preset, len(w.Tasks), w.Problem, *w.Cost)
		}
	}
}

// TestThms: by hand, as the proofs state them. Theorem 4.1: G has an edge between t_i and s_i, G′ one more between t_n
// and s_1. Theorem 4.3: 7 tasks on 4 servers form sets of 2, 2, 2 and 1. Theorem 5.4 on four servers: costs 2 and 3,
// 3 + 2² = 7 hot tasks, and one on each other server that s2 holds too.
func TestThms(t *testing.T) {
	hot := map[string][]string{"t2": {"s2"}, "t3": {"s3", "s2"}, "t4": {"s4", "s2"}}
	for k := 1; k <= 7; k++ {
		hot[fmt.Sprintf("hot%d", k)] = []string{"s1"}
	}
	for _, c := range []struct {
		w    *model.Workload
		want map[string][]string
	}{
		{generateHTA(t, "thm41", 0, "servers", 4),
			map[string][]string{"t1": {"s1"}, "t2": {"s2"}, "t3": {"s3"}, "t4": {"s4"}}},
		{generateHTA(t, "thm41", 0, "servers", 4, "extra-replica", true),
			map[string][]string{"t1": {"s1"}, "t2": {"s2"}, "t3": {"s3"}, "t4": {"s4", "s1"}}},
		{generateHTA(t, "thm43", 0, "tasks", 7, "servers", 4), map[string][]string{"t1.1": {"s1"}, "t1.2": {"s1"},
			"t2.1": {"s2"}, "t2.2": {"s2"}, "t3.1": {"s3"}, "t3.2": {"s3"}, "t4.1": {"s4", "s1"}}},
		{generateHTA(t, "thm54", 0, "servers", 4), hot},
	} {
		if got := tasksOn(c.w); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v, not %v", got, c.want)
		}
	}
	if w := generateHTA(t, "thm54", 0, "servers", 4); w.Cost.Local != 2*model.Second ||
		w.Cost.Remote.At(7) != 3*model.Second {
		t.Errorf("cost %+v", w.Cost)
	}
	refused(t, "V210", "thm43", "tasks", 16, "servers", 5)
}

// TestThm43: the statements of the proof hold for all sizes.
func TestThm43(t *testing.T) {
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
	_, err := z.Write([]byte(text))
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	if again := generateHTA(t, "3sat", 0, "cnf", write("f.cnf.gz", packed.String())); !reflect.DeepEqual(w, again) {
		t.Error("another workload from the packed file")
	}
	refused(t, "V210", "3sat")
	refused(t, "F101 f.cnf", "3sat", "cnf", "nowhere/f.cnf")
	refused(t, "F101 "+filepath.Base(dir), "3sat", "cnf", dir)
	refused(t, "F109 bad.cnf:2:7", "3sat", "cnf", write("bad.cnf", "p cnf 4 1\n1 2 3 4 0\n"))
	refused(t, "F102 cut.cnf.gz:1:7", "3sat", "cnf", write("cut.cnf.gz", packed.String()[:20]))
	refused(t, "F105 latin.cnf:1:3", "3sat", "cnf", write("latin.cnf", "c \xe9\np cnf 1 1\n1 0\n"))
}
