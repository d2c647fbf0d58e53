package flow

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkMinCostReplicated has three levels of cost, and servers from very tight to loose.
func BenchmarkMinCostReplicated(b *testing.B) {
	for _, capacity := range []int64{101, 110, 1000} {
		b.Run(fmt.Sprint("capacity=", capacity), func(b *testing.B) {
			n, source, sink, _ := replicated(100_000, 1000, 3, capacity)
			benchmarkMinCost(b, n, source, sink, MinCost)
		})
	}
}

// BenchmarkMinCostSpread has arc costs up to 10 000: paths of many lengths.
func BenchmarkMinCostSpread(b *testing.B) {
	n, source, sink, first := replicated(30_000, 300, 10, 110)
	rng := rand.New(rand.NewPCG(3, 4))
	n.cost = make([]int64, n.NumArcs())
	for a := range first {
		n.cost[a] = rng.Int64N(10_000)
	}
	for _, method := range []struct {
		name string
		solve
	}{{"both", MinCost}, {"simplex", minCostSimplex}} {
		b.Run(method.name, func(b *testing.B) { benchmarkMinCost(b, n, source, sink, method.solve) })
	}
}

type solve func(context.Context, *Network) (*MinCostResult, error)

func benchmarkMinCost(b *testing.B, n *Network, source, sink Node, method solve) {
	ctx := context.Background()
	_, _, supplied, err := MinCostMaxFlow(ctx, n, source, sink)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		r := must(method(ctx, supplied))(b)
		b.ReportMetric(float64(r.Phases), "phases")
		b.ReportMetric(float64(r.Pivots), "pivots")
		b.ReportMetric(float64(r.Cost), "cost")
	}
}
