package stg

import (
	"fmt"
	"math"
	"strings"

	"mrsched/io/textpos"
	"mrsched/io/trace"
	"mrsched/model"
	"mrsched/model/shop"
)

// Options say what a graph does not say.
type Options struct {
	Machines model.Optional[int64] // unknown: as many as the widest level has tasks
}

// dummies are how many tasks there are besides those that the first line counts.
const dummies = 2

// Import reads a graph. The workload's notes say what was assumed.
//
// Errors: *model.InputError with every finding.
//
// Complexity: O(bytes). Memory: the tasks and edges, never the text.
func Import(file trace.File, opt Options) (*model.Workload, error) {
	b := model.NewBuilder()
	trace.Options{Found: &b.Findings}.Count(opt.Machines.Or(1), math.MaxInt32, "machines",
		fmt.Sprintf("from 1 to %d", math.MaxInt32))
	if err := b.Findings.Err(); err != nil {
		return nil, err
	}
	r := &reader{Words: trace.NewWords(file, &b.Findings), graph: trace.NewGraph(&b.Findings)}
	r.read()
	if err := b.Findings.Err(); err != nil {
		return nil, err
	}
	name := textpos.Stem(file.Name, ".gz", ".stg")
	graph := r.graph.Emit(b, name, file.Name)
	var notes trace.Notes
	notes.Add("imported from a standard task graph: %s, %s", model.Counted(graph.Tasks, "task"),
		model.Counted(graph.Edges, "edge"))
	graph.Note(&notes)
	if !opt.Machines.Known {
		notes.Add("a graph states no machines: there are %d, as many as its widest level has tasks (--machines)",
			graph.Widest)
	}
	b.Scalars(name, shop.MSJO, model.Some(opt.Machines.Or(graph.Widest)), notes)
	return b.Build()
}

// reader reads one file.
type reader struct {
	*trace.Words
	graph *trace.Graph
}

// next goes to the next line that is no comment.
func (r *reader) next() bool {
	for r.Next() {
		if !strings.HasPrefix(r.Word(0), "#") {
			return true
		}
	}
	return false
}

func (r *reader) read() {
	if !r.next() {
		if !r.Failed() {
			r.Empty("the number of tasks, then one line per task")
		}
		return
	}
	if r.Len() != 1 {
		r.Shape(r.At(0), fmt.Sprintf("the first line has %d words", r.Len()), "one: the number of tasks without dummies")
		return
	}
	n, ok := r.Count(0, "number of tasks")
	if !ok {
		return
	}
	lines := int64(0)
	for ; r.next(); lines++ {
		if lines-dummies == n {
			r.Shape(r.At(0), fmt.Sprintf("a line follows those of %s and %d dummies", model.Counted(int(n), "task"),
				dummies), "the end of the file")
			return
		}
		r.task()
	}
	if lines-dummies < n && !r.Failed() {
		r.Shape(r.Line(), fmt.Sprintf("the file ends after %s of tasks", model.Counted(int(lines), "line")),
			fmt.Sprintf("%s and %d dummies, as the first line says", model.Counted(int(n), "task"), dummies))
	}
}

// task reads the line of a task.
func (r *reader) task() {
	const fixed = 3 // words before the predecessors
	if r.Len() < fixed {
		r.Shape(r.At(0), fmt.Sprintf("the line has %d words", r.Len()), "id, length, number of predecessors, predecessors")
		return
	}
	id, ok := r.Whole(0, "id", "a whole number")
	length := r.Time(1, "length")
	count, counted := r.Whole(2, "number of predecessors", "a whole number")
	if counted && count != int64(r.Len()-fixed) {
		r.Shape(r.At(0), fmt.Sprintf("the line has %s", model.Counted(r.Len()-fixed, "predecessor")),
			fmt.Sprintf("%d, as its third number says", count))
	}
	if !ok {
		return
	}
	task := trace.ID{Number: id}
	r.graph.Task(task, length, r.At(0))
	for i := fixed; i < r.Len(); i++ {
		if p, ok := r.Whole(i, "predecessor", "the id of a task"); ok {
			r.graph.Edge(trace.ID{Number: p}, task, r.At(i))
		}
	}
}
