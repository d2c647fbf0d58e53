package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mrsched/instances"
	"mrsched/io/engine"
	"mrsched/model"
	"mrsched/model/multitenant"
)

// tenantPaper is the ShuffleWatcher paper's evaluation, its Figure 1 and its Table 3; small is its run on 16 nodes,
// thresholds its claims about thresholds, which have no figure.
var tenantPaper = paper{"multitenant", "Ahmad et al., USENIX ATC 2014", []entry{
	{"multitenant-fig1", "Traffic across racks over time under fair", "Fig. 1", tenantFig1},
	{"multitenant-table3", "Shuffle and remote maps under fair, by what jobs shuffle", "Table 3", tenantTable3},
	{"multitenant-fig8", "Throughput, turn-around and traffic of ShuffleWatcher against its baselines", "Fig. 8",
		tenantFig8},
	{"multitenant-fig9", "Concurrency inside a job", "Fig. 9", tenantFig9},
	{"multitenant-fig10", "Traffic across racks over time under shufflewatcher", "Fig. 10", tenantFig10},
	{"multitenant-fig11", "What becomes of each job's turn-around", "Fig. 11", tenantFig11},
	{"multitenant-fig12", "Throughput with NASS, SARP and SAMP", "Fig. 12", tenantFig12},
	{"multitenant-fig13", "Traffic across racks with NASS, SARP and SAMP", "Fig. 13", tenantFig13},
	{"multitenant-fig14a", "Throughput gained, by jobs a user", "Fig. 14(a)", tenantFig14a},
	{"multitenant-fig14b", "Throughput gained, by the mix of jobs", "Fig. 14(b)", tenantFig14b},
	{"multitenant-small", "ShuffleWatcher on 16 nodes in four racks", "§5, run on 16 nodes", tenantSmall},
	{"multitenant-thresholds", "Throughput against thresholds, submission window and where input lies",
		"§3.1, §3.3 and §4", tenantThresholds},
}}

// The steady time of the default preset, in seconds: the paper's four hours, once the jobs have arrived and uplinks are
// full; and the jobs-max that means all of the jobs.
const (
	tenantFrom, tenantUntil = 1800.0, 16200.0
	tenantSubmission        = 0.13333333 // hours in which the preset's jobs arrive
	tenantJobs              = 100        // of jobs-max
)

// The paper's own submission: hours of the steady time and of the load building up before it, and seconds between jobs.
const (
	paperHours, paperRampUp = 4.0, 1.0
	paperArrival            = 40.0
)

// tenantPolicies are the paper's: each baseline, and ShuffleWatcher with the same fairness.
var tenantPolicies = []string{"fair", "shufflewatcher", "delay", "sw-relaxed", "drf", "sw-drf"}

// tenantNames are how the paper writes them.
var tenantNames = map[string]string{"fair": "Fair", "shufflewatcher": "SW-fair", "delay": "Delay",
	"sw-relaxed": "SW-relaxed", "drf": "DRF", "sw-drf": "SW-DRF"}

// tenantPair is ShuffleWatcher and the baseline with the same fairness.
type tenantPair struct{ watcher, base string }

var (
	fairPair  = tenantPair{"shufflewatcher", "fair"}
	delayPair = tenantPair{"sw-relaxed", "delay"}
	drfPair   = tenantPair{"sw-drf", "drf"}
)

func (p tenantPair) String() string {
	return tenantNames[p.watcher] + " against " + tenantNames[p.base]
}

// tenants are the default preset's jobs under policies; a jobs-max below tenantJobs means fewer jobs in less time.
func (l *Lab) tenants(generate, params engine.Settings, policies ...string) scenario {
	share := l.tenantShare()
	return scenario{preset: "shufflewatcher", bare: true, algorithms: policies,
		generate: with(engine.Settings{"hours": number(tenantSubmission * share)}, generate),
		params: with(engine.Settings{"measure-from": number(tenantFrom * share),
			"measure-until": number(tenantUntil * share)}, params)}
}

// tenantShare is the share of the jobs that jobs-max keeps.
func (l *Lab) tenantShare() float64 { return min(1, float64(l.jobsMax)/tenantJobs) }

// asSubmitted are the same jobs as the paper's text submits them: 40 s apart in the cluster, for four hours and the
// hour before them.
func (l *Lab) asSubmitted(policies ...string) scenario {
	share := l.tenantShare()
	hours, before := paperHours*share, paperRampUp*share
	return l.tenants(engine.Settings{"hours": number(hours), "ramp-up": number(before),
		"interarrival": number(paperArrival)}, engine.Settings{"measure-from": number(before * 3600),
		"measure-until": number((before + hours) * 3600)}, policies...)
}

// mainTenants are the runs that most figures share.
func (l *Lab) mainTenants() scenario { return l.tenants(nil, nil, tenantPolicies...) }

// spreadTenants are runs with a job's input in all racks.
func (l *Lab) spreadTenants() scenario {
	return l.tenants(engine.Settings{"data-racks": "0", "placement": "random"}, nil, fairPair.base, fairPair.watcher)
}

