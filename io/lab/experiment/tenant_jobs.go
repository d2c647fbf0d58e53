package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mrsched/io/engine"
	"mrsched/io/report"
)

// The parts of a job's traffic.
var (
	shuffled = func(j *tenantJob) float64 { return j.shuffled }
	crossed  = func(j *tenantJob) float64 { return j.crossed }
	read     = func(j *tenantJob) float64 { return j.read }
	traffic  = func(j *tenantJob) float64 { return j.crossed + j.read }
)

// classesAndAll are the classes of jobs and "" for all; classNames are their names under groups of bars.
var (
	classesAndAll = append(slices.Clone(tenantClasses), "")
	classNames    = append(slices.Clone(tenantClasses), "all")
	classAxis     = positions(len(classesAndAll))
)

// classOf is the class at a position.
func classOf(x float64) string { return classesAndAll[int(x)] }

// tenantTable3 splits what all jobs shuffle and read under fair by class.
func tenantTable3(f *figure) error {
	s, spread := f.mainTenants(), f.spreadTenants()
	if err := f.run(s, spread); err != nil {
		return err
	}
	f.describeTenants(s, "fair")
	f.YLabel, f.Groups = "TB", classNames
	fair := f.under(s, "fair")
	for color, part := range []func(*tenantJob) float64{shuffled, crossed, read} {
		f.line([]string{"shuffle", "shuffle across racks", "remote maps"}[color], color, classAxis,
			func(x float64) samples { return fair.sum(classOf(x), part).Times(1e-12) })
	}
	share := func(r policyRuns, class string, part, whole func(*tenantJob) float64) samples {
		return relative(r.sum(class, part), r.sum("", whole)).Times(100)
	}
	heavy := tenantClasses[0]
	f.near("most of the shuffle crosses racks (in %, about 90)", 90, 3, share(fair, "", crossed, shuffled),
		"ten racks: a reduce in any of them finds a tenth of its data at home")
	f.atLeast("of what heavy, medium and light jobs shuffle across racks, heavy ones have more than 75 %", 75, 0,
		share(fair, heavy, crossed, crossed), "the ratios of the benchmarks are ours, see the preset's table")
	f.atLeast("of all traffic across racks, the shuffle of heavy jobs is more than 75 %", 75, 0,
		share(fair, heavy, crossed, traffic), "%.0f %% with input spread over all racks: remote maps are the rest, see below",
		share(f.under(spread, "fair"), heavy, crossed, traffic).Mean())
	f.atMost("remote maps are less than 20 % of the traffic across racks", 20, 0, share(fair, "", read, traffic),
		"%.0f %% under Delay, and %.0f %% under Fair if a job's input lies in all racks in place of three. Among users with "+
			"equal shares the next is one whose map is at home in the rack: with the first of the workload instead, and input "+
			"in two racks, remote maps were 45 %%",
		share(f.under(s, "delay"), "", read, traffic).Mean(), share(f.under(spread, "fair"), "", read, traffic).Mean())
	return nil
}

// tenantConcurrency are the three kinds of concurrency: how many maps of a job run at once while any does, reduces
// likewise, and the percent of the time with maps in which reduces hold slots too. why is what decides each.
var tenantConcurrency = []struct {
	name        string
	part, whole func(*tenantJob) float64
	times       float64
	why         string
}{
	{"maps at once", func(j *tenantJob) float64 { return j.mapTime }, func(j *tenantJob) float64 { return j.mapSpan }, 1,
		"SAMP gathers maps in few racks; a user's slots are as many as before and spread over more of its jobs"},
	{"reduces at once", func(j *tenantJob) float64 { return j.reduceTime },
		func(j *tenantJob) float64 { return j.reduceSpan }, 1,
		"SARP and NASS spread a user's reduce slots over more of its jobs"},
	{"maps beside reduces, %", func(j *tenantJob) float64 { return j.bothSpan },
		func(j *tenantJob) float64 { return j.mapSpan }, 100,
		"NASS gives reduce slots to jobs without maps left first, and holds others back while their rack is saturated; " +
			"else reduces begin after the first map, where Fair and Delay wait for 5 % of the maps"},
}

func tenantFig9(f *figure) error {
	s := f.mainTenants()
	if err := f.run(s); err != nil {
		return err
	}
	f.describeTenants(s)
	f.YLabel = "relative to the baseline with the same fairness"
	for _, kind := range tenantConcurrency {
		f.Groups = append(f.Groups, kind.name)
	}
	for color, p := range []tenantPair{fairPair, delayPair, drfPair} {
		watcher, base := f.pair(s, p)
		f.line(p.String(), color, positions(len(f.Groups)), func(x float64) samples {
			kind := tenantConcurrency[int(x)]
			of := func(r policyRuns) samples {
				return relative(r.sum("", kind.part), r.sum("", kind.whole)).Times(kind.times)
			}
			a, b := of(watcher), of(base)
			if p != drfPair {
				f.atMost(fmt.Sprintf("%s: lower concurrency, %s (change in %%)", p, kind.name), 0, 0, changes(a, b),
					"%.2f against %.2f, all jobs together; %s", a.Mean(), b.Mean(), kind.why)
			}
			return relative(a, b)
		})
	}
	return nil
}

