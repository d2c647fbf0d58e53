package experiment

import (
	"cmp"
	"fmt"
	"slices"

	"mrsched/instances"
	"mrsched/io/engine"
	"mrsched/io/report"
	"mrsched/model"
	"mrsched/model/multitenant"
)

// tenantJob is the outcome of a job, in seconds and bytes.
type tenantJob struct {
	class                            string
	arrival, end                     float64
	shuffled, crossed, read          float64 // written by maps; of that, across racks; read by maps across racks
	mapTime, mapSpan                 float64 // of maps together; in which at least one runs
	reduceTime, reduceSpan, bothSpan float64
}

// around is the turn-around.
func (j *tenantJob) around() float64 { return j.end - j.arrival }

// tenantSpan is when a task runs.
type tenantSpan struct{ from, until model.Time }

// readTenantJobs reads a schedule job by job.
func readTenantJobs(w *model.Workload, in *multitenant.Instance, s *model.Schedule) []tenantJob {
	classes := map[string]string{}
	for _, x := range instances.Benchmarks() {
		classes[x.Name] = x.Class
	}
	list, spans := make([]tenantJob, in.Jobs), make([][2][]tenantSpan, in.Jobs)
	f := in.Flows(s)
	ends, _ := in.Ends(s)
	for i := range s.Entries {
		e := &s.Entries[i]
		t := int32(e.Task)
		j, kind := in.JobOf(t), in.KindOf(t)
		spans[j][kind] = append(spans[j][kind], tenantSpan{e.Start, e.End})
		if kind == model.Map {
			if in.Locality(t, in.WorkerOf[e.Machine]) == model.Remote {
				list[j].read += float64(in.Input[t])
			}
		}
	}
	for j := range list {
		x := &list[j]
		x.class, x.arrival, x.end = classes[w.Jobs[j].Class], in.Arrival[j].Seconds(), ends[j].Seconds()
		x.shuffled = float64(in.Shuffled[j])
		x.crossed, _ = f.Crossing(int32(j)).Float64()
		x.mapTime, x.mapSpan = covered(spans[j][model.Map])
		x.reduceTime, x.reduceSpan = covered(spans[j][model.Reduce])
		_, either := covered(slices.Concat(spans[j][model.Map], spans[j][model.Reduce]))
		x.bothSpan = x.mapSpan + x.reduceSpan - either
	}
	return list
}

// covered is how long spans are together, and how long their union is, in seconds. It sorts them.
func covered(list []tenantSpan) (sum, union float64) {
	slices.SortFunc(list, func(a, b tenantSpan) int { return cmp.Compare(a.from, b.from) })
	total, span, last := model.Time(0), model.Time(0), model.Time(0)
	for _, x := range list {
		total += x.until - x.from
		if x.until > last {
			span += x.until - max(x.from, last)
			last = x.until
		}
	}
	return total.Seconds(), span.Seconds()
}

// sum adds up a value over the jobs of a class.
func (r policyRuns) sum(class string, what func(*tenantJob) float64) samples {
	return r.l.each(r.s, r.policy, func(x reading) (sum float64) {
		for k := range x.tenants {
			if j := &x.tenants[k]; class == allClasses || j.class == class {
				sum += what(j)
			}
		}
		return sum
	})
}

// done counts jobs of a class that end in the steady time.
func (r policyRuns) done(class string) samples {
	return r.sum(class, func(j *tenantJob) float64 {
		if r.s.steady(j.end) {
			return 1
		}
		return 0
	})
}

// around is the mean turn-around of all jobs, whenever they end.
func (r policyRuns) around() samples {
	return r.l.each(r.s, r.policy, func(x reading) (mean float64) {
		for k := range x.tenants {
			mean += x.tenants[k].around() / float64(len(x.tenants))
		}
		return mean
	})
}

// The parts of a job's traffic.
var (
	shuffled = func(j *tenantJob) float64 { return j.shuffled }
	crossed  = func(j *tenantJob) float64 { return j.crossed }
	read     = func(j *tenantJob) float64 { return j.read }
	traffic  = func(j *tenantJob) float64 { return j.crossed + j.read }
)

