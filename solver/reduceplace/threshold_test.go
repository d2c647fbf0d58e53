package reduceplace

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/reduceplace"
	"mrsched/solver"
)

// near reports whether two numbers agree up to rounding.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(a)+math.Abs(b)) }

// TestThresholdsByHand: two jobs of one reduce with 1 or 3 bytes, equally likely. The second takes the cheapest slot,
// so q_{1,1} = 2. The first takes slot 1 with 3 bytes and leaves it with 1: q_{1,0} = (2+3)/2, q_{2,0} = (1+2)/2. On
// slots of cost 1 and 10 the sum is 2.5 + 15.
func TestThresholdsByHand(t *testing.T) {
	law := UniformReduces(Empirical([]float64{1, 3}), 1)
	q := thresholds(context.Background(), law, 2, 5)
	want := [][]float64{{2.5, 1.5}, {2}, nil}
	for n := range want {
		if !slices.EqualFunc(q[n], want[n], near) {
			t.Errorf("q after %d jobs = %v, want %v", n, q[n], want[n])
		}
	}
	if c, err := ExpectedCost([]float64{1, 10}, law, 2); err != nil || !near(c, 17.5) {
		t.Errorf("expected cost %g, %v, want 17.5", c, err)
	}
	if _, err := ExpectedCost([]float64{1}, law, 2); err == nil {
		t.Error("two jobs fit on one slot")
	}
	if c, err := ExpectedCost(nil, law, 0); err != nil || c != 0 {
		t.Errorf("no jobs cost %g, %v", c, err)
	}
}

// outcome is one value of a tiny law.
type outcome struct {
	reduces        int
	u, probability float64
}

// tinyLaw draws a law of two numbers of reduces whose data depend on them, and lists its outcomes.
func tinyLaw(r *rand.Rand) (law Law, list []outcome) {
	p := 0.2 + 0.6*r.Float64()
	first := r.IntN(2) // a job may have no reduces
	for k, v := range []int{first, first + 1 + r.IntN(2)} {
		values, weights := []float64{float64(r.IntN(10)), float64(10 + r.IntN(90))}, []float64{1 + r.Float64(), r.Float64()}
		if v == 0 {
			values = []float64{0, 0}
		}
		share := []float64{p, 1 - p}[k]
		law = append(law, LawPart{v, share, Discrete(values, weights)})
		for i := range values {
			list = append(list, outcome{v, values[i], share * weights[i] / (weights[0] + weights[1])})
		}
	}
	return law, list
}

// bestOf is the least expected cost of n more jobs on the free slots, over all policies.
func bestOf(cost []float64, list []outcome, n int, free uint, memo map[[2]uint]float64) float64 {
	if n == 0 {
		return 0
	}
	key := [2]uint{uint(n), free}
	if v, ok := memo[key]; ok {
		return v
	}
	sum := 0.0
	for _, o := range list {
		best := math.Inf(1)
		for a := free; ; a = (a - 1) & free { // all subsets of the free slots
			if bits.OnesCount(a) == o.reduces {
				h := 0.0
				for s := range cost {
					if a&(1<<s) != 0 {
						h += cost[s]
					}
				}
				best = min(best, h*o.u+bestOf(cost, list, n-1, free&^a, memo))
			}
			if a == 0 {
				break
			}
		}
		sum += o.probability * best
	}
	memo[key] = sum
	return sum
}

// TestThresholdsOptimal enumerates every policy on tiny systems: none is better than Σ H(i)·q_{i,0}, and one attains
// it.
func TestThresholdsOptimal(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		law, list := tinyLaw(r)
		k := 1 + r.IntN(3)
		cost := make([]float64, k*law.MaxReduces()+r.IntN(2))
		for i := range cost {
			cost[i] = float64(r.IntN(50))
		}
		slices.Sort(cost)
		got, err := ExpectedCost(cost, law, k)
		if err != nil {
			t.Fatal(err)
		}
		if want := bestOf(cost, list, k, 1<<len(cost)-1, map[[2]uint]float64{}); !near(got, want) {
			t.Errorf("seed %d: %d jobs on slots %v of law %v: %g, the best policy costs %g", seed, k, cost, law, got, want)
		}
	}
}

