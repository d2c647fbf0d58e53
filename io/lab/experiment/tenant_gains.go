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

// What the text of Fig. 8 and of the run on 16 nodes says, in percent: throughput, turn-around, traffic.
var (
	publishedFair       = [3]float64{39, -27, -36}
	publishedDelay      = [3]float64{46, -32, -48}
	publishedSmallFair  = [3]float64{46, -32, -48}
	publishedSmallDelay = [3]float64{54, -38, -56}
)

// similarPoints are the percentage points by which effects may differ and be similar, our reading of the word.
const similarPoints = 10

func tenantFig8(f *figure) error {
	s := f.mainTenants()
	if err := f.run(s); err != nil {
		return err
	}
	f.describeTenants(s)
	f.compareTenants(s, publishedFair, publishedDelay)
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
			"%%; published %+.0f %% against %+.0f %%; part of what SW-fair gains, maps nearer to their input, Delay has already",
			relaxed.Mean(), strict.Mean(), publishedDelay[k], publishedFair[k])
	}
	f.tenantCaveats(s)
	return nil
}

// normalised draws a policy's three metrics as multiples of another's.
func (f *figure) normalised(r, by policyRuns, name string, color int) {
	f.line(fmt.Sprintf("%s, %s = 1", name, tenantNames[by.policy]), color, metricAxis,
		func(x float64) samples { return relative(r.metric(metricAt(x)), by.metric(metricAt(x))) })
}

// compareTenants draws both pairs and judges what is published of them.
func (f *figure) compareTenants(s scenario, stated ...[3]float64) {
	f.YLabel, f.Groups = "relative to the baseline with the same fairness", metricNames()
	pairs := []tenantPair{fairPair, delayPair}
	for i, p := range pairs {
		watcher, base := f.pair(s, p)
		f.normalised(watcher, base, tenantNames[p.watcher], 2*i)
		published := map[float64]float64{}
		for k, v := range stated[i] {
			published[float64(k)] = 1 + v/100
		}
		f.marks(p.String(), 2*i, published)
	}
	f.normalised(f.under(s, "delay"), f.under(s, "fair"), tenantNames["delay"], 1)
	for i, p := range pairs {
		wins := slices.Repeat(samples{1}, len(f.seeds))
		for k, m := range tenantMetrics {
			v := f.change(s, p, m.key)
			for i := range v {
				if v[i]*stated[0][k] <= 0 {
					wins[i] = 0
				}
			}
			f.effect(fmt.Sprintf("%s: %s", p, m.name), stated[i][k], v, "%s", f.whyEffect(s, p, m))
		}
		watcher, base := f.pair(s, p)
		f.everySeed(p.String()+": better in all three", wins, "throughput higher, turn-around and traffic lower; %.1f "+
			"against %.1f jobs an hour. The signs depend on where input lies and on the submission window, both chosen, see "+
			"multitenant-thresholds", watcher.metric("jobs_per_hour").Mean(), base.metric("jobs_per_hour").Mean())
	}
}

// whyEffect states the numbers behind a change and why it is not larger.
func (l *Lab) whyEffect(s scenario, p tenantPair, m tenantMetric) string {
	watcher, base := l.pair(s, p)
	a, b := watcher.metric(m.key).Mean(), base.metric(m.key).Mean()
	switch m.key {
	case "jobs_per_hour":
		return fmt.Sprintf("%.1f against %.1f jobs an hour; in input that those have read %+.0f %%: what goes beyond that "+
			"is the number of small jobs that no longer wait for large ones of their user", a, b,
			l.change(s, p, "input_bytes_per_hour").Mean())
	case "turn_around":
		return fmt.Sprintf("%.0f against %.0f s, of the jobs that end in the steady time", a, b)
	}
	percent := func(r policyRuns, part, whole string) float64 {
		return 100 * relative(r.metric(part), r.metric(whole)).Mean()
	}
	crossing := func(r policyRuns) float64 { return percent(r, "cross_rack_shuffle_bytes", "shuffle_bytes") }
	remote := func(r policyRuns) float64 { return percent(r, "cross_rack_map_bytes", "cross_rack_bytes") }
	why := "Strict fairness hands out every slot that comes free (the paper's lines 6, 9, 15 and 18), so that SAMP and " +
		"SARP get their racks only as far as the user has such a task by then; with more jobs a user there is more to gain " +
		"(multitenant-fig14a)"
	if p == delayPair {
		why = "Waiting for five seconds helps the shuffle, but a slot in the right rack often takes longer to come free"
	}
	return fmt.Sprintf("%.1f against %.1f TB; %.0f against %.0f %% of the shuffle crosses racks and remote maps are "+
		"%.0f against %.0f %% of the traffic. A user has %.1f unfinished jobs on average. %s", a/1e12, b/1e12,
		crossing(watcher), crossing(base), remote(watcher), remote(base), watcher.openJobs().Mean(), why)
}

