package shop

import (
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"testing"

	"mrsched/model"
	"mrsched/model/tier"
)

// drawPools draws pools of every sort.
func drawPools(in *Instance, r *rand.Rand) []Pool {
	pools := make([]Pool, 1+r.IntN(3))
	for i := range pools {
		p := Pool{Resource: int32(r.IntN(in.Resources)), Worth: make([]int64, in.Classes)}
		for k := range p.Worth {
			p.Worth[k] = r.Int64N(100)
			if r.IntN(2) == 0 {
				p.Worth[k] = in.Capacities(int32(k))[p.Resource] % 1_000_003
			}
		}
		switch r.IntN(3) {
		case 0:
			p.Steps = 1 + r.Int64N(4)
		case 1:
			p.Least = max(1, in.demand[r.IntN(len(in.demand))])
		}
		pools[i] = p
	}
	return pools
}

// drawAlone draws bounds of jobs that hold.
func drawAlone(e *Evaluator, c *Certificate, r *rand.Rand) {
	pools, _ := e.pools(&c.Bounds)
	for j := int32(AllJobs); j < int32(e.in.Jobs); j++ {
		b := AloneBound{Job: j, AloneSet: AloneSet{Head: model.Time(r.IntN(6)), Tail: model.Time(r.IntN(5)),
			Pool: int32(r.IntN(len(c.Pools)))}}
		if r.IntN(2) == 0 {
			b.Count = 1 + r.Int64N(2)
		}
		list := append(c.Alone[:len(c.Alone):len(c.Alone)], b)
		now := c.Alone
		c.Alone = list
		if _, err := e.Windows(&c.Bounds, pools); err != nil {
			c.Alone = now
		}
	}
}

// drawEnds draws bounds of barriers that hold.
func drawEnds(e *Evaluator, c *Certificate, r *rand.Rand) {
	pools, _ := e.pools(&c.Bounds)
	for u := int32(e.in.Tasks); u < int32(e.in.Steps); u++ {
		now := c.Ends
		c.Ends = append(now[:len(now):len(now)], StepBound{Step: u, AloneSet: AloneSet{Head: model.Time(r.IntN(4)),
			Tail: model.Time(r.IntN(3)), Pool: int32(r.IntN(len(c.Pools))), Count: r.Int64N(3)}})
		if _, err := e.Windows(&c.Bounds, pools); err != nil {
			c.Ends = now
		}
	}
}

// drawTwoSided draws prices that may be paid.
func drawTwoSided(e *Evaluator, r *rand.Rand) *Certificate {
	in := e.in
	c := &Certificate{Claim: model.Claim{Method: MethodTwoSided, Kind: KindTwoSided}, Bounds: Bounds{Pools: drawPools(in, r)},
		TwoSided: &TwoSided{}}
	drawEnds(e, c, r)
	drawAlone(e, c, r)
	pools, err := e.pools(&c.Bounds)
	if err != nil {
		panic(err)
	}
	tasks, paid := e.byJob(), make([]int64, in.Tasks)
	for _, j := range in.Targets() {
		if in.TargetWeight(j) == 0 {
			continue
		}
		c.Groups = append(c.Groups, drawGroup(e, r, j, tasks, pools, paid))
	}
	c.Forward = &Prices{Pool: make([][]int64, len(pools)), Latency: make([]int64, in.Tasks)}
	for p := range pools {
		c.Forward.Pool[p] = make([]int64, in.Tasks)
	}
	for u := range paid {
		for p, x := range pools {
			if x.Area[u] > 0 {
				c.Forward.Pool[p][u] = r.Int64N(paid[u]/x.Area[u] + 1)
				paid[u] -= c.Forward.Pool[p][u] * x.Area[u]
			}
		}
		if !in.Fixed(int32(u)) && in.Least[u] > 0 {
			c.Forward.Latency[u] = paid[u] / int64(in.Least[u])
		}
	}
	for e.Sign(c) != nil && c.Shift < 100 {
		c.Shift++
	}
	return c
}

