package experiment

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"mrsched/io/report"
	"mrsched/io/show"
)

// figure is a figure of a paper and the lab that measures it.
type figure struct {
	*Lab
	*report.Figure
}

// samples are measurements of one thing, one per seed.
type samples = report.Samples

// values gives samples at a position of the x axis.
type values func(x float64) samples

// newCurve is a curve whose samples a function gives at each x.
func newCurve(name string, style report.Style, color int, xs []float64, at values) report.Curve {
	c := report.Curve{Name: name, Style: style, Color: color}
	for _, x := range xs {
		c.Points = append(c.Points, report.Point{X: x, Samples: at(x)})
	}
	return c
}

func (f *figure) add(c report.Curve) report.Curve {
	f.Curves = append(f.Curves, c)
	return c
}

// line draws a main curve, dashed one of other settings.
func (f *figure) line(name string, color int, xs []float64, at values) report.Curve {
	return f.add(newCurve(name, report.Main, color, xs, at))
}

func (f *figure) dashed(name string, color int, xs []float64, at values) report.Curve {
	return f.add(newCurve(name, report.Alternative, color, xs, at))
}

// marks draws the values that the paper's text states.
func (f *figure) marks(name string, color int, stated map[float64]float64) {
	f.add(newCurve(name+", published", report.Published, color, slices.Sorted(maps.Keys(stated)),
		func(x float64) samples { return samples{stated[x]} }))
}

// judge makes a claim of what was measured: near judges a published number, atMost and atLeast a limit.
type judge = report.Rule

var near, atMost, atLeast = report.Near, report.AtMost, report.AtLeast

// everySeed judges that something is positive on every seed.
func everySeed(claim string, v samples) report.Claim {
	n := 0
	for _, x := range v {
		if x > 0 {
			n++
		}
	}
	c := report.Claim{Claim: claim, Published: "yes", Ours: fmt.Sprintf("on %d of %s", n, show.Counted(len(v), "seed")),
		Verdict: report.Judge(n == len(v), n == 0)}
	if c.Verdict == report.Undecided {
		c.Verdict = report.Differs
	}
	return c
}

// effect judges a published change in percent. It holds if the interval lies within a factor of two of it; less than a
// tenth of the change, or the opposite sign, contradicts it.
func effect(published float64) judge {
	return func(claim string, v samples) report.Claim {
		c := near(published, 0)(claim+", in %", v)
		times := v.Times(1 / published)
		inside, outside := times.Lies(0.5, 2)
		_, against := times.Lies(0.1, math.Inf(1))
		c.Verdict = report.Judge(inside, against)
		if outside && !against {
			c.Verdict = report.Differs
		}
		return c
	}
}

// hardly judges that a value changes by less than some percent on average.
func hardly(most float64) judge {
	return func(claim string, v samples) report.Claim {
		c := near(0, most)(claim, v)
		c.Verdict = report.Judge(v.Lies(-most, most))
		return c
	}
}

// claim adds a claim, whose verdict may still be changed before the next is added.
func (f *figure) claim(text string, by judge, v samples) *report.Claim { return f.state(by(text, v)) }

func (f *figure) state(c report.Claim) *report.Claim {
	f.Claims = append(f.Claims, c)
	return &f.Claims[len(f.Claims)-1]
}

// minus makes a claim of a difference seed by seed, change of a change in percent.
func (f *figure) minus(text string, by judge, a, b samples) *report.Claim {
	return f.claim(text, by, a.Minus(b))
}

func (f *figure) change(text string, by judge, a, b samples) *report.Claim {
	return f.claim(text, by, changes(a, b))
}

// below judges that one curve lies below others at every x that they share.
func (f *figure) below(claim string, lower report.Curve, uppers ...report.Curve) {
	f.state(report.Below(claim, lower, uppers))
}

// noHigher judges that one curve lies nowhere above others: at each x that they share, on every seed.
func (f *figure) noHigher(claim string, lower report.Curve, uppers ...report.Curve) {
	var points report.Points
	for _, u := range uppers {
		for _, p := range lower.Points {
			margin := u.At(p.X).Minus(p.Samples)
			_, above := margin.Lies(0, math.Inf(1))
			points.Add(slices.Min(margin) >= -1e-9, above)
		}
	}
	f.state(points.Claim(claim))
}

// rising judges that a curve rises from each point to the next, by the steps seed by seed.
func (f *figure) rising(claim string, c report.Curve) {
	var points report.Points
	for k, p := range c.Points[1:] {
		low, high := p.Samples.Minus(c.Points[k].Samples).Confidence()
		points.Add(low > 0, high < 0)
	}
	f.state(points.Claim(claim))
}

// changes returns, for each sample, by how many percent a exceeds b.
func changes(a, b samples) samples { return relative(a, b).Plus(-1).Times(100) }

// saved is by how many percent a cost is below another.
func saved(cost, against samples) samples { return cost.Over(against).Times(-1).Plus(1).Times(100) }

// relative is a / b; 1 if both are 0.
func relative(a, b samples) samples {
	list := a.Over(b)
	for i := range list {
		if b[i] == 0 {
			list[i] = 1
		}
	}
	return list
}

// extreme is the point with the largest mean (sign 1) or the smallest (sign −1).
func extreme(c report.Curve, sign float64) report.Point {
	return slices.MaxFunc(c.Points, func(a, b report.Point) int { return cmp.Compare(sign*a.Mean(), sign*b.Mean()) })
}

// inRange are the positions in a range.
func inRange(list []float64, from, to float64) []float64 {
	return slices.DeleteFunc(slices.Clone(list), func(x float64) bool { return x < from || x > to })
}

// inside is the part of a curve that lies in a range.
func inside(c report.Curve, from, to float64) report.Curve {
	c.Points = slices.DeleteFunc(slices.Clone(c.Points), func(p report.Point) bool { return p.X < from || p.X > to })
	return c
}

// number prints a setting's value.
func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// steps are from, from+by, … up to.
func steps(from, by, to float64) (list []float64) {
	for k := 0; ; k++ {
		x := from + float64(k)*by
		if x > to+by/1e6 {
			return list
		}
		list = append(list, x)
	}
}

// positions are 0, 1, …, those of n groups of bars.
func positions(n int) []float64 { return steps(0, 1, float64(n-1)) }

// upTo are the positions up to a limit.
func upTo(limit int, list []float64) []float64 { return inRange(list, math.Inf(-1), float64(limit)) }
