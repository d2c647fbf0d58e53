package wfformat

import (
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

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
}

type machine struct {
	name  string
	cores model.Optional[int64]
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
	var own model.Findings // to tell this file's from those of others
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
	pass(&own, found)
	return nil
}

// pass adds the findings of one file to those of all.
func pass(own, found *model.Findings) {
	input, ok := own.Err().(*model.InputError)
	if !ok {
		return
	}
	for _, f := range input.Findings {
		found.Add(f)
	}
	for range input.More { // found is full by now and counts them
		found.Add(model.Finding{})
	}
}

var documentFields = textpos.Fields{"schemaVersion": 0, "workflow": 1}

// document reads the file's one object.
func (r *reader) document() error {
	if r.Dec.PeekKind() == jsontext.KindInvalid {
		_, err := r.Dec.ReadToken()
		if err == io.EOF {
			r.Report(r.Here(0), "the file is empty", "a WfFormat document")
			err = nil
		}
		return err
	}
	r.doc.at = r.PeekPosition()
	ok, err := r.Object("the document", documentFields, func(field uint) (err error) {
		if field == 0 {
			r.doc.version, err = r.ID("schemaVersion")
			return err
		}
		r.doc.hasFlow = true
		return r.workflow()
	})
	if !ok || err != nil {
		return err
	}
	at := r.PeekPosition()
	if err = r.Skip(); err == io.EOF {
		return nil
	}
	if err == nil {
		r.Report(at, "a second value follows the document", "one document a file")
	}
	return err
}

// checkShape reports a document that is none of this format.
func (r *reader) checkShape() {
	d := r.doc
	switch {
	case !d.hasFlow:
		r.Report(d.at, `the document has no "workflow"`, "a WfFormat document")
	case d.version.Text == "":
		r.missingVersion()
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

func (r *reader) missingVersion() {
	if r.doc.version.Pos.Line == 0 { // else reported
		r.Report(r.doc.at, `the document has no "schemaVersion"`, `a version, such as "1.5"`)
	}
}

// Fields of a workflow.
const (
	flowSpecification uint = iota
	flowExecution
	flowTasks
	flowJobs
	flowMachines
	flowExecutedAt
	flowMakespan
	flowMakespanOld
)

var workflowFields = textpos.Fields{"specification": flowSpecification, "execution": flowExecution, "tasks": flowTasks,
	"jobs": flowJobs, "machines": flowMachines,
	"executedAt": flowExecutedAt, "makespanInSeconds": flowMakespan, "makespan": flowMakespanOld}

// workflow reads a workflow of either shape; an older one has in itself what a newer one has in its two sections.
func (r *reader) workflow() error {
	_, err := r.Object("the workflow", workflowFields, func(field uint) error {
		switch field {
		case flowSpecification:
			return r.specification()
		case flowExecution:
			return r.execution()
		case flowTasks, flowJobs:
			r.doc.legacy, r.doc.hasTasks = true, true
			return r.taskList("tasks", &r.doc.tasks)
		}
		return r.recorded(field)
	})
	return err
}

// recorded reads what is known of the run besides its tasks.
func (r *reader) recorded(field uint) (err error) {
	switch field {
	case flowMachines:
		err = r.Array("machines", r.machine)
	case flowExecutedAt:
		r.doc.executedAt, err = r.Text("executedAt")
	case flowMakespan, flowMakespanOld:
		r.doc.makespan, err = number(r, "makespanInSeconds", "seconds", model.ParseTime)
	}
	return err
}

var specificationFields = textpos.Fields{"tasks": 0, "files": 1}

func (r *reader) specification() error {
	_, err := r.Object("the specification", specificationFields, func(field uint) error {
		if field == 0 {
			r.doc.hasTasks = true
			return r.taskList("tasks of the specification", &r.doc.tasks)
		}
		r.doc.hasFiles = true
		return r.Array("files", r.file)
	})
	return err
}

var executionFields = textpos.Fields{"tasks": flowTasks, "machines": flowMachines, "executedAt": flowExecutedAt,
	"makespanInSeconds": flowMakespan}

func (r *reader) execution() error {
	r.doc.executed = true
	_, err := r.Object("the execution", executionFields, func(field uint) error {
		if field == flowTasks {
			return r.taskList("tasks of the execution", &r.doc.runs)
		}
		return r.recorded(field)
	})
	return err
}

var fileFields = textpos.Fields{"id": 0, "sizeInBytes": 1}

// file reads an element of the specification's files.
func (r *reader) file() error {
	at := r.PeekPosition()
	var id textpos.Ident
	var size model.Optional[model.Bytes]
	ok, err := r.Object("the file", fileFields, func(field uint) (err error) {
		if field == 0 {
			id, err = r.ID("the file's id")
		} else {
			size, err = number(r, "sizeInBytes", "bytes", wholeBytes)
		}
		return err
	})
	switch {
	case !ok || err != nil:
	case id.Text == "":
		r.Missing(id, at, "the file", "id")
	default:
		if _, twice := r.doc.sizes[id.Text]; twice {
			r.found.Add(model.Finding{Code: model.CodeDuplicate, Pos: id.Pos, What: fmt.Sprintf("file id %.80q is used twice",
				id.Text), Expected: "unique ids", Hint: "drop one of the two"})
		}
		r.doc.sizes[id.Text] = size.Or(0)
	}
	return err
}

var (
	machineFields = textpos.Fields{"nodeName": 0, "cpu": 1}
	cpuFields     = textpos.Fields{"coreCount": 0, "count": 1}
)

func (r *reader) machine() error {
	at := r.PeekPosition()
	var name textpos.Ident
	var m machine
	ok, err := r.Object("the machine", machineFields, func(field uint) (err error) {
		if field == 0 {
			name, err = r.ID("nodeName")
			return err
		}
		_, err = r.Object("cpu", cpuFields, func(uint) error {
			place := r.PeekPosition()
			n, err := number(r, "coreCount", "a whole number", wholeBytes)
			if n.Known && (n.Value < 1 || n.Value > maxCores) {
				r.Report(place, fmt.Sprintf("a machine has %d cores", n.Value), fmt.Sprintf("from 1 to %d", maxCores))
			}
			m.cores = model.Optional[int64]{Value: int64(n.Value), Known: n.Known}
			return err
		})
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
