package reduceplace

import (
	"context"
	"math"
	"slices"
	"testing"

	draws "mrsched/model/tier"
)

// perJob plays a policy and returns its mean fetching cost per job.
func perJob(t testing.TB, r *run, p policy) float64 {
	t.Helper()
	slot, stopped := play(context.Background(), r.in, p, func(int, int) {})
	if stopped {
		t.Fatal("stopped")
	}
	cost, _ := r.in.Fetching(slot).Float64()
	return cost / float64(r.in.Jobs)
}

// TestLookaheadAtEveryLoad: on the paper's scenario lookahead costs no more than greedy and than receding horizon.
func TestLookaheadAtEveryLoad(t *testing.T) {
	draws.Slow(t)
	for _, rate := range []float64{0.2, 0.8, 0.98} {
		var better [2]float64
		for seed := range uint64(draws.Draws(1, 3)) {
			r := poisson(t, 20_000, 1000, 100, 10, rate, seed)
			ours := perJob(t, r, newLookahead(context.Background(), r))
			for k, p := range []policy{inRanks{greedy{}}, inRanks{newRHC(r)}} {
				better[k] += 1 - ours/perJob(t, r, p)
			}
		}
		if better[0] < 0 || better[1] < 0 {
			t.Errorf("rate %g: lookahead saves %.4f against greedy, %.4f against rhc", rate, better[0], better[1])
		}
	}
}

// TestFutureByHand: one reduce a job, jobs that all overlap. Job 0 leaves slots 1 and 2; jobs 1 and 2 place 5 and 7
// bytes there; job 1 leaves slot 2 and sees 7 there.
func TestFutureByHand(t *testing.T) {
	f := newFuture(testRun(t, []float64{1, 2, 3}, 0, []testJob{{0, 100, 1, 9}, {1, 100, 1, 5}, {2, 100, 1, 7}}))
	free := newFreeSlots(3)
	for job := range int32(3) {
		if y := f.offset(job, 1, free); y != 0 {
			t.Fatalf("job %d leaves %d slots: nothing was observed yet, and the prior is %v", job, y, f.classes[0].load)
		}
		own := free.from(nil, 0, 1)
		free.take(own[0])
		f.placed(job, own)
	}
	for k, want := range [][]float64{{5, 7, 0}, {7, 0, 0}, {0, 0, 0}} {
		if !slices.Equal(f.stays[k].used, want) {
			t.Errorf("job %d saw %v on the slots that it left, want %v", k, f.stays[k].used, want)
		}
	}
	f.departed(0)
	if c := f.classes[0]; c.stays != 1 || !slices.Equal(c.used, []float64{5, 7, 0}) {
		t.Errorf("class 0 holds %v of %g stays", c.used, c.stays)
	}
	// (20·prior + 5)/21, (0 + 7)/21 and 0 with prior N/(2N+1)·X̄, N = 1, X̄ = 7: 7/3 → 2.46, 0.33, 0.
	f.estimate(&f.classes[0])
	for k, want := range []float64{(20*7.0/3 + 5) / 21, 7.0 / 21, 0} {
		if math.Abs(f.classes[0].load[k]-want) > 1e-12 {
			t.Errorf("rank %d is expected to fetch %g, want %g", k, f.classes[0].load[k], want)
		}
	}
}

func TestMakeFalling(t *testing.T) {
	for _, c := range [][2][]float64{{{3, 2, 1}, {3, 2, 1}}, {{1, 2, 3}, {2, 2, 2}}, {{4, 1, 3, 0}, {4, 2, 2, 0}},
		{{}, {}}} {
		v := slices.Clone(c[0])
		if makeFalling(v); !slices.Equal(v, c[1]) {
			t.Errorf("%v becomes %v, want %v", c[0], v, c[1])
		}
	}
}

func TestClassOf(t *testing.T) {
	last := 0
	for n := range 10_000 {
		k := classOf(n)
		if k < last || k > last+1 || n <= 8 && k != n {
			t.Fatalf("%d running jobs are class %d after %d", n, k, last)
		}
		last = k
	}
}

// TestManyAtOnce: if thousands of jobs run at a time, only some of them are watched.
func TestManyAtOnce(t *testing.T) {
	r := poisson(t, 5_000, 5_000, 5_000, 1, 1e6, 1)
	f := newFuture(r)
	perJob(t, r, inRanks{f})
	if n := len(f.stays) + len(f.spare); n > maxStays || n == 0 {
		t.Errorf("%d jobs were watched at a time, want at most %d", n, maxStays)
	}
}
