package experiment

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"mrsched/io/engine"
	"mrsched/io/report"
	"mrsched/io/show"
)

// The figures in the text on Fig. 8 and on the run on 16 nodes, in percent: throughput, turn-around, traffic.
var (
	publishedFair       = [3]float64{39, -27, -36}
	publishedDelay      = [3]float64{46, -32, -48}
	publishedSmallFair  = [3]float64{46, -32, -48}
	publishedSmallDelay = [3]float64{54, -38, -56}
)

// similarPoints is how many percentage points similar effects may differ by: our reading of the word.
const similarPoints = 10

func tenantFig8(f *figure) error {
	s, text := f.mainTenants(), f.asSubmitted("fair", "shufflewatcher", "delay", "sw-relaxed")
	if err := f.run(s, text); err != nil {
		return err
	}
	f.describeTenants(s)
	f.compareTenants(s, "", publishedFair, publishedDelay)
	f.normalised(f.under(s, drfPair.watcher), f.under(s, "drf"), tenantNames[drfPair.watcher], 4)
	for k, m := range tenantMetrics {
		drf, fair := f.change(s, drfPair, m.key), f.change(s, fairPair, m.key)
		c := f.near(fmt.Sprintf("%s improves %s about as SW-fair does against Fair (difference in points, tolerance %d)",
			drfPair, m.name, similarPoints), 0, similarPoints, drf.Minus(fair), "%+.1f %% against %+.1f %%", drf.Mean(),
			fair.Mean())
		if drf.Mean()*publishedFair[k] <= 0 {
			c.Verdict = report.Contradicted
		}
	}
	for k, m := range tenantMetrics {
		relaxed, strict := f.change(s, delayPair, m.key), f.change(s, fairPair, m.key)
		f.atLeast("relaxed fairness gains more in "+m.name+" than strict fairness: SW-relaxed over Delay less SW-fair over "+
			"Fair, in points", 0, 0, relaxed.Minus(strict).Times(math.Copysign(1, publishedFair[k])), "%+.1f %% against %+.1f "+
			"%%; published %+.0f %% against %+.0f %%", relaxed.Mean(), strict.Mean(), publishedDelay[k], publishedFair[k])
	}
	f.tenantCaveats(s)
	f.compareTenants(text, "as the text submits jobs, ", publishedFair, publishedDelay)
	return nil
}

// normalised draws a policy's three metrics as multiples of another's.
func (f *figure) normalised(r, by policyRuns, name string, color int) {
	f.line(fmt.Sprintf("%s, %s = 1", name, tenantNames[by.policy]), color, metricAxis,
		func(x float64) samples { return relative(r.metric(metricAt(x)), by.metric(metricAt(x))) })
}

// compareTenants draws both pairs and judges the published claims about them; how says what is special about the runs.
func (f *figure) compareTenants(s scenario, how string, stated ...[3]float64) {
	f.YLabel, f.Groups = "relative to the baseline with the same fairness", metricNames()
	pairs := []tenantPair{fairPair, delayPair}
	for i, p := range pairs {
		watcher, base := f.pair(s, p)
		f.normalised(watcher, base, how+tenantNames[p.watcher], 2*i)
		published := map[float64]float64{}
		for k, v := range stated[i] {
			published[float64(k)] = 1 + v/100
		}
		if how == "" {
			f.marks(p.String(), 2*i, published)
		}
	}
	f.normalised(f.under(s, "delay"), f.under(s, "fair"), how+tenantNames["delay"], 1)
	for i, p := range pairs {
		wins := slices.Repeat(samples{1}, len(f.seeds))
		for _, x := range tenantReadings {
			v := f.gain(s, p, x)
			for i := range v {
				if v[i]*stated[0][x.metric] <= 0 {
					wins[i] = 0
				}
			}
			f.effect(fmt.Sprintf("%s%s: %s", how, p, x.name), stated[i][x.metric], v, "%s", f.whyEffect(s, p, x))
		}
		f.everySeed(how+p.String()+": better in all three, however they are read", wins, "throughput higher in jobs and in "+
			"bytes, both turn-arounds and traffic lower")
	}
}