// tenantTable3 splits what all jobs shuffle and read under fair by class.
func tenantTable3(f *figure) {
	f.Groups = classNames
	fair := f.under(f.mainTenants(), "fair")
	for color, part := range []func(*tenantJob) float64{shuffled, crossed, read} {
		f.line([]string{"shuffle", "shuffle across racks", "remote maps"}[color], color, classAxis,
			func(x float64) samples { return fair.sum(classOf(x), part).Times(1e-12) })
	}
	share := func(class string, part, whole func(*tenantJob) float64) samples {
		return relative(fair.sum(class, part), fair.sum(allClasses, whole)).Times(100)
	}
	heavy := tenantClasses[0]
	f.claim("most of the shuffle crosses racks (in %, about 90)", near(90, 3), share(allClasses, crossed, shuffled))
	f.claim("of what heavy, medium and light jobs shuffle across racks, heavy ones have more than 75 %", atLeast(75, 0),
		share(heavy, crossed, crossed))
	f.claim("of all traffic across racks, the shuffle of heavy jobs is more than 75 %", atLeast(75, 0),
		share(heavy, crossed, traffic))
	f.claim("remote maps are less than 20 % of the traffic across racks", atMost(20, 0), share(allClasses, read, traffic))
}

// tenantConcurrency are the three kinds of concurrency: how many maps of a job run at once while any does, reduces
// likewise, and the percent of the time with maps in which reduces hold slots too.
var tenantConcurrency = []struct {
	name        string
	part, whole func(*tenantJob) float64
	times       float64
}{
	{"maps at once", func(j *tenantJob) float64 { return j.mapTime }, func(j *tenantJob) float64 { return j.mapSpan }, 1},
	{"reduces at once", func(j *tenantJob) float64 { return j.reduceTime },
		func(j *tenantJob) float64 { return j.reduceSpan }, 1},
	{"maps beside reduces, %", func(j *tenantJob) float64 { return j.bothSpan },
		func(j *tenantJob) float64 { return j.mapSpan }, 100},
}

func tenantFig9(f *figure) {
	for _, kind := range tenantConcurrency {
		f.Groups = append(f.Groups, kind.name)
	}
	for color, p := range []tenantPair{fairPair, delayPair, drfPair} {
		watcher, base := f.pair(f.mainTenants(), p)
		f.line(p.String(), color, positions(len(f.Groups)), func(x float64) samples {
			kind := tenantConcurrency[int(x)]
			of := func(r policyRuns) samples {
				return relative(r.sum(allClasses, kind.part), r.sum(allClasses, kind.whole)).Times(kind.times)
			}
			a, b := of(watcher), of(base)
			if p != drfPair {
				f.change(fmt.Sprintf("%s: lower concurrency, %s (change in %%)", p, kind.name), atMost(0, 0), a, b)
			}
			return relative(a, b)
		})
	}
}

// tenantFig11 sorts all jobs by the change of their turn-around.
func tenantFig11(f *figure) {
	for color, p := range []tenantPair{fairPair, delayPair, drfPair} {
		seeds := f.turnAroundChanges(f.mainTenants(), p)
		c := f.line(p.String(), 2*color, steps(5, 5, 95), func(x float64) (list samples) {
			for _, v := range seeds {
				list = append(list, v[max(0, (len(v)*int(x)+99)/100-1)])
			}
			return list
		})
		f.claim(fmt.Sprintf("%s: every job's turn-around improves (%% of the jobs)", p), atLeast(100, 0), improved(seeds))
		f.claim(fmt.Sprintf("%s: the median job's turn-around improves (change in %%)", p), atMost(0, 0), c.At(50))
	}
}

