package experiment

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"

	"mrsched/io/engine"
	"mrsched/io/report"
	"mrsched/model"
	tenantmodel "mrsched/model/multitenant"
	"mrsched/solver/multitenant"
)

// What saturated and under-utilised mean: above NetSat's threshold, below half of what uplinks carry. A claim that
// there are such periods asks for some minutes in a hundred.
const (
	saturatedLoad = 80.0 // percent
	idleLoad      = 50.0
	somePeriods   = 5.0 // percent of the time
)

// tenantTraffic is what crosses racks in the steady time under one policy on one instance, in percent of what uplinks
// carry.
type tenantTraffic struct {
	minutes []float64 // all uplinks together, by minute
	// full, slack and idle are the shares of the time of all racks, by second, in which the fuller direction of an uplink
	// is above saturatedLoad, below idleLoad, and not used at all.
	full, slack, idle float64
}

// traffic simulates policies on a scenario's instances: by policy, one a seed.
func (l *Lab) traffic(s scenario, policies ...string) (map[string][]tenantTraffic, error) {
	found := map[string][]tenantTraffic{}
	for _, name := range policies {
		found[name] = make([]tenantTraffic, len(l.seeds))
	}
	return found, l.every(len(l.seeds), func(ctx context.Context, i int) error {
		w, err := generated(l.problem.Name, s.preset, s.generate, l.seeds[i])
		if err != nil {
			return err
		}
		params, err := engine.SettingValues(l.problem.Params, s.params)
		if err != nil {
			return err
		}
		in, err := tenantmodel.New(w, tenantmodel.Options{})
		if err != nil {
			return err
		}
		from, until := s.steadyTime()
		for _, name := range policies {
			loads, err := multitenant.Loads(ctx, w, params, name)
			if err != nil {
				return err
			}
			found[name][i] = readTraffic(loads, in.Uplink, from, until)
		}
		return nil
	})
}

// readTraffic adds up loads between two times. Every rack must have an uplink with a limit.
func readTraffic(loads []multitenant.Load, uplink []int64, from, until float64) tenantTraffic {
	all := 0.0
	for _, u := range uplink {
		all += float64(u)
	}
	t := tenantTraffic{minutes: make([]float64, max(1, int((until-from)/60)))}
	total := (until - from) * float64(len(uplink)) / 100
	t.slack, t.idle = 100, 100
	for _, x := range loads {
		a, b := max(x.From.Seconds(), from), min(x.Until.Seconds(), until)
		if a >= b {
			continue
		}
		length, out := (x.Until - x.From).Seconds(), 0.0
		for rack, u := range uplink {
			bytes := model.Bytes(0)
			if x.Carried[0] != nil {
				bytes = max(x.Carried[0][rack], x.Carried[1][rack])
				out += float64(x.Carried[0][rack])
			}
			switch share := 100 * float64(bytes) / (float64(u) * length); {
			case share > saturatedLoad:
				t.full += (b - a) / total
				fallthrough
			case share >= idleLoad:
				t.slack -= (b - a) / total
				fallthrough
			case bytes > 0:
				t.idle -= (b - a) / total
			}
		}
		for m := int((a - from) / 60); m < len(t.minutes); m++ {
			start := from + 60*float64(m)
			if start >= b {
				break
			}
			t.minutes[m] += 100 * out / (length * all) * (min(b, start+60) - max(a, start)) / 60
		}
	}
	return t
}

// share is how many percent of the minutes satisfy something.
func (t *tenantTraffic) share(of func(load float64) bool) float64 {
	n := 0
	for _, v := range t.minutes {
		if of(v) {
			n++
		}
	}
	return 100 * float64(n) / float64(len(t.minutes))
}

// variation is the coefficient of variation of the minutes, in percent.
func (t *tenantTraffic) variation() float64 {
	if len(t.minutes) < 2 {
		return 0
	}
	mean, deviation := stat.MeanStdDev(t.minutes, nil)
	return 100 * deviation / max(mean, 1e-9)
}

// percentile is a quantile of the minutes by nearest rank.
func (t *tenantTraffic) percentile(p int) float64 {
	v := slices.Sorted(slices.Values(t.minutes))
	return v[max(0, (len(v)*p+99)/100-1)]
}

// over reads something of every seed's traffic.
func overTraffic(list []tenantTraffic, what func(*tenantTraffic) float64) []float64 {
	v := make([]float64, len(list))
	for i := range list {
		v[i] = what(&list[i])
	}
	return v
}

// trafficCurve is the first seed's traffic by minute: the paper shows one run.
func trafficCurve(name string, list []tenantTraffic, style report.Style, color int) report.Curve {
	c := report.Curve{Name: name, Style: style, Color: color}
	for m, v := range list[0].minutes {
		c.Points = append(c.Points, report.Point{X: float64(m), Samples: []float64{v}})
	}
	return c
}

