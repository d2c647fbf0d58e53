package bench

import (
	"fmt"

	"mrsched/io/trace"
	"mrsched/model"
	"mrsched/model/shop"
)

// dummies are how many tasks a graph has besides those that its first line counts.
const dummies = 2

// taskGraph reads a standard task graph.
type taskGraph struct {
	*trace.Words
	graph *trace.Graph
}

func readSTG(x *input) (enter func()) {
	r := &taskGraph{x.words(), trace.NewGraph(&x.Findings)}
	r.Comment = '#'
	r.read()
	return func() {
		graph := r.graph.Emit(x.Builder, x.title, x.file)
		var notes trace.Notes
		notes.Add("imported from a standard task graph: %s, %s", model.Counted(graph.Tasks, "task"),
			model.Counted(graph.Edges, "edge"))
		graph.Note(&notes)
		if !x.machines.Known {
			notes.Add("a graph states no machines: there are %d, as many as its widest level has tasks (--machines)",
				graph.Widest)
		}
		x.Scalars(x.title, shop.MSJO, model.Some(x.machines.Or(graph.Widest)), notes)
	}
}

func (r *taskGraph) read() {
	if !r.Next() {
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
	for ; r.Next(); lines++ {
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
func (r *taskGraph) task() {
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
