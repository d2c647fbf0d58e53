package wfformat

import (
	"fmt"

	"mrsched/io/textpos"
	"mrsched/model"
)

// Fields of a task, of either section and of older documents.
const (
	taskID uint = iota
	taskName
	taskParents
	taskChildren
	taskInputs
	taskOutputs
	taskFiles
	taskRuntime
	taskRuntimeOld
	taskCores
	taskCoresOld
	taskMemory
	taskMemoryOld
	taskRead
	taskWritten
	taskMachine
	taskMachines
)

var taskFields = textpos.Fields{"id": taskID, "name": taskName, "parents": taskParents, "children": taskChildren,
	"inputFiles": taskInputs, "outputFiles": taskOutputs,
	"files": taskFiles, "runtimeInSeconds": taskRuntime, "runtime": taskRuntimeOld, "coreCount": taskCores,
	"cores": taskCoresOld, "memoryInBytes": taskMemory,
	"memory": taskMemoryOld, "readBytes": taskRead, "writtenBytes": taskWritten, "machine": taskMachine,
	"machines": taskMachines}

// taskList reads tasks.
func (r *reader) taskList(what string, list *[]task) error {
	return r.Array(what, func() error {
		r.In.Release(r.Dec.InputOffset())
		if len(*list) == maxTasks {
			return &textpos.Stop{Finding: model.Finding{Code: model.CodeTraceObject, Pos: r.PeekPosition(),
				What: fmt.Sprintf("the workflow has more than %d tasks", maxTasks), Expected: "a smaller workflow"}}
		}
		t := task{at: r.PeekPosition()}
		ok, err := r.Object("the task", taskFields, func(field uint) error { return r.taskField(&t, field) })
		if !ok || err != nil {
			return err
		}
		if t.id.Text == "" {
			r.nameless(&t)
		}
		*list = append(*list, t)
		return nil
	})
}

// nameless lets a task without id be called by its name, as older documents do, or reports it.
func (r *reader) nameless(t *task) {
	if r.doc.legacy && t.id.Pos.Line == 0 && t.name.Text != "" {
		t.id = t.name
		return
	}
	r.Missing(t.id, t.at, "the task", "id")
}

func (r *reader) taskField(t *task, field uint) (err error) {
	switch field {
	case taskID:
		t.id, err = r.ID("the task's id")
	case taskName:
		t.name.Pos = r.PeekPosition()
		t.name.Text, err = r.Text("the task's name")
	case taskParents:
		err = r.refs("parents", &t.parents)
	case taskChildren:
		err = r.refs("children", &t.children)
	case taskInputs:
		err = r.refs("inputFiles", &t.inputs)
	case taskOutputs:
		err = r.refs("outputFiles", &t.outputs)
	case taskFiles:
		err = r.Array("files", func() error { return r.olderFile(t) })
	case taskRuntime, taskRuntimeOld:
		t.runtime, err = number(r, "runtimeInSeconds", "seconds", model.ParseTime)
	case taskMachine:
		t.machine, err = r.Text("machine")
	case taskMachines:
		err = r.Array("machines", func() error {
			name, err := r.Text("the machine")
			if t.machine == "" {
				t.machine = name
			}
			return err
		})
	default:
		err = r.demand(t, field)
	}
	return err
}

// demand reads what a task used besides time.
func (r *reader) demand(t *task, field uint) (err error) {
	switch field {
	case taskCores, taskCoresOld:
		var cores model.Optional[model.Time] // a decimal of the same digits
		if cores, err = number(r, "coreCount", "a number of cores", model.ParseTime); cores.Value > 0 {
			t.cores = model.Some(cores.Value.Seconds())
		}
	case taskMemory:
		t.memory, err = number(r, "memoryInBytes", "bytes", wholeBytes)
	case taskMemoryOld:
		t.memory, err = number(r, "memory", "kilobytes", kilobytes)
	case taskRead:
		t.read, err = number(r, "readBytes", "bytes", wholeBytes)
	case taskWritten:
		t.written, err = number(r, "writtenBytes", "bytes", wholeBytes)
	}
	return err
}

// kilobytes are how versions before 1.4 state memory.
func kilobytes(s string) (model.Bytes, error) {
	v, err := model.ParseFixed(s, 3)
	return model.Bytes(v), err
}

// refs reads a list of ids, each of which may stand in it once.
func (r *reader) refs(what string, list *[]textpos.Ident) error {
	seen := map[string]bool{}
	return r.Array(what, func() error {
		x, err := r.ID("an id of " + what)
		if err != nil || x.Text == "" {
			return err
		}
		if seen[x.Text] {
			r.found.Add(model.Finding{Code: model.CodeTwice, Pos: x.Pos, What: fmt.Sprintf("%.80q stands in %s twice", x.Text,
				what), Expected: "every id once", Hint: "drop one of the two"})
			return nil
		}
		seen[x.Text] = true
		return r.link(list, x)
	})
}

// link adds an id to a list of a task.
func (r *reader) link(list *[]textpos.Ident, x textpos.Ident) error {
	if r.links++; r.links > maxLinks {
		return &textpos.Stop{Finding: model.Finding{Code: model.CodeTraceObject, Pos: x.Pos,
			What:     fmt.Sprintf("the tasks name more than %d parents, children and files", maxLinks),
			Expected: "a smaller workflow"}}
	}
	*list = append(*list, x)
	return nil
}

var olderFileFields = textpos.Fields{"name": 0, "link": 1, "sizeInBytes": 2, "size": 3, "path": 4}

// olderFile reads a file of a task of an older document, which states its size at every task.
func (r *reader) olderFile(t *task) error {
	at := r.PeekPosition()
	var id textpos.Ident
	var link, path string
	var size model.Optional[model.Bytes]
	ok, err := r.Object("the file", olderFileFields, func(field uint) (err error) {
		switch field {
		case 0:
			id, err = r.ID("the file's name")
		case 1:
			link, err = r.Text("link")
		case 4:
			path, err = r.Text("path")
		default:
			size, err = number(r, "sizeInBytes", "bytes", wholeBytes)
		}
		return err
	})
	if !ok || err != nil {
		return err
	}
	if id.Text == "" {
		r.Missing(id, at, "the file", "name")
		return nil
	}
	id.Text = path + id.Text
	if known, twice := r.doc.sizes[id.Text]; !twice && size.Known {
		r.doc.sizes[id.Text] = size.Value
	} else if twice && size.Known && known != size.Value {
		r.doc.unequal++
	}
	r.doc.hasFiles = true
	switch link {
	case "input":
		return r.link(&t.inputs, id)
	case "output":
		return r.link(&t.outputs, id)
	}
	r.Report(at, fmt.Sprintf("the file's link is %.80q", link), `"input" or "output"`)
	return nil
}
