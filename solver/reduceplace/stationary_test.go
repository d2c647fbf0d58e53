package reduceplace

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mrsched/model"
	"mrsched/model/reduceplace"
	draws "mrsched/model/tier"
	"mrsched/solver"
)

// poissonJobs draws a workload as stationary expects it, of mean work 1 s.
func poissonJobs(r *rand.Rand, law Law, load float64, jobs int) []testJob {
	list, t := make([]testJob, jobs), 0.0
	for i := range list {
		t += r.ExpFloat64() / load
		v, u := drawJob(law, r)
		list[i] = testJob{t, r.ExpFloat64(), v, u * float64(v)}
	}
	return list
}

// jobCosts are the fetching costs of the jobs, in the order of their starts.
func jobCosts(in *reduceplace.Instance, slot []int32) []float64 {
	var list []float64
	for _, i := range in.Order {
		sum := 0.0
		for t := in.First[i]; t < in.First[i+1]; t++ {
			sum += in.Cost[slot[t]].Float() * float64(in.Bytes[i]) / float64(in.Reduces[i])
		}
		list = append(list, sum)
	}
	return list
}

// batches are the means of 100 batches of a sequence; neighbours are hardly correlated.
func batches(list []float64) []float64 {
	var out []float64
	for part := range slices.Chunk(list, len(list)/100) {
		m, _ := mean(part)
		out = append(out, m)
	}
	return out
}

// TestStationary simulates tiny systems for a long time. The average cost equals that of value iteration within three
// standard errors. No policy without knowledge of the future costs less beyond that noise, and the clairvoyant bound
// lies below.
func TestStationary(t *testing.T) {
	draws.Slow(t)
	u, v := discrete([]float64{1e6, 1e7, 1e8}, []float64{5, 3, 1}), discrete([]float64{1e5, 1e6}, []float64{1, 1})
	for k, c := range []struct {
		cost []float64
		law  Law
		k    int
		load float64
	}{
		{[]float64{1, 10, 30}, uniformReduces(u, 1), 2, 0.9},
		{[]float64{1, 2, 20, 30}, uniformReduces(u, 2), 2, 0.6},
		{[]float64{1, 4, 9, 16, 25}, Law{{0, 0.2, empirical([]float64{0})}, {1, 0.8, u}}, 4, 0.8},
		{[]float64{1, 10}, uniformReduces(u, 1), 2, 0.7},
		{[]float64{1, 2, 20, 30}, Law{{2, 1, v}}, 2, 0.9},
		{[]float64{1, 4, 9, 16, 25, 36}, Law{{1, 0.5, u}, {2, 0.5, v}}, 3, 0.8},
	}[:draws.Draws(3, 6)] {
		v, err := stationaryValues(c.cost, c.law, c.k, c.load)
		if err != nil {
			t.Fatal(err)
		}
		want := v.perJob()
		r := testRun(t, c.cost, c.k, poissonJobs(rand.New(rand.NewPCG(uint64(k), 6)), c.law, c.load,
			draws.Draws(20_000, 100_000)))
		slot, _ := play(context.Background(), r.in, r.newStationary(v), func(int, int) {})
		if bad := r.in.Check(r.in.Schedule(slot)); len(bad) > 0 {
			t.Fatal(bad)
		}
		own := jobCosts(r.in, slot)
		m, se := mean(batches(own))
		bound, _ := proven(t, r).Float64()
		if math.Abs(m-want) > 3*se || bound/float64(r.in.Jobs) > m {
			t.Errorf("system %d: value iteration says %.6g, the simulation %.6g ± %.2g, above %.6g", k, want, m, se, bound)
		}
		lost := map[string]float64{}
		for _, name := range []string{"greedy", "rhc", "threshold", "random"} {
			more := jobCosts(r.in, policySlots(t, r, name))
			for i := range more {
				more[i] -= own[i]
			}
			if lost[name], se = mean(batches(more)); lost[name] < -3*se {
				t.Errorf("system %d: %s costs %.4g ± %.2g more than %.6g", k, name, lost[name], se, m)
			}
		}
	}
}

