package flow

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// mostAt is the largest number of units that right nodes of capacity tau take, by a maximum flow.
func mostAt(t rapid.TB, g *Bipartite, tau int32) int64 {
	t.Helper()
	lefts := Node(len(g.Supply))
	b := build(len(g.Supply) + g.Rights)
	source, sink := b.AddNodes(1), b.AddNodes(1)
	for l, n := range g.Supply {
		b.AddArc(source, Node(l), int64(n))
		for _, s := range g.Right[g.First[l]:g.First[l+1]] {
			b.AddArc(Node(l), lefts+Node(s), int64(n))
		}
	}
	for s := range g.Rights {
		b.AddArc(lefts+Node(s), sink, int64(tau))
	}
	return solveMax(t, b, source, sink).Value()
}

// cutAt is the capacity of the cut that the levels define.
func cutAt(g *Bipartite, m *SemiMatching, tau int32) int64 {
	capacity := int64(0)
	for _, level := range m.Level {
		if level > tau {
			capacity += int64(tau)
		}
	}
	for l, n := range g.Supply {
		inside := true
		for _, s := range g.Right[g.First[l]:g.First[l+1]] {
			inside = inside && m.Level[s] > tau
		}
		if !inside {
			capacity += int64(n)
		}
	}
	return capacity
}

func drawBipartite(t *rapid.T) *Bipartite {
	g := &Bipartite{Rights: rapid.IntRange(1, 7).Draw(t, "rights"), First: []int32{0}}
	for range rapid.IntRange(0, 12).Draw(t, "lefts") {
		own := rapid.SliceOfNDistinct(rapid.Int32Range(0, int32(g.Rights-1)), 1, min(3, g.Rights), rapid.ID).Draw(t, "right")
		g.Right = append(g.Right, own...)
		g.First = append(g.First, int32(len(g.Right)))
		g.Supply = append(g.Supply, rapid.Int32Range(0, 9).Draw(t, "supply"))
	}
	return g
}

// TestBalance: loads equal the numbers of units. For every capacity, the units below it form a maximum flow, and the
// levels define its cut.
func TestBalance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawBipartite(t)
		m := Balance(context.Background(), g, nil)
		if !m.Balanced {
			t.Fatal("not balanced")
		}
		load := make([]int32, g.Rights)
		for l, n := range g.Supply {
			sum := int32(0)
			for e := g.First[l]; e < g.First[l+1]; e++ {
				if m.Units[e] < 0 {
					t.Fatalf("arc %d has %d units", e, m.Units[e])
				}
				sum += m.Units[e]
				load[g.Right[e]] += m.Units[e]
			}
			if sum != n {
				t.Fatalf("left node %d hands out %d of %d units", l, sum, n)
			}
		}
		if !slices.Equal(load, m.Load) {
			t.Fatalf("loads %v, stated %v", load, m.Load)
		}
		for tau := int32(0); tau <= slices.Max(load)+1; tau++ {
			maximum(t, g, m, tau)
		}
	})
}

// maximum: the units below a capacity form a maximum flow, and the levels define its cut.
func maximum(t rapid.TB, g *Bipartite, m *SemiMatching, tau int32) {
	t.Helper()
	below := int64(0)
	for _, x := range m.Load {
		below += int64(min(x, tau))
	}
	most, cut := mostAt(t, g, tau), cutAt(g, m, tau)
	ensure(t, below == most && cut == most, "τ = %d: loads give %d, cut %d, maximum flow %d", tau, below, cut, most)
}

// TestBalanceStops: a semi-matching is complete even without time to balance it. Continuing gives the loads of a run
// without a limit, and does not change what a limit left.
func TestBalanceStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	g := hadoop(2000, 50, 1)
	cut := Balance(ctx, g, nil)
	sum := int32(0)
	for _, x := range cut.Load {
		sum += x
	}
	ensure(t, !cut.Balanced && sum == 2000, "balanced %t, %d of 2000 units", cut.Balanced, sum)
	before := slices.Clone(cut.Units)
	again, want := Balance(context.Background(), g, cut), Balance(context.Background(), g, nil)
	slices.Sort(again.Load)
	slices.Sort(want.Load)
	ensure(t, again.Balanced && slices.Equal(again.Load, want.Load) && slices.Equal(cut.Units, before),
		"balanced %t, loads %v, want %v", again.Balanced, again.Load, want.Load)
}

// hadoop is a placement of blocks with three replicas each. Blocks are read with popularity rank^−zipf.
func hadoop(tasks, servers int, zipf float64) *Bipartite {
	random := rand.New(rand.NewPCG(1, 2))
	g := &Bipartite{Rights: servers, First: []int32{0}}
	sum, popular := 0.0, make([]float64, tasks)
	for b := range popular {
		sum += math.Pow(float64(b+1), -zipf)
		popular[b] = sum
	}
	readers := make([]int32, tasks)
	for range tasks {
		b, _ := slices.BinarySearch(popular, random.Float64()*sum)
		readers[min(b, tasks-1)]++
	}
	for _, n := range readers {
		if n == 0 {
			continue
		}
		var own []int32
		for len(own) < 3 {
			if s := random.Int32N(int32(servers)); !slices.Contains(own, s) {
				own = append(own, s)
			}
		}
		g.Right = append(g.Right, own...)
		g.First = append(g.First, int32(len(g.Right)))
		g.Supply = append(g.Supply, n)
	}
	return g
}

// TestBalanceLarge: skewed placements, with groups that are balanced in both directions in one round.
func TestBalanceLarge(t *testing.T) {
	for _, zipf := range []float64{0, 0.5, 1, 1.5} {
		g := hadoop(20_000, 300, zipf)
		m := Balance(context.Background(), g, nil)
		for _, tau := range []int32{1, 50, 66, 67, 68, 90, 200, 1000, slices.Max(m.Load)} {
			maximum(t, g, m, tau)
		}
	}
}