// whyEffect states the numbers behind a change.
func (l *Lab) whyEffect(s scenario, p tenantPair, x tenantReading) string {
	watcher, base := l.pair(s, p)
	a, b := x.of(watcher).Mean(), x.of(base).Mean()
	switch x.metric {
	case 0:
		if a > 1e6 {
			return fmt.Sprintf("%.2f against %.2f TB an hour, of jobs that end in the steady time", a/1e12, b/1e12)
		}
		return fmt.Sprintf("%.1f against %.1f jobs an hour end; a job that reads a terabyte counts as one that reads ten "+
			"megabytes", a, b)
	case 1:
		return fmt.Sprintf("%.0f against %.0f s", a, b)
	}
	percent := func(r policyRuns, part, whole string) float64 {
		return 100 * relative(r.metric(part), r.metric(whole)).Mean()
	}
	crossing := func(r policyRuns) float64 { return percent(r, "cross_rack_shuffle_bytes", "shuffle_bytes") }
	remote := func(r policyRuns) float64 { return percent(r, "cross_rack_map_bytes", "cross_rack_bytes") }
	return fmt.Sprintf("%.1f against %.1f TB; %.0f against %.0f %% of the shuffle crosses racks and remote maps are "+
		"%.0f against %.0f %% of the traffic. A user has %.1f unfinished jobs on average", a/1e12, b/1e12,
		crossing(watcher), crossing(base), remote(watcher), remote(base), watcher.openJobs().Mean())
}

// tenantCaveats judge what the paper does not state: the makespan, and whether strict fairness is strict.
func (f *figure) tenantCaveats(s scenario) {
	for _, p := range []tenantPair{fairPair, delayPair} {
		watcher, base := f.pair(s, p)
		a, b := watcher.costs(), base.costs()
		f.atMost(fmt.Sprintf("mrsched: %s, makespan (change in %%)", p), 0, 0, changes(a, b), "%.0f against %.0f s until "+
			"the last job ends", a.Mean(), b.Mean())
	}
	watcher, base := f.pair(s, fairPair)
	f.atMost("mrsched: SW-fair and Fair never start a task of a user while another one with fewer has one that waits "+
		"(unfair starts)", 0, 0, watcher.metric("unfair_starts").Plus(0).Minus(base.metric("unfair_starts").Times(-1)),
		"ties between users are broken by locality, and only ties")
}

// The paper's cluster of 16 nodes in four racks with the same 50 Mb/s a node between racks. It scales arrival rates,
// sizes and users down without saying how far: here rates and sizes, and the limit of reduces per job, such that both
// together are 16 % of the large cluster's, 0.4 each; and users such that each has 12 jobs as before.
const (
	smallShare   = 0.4
	smallNodes   = 16
	smallRacks   = 4
	smallUplink  = 200 // Mb/s of a rack
	smallUsers   = 12
	smallReduces = 29
	// smallIterations is how many iterations best makes: some 40 plans.
	smallIterations = 360
	// largeScale is the preset's input-scale, largeArrival its interarrival, largeUsers its users and largeJobs its jobs.
	largeScale, largeArrival, largeUsers, largeJobs = 0.36, 1.33333, 30, 360
)

// smallTenants is that cluster.
func (l *Lab) smallTenants(users int, policies ...string) scenario {
	return l.tenants(engine.Settings{"nodes": strconv.Itoa(smallNodes), "racks": strconv.Itoa(smallRacks),
		"uplink": strconv.Itoa(smallUplink), "users": strconv.Itoa(users), "interarrival": number(largeArrival / smallShare),
		"input-scale": number(largeScale * smallShare), "max-reduces": strconv.Itoa(smallReduces)}, nil, policies...)
}

func tenantSmall(f *figure) error {
	s := f.smallTenants(smallUsers, "fair", "shufflewatcher", "delay", "sw-relaxed")
	planned := f.smallTenants(smallUsers, "best")
	planned.bare, planned.iterations = false, smallIterations
	if err := f.run(s, planned); err != nil {
		return err
	}
	f.describeTenants(s)
	f.Parameters["iterations_of_best"] = smallIterations
	f.compareTenants(s, "", publishedSmallFair, publishedSmallDelay)
	best, fair, watcher := f.under(planned, "best"), f.under(s, "fair"), f.under(s, "shufflewatcher")
	f.normalised(best, fair, "best (ours, knows all)", 5)
	mean := func(r policyRuns, key string) float64 { return r.metric(key).Mean() }
	f.atMost("mrsched: best's makespan is no longer than SW-fair's (change in %)", 0, 0,
		changes(best.costs(), watcher.costs()), "%.0f against %.0f s with %d iterations; throughput %.1f against %.1f jobs "+
			"an hour, traffic %.2f against %.2f TB", best.costs().Mean(), watcher.costs().Mean(), smallIterations,
		mean(best, "jobs_per_hour"), mean(watcher, "jobs_per_hour"), mean(best, "cross_rack_bytes")/1e12,
		mean(watcher, "cross_rack_bytes")/1e12)
	bound := f.bounds(planned, "best")
	f.never("mrsched: no schedule ends before the certified bound (the bound over best's makespan)", 1,
		relative(bound, best.costs()), "SW-fair is at %.2f, Fair at %.2f times the bound",
		relative(watcher.costs(), bound).Mean(), relative(fair.costs(), bound).Mean())
	return nil
}