// chain evaluates policies of three slots, two running jobs of one reduce and one waiting, by an independent model. The
// first job goes to first[u]; a job beside one on slot s goes to beside[s][u].
type chain struct {
	cost      [3]float64
	u, weight [2]float64 // data and their probabilities
	load      float64
	first     [2]int
	beside    [3][2]int
}

// The chain's states: no job, one on slot s, two on all slots but s, the same and one waiting.
const chainStates = 10

// perJob solves the balance equations.
func (c *chain) perJob() float64 {
	m := mat.NewDense(chainStates, chainStates, nil) // rows: flow into a state − out of it
	var rates, costs [chainStates]float64            // of accepted jobs, of their costs
	flow := func(from, to int, rate float64) {
		m.Set(to, from, m.At(to, from)+rate)
		m.Set(from, from, m.At(from, from)-rate)
	}
	rates[0] = c.load
	for k, w := range c.weight {
		flow(0, 1+c.first[k], c.load*w)
		costs[0] += c.load * w * c.u[k] * c.cost[c.first[k]]
	}
	for s := range 3 {
		one := 1 + s
		flow(one, 0, 1)
		rates[one] = c.load
		for k, w := range c.weight {
			to := c.beside[s][k]
			flow(one, 4+3-s-to, c.load*w)
			costs[one] += c.load * w * c.u[k] * c.cost[to]
		}
		two, three := 4+s, 7+s
		flow(two, three, c.load)
		rates[two] = c.load
		for _, gone := range []int{(s + 1) % 3, (s + 2) % 3} {
			stays := 3 - s - gone
			flow(two, 1+stays, 0.5)
			for k, w := range c.weight {
				to := c.beside[stays][k]
				flow(three, 4+3-stays-to, 0.5*w)
				costs[three] += 0.5 * w * c.u[k] * c.cost[to]
			}
		}
	}
	right := mat.NewVecDense(chainStates, nil)
	for k := range chainStates {
		m.Set(0, k, 1) // in place of the first balance: shares add up to 1
	}
	right.SetVec(0, 1)
	var share mat.VecDense
	if err := share.SolveVec(m, right); err != nil {
		panic(err)
	}
	cost, jobs := 0.0, 0.0
	for k := range chainStates {
		cost += share.AtVec(k) * costs[k]
		jobs += share.AtVec(k) * rates[k]
	}
	return cost / jobs
}

// TestStationaryBruteForce evaluates all 576 stationary policies of a small system, threshold policies or not. The best
// one has the cost of value iteration.
func TestStationaryBruteForce(t *testing.T) {
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 7))
		c := chain{load: 0.2 + 0.7*r.Float64(), cost: [3]float64{1 + r.Float64(), 3 + 4*r.Float64(), 7 + 20*r.Float64()},
			u: [2]float64{1 + r.Float64(), 2 + 20*r.Float64()}}
		c.weight[0] = 0.2 + 0.6*r.Float64()
		c.weight[1] = 1 - c.weight[0]
		best, policies := math.Inf(1), 0
		for code := range 9 * 64 {
			c.first = [2]int{code % 3, code / 3 % 3}
			bits := code / 9
			for s := range 3 {
				for k := range 2 {
					c.beside[s][k] = (s + 1 + bits%2) % 3
					bits /= 2
				}
			}
			best = min(best, c.perJob())
			policies++
		}
		s, err := newTinySystem(c.cost[:], uniformReduces(discrete(c.u[:], c.weight[:]), 1), 2, 1)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.sets) != 7 || policies != 576 {
			t.Fatalf("%d configurations, %d policies", len(s.sets), policies)
		}
		v := solveValues(context.Background(), s, c.load)
		if got := v.perJob(); math.Abs(got-best) > 1e-8*best {
			t.Errorf("seed %d: value iteration says %.12g, the best policy costs %.12g", seed, got, best)
		}
		if v.lower > v.upper || v.upper-v.lower > 2e-9*v.upper {
			t.Errorf("seed %d: a cycle costs %g … %g", seed, v.lower, v.upper)
		}
	}
}

