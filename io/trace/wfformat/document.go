package wfformat

import (
	"fmt"
	"strings"

	"mrsched/io/textpos"
	"mrsched/model"
)

// Limits against hostile input; no sensible workflow comes near them.
const (
	maxTasks = 1 << 24
	maxLinks = 1 << 27 // parents, children and files of all tasks
	maxCores = 1 << 20 // of a machine
)

// document is what is kept of a file.
type document struct {
	at         model.Position // of the object
	version    textpos.Ident
	hasFlow    bool
	legacy     bool   // the shape before 1.5
	tasks      []task // of the specification, or all of an older document
	hasTasks   bool
	sizes      map[string]model.Bytes // by file
	hasFiles   bool
	runs       []task // of the execution
	executed   bool   // there is an execution
	machines   []machine
	executedAt string
	makespan   model.Optional[model.Time]
	unequal    int // files that an older document gives two sizes
	longer     int // tasks that state a longer time than the makespan
	twice      int // numbers that two keys state with other values
}

// task is what is kept of a task, of either section.
type task struct {
	at              model.Position
	id, name        textpos.Ident
	parents         []textpos.Ident
	children        []textpos.Ident
	inputs, outputs []textpos.Ident
	runtime         model.Optional[model.Time]
	cores           model.Optional[float64]
	memory          model.Optional[model.Bytes]
	read, written   model.Optional[model.Bytes]
	machine         string
	spread          bool // it names other machines too
}

type machine struct {
	at     model.Position
	name   string
	cores  model.Optional[int64]
	rate   model.Optional[float64] // in MHz
	memory model.Optional[model.Bytes]
}

// reader reads one file.
type reader struct {
	*textpos.Values
	doc   *document
	found *model.Findings
	links int
}

// readFile reads a document; nil if there are findings instead.
func readFile(from File, found *model.Findings) *document {
	var own model.Findings // to distinguish this file's findings from those of others
	r := &reader{Values: textpos.NewValues(from.Text, from.Name, "a WfFormat document", &own),
		doc: &document{sizes: map[string]model.Bytes{}}, found: &own}
	if err := r.document(); err != nil {
		r.Fail(err)
	}
	if own.Empty() {
		r.checkShape()
	}
	if own.Empty() {
		return r.doc
	}
	found.Merge(&own)
	return nil
}

var documentFields = textpos.NewFields("schemaVersion", "workflow")

// document reads the file's one object.
func (r *reader) document() error {
	return r.Document("the document", "a WfFormat document", func() error {
		r.doc.at = r.PeekPosition()
		_, err := r.Object("the document", documentFields, func(key string) (err error) {
			if key == "schemaVersion" {
				r.doc.version, err = r.ID(key)
				return err
			}
			r.doc.hasFlow = true
			return r.workflow()
		})
		return err
	})
}

// checkShape reports a document in another format.
func (r *reader) checkShape() {
	d := r.doc
	switch {
	case !d.hasFlow:
		r.Report(d.at, `the document has no "workflow"`, "a WfFormat document")
	case d.version.Text == "":
		if d.version.Pos.Line == 0 { // otherwise it was reported
			r.Report(d.at, `the document has no "schemaVersion"`, `a version, such as "1.5"`)
		}
	case !strings.HasPrefix(d.version.Text, "1."):
		r.Report(d.version.Pos, fmt.Sprintf("schemaVersion is %.80q", d.version.Text),
			`a version of WfFormat from "1.0" on, below "2"`)
	case !d.hasTasks:
		r.Report(d.at, "the workflow has no tasks", `"specification" with "tasks", or before version 1.5 "tasks"`)
	case len(d.tasks) == 0:
		r.found.Add(model.Finding{Code: model.CodeNothingLeft, Pos: d.at, What: "the workflow has an empty list of tasks",
			Expected: "at least one task"})
	case !d.legacy && !d.executed:
		r.found.Add(model.Finding{Code: model.CodeNoTime, Pos: d.at, What: `the workflow has no "execution"`,
			Expected: "runtimeInSeconds of every task",
			Hint:     "this describes a workflow that was not run; import one that was"})
	}
}

var workflowFields = textpos.NewFields("specification", "execution", "tasks", "jobs", "machines", "executedAt",
	"makespanInSeconds", "makespan")

// workflow reads a workflow of either shape; an older one has in itself what a newer one has in its two sections.
func (r *reader) workflow() error {
	_, err := r.Object("the workflow", workflowFields, func(key string) error {
		switch key {
		case "specification":
			return r.specification()
		case "execution":
			return r.execution()
		case "tasks", "jobs":
			r.doc.legacy, r.doc.hasTasks = true, true
			return r.taskList("tasks", &r.doc.tasks)
		}
		return r.recorded(key)
	})
	return err
}

