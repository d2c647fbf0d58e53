package bench

import (
	"fmt"

	"mrsched/io/trace"
	"mrsched/model"
	"mrsched/model/shop"
)

// lengths reads an instance of P||Cmax.
type lengths struct {
	*trace.Words
	*input
	machines, tasks int64
	number          int64 // numbers read
}

func readPCMax(x *input) (enter func()) {
	x.Job(model.Job{ID: x.title, Weight: model.UnitWeight}, x.line(1))
	r := &lengths{Words: x.words(), input: x}
	r.read()
	return func() {
		x.Scalars(x.title, shop.MSJO, model.Some(r.machines), []string{fmt.Sprintf("imported from the lengths of %s, for %s",
			model.Counted(int(r.tasks), "task"), model.Counted(int(r.machines), "machine"))})
	}
}

// counts are how many numbers are before the lengths.
const counts = 2

func (r *lengths) read() {
	for r.Next() {
		for i := range r.Len() {
			if !r.take(i) {
				return
			}
			r.number++
		}
	}
	switch {
	case r.Failed():
	case r.number == 0:
		r.Empty("the number of machines, the number of tasks, and lengths")
	case r.number < counts:
		r.Shape(r.Line(), "the file ends after the number of machines", "the number of tasks, and lengths")
	case r.number-counts < r.tasks:
		r.Shape(r.Line(), fmt.Sprintf("the file ends after %s", model.Counted(int(r.number-counts), "length")),
			fmt.Sprintf("%d, as the second number says", r.tasks))
	}
}

// take takes a number; false if the rest of the file cannot be understood.
func (r *lengths) take(i int) (ok bool) {
	switch r.number {
	case 0:
		r.machines, ok = r.Count(i, "number of machines")
		return ok
	case 1:
		r.tasks, ok = r.Count(i, "number of tasks")
		return ok
	case counts + r.tasks:
		r.Shape(r.At(i), fmt.Sprintf("a number follows the lengths of %s", model.Counted(int(r.tasks), "task")),
			"the end of the file")
		return false
	}
	r.Task(model.Task{ID: trace.TaskName(r.number - counts + 1), Processing: model.Some(r.Time(i, "length"))}, r.title, "",
		model.Locus{Pos: r.At(i)})
	return true
}
