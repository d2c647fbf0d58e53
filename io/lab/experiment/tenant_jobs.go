package experiment

import (
	"fmt"
	"slices"

	"mrsched/io/report"
)

// tenantTable3 splits what all jobs shuffle and read under fair by class.
func tenantTable3(l *Lab, f *report.Figure) error {
	s, spread := l.mainTenants(), l.spreadTenants()
	if err := l.run(s, spread); err != nil {
		return err
	}
	l.describeTenants(f, "Table 3", s)
	f.Parameters["algorithms"] = []string{"fair"}
	f.YLabel = "TB"
	shuffled, crossed, read := func(j *tenantJob) float64 { return j.shuffled },
		func(j *tenantJob) float64 { return j.crossed }, func(j *tenantJob) float64 { return j.read }
	all := func(j *tenantJob) float64 { return j.crossed + j.read }
	for color, part := range []struct {
		name string
		what func(*tenantJob) float64
	}{{"shuffle", shuffled}, {"shuffle across racks", crossed}, {"remote maps", read}} {
		c := report.Curve{Name: part.name, Style: report.Main, Color: color}
		for x, class := range append(slices.Clone(tenantClasses), "") {
			c.Points = append(c.Points, report.Point{X: float64(x), Samples: scaledBy(l.sums(s, "fair", class, part.what),
				1e-12)})
		}
		f.Curves = append(f.Curves, c)
	}
	f.Groups = append(slices.Clone(tenantClasses), "all")
	share := func(s scenario, policy, class string, part, whole func(*tenantJob) float64) []float64 {
		return scaledBy(relative(l.sums(s, policy, class, part), l.sums(s, policy, "", whole)), 100)
	}
	f.Claims = append(f.Claims,
		report.Near("most of the shuffle crosses racks (in %, about 90)", 90, 3, share(s, "fair", "", crossed, shuffled),
			"ten racks: a reduce in any of them finds a tenth of its data at home"),
		report.AtLeast("of what heavy, medium and light jobs shuffle across racks, heavy ones have more than 75 %", 75, 0,
			share(s, "fair", tenantClasses[0], crossed, crossed),
			"the ratios of the benchmarks are ours, see the preset's table"),
		report.AtLeast("of all traffic across racks, the shuffle of heavy jobs is more than 75 %", 75, 0,
			share(s, "fair", tenantClasses[0], crossed, all),
			fmt.Sprintf("%.0f %% with input spread over all racks: remote maps are the rest, see below",
				report.Mean(share(spread, "fair", tenantClasses[0], crossed, all)))),
		report.AtMost("remote maps are less than 20 % of the traffic across racks", 20, 0, share(s, "fair", "", read, all),
			fmt.Sprintf("%.0f %% under Delay, and %.0f %% under Fair if a job's input lies in all racks in place of two. "+
				"Strict fairness makes the next user take a map slot wherever it is, and with input in two racks of ten "+
				"that is mostly elsewhere; input in more racks agrees with this table, but leaves less to gain, see "+
				"multitenant-thresholds",
				report.Mean(share(s, "delay", "", read, all)), report.Mean(share(spread, "fair", "", read, all)))))
	return nil
}

// tenantConcurrency are the three kinds of it: how many maps of a job run at once while any does, reduces likewise, and
// the percent of the time with maps in which reduces hold slots too.
var tenantConcurrency = []struct {
	name      string
	part, all func(*tenantJob) float64
	times     float64
}{
	{"maps at once", func(j *tenantJob) float64 { return j.mapTime }, func(j *tenantJob) float64 { return j.mapSpan }, 1},
	{"reduces at once", func(j *tenantJob) float64 { return j.reduceTime },
		func(j *tenantJob) float64 { return j.reduceSpan }, 1},
	{"maps beside reduces, %", func(j *tenantJob) float64 { return j.bothSpan },
		func(j *tenantJob) float64 { return j.mapSpan }, 100},
}

