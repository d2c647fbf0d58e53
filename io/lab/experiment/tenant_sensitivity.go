package experiment

import (
	"fmt"
	"strconv"

	"mrsched/io/engine"
	"mrsched/io/report"
	"mrsched/io/show"
)

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
		"uplink": strconv.Itoa(smallUplink), "users": strconv.Itoa(users),
		"interarrival": number(largeArrival / smallShare), "input-scale": number(largeScale * smallShare),
		"max-reduces": strconv.Itoa(smallReduces)}, nil, policies...)
}

func tenantSmall(l *Lab, f *report.Figure) error {
	s := l.smallTenants(smallUsers, "fair", "shufflewatcher", "delay", "sw-relaxed")
	planned := l.smallTenants(smallUsers, "best")
	planned.bare, planned.iterations = false, smallIterations
	if err := l.run(s, planned); err != nil {
		return err
	}
	l.describeTenants(f, "§5, run on 16 nodes", s)
	f.Parameters["iterations_of_best"] = smallIterations
	l.compareTenants(f, s, []tenantPair{fairPair, delayPair}, [][3]float64{publishedSmallFair, publishedSmallDelay})
	c := report.Curve{Name: "best (ours, knows all), Fair = 1", Style: report.Main, Color: 5}
	for k, m := range tenantMetrics {
		c.Points = append(c.Points, report.Point{X: float64(k), Samples: relative(l.metric(planned, "best", m.key),
			l.metric(s, "fair", m.key))})
	}
	f.Curves = append(f.Curves, c)
	makespan, bound := l.costs(planned, "best"), l.bounds(planned, "best")
	f.Claims = append(f.Claims,
		report.AtMost("mrsched: best's makespan is no longer than SW-fair's (change in %)", 0, 0,
			changes(makespan, l.costs(s, "shufflewatcher")),
			fmt.Sprintf("%.0f against %.0f s with %d iterations; throughput %.1f against %.1f jobs an hour, traffic %.2f "+
				"against %.2f TB", report.Mean(makespan), report.Mean(l.costs(s, "shufflewatcher")), smallIterations,
				report.Mean(l.metric(planned, "best", "jobs_per_hour")), report.Mean(l.metric(s, "shufflewatcher",
					"jobs_per_hour")),
				report.Mean(l.metric(planned, "best", "cross_rack_bytes"))/1e12, report.Mean(l.metric(s, "shufflewatcher",
					"cross_rack_bytes"))/1e12)),
		report.AtLeast("mrsched: no schedule ends before the certified bound (best's makespan over it)", 1, 0,
			relative(makespan, bound),
			fmt.Sprintf("SW-fair is at %.2f, Fair at %.2f times the bound", report.Mean(relative(l.costs(s, "shufflewatcher"),
				bound)), report.Mean(relative(l.costs(s, "fair"), bound)))))
	return nil
}

// fig14Jobs are the jobs a user in four hours; one a user was measured on 16 nodes.
var fig14Jobs = []int{1, 9, 12, 18}

