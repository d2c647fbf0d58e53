package realtime

import (
	"context"
	"testing"
	"time"
	"math"
	"math/rand/v2"
	"mrsched/model"
)

func TestTmp2(t *testing.T) {
	_ = rand.New
	_ = math.Exp
	flat := func(n, m int, seed uint64, red int64) packSpec {
		s := youtube(t, n, m, seed, red)
		for i := range s.base[0] {
			s.base[0][i] = min(s.base[0][i], 5e6)
		}
		return s
	}
	for name, s := range map[string]packSpec{"f60": flat(60, 82, 1, 23), "f100": flat(100, 82, 1, 23), "u40x20of8": unrelated(40, 20, 1, 8, 1e6), "u60x10": unrelated(60, 10, 1, 0, 1e6)} {
		in := packInstance(t, s)
		r := packRun(in)
		p := r.packing(in.Sets[0])
		b := time.Now()
		f, _ := r.fractional(context.Background(), in.Sets[0])
		t.Log(name, "T*", f.bound, time.Since(b))
		b = time.Now()
		root, _ := r.root(context.Background(), in.Sets[0])
		t.Log(name, "root", root.value, time.Since(b))
		x := p.newSearch(1, 1e8)
		x.guide(f)
		b = time.Now()
		slot := x.improve(context.Background(), p.greedy(bySize), root.value)
		t.Log(name, "search", p.makespan(slot), time.Since(b))
		b = time.Now()
		tr := p.newTree(root.value+(p.makespan(slot)-root.value)/2, p.firstTrial(f), 100)
		lpTime, lpRounds = 0, 0
		a, _, _, err := tr.decide(context.Background())
		t.Log(name, "tree", a, err, tr.nodes, time.Since(b), "lp", lpTime, lpRounds, "work", treeWork-tr.knap.work)
		_ = model.Second
	}
}
