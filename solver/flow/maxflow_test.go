package flow

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"
	"fmt"
)

func genrmf(a, b int, c1, c2 int64) (*Network, Node, Node) {
	rng := rand.New(rand.NewPCG(5, 6))
	var bl Builder
	bl.AddNodes(a*a*b)
	id := func(x, y, z int) Node { return Node(z*a*a + y*a + x) }
	for z := range b {
		for y := range a {
			for x := range a {
				for _, d := range [][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
					if x+d[0] >= 0 && x+d[0] < a && y+d[1] >= 0 && y+d[1] < a {
						bl.AddArc(id(x, y, z), id(x+d[0], y+d[1], z), c2*int64(a*a), 0)
					}
				}
			}
		}
		if z+1 < b {
			for i, k := range rng.Perm(a * a) {
				bl.AddArc(Node(z*a*a+i), Node((z+1)*a*a+k), c1+rng.Int64N(c2-c1+1), 0)
			}
		}
	}
	n, err := bl.Build()
	if err != nil {
		panic(err)
	}
	return n, 0, Node(a*a*b - 1)
}

func TestScratch(t *testing.T) {
	run := func(name string, n *Network, s, tt Node) {
		m := must(NewMaxFlow(n, s, tt))(t)
		begin := time.Now()
		m.Solve(context.Background())
		fmt.Println(name, n.NumNodes(), n.NumArcs(), m.Value(), time.Since(begin))
	}
	for _, ab := range [][2]int{{8, 64}, {16, 64}, {16, 256}, {32, 32}, {64, 8}, {64, 16}} {
		n, s, tt := genrmf(ab[0], ab[1], 1, 10000)
		run(fmt.Sprint("rmf", ab), n, s, tt)
	}
	n, s, tt, _ := replicated(1_000_000, 10_000, 3, 100)
	run("1M", n, s, tt)
	n, s, tt, _ = replicated(1_000_000, 10_000, 3, 105)
	run("1M loose", n, s, tt)
	begin := time.Now()
	r, _, _, _ := MinCostMaxFlow(context.Background(), n, s, tt)
	fmt.Println("1M mincost", r.Status, r.Cost, r.Phases, time.Since(begin))
}