// fig14Jobs are the jobs per user; one per user was measured on 16 nodes.
var fig14Jobs = []float64{1, 9, 12, 18}

func tenantFig14a(f *figure) error {
	at := func(jobs float64) scenario {
		switch jobs {
		case 1:
			return f.smallTenants(10*largeJobs, "fair", "shufflewatcher")
		case largeJobs / largeUsers:
			return f.mainTenants()
		}
		return f.tenants(engine.Settings{"users": number(largeJobs / jobs)}, nil, "fair", "shufflewatcher")
	}
	if err := f.run(sweep(fig14Jobs, at)...); err != nil {
		return err
	}
	f.describeTenants(f.mainTenants(), "fair", "shufflewatcher")
	f.Parameters["jobs_a_user"] = fig14Jobs
	f.axes("jobs a user (1: on 16 nodes)", "SW-fair against Fair, change in %")
	for color, r := range tenantReadings {
		f.line(r.name, color, fig14Jobs, func(x float64) samples { return f.gain(at(x), fairPair, r) })
	}
	jobs, bytes, crossing := f.Curves[0], f.Curves[1], f.Curves[len(tenantReadings)-1]
	for _, n := range fig14Jobs {
		for _, c := range []report.Curve{jobs, bytes} {
			f.everySeed(fmt.Sprintf("%s rises over Fair with %s a user", c.Name, show.Counted(int(n), "job")), c.At(n),
				"%+.1f %% (%s); traffic %+.1f %%; the figure's own numbers are not in the text", c.At(n).Mean(),
				listed(c.At(n)), crossing.At(n).Mean())
		}
	}
	f.atLeast("mrsched: the more jobs a user has to choose from, the more traffic is saved (18 less 9 jobs a user, in "+
		"points)", 0, 0, crossing.At(9).Minus(crossing.At(18)), "%+.1f against %+.1f %%; one job a user leaves no choice "+
		"among jobs, only NASS's choice of when reduces begin", crossing.At(18).Mean(), crossing.At(9).Mean())
	return nil
}

// fig14Mixes are the paper's, light, medium and heavy, with what it gains in throughput.
var fig14Mixes = []struct {
	mix    string
	gained float64
}{{"20/20/60", 31}, {"40/20/40", 39}, {"60/20/20", 22}}

func tenantFig14b(f *figure) error {
	list := make([]scenario, len(fig14Mixes))
	published := map[float64]float64{}
	for k, x := range fig14Mixes {
		f.Groups = append(f.Groups, "mix "+x.mix)
		published[float64(k)] = 1 + x.gained/100
		if list[k] = f.tenants(engine.Settings{"mix": x.mix}, nil, "fair", "shufflewatcher"); k == 1 {
			list[k] = f.mainTenants()
		}
	}
	if err := f.run(list...); err != nil {
		return err
	}
	f.describeTenants(f.mainTenants(), "fair", "shufflewatcher")
	f.YLabel = "relative to Fair"
	for i, r := range tenantReadings {
		f.line(r.name, i, positions(len(list)), func(x float64) samples {
			return f.gain(list[int(x)], fairPair, r).Times(0.01).Plus(1)
		})
	}
	f.marks("throughput", 0, published)
	for _, r := range tenantReadings[:2] {
		gain := func(k int) samples { return f.gain(list[k], fairPair, r) }
		for k, x := range fig14Mixes {
			f.effect(r.name+" against Fair with light/medium/heavy jobs "+x.mix, x.gained, gain(k), "%s",
				f.whyEffect(list[k], fairPair, r))
		}
		for _, k := range []int{0, 2} {
			f.atLeast(r.name+": the default mix gains more than "+fig14Mixes[k].mix+" (in points)", 0, 0,
				gain(1).Minus(gain(k)), "%+.1f against %+.1f %%, published %+.0f against %+.0f; sizes stay the same, so that "+
					"more heavy jobs load the uplinks more and fewer leave them free", gain(1).Mean(), gain(k).Mean(),
				fig14Mixes[1].gained, fig14Mixes[k].gained)
		}
	}
	return nil
}

