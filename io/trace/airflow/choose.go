package airflow

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"mrsched/model"
)

const (
	day = int64(24 * time.Hour / time.Microsecond)
	// early is how long before the beginning of a night one of its runs may start.
	early = int64(time.Hour / time.Microsecond)
)

// zero is when a night begins.
func (im *importer) zero(night int64) int64 { return im.base + night*day }

// nightOf is the night of a run that begins then.
func (im *importer) nightOf(at int64) int64 { return (at+early-im.base%day)/day - im.base/day }

// choose sorts tries into nights and chooses the night that is recorded. A night is 24 hours in which runs of DAGs
// start; the first begins at the origin, or in the minute of the first try.
func (im *importer) choose() {
	im.assign()
	begin := map[run]int64{}
	first, latest := int64(0), int64(0)
	for k := range im.tries {
		if t := &im.tries[k]; t.start > 0 {
			if at, ok := begin[im.runOf(t)]; !ok || t.start < at {
				begin[im.runOf(t)] = t.start
			}
			if latest = max(latest, t.start); first == 0 || t.start < first {
				first = t.start
			}
		}
	}
	given := im.opt.Night != ""
	if !given {
		im.base = first - first%int64(time.Minute/time.Microsecond)
	}
	for k := range im.tries {
		r := im.runOf(&im.tries[k])
		if _, ok := begin[r]; !ok {
			begin[r] = latest + 1
		}
		im.tries[k].night = im.nightOf(begin[r])
	}
	im.part(begin)
	im.sortTries()
	if im.pick(ever); !given && im.b.Findings.Empty() {
		im.origin, _ = model.ParseOrigin(clock(im.zero(im.chosen)))
		for k := range im.tries {
			im.tries[k].night -= im.chosen
		}
		im.base, im.chosen = im.zero(im.chosen), 0
	}
}

// run is one of the runs of a DAG.
type run struct{ dag, id string }

func (im *importer) runOf(t *try) run { return run{im.stages[im.units[t.unit].stage].dag, t.run} }

// assign gives what task_fail states to the runs that have task instances, by their ids or by their dates.
func (im *importer) assign() {
	kept := im.tries[:0]
	for _, t := range im.tries {
		if t.run = im.runIDs[im.runOf(&t)]; t.run != "" {
			kept = append(kept, t)
		} else {
			im.count[unassigned]++
		}
	}
	im.tries = kept
}

// part makes a DAG of its own, DAG#2 and so on, of each further run of a DAG in a night, in the order in which they
// began.
func (im *importer) part(begin map[run]int64) {
	number, before := map[run]int{}, run{}
	for _, r := range slices.SortedFunc(maps.Keys(begin), func(a, b run) int {
		return cmp.Or(cmp.Compare(a.dag, b.dag), cmp.Compare(begin[a], begin[b]), cmp.Compare(a.id, b.id))
	}) {
		if number[r] = 1; r.dag == before.dag && im.nightOf(begin[r]) == im.nightOf(begin[before]) {
			number[r] += number[before]
		}
		before = r
	}
	for k := range im.tries {
		if t := &im.tries[k]; number[im.runOf(t)] > 1 {
			t.unit = im.again(t.unit, number[im.runOf(t)])
		}
	}
}

// numbered is the name of a DAG in its nth run of a night.
func numbered(dag string, n int) string {
	if n == 1 {
		return dag
	}
	return dag + "#" + strconv.Itoa(n)
}

// again is a unit in the nth run of its DAG.
func (im *importer) again(u int32, n int) int32 {
	key := im.stages[im.units[u].stage].stageKey
	name, d := numbered(key.dag, n), im.dags[key.dag]
	if im.dags[name] == nil {
		*im.nameDag(name) = dag{due: d.due, schedule: d.schedule, at: d.at, duePos: d.duePos,
			before: numbered(key.dag, n-1)}
		of := func(s int32) int32 { return im.stageOf(stageKey{name, im.stages[s].task}) }
		for _, s := range d.stages {
			c := of(s)
			im.stages[c].sensor, im.stages[c].external = im.stages[s].sensor, im.stages[s].external
			for _, next := range im.stages[s].next {
				to := of(next)
				im.stages[c].next = append(im.stages[c].next, to)
			}
		}
	}
	return im.unitAs(im.stageOf(stageKey{name, key.task}), name+im.units[u].id[len(key.dag):])
}