func tenantFig14a(l *Lab, f *report.Figure) error {
	at := func(jobs int) scenario {
		switch jobs {
		case 1:
			return l.smallTenants(10*largeJobs, "fair", "shufflewatcher")
		case largeJobs / largeUsers:
			return l.mainTenants()
		}
		return l.tenants(engine.Settings{"users": strconv.Itoa(largeJobs / jobs)}, nil, "fair", "shufflewatcher")
	}
	var list []scenario
	for _, n := range fig14Jobs {
		list = append(list, at(n))
	}
	if err := l.run(list...); err != nil {
		return err
	}
	l.describeTenants(f, "Fig. 14(a)", l.mainTenants())
	f.Parameters["algorithms"], f.Parameters["jobs_a_user"] = []string{"fair", "shufflewatcher"}, fig14Jobs
	f.XLabel, f.YLabel = "jobs a user in four hours (1: on 16 nodes)", "SW-fair against Fair, change in %"
	for color, m := range tenantMetrics {
		f.Curves = append(f.Curves, curveOver(m.name, report.Main, color, floats(fig14Jobs),
			func(x float64) []float64 { return l.change(at(int(x)), fairPair, m.key) }))
	}
	gain := f.Curves[0]
	for _, n := range fig14Jobs {
		s := at(n)
		f.Claims = append(f.Claims, everySeed(fmt.Sprintf("throughput rises over Fair with %s a user",
			show.Counted(n, "job")),
			gain.At(float64(n)),
			fmt.Sprintf("%+.1f %% (%s); turn-around %+.1f %%, traffic %+.1f %%; %.1f against %.1f jobs an hour; the figure's "+
				"own numbers are not in the text", report.Mean(gain.At(float64(n))),
				listed(gain.At(float64(n))), report.Mean(f.Curves[1].At(float64(n))), report.Mean(f.Curves[2].At(float64(n))),
				report.Mean(l.metric(s, "shufflewatcher", "jobs_per_hour")), report.Mean(l.metric(s, "fair", "jobs_per_hour")))))
	}
	f.Claims = append(f.Claims, report.AtLeast("mrsched: the more jobs a user has to choose from, the more is gained "+
		"(18 less 9 jobs a user, in points)", 0, 0,
		report.Difference(gain.At(18), gain.At(9)), "one job a user leaves no choice among jobs, only NASS's choice of "+
			"when reduces begin"))
	return nil
}

// fig14Mixes are the paper's, light, medium and heavy, with what it gains in throughput.
var fig14Mixes = []struct {
	mix    string
	gained float64
}{{"20/20/60", 31}, {"40/20/40", 39}, {"60/20/20", 22}}

