package wfformat

import (
	"fmt"
	"slices"

	"mrsched/io/textpos"
	"mrsched/model"
)

// maxSuggestionPool bounds how many ids are searched for the nearest one.
const maxSuggestionPool = 20_000

// flow is a workflow whose references are resolved.
type flow struct {
	*document
	parents [][]int32 // by task, in the order in which edges are first stated
	// oneSided says that edges were stated at one end only.
	oneSided, unsized bool
	parallel          int // tasks that used several cores
}

// linker resolves the references of one document.
type linker struct {
	*flow
	found  *model.Findings
	byID   map[string]int32
	byName map[string]int32 // of older documents; None for a name of several
}

// resolve finds what tasks refer to; nil if there are findings.
func resolve(d *document, found *model.Findings) *flow {
	var own model.Findings
	l := &linker{flow: &flow{document: d}, found: &own, byID: make(map[string]int32, len(d.tasks)),
		byName: map[string]int32{}}
	l.enter()
	if own.Empty() {
		l.runs()
		l.edges()
		l.files()
	}
	if own.Empty() {
		return l.flow
	}
	found.Merge(&own)
	return nil
}

// enter notes the ids and names of all tasks.
func (l *linker) enter() {
	for i := range l.tasks {
		t := &l.tasks[i]
		if _, twice := l.byID[t.id.Text]; twice {
			l.found.Add(model.Finding{Code: model.CodeDuplicate, Pos: t.id.Pos,
				What: fmt.Sprintf("task id %.80q is used twice", t.id.Text), Expected: "unique ids", Hint: "rename one of them"})
			continue
		}
		l.byID[t.id.Text] = int32(i)
		if !l.legacy {
			continue
		}
		if _, twice := l.byName[t.name.Text]; twice {
			l.byName[t.name.Text] = model.None
		} else {
			l.byName[t.name.Text] = int32(i)
		}
	}
}

// task is the task with an id or, in an older document, a name; None after reporting that there is none.
func (l *linker) task(x textpos.Ident, what string) int32 {
	if i, ok := l.byID[x.Text]; ok {
		return i
	}
	if i, ok := l.byName[x.Text]; ok && i != model.None {
		return i
	}
	f := model.Finding{Code: model.CodeUnknownTask, Pos: x.Pos,
		What: fmt.Sprintf("%s %.80q is not a task of the workflow", what, x.Text), Expected: "the id of a task"}
	if len(l.tasks) <= maxSuggestionPool {
		ids := make([]string, 0, len(l.tasks))
		for i := range l.tasks {
			ids = append(ids, l.tasks[i].id.Text)
		}
		slices.Sort(ids)
		f.Hint = model.DidYouMean(x.Text, ids)
	}
	l.found.Add(f)
	return model.None
}

// runs gives the tasks their data from the execution, and requires a runtime for each.
func (l *linker) runs() {
	ran := make([]bool, len(l.tasks))
	for i := range l.document.runs {
		run := &l.document.runs[i]
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
		if t.cores.Or(1) > 1 {
			l.parallel++
		}
		if !t.runtime.Known {
			l.found.Add(model.Finding{Code: model.CodeNoTime, Pos: t.id.Pos,
				What: fmt.Sprintf("task %.80q has no runtimeInSeconds", t.id.Text), Expected: "seconds",
				Hint: "is the task missing in the execution?"})
		}
		if most := l.document.makespan.Value; most > 0 && t.runtime.Value > most {
			t.runtime.Value = most
			l.document.longer++
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
		switch {
		case stated[s.end] == 3:
		case l.legacy: // older documents may state an edge at either end
			l.oneSided = true
		default:
			by, text := s.child, "task %.80q names parent %.80q, whose children do not name it"
			if s.bit == 2 {
				by, text = s.parent, "task %.80q names child %.80q, whose parents do not name it"
			}
			l.found.Add(model.Finding{Code: model.CodeTraceObject, Pos: s.id.Pos,
				What:     fmt.Sprintf(text, l.tasks[by].id.Text, s.id.Text),
				Expected: "the same edges in parents and children", Hint: "which of the two is right? add or drop the other end"})
		}
	}
}

// files requires that every file of a task is listed, if the document lists any.
func (l *linker) files() {
	if !l.hasFiles {
		l.unsized = slices.ContainsFunc(l.tasks, func(t task) bool { return len(t.inputs)+len(t.outputs) > 0 })
		return
	}
	for i := range l.tasks {
		for _, x := range slices.Concat(l.tasks[i].inputs, l.tasks[i].outputs) {
			if _, ok := l.sizes[x.Text]; !ok {
				if l.legacy {
					l.unsized = true
					continue
				}
				l.found.Add(model.Finding{Code: model.CodeTraceObject, Pos: x.Pos,
					What: fmt.Sprintf("file %.80q of task %.80q is not among the files of the specification", x.Text,
						l.tasks[i].id.Text),
					Expected: "the id of a file"})
			}
		}
	}
}

// total is the total size of files; absent if there are none, or the size of one is unknown.
func (f *flow) total(files []textpos.Ident) (sum model.Optional[model.Bytes]) {
	for _, x := range files {
		size, ok := f.sizes[x.Text]
		if !ok || sum.Value+size < 0 {
			return model.Optional[model.Bytes]{}
		}
		sum = model.Some(sum.Value + size)
	}
	return sum
}

// moved is how many bytes a task reads from the files that each of its parents writes, by parent.
func (f *flow) moved(child int32, writers map[string][]int32) map[int32]model.Bytes {
	bytes := map[int32]model.Bytes{}
	for _, x := range f.tasks[child].inputs {
		for _, p := range writers[x.Text] {
			bytes[p] = max(bytes[p], bytes[p]+f.sizes[x.Text]) // capped at the largest int64
		}
	}
	return bytes
}

// writers are the tasks that write each file.
func (f *flow) writers() map[string][]int32 {
	list := map[string][]int32{}
	for i := range f.tasks {
		for _, x := range f.tasks[i].outputs {
			list[x.Text] = append(list[x.Text], int32(i))
		}
	}
	return list
}