// turnAroundChanges are, by seed, the changes of jobs, in percent, sorted. A seed without a job has one that does not
// change.
func (l *Lab) turnAroundChanges(s scenario, p tenantPair) (list []samples) {
	watched, base := l.readings(s, p.watcher, false), l.readings(s, p.base, false)
	for i := range watched {
		a, b := watched[i].tenants, base[i].tenants
		var v samples
		for j := range a {
			if b[j].around() > 0 {
				v = append(v, 100*(a[j].around()/b[j].around()-1))
			}
		}
		if v == nil {
			v = samples{0}
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
		list[i] = 100 * float64(n) / float64(len(v))
	}
	return list
}

// tenantPart is ShuffleWatcher with only some of its parts.
type tenantPart struct {
	name string
	policyRuns
}

// parts are NASS alone, with SARP, and with SAMP too (SARP needs NASS, and SAMP needs both), and fair.
func (f *figure) parts() (list []tenantPart, fair policyRuns) {
	f.Groups = classNames
	main, watcher := f.mainTenants(), fairPair.watcher
	without := func(part string) policyRuns {
		return f.under(f.tenants(nil, engine.Settings{"without": part}), watcher)
	}
	return []tenantPart{{"NASS", without("sarp")}, {"NASS and SARP", without("samp")},
		{"all three", f.under(main, watcher)}}, f.under(main, fairPair.base)
}

func tenantFig12(f *figure) {
	parts, fair := f.parts()
	rel := make([][]samples, len(parts)) // by part, by class
	for k, p := range parts {
		c := f.line(p.name, k, classAxis, func(x float64) samples {
			return relative(p.done(classOf(x)), fair.done(classOf(x)))
		})
		for _, p := range c.Points {
			rel[k] = append(rel[k], p.Samples)
		}
	}
	steps := tenantSteps(rel)
	total := func(x int) samples { return rel[len(rel)-1][x].Plus(-1).Times(100) }
	all := len(tenantClasses)
	f.claim("all three raise the throughput of all jobs over Fair", effect(fairPair.published[0]), total(all))
	for k, name := range []string{"NASS", "SARP", "SAMP"} {
		least := slices.MinFunc(steps[k][:all], func(a, b samples) int { return cmp.Compare(a.Mean(), b.Mean()) })
		f.claim(fmt.Sprintf("%s contributes significantly for each class of jobs (least of the three, in points; at "+
			"least 1)", name), atLeast(1, 0), least)
	}
	f.byRank("the improvement grows from shuffle-heavy over medium to shuffle-light jobs", total)
	f.byRank("and so does NASS's contribution", func(x int) samples { return steps[0][x] })
	first, whole := steps[0][all].Mean(), total(all).Mean()
	f.claim("NASS brings more than 40 % of the improvement", atLeast(40, 0), samples{100 * first / max(1e-9, whole)})
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
	f.rising(claim, newCurve("", report.Main, 0, positions(len(tenantClasses)),
		func(x float64) samples { return of(int(x)) }))
}

// The figures in the text on Fig. 13, in percent: heavy, medium, light, all.
var (
	publishedSARP = []float64{-16, -13, -4, -15}
	publishedSAMP = []float64{-38, -23, -4, -36}
)

// tenantFig13 lets traffic change by three percent without counting as reduced. Remote maps are allowed two points.
func tenantFig13(f *figure) {
	parts, fair := f.parts()
	shown := append([]tenantPart{{tenantNames[fairPair.base], fair}}, parts...)
	for color, p := range shown {
		f.line("shuffle, "+p.name, color, classAxis, func(x float64) samples {
			return relative(p.sum(classOf(x), crossed), fair.sum(classOf(x), traffic))
		})
	}
	remote := func(r policyRuns, x float64) samples {
		return relative(r.sum(classOf(x), read), fair.sum(classOf(x), traffic))
	}
	for color, p := range shown {
		f.dashed("remote maps, "+p.name, color, classAxis, func(x float64) samples { return remote(p.policyRuns, x) })
	}
	judge := func(claim string, by judge, k int, class string, what func(*tenantJob) float64) {
		f.change(claim, by, parts[k].sum(class, what), fair.sum(class, what))
	}
	judge("NASS alone does not reduce traffic (change in %, tolerance 3)", near(0, 3), 0, allClasses, traffic)
	for x, class := range classNames {
		judge(fmt.Sprintf("NASS and SARP, traffic of %s jobs against Fair", class), effect(publishedSARP[x]), 1, class,
			traffic)
	}
	for x, class := range classNames {
		what, name := crossed, "shuffle across racks"
		if class == allClasses {
			what, name = traffic, "traffic"
		}
		judge(fmt.Sprintf("all three, %s of %s jobs against Fair", name, class), effect(publishedSAMP[x]), 2, class, what)
	}
	f.minus("SAMP raises remote maps of heavy jobs a little (in % of their traffic under Fair, tolerance 2)", near(3, 2),
		remote(parts[2].policyRuns, 0).Times(100), remote(parts[1].policyRuns, 0).Times(100))
}
