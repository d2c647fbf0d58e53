package reduceplace

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// near reports whether two numbers agree up to rounding.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(a)+math.Abs(b)) }

// discrete gives rising values probabilities in proportion to weights.
func discrete(values, weights []float64) *Distribution {
	d, all := &Distribution{value: values, below: []float64{0}, moment: []float64{0}}, 0.0
	for _, w := range weights {
		all += w
	}
	for k, v := range values {
		d.below, d.moment = append(d.below, d.below[k]+weights[k]/all), append(d.moment, d.moment[k]+weights[k]*v/all)
	}
	d.below[len(values)] = 1
	return d
}

// uniformReduces is the law with R uniform on 1 … most, independent of u.
func uniformReduces(u *Distribution, most int) (law Law) {
	for v := range most {
		law = append(law, LawPart{v + 1, 1 / float64(most), u})
	}
	return law
}

// draw samples a law of data.
func draw(d *Distribution, r *rand.Rand) float64 {
	p := r.Float64()
	return d.value[slices.IndexFunc(d.below[1:], func(below float64) bool { return p < below })]
}

// drawJob samples a law of jobs.
func drawJob(law Law, r *rand.Rand) (reduces int, u float64) {
	p, k := r.Float64(), 0
	for ; k < len(law)-1 && p >= law[k].Probability; k++ {
		p -= law[k].Probability
	}
	return law[k].Reduces, draw(law[k].Data, r)
}

