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

// setParameters states how the figure was measured.
func (f *figure) setParameters(values map[string]any) { maps.Copy(f.Parameters, values) }

// describe states the settings of a scenario.
func (f *figure) describe(s scenario) {
	f.setParameters(map[string]any{"preset": s.preset, "generate": s.generate, "params": s.params,
		"algorithms": s.algorithms})
}

// axes names what is drawn.
func (f *figure) axes(x, y string) { f.XLabel, f.YLabel = x, y }

// newCurve is a curve whose samples a function gives at each x.
func newCurve(name string, style report.Style, color int, xs []float64, at func(x float64) samples) report.Curve {
	c := report.Curve{Name: name, Style: style, Color: color}
	for _, x := range xs {
		c.Points = append(c.Points, report.Point{X: x, Samples: at(x)})
	}
	return c
}

func (f *figure) draw(c report.Curve) report.Curve {
	f.Curves = append(f.Curves, c)
	return c
}

// line draws a main curve, dashed one of other settings.
func (f *figure) line(name string, color int, xs []float64, at func(x float64) samples) report.Curve {
	return f.draw(newCurve(name, report.Main, color, xs, at))
}

func (f *figure) dashed(name string, color int, xs []float64, at func(x float64) samples) report.Curve {
	return f.draw(newCurve(name, report.Alternative, color, xs, at))
}

// marks draws the values that the paper's text states.
func (f *figure) marks(name string, color int, stated map[float64]float64) {
	f.draw(newCurve(name+", published", report.Published, color, slices.Sorted(maps.Keys(stated)),
		func(x float64) samples { return samples{stated[x]} }))
}

// band draws the ends of a curve's confidence interval, if there are several seeds.
func (f *figure) band(c report.Curve) {
	if len(f.seeds) < 2 {
		return
	}
	for k, name := range []string{"lower", "upper"} {
		end := report.Curve{Name: c.Name + ", 95 % confidence, " + name + " end", Style: report.Alternative, Color: c.Color}
		for _, p := range c.Points {
			low, high := p.Samples.Confidence()
			end.Points = append(end.Points, report.Point{X: p.X, Samples: samples{[]float64{low, high}[k]}})
		}
		f.draw(end)
	}
}

// named finds a curve by its name.
func (f *figure) named(name string) report.Curve {
	i := slices.IndexFunc(f.Curves, func(c report.Curve) bool { return c.Name == name })
	if i < 0 {
		return report.Curve{Name: name}
	}
	return f.Curves[i]
}

// claim adds a claim, whose verdict may still be changed before the next is added.
func (f *figure) claim(c report.Claim) *report.Claim {
	f.Claims = append(f.Claims, c)
	return &f.Claims[len(f.Claims)-1]
}

// near, atMost, atLeast and below judge as the functions of package report do, with a formatted reason.
func (f *figure) near(claim string, published, tolerance float64, ours samples, why string, args ...any) *report.Claim {
	return f.claim(report.Near(claim, published, tolerance, ours, fmt.Sprintf(why, args...)))
}

func (f *figure) atMost(claim string, limit, tolerance float64, ours samples, why string, args ...any) {
	f.claim(report.AtMost(claim, limit, tolerance, ours, fmt.Sprintf(why, args...)))
}

func (f *figure) atLeast(claim string, limit, tolerance float64, ours samples, why string, args ...any) {
	f.claim(report.AtLeast(claim, limit, tolerance, ours, fmt.Sprintf(why, args...)))
}

func (f *figure) below(claim string, lower report.Curve, uppers []report.Curve, at func(x float64) string, why string,
	args ...any) {
	f.claim(report.Below(claim, lower, uppers, at, fmt.Sprintf(why, args...)))
}

// everywhere judges that every point of a curve lies in a range; published describes it.
func (f *figure) everywhere(claim, published string, c report.Curve, from, to float64, why string, args ...any) {
	f.claim(report.Everywhere(claim, published, c, from, to, fmt.Sprintf(why, args...)))
}

// never judges that a number exceeds a limit on no instance.
func (f *figure) never(claim string, limit float64, ours samples, why string, args ...any) {
	f.claim(report.Never(claim, limit, ours, fmt.Sprintf(why, args...)))
}

// noHigher judges that one curve lies nowhere above others: at each x that they share, on every seed.
func (f *figure) noHigher(claim string, lower report.Curve, uppers []report.Curve, unit, why string, args ...any) {
	var points report.Points
	worst, where := 0.0, ""
	for _, u := range uppers {
		for _, p := range shared(lower, u).Points {
			margin := u.At(p.X).Minus(p.Samples)
			_, above := margin.Lies(0, math.Inf(1))
			points.Add(slices.Min(margin) >= -1e-9, above)
			if m := margin.Mean(); m < worst {
				worst, where = m, fmt.Sprintf("worst at %s: %s is %.1f lower; ", at(p.X, unit), u.Name, -m)
			}
		}
	}
	f.claim(points.Claim(claim, where+fmt.Sprintf(why, args...)))
}