// recorded reads what is known about the run apart from its tasks.
func (r *reader) recorded(key string) (err error) {
	switch key {
	case "machines":
		err = r.Array(key, r.machine)
	case "executedAt":
		r.doc.executedAt, err = r.Text(key)
	case "makespanInSeconds", "makespan":
		var v model.Optional[model.Time]
		v, err = number(r, "makespanInSeconds", "seconds", model.ParseTime)
		r.state(largest(&r.doc.makespan, v))
	}
	return err
}

var specificationFields = textpos.NewFields("tasks", "files")

func (r *reader) specification() error {
	_, err := r.Object("the specification", specificationFields, func(key string) error {
		if key == "tasks" {
			r.doc.hasTasks = true
			return r.taskList("tasks of the specification", &r.doc.tasks)
		}
		r.doc.hasFiles = true
		return r.Array("files", r.file)
	})
	return err
}

var executionFields = textpos.NewFields("tasks", "machines", "executedAt", "makespanInSeconds")

func (r *reader) execution() error {
	r.doc.executed = true
	_, err := r.Object("the execution", executionFields, func(key string) error {
		if key == "tasks" {
			return r.taskList("tasks of the execution", &r.doc.runs)
		}
		return r.recorded(key)
	})
	return err
}

var fileFields = textpos.NewFields("id", "sizeInBytes")

// file reads an element of the specification's files.
func (r *reader) file() error {
	at := r.PeekPosition()
	var id textpos.Ident
	var size model.Optional[model.Bytes]
	ok, err := r.Object("the file", fileFields, func(key string) (err error) {
		if key == "id" {
			id, err = r.ID("the file's id")
		} else {
			size, err = number(r, key, "bytes", wholeBytes)
		}
		return err
	})
	switch {
	case !ok || err != nil:
	case id.Text == "":
		r.Missing(id, at, "the file", "id")
	default:
		if _, twice := r.doc.sizes[id.Text]; twice {
			r.found.Add(model.Finding{Code: model.CodeDuplicate, Pos: id.Pos,
				What: fmt.Sprintf("file id %.80q is used twice", id.Text), Expected: "unique ids", Hint: "drop one of the two"})
		}
		r.doc.sizes[id.Text] = size.Or(0)
	}
	return err
}

var (
	machineFields = textpos.NewFields("nodeName", "cpu", "memoryInBytes")
	cpuFields     = textpos.NewFields("coreCount", "count", "speedInMHz", "speed")
)

func (r *reader) machine() error {
	at := r.PeekPosition()
	var name textpos.Ident
	m := machine{at: at}
	ok, err := r.Object("the machine", machineFields, func(key string) (err error) {
		switch key {
		case "nodeName":
			name, err = r.ID(key)
		case "memoryInBytes":
			m.memory, err = number(r, key, "bytes", wholeBytes)
		default:
			_, err = r.Object("cpu", cpuFields, func(key string) error { return r.processor(key, &m) })
		}
		return err
	})
	if m.name = name.Text; ok && err == nil {
		if m.name == "" {
			r.Missing(name, at, "the machine", "nodeName")
		}
		r.doc.machines = append(r.doc.machines, m)
	}
	return err
}

// processor reads the cores of a machine.
func (r *reader) processor(key string, m *machine) error {
	place := r.PeekPosition()
	if key == "speedInMHz" || key == "speed" {
		rate, err := number(r, "speedInMHz", "a number of megahertz", model.ParseTime) // a decimal of the same digits
		if rate.Value > 0 {
			r.state(largest(&m.rate, model.Some(rate.Value.Seconds())))
		}
		return err
	}
	n, err := number(r, "coreCount", "a whole number", wholeBytes)
	if n.Known && (n.Value < 1 || n.Value > maxCores) {
		r.Report(place, fmt.Sprintf("a machine has %d cores", n.Value), fmt.Sprintf("from 1 to %d", maxCores))
	}
	r.state(largest(&m.cores, model.Optional[int64]{Value: int64(n.Value), Known: n.Known}))
	return err
}

// number reads a number of any unit; absent for null and for findings.
func number[T any](r *reader, what, expected string, parse func(string) (T, error)) (v model.Optional[T], err error) {
	text, at, err := r.Number(what)
	if text == "" || err != nil {
		return v, err
	}
	x, bad := parse(text)
	if bad != nil {
		r.found.Add(textpos.NumberFinding(at, what, text, bad, expected))
		return v, nil
	}
	return model.Some(x), nil
}

// wholeBytes rounds: some writers state bytes with decimals.
func wholeBytes(s string) (model.Bytes, error) {
	v, err := model.ParseFixed(s, 0)
	return model.Bytes(v), err
}