// TestThresholdsSum: values fall with rank, and in total they carry all data.
func TestThresholdsSum(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 2))
		law, _ := tinyLaw(r)
		mean := 0.0
		for _, part := range law {
			_, m := part.Data.Below(math.Inf(1))
			mean += part.Probability * float64(part.Reduces) * m
		}
		k := 1 + r.IntN(20)
		for n, q := range thresholds(context.Background(), law, k, k*law.MaxReduces()) {
			sum := 0.0
			for i := range q {
				if sum += q[i]; i > 0 && q[i] > q[i-1]*(1+1e-12) {
					t.Errorf("seed %d: q_{%d,%d} = %g > %g", seed, i+1, n, q[i], q[i-1])
				}
			}
			if !near(sum, float64(k-n)*mean) {
				t.Errorf("seed %d: ranks after %d of %d jobs carry %g, want %g", seed, n, k, sum, float64(k-n)*mean)
			}
		}
	}
}

// testJob is a row of a test's workload: seconds and bytes.
type testJob struct {
	at, work float64
	reduces  int
	bytes    float64
}

// testRun opens a workload of slots and jobs with default parameters.
func testRun(t rapid.TB, cost []float64, k int, jobs []testJob) *run {
	t.Helper()
	b := model.NewBuilder()
	for s, c := range cost {
		b.ReduceSlot(model.ReduceSlot{ID: fmt.Sprint("s", s), Cost: model.CostOf(c)}, model.Locus{})
	}
	for i, j := range jobs {
		b.Job(model.Job{ID: fmt.Sprint("j", i), Weight: model.UnitWeight, Release: model.TimeOf(j.at),
			MapWork: model.Some(model.TimeOf(j.work)),
			Reduces: model.Some(int64(j.reduces)), IntermediateBytes: model.Some(model.Bytes(math.Round(j.bytes)))},
			model.Locus{})
		b.Task(model.Task{ID: fmt.Sprint("m", i), Kind: model.Map}, fmt.Sprint("j", i), "", model.Locus{})
	}
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	p := solver.Params{"max-running-jobs": int64(k)}
	for _, q := range Problem().Params {
		switch {
		case p[q.Name] != nil:
		case q.Kind == solver.IntParam:
			var v int64
			fmt.Sscan(q.Default, &v)
			p[q.Name] = v
		case q.Kind == solver.FloatParam:
			var v float64
			fmt.Sscan(q.Default, &v)
			p[q.Name] = v
		case q.Kind == solver.StringParam:
			p[q.Name] = q.Default
		}
	}
	opened, err := open(w, p)
	if err != nil {
		t.Fatal(err)
	}
	return opened.(*run)
}

// costOf is the fetching cost of a placement.
func costOf(in *reduceplace.Instance, slot []int32) float64 {
	v, _ := in.Fetching(slot).Float64()
	return v
}

// mean is a sample's mean and its standard error.
func mean(list []float64) (mean, se float64) {
	n := float64(len(list))
	for _, v := range list {
		mean += v / n
	}
	for _, v := range list {
		se += (v - mean) * (v - mean) / (n - 1) / n
	}
	return mean, math.Sqrt(se)
}

// setting is one of the random settings of TestExpectedCost.
type setting struct {
	law  Law
	k    int
	cost []float64 // rising
}

func (s setting) jobs(r *rand.Rand) []testJob {
	jobs := make([]testJob, s.k)
	for i := range jobs {
		v, u := s.law.Draw(r)
		jobs[i] = testJob{float64(i), 1e6, v, u * float64(v)}
	}
	return jobs
}

func randomSetting(r *rand.Rand, kind int) setting {
	u := []Distribution{Uniform(1e6, 1e8), Exponential(1e7), Discrete([]float64{1e6, 9e6, 8e7}, []float64{5, 3, 1}),
		Uniform(2e6, 2e6),
		Empirical([]float64{3e6, 4e6, 1e7, 5e7, 5e7})}[kind%5]
	s := setting{law: UniformReduces(u, 1+r.IntN(4)), k: 2 + r.IntN(7)}
	if kind%3 == 0 { // many reduces have little data each; a few jobs have none
		s.law = Law{{0, 0.1, Empirical([]float64{0})}, {1, 0.4, u}, {4, 0.5, Exponential(1e6)}}
	}
	s.cost = make([]float64, s.k*s.law.MaxReduces()+r.IntN(3))
	for i := range s.cost {
		s.cost[i] = 1 + 99*r.Float64()
		if kind%2 == 0 {
			s.cost[i] = math.Round(math.Exp(5 * r.Float64()))
		}
	}
	slices.Sort(s.cost)
	return s
}

