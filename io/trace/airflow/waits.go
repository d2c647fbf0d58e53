package airflow

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"mrsched/model"
)

// awaits says whether dag_dependencies says what a sensor waits for, by its name or by that of its DAG.
func (im *importer) awaits(s int32) bool {
	k := im.stages[s].stageKey
	k.dag, _, _ = strings.Cut(k.dag, "#")
	return slices.ContainsFunc(im.waits, func(w wait) bool {
		_, known := im.stageAt[stageKey{k.dag, w.task}]
		return w.dag == k.dag && (w.task == k.task || !known)
	})
}

// await adds what a table says of a wait: several may name tasks, or an earlier run.
func (im *importer) await(w wait, delta int64, at model.Position, theirs ...string) {
	x := im.terms[w]
	if x == nil {
		x = &terms{at: at}
		im.terms[w], im.waits = x, append(im.waits, w)
	}
	if w.trigger {
		theirs = []string{w.task}
	}
	x.delta = max(x.delta, delta)
	x.theirs = append(x.theirs, slices.DeleteFunc(theirs, func(t string) bool { return t == "" })...)
}

// everyWait enters a dependency for each run of a DAG: the nth waits for the nth of the other DAG, or for its last one.
// One that waits for its own DAG waits for the run before.
func (im *importer) everyWait(w wait) {
	x := im.terms[w]
	before := 1
	if w.source != w.dag {
		before = 0
		im.wait(w, x)
	}
	for n, of, by := 2, w.source, w.dag; im.dags[numbered(by, n)] != nil; n++ {
		if _, last := im.ends(numbered(of, n-before)); len(last) > 0 {
			w.source = numbered(of, n-before)
		}
		if w.dag = numbered(by, n); len(im.tasksOf(w.dag)) > 0 {
			im.wait(w, x)
		}
	}
}

// tasksOf are the stages with tasks of a DAG.
func (im *importer) tasksOf(dag string) (list []int32) {
	if d := im.dags[dag]; d != nil {
		for _, s := range d.stages {
			if len(im.keptOf[s]) > 0 {
				list = append(list, s)
			}
		}
	}
	return list
}

// wait enters a dependency of a DAG: of the tasks behind its sensor, if there is one, for the named task or the last
// tasks of the other DAG, or of its first tasks for the task that triggers it; else of the whole DAG for the other one.
func (im *importer) wait(w wait, x *terms) {
	waiting, _ := im.ends(w.dag)
	_, source := im.ends(w.source)
	if len(waiting) == 0 || len(source) == 0 {
		im.count[foreign]++
		return
	}
	var named []int32
	for _, task := range x.theirs {
		list, known := im.named(w.source, task)
		if !known {
			im.mark(nameless, w.source+"."+task)
			list = source
		}
		named = append(named, list...)
	}
	if len(x.theirs) > 0 {
		slices.Sort(named)
		source = slices.Compact(named)
	}
	sensor, known := im.stageAt[stageKey{w.dag, w.task}]
	began := cmp.Or(im.dags[w.dag].began, im.zero(im.chosen))
	switch {
	case x.delta > 0 && began-x.delta*int64(time.Second/time.Microsecond) < im.zero(im.chosen)-early:
		im.mark(past, w.dag+"."+w.task)
		return
	case !w.trigger && known && im.ignores(sensor, source):
		im.mark(untimely, w.dag+"."+w.task)
		return
	case !w.trigger && known:
		waiting = im.behind(sensor, nil)
	case len(x.theirs) == 0:
		im.b.Dependency(w.dag, w.source, 0, model.Locus{Pos: x.at})
		return
	}
	for _, a := range source {
		for _, b := range waiting {
			im.delay(a, b, x.at)
		}
	}
}

// named are the stages with tasks that a task, or a group of tasks, of a DAG consists of; or, of one without, those
// ahead of it.
func (im *importer) named(dag, task string) (list []int32, known bool) {
	own := slices.DeleteFunc(slices.Clone(im.dags[dag].stages), func(s int32) bool {
		return im.stages[s].task != task && !strings.HasPrefix(im.stages[s].task, task+".")
	})
	for _, x := range im.tasksOf(dag) {
		seen := map[int32]bool{}
		im.behind(x, seen)
		if slices.ContainsFunc(own, func(s int32) bool { return s == x || seen[s] && len(im.keptOf[s]) == 0 }) {
			list = append(list, x)
		}
	}
	return list, len(own) > 0
}

// ignores says whether a sensor, in each night in which both came to a good end, ended before others did.
func (im *importer) ignores(sensor int32, others []int32) (before bool) {
	for night, end := range im.stages[sensor].ends {
		theirs := int64(0)
		for _, s := range others {
			theirs = max(theirs, im.stages[s].ends[night])
		}
		if theirs > 0 && theirs <= end {
			return false
		}
		before = before || theirs > end
	}
	return before
}

// ends are the stages with tasks of a DAG that wait for none of it, and those for which none waits.
func (im *importer) ends(dag string) (first, last []int32) {
	awaits, all := map[int32]bool{}, im.tasksOf(dag)
	for _, s := range all {
		next := im.behind(s, nil)
		for _, n := range next {
			awaits[n] = true
		}
		if len(next) == 0 {
			last = append(last, s)
		}
	}
	return slices.DeleteFunc(all, func(s int32) bool { return awaits[s] }), last
}
