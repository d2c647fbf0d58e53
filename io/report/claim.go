package report

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Verdict says what our measurements make of a claim. It rests on the 95 % confidence interval of the mean over the
// seeds, so that noise makes a claim undecided and never true.
type Verdict string

// The verdicts.
const (
	// Holds: the whole interval agrees with the claim.
	Holds Verdict = "holds"
	// Differs: the whole interval lies outside the tolerance, or the claim is false at some points.
	Differs Verdict = "differs"
	// Contradicted: the whole interval lies far outside the tolerance or beyond a limit, or the claim is false at more
	// than half of the points.
	Contradicted Verdict = "contradicted"
	// Undecided: the interval reaches into both sides.
	Undecided Verdict = "undecided"
)

// Verdicts lists them in the order of tables.
func Verdicts() []Verdict { return []Verdict{Holds, Differs, Contradicted, Undecided} }

// Claim is a statement beside what we measure.
type Claim struct {
	Claim string `json:"claim"`
	// Own: the statement is mrsched's own, not the paper's.
	Own bool `json:"own,omitempty"`
	// Fitted: ours was fitted to the published number, or put in.
	Fitted    bool `json:"fitted,omitempty"`
	Published any  `json:"published"` // a number, or words
	Ours      any  `json:"ours"`
	// Interval is the 95 % confidence interval of the mean; absent for one seed, or if Ours is no single number.
	Interval []float64 `json:"interval,omitempty"`
	Verdict  Verdict   `json:"verdict"`
}

// Title is the claim, marked if it is mrsched's own or fitted.
func (c Claim) Title() string {
	if c.Own {
		return "(ours) " + c.Claim
	}
	if c.Fitted {
		return "(fitted) " + c.Claim
	}
	return c.Claim
}

// Confidence is the 95 % interval of the mean by Student's t. Of one sample it is the whole line.
func (v Samples) Confidence() (low, high float64) {
	if len(v) < 2 {
		return math.Inf(-1), math.Inf(1)
	}
	mean, deviation := stat.MeanStdDev(v, nil)
	half := Quantile(len(v)-1) * deviation / math.Sqrt(float64(len(v)))
	return mean - half, mean + half
}

// Quantile is how many standard errors the 95 % interval reaches to each side, with some degrees of freedom.
func Quantile(freedom int) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(freedom)}.Quantile(0.975)
}

// rounding is how far floating point may move an end of an interval.
const rounding = 1e-9

// Lies says where the confidence interval of the samples lies: inside a range, or wholly outside.
func (v Samples) Lies(from, to float64) (inside, outside bool) {
	low, high := v.Confidence()
	return low >= from-rounding && high <= to+rounding, low > to+rounding || high < from-rounding
}

// far is how many tolerances a number lies away from the published one if it contradicts it.
const far = 4

// Rule makes a claim of what was measured.
type Rule func(claim string, ours Samples) Claim

// Near judges a published number.
func Near(published, tolerance float64) Rule {
	return func(claim string, ours Samples) Claim {
		c := numeric(claim, ours)
		c.Published = published
		inside, outside := ours.Lies(published-tolerance, published+tolerance)
		c.Verdict = Judge(inside, outside)
		if _, away := ours.Lies(published-far*tolerance, published+far*tolerance); outside && !away {
			c.Verdict = Differs
		}
		return c
	}
}

// AtMost judges an upper limit.
func AtMost(limit, tolerance float64) Rule {
	return limited("≤ "+text(limit), math.Inf(-1), limit+tolerance)
}

// AtLeast judges a lower limit.
func AtLeast(limit, tolerance float64) Rule {
	return limited("≥ "+text(limit), limit-tolerance, math.Inf(1))
}

func limited(published string, from, to float64) Rule {
	return func(claim string, ours Samples) Claim {
		c := numeric(claim, ours)
		c.Published = published
		c.Verdict = Judge(ours.Lies(from, to))
		return c
	}
}

func numeric(claim string, ours Samples) Claim {
	c := Claim{Claim: claim, Ours: round(ours.Mean())}
	if low, high := ours.Confidence(); !math.IsInf(low, 0) {
		c.Interval = []float64{round(low), round(high)}
	}
	return c
}

// Never judges that a number exceeds a limit on no instance at all: one exception contradicts it.
func Never(limit float64) Rule {
	return func(claim string, ours Samples) Claim {
		most := slices.Max(ours)
		return Claim{Claim: claim, Published: "≤ " + text(limit), Ours: round(most),
			Verdict: Judge(most <= limit+rounding, true)}
	}
}

// Below judges that one curve lies below others at every x that they share, by the differences seed by seed.
func Below(claim string, lower Curve, uppers []Curve) Claim {
	var p Points
	for _, u := range uppers {
		for _, q := range lower.Points {
			if samples := u.At(q.X); samples != nil {
				low, high := samples.Minus(q.Samples).Confidence()
				p.Add(low > 0, high < 0)
			}
		}
	}
	return p.Claim(claim)
}

// Points counts at how many points something holds, and at how many the opposite does.
type Points struct{ held, against, all int }

// Add counts a point.
func (p *Points) Add(held, against bool) {
	p.all++
	if held {
		p.held++
	} else if against {
		p.against++
	}
}

// Claim says that something is true everywhere. It is contradicted if the opposite holds at more than half of the
// points, and undecided if there is no point.
func (p *Points) Claim(claim string) Claim {
	c := Claim{Claim: claim, Published: "everywhere", Ours: fmt.Sprintf("at %d of %d points", p.held, p.all),
		Verdict: Judge(p.held == p.all && p.all > 0, 2*p.against > p.all)}
	if c.Verdict == Undecided && p.against > 0 {
		c.Verdict = Differs
	}
	if p.held < p.all {
		c.Ours = fmt.Sprintf("%s, the opposite at %d", c.Ours, p.against)
	}
	return c
}

// Judge is the verdict on a claim that holds, or against which enough was measured.
func Judge(holds, against bool) Verdict {
	switch {
	case holds:
		return Holds
	case against:
		return Contradicted
	}
	return Undecided
}
