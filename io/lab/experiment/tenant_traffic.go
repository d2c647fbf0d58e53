package experiment

import (
	"fmt"

	"gonum.org/v1/gonum/stat"

	"mrsched/io/engine"
	"mrsched/io/report"
	"mrsched/model"
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
	// full and slack are the shares of the time of all racks, by second, in which the fuller direction of an uplink is
	// above saturatedLoad and below idleLoad.
	full, slack float64
}

// trafficRuns is the traffic of one policy, one per seed.
type trafficRuns []tenantTraffic

// observed will hold what uplinks carry in the run's next simulation.
func observed(o *engine.Opened) *[]multitenant.Load {
	loads := &[]multitenant.Load{}
	if r, ok := o.Run.(interface {
		Observe(see func(multitenant.Load))
	}); ok {
		r.Observe(func(x multitenant.Load) { *loads = append(*loads, x) })
	}
	return loads
}

// traffic is that of a policy on a scenario's instances.
func (f *figure) traffic(s scenario, policy string) (list trafficRuns) {
	for _, r := range f.readings(s, policy, false) {
		list = append(list, r.traffic)
	}
	return list
}

// readTraffic adds up loads between two times. Every rack must have an uplink with a limit.
func readTraffic(loads []multitenant.Load, uplink []int64, from, until float64) tenantTraffic {
	all := 0.0
	for _, u := range uplink {
		all += float64(u)
	}
	t := tenantTraffic{minutes: make(samples, max(1, int((until-from)/60)))}
	total := (until - from) * float64(len(uplink)) / 100
	t.slack = 100
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

// over reads a value from every seed's traffic.
func (list trafficRuns) over(what func(*tenantTraffic) float64) samples {
	v := make(samples, len(list))
	for i := range list {
		v[i] = what(&list[i])
	}
	return v
}

// minutes is the percentage of the minutes that satisfy a condition.
func (list trafficRuns) minutes(of func(load float64) bool) samples {
	return list.over(func(t *tenantTraffic) float64 {
		n := 0
		for _, v := range t.minutes {
			if of(v) {
				n++
			}
		}
		return 100 * float64(n) / float64(len(t.minutes))
	})
}

// full and slack are percent of the time of all racks.
func (list trafficRuns) full() samples {
	return list.over(func(t *tenantTraffic) float64 { return t.full })
}

func (list trafficRuns) slack() samples {
	return list.over(func(t *tenantTraffic) float64 { return t.slack })
}

// variation is the coefficient of variation of the minutes, in percent.
func (list trafficRuns) variation() samples {
	return list.over(func(t *tenantTraffic) float64 {
		if len(t.minutes) < 2 {
			return 0
		}
		mean, deviation := stat.MeanStdDev(t.minutes, nil)
		return 100 * deviation / max(mean, 1e-9)
	})
}

// drawTraffic draws the first seed's traffic by minute: the paper shows one run.
func (f *figure) drawTraffic(name string, list trafficRuns, style report.Style, color int) {
	minutes := list[0].minutes
	f.add(newCurve(name, style, color, positions(len(minutes)), func(m float64) samples { return minutes[int(m):][:1] }))
}

func tenantFig1(f *figure) {
	fair := f.traffic(f.mainTenants(), "fair")
	f.drawTraffic(tenantNames["fair"], fair, report.Main, 0)
	f.claim(fmt.Sprintf("the network is saturated in some periods (%% of the minutes in which uplinks carry more than "+
		"%.0f %%; at least %.0f)", saturatedLoad, somePeriods), atLeast(somePeriods, 0),
		fair.minutes(func(load float64) bool { return load > saturatedLoad }))
	f.claim(fmt.Sprintf("and left under-utilised in others (%% of the minutes in which they carry less than %.0f %%; "+
		"at least %.0f)", idleLoad, somePeriods), atLeast(somePeriods, 0),
		fair.minutes(func(load float64) bool { return load < idleLoad }))
	f.claim(ours+"uplinks are used unevenly: racks below half of their uplink while others are saturated (% of racks and "+
		"seconds below half; at least 5)", atLeast(somePeriods, 0), fair.slack())
}

func tenantFig10(f *figure) {
	fair, watched := f.traffic(f.mainTenants(), fairPair.base), f.traffic(f.mainTenants(), fairPair.watcher)
	f.drawTraffic(tenantNames[fairPair.watcher], watched, report.Main, 2)
	f.drawTraffic(tenantNames[fairPair.base], fair, report.Alternative, 0)
	f.minus("traffic is more balanced over time than under Fair (coefficient of variation of the minutes, in "+
		"points more)", atMost(0, 0), watched.variation(), fair.variation())
	f.minus("racks are saturated for less of the time than under Fair (points of the time more)", atMost(0, 0),
		watched.full(), fair.full())
}
