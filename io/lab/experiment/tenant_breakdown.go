package experiment

import (
	"fmt"
	"slices"

	"mrsched/io/engine"
	"mrsched/io/report"
)

// tenantPart is ShuffleWatcher as far as one of its parts.
type tenantPart struct {
	name, without string
	scenario      scenario
}

// parts are NASS alone, with SARP, and with SAMP too: SARP needs NASS, and SAMP needs both.
func (l *Lab) parts() []tenantPart {
	list := []tenantPart{{name: "NASS", without: "sarp"}, {name: "NASS and SARP", without: "samp"}, {name: "all three"}}
	for k := range list {
		list[k].scenario = l.tenants(nil, engine.Settings{"without": list[k].without}, fairPair.watcher)
	}
	list[len(list)-1].scenario = l.mainTenants()
	return list
}

// runParts measures them, and fair.
func (l *Lab) runParts(f *report.Figure, figure string) ([]tenantPart, error) {
	parts := l.parts()
	var list []scenario
	for _, p := range parts {
		list = append(list, p.scenario)
	}
	if err := l.run(list...); err != nil {
		return nil, err
	}
	l.describeTenants(f, figure, l.mainTenants())
	f.Parameters["algorithms"], f.Parameters["without"] = []string{fairPair.base, fairPair.watcher},
		[]string{parts[0].without, parts[1].without, "nothing"}
	f.Groups, f.YLabel = append(slices.Clone(tenantClasses), "all"), "relative to Fair"
	return parts, nil
}

// classesAndAll are the groups of both figures; "" is all.
var classesAndAll = append(slices.Clone(tenantClasses), "")

// tenantSteps are what parts gain one after another over fair, in points of fair's throughput: by part, by class, by
// seed.
func tenantSteps(rel [][][]float64) [][][]float64 {
	steps := make([][][]float64, len(rel))
	for k := range rel {
		steps[k] = make([][]float64, len(rel[k]))
		for x := range rel[k] {
			v := make([]float64, len(rel[k][x]))
			for i, now := range rel[k][x] {
				before := 1.0
				if k > 0 {
					before = rel[k-1][x][i]
				}
				v[i] = 100 * (now - before)
			}
			steps[k][x] = v
		}
	}
	return steps
}

func tenantFig12(l *Lab, f *report.Figure) error {
	parts, err := l.runParts(f, "Fig. 12")
	if err != nil {
		return err
	}
	rel := make([][][]float64, len(parts))
	for k, p := range parts {
		c := report.Curve{Name: p.name, Style: report.Main, Color: k}
		for x, class := range classesAndAll {
			v := relative(l.done(p.scenario, fairPair.watcher, class), l.done(l.mainTenants(), fairPair.base, class))
			rel[k] = append(rel[k], v)
			c.Points = append(c.Points, report.Point{X: float64(x), Samples: v})
		}
		f.Curves = append(f.Curves, c)
	}
	steps := tenantSteps(rel)
	total := func(x int) []float64 { return scaledBy(plus(rel[len(rel)-1][x], -1), 100) }
	all := len(classesAndAll) - 1
	f.Claims = append(f.Claims, effect("all three raise the throughput of all jobs over Fair", publishedFair[0],
		total(all), byClass(total)))
	for k, name := range []string{"NASS", "SARP", "SAMP"} {
		least := 0
		for x := range tenantClasses {
			if report.Mean(steps[k][x]) < report.Mean(steps[k][least]) {
				least = x
			}
		}
		f.Claims = append(f.Claims,
			report.AtLeast(fmt.Sprintf("%s contributes significantly for each class of jobs (least of the three, in points; "+
				"at least 1)", name), 1, 0, steps[k][least],
				byClass(func(x int) []float64 { return steps[k][x] })+whyStep[k]))
	}
	share := 100 * report.Mean(steps[0][all]) / max(1e-9, report.Mean(total(all)))
	f.Claims = append(f.Claims,
		byRank("the improvement grows from shuffle-heavy over medium to shuffle-light jobs", total),
		byRank("and so does NASS's contribution", func(x int) []float64 { return steps[0][x] }),
		report.AtLeast("NASS brings more than 40 % of the improvement", 40, 0, []float64{share},
			fmt.Sprintf("%.1f of %.1f points", report.Mean(steps[0][all]), report.Mean(total(all)))))
	return nil
}

// byRank judges that something grows from class to class.
func byRank(claim string, of func(x int) []float64) report.Claim {
	c := report.Curve{}
	for x := range tenantClasses {
		c.Points = append(c.Points, report.Point{X: float64(x), Samples: of(x)})
	}
	r := rising(claim, c)
	r.Why = byClass(of) + " points on average; by seed heavy " + listed(of(0)) + ", light " +
		listed(of(len(tenantClasses)-1))
	return r
}