// fewMaps separates small jobs: a tenth of what runs at once.
const fewMaps = 40

// tenantFig11 sorts all jobs by the change of their turn-around. In the fitted submission all arrive before the steady
// time.
func tenantFig11(f *figure) error {
	s := f.mainTenants()
	if err := f.run(s); err != nil {
		return err
	}
	f.describeTenants(s)
	f.axes("jobs, in percent, by change", "change of turn-around, %")
	for color, p := range []tenantPair{fairPair, delayPair, drfPair} {
		seeds := f.turnAroundChanges(s, p, func(*tenantJob) bool { return true })
		if slices.ContainsFunc(seeds, func(v samples) bool { return len(v) == 0 }) {
			return fmt.Errorf("figure %s: a seed has no job", f.Name)
		}
		c := f.line(p.String(), 2*color, steps(5, 5, 95), func(x float64) (list samples) {
			for _, v := range seeds {
				list = append(list, v[max(0, (len(v)*int(x)+99)/100-1)])
			}
			return list
		})
		share := func(of func(*tenantJob) bool) float64 { return improved(f.turnAroundChanges(s, p, of)).Mean() }
		f.atLeast(fmt.Sprintf("%s: every job's turn-around improves (%% of the jobs)", p), 100, 0, improved(seeds),
			"%.0f %% of the jobs with up to %d maps and %.0f %% of the others. The user who is next is the same, but which of "+
				"the user's jobs runs is not the first to arrive, and where jobs are put off for others of their own user some "+
				"must lose; with one run each, two schedules also differ by chance",
			share(func(j *tenantJob) bool { return j.maps <= fewMaps }), fewMaps,
			share(func(j *tenantJob) bool { return j.maps > fewMaps }))
		f.atMost(fmt.Sprintf("%s: the median job's turn-around improves (change in %%)", p), 0, 0, c.At(50), "half of the "+
			"jobs gain at least that")
	}
	return nil
}

// turnAroundChanges are, by seed, the changes of jobs, in percent, sorted.
func (l *Lab) turnAroundChanges(s scenario, p tenantPair, of func(*tenantJob) bool) (list []samples) {
	for _, r := range l.memo[s.key()] {
		a, b := r[p.watcher].tenants, r[p.base].tenants
		var v samples
		for j := range a {
			if of(&a[j]) && b[j].around() > 0 {
				v = append(v, 100*(a[j].around()/b[j].around()-1))
			}
		}
		slices.Sort(v)
		list = append(list, v)
	}
	return list
}

// improved are the percent of changes below zero, one number per seed.
func improved(seeds []samples) samples {
	list := make(samples, len(seeds))
	for i, v := range seeds {
		n, _ := slices.BinarySearch(v, 0)
		list[i] = 100 * float64(n) / float64(max(1, len(v)))
	}
	return list
}

// tenantPart is ShuffleWatcher with only some of its parts.
type tenantPart struct {
	name, without string
	runs          policyRuns
}

// parts measures NASS alone, with SARP, and with SAMP too (SARP needs NASS, and SAMP needs both), and fair.
func (f *figure) parts() (list []tenantPart, fair policyRuns, err error) {
	main := f.mainTenants()
	list = []tenantPart{{name: "NASS", without: "sarp"}, {name: "NASS and SARP", without: "samp"},
		{name: "all three", without: "nothing"}}
	var scenarios []scenario
	var without []string
	for k := range list {
		s := main
		if k < len(list)-1 {
			s = f.tenants(nil, engine.Settings{"without": list[k].without}, fairPair.watcher)
		}
		list[k].runs = f.under(s, fairPair.watcher)
		scenarios, without = append(scenarios, s), append(without, list[k].without)
	}
	f.describeTenants(main, fairPair.base, fairPair.watcher)
	f.Parameters["without"] = without
	f.Groups, f.YLabel = classNames, "relative to Fair"
	return list, f.under(main, fairPair.base), f.run(scenarios...)
}

// whyStep are what limits each part's step in throughput.
var whyStep = []string{"; NASS is also what lets jobs of one submission window overtake each other",
	"; reduces placed where their data is leave uplinks to others, but few users have a choice of reduces when it is " +
		"their turn", "; jobs gathered in one of their racks wait for its slots"}

