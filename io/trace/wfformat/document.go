package wfformat

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mrsched/io/textpos"
	"mrsched/io/trace"
	"mrsched/model"
)

// maxCores is how many cores a machine may have.
const maxCores = 1 << 20

// raw is what is read of a file.
type raw struct {
	Version  trace.Value `json:"schemaVersion"`
	Workflow *struct {
		Specification struct {
			Tasks *[]trace.Placed[rawTask] `json:"tasks"`
			Files []trace.Placed[struct {
				ID   trace.Value `json:"id"`
				Size trace.Value `json:"sizeInBytes"`
			}] `json:"files"`
		} `json:"specification"`
		Execution *struct {
			Makespan   trace.Value                `json:"makespanInSeconds"`
			ExecutedAt trace.Value                `json:"executedAt"`
			Tasks      []trace.Placed[rawRun]     `json:"tasks"`
			Machines   []trace.Placed[rawMachine] `json:"machines"`
		} `json:"execution"`
	} `json:"workflow"`
}

type rawTask struct {
	ID       trace.Value               `json:"id"`
	Parents  []trace.Value             `json:"parents"`
	Children []trace.Value             `json:"children"`
	Inputs   []trace.Value             `json:"inputFiles"`
	Outputs  []trace.Value             `json:"outputFiles"`
	Others   map[string]jsontext.Value `json:",embed"`
}

type rawRun struct {
	ID       trace.Value   `json:"id"`
	Runtime  trace.Value   `json:"runtimeInSeconds"`
	Cores    trace.Value   `json:"coreCount"`
	Memory   trace.Value   `json:"memoryInBytes"`
	Read     trace.Value   `json:"readBytes"`
	Written  trace.Value   `json:"writtenBytes"`
	Machines []trace.Value `json:"machines"`
}

type rawMachine struct {
	Name   trace.Value `json:"nodeName"`
	Memory trace.Value `json:"memoryInBytes"`
	CPU    struct {
		Cores trace.Value `json:"coreCount"`
		Speed trace.Value `json:"speedInMHz"`
	} `json:"cpu"`
}

// document is what is kept of a file.
type document struct {
	at         model.Position // of the object
	version    string
	tasks      []task
	sizes      map[string]model.Bytes // by file
	listed     bool                   // there are files
	runs       []task                 // of the execution
	machines   []machine
	executedAt string
	makespan   model.Optional[model.Time]
	longer     int       // tasks that state a longer time than the makespan
	parents    [][]int32 // by task, in the order in which edges are first stated
	oneSided   bool      // edges are stated at one end only
	unsized    bool      // the sizes of files are unknown
}

// task is what is kept of a task, of either section.
type task struct {
	id                textpos.Ident
	parents, children []textpos.Ident
	inputs, outputs   []textpos.Ident
	runtime           model.Optional[model.Time]
	cores             model.Optional[float64]
	memory            model.Optional[model.Bytes]
	read, written     model.Optional[model.Bytes]
	machine           string
	spread            bool // it names other machines too
}

type machine struct {
	at     model.Position
	name   string
	cores  model.Optional[int64]
	rate   model.Optional[float64] // in MHz
	memory model.Optional[model.Bytes]
}

// reader takes over what was read.
type reader struct{ *trace.Document }

// readFile reads a document; nil if there are findings instead.
func readFile(from File, found *model.Findings) *document {
	var own model.Findings // to distinguish this file's findings from those of others
	var x trace.Placed[raw]
	d := &document{sizes: map[string]model.Bytes{}}
	if text, ok := trace.ReadDocument(from, "a WfFormat document", "the document", &x, &own); ok {
		r := &reader{text}
		d.at = r.In.Position(x.At)
		d.version = r.Text(x.Of.Version, "schemaVersion")
		r.specification(d, &x.Of)
		r.execution(d, &x.Of)
		r.checkShape(d, &x.Of)
	}
	if own.Empty() {
		return d
	}
	found.Merge(&own)
	return nil
}

// checkShape reports a document in another format, unless there are other findings.
func (r *reader) checkShape(d *document, x *raw) {
	switch flow := x.Workflow; {
	case !r.Found.Empty():
	case flow == nil:
		r.Report(d.at, `the document has no "workflow"`, "a WfFormat document")
	case d.version == "":
		r.Report(d.at, `the document has no "schemaVersion"`, `a version, such as "1.5"`)
	case !strings.HasPrefix(d.version, "1."):
		r.Report(r.Position(x.Version), fmt.Sprintf("schemaVersion is %.80q", d.version),
			`a version of WfFormat from "1.5" on, below "2"`)
	case flow.Specification.Tasks == nil:
		r.Report(d.at, "the workflow has no tasks", `"specification" with "tasks", as from version 1.5 on`)
	case len(*flow.Specification.Tasks) == 0:
		r.Found.Add(model.Finding{Code: model.CodeNothingLeft, Pos: d.at, What: "the workflow has an empty list of tasks",
			Expected: "at least one task"})
	case flow.Execution == nil:
		r.Found.Add(model.Finding{Code: model.CodeNoTime, Pos: d.at, What: `the workflow has no "execution"`,
			Expected: "runtimeInSeconds of every task",
			Hint:     "this describes a workflow that was not run; import one that was"})
	}
}