// TestExpectedCost checks Theorem 2: jobs that never leave cost Σ H(i)·q_{i,0} on average, within three standard
// errors. No other policy costs less on the same jobs beyond that noise.
func TestExpectedCost(t *testing.T) {
	for kind := range 24 {
		r := rand.New(rand.NewPCG(uint64(kind), 3))
		s := randomSetting(r, kind)
		want, err := ExpectedCost(s.cost, s.law, s.k)
		if err != nil {
			t.Fatal(err)
		}
		next := thresholds(context.Background(), s.law, s.k, len(s.cost))
		var own []float64
		others := map[string][]float64{}
		for range 500 {
			run := testRun(t, s.cost, s.k, s.jobs(r))
			slot, _ := play(context.Background(), run.in, inRanks{&threshold{x: run.expected, next: next}}, func(int, int) {})
			c := costOf(run.in, slot)
			own = append(own, c)
			for _, name := range []string{"greedy", "random", "rhc", "lookahead"} {
				a := algorithmOf(t, name)
				f, err := a.Solve(context.Background(), run, solver.Options{Seed: uint64(len(own))})
				if err != nil {
					t.Fatal(err)
				}
				others[name] = append(others[name], costOf(run.in, f.slot)-c)
			}
		}
		m, se := mean(own)
		if math.Abs(m-want) > 3*se+1e-6*want {
			t.Errorf("setting %d: thresholds cost %.6g ± %.2g, expected %.6g", kind, m, se, want)
		}
		for name, more := range others {
			if m, se := mean(more); m < -3*se-1e-6*want {
				t.Errorf("setting %d: %s costs %.6g ± %.2g more than thresholds (%.6g)", kind, name, m, se, want)
			}
		}
	}
}

func algorithmOf(t rapid.TB, name string) algorithm {
	t.Helper()
	a, err := algorithms().Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestThresholdNumber: K = 2, one reduce of 1 or 3 bytes, so q_{1,1} = 2. With 1 byte the first job leaves the cheapest
// slot to the second. Once that has left, the third is number 2 again. The fourth is alone, so it is number 1. Its 2
// bytes equal the threshold, so it takes the cheapest slot.
func TestThresholdNumber(t *testing.T) {
	run := testRun(t, []float64{1, 2, 3}, 2, []testJob{{0, 10, 1, 1}, {1, 1, 1, 3}, {5, 1, 1, 1}, {50, 1, 1, 2}})
	run.p.law, run.p.lawValues = "discrete", "1:1,3:1"
	f, err := algorithmOf(t, "threshold").Solve(context.Background(), run, solver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []int32{1, 0, 0, 0}; !slices.Equal(f.slot, want) {
		t.Errorf("slots %v, want %v", f.slot, want)
	}
	run.p.horizon = 9 // seven more are expected, most of which have more than 1 byte
	if f, err = algorithmOf(t, "threshold").Solve(context.Background(), run, solver.Options{}); err != nil {
		t.Fatal(err)
	}
	if want := []int32{2, 0, 1, 2}; !slices.Equal(f.slot, want) {
		t.Errorf("slots %v under a long horizon, want %v", f.slot, want)
	}
}

// TestHorizon: K is the number of jobs that may run, limited by slots and time; longer horizons are refused.
func TestHorizon(t *testing.T) {
	run := testRun(t, make([]float64, 5), 0, []testJob{{0, 1, 1, 1}, {0, 1, 2, 1}, {0, 1, 2, 1}, {0, 1, 2, 1},
		{0, 1, 2, 1}, {0, 1, 2, 1}, {0, 1, 2, 1}})
	law, err := run.law()
	if err != nil {
		t.Fatal(err)
	}
	if k, err := run.horizon(law); k != 5 || err != nil {
		t.Errorf("K = %d, %v, want 5", k, err)
	}
	run.in.MaxRunning = 3
	if k, err := run.horizon(law); k != 3 || err != nil {
		t.Errorf("K = %d, %v, want 3", k, err)
	}
	run.in.MaxRunning, run.in.Slots = 1e6, 1e6
	if k, err := run.horizon(law); k < 1000 || k > 10000 || err != nil { // 2·K²/2·2 ≤ 2·10⁷
		t.Errorf("K = %d, %v", k, err)
	}
	run.p.horizon = 1e6
	if k, err := run.horizon(law); err == nil {
		t.Errorf("K = %d is not refused", k)
	}
}

// BenchmarkThresholds: K = 100 jobs of 1 to 10 reduces on 1000 slots, 50 000 jobs in the law.
func BenchmarkThresholds(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 4))
	u, v := make([]float64, 50000), make([]int32, 50000)
	for i := range u {
		u[i], v[i] = r.Float64(), int32(1+r.IntN(10))
	}
	law := EmpiricalLaw(u, v)
	for b.Loop() {
		thresholds(context.Background(), law, 100, 1000)
	}
}
