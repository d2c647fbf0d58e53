package experiment

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"

	"mrsched/io/report"
	"mrsched/model"
	tenantmodel "mrsched/model/multitenant"
	"mrsched/solver/multitenant"
)

// What saturated and under-utilised mean: above NetSat's threshold, below half of what uplinks carry. A claim that
// there are such periods requires a few minutes in a hundred.
const (
	saturatedLoad = 80.0 // percent
	idleLoad      = 50.0
	somePeriods   = 5.0 // percent of the time
)

// tenantTraffic is what crosses racks in the steady time under one policy on one instance, in percent of what uplinks
// carry.
type tenantTraffic struct {
	minutes samples // all uplinks together, by minute
	// full, slack and idle are the shares of the time of all racks, by second, in which the fuller direction of an uplink
	// is above saturatedLoad, below idleLoad, and not used at all.
	full, slack, idle float64
}

// trafficRuns is the traffic of one policy, one per seed.
type trafficRuns []tenantTraffic

// simulate gives the traffic of policies on a scenario's instances, in their order.
func (l *Lab) simulate(s scenario, policies ...string) ([]trafficRuns, error) {
	found := make([]trafficRuns, len(policies))
	for k := range policies {
		found[k] = make(trafficRuns, len(l.seeds))
	}
	return found, l.every(len(l.seeds), func(ctx context.Context, i int) error {
		o, err := l.opened(s, l.seeds[i])
		if err != nil {
			return err
		}
		from, until := s.steadyTime()
		for k, name := range policies {
			loads, err := multitenant.Loads(ctx, o.W, o.Params, name)
			if err != nil {
				return err
			}
			found[k][i] = readTraffic(loads, o.Run.View().(*tenantmodel.Instance).Uplink, from, until)
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
	t := tenantTraffic{minutes: make(samples, max(1, int((until-from)/60)))}
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

// share is the percentage of the minutes that satisfy a condition.
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

// over reads a value from every seed's traffic.
func (list trafficRuns) over(what func(*tenantTraffic) float64) samples {
	v := make(samples, len(list))
	for i := range list {
		v[i] = what(&list[i])
	}
	return v
}

// The readings of traffic: percent of the minutes below idleLoad and above saturatedLoad, of the time of all racks, and
// the coefficient of variation of the minutes.
func (list trafficRuns) low() samples {
	return list.over(func(t *tenantTraffic) float64 { return t.share(func(v float64) bool { return v < idleLoad }) })
}

func (list trafficRuns) high() samples {
	return list.over(func(t *tenantTraffic) float64 { return t.share(func(v float64) bool { return v > saturatedLoad }) })
}

func (list trafficRuns) full() samples {
	return list.over(func(t *tenantTraffic) float64 { return t.full })
}

func (list trafficRuns) slack() samples {
	return list.over(func(t *tenantTraffic) float64 { return t.slack })
}

func (list trafficRuns) variation() samples { return list.over((*tenantTraffic).variation) }

// String prints how traffic spreads over time.
func (list trafficRuns) String() string {
	at := func(p int) float64 {
		return list.over(func(t *tenantTraffic) float64 { return t.percentile(p) }).Mean()
	}
	return fmt.Sprintf("all uplinks carry %.0f %% of what they can on average (5th percentile of the minutes %.0f, "+
		"median %.0f, 95th %.0f); by rack and second the fuller direction is above %.0f %% for %.0f %% of the time, below "+
		"%.0f %% for %.0f, and not used for %.0f",
		list.over(func(t *tenantTraffic) float64 { return t.minutes.Mean() }).Mean(), at(5), at(50), at(95), saturatedLoad,
		list.full().Mean(), idleLoad, list.slack().Mean(), list.over(func(t *tenantTraffic) float64 { return t.idle }).Mean())
}

// drawTraffic draws the first seed's traffic by minute: the paper shows one run.
func (f *figure) drawTraffic(name string, list trafficRuns, style report.Style, color int) {
	f.axes("minutes of the steady time", "traffic across racks, % of all uplinks")
	minutes := list[0].minutes
	f.draw(newCurve(name, style, color, positions(len(minutes)), func(m float64) samples { return minutes[int(m):][:1] }))
}

func tenantFig1(f *figure) error {
	s := f.mainTenants()
	found, err := f.simulate(s, "fair")
	if err != nil {
		return err
	}
	spread, err := f.simulate(f.spreadTenants(), "fair")
	if err != nil {
		return err
	}
	f.describeTenants(s, "fair")
	fair, local := found[0], spread[0]
	f.drawTraffic(tenantNames["fair"], fair, report.Main, 0)
	f.drawTraffic("the same with input in all racks: hardly a remote map", local, report.Alternative, 1)
	f.atLeast(fmt.Sprintf("the network is saturated in some periods (%% of the minutes in which uplinks carry more than "+
		"%.0f %%; at least %.0f)", saturatedLoad, somePeriods), somePeriods, 0, fair.high(), "%s", fair)
	f.atLeast(fmt.Sprintf("and left under-utilised in others (%% of the minutes in which they carry less than %.0f %%; "+
		"at least %.0f)", idleLoad, somePeriods), somePeriods, 0, fair.low(), "the cluster is loaded beyond its means, so "+
		"that jobs always wait, and remote maps fill what the shuffle leaves; the paper draws the shuffle alone. With "+
		"input in all racks traffic is nearly the shuffle alone: below %.0f %% in %.1f %% of the minutes, above %.0f %% in "+
		"%.1f %%, coefficient of variation %.0f %% against %.0f %%; %s", idleLoad, local.low().Mean(), saturatedLoad,
		local.high().Mean(), local.variation().Mean(), fair.variation().Mean(), fair)
	f.atLeast("uplinks are used unevenly: racks below half of their uplink while others are saturated (% of racks and "+
		"seconds below half; at least 5)", somePeriods, 0, fair.slack(), "our reading, by rack and second in place of all "+
		"uplinks by minute")
	return nil
}

func tenantFig10(f *figure) error {
	s := f.mainTenants()
	found, err := f.simulate(s, fairPair.base, fairPair.watcher)
	if err != nil {
		return err
	}
	f.describeTenants(s, fairPair.base, fairPair.watcher)
	fair, watched := found[0], found[1]
	f.drawTraffic(tenantNames[fairPair.watcher], watched, report.Main, 2)
	f.drawTraffic(tenantNames[fairPair.base], fair, report.Alternative, 0)
	f.atMost("traffic is more balanced over time than under Fair (coefficient of variation of the minutes, in "+
		"points more)", 0, 0, watched.variation().Minus(fair.variation()), "%.1f %% against %.1f %%: there is no "+
		"slack that NASS could fill, and all that it holds back are reduces of jobs whose maps have not ended; %s; "+
		"under Fair %s", watched.variation().Mean(), fair.variation().Mean(), watched, fair)
	f.atMost("racks are saturated for less of the time than under Fair (points of the time more)", 0, 0,
		watched.full().Minus(fair.full()), "%.1f %% against %.1f %% of racks and seconds above %.0f %%",
		watched.full().Mean(), fair.full().Mean(), saturatedLoad)
	return nil
}
