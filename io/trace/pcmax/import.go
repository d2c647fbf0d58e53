package pcmax

import (
	"fmt"

	"mrsched/io/textpos"
	"mrsched/io/trace"
	"mrsched/model"
	"mrsched/model/shop"
)

// Import reads an instance. The workload's notes say what became of it.
//
// Errors: *model.InputError with every finding.
//
// Complexity: O(bytes). Memory: the tasks, never the text.
func Import(file trace.File) (*model.Workload, error) {
	b := model.NewBuilder()
	name := textpos.Stem(file.Name, ".gz", ".txt")
	b.Job(model.Job{ID: name, Weight: model.UnitWeight}, model.Locus{Pos: model.Position{File: file.Name, Line: 1,
		Column: 1}})
	r := &reader{Words: trace.NewWords(file, &b.Findings), b: b, job: name}
	r.read()
	if err := b.Findings.Err(); err != nil {
		return nil, err
	}
	b.Scalars(name, shop.MSJO, model.Some(r.machines), []string{fmt.Sprintf("imported from the lengths of %s, for %s",
		model.Counted(int(r.tasks), "task"), model.Counted(int(r.machines), "machine"))})
	return b.Build()
}

// reader reads one file.
type reader struct {
	*trace.Words
	b               *model.Builder
	job             string
	machines, tasks int64
	number          int64 // numbers read
}

// counts are how many numbers are before the lengths.
const counts = 2

func (r *reader) read() {
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
func (r *reader) take(i int) (ok bool) {
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
	r.b.Task(model.Task{ID: trace.TaskName(r.number - counts + 1), Processing: model.Some(r.Time(i, "length"))}, r.job, "",
		model.Locus{Pos: r.At(i)})
	return true
}
