package experiment

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"mrsched/io/engine"
	"mrsched/io/report"
	"mrsched/io/show"
	"mrsched/model"
	"mrsched/solver/reduceplace"
)

// The setting of placement-theorem2, that of §V-B apart from jobs that never leave: data a reduce uniform on 1 … 100
// MB, independent of R as Theorem 2 takes it, R uniform on 1 … 10, ten slots a job of cost 1 … 100.
const (
	theorem2Reduces = 10
	theorem2Low     = 1e6
	theorem2High    = 1e8
	theorem2Cost    = 100
	foreverSeconds  = 1_000_000
	// sequencesPerUnit is the sequences of a seed for each job of --jobs-max.
	sequencesPerUnit = 10
)

var (
	theorem2Jobs     = []float64{2, 5, 10, 20, 50}
	theorem2Policies = []string{"threshold", "greedy", "rhc", "random"}
)

// sequence is what policies cost on drawn sequences of K jobs, relative to Σ H(i)·q_{i,0}.
type sequence struct {
	ratio map[string][]float64 // by policy: by draw; clairvoyant: the bound
}

// placementTheorem2 draws sequences of K jobs on slots that stay the same for a seed.
func placementTheorem2(l *Lab, f *report.Figure) error {
	found := map[float64][]sequence{}
	for _, k := range theorem2Jobs {
		found[k] = make([]sequence, len(l.seeds))
	}
	err := l.every(len(theorem2Jobs)*len(l.seeds), func(ctx context.Context, i int) (err error) {
		k, s := theorem2Jobs[i/len(l.seeds)], i%len(l.seeds)
		found[k][s], err = l.sequence(ctx, int(k), l.seeds[s])
		return err
	})
	if err != nil {
		return err
	}
	f.Source, f.XLabel, f.YLabel = placementSource+", Theorems 1 and 2", "jobs K, none of which leaves",
		"fetching cost / Σ H(i)·q(i,0)"
	f.Parameters["sequences_a_seed"], f.Parameters["policies"] = sequencesPerUnit*l.jobsMax, theorem2Policies
	f.Parameters["law"] = "data a reduce uniform on 1 … 100 MB, reduces uniform on 1 … 10, 10·K slots of cost uniform " +
		"on 1 … 100"
	curve := func(name string, style report.Style, color int) report.Curve {
		return curveOver(name, style, color, theorem2Jobs, func(k float64) (list []float64) {
			for _, s := range found[k] {
				list = append(list, stat.Mean(s.ratio[name], nil))
			}
			return list
		})
	}
	curves := map[string]report.Curve{"clairvoyant": curve("clairvoyant", report.Alternative, 6)}
	for color, name := range theorem2Policies {
		curves[name] = curve(name, report.Main, color)
		f.Curves = append(f.Curves, curves[name])
	}
	f.Curves = append(f.Curves, curves["clairvoyant"])
	for _, k := range theorem2Jobs {
		f.Claims = append(f.Claims, expectedClaim(k, found[k]))
	}
	at := func(k float64) string { return fmt.Sprintf("K = %g", k) }
	f.Claims = append(f.Claims,
		report.Below("thresholds cost less than greedy, rhc and random placement", curves["threshold"],
			[]report.Curve{curves["greedy"], curves["rhc"], curves["random"]}, at,
			"the same sequences for all of them"),
		report.Below("clairvoyant placement costs less than thresholds: knowing all jobs beforehand", curves["clairvoyant"],
			[]report.Curve{curves["threshold"]}, at,
			"the largest data a reduce on the cheapest slots, and a certified bound on every policy"))
	return nil
}

// expectedClaim compares the mean cost of the thresholds with the value that Theorem 2's recursion gives.
func expectedClaim(k float64, seeds []sequence) report.Claim {
	var all, means []float64
	for _, s := range seeds {
		all, means = append(all, s.ratio["threshold"]...), append(means, stat.Mean(s.ratio["threshold"], nil))
	}
	c := report.Claim{Claim: fmt.Sprintf("K = %g: thresholds cost Σ H(i)·q(i,0) on average (ratio)", k), Published: 1.0,
		Ours:   math.Round(stat.Mean(all, nil)*1e4) / 1e4,
		Spread: []float64{slices.Min(means), slices.Max(means)}, Verdict: report.Holds}
	if len(all) < 2 {
		c.Why = "one sequence only"
		return c
	}
	mean, deviation := stat.MeanStdDev(all, nil)
	e := deviation / math.Sqrt(float64(len(all)))
	c.Why = fmt.Sprintf("%.4f ± %.4f (standard error of %s): %.1f standard errors away, allowed are 3", mean, e,
		show.Counted(len(all), "sequence"), math.Abs(mean-1)/e)
	if math.Abs(mean-1) > 3*e {
		c.Verdict = report.Contradicted
	}
	return c
}

// sequence measures one K on one set of slots.
func (l *Lab) sequence(ctx context.Context, k int, seed uint64) (sequence, error) {
	r := rand.New(rand.NewPCG(seed, uint64(k)))
	cost := make([]float64, k*theorem2Reduces)
	for i := range cost {
		cost[i] = model.CostOf(1 + (theorem2Cost-1)*r.Float64()).Float()
	}
	slices.Sort(cost)
	law := reduceplace.UniformReduces(reduceplace.Uniform(theorem2Low, theorem2High), theorem2Reduces)
	expected, err := reduceplace.ExpectedCost(cost, law, k)
	if err != nil {
		return sequence{}, err
	}
	params, err := engine.SettingValues(l.problem.Params, engine.Settings{"law": "uniform",
		"law-values": number(theorem2Low) + "," +
			number(theorem2High),
		"law-reduces": strconv.Itoa(theorem2Reduces), "horizon": strconv.Itoa(k)})
	if err != nil {
		return sequence{}, err
	}
	s := sequence{map[string][]float64{}}
	for range sequencesPerUnit * l.jobsMax {
		w, err := forever(r, cost, law, k)
		if err != nil {
			return s, err
		}
		o, err := engine.Open(l.problem, w, params)
		if err != nil {
			return s, err
		}
		for _, name := range theorem2Policies {
			v, err := l.solved(ctx, o, name, r.Uint64())
			if err != nil {
				return s, err
			}
			c, _ := o.Cost(v).Float64()
			s.ratio[name] = append(s.ratio[name], c/expected)
			if name == "threshold" && engine.Strongest(v) != nil {
				bound, _ := engine.Strongest(v).Certified.Value.Float64()
				s.ratio["clairvoyant"] = append(s.ratio["clairvoyant"], bound/expected)
			}
		}
	}
	return s, nil
}

// forever draws K jobs that all arrive before the first of them ends.
func forever(r *rand.Rand, cost []float64, law reduceplace.Law, k int) (*model.Workload, error) {
	b := model.NewBuilder()
	b.Scalars("forever", "reduceplace", model.Optional[int64]{}, nil)
	for i, c := range cost {
		b.ReduceSlot(model.ReduceSlot{ID: "s" + strconv.Itoa(i+1), Cost: model.CostOf(c)}, model.Locus{})
	}
	for i := range k {
		reduces, u := law.Draw(r)
		b.Job(model.Job{ID: "j" + strconv.Itoa(i+1), Weight: model.UnitWeight, Release: model.Time(i) * model.Second,
			Reduces:           model.Some(int64(reduces)),
			IntermediateBytes: model.Some(model.Bytes(math.Round(u * float64(reduces)))),
			MapWork:           model.Some(foreverSeconds * model.Second)}, model.Locus{})
	}
	return b.Build()
}