// describe prints how traffic spreads over time.
func describeTraffic(list []tenantTraffic) string {
	mean := func(what func(*tenantTraffic) float64) float64 { return report.Mean(overTraffic(list, what)) }
	at := func(p int) float64 { return mean(func(t *tenantTraffic) float64 { return t.percentile(p) }) }
	return fmt.Sprintf("all uplinks carry %.0f %% of what they can on average (5th percentile of the minutes %.0f, "+
		"median %.0f, 95th %.0f); by rack and second the fuller direction is above %.0f %% for %.0f %% of the time, "+
		"below %.0f %% for %.0f, and not used for %.0f",
		mean(func(t *tenantTraffic) float64 { return report.Mean(t.minutes) }), at(5), at(50), at(95), saturatedLoad,
		mean(func(t *tenantTraffic) float64 { return t.full }), idleLoad,
		mean(func(t *tenantTraffic) float64 { return t.slack }), mean(func(t *tenantTraffic) float64 { return t.idle }))
}

func trafficAxes(f *report.Figure) {
	f.XLabel, f.YLabel = "minutes of the steady time", "traffic across racks, % of all uplinks"
}

func tenantFig1(l *Lab, f *report.Figure) error {
	s := l.mainTenants()
	found, err := l.traffic(s, "fair")
	if err != nil {
		return err
	}
	spread, err := l.traffic(l.spreadTenants(), "fair")
	if err != nil {
		return err
	}
	s.algorithms = []string{"fair"}
	l.describeTenants(f, "Fig. 1", s)
	trafficAxes(f)
	fair, local := found["fair"], spread["fair"]
	f.Curves = append(f.Curves, trafficCurve(tenantNames["fair"], fair, report.Main, 0),
		trafficCurve("the same with input in all racks: hardly a remote map", local, report.Alternative, 1))
	low := func(list []tenantTraffic) []float64 {
		return overTraffic(list,
			func(t *tenantTraffic) float64 { return t.share(func(v float64) bool { return v < idleLoad }) })
	}
	high := func(list []tenantTraffic) []float64 {
		return overTraffic(list,
			func(t *tenantTraffic) float64 { return t.share(func(v float64) bool { return v > saturatedLoad }) })
	}
	why := describeTraffic(fair)
	whyLow := fmt.Sprintf("the cluster is loaded beyond its means, so that jobs always wait, and remote maps fill what "+
		"the shuffle leaves; the paper draws the shuffle alone. With input in all racks traffic is "+
		"nearly the shuffle alone: below %.0f %% in %.1f %% of the minutes, above %.0f %% in %.1f %%, coefficient of "+
		"variation %.0f %% against %.0f %%; ", idleLoad, report.Mean(low(local)), saturatedLoad, report.Mean(high(local)),
		report.Mean(overTraffic(local, (*tenantTraffic).variation)), report.Mean(overTraffic(fair,
			(*tenantTraffic).variation))) + why
	f.Claims = append(f.Claims,
		report.AtLeast(fmt.Sprintf("the network is saturated in some periods (%% of the minutes in which uplinks carry "+
			"more than %.0f %%; at least %.0f)", saturatedLoad, somePeriods), somePeriods, 0,
			high(fair), why),
		report.AtLeast(fmt.Sprintf("and left under-utilised in others (%% of the minutes in which they carry less than "+
			"%.0f %%; at least %.0f)", idleLoad, somePeriods), somePeriods, 0,
			low(fair), whyLow),
		report.AtLeast("uplinks are used unevenly: racks below half of their uplink while others are saturated (% of "+
			"racks and seconds below half; at least 5)", somePeriods, 0,
			overTraffic(fair, func(t *tenantTraffic) float64 { return t.slack }),
			"our reading, by rack and second in place of all uplinks by minute"))
	return nil
}

func tenantFig10(l *Lab, f *report.Figure) error {
	s := l.mainTenants()
	found, err := l.traffic(s, fairPair.base, fairPair.watcher)
	if err != nil {
		return err
	}
	s.algorithms = []string{fairPair.base, fairPair.watcher}
	l.describeTenants(f, "Fig. 10", s)
	trafficAxes(f)
	fair, watched := found[fairPair.base], found[fairPair.watcher]
	f.Curves = append(f.Curves, trafficCurve(tenantNames[fairPair.watcher], watched, report.Main, 2),
		trafficCurve(tenantNames[fairPair.base], fair, report.Alternative, 0))
	variation := func(list []tenantTraffic) []float64 { return overTraffic(list, (*tenantTraffic).variation) }
	full := func(list []tenantTraffic) []float64 {
		return overTraffic(list, func(t *tenantTraffic) float64 { return t.full })
	}
	f.Claims = append(f.Claims,
		report.AtMost("traffic is more balanced over time than under Fair (coefficient of variation of the minutes, in "+
			"points more)", 0, 0, report.Difference(variation(watched), variation(fair)),
			fmt.Sprintf("%.1f %% against %.1f %%: there is no slack that NASS could fill, and all that it holds back are "+
				"reduces of jobs whose maps have not ended; %s; under Fair %s", report.Mean(variation(watched)),
				report.Mean(variation(fair)), describeTraffic(watched), describeTraffic(fair))),
		report.AtMost("racks are saturated for less of the time than under Fair (points of the time more)", 0, 0,
			report.Difference(full(watched), full(fair)),
			fmt.Sprintf("%.1f %% against %.1f %% of racks and seconds above %.0f %%", report.Mean(full(watched)),
				report.Mean(full(fair)), saturatedLoad)))
	return nil
}