func tenantFig14b(l *Lab, f *report.Figure) error {
	list := make([]scenario, len(fig14Mixes))
	for k, x := range fig14Mixes {
		if list[k] = l.tenants(engine.Settings{"mix": x.mix}, nil, "fair", "shufflewatcher"); k == 1 {
			list[k] = l.mainTenants()
		}
	}
	if err := l.run(list...); err != nil {
		return err
	}
	l.describeTenants(f, "Fig. 14(b)", l.mainTenants())
	f.Parameters["algorithms"] = []string{"fair", "shufflewatcher"}
	f.YLabel = "relative to Fair"
	curves := make([]report.Curve, len(tenantMetrics))
	stated := report.Curve{Name: "throughput, published", Style: report.Published}
	for k, x := range fig14Mixes {
		f.Groups = append(f.Groups, "mix "+x.mix)
		stated.Points = append(stated.Points, report.Point{X: float64(k), Samples: []float64{1 + x.gained/100}})
		for i, m := range tenantMetrics {
			curves[i].Name, curves[i].Style, curves[i].Color = m.name, report.Main, i
			curves[i].Points = append(curves[i].Points, report.Point{X: float64(k),
				Samples: plus(scaledBy(l.change(list[k], fairPair, m.key), 0.01), 1)})
		}
		f.Claims = append(f.Claims, effect("throughput against Fair with light/medium/heavy jobs "+x.mix, x.gained,
			l.change(list[k], fairPair, tenantMetrics[0].key), l.whyEffect(list[k], fairPair, tenantMetrics[0])))
	}
	f.Curves = append(append(f.Curves, curves...), stated)
	middle := l.change(list[1], fairPair, tenantMetrics[0].key)
	for _, k := range []int{0, 2} {
		f.Claims = append(f.Claims, report.AtLeast("the default mix gains more than "+fig14Mixes[k].mix+" (in points)", 0, 0,
			report.Difference(middle, l.change(list[k], fairPair, tenantMetrics[0].key)),
			fmt.Sprintf("%+.1f against %+.1f %%, published %+.0f against %+.0f; sizes stay the same, so that more heavy jobs "+
				"load the uplinks more and fewer leave them free", report.Mean(middle),
				report.Mean(l.change(list[k], fairPair, tenantMetrics[0].key)), fig14Mixes[1].gained, fig14Mixes[k].gained)))
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

func tenantThresholds(l *Lab, f *report.Figure) error {
	at := func(x thresholdSetting) scenario {
		return l.tenants(nil, engine.Settings{x.param: x.value}, "shufflewatcher")
	}
	base, spread := l.mainTenants(), l.spreadTenants()
	list := []scenario{base, spread, at(shortWindow)}
	for _, x := range thresholdSettings {
		list = append(list, at(x))
	}
	if err := l.run(list...); err != nil {
		return err
	}
	l.describeTenants(f, "§3.1, §3.3 and §4", base)
	f.Parameters["algorithms"] = []string{"shufflewatcher"}
	f.YLabel = "relative to saturation 0.8, 15 % of the maps and 7200 s"
	curves := make([]report.Curve, len(tenantMetrics))
	key := tenantMetrics[0].key
	for k, x := range append([]thresholdSetting{shortWindow}, thresholdSettings...) {
		f.Groups = append(f.Groups, x.name)
		for i, m := range tenantMetrics {
			curves[i].Name, curves[i].Style, curves[i].Color = m.name, report.Main, i
			curves[i].Points = append(curves[i].Points, report.Point{X: float64(k),
				Samples: relative(l.metric(at(x), "shufflewatcher", m.key), l.metric(base, "shufflewatcher", m.key))})
		}
	}
	f.Curves = append(f.Curves, curves...)
	for _, x := range thresholdSettings {
		v := changes(l.metric(at(x), "shufflewatcher", key), l.metric(base, "shufflewatcher", key))
		why := fmt.Sprintf("turn-around %+.1f %%; throughput %s %% by seed: one reduce that begins a second later gives "+
			"another schedule, and which jobs end within the window changes by chance",
			report.Mean(changes(l.metric(at(x), "shufflewatcher", "turn_around"),
				l.metric(base, "shufflewatcher", "turn_around"))), listed(v))
		if x == neverSaturated {
			why += "; traffic never exceeds all that an uplink carries, so that NASS holds nothing back"
		}
		f.Claims = append(f.Claims, hardly("throughput hardly depends on it: "+x.name+" against the default (change in %, "+
			"less than 1)", v, why))
	}
	short := l.metric(at(shortWindow), "shufflewatcher", key)
	fair := l.metric(base, "fair", key)
	f.Claims = append(f.Claims, report.AtLeast("mrsched: a submission window of 7200 s gains more than one of 600 s "+
		"(throughput over Fair, in points)", 0, 0,
		report.Difference(changes(l.metric(base, "shufflewatcher", key), fair), changes(short, fair)),
		fmt.Sprintf("%+.1f %% over Fair with 7200 s, %+.1f %% with the paper's 600 s, in which a user submits half a job: "+
			"they run in turn, and there is next to nothing to choose from. The paper "+
			"calls the window some multiple of the average job completion time, which here is %.0f s",
			report.Mean(changes(l.metric(base, "shufflewatcher", key), fair)), report.Mean(changes(short, fair)),
			report.Mean(l.metric(base, "fair", "turn_around")))),
		report.AtLeast("mrsched: there is more to gain where a job's input lies in two racks than in all (throughput over "+
			"Fair, in points)", 0, 0,
			report.Difference(l.change(base, fairPair, key), l.change(spread, fairPair, key)),
			fmt.Sprintf("%+.1f %% over Fair with two racks, %+.1f %% with all ten (turn-around %+.1f and %+.1f %%, traffic "+
				"%+.1f and %+.1f %%): there every rack has local maps of every job, and SAMP would have to read "+
				"from afar to gather them", report.Mean(l.change(base, fairPair, key)),
				report.Mean(l.change(spread, fairPair, key)), report.Mean(l.change(base, fairPair, "turn_around")),
				report.Mean(l.change(spread, fairPair, "turn_around")), report.Mean(l.change(base, fairPair, "cross_rack_bytes")),
				report.Mean(l.change(spread, fairPair, "cross_rack_bytes")))))
	return nil
}

// hardly judges that something changes by less than insensitive percent: on average; contradicted where the confidence
// interval of the mean says otherwise.
func hardly(claim string, v []float64, why string) report.Claim {
	c := report.Near(claim, 0, insensitive, v, why)
	low, high := confidence(v)
	switch mean := report.Mean(v); {
	case abs(mean) <= insensitive:
		c.Verdict = report.Holds
	case low > insensitive || high < -insensitive:
		c.Verdict = report.Contradicted
	default:
		c.Verdict = report.Differs
	}
	c.Why = interval(v, " %") + "; " + why
	return c
}
