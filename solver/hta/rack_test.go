package hta

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"mrsched/model"
	"mrsched/model/hta"
	"mrsched/model/tier"
	"mrsched/solver"
	"mrsched/solver/lp"
	"mrsched/solver/lp/lpsolve"
)

// TestRacksDegenerate: if rack-local tasks cost as much as remote ones, no result is worse than without racks. If all
// tasks cost the same, only their number matters.
func TestRacksDegenerate(t *testing.T) {
	for k := range uint64(tier.Draws(60, 600)) {
		w := slotted(t, 5*k+3).w
		plain := *w
		c := *w.Cost
		c.Rack = model.Some(c.Remote.Base)
		w.Cost = &c
		c.Rack.Known = false
		plain.Cost = &model.AssignmentCost{Local: c.Local, Remote: c.Remote}
		c.Rack.Known = true
		three, two := opened(t, w, nil, params{}), opened(t, &plain, nil, params{})
		cost3, bound3 := makespan(t, three, "best", searching)
		cost2, bound2 := makespan(t, two, "best", searching)
		if cost3.Cmp(cost2) > 0 || bound3.Cmp(bound2) < 0 {
			t.Fatalf("with racks %s ≥ %s, without %s ≥ %s", cost3, bound3, cost2, bound2)
		}
		c.Local, c.Rack.Value = model.Second, model.Second
		c.Remote = model.RemoteCost{Base: model.Second}
		same := opened(t, w, nil, params{})
		cost, bound := makespan(t, same, "best", searching)
		want := big.NewRat(int64((same.in.Tasks+same.in.Servers-1)/same.in.Servers), 1)
		if cost.Cmp(want) != 0 || bound.Cmp(want) != 0 {
			t.Fatalf("one cost for all: %s ≥ %s, want %s", cost, bound, want)
		}
	}
}

// linear is the least makespan if tasks may be split, by lp_solve: x_bs local tasks of block b on server s, z_bR in
// rack R, u_b elsewhere; q_s tasks from its rack on server s, w_s remote ones.
func linear(t testing.TB, in *hta.Instance) float64 {
	t.Helper()
	m := lp.NewModel("T*")
	cost := func(l hta.Locality) float64 { return float64(in.Price(l, 0)) / float64(model.Second) }
	makespan := m.AddCol("T", 1, 0, lp.Inf)
	load := make([][]lp.Entry, in.Servers)
	rack := make([][]lp.Entry, in.Racks)
	var remote []lp.Entry
	for s := range load {
		q, w := m.AddCol("", 0, 0, lp.Inf), m.AddCol("", 0, 0, lp.Inf)
		load[s] = []lp.Entry{{Col: makespan, Coef: -1}, {Col: q, Coef: cost(hta.RackLocal)}, {Col: w, Coef: cost(hta.Remote)}}
		rack[in.Rack[s]] = append(rack[in.Rack[s]], lp.Entry{Col: q, Coef: -1})
		remote = append(remote, lp.Entry{Col: w, Coef: -1})
	}
	for b := range int32(in.Blocks) {
		u := m.AddCol("", 0, 0, lp.Inf)
		remote = append(remote, lp.Entry{Col: u, Coef: 1})
		all := []lp.Entry{{Col: u, Coef: 1}}
		seen := map[int32]bool{}
		for _, s := range in.Replicas(b) {
			x := m.AddCol("", 0, 0, lp.Inf)
			load[s] = append(load[s], lp.Entry{Col: x, Coef: cost(hta.NodeLocal)})
			all = append(all, lp.Entry{Col: x, Coef: 1})
			if k := in.Rack[s]; !seen[k] {
				seen[k] = true
				z := m.AddCol("", 0, 0, lp.Inf)
				rack[k] = append(rack[k], lp.Entry{Col: z, Coef: 1})
				all = append(all, lp.Entry{Col: z, Coef: 1})
			}
		}
		m.AddRow("", all, lp.EQ, float64(in.Readers(b)))
	}
	for _, row := range load {
		m.AddRow("", row, lp.LE, 0)
	}
	for _, row := range slices.Concat(rack, [][]lp.Entry{remote}) {
		m.AddRow("", row, lp.LE, 0)
	}
	s, err := lpsolve.NewSolver(m)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	x, err := s.Solve(context.Background())
	if err != nil || x.Status != lp.Optimal {
		t.Fatal(x, err)
	}
	return x.Objective
}

// replicatedRacks is an instance with popular blocks.
func replicatedRacks(t testing.TB, seed uint64, tasks, servers, racks int64, rack, remote float64) *run {
	return preset(t, "replicated", seed, solver.Params{"tasks": tasks, "servers": servers, "racks": racks, "zipf": 1.2,
		"rack-cost": rack, "remote": remote})
}

// TestPricesAgainstLP: the minimum cuts find prices as good as lp_solve's, from a finite set.
func TestPricesAgainstLP(t *testing.T) {
	for seed := range uint64(4) {
		for _, cost := range [][2]float64{{1.5, 3}, {2, 5}, {1.25, 1.5}, {1, 4}, {3, 3}} {
			r := replicatedRacks(t, seed, 120, 12, 4, cost[0], cost[1])
			want := linear(t, r.in)
			y := r.bestPrices(context.Background(), hta.Remote, 0)
			if got := r.in.ClassBounds(y)[hta.Remote]; float64(got)/float64(model.Second) < want-1e-6 {
				t.Errorf("seed %d, costs %v: prices prove %s, the linear program %v", seed, cost, got, want)
			}
		}
	}
}

// TestRacksNearBound: the gap between best and the bound, in tenths of a per cent. It is the same on every run.
func TestRacksNearBound(t *testing.T) {
	tier.Slow(t)
	for _, c := range []struct{ tasks, servers, racks, within int64 }{{1000, 50, 5, 30}, {5000, 150, 10, 20}} {
		r := replicatedRacks(t, 1, c.tasks, c.servers, c.racks, 1.5, 3)
		cost, bound := makespan(t, r, "best", searching)
		gap := new(big.Rat).Quo(new(big.Rat).Sub(cost, bound), bound)
		again, _ := makespan(t, &run{in: r.in, w: r.w, p: r.p}, "best", searching)
		if gap.Cmp(big.NewRat(c.within, 1000)) > 0 || again.Cmp(cost) != 0 {
			t.Errorf("%d tasks on %d servers: %s, then %s, bound %s", c.tasks, c.servers, cost, again, bound)
		}
	}
}

// TestLoadTree: the least loaded servers are those that a scan finds.
func TestLoadTree(t *testing.T) {
	r := replicatedRacks(t, 3, 100, 17, 4, 2, 4)
	random := rand.New(rand.NewPCG(3, 3))
	tree := newLoadTree(r.in)
	for range 300 {
		tree.add(random.Int32N(17), model.Time(random.IntN(5)))
		for k := range int32(4) {
			best := int32(model.None)
			for s, own := range r.in.Rack {
				if own == k && (best == model.None || tree.load[s] < tree.load[best]) {
					best = int32(s)
				}
			}
			if got := tree.leastIn(k); tree.load[got] != tree.load[best] || r.in.Rack[got] != k {
				t.Fatalf("rack %d: %d, want %d", k, got, best)
			}
		}
		if tree.load[tree.least()] != slices.Min(tree.load) {
			t.Fatal("not the least loaded")
		}
	}
}
