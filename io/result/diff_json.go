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
	writeList(l, "jobs", slices.Values(d.Jobs))
	writeList(l, "machines", slices.Values(d.Machines))
	writeList(l, "moved", d.Moved())
	l.text("}\n")
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

// writeList writes a key with a list, some items at a time.
func writeList[T any](l *line, name string, list iter.Seq[T]) {
	l.text(`,"` + name + `":[`)
	some, separator := make([]T, 0, chunk), ""
	flush := func() {
		if len(some) > 0 {
			l.text(separator)
			l.value(some, "[", "]\n")
			some, separator = some[:0], ","
		}
	}
	for x := range list {
		if some = append(some, x); len(some) == chunk {
			flush()
		}
	}
	flush()
	l.text("]")
}