// TestThresholdsByHand: two jobs of one reduce with 1 or 3 bytes, equally likely. The second takes the cheapest slot,
// so q_{1,1} = 2. The first takes slot 1 with 3 bytes and leaves it with 1: q_{1,0} = (2+3)/2, q_{2,0} = (1+2)/2. On
// slots of cost 1 and 10 the sum is 2.5 + 15.
func TestThresholdsByHand(t *testing.T) {
	law := uniformReduces(empirical([]float64{1, 3}), 1)
	q := thresholds(context.Background(), law, 2, 5)
	want := [][]float64{{2.5, 1.5}, {2}, nil}
	for n := range want {
		if !slices.EqualFunc(q[n], want[n], near) {
			t.Errorf("q after %d jobs = %v, want %v", n, q[n], want[n])
		}
	}
	if c := expectedCost([]float64{1, 10}, law, 2); !near(c, 17.5) {
		t.Errorf("expected cost %g, want 17.5", c)
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
		share, data := []float64{p, 1 - p}[k], discrete(values, weights)
		if v == 0 {
			values, data = []float64{0, 0}, empirical([]float64{0})
		}
		law = append(law, LawPart{v, share, data})
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

// everyStream calls a function with all streams of n jobs, which never leave, and their probabilities.
func everyStream(list []outcome, n int, jobs []testJob, p float64, call func(jobs []testJob, p float64)) {
	if len(jobs) == n {
		call(jobs, p)
		return
	}
	for _, o := range list {
		next := testJob{float64(len(jobs)), 1e6, o.reduces, o.u * float64(o.reduces)}
		everyStream(list, n, append(slices.Clone(jobs), next), p*o.probability, call)
	}
}

// expectedCost is the least expected fetching cost of K jobs that come one by one, follow a law and never leave:
// Σ_i H(i)·q_{i,0} for slots of the given costs, in rising order. There must be K·max R slots.
func expectedCost(cost []float64, law Law, k int) (sum float64) {
	for i, q := range thresholds(context.Background(), law, k, len(cost))[0] {
		sum += cost[i] * q
	}
	return sum
}

// TestThresholdsOptimal enumerates every policy on tiny systems: none is better than Σ H(i)·q_{i,0}, which the
// thresholds attain over all streams of jobs. Values fall with rank, and in total they carry all data.
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
		got := expectedCost(cost, law, k)
		if want := bestOf(cost, list, k, 1<<len(cost)-1, map[[2]uint]float64{}); !near(got, want) {
			t.Errorf("seed %d: %d jobs on slots %v of law %v: %g, the best policy costs %g", seed, k, cost, law, got, want)
		}
		next, total := thresholds(context.Background(), law, k, len(cost)), 0.0
		everyStream(list, k, nil, 1, func(jobs []testJob, p float64) {
			r := testRun(t, cost, k, jobs)
			total += p * float64(k) * perJob(t, r, inRanks{&threshold{x: r.expected, next: next}})
		})
		if !near(total, got) {
			t.Errorf("seed %d: thresholds cost %g, expected %g", seed, total, got)
		}
		data := 0.0
		for _, o := range list {
			data += o.probability * float64(o.reduces) * o.u
		}
		k = 1 + r.IntN(20)
		for n, q := range thresholds(context.Background(), law, k, k*law.MaxReduces()) {
			sum := 0.0
			for i := range q {
				if sum += q[i]; i > 0 && q[i] > q[i-1]*(1+1e-12) {
					t.Errorf("seed %d: q_{%d,%d} = %g > %g", seed, i+1, n, q[i], q[i-1])
				}
			}
			if !near(sum, float64(k-n)*data) {
				t.Errorf("seed %d: ranks after %d of %d jobs carry %g, want %g", seed, n, k, sum, float64(k-n)*data)
			}
		}
	}
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

// TestThresholdNumber: K = 2, one reduce of 1 or 3 bytes, so q_{1,1} = 2. With 1 byte the first job leaves the cheapest
// slot to the second. Once that has left, the third is number 2 again. The fourth is alone, so it is number 1. Its 2
// bytes equal the threshold, so it takes the cheapest slot. Under a long horizon seven more are expected, most of which
// have more than 1 byte.
func TestThresholdNumber(t *testing.T) {
	r := testRun(t, []float64{1, 2, 3}, 2, []testJob{{0, 10, 1, 1}, {1, 1, 1, 3}, {5, 1, 1, 1}, {50, 1, 1, 2}})
	expectSlots(t, r, "threshold", 1, 0, 0, 0)
	r.p.horizon = 9
	expectSlots(t, r, "threshold", 2, 0, 1, 2)
}

// TestHorizon: K is the number of jobs that may run, limited by slots and time; longer horizons, and those whose
// thresholds exceed memory, are refused.
func TestHorizon(t *testing.T) {
	jobs := []testJob{{0, 1, 1, 1}}
	for range 6 {
		jobs = append(jobs, testJob{0, 1, 2, 1})
	}
	r := testRun(t, make([]float64, 5), 0, jobs)
	law := r.law()
	for _, c := range []struct {
		slots, running int
		horizon        int64
		least, most    int // 0: refused
	}{{5, r.in.MaxRunning, 0, 5, 5}, {5, 3, 0, 3, 3}, {1e6, 1e6, 0, 1000, 10000}, {1e6, 1e6, 1e6, 0, 0}} {
		r.in.Slots, r.in.MaxRunning, r.p.horizon = c.slots, c.running, c.horizon // 2·K²/2·2 ≤ 2·10⁷
		if k, err := r.horizon(law); (err != nil) != (c.most == 0) || err == nil && (k < c.least || k > c.most) {
			t.Errorf("%+v: K = %d, %v", c, k, err)
		}
	}
	r = poisson(t, 10, 200, 10, 1, 0.5, 1)
	for horizon, good := range map[int64]bool{1_000_000: false, 100: true} {
		r.p.horizon = horizon
		if _, err := newThreshold(context.Background(), r); (err == nil) != good {
			t.Errorf("%d stages of 200 ranks: %v", horizon, err)
		}
	}
}

// TestDistributions compares P[u < q] and E[u·1{u < q}] with values known in closed form, and with 20 000 samples,
// within four standard errors.
func TestDistributions(t *testing.T) {
	const n = 20000
	r, inf := rand.New(rand.NewPCG(1, 5)), math.Inf(1)
	few := empirical([]float64{3, 1, 3, 5})
	for _, c := range []struct {
		law                 *Distribution
		q, probability, sum float64
	}{
		{few, 0, 0, 0},
		{few, 3, 0.25, 0.25},
		{few, 3.5, 0.75, 7. / 4},
		{few, inf, 1, 3},
		{discrete([]float64{1, 5}, []float64{3, 1}), 5, 0.75, 0.75},
		{discrete([]float64{1, 5}, []float64{3, 1}), inf, 1, 2},
	} {
		below, sums := make([]float64, n), make([]float64, n)
		for i := range n {
			if u := draw(c.law, r); u < c.q {
				below[i], sums[i] = 1, u
			}
		}
		share, se := mean(below)
		average, deviation := mean(sums)
		if p, m := c.law.Below(c.q); !near(p, c.probability) || !near(m, c.sum) || math.Abs(share-p) > 4*se+1e-9 ||
			math.Abs(average-m) > 4*deviation+1e-9 {
			t.Errorf("%v below %g: %g, %g, want %g, %g; of the samples %g, %g", c.law, c.q, p, m, c.probability, c.sum,
				share, average)
		}
	}
}

// TestLawOfJobs: the distribution of R, and of u given R, equals that of the jobs.
func TestLawOfJobs(t *testing.T) {
	law := EmpiricalLaw([]float64{4, 7, 1, 2, 9}, []int32{2, 0, 1, 2, 2})
	var reduces []int
	var share, means []float64
	for _, part := range law {
		_, m := part.Data.Below(math.Inf(1))
		reduces, share, means = append(reduces, part.Reduces), append(share, part.Probability), append(means, m)
	}
	if !slices.Equal(reduces, []int{0, 1, 2}) || !slices.EqualFunc(share, []float64{0.2, 0.2, 0.6}, near) ||
		!slices.EqualFunc(means, []float64{0, 1, 5}, near) {
		t.Errorf("R %v with probability %v and mean data %v", reduces, share, means)
	}
	r := rand.New(rand.NewPCG(2, 5))
	count := map[[2]int]float64{}
	for range 50000 {
		v, u := drawJob(law, r)
		count[[2]int{v, int(u)}] += 1. / 50000
	}
	for _, pair := range [][2]int{{0, 0}, {1, 1}, {2, 4}, {2, 2}, {2, 9}} { // standard error 0.0018
		if math.Abs(count[pair]-0.2) > 0.007 {
			t.Errorf("R, u = %v was drawn with frequency %g, want 0.2", pair, count[pair])
		}
	}
	if len(count) != 5 {
		t.Errorf("drew %v", count)
	}
}