func tenantFig9(l *Lab, f *report.Figure) error {
	s := l.mainTenants()
	if err := l.run(s); err != nil {
		return err
	}
	l.describeTenants(f, "Fig. 9", s)
	f.YLabel = "relative to the baseline with the same fairness"
	for _, kind := range tenantConcurrency {
		f.Groups = append(f.Groups, kind.name)
	}
	for color, p := range []tenantPair{fairPair, delayPair, drfPair} {
		c := report.Curve{Name: p.String(), Style: report.Main, Color: color}
		for x, kind := range tenantConcurrency {
			of := func(policy string) []float64 {
				return scaledBy(relative(l.sums(s, policy, "", kind.part), l.sums(s, policy, "", kind.all)), kind.times)
			}
			a, b := of(p.watcher), of(p.base)
			c.Points = append(c.Points, report.Point{X: float64(x), Samples: relative(a, b)})
			if p != drfPair {
				f.Claims = append(f.Claims, report.AtMost(fmt.Sprintf("%s: lower concurrency, %s (change in %%)", p, kind.name), 0,
					0, changes(a, b),
					fmt.Sprintf("%.2f against %.2f, all jobs together; %s", report.Mean(a), report.Mean(b), whyConcurrency[x])))
			}
		}
		f.Curves = append(f.Curves, c)
	}
	return nil
}

// whyConcurrency is what decides each kind.
var whyConcurrency = []string{
	"SAMP gathers maps in few racks; a user's slots are as many as before and spread over more of its jobs",
	"SARP and NASS spread a user's reduce slots over more of its jobs",
	"NASS gives reduce slots to jobs without maps left first, and holds others back while their rack is saturated; " +
		"else reduces begin after the first map, where Fair and Delay wait for 5 % of the maps",
}

// tenantFig11 sorts the jobs of the steady time by what becomes of their turn-around.
func tenantFig11(l *Lab, f *report.Figure) error {
	s := l.mainTenants()
	if err := l.run(s); err != nil {
		return err
	}
	l.describeTenants(f, "Fig. 11", s)
	f.XLabel, f.YLabel = "jobs that arrive in the steady time, in percent, by change", "change of turn-around, %"
	for color, p := range []tenantPair{fairPair, delayPair, drfPair} {
		seeds := l.turnAroundChanges(s, p, func(*tenantJob) bool { return true })
		c := report.Curve{Name: p.String(), Style: report.Main, Color: 2 * color}
		for x := 5; x <= 95; x += 5 {
			point := report.Point{X: float64(x)}
			for _, v := range seeds {
				point.Samples = append(point.Samples, v[max(0, (len(v)*x+99)/100-1)])
			}
			c.Points = append(c.Points, point)
		}
		f.Curves = append(f.Curves, c)
		small := func(j *tenantJob) bool { return j.maps <= fewMaps }
		large := func(j *tenantJob) bool { return j.maps > fewMaps }
		share := func(of func(*tenantJob) bool) float64 { return report.Mean(improved(l.turnAroundChanges(s, p, of))) }
		f.Claims = append(f.Claims,
			report.AtLeast(fmt.Sprintf("%s: every job's turn-around improves (%% of the jobs)", p), 100, 0, improved(seeds),
				fmt.Sprintf("%.0f %% of the jobs with up to %d maps and %.0f %% of the others. The user who is next is the "+
					"same, but which of the user's jobs runs is not the first to arrive, and where jobs are put off for others of "+
					"their own user some must lose; with one run each, two schedules also differ by chance", share(small), fewMaps,
					share(large))),
			report.AtMost(fmt.Sprintf("%s: the median job's turn-around improves (change in %%)", p), 0, 0,
				named(f, p.String()).At(50), "half of the jobs gain at least that"))
	}
	return nil
}

// fewMaps tells small jobs apart: a tenth of what runs at once.
const fewMaps = 40

// turnAroundChanges are, by seed, the changes of jobs that arrive in the steady time, in percent, sorted.
func (l *Lab) turnAroundChanges(s scenario, p tenantPair, of func(*tenantJob) bool) [][]float64 {
	var list [][]float64
	for _, r := range l.memo[s.key()] {
		a, b := r[p.watcher].tenants, r[p.base].tenants
		var v []float64
		for j := range a {
			if s.steady(a[j].arrival) && of(&a[j]) && b[j].around() > 0 {
				v = append(v, 100*(a[j].around()/b[j].around()-1))
			}
		}
		if len(v) == 0 {
			v = []float64{0} // no such job: nothing changes
		}
		slices.Sort(v)
		list = append(list, v)
	}
	return list
}

// improved are the percent of changes below zero, one number a seed.
func improved(seeds [][]float64) []float64 {
	list := make([]float64, len(seeds))
	for i, v := range seeds {
		n, _ := slices.BinarySearch(v, 0)
		list[i] = 100 * float64(n) / float64(max(1, len(v)))
	}
	return list
}
