package experiment

import (
	"fmt"
	"math"
	"slices"

	"mrsched/instances"
	"mrsched/io/engine"
	"mrsched/io/report"
	"mrsched/io/show"
	"mrsched/model"
)

// What several figures show.
const (
	minutes   = "minutes of the steady time"
	crossRack = "traffic across racks, % of all uplinks"
	sameFair  = "relative to the baseline with the same fairness"
	overFair  = "relative to Fair"
)

// tenantPaper is the ShuffleWatcher paper's evaluation, its Figure 1 and its Table 3; small is its run on 16 nodes,
// thresholds its claims about thresholds, which have no figure.
var tenantPaper = paper{"multitenant", "Ahmad et al., USENIX ATC 2014", []entry{
	{"multitenant-fig1", "Traffic across racks over time under fair", "Fig. 1", minutes, crossRack, tenantFig1},
	{"multitenant-table3", "Shuffle and remote maps under fair, by what jobs shuffle", "Table 3", "", "TB",
		tenantTable3},
	{"multitenant-fig8", "Throughput, turn-around and traffic of ShuffleWatcher against its baselines", "Fig. 8", "",
		sameFair, tenantFig8},
	{"multitenant-fig9", "Concurrency inside a job", "Fig. 9", "", sameFair, tenantFig9},
	{"multitenant-fig10", "Traffic across racks over time under shufflewatcher", "Fig. 10", minutes, crossRack,
		tenantFig10},
	{"multitenant-fig11", "What becomes of each job's turn-around", "Fig. 11", "jobs, in percent, by change",
		"change of turn-around, %", tenantFig11},
	{"multitenant-fig12", "Throughput with NASS, SARP and SAMP", "Fig. 12", "", overFair, tenantFig12},
	{"multitenant-fig13", "Traffic across racks with NASS, SARP and SAMP", "Fig. 13", "", overFair, tenantFig13},
	{"multitenant-fig14a", "Throughput gained, by jobs a user", "Fig. 14(a)", "jobs a user (1: on 16 nodes)",
		"SW-fair against Fair, change in %", tenantFig14a},
	{"multitenant-fig14b", "Throughput gained, by the mix of jobs", "Fig. 14(b)", "", overFair, tenantFig14b},
	{"multitenant-small", "ShuffleWatcher on 16 nodes in four racks", "§5, run on 16 nodes", "", sameFair, tenantSmall},
	{"multitenant-thresholds", "Throughput against thresholds", "§3.3 and §4", "",
		"relative to saturation 0.8 and 15 % of the maps", tenantThresholds},
}}

// The submission that the paper's text states: seconds between jobs in the cluster, hours of the steady time and of the
// load building up before it; and the jobs-max that means all of the jobs.
const (
	paperHours, paperRampUp = 4.0, 1.0
	paperArrival            = 40.0
	tenantJobs              = 100 // of jobs-max
)

// tenantNames are how the paper writes the policies.
var tenantNames = map[string]string{"fair": "Fair", "shufflewatcher": "SW-fair", "delay": "Delay",
	"sw-relaxed": "SW-relaxed", "drf": "DRF", "sw-drf": "SW-DRF"}

// tenantPair is ShuffleWatcher and the baseline with the same fairness, and the published changes, in percent, of
// throughput, turn-around and traffic on 100 and on 16 nodes.
type tenantPair struct {
	watcher, base    string
	published, small [3]float64
}

var (
	fairPair  = tenantPair{"shufflewatcher", "fair", [3]float64{39, -27, -36}, [3]float64{46, -32, -48}}
	delayPair = tenantPair{"sw-relaxed", "delay", [3]float64{46, -32, -48}, [3]float64{54, -38, -56}}
	drfPair   = tenantPair{watcher: "sw-drf", base: "drf"}
)

func (p tenantPair) String() string {
	return tenantNames[p.watcher] + " against " + tenantNames[p.base]
}

// tenants are the preset's jobs as the text submits them; a jobs-max below tenantJobs means fewer jobs in less time.
func (l *Lab) tenants(generate, params engine.Settings) scenario {
	share := min(1, float64(l.JobsMax)/tenantJobs)
	hours, before := paperHours*share, paperRampUp*share
	return scenario{preset: "shufflewatcher",
		generate: with(engine.Settings{"hours": number(hours), "ramp-up": number(before),
			"interarrival": number(paperArrival)}, generate),
		params: with(engine.Settings{"measure-from": number(before * 3600),
			"measure-until": number((before + hours) * 3600)}, params)}
}

// mainTenants are the runs that most figures share.
func (l *Lab) mainTenants() scenario { return l.tenants(nil, nil) }

// The paper's cluster of 16 nodes in four racks has the same 50 Mb/s a node between racks. It scales arrival rates,
// sizes and users down without saying how far: here rates and sizes by smallShare, and the limit of reduces per job,
// such that both together are 16 % of the large cluster's; and users such that each has 12 jobs as before. The large
// values are the preset's.
const (
	smallShare                    = 0.4
	smallUsers                    = 12
	largeScale                    = 0.36
	largeUsers, largeJobs float64 = 30, 360
)

