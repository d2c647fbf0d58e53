package rumen

import (
	"cmp"
	"math"
	"math/bits"

	"mrsched/model"
)

// class is the kind of job that past runs are grouped by: the job's name, else its user, else its queue.
func (j *job) class() string { return cmp.Or(j.name, j.user, j.queue) }

// history adds the successful attempts as past runs, in the order of the tasks.
func (im *importer) history() {
	rep := im.report
	for _, j := range im.jobs {
		class := j.class()
		for _, kind := range kinds {
			for i := range j.tasks[kind] {
				t := &j.tasks[kind][i]
				d := t.duration(kind)
				switch {
				case d < 0: // no successful attempt, or not all of its times
					rep.RunsWithoutTime++
					continue
				case t.node == noHost || class == "":
					rep.RunsWithoutName++
					continue
				}
				if t.input < 0 {
					rep.RunsWithoutBytes++
				}
				rep.Runs++
				im.b.PastRun(model.PastRun{Class: class, Worker: im.hosts.names[t.node], Kind: kind,
					Bytes: model.Bytes(max(t.input, 0)), Time: model.Time(d) * millisecond},
					model.Locus{Pos: model.Position{File: j.id.Pos.File, Line: t.line, Column: t.column}})
			}
		}
	}
}

// likeness is what attempts must share to be compared: class, kind, and the power of two of their bytes.
type likeness struct {
	class string
	kind  model.TaskKind
	size  int // bits of the bytes; 0 without any
}

// minAlike is how many attempts must be alike before their median says anything about a host: the median of one
// attempt is its own time.
const minAlike = 2

// fewAttempts is the number of attempts below which a host's speed counts as a weak estimate.
const fewAttempts = 5

// speedUnit is the number of steps in a speed of 1: speeds are rounded to a thousandth.
const speedUnit = 1000

// estimateSpeeds sets the speed of every host that attempts ran on: the lower median, over its attempts, of expected
// time / recorded time. Expected is the lower median of the times of all attempts that are alike. Attempts without a
// duration do not count.
func (im *importer) estimateSpeeds() {
	alike := map[likeness][]int64{}
	im.eachRun(func(l likeness, _ hostIndex, d int64) { alike[l] = append(alike[l], d) })
	expected := map[likeness]int64{}
	for l, times := range alike {
		if len(times) >= minAlike {
			expected[l] = median(times)
		}
	}
	ratios := map[hostIndex][]int64{} // in units
	im.eachRun(func(l likeness, host hostIndex, d int64) {
		if e := expected[l]; e > 0 {
			ratios[host] = append(ratios[host], int64(math.Round(speedUnit*float64(e)/float64(d))))
		}
	})
	im.speeds = map[hostIndex]float64{}
	for _, n := range im.nodes {
		if n.host == noHost {
			continue
		}
		list := ratios[n.host]
		switch v := median(list); {
		case v < 1:
			im.report.HostsWithoutSpeed++
			continue
		case len(list) < fewAttempts:
			im.report.HostsFewAttempts++
			fallthrough
		default:
			im.speeds[n.host] = float64(v) / speedUnit
		}
	}
}

// eachRun calls do for every successful attempt of positive duration on a known host; d is in ms.
func (im *importer) eachRun(do func(l likeness, host hostIndex, d int64)) {
	for _, j := range im.jobs {
		for _, kind := range kinds {
			for i := range j.tasks[kind] {
				t := &j.tasks[kind][i]
				if d := t.duration(kind); d > 0 && t.node != noHost {
					do(likeness{j.class(), kind, bits.Len64(uint64(max(t.input, 0)))}, t.node, d)
				}
			}
		}
	}
}

// unitTime is how long a task that took d would have taken on a host of speed 1.
func (im *importer) unitTime(t *task, kind model.TaskKind, d model.Time) model.Time {
	v, ok := im.speeds[t.node]
	if !ok || t.duration(kind) < 0 {
		return d
	}
	im.report.ScaledTimes++
	if x := d.Seconds() * v; x < model.MaxTime.Seconds() {
		return model.TimeOf(x)
	}
	return model.MaxTime // the builder reports that the sum is too large
}