// rising judges that a curve rises from each point to the next, by the steps seed by seed. unit follows each value.
func (f *figure) rising(claim, unit string, c report.Curve) *report.Claim {
	var points report.Points
	why := ""
	for k, p := range c.Points {
		if k > 0 {
			low, high := p.Samples.Minus(c.Points[k-1].Samples).Confidence()
			points.Add(low > 0, high < 0)
			why += ", "
		}
		why += fmt.Sprintf("%.2f%s at %g", p.Mean(), unit, p.X)
	}
	return f.claim(points.Claim(claim, why))
}

// everySeed judges that something is positive on every seed.
func (f *figure) everySeed(claim string, v samples, why string, args ...any) {
	n := positive(v)
	c := f.claim(report.Claim{Claim: claim, Published: "yes", Ours: fmt.Sprintf("on %d of %s", n, show.Counted(len(v),
		"seed")), Verdict: report.Judge(n == len(v), n == 0), Why: fmt.Sprintf(why, args...)})
	if c.Verdict == report.Undecided {
		c.Verdict = report.Differs
	}
}

// effect judges a published change in percent. It holds if the interval lies within a factor of two of it; less than a
// tenth of the change, or the opposite sign, contradicts it.
func (f *figure) effect(claim string, published float64, ours samples, why string, args ...any) {
	c := f.near(claim+", in %", published, 0, ours, "")
	times := ours.Times(1 / published)
	inside, outside := times.Lies(0.5, 2)
	_, against := times.Lies(0.1, math.Inf(1))
	c.Verdict = report.Judge(inside, against)
	if outside && !against {
		c.Verdict = report.Differs
	}
	c.Why = fmt.Sprintf("the published sign on %d of %s, %.2f times the published size", positive(times),
		show.Counted(len(ours), "seed"), times.Mean())
	if why != "" {
		c.Why += "; " + fmt.Sprintf(why, args...)
	}
}

// positive counts the samples above zero.
func positive(v samples) (n int) {
	for _, x := range v {
		if x > 0 {
			n++
		}
	}
	return n
}

// interval prints a mean and its confidence interval.
func interval(v samples, unit string) string {
	low, high := v.Confidence()
	if math.IsInf(low, 0) {
		return fmt.Sprintf("%.2f%s", v.Mean(), unit)
	}
	return fmt.Sprintf("%.2f%s (95 %% confidence: %.2f … %.2f)", v.Mean(), unit, low, high)
}

// changes returns, for each sample, by how many percent a exceeds b.
func changes(a, b samples) samples {
	return relative(a, b).Map(func(x float64) float64 { return 100 * (x - 1) })
}

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

// percentOver is by how many percent the mean of a exceeds the mean of b.
func percentOver(a, b samples) float64 { return 100 * (a.Mean()/b.Mean() - 1) }

// extreme is the point with the largest mean (sign 1) or the smallest (sign −1).
func extreme(c report.Curve, sign float64) report.Point {
	return slices.MaxFunc(c.Points, func(a, b report.Point) int { return cmp.Compare(sign*a.Mean(), sign*b.Mean()) })
}

// extremeCurve takes, up to an x, the highest (sign 1) or lowest of some curves at each x.
func extremeCurve(list []report.Curve, sign, last float64) (c report.Curve) {
	for _, p := range inside(list[0], 0, last).Points {
		for _, other := range list[1:] {
			if q := other.At(p.X); sign*(q.Mean()-p.Mean()) > 0 {
				p.Samples = q
			}
		}
		c.Points = append(c.Points, p)
	}
	return c
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

// shared is the part of a curve that lies at positions of another.
func shared(c, at report.Curve) report.Curve {
	c.Points = slices.DeleteFunc(slices.Clone(c.Points), func(p report.Point) bool { return at.At(p.X) == nil })
	return c
}

// means are the means of a curve's points.
func means(c report.Curve) (list samples) {
	for _, p := range c.Points {
		list = append(list, p.Mean())
	}
	return list
}

// gap is by how many percent a curve's means are at most above another's.
func gap(c, lower report.Curve) (most float64) {
	for _, p := range shared(c, lower).Points {
		most = max(most, percentOver(p.Samples, lower.At(p.X)))
	}
	return most
}

// in names a position on an axis with a unit.
func in(unit string) func(x float64) string {
	return func(x float64) string { return at(x, unit) }
}

// at prints a position on the x axis.
func at(x float64, unit string) string { return number(x) + " " + unit }

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
func upTo[T int | float64](limit int, list []T) []T {
	return slices.DeleteFunc(slices.Clone(list), func(x T) bool { return x > T(limit) })
}
