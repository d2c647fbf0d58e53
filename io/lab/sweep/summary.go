package sweep

import (
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat/distuv"

	"mrsched/io/textpos"
	"mrsched/model"
)

// Confidence is the level of the intervals in the summary.
const Confidence = 0.95

// summaryDigits is how many decimals the summary's numbers have.
const summaryDigits = 6

// Group is a line of the summary: an algorithm with its parameters on the instances of a group.
type Group struct {
	Name       string
	Problem    string
	Algorithm  string
	Parameters string
	Runs       int // of the plan

	Objective string // its name; empty if no run has a schedule
	Verdict   string // the worst of all; empty: nothing is promised

	statuses   map[model.Status]int
	objectives samples
	ratios     samples
}

// Count is how many of the group's runs have a row of a status.
func (g *Group) Count(status model.Status) int { return g.statuses[status] }

// Missing is how many runs have no row.
func (g *Group) Missing() int {
	n := g.Runs
	for _, k := range g.statuses {
		n -= k
	}
	return n
}

// Objectives are the statistics of the objective.
func (g *Group) Objectives() Statistics { return g.objectives.statistics() }

// Ratios are the statistics of objective over lower bound, rounded up as in the rows.
func (g *Group) Ratios() Statistics { return g.ratios.statistics() }

// verdicts from the best to the worst.
var verdicts = []string{"", model.VerdictProven, model.VerdictUnknown, model.VerdictViolated}

// add counts a row.
func (g *Group) add(run Run, row *Row) {
	if g.statuses == nil {
		g.statuses = map[model.Status]int{}
	}
	g.statuses[row.Status]++
	if row.Objective != nil {
		g.Objective = row.Objective.Name
		g.objectives.add(run.Instance, row.Objective.Value)
	}
	g.ratios.add(run.Instance, row.Ratio)
	if row.Guarantee != nil && slices.Index(verdicts, row.Guarantee.Verdict) > slices.Index(verdicts, g.Verdict) {
		g.Verdict = row.Guarantee.Verdict
	}
}

// samples are the values of runs by instance, in the plan's order.
type samples struct {
	values   []*big.Rat
	instance []int
}

func (s *samples) add(instance int, n model.Number) {
	if v, ok := n.Rat(); ok {
		s.values, s.instance = append(s.values, v), append(s.instance, instance)
	}
}

// Statistics describe some runs. Numbers are exact until they are rounded, and empty without runs.
type Statistics struct {
	Runs int
	// Units are the values that the interval treats as independent: the means of the instances if there are several, else
	// the runs, which differ in their seeds.
	Units int
	Mean  model.Number // of the units
	// Low and High bound the mean with Confidence, by Student's t; empty with one unit.
	Low, High model.Number
	Min, Max  model.Number // of the runs
	Median    model.Number
}

func (s *samples) statistics() Statistics {
	n := len(s.values)
	if n == 0 {
		return Statistics{}
	}
	sorted := slices.Clone(s.values)
	slices.SortFunc(sorted, (*big.Rat).Cmp)
	median := new(big.Rat).Add(sorted[(n-1)/2], sorted[n/2])
	median.Quo(median, big.NewRat(2, 1))
	units := s.units()
	mean := meanOf(units)
	st := Statistics{Runs: n, Units: len(units), Mean: rounded(mean), Min: rounded(sorted[0]), Max: rounded(sorted[n-1]),
		Median: rounded(median)}
	if len(units) > 1 {
		half := halfWidth(units, mean)
		st.Low, st.High = rounded(new(big.Rat).Sub(mean, half)), rounded(new(big.Rat).Add(mean, half))
	}
	return st
}

// units are the means of the instances, or the values themselves if there is one instance.
func (s *samples) units() []*big.Rat {
	var order []int
	by := map[int][]*big.Rat{}
	for k, i := range s.instance {
		if by[i] == nil {
			order = append(order, i)
		}
		by[i] = append(by[i], s.values[k])
	}
	if len(order) == 1 {
		return s.values
	}
	var units []*big.Rat
	for _, i := range order {
		units = append(units, meanOf(by[i]))
	}
	return units
}

func meanOf(values []*big.Rat) *big.Rat {
	sum := new(big.Rat)
	for _, v := range values {
		sum.Add(sum, v)
	}
	return sum.Quo(sum, big.NewRat(int64(len(values)), 1))
}

// halfWidth is t·s/√n, with s the sample's standard deviation and t the quantile of Student's distribution with n−1
// degrees of freedom. Only the root and t are rounded.
func halfWidth(values []*big.Rat, mean *big.Rat) *big.Rat {
	n := len(values)
	squares := new(big.Rat)
	for _, v := range values {
		d := new(big.Rat).Sub(v, mean)
		squares.Add(squares, d.Mul(d, d))
	}
	f, _ := squares.Quo(squares, big.NewRat(int64(n)*int64(n-1), 1)).Float64() // s²/n
	half := new(big.Rat).SetFloat64(math.Sqrt(f) * quantile(n-1))
	if half == nil { // beyond float64; no value of a row is
		return new(big.Rat)
	}
	return half
}

// quantile is how many standard errors the interval reaches to each side.
func quantile(freedom int) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(freedom)}.Quantile((1 + Confidence) / 2)
}

// halfDigit is half a unit of the last decimal of summaryDigits.
var halfDigit = big.NewRat(5, 10_000_000)

// rounded prints the nearest decimal, the upper one of two.
func rounded(v *big.Rat) model.Number {
	return model.Number(model.FormatRat(new(big.Rat).Add(v, halfDigit), summaryDigits, model.RoundDown))
}

// WriteSummary writes summary.csv: one line per group, algorithm and parameters, in the plan's order.
func (m *Merged) WriteSummary(w io.Writer) error {
	out := textpos.NewCSVWriter(w)
	header := []string{"group", "problem", "algorithm", "parameters", "runs", "missing", "errors", "skipped", "limits",
		"optimal", "worst_verdict", "objective_name"}
	for _, name := range []string{"objective", "ratio"} {
		for _, what := range []string{"n", "mean", "low", "high", "min", "median", "max"} {
			header = append(header, name+"_"+what)
		}
	}
	if err := out.Write(header); err != nil {
		return err
	}
	for _, g := range m.Groups {
		cells := []string{g.Name, g.Problem, g.Algorithm, g.Parameters, strconv.Itoa(g.Runs), strconv.Itoa(g.Missing())}
		for _, status := range []model.Status{StatusError, model.StatusSkipped, model.StatusLimit, model.StatusOptimal} {
			cells = append(cells, strconv.Itoa(g.Count(status)))
		}
		cells = append(cells, g.Verdict, g.Objective)
		for _, s := range []Statistics{g.Objectives(), g.Ratios()} {
			cells = append(cells, strconv.Itoa(s.Runs), string(s.Mean), string(s.Low), string(s.High), string(s.Min),
				string(s.Median), string(s.Max))
		}
		if err := out.Write(cells); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
