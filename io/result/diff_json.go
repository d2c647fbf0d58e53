package result

import (
	_ "embed"
	"io"
	"iter"
	"slices"
)

//go:embed diff_schema.json
var diffSchema []byte

// DiffSchema is the JSON Schema (2020-12) of a Difference.
func DiffSchema() []byte { return diffSchema }

// WriteJSON writes the difference as one line of JSON, with the lists of jobs, machines and tasks last.
func (d *Difference) WriteJSON(w io.Writer) error {
	l := newLine(w)
	l.value(d, "", "}\n")
	l.text(`,"jobs":[`)
	writeItems(l, slices.Values(d.Jobs))
	l.text(`],"machines":[`)
	writeItems(l, slices.Values(d.Machines))
	l.text(`],"moved":[`)
	writeItems(l, d.Moved())
	l.text("]}\n")
	return l.err
}

// Moved are the tasks that changed, largest changes first.
func (d *Difference) Moved() iter.Seq[TaskChange] {
	return func(yield func(TaskChange) bool) {
		for i := range d.moves {
			if !yield(d.moves[i].described()) {
				return
			}
		}
	}
}