func (r *reader) specification(d *document, x *raw) {
	if x.Workflow == nil || x.Workflow.Specification.Tasks == nil {
		return
	}
	s := &x.Workflow.Specification
	for _, f := range s.Files {
		id := r.ID(f.Of.ID, "id", "the file", f.At)
		size := trace.Number(r.Document, f.Of.Size, "sizeInBytes", "bytes", trace.Rounded)
		if _, twice := d.sizes[id.Text]; twice && id.Text != "" {
			r.Found.Add(model.Finding{Code: model.CodeDuplicate, Pos: id.Pos,
				What: fmt.Sprintf("file id %.80q is used twice", id.Text), Expected: "unique ids", Hint: "drop one of the two"})
		}
		d.sizes[id.Text] = size.Or(0)
	}
	d.listed = s.Files != nil
	for _, t := range *s.Tasks {
		r.misspelt(&t)
		d.tasks = append(d.tasks, task{id: r.ID(t.Of.ID, "id", "the task", t.At), parents: r.refs(t.Of.Parents, "parents"),
			children: r.refs(t.Of.Children, "children"), inputs: r.refs(t.Of.Inputs, "inputFiles"),
			outputs: r.refs(t.Of.Outputs, "outputFiles")})
	}
}

// misspelt reports keys of a task, of those that are not read, that are like the one of edges that it lacks.
func (r *reader) misspelt(t *trace.Placed[rawTask]) {
	var missing []string
	if t.Of.Parents == nil {
		missing = append(missing, "parents")
	}
	if t.Of.Children == nil {
		missing = append(missing, "children")
	}
	for _, key := range slices.Sorted(maps.Keys(t.Of.Others)) {
		if hint := model.DidYouMean(key, missing); hint != "" {
			r.Found.Add(model.Finding{Code: model.CodeTraceObject, Pos: r.In.Position(t.At), Hint: hint,
				What: fmt.Sprintf("a task has the key %.80q", key), Expected: "keys of WfFormat"})
		}
	}
}

// refs takes over a list of ids, each of which may be in it once.
func (r *reader) refs(values []trace.Value, what string) []textpos.Ident {
	list := make([]textpos.Ident, 0, len(values))
	seen := make(map[string]bool, len(values))
	for _, v := range values {
		x := textpos.Ident{Text: r.Text(v, "an id of "+what), Pos: r.Position(v)}
		if seen[x.Text] && x.Text != "" {
			r.Found.Add(model.Finding{Code: model.CodeTwice, Pos: x.Pos,
				What: fmt.Sprintf("%.80q is in %s twice", x.Text, what), Expected: "every id once",
				Hint: "drop one of the two"})
		}
		seen[x.Text] = true
		list = append(list, x)
	}
	return list
}

func (r *reader) execution(d *document, x *raw) {
	if x.Workflow == nil || x.Workflow.Execution == nil {
		return
	}
	e := x.Workflow.Execution
	d.makespan = trace.Number(r.Document, e.Makespan, "makespanInSeconds", "seconds", model.ParseTime)
	d.executedAt = r.Text(e.ExecutedAt, "executedAt")
	for i := range e.Tasks {
		t := &e.Tasks[i].Of
		run := task{id: r.ID(t.ID, "id", "the executed task", e.Tasks[i].At),
			runtime: trace.Number(r.Document, t.Runtime, "runtimeInSeconds", "seconds", model.ParseTime),
			cores:   r.decimal(t.Cores, "coreCount", "a number of cores"),
			memory:  trace.Number(r.Document, t.Memory, "memoryInBytes", "bytes", trace.Rounded),
			read:    trace.Number(r.Document, t.Read, "readBytes", "bytes", trace.Rounded),
			written: trace.Number(r.Document, t.Written, "writtenBytes", "bytes", trace.Rounded)}
		for k, v := range t.Machines {
			name := r.Text(v, "the machine")
			if k == 0 {
				run.machine = name
			}
			run.spread = run.spread || name != run.machine
		}
		d.runs = append(d.runs, run)
	}
	for i := range e.Machines {
		m := &e.Machines[i].Of
		at := e.Machines[i].At
		row := machine{at: r.In.Position(at), name: r.ID(m.Name, "nodeName", "the machine", at).Text,
			memory: trace.Number(r.Document, m.Memory, "memoryInBytes", "bytes", trace.Rounded),
			rate:   r.decimal(m.CPU.Speed, "speedInMHz", "a number of megahertz")}
		if n := trace.Number(r.Document, m.CPU.Cores, "coreCount", "a whole number", trace.Rounded); n.Known {
			row.cores = model.Some(int64(n.Value))
			if n.Value < 1 || n.Value > maxCores {
				r.Report(r.Position(m.CPU.Cores), fmt.Sprintf("a machine has %d cores", n.Value),
					fmt.Sprintf("from 1 to %d", maxCores))
			}
		}
		d.machines = append(d.machines, row)
	}
}

// decimal is a number of six decimals; 0 is unknown.
func (r *reader) decimal(v trace.Value, what, expected string) (x model.Optional[float64]) {
	if n := trace.Number(r.Document, v, what, expected, model.ParseTime); n.Value > 0 { // a decimal of the same digits
		x = model.Some(n.Value.Seconds())
	}
	return x
}