// drawGroup draws prices of the tasks before the end of a job, and adds their payments.
func drawGroup(e *Evaluator, r *rand.Rand, j int32, tasks func(j int32) []int32, pools []*Pooled,
	paid []int64) PriceGroup {
	in, g := e.in, PriceGroup{Job: j}
	price := func() int64 { return r.Int64N(1000) * r.Int64N(2) }
	if j != AllJobs && r.IntN(2) == 0 {
		up := e.Before(j)
		for u := range int32(in.Tasks) {
			if _, ok := up[in.Job[u]]; ok || in.Job[u] == j {
				g.Tasks = append(g.Tasks, u)
			}
		}
	}
	list := g.Tasks
	if len(list) == 0 {
		list = tasks(j)
	}
	g.Prices.Pool, g.Prices.Latency = make([][]int64, len(pools)), make([]int64, len(list))
	for p := range pools {
		g.Prices.Pool[p] = make([]int64, len(list))
	}
	for i, u := range list {
		if in.Fixed(u) {
			continue
		}
		for p := range pools {
			g.Prices.Pool[p][i] = price()
			paid[u] += g.Prices.Pool[p][i] * pools[p].Area[u]
		}
		g.Prices.Latency[i] = 1000 * price()
		paid[u] += g.Prices.Latency[i] * int64(in.Least[u])
	}
	return g
}

// drawCells draws prices of cells.
func drawCells(e *Evaluator, r *rand.Rand) *Certificate {
	c := &Certificate{Claim: model.Claim{Method: MethodCells, Kind: KindCells}, Bounds: Bounds{Pools: drawPools(e.in, r)},
		CellPrices: &CellPrices{Cell: model.Time(1 + r.IntN(4))}}
	drawEnds(e, c, r)
	drawAlone(e, c, r)
	n, top := 1+r.IntN(6), int64(1)<<r.IntN(24)
	if e.in.Objective == Makespan {
		c.Shift, top = 20, 1<<r.IntN(16)
	}
	for range c.Pools {
		classes := make([][]int64, e.in.Classes)
		for k := range classes {
			classes[k] = make([]int64, n)
			for i := range classes[k] {
				if r.IntN(3) > 0 {
					classes[k][i] = r.Int64N(top)
				}
			}
		}
		c.Steps = append(c.Steps, classes)
	}
	return c
}

// drawJobPrices draws prices of jobs.
func drawJobPrices(e *Evaluator, r *rand.Rand) *Certificate {
	c := &Certificate{Claim: model.Claim{Method: MethodJobPrices, Kind: KindJobPrices}, Shift: r.IntN(3),
		JobPrices: &JobPrices{}}
	for range e.in.Jobs {
		c.JobPrices.Prices = append(c.JobPrices.Prices, r.Int64N(60))
	}
	return c
}

// TestBoundsHold: no certificate, whatever its numbers, exceeds the optimum, before rounding or after.
func TestBoundsHold(t *testing.T) {
	t.Parallel()
	positive := map[string]int{}
	for seed := range uint64(tier.Draws(300, 2400)) {
		r := rand.New(rand.NewPCG(seed, 1))
		in := tiny(t, r, 1+r.IntN(4))
		least := optimum(in)
		if least == nil {
			continue
		}
		want, e := in.Objective.Rat(least), NewEvaluator(in)
		if up := in.RoundUp(want); up.Cmp(want) != 0 {
			t.Fatalf("seed %d: %s: the optimum %s rounds up to %s", seed, in.Objective, want, up)
		}
		for range 12 {
			for name, c := range map[string]*Certificate{"two-sided": drawTwoSided(e, r), "cells": drawCells(e, r),
				"jobs": drawJobPrices(e, r),
				"none": {Claim: model.Claim{Method: MethodTwoSided, Kind: KindTwoSided}}} {
				if err := e.Sign(c); err != nil {
					if name != "jobs" {
						t.Fatalf("seed %d: %s: %v", seed, name, err)
					}
					continue
				}
				v, _ := new(big.Rat).SetString(c.Value)
				if v.Cmp(want) > 0 {
					text, _ := json.Marshal(c)
					t.Fatalf("seed %d: %s proves %s of %s, the optimum is %s\n%s", seed, name, v, in.Objective, want, text)
				}
				if v.Sign() > 0 {
					positive[name+" "+string(in.Objective)]++
				}
				if v = in.RoundUp(v); v.Cmp(want) > 0 {
					t.Fatalf("seed %d: %s rounded up to %s, the optimum is %s", seed, name, v, want)
				}
			}
		}
	}
	for _, need := range []string{"two-sided twjct", "two-sided makespan", "two-sided tardiness", "cells twjct",
		"cells late", "cells tardiness", "cells makespan", "jobs twjct", "none late"} {
		if positive[need] < 8 {
			t.Errorf("%s: only %d bounds above 0: %v", need, positive[need], positive)
		}
	}
}