// describeTenants states what was run, under some of the policies if any are named.
func (f *figure) describeTenants(s scenario, policies ...string) {
	f.describe(s)
	if policies != nil {
		f.Parameters["algorithms"] = policies
	}
	f.setParameters(map[string]any{"jobs_max": f.jobsMax, "chosen": tenantChoices})
}

// tenantChoices says which settings are fitted and what depends on them.
const tenantChoices = "the paper leaves slots, task times, shuffle ratios and where input lies open. Fitted to its " +
	"published effects, on seeds 1 and 101, are: every user submits a job each 40 s for eight minutes, where the " +
	"paper's text has one each 40 s in the cluster for four hours (both make 360 jobs; multitenant-fig8 measures the " +
	"text's too); four reduce slots a node, map times times 0.25 and sizes times 0.36, so that uplinks are short and " +
	"not slots; input in three racks, one of which has all of it; and the time that is measured. All jobs are " +
	"submitted within the paper's window of 600 s, so that its rule against starvation never acts. Users with equal " +
	"shares are served by whose next task is at home in the offered rack, under the baselines too; the paper leaves " +
	"such ties open"

// tenantClasses are the paper's classes of jobs.
var tenantClasses = []string{instances.ShuffleHeavy, instances.ShuffleMedium, instances.ShuffleLight}

// tenantJob is the outcome of a job, in seconds and bytes.
type tenantJob struct {
	class                            string
	user, maps                       int
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
		x.class, x.arrival, x.end, x.shuffled, x.maps = classes[w.Jobs[j].Class], in.Arrival[j].Seconds(), ends[j].Seconds(),
			float64(in.Shuffled[j]), len(spans[j][model.Map])
		x.user = int(in.UserOf[j])
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

// tenantMetric is one of the three by which the paper compares.
type tenantMetric struct{ name, key string }

// tenantReading is a way to read one of the three metrics, by its number.
type tenantReading struct {
	metric int
	name   string
	of     func(policyRuns) samples
}

// tenantReadings are the ways: the paper does not say whether throughput counts jobs or what they read, nor how it
// counts the turn-around of jobs that do not end in the steady time.
var tenantReadings = []tenantReading{
	{0, "throughput in jobs", func(r policyRuns) samples { return r.metric("jobs_per_hour") }},
	{0, "throughput in bytes of input", func(r policyRuns) samples { return r.metric("input_bytes_per_hour") }},
	{1, "turn-around of the jobs that end in the steady time",
		func(r policyRuns) samples { return r.metric("turn_around") }},
	{1, "turn-around of all jobs", policyRuns.around},
	{2, "cross-rack traffic", func(r policyRuns) samples { return r.metric("cross_rack_bytes") }},
}

var tenantMetrics = []tenantMetric{{"throughput", "jobs_per_hour"}, {"turn-around", "turn_around"},
	{"cross-rack traffic", "cross_rack_bytes"}}

// metricAxis is a group of bars for each metric; metricAt reads it.
var metricAxis = positions(len(tenantMetrics))

func metricAt(x float64) string { return tenantMetrics[int(x)].key }

// metricNames are the names of the groups.
func metricNames() (list []string) {
	for _, m := range tenantMetrics {
		list = append(list, m.name)
	}
	return list
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

// gain is by how many percent ShuffleWatcher's reading exceeds the baseline's.
func (l *Lab) gain(s scenario, p tenantPair, x tenantReading) samples {
	watcher, base := l.pair(s, p)
	return changes(x.of(watcher), x.of(base))
}

// change is by how many percent ShuffleWatcher's metric exceeds the baseline's.
func (l *Lab) change(s scenario, p tenantPair, key string) samples {
	watcher, base := l.pair(s, p)
	return changes(watcher.metric(key), base.metric(key))
}

func (r policyRuns) metric(key string) samples { return r.l.metric(r.s, r.policy, key) }

func (r policyRuns) costs() samples { return r.l.costs(r.s, r.policy) }

// over reads a value from every seed's jobs.
func (r policyRuns) over(what func(jobs []tenantJob) float64) samples {
	return r.l.each(r.s, r.policy, func(x reading) float64 { return what(x.tenants) })
}

// sum adds up a value over the jobs of a class; "" is all jobs.
func (r policyRuns) sum(class string, what func(*tenantJob) float64) samples {
	return r.over(func(jobs []tenantJob) (sum float64) {
		for k := range jobs {
			if class == "" || jobs[k].class == class {
				sum += what(&jobs[k])
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
	return r.over(func(jobs []tenantJob) (mean float64) {
		for k := range jobs {
			mean += jobs[k].around() / float64(len(jobs))
		}
		return mean
	})
}

// openJobs is how many jobs a user has on average at a moment of the steady time.
func (r policyRuns) openJobs() samples {
	from, until := r.s.steadyTime()
	return r.over(func(jobs []tenantJob) float64 {
		users, sum := map[int]bool{}, 0.0
		for k := range jobs {
			j := &jobs[k]
			users[j.user] = true
			sum += max(0, min(j.end, until)-max(j.arrival, from))
		}
		return sum / (until - from) / float64(len(users))
	})
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

// listed prints one number per seed.
func listed(v samples) string {
	parts := make([]string, len(v))
	for i, x := range v {
		parts[i] = fmt.Sprintf("%.1f", x)
	}
	return strings.Join(parts, ", ")
}