// smallTenants is that cluster.
func (l *Lab) smallTenants(users float64) scenario {
	return l.tenants(engine.Settings{"nodes": "16", "racks": "4", "uplink": "200", "users": number(users),
		"interarrival": number(paperArrival / smallShare), "input-scale": number(largeScale * smallShare),
		"max-reduces": "29"}, nil)
}

// policyRuns are the runs of one policy on a scenario.
type policyRuns struct {
	l      *Lab
	s      scenario
	policy string
}

func (l *Lab) under(s scenario, policy string) policyRuns { return policyRuns{l, s, policy} }

// pair are the runs of both policies.
func (l *Lab) pair(s scenario, p tenantPair) (watcher, base policyRuns) {
	return l.under(s, p.watcher), l.under(s, p.base)
}

func (r policyRuns) metric(key string) samples { return r.l.metric(r.s, r.policy, key) }

// tenantMetrics are the three by which the paper compares.
var tenantMetrics = []struct{ name, key string }{{"throughput", "jobs_per_hour"}, {"turn-around", "turn_around"},
	{"cross-rack traffic", "cross_rack_bytes"}}

// tenantReading is a way to read one of the three metrics, by its number.
type tenantReading struct {
	metric int
	name   string
	of     func(policyRuns) samples
}

// tenantReadings are the ways, of each metric that of tenantMetrics first: the paper does not say whether throughput
// counts jobs or what they read, nor how it counts the turn-around of jobs that do not end in the steady time.
var tenantReadings = []tenantReading{
	{0, "throughput in jobs", func(r policyRuns) samples { return r.metric("jobs_per_hour") }},
	{0, "throughput in bytes of input", func(r policyRuns) samples { return r.metric("input_bytes_per_hour") }},
	{1, "turn-around of the jobs that end in the steady time",
		func(r policyRuns) samples { return r.metric("turn_around") }},
	{1, "turn-around of all jobs", policyRuns.around},
	{2, "cross-rack traffic", func(r policyRuns) samples { return r.metric("cross_rack_bytes") }},
}

// gain is by how many percent ShuffleWatcher's reading exceeds the baseline's.
func (l *Lab) gain(s scenario, p tenantPair, x tenantReading) samples {
	watcher, base := l.pair(s, p)
	before := x.of(base) // asked first: its run gives the submission window
	return changes(x.of(watcher), before)
}

// effects claims the published change of a reading.
func (f *figure) effects(text string, published float64, s scenario, p tenantPair, x tenantReading) {
	watcher, base := f.pair(s, p)
	f.change(text, effect(published), x.of(watcher), x.of(base))
}

// normalised draws a policy's three metrics as multiples of another's.
func (f *figure) normalised(r, by policyRuns, name string, color int) {
	f.line(fmt.Sprintf("%s, %s = 1", name, tenantNames[by.policy]), color, positions(len(tenantMetrics)),
		func(x float64) samples {
			key := tenantMetrics[int(x)].key
			return relative(r.metric(key), by.metric(key))
		})
}

// comparePairs draws both pairs and judges the published claims about them.
func (f *figure) comparePairs(s scenario, published func(tenantPair) [3]float64) {
	f.Groups = nil
	for _, m := range tenantMetrics {
		f.Groups = append(f.Groups, m.name)
	}
	pairs := []tenantPair{fairPair, delayPair}
	for i, p := range pairs {
		watcher, base := f.pair(s, p)
		f.normalised(watcher, base, tenantNames[p.watcher], 2*i)
		stated := map[float64]float64{}
		for k, v := range published(p) {
			stated[float64(k)] = 1 + v/100
		}
		f.marks(p.String(), 2*i, stated)
	}
	f.normalised(f.under(s, "delay"), f.under(s, "fair"), tenantNames["delay"], 1)
	for _, p := range pairs {
		for _, x := range tenantReadings {
			f.effects(fmt.Sprintf("%s: %s", p, x.name), published(p)[x.metric], s, p, x)
		}
	}
}

// similarPoints is how many percentage points similar effects may differ by: our reading of the word.
const similarPoints = 10

func tenantFig8(f *figure) {
	s := f.mainTenants()
	f.comparePairs(s, func(p tenantPair) [3]float64 { return p.published })
	f.normalised(f.under(s, drfPair.watcher), f.under(s, drfPair.base), tenantNames[drfPair.watcher], 4)
	gained := func(p tenantPair, metric int) samples { return f.gain(s, p, tenantReadings[2*metric]) }
	for k, m := range tenantMetrics {
		drf := gained(drfPair, k)
		c := f.minus(fmt.Sprintf("%s improves %s about as SW-fair does against Fair (difference in points, tolerance %d)",
			drfPair, m.name, similarPoints), near(0, similarPoints), drf, gained(fairPair, k))
		if drf.Mean()*fairPair.published[k] <= 0 {
			c.Verdict = report.Contradicted
		}
	}
	for k, m := range tenantMetrics {
		sign := math.Copysign(1, fairPair.published[k])
		f.minus("relaxed fairness gains more in "+m.name+" than strict fairness: SW-relaxed over Delay less SW-fair over "+
			"Fair, in points", atLeast(0, 0), gained(delayPair, k).Times(sign),
			gained(fairPair, k).Times(sign))
	}
}