// tenantCaveats judge what the paper's metrics leave out: jobs that do not end in the steady time count for neither
// throughput nor turn-around.
func (f *figure) tenantCaveats(s scenario) {
	for _, p := range []tenantPair{fairPair, delayPair} {
		watcher, base := f.pair(s, p)
		a, b := watcher.arrivalsAround(), base.arrivalsAround()
		f.atMost(fmt.Sprintf("mrsched: %s, turn-around of all jobs that arrive in the steady time, whenever they end "+
			"(change in %%)", p), 0, 0, changes(a, b), "%.0f against %.0f s: without the jobs that had not ended, turn-around "+
			"flatters whoever puts large ones off", a.Mean(), b.Mean())
		a, b = watcher.costs(), base.costs()
		f.atMost(fmt.Sprintf("mrsched: %s, makespan (change in %%)", p), 0, 0, changes(a, b), "%.0f against %.0f s until "+
			"the last job ends", a.Mean(), b.Mean())
		f.atLeast(fmt.Sprintf("mrsched: %s, input that ended jobs have read (change in %%)", p), 0, 0,
			f.change(s, p, "input_bytes_per_hour"), "throughput by bytes, not by jobs")
	}
}

// The paper's cluster of 16 nodes in four racks with the same 50 Mb/s a node between racks. It scales arrival rates,
// sizes and users down without saying how far: here rates and sizes, and the limit of reduces a job, such that both
// together are 16 % of the large cluster's, 0.4 each; and users such that each has 12 jobs in four hours as before.
const (
	smallShare   = 0.4
	smallNodes   = 16
	smallRacks   = 4
	smallUplink  = 200 // Mb/s of a rack
	smallUsers   = 12
	smallReduces = 29
	// smallIterations is how many iterations best makes: some 40 plans.
	smallIterations = 360
	// largeScale is the preset's input-scale, largeArrival its interarrival, largeUsers its users and largeJobs the jobs
	// of its four hours.
	largeScale, largeArrival, largeUsers, largeJobs = 0.18, 40, 30, 360
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
	f.compareTenants(s, publishedSmallFair, publishedSmallDelay)
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

// fig14Jobs are the jobs a user in four hours; one a user was measured on 16 nodes.
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
	f.axes("jobs a user in four hours (1: on 16 nodes)", "SW-fair against Fair, change in %")
	for color, m := range tenantMetrics {
		f.line(m.name, color, fig14Jobs, func(x float64) samples { return f.change(at(x), fairPair, m.key) })
	}
	gain, around, crossing := f.Curves[0], f.Curves[1], f.Curves[2]
	for _, n := range fig14Jobs {
		watcher, base := f.pair(at(n), fairPair)
		f.everySeed(fmt.Sprintf("throughput rises over Fair with %s a user", show.Counted(int(n), "job")), gain.At(n),
			"%+.1f %% (%s); turn-around %+.1f %%, traffic %+.1f %%; %.1f against %.1f jobs an hour; the figure's own numbers "+
				"are not in the text", gain.At(n).Mean(), listed(gain.At(n)), around.At(n).Mean(), crossing.At(n).Mean(),
			watcher.metric("jobs_per_hour").Mean(), base.metric("jobs_per_hour").Mean())
	}
	f.atLeast("mrsched: the more jobs a user has to choose from, the more is gained (18 less 9 jobs a user, in points)", 0,
		0, gain.At(18).Minus(gain.At(9)), "one job a user leaves no choice among jobs, only NASS's choice of when "+
			"reduces begin")
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
	for i, m := range tenantMetrics {
		f.line(m.name, i, positions(len(list)), func(x float64) samples {
			return f.change(list[int(x)], fairPair, m.key).Times(0.01).Plus(1)
		})
	}
	f.marks("throughput", 0, published)
	throughput := tenantMetrics[0]
	gain := func(k int) samples { return f.change(list[k], fairPair, throughput.key) }
	for k, x := range fig14Mixes {
		f.effect("throughput against Fair with light/medium/heavy jobs "+x.mix, x.gained, gain(k), "%s",
			f.whyEffect(list[k], fairPair, throughput))
	}
	for _, k := range []int{0, 2} {
		f.atLeast("the default mix gains more than "+fig14Mixes[k].mix+" (in points)", 0, 0, gain(1).Minus(gain(k)),
			"%+.1f against %+.1f %%, published %+.0f against %+.0f; sizes stay the same, so that more heavy jobs load the "+
				"uplinks more and fewer leave them free", gain(1).Mean(), gain(k).Mean(), fig14Mixes[1].gained,
			fig14Mixes[k].gained)
	}
	return nil
}