// TestStationaryOrder: the proof of Theorem 3 claims that H(A) < H(B) implies C(A) ≥ C(B), the costs of the states with
// A and with B. That is wrong, even if all jobs have two reduces. Beside {1, 6} the next job pays H(2)+H(3) = 20,
// beside {2, 3} only H(1)+H(4) = 11, although H(2)+H(3) = 20 < H(1)+H(6) = 21. The optimal policy still has thresholds:
// {1, 6} is never chosen.
func TestStationaryOrder(t *testing.T) {
	s, err := newTinySystem([]float64{0, 10, 10, 11, 16, 21}, Law{{2, 1, discrete([]float64{1, 1.25, 1.5, 1.75, 2}, []float64{1, 1, 1, 1, 1})}}, 2, 20)
	if err != nil {
		t.Fatal(err)
	}
	v := solveValues(context.Background(), s, 0.5)
	value := func(set uint64) float64 { return v.value[s.number[key([]uint64{set})]] }
	if a, b := value(0b100001), value(0b000110); a <= b {
		t.Errorf("C({1,6}) = %g, C({2,3}) = %g", a, b)
	}
	last := math.Inf(1)
	for u := 0.01; u < 100; u *= 1.1 {
		h := 0.0
		set := v.best(0, 0, 2, u)
		for k, c := range s.height {
			h += c * float64(set>>k&1)
		}
		if h > last {
			t.Errorf("with %g bytes a job takes a set of cost %g, with less one of %g", u, h, last)
		}
		if last = h; set == 0b100001 {
			t.Errorf("with %g bytes a job takes slots 1 and 6", u)
		}
	}
}

// TestStationaryRefuses: systems that are too large, or have no stationary policy, are rejected.
func TestStationaryRefuses(t *testing.T) {
	job, later := testJob{0, 1, 2, 10}, testJob{3, 1, 2, 10}
	for _, c := range []struct {
		what     string
		slots, k int
		jobs     []testJob
	}{
		{"slots for one job at a time", 3, 2, []testJob{job, later}},
		{"100 slots", 100, 2, []testJob{job, later}},
		{"20 slots for 5 jobs", 20, 5, []testJob{job, later, later, later, later, later, later}},
		{"C(60, 30) sets", 60, 1, []testJob{{0, 1, 30, 1}, {3, 1, 30, 1}}},
		{"all jobs at once", 4, 2, []testJob{job, job}},
		{"one job", 4, 2, []testJob{job}},
		{"more work than time", 4, 2, []testJob{job, {1, 1, 2, 10}}},
		{"no work", 4, 2, []testJob{{0, 0, 1, 1}, {5, 0, 1, 1}}},
	} {
		r := testRun(t, make([]float64, c.slots), c.k, c.jobs)
		_, err := algorithmOf(t, "stationary").Solve(context.Background(), r, solver.Options{})
		var input *model.InputError
		if !errors.As(err, &input) || input.Findings[0].Code != model.CodeParameter {
			t.Errorf("%s: %v, want a finding %s", c.what, err, model.CodeParameter)
		}
	}
	r := testRun(t, make([]float64, 4), 2, []testJob{job, job})
	r.p.load = 0.5
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	for ctx, want := range map[context.Context]model.Status{context.Background(): model.StatusFeasible,
		stopped: model.StatusLimit} {
		f, err := algorithmOf(t, "stationary").Solve(ctx, r, solver.Options{})
		if err != nil || f.status != want || len(f.slot) != 4 {
			t.Errorf("with --load: %v, %v, not %s", f, err, want)
		}
	}
}

// stationaryValues is the least cost over all policies without knowledge of the future. Slots have the given costs in
// rising order. Jobs of a distribution arrive at random times, up to k run at a time, and exponential work keeps the
// maps busy for the share load of the time, 0 < load < 1.
func stationaryValues(cost []float64, law Law, k int, load float64) (*values, error) {
	s, err := newTinySystem(cost, law, k, queueFor(load, k))
	if err != nil {
		return nil, err
	}
	return solveValues(context.Background(), s, load), nil
}
