package airflow

import (
	"slices"
	"strings"

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

// mergeWaits keeps what says most, where tables state the same: a wait for a task, not for its whole DAG, and for an
// earlier run.
func (im *importer) mergeWaits() {
	short := func(w wait) wait { return wait{trigger: w.trigger, source: w.source, dag: w.dag, task: w.task} }
	named, earlier, twice := map[wait]bool{}, map[wait]bool{}, map[wait]bool{}
	for _, w := range im.waits {
		k := short(w)
		named[k], earlier[k] = named[k] || w.theirs != "", earlier[k] || w.earlier
	}
	var kept []wait
	for _, w := range im.waits {
		k := short(w)
		w.earlier = earlier[k]
		whole := w.theirs == "" && named[k]
		if k.theirs = w.theirs; !whole && !twice[k] {
			kept = append(kept, w)
		}
		twice[k] = true
	}
	im.waits = kept
}

// everyWait enters a dependency for each run of a DAG: the nth waits for the nth of the other DAG, or for its last one.
// One that waits for its own DAG waits for the run before.
func (im *importer) everyWait(w wait) {
	if w.earlier {
		im.mark(past, w.dag+"."+w.task)
		return
	}
	before := 1
	if w.source != w.dag {
		before = 0
		im.wait(w)
	}
	for n, of, by := 2, w.source, w.dag; im.dags[numbered(by, n)] != nil; n++ {
		if _, last := im.ends(numbered(of, n-before)); len(last) > 0 {
			w.source = numbered(of, n-before)
		}
		if w.dag = numbered(by, n); len(im.tasksOf(w.dag)) > 0 {
			im.wait(w)
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
func (im *importer) wait(w wait) {
	waiting, _ := im.ends(w.dag)
	_, source := im.ends(w.source)
	if len(waiting) == 0 || len(source) == 0 {
		im.count[foreign]++
		return
	}
	theirs := w.theirs
	if w.trigger {
		theirs = w.task
	}
	one := false
	if theirs != "" {
		var list []int32
		if list, one = im.named(w.source, theirs); one {
			source = list
		} else {
			im.mark(nameless, w.source+"."+theirs)
		}
	}
	sensor, known := im.stageAt[stageKey{w.dag, w.task}]
	switch {
	case !w.trigger && known && im.ignores(sensor, source):
		im.mark(untimely, w.dag+"."+w.task)
		return
	case !w.trigger && known:
		waiting = im.behind(sensor, nil)
	case !one:
		im.b.Dependency(w.dag, w.source, 0, model.Locus{Pos: w.at})
		return
	}
	for _, a := range source {
		for _, b := range waiting {
			im.delay(a, b, w.at)
		}
	}
}

// named are the stages with tasks that a task, or a group of tasks, of a DAG consists of; or, of one without, those ahead
// of it.
func (im *importer) named(dag, task string) (list []int32, known bool) {
	all := im.tasksOf(dag)
	for _, s := range im.dags[dag].stages {
		if name := im.stages[s].task; name != task && !strings.HasPrefix(name, task+".") {
			continue
		}
		known = true
		for _, x := range all {
			seen := map[int32]bool{}
			if len(im.keptOf[s]) == 0 {
				im.behind(x, seen)
			}
			if (x == s || seen[s]) && !slices.Contains(list, x) {
				list = append(list, x)
			}
		}
	}
	return list, known
}

// ignores says whether a sensor, in each night in which both came to a good end, ended before others did.
func (im *importer) ignores(sensor int32, others []int32) (before bool) {
	ends := func(stages ...int32) map[int64]int64 {
		last := map[int64]int64{}
		for _, s := range stages {
			for _, u := range im.stages[s].units {
				for _, k := range im.units[u].tries {
					if t := &im.tries[k]; t.state == "success" {
						last[t.night] = max(last[t.night], t.end)
					}
				}
			}
		}
		return last
	}
	theirs := ends(others...)
	for night, end := range ends(sensor) {
		if theirs[night] > 0 && theirs[night] <= end {
			return false
		}
		before = before || theirs[night] > end
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
