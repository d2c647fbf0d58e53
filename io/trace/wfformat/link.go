package wfformat

import (
	"fmt"
	"slices"

	"mrsched/io/textpos"
	"mrsched/model"
)

// linker resolves the references of one document.
type linker struct {
	*document
	found *model.Findings
	byID  map[string]int32
}

// resolve finds what tasks refer to, and says whether all of it is there.
func (d *document) resolve(found *model.Findings) bool {
	var own model.Findings
	l := &linker{document: d, found: &own, byID: make(map[string]int32, len(d.tasks))}
	l.enter()
	if own.Empty() {
		l.takeRuns()
		l.edges()
		l.files()
	}
	found.Merge(&own)
	return own.Empty()
}

// enter notes the ids of all tasks.
func (l *linker) enter() {
	for i := range l.tasks {
		t := &l.tasks[i]
		if _, twice := l.byID[t.id.Text]; twice {
			l.found.Add(model.Finding{Code: model.CodeDuplicate, Pos: t.id.Pos,
				What: fmt.Sprintf("task id %.80q is used twice", t.id.Text), Expected: "unique ids", Hint: "rename one of them"})
			continue
		}
		l.byID[t.id.Text] = int32(i)
	}
}

// task is the task with an id; None after reporting that there is none.
func (l *linker) task(x textpos.Ident, what string) int32 {
	if i, ok := l.byID[x.Text]; ok {
		return i
	}
	l.found.Add(model.Finding{Code: model.CodeUnknownTask, Pos: x.Pos,
		What: fmt.Sprintf("%s %.80q is not a task of the workflow", what, x.Text), Expected: "the id of a task"})
	return model.None
}

// takeRuns gives the tasks their data from the execution, and requires a runtime for each.
func (l *linker) takeRuns() {
	ran := make([]bool, len(l.tasks))
	for i := range l.runs {
		run := &l.runs[i]
		u := l.task(run.id, "the executed task")
		if u == model.None {
			continue
		}
		if ran[u] {
			l.found.Add(model.Finding{Code: model.CodeDuplicate, Pos: run.id.Pos,
				What: fmt.Sprintf("the execution has task %.80q twice", run.id.Text), Expected: "every task once",
				Hint: "drop one of the two"})
			continue
		}
		ran[u] = true
		t := &l.tasks[u]
		t.runtime, t.cores, t.memory, t.read, t.written, t.machine, t.spread = run.runtime, run.cores, run.memory, run.read,
			run.written, run.machine, run.spread
	}
	for i := range l.tasks {
		t := &l.tasks[i]
		if !t.runtime.Known {
			l.found.Add(model.Finding{Code: model.CodeNoTime, Pos: t.id.Pos,
				What: fmt.Sprintf("task %.80q has no runtimeInSeconds", t.id.Text), Expected: "seconds",
				Hint: "is the task missing in the execution?"})
		}
		if most := l.makespan.Value; most > 0 && t.runtime.Value > most {
			t.runtime.Value = most
			l.longer++
		}
	}
}

// edges merges the edges that parents and children state.
func (l *linker) edges() {
	type end struct{ parent, child int32 }
	type statement struct {
		end
		id  textpos.Ident // that states it
		bit uint8         // 1: as a parent, 2: as a child
	}
	l.parents = make([][]int32, len(l.tasks))
	var list []statement
	stated := map[end]uint8{} // the bits of all statements
	count := [3]int{}
	add := func(e end, x textpos.Ident, bit uint8) {
		count[bit]++
		if e.parent == model.None || e.child == model.None {
			return
		}
		if stated[e] == 0 {
			l.parents[e.child] = append(l.parents[e.child], e.parent)
		}
		stated[e] |= bit
		list = append(list, statement{e, x, bit})
	}
	for i := range l.tasks {
		for _, x := range l.tasks[i].parents {
			add(end{l.task(x, "parent"), int32(i)}, x, 1)
		}
	}
	for i := range l.tasks {
		for _, x := range l.tasks[i].children {
			add(end{int32(i), l.task(x, "child")}, x, 2)
		}
	}
	if l.oneSided = count[1] == 0 != (count[2] == 0); l.oneSided || !l.found.Empty() {
		return
	}
	for _, s := range list {
		if stated[s.end] == 3 {
			continue
		}
		by, text := s.child, "task %.80q names parent %.80q, whose children do not name it"
		if s.bit == 2 {
			by, text = s.parent, "task %.80q names child %.80q, whose parents do not name it"
		}
		l.found.Add(model.Finding{Code: model.CodeTraceObject, Pos: s.id.Pos,
			What:     fmt.Sprintf(text, l.tasks[by].id.Text, s.id.Text),
			Expected: "the same edges in parents and children", Hint: "which of the two is right? add or drop the other end"})
	}
}

// files requires that every file of a task is listed, if the document lists any.
func (l *linker) files() {
	if !l.listed {
		l.unsized = slices.ContainsFunc(l.tasks, func(t task) bool { return len(t.inputs)+len(t.outputs) > 0 })
		return
	}
	for i := range l.tasks {
		for _, x := range slices.Concat(l.tasks[i].inputs, l.tasks[i].outputs) {
			if _, ok := l.sizes[x.Text]; !ok {
				l.found.Add(model.Finding{Code: model.CodeTraceObject, Pos: x.Pos,
					What: fmt.Sprintf("file %.80q of task %.80q is not among the files of the specification", x.Text,
						l.tasks[i].id.Text),
					Expected: "the id of a file"})
			}
		}
	}
}

// total is the total size of files; absent if there are none, or the size of one is unknown.
func (d *document) total(files []textpos.Ident) (sum model.Optional[model.Bytes]) {
	for _, x := range files {
		size, ok := d.sizes[x.Text]
		if !ok || sum.Value+size < 0 {
			return model.Optional[model.Bytes]{}
		}
		sum = model.Some(sum.Value + size)
	}
	return sum
}
