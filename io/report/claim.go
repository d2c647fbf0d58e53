package report

import (
	"fmt"
	"math"
	"slices"
)

// Verdict says what our measurements make of a published claim.
type Verdict string

// The verdicts.
const (
	// Holds: within the tolerance, or inside the spread of our seeds.
	Holds Verdict = "holds"
	// Differs: another number, or true for part of the points only.
	Differs Verdict = "differs"
	// Contradicted: the opposite was measured, beyond the spread of our seeds.
	Contradicted Verdict = "contradicted"
)

// Claim is a statement of a paper beside what we measure.
type Claim struct {
	Claim     string `json:"claim"`
	Published any    `json:"published"` // a number, or words
	Ours      any    `json:"ours"`
	// Spread is the least and the largest over the seeds; absent if Ours is no single number.
	Spread  []float64 `json:"spread,omitempty"`
	Verdict Verdict   `json:"verdict"`
	Why     string    `json:"why"`
}

// Near judges a published number against our samples of it, one a seed.
func Near(claim string, published, tolerance float64, ours []float64, why string) Claim {
	c := numeric(claim, ours, why)
	c.Published = published
	mean := Mean(ours)
	c.Verdict = Differs
	if mean >= published-tolerance && mean <= published+tolerance || c.Spread[0] <= published && published <= c.Spread[1] {
		c.Verdict = Holds
	}
	return c
}

// AtMost judges a published upper limit.
func AtMost(claim string, limit, tolerance float64, ours []float64, why string) Claim {
	c := numeric(claim, ours, why)
	c.Published = "≤ " + text(limit)
	switch {
	case Mean(ours) <= limit+tolerance:
		c.Verdict = Holds
	case slices.Min(ours) > limit+tolerance:
		c.Verdict = Contradicted
	default:
		c.Verdict = Differs
	}
	return c
}

// AtLeast judges a published lower limit.
func AtLeast(claim string, limit, tolerance float64, ours []float64, why string) Claim {
	c := numeric(claim, ours, why)
	c.Published = "≥ " + text(limit)
	switch {
	case Mean(ours) >= limit-tolerance:
		c.Verdict = Holds
	case slices.Max(ours) < limit-tolerance:
		c.Verdict = Contradicted
	default:
		c.Verdict = Differs
	}
	return c
}

func numeric(claim string, ours []float64, why string) Claim {
	return Claim{Claim: claim, Ours: round(Mean(ours)), Spread: []float64{round(slices.Min(ours)),
		round(slices.Max(ours))}, Why: why}
}

// Below judges that one curve lies below others: by the means at every x that they share, which at names. It holds
// if it does everywhere, and is contradicted if it does so at less than half of the points. The reason starts
// with the narrowest point.
func Below(claim string, lower Curve, uppers []Curve, at func(x float64) string, why string) Claim {
	below, points, least := 0, 0, math.Inf(1)
	narrowest := ""
	for _, u := range uppers {
		for _, p := range lower.Points {
			samples := u.At(p.X)
			if samples == nil {
				continue
			}
			points++
			margin := Mean(samples) - p.Mean()
			if margin > 0 {
				below++
			}
			if margin < least {
				least, narrowest = margin, fmt.Sprintf("narrowest at %s: %s is %+.3f away", at(p.X), u.Name, margin)
			}
		}
	}
	c := Claim{Claim: claim, Published: "everywhere", Ours: fmt.Sprintf("at %d of %d points", below, points),
		Why: join(narrowest, why)}
	switch {
	case below == points:
		c.Verdict = Holds
	case 2*below < points:
		c.Verdict = Contradicted
	default:
		c.Verdict = Differs
	}
	return c
}

// join puts two reasons together.
func join(a, b string) string {
	if b == "" {
		return a
	}
	return a + "; " + b
}

// Difference is a − b, sample by sample: both were measured on the same seeds.
func Difference(a, b []float64) []float64 {
	d := make([]float64, len(a))
	for i := range d {
		d[i] = a[i] - b[i]
	}
	return d
}

// Quotient is a / b, sample by sample.
func Quotient(a, b []float64) []float64 {
	q := make([]float64, len(a))
	for i := range q {
		q[i] = a[i] / b[i]
	}
	return q
}
