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
func Near(claim string, published, tolerance float64, ours Samples, why string) Claim {
	c := numeric(claim, ours, why)
	c.Published = published
	mean := ours.Mean()
	c.Verdict = Judge(mean >= published-tolerance && mean <= published+tolerance ||
		c.Spread[0] <= published && published <= c.Spread[1], false)
	return c
}

// AtMost judges a published upper limit.
func AtMost(claim string, limit, tolerance float64, ours Samples, why string) Claim {
	c := numeric(claim, ours, why)
	c.Published = "≤ " + text(limit)
	c.Verdict = Judge(ours.Mean() <= limit+tolerance, slices.Min(ours) > limit+tolerance)
	return c
}

// AtLeast judges a published lower limit.
func AtLeast(claim string, limit, tolerance float64, ours Samples, why string) Claim {
	c := numeric(claim, ours, why)
	c.Published = "≥ " + text(limit)
	c.Verdict = Judge(ours.Mean() >= limit-tolerance, slices.Max(ours) < limit-tolerance)
	return c
}

func numeric(claim string, ours Samples, why string) Claim {
	return Claim{Claim: claim, Ours: round(ours.Mean()), Spread: []float64{round(slices.Min(ours)),
		round(slices.Max(ours))}, Why: why}
}

// Below judges that one curve lies below others, by the means at every x they share. It holds if it does everywhere
// and is contradicted if it does at less than half of the points. The reason starts with the narrowest point, which
// at names.
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
			margin := samples.Mean() - p.Mean()
			if margin > 0 {
				below++
			}
			if margin < least {
				least, narrowest = margin, fmt.Sprintf("narrowest at %s: %s is %+.3f away", at(p.X), u.Name, margin)
			}
		}
	}
	return Claim{Claim: claim, Published: "everywhere", Ours: fmt.Sprintf("at %d of %d points", below, points),
		Verdict: Judge(below == points, 2*below < points), Why: join(narrowest, why)}
}

// Judge is the verdict on a claim that holds, or against which enough was measured.
func Judge(holds, against bool) Verdict {
	switch {
	case holds:
		return Holds
	case against:
		return Contradicted
	}
	return Differs
}

// join puts two reasons together.
func join(a, b string) string {
	if b == "" {
		return a
	}
	return a + "; " + b
}