// thresholdSetting is one setting of shufflewatcher beside the defaults.
type thresholdSetting struct{ name, param, value string }

var (
	thresholdSettings = []thresholdSetting{
		{"saturation 0.75", "saturation", "0.75"}, {"saturation 0.9", "saturation", "0.9"}, neverSaturated,
		{"maps done 5 %", "maps-done", "0.05"}, {"maps done 25 %", "maps-done", "0.25"}}
	neverSaturated = thresholdSetting{"saturation 1", "saturation", "1"}
	shortWindow    = thresholdSetting{"window 600 s", "submission-window", "600"}
)

// insensitive is by how many percent throughput changes at most over the paper's ranges of its thresholds.
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
	f.YLabel = "relative to saturation 0.8, 15 % of the maps and 7200 s"
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
	long, short := f.change(main, fairPair, key), changes(metric(shortWindow, key), fair.metric(key))
	f.atLeast("mrsched: a submission window of 7200 s gains more than one of 600 s (throughput over Fair, in points)", 0,
		0, long.Minus(short), "%+.1f %% over Fair with 7200 s, %+.1f %% with the paper's 600 s, in which a user submits "+
			"half a job: they run in turn, and there is next to nothing to choose from. The paper calls the window some "+
			"multiple of the average job completion time, which here is %.0f s", long.Mean(), short.Mean(),
		fair.metric("turn_around").Mean())
	gain := func(s scenario, k int) samples { return f.change(s, fairPair, tenantMetrics[k].key) }
	f.atLeast("mrsched: there is more to gain where a job's input lies in two racks than in all (throughput over Fair, "+
		"in points)", 0, 0, long.Minus(gain(spread, 0)), "%+.1f %% over Fair with two racks, %+.1f %% with all ten "+
		"(turn-around %+.1f and %+.1f %%, traffic %+.1f and %+.1f %%): there every rack has local maps of every job, and "+
		"SAMP would have to read from afar to gather them", long.Mean(), gain(spread, 0).Mean(), gain(main, 1).Mean(),
		gain(spread, 1).Mean(), gain(main, 2).Mean(), gain(spread, 2).Mean())
	return nil
}

// hardly judges that something changes by less than insensitive percent on average.
func (f *figure) hardly(claim string, v samples, why string) {
	c := f.near(claim, 0, insensitive, v, "%s; %s", interval(v, " %"), why)
	c.Verdict = report.Judge(v.Lies(-insensitive, insensitive))
}
