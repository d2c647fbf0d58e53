package model

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// racks are two nodes in racks of their own, with a row of every table that names nodes.
func racks(t *testing.T) *Workload {
	t.Helper()
	b, at := NewBuilder(), Locus{}
	b.Node(Node{ID: "dc", Kind: RootNode}, "", at)
	for _, k := range []string{"1", "2"} {
		b.Node(Node{ID: "r" + k, Kind: RackNode}, "dc", at)
		b.Node(Node{ID: "n" + k, Kind: HostNode, CPU: Some(8.0)}, "r"+k, at)
		b.Capacity(Capacity{Resource: "gpu", Amount: UnitAmount}, "n"+k, at)
		b.Placement("block", "n"+k, at)
		b.Unavailable(Unavailable{From: Second}, "n"+k, at)
		b.GivenTime(GivenTime{Task: "a1", Time: Second}, "a", "n"+k, at)
	}
	b.Job(Job{ID: "a", Weight: UnitWeight}, at)
	b.Task(Task{ID: "a1"}, "a", "block", at)
	b.Eligible("a", "", "r2", at)
	w := built(t, b)
	return w
}

// ids are the ids of rows of the topology.
func (w *Workload) ids(nodes ...NodeIndex) (list []string) {
	for _, n := range nodes {
		list = append(list, w.Topology[n].ID)
	}
	return list
}

// TestResize grows and shrinks a workload; the workload itself does not change.
func TestResize(t *testing.T) {
	w := racks(t)
	before := *racks(t)
	for _, c := range []struct {
		nodes int
		want  []string
	}{{1, []string{"n1"}}, {2, []string{"n1", "n2"}}, {5, []string{"n1", "n2", "n1-2", "n2-2", "n1-3"}}} {
		r, err := w.Resize(c.nodes, []string{"gpu"})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, r.ids(r.Hosts()...)); diff != "" {
			t.Error(diff)
		}
		if len(r.Capacities) != c.nodes || len(r.Times) != c.nodes || len(r.Placements) != min(2, c.nodes) ||
			len(r.Unavailable) != min(2, c.nodes) || len(r.Eligible) != 1 {
			t.Errorf("%d nodes: %v %v %v %v", c.nodes, r.Capacities, r.Times, r.Placements, r.Unavailable)
		}
		for _, n := range r.Hosts() {
			if name := r.Topology[n].ID; r.Topology[r.Topology[n].Parent].ID != "r"+name[1:2] || !r.Topology[n].CPU.Known {
				t.Errorf("%s is in %s", name, r.Topology[r.Topology[n].Parent].ID)
			}
		}
		for _, p := range r.Placements {
			if !strings.HasPrefix(r.Topology[p.Node].ID, "n") {
				t.Errorf("a replica lies in %s", r.Topology[p.Node].ID)
			}
		}
	}
	if diff := cmp.Diff([]any{before.Topology, before.Placements, before.Times, before.Capacities},
		[]any{w.Topology, w.Placements, w.Times, w.Capacities}); diff != "" {
		t.Error(diff)
	}
}

// TestResizeNeeds names every row that needs a leaving node.
func TestResizeNeeds(t *testing.T) {
	w := racks(t)
	n2 := w.Hosts()[1]
	w.Placements, w.Times = w.Placements[1:], w.Times[1:]
	w.Fixed = []FixedTask{{Task: 0, Node: n2}}
	w.Eligible = []Eligible{{Job: 0, Task: None, Place: n2}}
	_, err := w.Resize(1, nil)
	input, ok := errors.AsType[*InputError](err)
	if !ok || len(input.Findings) != 4 {
		t.Fatal(err)
	}
	for i, want := range []string{"is fixed there",
		`eligible leaves job "a" no other`, "no other has a replica", "no other has a row of times"} {
		if f := input.Findings[i]; f.Code != CodeNodeNeeded || !strings.Contains(f.What, want) ||
			f.Expected != "at least 2 nodes" {
			t.Errorf("%s: %s", want, f)
		}
	}
	w.Fixed = []FixedTask{{Task: 0, Node: n2}, {Task: 0, Node: NodeIndex(len(w.Topology))}}
	w.Topology = append(w.Topology, Node{ID: "n3", Kind: HostNode, Parent: 0})
	if _, err := w.Resize(1, nil); !strings.Contains(err.Error(), "at least 3 nodes") ||
		strings.Index(err.Error(), `"n3"`) > strings.Index(err.Error(), `"n2"`) {
		t.Error("n3 needs the most nodes:", err)
	}
	w.Fixed, w.Placements = nil, []Placement{{Block: 0, Node: n2}, {Block: 0, Node: n2 - 2}} // n1
	w.Times = append(w.Times, GivenTime{Job: 0, Task: "a1", Worker: n2 - 2})
	w.Eligible = append(w.Eligible, Eligible{Job: 0, Task: None, Place: n2 - 2})
	if r, err := w.Resize(1, nil); err != nil || len(r.Eligible) != 1 || len(r.Placements) != 1 ||
		len(r.Times) != 1 {
		t.Error("n1 keeps all that is needed:", r, err)
	}
}

// TestResizeResources: copies have nothing of a named resource unless the call names it, but they state something.
func TestResizeResources(t *testing.T) {
	w := racks(t)
	w.Capacities = append(w.Capacities, Capacity{Node: w.Hosts()[1], Resource: "seat", Amount: 2 * UnitAmount})
	for _, c := range []struct {
		nodes  int
		copied []string
		lack   []string
		total  map[string]Amount // of all nodes
	}{
		{2, nil, nil, map[string]Amount{"gpu": 2, "seat": 2}},
		{3, nil, []string{"gpu"}, map[string]Amount{"gpu": 2, "seat": 2}},
		{4, nil, []string{"gpu", "seat"}, map[string]Amount{"gpu": 2, "seat": 2}},
		{4, []string{"gpu"}, []string{"seat"}, map[string]Amount{"gpu": 4, "seat": 2}},
	} {
		if diff := cmp.Diff(c.lack, w.Lacking(c.nodes, c.copied)); diff != "" {
			t.Errorf("%d nodes, %v: %s", c.nodes, c.copied, diff)
		}
		r, err := w.Resize(c.nodes, c.copied)
		if err != nil {
			t.Fatal(err)
		}
		total, stating := map[string]Amount{}, map[NodeIndex]bool{}
		for _, row := range r.Capacities {
			total[row.Resource] += row.Amount / UnitAmount
			stating[row.Node] = true
		}
		if diff := cmp.Diff(c.total, total); diff != "" || len(stating) != c.nodes {
			t.Errorf("%d nodes, %v: %v state a capacity; %s", c.nodes, c.copied, stating, diff)
		}
	}
}
