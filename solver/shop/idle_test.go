package shop

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/shop"
)

// watched is fifo, and looks at every start whether the dispatcher finds nodes as a look at all of them does.
type watched struct {
	*inOrder
	t *testing.T
	d *dispatcher
}

func (p *watched) start(u int32) {
	p.inOrder.start(u)
	for v := range int32(p.b.in.Tasks) {
		if p.d == nil || p.b.node[v] != model.None {
			continue
		}
		if i, want := p.d.nearest(v), p.d.among(v); i != want {
			p.t.Errorf("at %s, task %d: node %d, expected %d", p.d.now, v, i, want)
		}
	}
}

// TestNearest compares the queues of nodes with all nodes.
func TestNearest(t *testing.T) {
	var list []*shop.Instance
	for k := range 200 {
		list = append(list, small(t, rand.New(rand.NewPCG(uint64(k), 3)), k))
	}
	for seed := range uint64(12) {
		list = append(list, medium(t, seed))
	}
	for _, in := range list {
		b := newBoard(in)
		p := &watched{newInOrder(b, byRelease(in)), t, nil}
		p.d = newDispatcher(t.Context(), b, p)
		p.d.all(testOptions)
	}
}

// TestColumns compares schedules with those of the same workload if so many resources of the root are unused that none
// of a place alone has a column.
func TestColumns(t *testing.T) {
	grouped := 0
	for k := range 400 {
		w, err := instances.SmallCluster(rand.New(rand.NewPCG(uint64(k), 4)), k)
		if err != nil {
			t.Fatal(err)
		}
		in, err := shop.New(w)
		if err != nil {
			t.Fatal(err)
		}
		root := slices.IndexFunc(w.Topology, func(n model.Node) bool { return n.Kind == model.RootNode })
		if len(in.Groups) == 0 {
			continue
		}
		more := *w
		more.Capacities = slices.Clone(w.Capacities)
		for r := range 20 {
			more.Capacities = append(more.Capacities, model.Capacity{Node: model.NodeIndex(root), Resource: fmt.Sprint("unused", r),
				Amount: model.UnitAmount})
		}
		all, err := shop.New(&more)
		if err != nil {
			t.Fatal(err)
		}
		if in.Resources == all.Resources {
			continue // nodes state them too
		}
		grouped++
		for _, a := range algorithms() {
			if a.Exhaustive || a.Search {
				continue
			}
			got, want := outcome(t, &run{in: all}, a.Name, testOptions).Schedule, outcome(t, &run{in: in}, a.Name, testOptions).Schedule
			same := slices.Contains([]string{"fifo", "fair", "heft"}, a.Name) // others count only resources with columns
			if same && !reflect.DeepEqual(got, want) || (got == nil) != (want == nil) {
				t.Fatalf("%d: %s: %+v, expected %+v", k, a.Name, got, want)
			}
			if want != nil && len(in.Check(got))+len(all.Check(want)) > 0 {
				t.Fatalf("%d: %s: %v, %v", k, a.Name, in.Check(got), all.Check(want))
			}
		}
	}
	if grouped == 0 {
		t.Error("no place of an instance states a resource")
	}
}
