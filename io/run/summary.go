package run

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"

	"mrsched/io/engine"
	"mrsched/io/report"
	"mrsched/io/show"
	"mrsched/io/textpos"
	"mrsched/model"
)

// Group is a line of the summary: an algorithm with its parameters on the instances of a group.
type Group struct {
	Name       string     `json:"group"`
	Problem    string     `json:"problem,omitempty"`
	Algorithm  string     `json:"algorithm"`
	Parameters string     `json:"parameters,omitempty"`
	Runs       int        `json:"runs"`    // with a row
	Missing    int        `json:"missing"` // without one
	Errors     int        `json:"errors"`
	Skipped    int        `json:"skipped"`
	Limits     int        `json:"-"`
	Optimal    int        `json:"-"`
	Measure    string     `json:"objective_name,omitempty"` // empty: no run has a schedule
	Objective  Statistics `json:"objective,omitzero"`
	Ratio      Statistics `json:"ratio,omitzero"`          // objective over lower bound, rounded up as in the rows; of optimal schedules 1
	Verdict    string     `json:"worst_verdict,omitempty"` // empty: nothing is promised

	objectives, ratios samples
}

// verdicts from the best to the worst.
var verdicts = []string{"", model.VerdictProven, model.VerdictUnknown, model.VerdictViolated}

// add counts a row.
func (g *Group) add(run Run, row *Row) {
	g.Runs++
	g.Missing--
	switch row.Status {
	case StatusError:
		g.Errors++
	case model.StatusSkipped:
		g.Skipped++
	case model.StatusLimit:
		g.Limits++
	case model.StatusOptimal:
		g.Optimal++
	}
	if row.Objective != nil {
		g.Measure = row.Objective.Name
		g.objectives.add(run.Instance, row.Objective.Value)
	}
	g.ratios.add(run.Instance, show.Optimum(row.Status, row.Ratio))
	if row.Guarantee != nil && slices.Index(verdicts, row.Guarantee.Verdict) > slices.Index(verdicts, g.Verdict) {
		g.Verdict = row.Guarantee.Verdict
	}
}

// SummaryRecords are summary.csv: one line per group, algorithm and parameters, in the plan's order.
func (m *Merged) SummaryRecords() show.Records {
	r := show.Records{Columns: show.Texts("group", "problem", "algorithm", "parameters", "runs", "missing", "errors",
		"skipped", "limits", "optimal", "worst_verdict", "objective_name")}
	for _, name := range []string{"objective_", "ratio_"} {
		for _, what := range []string{"n", "mean", "low", "high", "min", "median", "max"} {
			r.Columns = append(r.Columns, show.Texts(name+what)...)
		}
	}
	r.Each = func(write func(row []string) error) error {
		for _, g := range m.Groups {
			cells := []string{g.Name, g.Problem, g.Algorithm, g.Parameters}
			for _, n := range []int{g.Runs + g.Missing, g.Missing, g.Errors, g.Skipped, g.Limits, g.Optimal} {
				cells = append(cells, strconv.Itoa(n))
			}
			cells = append(cells, g.Verdict, g.Measure)
			for _, s := range []Statistics{g.Objective, g.Ratio} {
				cells = append(cells, strconv.Itoa(s.Runs), string(s.Mean), string(s.Low), string(s.High), string(s.Min),
					string(s.Median), string(s.Max))
			}
			if err := write(cells); err != nil {
				return err
			}
		}
		return nil
	}
	return r
}

// PrintSummary prints the table of groups.
func PrintSummary(out show.Output, m *Merged, runs, summary string) error {
	switch {
	case out.Format == show.FormatJSON:
		return show.WriteLines(out, m.Groups)
	case out.ForRecords():
		return m.SummaryRecords().WriteCSV(out)
	}
	gap := func(name, title string, rank int) show.Column {
		return show.Column{Name: name, Title: title, Unit: model.UnitRatio, Mode: model.RoundUp, Rank: rank}
	}
	shown := show.Column{Name: "mean", Number: true, Show: show.Dash}
	t := &show.Table{Columns: []show.Column{{Name: "instances"}, {Name: "algorithm"}, {Name: "parameters", Rank: 2},
		{Name: "runs", Number: true, Rank: 3}, {Name: "errors", Number: true, Rank: 4}, {Name: "objective", Rank: 5}, shown,
		gap("ratio", "MEAN GAP", 0), {Name: "interval", Title: "95 %", Number: true, Show: show.Dash, Rank: 6,
			About: "confidence interval of the mean gap"},
		gap("worst", "WORST GAP", 1), {Name: "verdict", Rank: 7,
			About: "whether the guarantee of the algorithm is proven, in the worst run"}}}
	errors, skipped := 0, 0
	for _, g := range m.Groups {
		errors += g.Errors
		skipped += g.Skipped
		if g.Skipped > 0 && g.Skipped == g.Runs+g.Missing { // the last line counts them
			continue
		}
		interval := ""
		if r := g.Ratio; r.Low != "" {
			interval = show.Value(r.Low, model.UnitRatio, model.RoundDown) + " … " + show.Gap(r.High)
		}
		t.Add(g.Name, g.Algorithm, g.Parameters, strconv.Itoa(g.Runs), strconv.Itoa(g.Errors), g.Measure,
			show.Value(g.Objective.Mean, engine.UnitOf(g.Problem, g.Measure), model.RoundDown), string(g.Ratio.Mean), interval,
			string(g.Ratio.Max), g.Verdict)
	}
	if err := out.Print(t); err != nil {
		return err
	}
	text := show.Counted(len(m.Runs)-len(m.Missing), "run") + ", " + show.Counted(errors, "error")
	if skipped > 0 {
		text += fmt.Sprintf(", %d skipped", skipped)
	}
	if n := len(m.Missing); n > 0 {
		text += fmt.Sprintf(", %d missing", n)
	}
	_, err := fmt.Fprintf(out, "%s\n%s\n%s\n", text, textpos.Visible(runs), textpos.Visible(summary))
	return err
}

// summaryDigits is how many decimals the summary's numbers have.
const summaryDigits = 6

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
	Runs int `json:"n"`
	// Units are the values that the interval treats as independent: the means of the instances if there are several, else
	// the runs, which differ in their seeds.
	Units int          `json:"-"`
	Mean  model.Number `json:"mean"` // of the units
	// Low and High bound the mean with 95 % confidence, by Student's t; empty with one unit.
	Low    model.Number `json:"low,omitempty"`
	High   model.Number `json:"high,omitempty"`
	Min    model.Number `json:"min"` // of the runs, as the two below
	Median model.Number `json:"median"`
	Max    model.Number `json:"max"`
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
	half := new(big.Rat).SetFloat64(math.Sqrt(f) * report.Quantile(n-1))
	if half == nil { // beyond float64, which no value of a row is
		return new(big.Rat)
	}
	return half
}

// halfDigit is half a unit of the last decimal of summaryDigits.
var halfDigit = big.NewRat(5, 10_000_000)

// rounded prints the nearest decimal, rounding halves up.
func rounded(v *big.Rat) model.Number {
	return model.Number(model.FormatRat(new(big.Rat).Add(v, halfDigit), summaryDigits, model.RoundDown))
}
