package wfformat

import (
	"fmt"

	"mrsched/io/textpos"
	"mrsched/model"
)

// taskFields are the keys of a task, of either section and of older documents.
var taskFields = textpos.NewFields("id", "name", "parents", "children", "inputFiles", "outputFiles", "files",
	"runtimeInSeconds", "runtime", "coreCount", "cores", "memoryInBytes", "memory", "readBytes", "writtenBytes",
	"machine", "machines")

// taskList reads tasks.
func (r *reader) taskList(what string, list *[]task) error {
	return r.Array(what, func() error {
		r.In.Release(r.Dec.InputOffset())
		if len(*list) == maxTasks {
			return textpos.StopAt(r.PeekPosition(), fmt.Sprintf("the workflow has more than %d tasks", maxTasks),
				"a smaller workflow")
		}
		t := task{at: r.PeekPosition()}
		ok, err := r.Object("the task", taskFields, func(key string) error { return r.taskField(&t, key) })
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

func (r *reader) taskField(t *task, key string) (err error) {
	switch key {
	case "id":
		t.id, err = r.ID("the task's id")
	case "name":
		t.name.Pos = r.PeekPosition()
		t.name.Text, err = r.Text("the task's name")
	case "parents":
		err = r.refs(key, &t.parents)
	case "children":
		err = r.refs(key, &t.children)
	case "inputFiles":
		err = r.refs(key, &t.inputs)
	case "outputFiles":
		err = r.refs(key, &t.outputs)
	case "files":
		err = r.Array(key, func() error { return r.olderFile(t) })
	case "machine":
		err = r.ranOn(t)
	case "machines":
		err = r.Array(key, func() error { return r.ranOn(t) })
	default:
		err = r.demand(t, key)
	}
	return err
}

// ranOn reads a machine of a task, of which the first counts.
func (r *reader) ranOn(t *task) error {
	name, err := r.Text("the machine")
	if t.machine == "" {
		t.machine = name
	}
	t.spread = t.spread || name != t.machine
	return err
}

// demand reads what a task used.
func (r *reader) demand(t *task, key string) error {
	switch key {
	case "runtimeInSeconds", "runtime":
		v, err := number(r, "runtimeInSeconds", "seconds", model.ParseTime)
		r.state(largest(&t.runtime, v))
		return err
	case "coreCount", "cores":
		cores, err := number(r, "coreCount", "a number of cores", model.ParseTime) // a decimal of the same digits
		if cores.Value > 0 {
			r.state(largest(&t.cores, model.Some(cores.Value.Seconds())))
		}
		return err
	case "memoryInBytes":
		v, err := number(r, key, "bytes", wholeBytes)
		r.state(largest(&t.memory, v))
		return err
	case "memory":
		v, err := number(r, key, "kilobytes", kilobytes)
		r.state(largest(&t.memory, v))
		return err
	case "readBytes":
		v, err := number(r, key, "bytes", wholeBytes)
		t.read = v
		return err
	}
	v, err := number(r, key, "bytes", wholeBytes)
	t.written = v
	return err
}

// state counts a number that an object states under two keys, of older and newer versions, with other values.
func (r *reader) state(differs bool) {
	if differs {
		r.doc.twice++
	}
}

// kilobytes are how versions before 1.4 state memory.
func kilobytes(s string) (model.Bytes, error) {
	v, err := model.ParseFixed(s, 3)
	return model.Bytes(v), err
}

// refs reads a list of ids, each of which may be in it once.
func (r *reader) refs(what string, list *[]textpos.Ident) error {
	seen := map[string]bool{}
	return r.Array(what, func() error {
		x, err := r.ID("an id of " + what)
		if err != nil || x.Text == "" {
			return err
		}
		if seen[x.Text] {
			r.found.Add(model.Finding{Code: model.CodeTwice, Pos: x.Pos,
				What: fmt.Sprintf("%.80q is in %s twice", x.Text, what), Expected: "every id once",
				Hint: "drop one of the two"})
			return nil
		}
		seen[x.Text] = true
		return r.link(list, x)
	})
}

// link adds an id to a list of a task.
func (r *reader) link(list *[]textpos.Ident, x textpos.Ident) error {
	if r.links++; r.links > maxLinks {
		return textpos.StopAt(x.Pos, fmt.Sprintf("the tasks name more than %d parents, children and files", maxLinks),
			"a smaller workflow")
	}
	*list = append(*list, x)
	return nil
}

var olderFileFields = textpos.NewFields("name", "link", "sizeInBytes", "size", "path")

// olderFile reads a file of a task of an older document, which states its size at every task.
func (r *reader) olderFile(t *task) error {
	at := r.PeekPosition()
	var id textpos.Ident
	var link, path string
	var size model.Optional[model.Bytes]
	ok, err := r.Object("the file", olderFileFields, func(key string) (err error) {
		switch key {
		case "name":
			id, err = r.ID("the file's name")
		case "link":
			link, err = r.Text(key)
		case "path":
			path, err = r.Text(key)
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