// thresholdSetting is one deviation of shufflewatcher from the defaults.
type thresholdSetting struct{ name, param, value string }

var (
	thresholdSettings = []thresholdSetting{
		{"saturation 0.75", "saturation", "0.75"}, {"saturation 0.9", "saturation", "0.9"}, neverSaturated,
		{"maps done 5 %", "maps-done", "0.05"}, {"maps done 25 %", "maps-done", "0.25"}}
	neverSaturated = thresholdSetting{"saturation 1", "saturation", "1"}
	shortWindow    = thresholdSetting{"window 60 s", "submission-window", "60"}
)

// insensitive is the largest change of throughput, in percent, over the paper's ranges of its thresholds.
const insensitive = 1.0

func tenantThresholds(f *figure) error {
	at := func(x thresholdSetting) scenario {
		return f.tenants(nil, engine.Settings{x.param: x.value}, "shufflewatcher")
	}
	main, spread := f.mainTenants(), f.spreadTenants()
	settings := append([]thresholdSetting{shortWindow}, thresholdSettings...)
	list := []scenario{main, spread}
	for _, x := range settings {
		list = append(list, at(x))
		f.Groups = append(f.Groups, x.name)
	}
	if err := f.run(list...); err != nil {
		return err
	}
	f.describeTenants(main, "shufflewatcher")
	f.YLabel = "relative to saturation 0.8, 15 % of the maps and 600 s"
	metric := func(x thresholdSetting, key string) samples { return f.metric(at(x), "shufflewatcher", key) }
	usual, fair := f.pair(main, fairPair)
	for i, m := range tenantMetrics {
		f.line(m.name, i, positions(len(settings)), func(x float64) samples {
			return relative(metric(settings[int(x)], m.key), usual.metric(m.key))
		})
	}
	key := tenantMetrics[0].key
	for _, x := range thresholdSettings {
		v := changes(metric(x, key), usual.metric(key))
		why := fmt.Sprintf("turn-around %+.1f %%; throughput %s %% by seed: one reduce that begins a second later gives "+
			"another schedule, and which jobs end within the window changes by chance", changes(metric(x, "turn_around"),
			usual.metric("turn_around")).Mean(), listed(v))
		if x == neverSaturated {
			why += "; traffic never exceeds all that an uplink carries, so that NASS holds nothing back"
		}
		f.hardly("throughput hardly depends on it: "+x.name+" against the default (change in %, less than 1)", v, why)
	}
	crossing := tenantMetrics[2].key
	saved := f.change(main, fairPair, crossing)
	cut, spreadSaved := changes(metric(shortWindow, crossing), fair.metric(crossing)), f.change(spread, fairPair, crossing)
	f.atMost("mrsched: one submission window for all jobs saves more traffic than windows of 60 s (over Fair, in points "+
		"more)", 0, 0, saved.Minus(cut), "%+.1f %% over Fair with the paper's 600 s, in which all jobs are submitted, "+
		"%+.1f %% with 60 s: users' jobs then run nearly in turn, and there is less to choose from", saved.Mean(),
		cut.Mean())
	f.atMost("mrsched: there is more traffic to save where a job's input lies in three racks than in all (over Fair, in "+
		"points more)", 0, 0, saved.Minus(spreadSaved), "%+.1f %% over Fair with three racks, %+.1f %% with all ten: there "+
		"every rack has local maps of every job, and SAMP would have to read from afar to gather them", saved.Mean(),
		spreadSaved.Mean())
	return nil
}

// hardly judges that a value changes by less than insensitive percent on average.
func (f *figure) hardly(claim string, v samples, why string) {
	c := f.near(claim, 0, insensitive, v, "%s; %s", interval(v, " %"), why)
	c.Verdict = report.Judge(v.Lies(-insensitive, insensitive))
}