func tenantSmall(f *figure) {
	f.comparePairs(f.smallTenants(smallUsers), func(p tenantPair) [3]float64 { return p.small })
}

func tenantFig14a(f *figure) {
	jobs := []float64{1, 9, 12, 18} // one per user was measured on 16 nodes
	at := func(jobs float64) scenario {
		switch jobs {
		case 1:
			return f.smallTenants(10 * largeJobs)
		case largeJobs / largeUsers:
			return f.mainTenants()
		}
		return f.tenants(engine.Settings{"users": number(largeJobs / jobs)}, nil)
	}
	for color, r := range tenantReadings {
		f.line(r.name, color, jobs, func(x float64) samples { return f.gain(at(x), fairPair, r) })
	}
	for _, n := range jobs {
		for _, c := range f.Curves[:2] {
			f.claim(fmt.Sprintf("%s rises over Fair with %s a user", c.Name, show.Counted(int(n), "job")), everySeed, c.At(n))
		}
	}
}

func tenantFig14b(f *figure) {
	mixes := []string{"20/20/60", "40/20/40", "60/20/20"} // light, medium and heavy jobs; the second is the preset's
	stated := []float64{31, 39, 22}
	published := map[float64]float64{}
	for k, mix := range mixes {
		f.Groups, published[float64(k)] = append(f.Groups, "mix "+mix), 1+stated[k]/100
	}
	at := func(k int) scenario {
		if k == 1 {
			return f.mainTenants()
		}
		return f.tenants(engine.Settings{"mix": mixes[k]}, nil)
	}
	for i, r := range tenantReadings {
		f.line(r.name, i, positions(len(mixes)), func(x float64) samples {
			return f.gain(at(int(x)), fairPair, r).Times(0.01).Plus(1)
		})
	}
	f.marks("throughput", 0, published)
	for _, r := range tenantReadings[:2] {
		for k, mix := range mixes {
			f.effects(r.name+" against Fair with light/medium/heavy jobs "+mix, stated[k], at(k), fairPair, r)
		}
		for _, k := range []int{0, 2} {
			f.minus(r.name+": the default mix gains more than "+mixes[k]+" (in points)", atLeast(0, 0),
				f.gain(at(1), fairPair, r), f.gain(at(k), fairPair, r))
		}
	}
}

// tenantThresholds changes one setting of shufflewatcher at a time. Throughput may change by one percent over the
// paper's ranges of its thresholds.
func tenantThresholds(f *figure) {
	at := func(name, value string) scenario { return f.tenants(nil, engine.Settings{name: value}) }
	main := f.mainTenants()
	settings := []struct {
		name string
		scenario
	}{
		{"saturation 0.75", at("saturation", "0.75")}, {"saturation 0.9", at("saturation", "0.9")},
		{"saturation 1", at("saturation", "1")},
		{"maps done 5 %", at("maps-done", "0.05")}, {"maps done 25 %", at("maps-done", "0.25")},
	}
	for _, x := range settings {
		f.Groups = append(f.Groups, x.name)
	}
	change := func(s scenario, key string) samples { return f.metric(s, "shufflewatcher", key) }
	for i, m := range tenantMetrics {
		f.line(m.name, i, positions(len(settings)), func(x float64) samples {
			return relative(change(settings[int(x)].scenario, m.key), change(main, m.key))
		})
	}
	jobs := tenantMetrics[0].key
	for _, x := range settings {
		f.change("throughput hardly depends on it: "+x.name+" against the default (change in %, less than 1)", hardly(1),
			change(x.scenario, jobs), change(main, jobs))
	}
}

// steadyTime is the measured time, in seconds.
func (s scenario) steadyTime() (from, until float64) {
	return asFloat(model.Number(s.params["measure-from"])), asFloat(model.Number(s.params["measure-until"]))
}

// steady reports whether a moment is within the measured time.
func (s scenario) steady(at float64) bool {
	from, until := s.steadyTime()
	return at >= from && at <= until
}

// tenantClasses are the paper's classes of jobs; classNames are their names under groups of bars.
var (
	tenantClasses = []string{instances.ShuffleHeavy, instances.ShuffleMedium, instances.ShuffleLight}
	classNames    = append(slices.Clone(tenantClasses), allClasses)
	classAxis     = positions(len(classNames))
)

// allClasses stands for the jobs of all classes.
const allClasses = "all"

// classOf is the class at a position.
func classOf(x float64) string { return classNames[int(x)] }