// sortTries puts the tries of each task in order, those of each run as they began, numbers them, and drops repeated
// ones: those that began when another did, of which task_fail says least.
func (im *importer) sortTries() {
	slices.SortStableFunc(im.tries, func(a, b try) int {
		return cmp.Or(cmp.Compare(a.unit, b.unit), cmp.Compare(a.run, b.run),
			cmp.Compare(cmp.Or(a.start, ever), cmp.Or(b.start, ever)), cmp.Compare(a.poor, b.poor))
	})
	kept, last := im.tries[:0], try{unit: model.None}
	for _, t := range im.tries {
		same := t.unit == last.unit && t.run == last.run
		if same && t.start > 0 && t.start == last.start {
			im.count[repeated]++
			continue
		}
		if t.number = 1; same {
			t.number += last.number
		}
		last, kept = t, append(kept, t)
		if ends := im.stages[im.units[t.unit].stage].ends; t.state == "success" {
			ends[t.night] = max(ends[t.night], t.end)
		}
		im.units[t.unit].tries = append(im.units[t.unit].tries, int32(len(kept)-1))
	}
	im.tries = kept
}

// lastTries are, by unit, its last try in a night that began before a time; None: it has none.
func (im *importer) lastTries(night, before int64) []int32 {
	last := slices.Repeat([]int32{model.None}, len(im.units))
	for u := range im.units {
		for _, k := range im.units[u].tries {
			t := &im.tries[k]
			if t.night == night && t.start < before {
				last[u] = k
			}
		}
	}
	return last
}

const ever = int64(1) << 62

// pick chooses the night of the named run, or else the last one in which all tasks came to a good end and as many DAGs
// ran as in half of the nights; of nights before a given one, if there are any.
func (im *importer) pick(before int64) {
	named := map[int64]bool{}
	for k := range im.tries {
		if t := &im.tries[k]; t.night < before {
			named[t.night] = named[t.night] || t.run == im.opt.Run
		}
	}
	nights := slices.Sorted(maps.Keys(named))
	if len(nights) == 0 {
		return
	}
	im.chosen, im.complete = nights[len(nights)-1], false
	if im.opt.Run != "" {
		k := slices.IndexFunc(nights, func(n int64) bool { return named[n] })
		if k < 0 {
			names := map[string]bool{}
			for i := range im.tries {
				names[im.tries[i].run] = true
			}
			im.b.Findings.Add(model.Finding{Code: model.CodeParameter, What: fmt.Sprintf("--run %s: there is no such run",
				im.opt.Run), Expected: "a run_id", Hint: model.DidYouMean(im.opt.Run, slices.Sorted(maps.Keys(names)))})
			return
		}
		im.chosen = nights[k]
		im.complete, _ = im.ended(im.chosen)
		return
	}
	good, dags := make([]bool, len(nights)), make([]int, len(nights))
	for k, n := range nights {
		good[k], dags[k] = im.ended(n)
	}
	least := slices.Sorted(slices.Values(dags))[len(dags)/2]
	for k := len(nights) - 1; k >= 0 && !im.complete; k-- {
		if good[k] && dags[k] >= least {
			im.chosen, im.complete = nights[k], true
		}
	}
}

// ended says whether all tasks of a night came to a good end, and how many DAGs it has.
func (im *importer) ended(night int64) (good bool, dags int) {
	good = true
	seen := map[string]bool{}
	for u, k := range im.lastTries(night, ever) {
		if k == model.None {
			continue
		}
		state := im.tries[k].state
		good = good && (state == "success" || state == "skipped" || state == "removed")
		seen[im.stages[im.units[u].stage].dag] = true
	}
	return good, len(seen)
}

// keep finds what is work in the chosen night: neither sensors, nor what did not run.
func (im *importer) keep() {
	im.last, im.keptOf = im.lastTries(im.chosen, ever), make([][]int32, len(im.stages))
	counted := make([]bool, len(im.stages))
	for k := range im.tries {
		if t := &im.tries[k]; t.night == im.chosen && t.start > 0 {
			d := im.dags[im.runOf(t).dag]
			d.began = min(cmp.Or(d.began, ever), t.start)
		}
	}
	for u := range im.units {
		s := im.units[u].stage
		if im.last[u] == model.None {
			continue
		}
		switch t := &im.tries[im.last[u]]; {
		case im.stages[s].sensor:
			if !counted[s] {
				im.count[sensors]++
				if im.stages[s].external && !im.awaits(s) {
					im.mark(unnamed, im.stages[s].dag+"."+im.stages[s].task)
				}
			}
			counted[s] = true
			continue
		case t.state == "skipped" || t.state == "removed" || t.state == "upstream_failed":
			im.mark(skipped, im.units[u].id)
			continue
		case t.state == "success" && t.start == 0:
			im.count[idle]++
			continue
		}
		im.kept, im.keptOf[s] = append(im.kept, int32(u)), append(im.keptOf[s], int32(u))
	}
	if len(im.kept) == 0 {
		im.b.Findings.Add(model.Finding{Code: model.CodeNothingLeft, Pos: im.tries[0].at,
			What: "no task does work in the night that began at " + clock(im.zero(im.chosen)), Expected: "tasks that ran"})
	}
}
