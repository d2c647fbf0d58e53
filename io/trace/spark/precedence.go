package spark

import (
	"cmp"
	"slices"

	"mrsched/model"
)

// connect decides which attempts of stages wait for which. A stage waits for all attempts of its parents that had ended
// when it started: a later attempt served later readers.
func (im *importer) connect() {
	o := &origins{importer: im, lists: make([][]int32, len(im.stages)), state: make([]state, len(im.stages)),
		byRDD: map[int64][]int32{}}
	for s := range im.stages {
		x := &im.stages[s]
		if len(x.runs) > 0 && x.rdd != unknown {
			o.byRDD[x.rdd] = append(o.byRDD[x.rdd], int32(s))
		}
	}
	for _, list := range o.byRDD {
		slices.SortFunc(list, func(a, b int32) int { return cmp.Compare(im.stages[a].id, im.stages[b].id) })
	}
	im.countSkipped(o)
	for _, j := range im.order {
		p := &im.plans[j]
		for _, c := range p.runs {
			im.connectRun(o, j, c)
		}
		slices.Sort(p.after)
		p.after = slices.Compact(p.after)
	}
}

// countSkipped counts stages that jobs list and that did not run, and makes the stages of jobs of old versions wait for
// one another.
func (im *importer) countSkipped(o *origins) {
	for j := range im.jobs {
		x := &im.jobs[j]
		stated := false
		for _, s := range x.stages {
			stated = stated || im.stages[s].hasParents
			if len(im.stages[s].runs) > 0 {
				continue
			}
			if o.match(s) == model.None {
				im.count[unmatched]++
			} else {
				im.count[replaced]++
			}
		}
		if stated || len(x.stages) < 2 {
			continue
		}
		im.count[inSequence]++
		for i, s := range x.stages[1:] {
			im.stages[s].parents = []int64{im.stages[x.stages[i]].id}
		}
	}
}

// connectRun makes an attempt of a stage wait.
func (im *importer) connectRun(o *origins, j, c int32) {
	child := &im.runs[c]
	broken, atOnce := false, false
	var from []int32
	for _, id := range im.stages[child.stage].parents {
		if s, known := im.stageAt[id]; known && s != child.stage {
			from = append(from, o.of(s)...)
		}
	}
	slices.Sort(from)
	for _, k := range slices.Compact(from) {
		r := &im.runs[k]
		switch {
		case r.job != j && im.before(r.job, j):
			im.plans[j].after = append(im.plans[j].after, r.job)
		case r.job != j:
			atOnce = true
		case k < c && r.last <= child.first:
			im.plans[j].edges = append(im.plans[j].edges, [2]int32{k, c})
		default:
			broken = true
		}
	}
	if broken {
		im.count[contrary]++
	}
	if atOnce {
		im.count[concurrent]++
	}
}

// origins finds the attempts of stages that stand for a stage: its own if it ran; if it was skipped, those of the stage
// that ran with the same last RDD; without any task, those of its parents.
type origins struct {
	*importer
	lists [][]int32 // by stage
	state []state
	byRDD map[int64][]int32 // stages that ran, by id
}

type state uint8

const (
	unseen state = iota
	underWay
	settled
)

func (o *origins) of(s int32) []int32 {
	if o.state[s] != unseen {
		return o.lists[s] // empty on a cycle, which no real log has
	}
	o.state[s] = underWay
	x := &o.stages[s]
	var list []int32
	for _, k := range x.runs {
		if len(o.runs[k].tasks) > 0 {
			list = append(list, k)
		}
	}
	if len(list) == 0 {
		if m := o.match(s); m != model.None && m != s {
			list = append(list, o.of(m)...)
		} else {
			for _, id := range x.parents {
				if p, known := o.stageAt[id]; known {
					list = append(list, o.of(p)...)
				}
			}
		}
		slices.Sort(list)
		list = slices.Compact(list)
	}
	o.lists[s], o.state[s] = list, settled
	return list
}

// match is the stage that ran with the last RDD of one that did not, or None. It prefers those that write shuffles, as
// only such a stage is skipped, and of these the last one before it.
func (o *origins) match(s int32) int32 {
	x := &o.stages[s]
	if x.rdd == unknown || len(x.runs) > 0 {
		return model.None
	}
	best := int32(model.None)
	shuffles := false
	for _, k := range o.byRDD[x.rdd] {
		y := &o.stages[k]
		writes := slices.ContainsFunc(y.runs, func(r int32) bool { return o.runs[r].shuffles })
		if best == model.None || writes && !shuffles || writes == shuffles && y.id < x.id {
			best, shuffles = k, writes
		}
	}
	return best
}