// whyStep are what limits each part's step in throughput.
var whyStep = []string{
	"; NASS is also what lets jobs of one submission window overtake each other",
	"; reduces placed where their data is leave uplinks to others, but few users have a choice of reduces when it is " +
		"their turn",
	"; jobs gathered in one of their racks wait for its slots",
}

// byClass prints a mean for each class and for all.
func byClass(of func(x int) []float64) string {
	text := ""
	for x, class := range append(slices.Clone(tenantClasses), "all") {
		if x > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s %+.1f", class, report.Mean(of(x)))
	}
	return text
}

// plus adds a number to all.
func plus(v []float64, x float64) []float64 {
	list := slices.Clone(v)
	for i := range list {
		list[i] += x
	}
	return list
}

// What the text says of Fig. 13, in percent: heavy, medium, light, all.
var (
	publishedSARP = []float64{-16, -13, -4, -15}
	publishedSAMP = []float64{-38, -23, -4, -36}
	// publishedRemote is by how much SAMP's remote maps raise the traffic of heavy jobs.
	publishedRemote = 3.0
)

// unchanged is how many percent traffic may change and still not be called reduced.
const unchanged = 3

func tenantFig13(l *Lab, f *report.Figure) error {
	parts, err := l.runParts(f, "Fig. 13")
	if err != nil {
		return err
	}
	crossed, read := func(j *tenantJob) float64 { return j.crossed }, func(j *tenantJob) float64 { return j.read }
	both := func(j *tenantJob) float64 { return j.crossed + j.read }
	fair := l.mainTenants()
	of := func(s scenario, policy string, x int, what, whole func(*tenantJob) float64) []float64 {
		return relative(l.sums(s, policy, classesAndAll[x], what), l.sums(fair, fairPair.base, classesAndAll[x], whole))
	}
	for kind, what := range []func(*tenantJob) float64{crossed, read} {
		name, style := []string{"shuffle, ", "remote maps, "}[kind], []report.Style{report.Main, report.Alternative}[kind]
		for k := -1; k < len(parts); k++ {
			s, policy, label := fair, fairPair.base, tenantNames[fairPair.base]
			if k >= 0 {
				s, policy, label = parts[k].scenario, fairPair.watcher, parts[k].name
			}
			c := report.Curve{Name: name + label, Style: style, Color: k + 1}
			for x := range classesAndAll {
				c.Points = append(c.Points, report.Point{X: float64(x), Samples: of(s, policy, x, what, both)})
			}
			f.Curves = append(f.Curves, c)
		}
	}
	less := func(k, x int, what func(*tenantJob) float64) []float64 {
		return scaledBy(plus(of(parts[k].scenario, fairPair.watcher, x, what, what), -1), 100)
	}
	all := len(classesAndAll) - 1
	f.Claims = append(f.Claims, report.Near(fmt.Sprintf("NASS alone does not reduce traffic (change in %%, tolerance %d)",
		unchanged), 0, unchanged, less(0, all, both),
		"shuffle "+byClass(func(x int) []float64 { return less(0, x, crossed) })+"; remote maps "+byClass(
			func(x int) []float64 { return less(0, x, read) })+
			": NASS prefers local maps among all jobs of the user, where Fair takes the first job's"))
	for x, class := range append(slices.Clone(tenantClasses), "all") {
		f.Claims = append(f.Claims, effect(fmt.Sprintf("NASS and SARP, traffic of %s jobs against Fair", class),
			publishedSARP[x], less(1, x, both),
			fmt.Sprintf("shuffle %+.1f %%, remote maps %+.1f %%", report.Mean(less(1, x, crossed)),
				report.Mean(less(1, x, read)))))
	}
	for x, class := range append(slices.Clone(tenantClasses), "all") {
		what, name := crossed, "shuffle across racks"
		if x == all {
			what, name = both, "traffic"
		}
		f.Claims = append(f.Claims, effect(fmt.Sprintf("all three, %s of %s jobs against Fair", name, class),
			publishedSAMP[x], less(2, x, what),
			fmt.Sprintf("shuffle %+.1f %%, remote maps %+.1f %%", report.Mean(less(2, x, crossed)),
				report.Mean(less(2, x, read)))))
	}
	more := scaledBy(report.Difference(of(parts[2].scenario, fairPair.watcher, 0, read, both),
		of(parts[1].scenario, fairPair.watcher, 0, read, both)), 100)
	f.Claims = append(f.Claims, report.Near("SAMP raises remote maps of heavy jobs a little (in % of their traffic "+
		"under Fair, tolerance 2)", publishedRemote, 2, more,
		fmt.Sprintf("SAMP itself chose hardly any remote map, as two racks hold all of a job's input; what changes is "+
			"where slots come free; %.0f %% of heavy jobs' traffic is remote maps under Fair",
			100*report.Mean(of(fair, fairPair.base, 0, read, both)))))
	return nil
}
