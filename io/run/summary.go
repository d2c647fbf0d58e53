package run

import (
	"math"
	"math/big"
	"slices"

	"mrsched/io/report"
	"mrsched/model"
)

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
