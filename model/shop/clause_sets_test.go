package shop

import (
	"fmt"
	"slices"
	"testing"

	"mrsched/model"
)

// TestSets: tasks of which no two run at a time on the only node are limits of the clause model, from three on.
func TestSets(t *testing.T) {
	for _, c := range []struct {
		what  string
		nodes int
		cores []float64 // by task, of 3
		zero  int       // a task without length; -1: none
		arcs  [][2]int
		want  [][]int32
	}{
		{"no room for two", 1, []float64{2, 2, 2, 1}, -1, nil, [][]int32{{0, 1, 2}}},
		{"only two apart", 1, []float64{2, 2, 1, 1}, -1, nil, nil},
		{"a path", 1, []float64{1, 1, 1, 1}, -1, [][2]int{{3, 1}, {1, 0}}, [][]int32{{0, 1, 3}}},
		{"a path or no room", 1, []float64{2, 2, 1, 1}, -1, [][2]int{{0, 2}, {2, 1}}, [][]int32{{0, 1, 2}}},
		{"a second set, cyclically", 1, []float64{1, 1, 1, 1, 1}, -1, [][2]int{{0, 1}, {1, 2}, {3, 1}, {1, 4}},
			[][]int32{{0, 1, 2}, {3, 4, 1}}},
		{"no length", 1, []float64{2, 2, 2, 2, 1}, 1, nil, [][]int32{{0, 2, 3}}},
		{"two nodes", 2, []float64{2, 2, 2, 1}, -1, nil, nil},
	} {
		m, err := coresOnly(t, c.nodes, c.cores, c.zero, c.arcs).Under(Makespan).ClauseModel(10)
		if err != nil {
			t.Fatal(err)
		}
		plain := len(m.Bundles) // limits: one of each bundle, then of all nodes: tasks, cores
		if c.nodes > 1 {
			plain += 2
		}
		var got [][]int32
		for _, l := range m.Limits[plain:] {
			var set []int32
			for _, n := range l.Tasks {
				if n.Amount == 1 && n.Length == 1 && l.Capacity == 1 {
					set = append(set, n.Variable)
				}
			}
			got = append(got, set)
		}
		if !slices.EqualFunc(got, c.want, slices.Equal) {
			t.Errorf("%s: sets %v, want %v", c.what, got, c.want)
		}
	}
}

// coresOnly is an instance of nodes of 3 cores and tasks of 1 s, zero of length 0.
func coresOnly(t *testing.T, nodes int, cores []float64, zero int, arcs [][2]int) *Instance {
	t.Helper()
	b, at := model.NewBuilder(), model.Locus{}
	b.Node(model.Node{ID: "rack", Kind: model.RackNode}, "", at)
	for i := range nodes {
		b.Node(model.Node{ID: fmt.Sprint("n", i), Kind: model.HostNode, CPU: model.Some(3.0)}, "rack", at)
	}
	b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, at)
	for u, x := range cores {
		length := model.Second
		if u == zero {
			length = 0
		}
		b.Task(model.Task{ID: fmt.Sprint(u), Processing: model.Some(length), CPU: model.Some(x)}, "j", "", at)
	}
	for _, a := range arcs {
		b.Delay(fmt.Sprint(a[0]), fmt.Sprint(a[1]), 0, at)
	}
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	in, err := New(w)
	if err != nil {
		t.Fatal(err)
	}
	return in
}