func tenantFig12(f *figure) error {
	parts, fair, err := f.parts()
	if err != nil {
		return err
	}
	rel := make([][]samples, len(parts)) // by part, by class
	for k, p := range parts {
		c := f.line(p.name, k, classAxis, func(x float64) samples {
			return relative(p.runs.done(classOf(x)), fair.done(classOf(x)))
		})
		for _, p := range c.Points {
			rel[k] = append(rel[k], p.Samples)
		}
	}
	steps := tenantSteps(rel)
	total := func(x int) samples { return rel[len(rel)-1][x].Plus(-1).Times(100) }
	all := len(tenantClasses)
	f.effect("all three raise the throughput of all jobs over Fair", publishedFair[0], total(all), "%s", byClass(total))
	for k, name := range []string{"NASS", "SARP", "SAMP"} {
		least := slices.MinFunc(steps[k][:all], func(a, b samples) int { return cmp.Compare(a.Mean(), b.Mean()) })
		f.atLeast(fmt.Sprintf("%s contributes significantly for each class of jobs (least of the three, in points; at "+
			"least 1)", name), 1, 0, least, "%s", byClass(func(x int) samples { return steps[k][x] })+whyStep[k])
	}
	f.byRank("the improvement grows from shuffle-heavy over medium to shuffle-light jobs", total)
	f.byRank("and so does NASS's contribution", func(x int) samples { return steps[0][x] })
	first, whole := steps[0][all].Mean(), total(all).Mean()
	f.atLeast("NASS brings more than 40 % of the improvement", 40, 0, samples{100 * first / max(1e-9, whole)},
		"%.1f of %.1f points", first, whole)
	return nil
}

// tenantSteps are the successive gains of the parts over fair, in points of fair's throughput: by part, by class.
func tenantSteps(rel [][]samples) [][]samples {
	steps := make([][]samples, len(rel))
	for k := range rel {
		for x, now := range rel[k] {
			before := slices.Repeat(samples{1}, len(now))
			if k > 0 {
				before = rel[k-1][x]
			}
			steps[k] = append(steps[k], now.Minus(before).Times(100))
		}
	}
	return steps
}

// byRank judges that a value grows from class to class.
func (f *figure) byRank(claim string, of func(x int) samples) {
	last := len(tenantClasses) - 1
	c := newCurve("", report.Main, 0, positions(last+1), func(x float64) samples { return of(int(x)) })
	f.rising(claim, "", c).Why = byClass(of) + " points on average; by seed heavy " + listed(of(0)) + ", light " +
		listed(of(last))
}

// byClass prints a mean for each class and for all.
func byClass(of func(x int) samples) string {
	var parts []string
	for x, class := range classNames {
		parts = append(parts, fmt.Sprintf("%s %+.1f", class, of(x).Mean()))
	}
	return strings.Join(parts, ", ")
}

// The figures in the text on Fig. 13, in percent: heavy, medium, light, all.
var (
	publishedSARP = []float64{-16, -13, -4, -15}
	publishedSAMP = []float64{-38, -23, -4, -36}
	// publishedRemote is by how much SAMP's remote maps raise the traffic of heavy jobs.
	publishedRemote = 3.0
)

// unchanged is how many percent traffic may change without counting as reduced.
const unchanged = 3

func tenantFig13(f *figure) error {
	parts, fair, err := f.parts()
	if err != nil {
		return err
	}
	shown := append([]tenantPart{{name: tenantNames[fairPair.base], runs: fair}}, parts...)
	for color, p := range shown {
		f.line("shuffle, "+p.name, color, classAxis,
			func(x float64) samples {
				return relative(p.runs.sum(classOf(x), crossed), fair.sum(classOf(x), traffic))
			})
	}
	remote := func(r policyRuns, x float64) samples {
		return relative(r.sum(classOf(x), read), fair.sum(classOf(x), traffic))
	}
	for color, p := range shown {
		f.dashed("remote maps, "+p.name, color, classAxis, func(x float64) samples { return remote(p.runs, x) })
	}
	less := func(k int, what func(*tenantJob) float64) func(x int) samples {
		return func(x int) samples {
			class := classesAndAll[x]
			return relative(parts[k].runs.sum(class, what), fair.sum(class, what)).Plus(-1).Times(100)
		}
	}
	all := len(tenantClasses)
	f.near(fmt.Sprintf("NASS alone does not reduce traffic (change in %%, tolerance %d)", unchanged), 0, unchanged,
		less(0, traffic)(all), "shuffle %s; remote maps %s: NASS prefers local maps among all jobs of the user, where Fair "+
			"takes the first job's", byClass(less(0, crossed)), byClass(less(0, read)))
	judge := func(claim string, k, x int, published float64, what func(*tenantJob) float64) {
		f.effect(claim, published,
			less(k, what)(x), "shuffle %+.1f %%, remote maps %+.1f %%", less(k, crossed)(x).Mean(), less(k, read)(x).Mean())
	}
	for x, class := range classNames {
		judge(fmt.Sprintf("NASS and SARP, traffic of %s jobs against Fair", class), 1, x, publishedSARP[x], traffic)
	}
	for x, class := range classNames {
		what, name := crossed, "shuffle across racks"
		if x == all {
			what, name = traffic, "traffic"
		}
		judge(fmt.Sprintf("all three, %s of %s jobs against Fair", name, class), 2, x, publishedSAMP[x], what)
	}
	f.near("SAMP raises remote maps of heavy jobs a little (in % of their traffic under Fair, tolerance 2)",
		publishedRemote, 2, remote(parts[2].runs, 0).Minus(remote(parts[1].runs, 0)).Times(100), "SAMP itself chose hardly "+
			"any remote map, as one rack holds all of a job's input; what changes is where slots come free; %.0f %% of heavy "+
			"jobs' traffic is remote maps under Fair", 100*remote(fair, 0).Mean())
	return nil
}
