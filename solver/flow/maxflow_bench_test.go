package flow

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// instances is the folder of the reference instances; they do not belong to the repository.
const instances = "../../../shared/bench/maxflow"

// reference is a line of the instances' REFERENCE.txt.
type reference struct {
	file        string
	nodes, arcs int
	value       int64
}

func references(t testing.TB) (list []reference) {
	t.Helper()
	f, err := os.Open(filepath.Join(instances, "REFERENCE.txt"))
	if os.IsNotExist(err) {
		t.Skipf("the reference instances are absent (%v)", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if strings.HasPrefix(s.Text(), "#") {
			continue
		}
		var r reference
		if _, err := fmt.Sscan(s.Text(), &r.file, &r.nodes, &r.arcs, &r.value); err != nil {
			t.Fatalf("%q: %v", s.Text(), err)
		}
		list = append(list, r)
	}
	return list
}

func readInstance(t testing.TB, file string) *Problem {
	t.Helper()
	f := must(os.Open(filepath.Join(instances, file)))(t)
	defer f.Close()
	return must(ReadDIMACS(f))(t)
}

func TestReferenceInstances(t *testing.T) {
	for _, r := range references(t) {
		t.Run(r.file, func(t *testing.T) {
			p := readInstance(t, r.file)
			if p.Network.NumNodes() != r.nodes || p.Network.NumArcs() != r.arcs {
				t.Errorf("%d nodes, %d arcs; the reference says %d, %d", p.Network.NumNodes(), p.Network.NumArcs(), r.nodes, r.arcs)
			}
			if m := solveMax(t, p.Network, p.Source, p.Sink); m.Value() != r.value {
				t.Errorf("value %d, the reference says %d", m.Value(), r.value)
			}
		})
	}
}

func BenchmarkReferenceInstances(b *testing.B) {
	for _, r := range references(b) {
		p := readInstance(b, r.file)
		b.Run(r.file, func(b *testing.B) { benchmarkMaxFlow(b, p.Network, p.Source, p.Sink, r.value) })
	}
}

func BenchmarkMaxFlowReplicated(b *testing.B) {
	n, source, sink, _ := replicated(100_000, 1000, 3, 100)
	benchmarkMaxFlow(b, n, source, sink, 100_000)
}

func benchmarkMaxFlow(b *testing.B, n *Network, source, sink Node, value int64) {
	b.ReportAllocs()
	for b.Loop() {
		m := must(NewMaxFlow(n, source, sink))(b)
		if m.Solve(context.Background()) != Optimal || m.Value() != value {
			b.Fatalf("%v, value %d", m.Status(), m.Value())
		}
	}
}

// BenchmarkMaxFlowRaised raises all servers' capacities one by one, as the search for the least maximal load does.
func BenchmarkMaxFlowRaised(b *testing.B) {
	n, source, sink, first := replicated(100_000, 1000, 3, 0)
	for b.Loop() {
		m := must(NewMaxFlow(n, source, sink))(b)
		for c := int64(1); m.Value() < 100_000; c++ {
			for a := first; int(a) < n.NumArcs(); a++ {
				if err := m.SetCapacity(a, c); err != nil {
					b.Fatal(err)
				}
			}
			m.Solve(context.Background())
		}
	}
}
