package reduceplace

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mrsched/model"
)

// TestDistributions compares P[u < q] and E[u·1{u < q}] with values known in closed form, and with 20 000 samples,
// within four standard errors.
func TestDistributions(t *testing.T) {
	const n = 20000
	r, inf := rand.New(rand.NewPCG(1, 5)), math.Inf(1)
	few := Empirical([]float64{3, 1, 3, 5})
	for _, c := range []struct {
		law                 Distribution
		q, probability, sum float64
	}{
		{few, 0, 0, 0},
		{few, 3, 0.25, 0.25},
		{few, 3.5, 0.75, 7. / 4},
		{few, inf, 1, 3},
		{Discrete([]float64{5, 1, 2}, []float64{1, 3, 0}), 5, 0.75, 0.75},
		{Discrete([]float64{5, 1, 2}, []float64{1, 3, 0}), inf, 1, 2},
		{Uniform(2, 6), 1, 0, 0},
		{Uniform(2, 6), 3, 0.25, 2.5 / 4},
		{Uniform(2, 6), inf, 1, 4},
		{Uniform(2, 2), 2, 0, 0},
		{Uniform(2, 2), 2.1, 1, 2},
		{Exponential(2), 2, 1 - 1/math.E, 2 - 4/math.E}, // 2·(1 − 2/e)
		{Exponential(2), inf, 1, 2},
		{Exponential(2), 0, 0, 0},
	} {
		below, sums := make([]float64, n), make([]float64, n)
		for i := range n {
			if u := c.law.Draw(r); u < c.q {
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
		v, u := law.Draw(r)
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

// TestLawFlags reads --law, --law-values and --law-reduces. Jobs without reduces give no information about data.
func TestLawFlags(t *testing.T) {
	run := testRun(t, []float64{1, 2, 3}, 2, []testJob{{0, 1, 1, 10}, {0, 1, 2, 8}, {0, 1, 0, 0}})
	for _, c := range []struct {
		kind, values string
		reduces      int64
		want         []LawPart // Data nil; Probability
		u            []float64 // mean by part; nil: refused
	}{
		{"empirical", "", 0, []LawPart{{0, 1. / 3, nil}, {1, 1. / 3, nil}, {2, 1. / 3, nil}}, []float64{0, 10, 4}},
		{"empirical", "", 2, []LawPart{{1, 0.5, nil}, {2, 0.5, nil}}, []float64{7, 7}},
		{"uniform", "1,5", 0, []LawPart{{0, 1. / 3, nil}, {1, 1. / 3, nil}, {2, 1. / 3, nil}}, []float64{0, 3, 3}},
		{"exponential", " 2.5e3", 1, []LawPart{{1, 1, nil}}, []float64{2500}},
		{"discrete", "1:3, 9:1", 1, []LawPart{{1, 1, nil}}, []float64{3}},
		{kind: "empirical", values: "1"},
		{kind: "uniform", values: "5,1"},
		{kind: "uniform", values: "5"},
		{kind: "uniform", values: "1:1,2:1"},
		{kind: "uniform", values: "-1,2"},
		{kind: "exponential", values: "0"},
		{kind: "exponential", values: "1,2"},
		{kind: "exponential", values: "NaN"},
		{kind: "exponential", values: "Inf"},
		{kind: "discrete", values: ""},
		{kind: "discrete", values: "1"},
		{kind: "discrete", values: "1:0"},
		{kind: "discrete", values: "1e300:1e300"},
		{kind: "discrete", values: "1:1,"},
		{kind: "uniform", values: "0,4e307"},
		{kind: "exponential", values: "4e307"},
		{kind: "discrete", values: "4e307:1,1:1"},
	} {
		run.p.law, run.p.lawValues, run.p.lawReduces = c.kind, c.values, c.reduces
		law, err := run.law()
		if c.u == nil {
			var input *model.InputError
			if !errors.As(err, &input) || input.Findings[0].Code != model.CodeParameter {
				t.Errorf("--law %s --law-values %q: %v, want a finding %s", c.kind, c.values, err, model.CodeParameter)
			}
			continue
		}
		if err != nil || len(law) != len(c.want) {
			t.Errorf("--law %s --law-values %q --law-reduces %d: %v, %v", c.kind, c.values, c.reduces, law, err)
			continue
		}
		for k, part := range law {
			if _, m := part.Data.Below(math.Inf(1)); part.Reduces != c.want[k].Reduces ||
				!near(part.Probability, c.want[k].Probability) || !near(m, c.u[k]) {
				t.Errorf("--law %s: part %d has R = %d with probability %g, mean %g", c.kind, k, part.Reduces, part.Probability, m)
			}
		}
	}
	run = testRun(t, []float64{1}, 1, []testJob{{0, 1, 0, 0}})
	if law, err := run.law(); err != nil || law.MaxReduces() != 0 {
		t.Errorf("law %v, %v", law, err)
	}
	run.p.lawReduces = 3
	if _, err := run.law(); err == nil {
		t.Error("there is no data to learn from")
	}
}
