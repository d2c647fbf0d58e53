package diff

import (
	"bufio"
	_ "embed"
	"io"
	"iter"
	"slices"
	"strings"

	"mrsched/io/show"
)

//go:embed schema.json
var schema []byte

// Schema is the JSON Schema (2020-12) of a Difference.
func Schema() []byte { return schema }

// WriteJSON writes the difference as one line of JSON, with the lists of jobs, machines and tasks last.
func (d *Difference) WriteJSON(w io.Writer) error {
	out := bufio.NewWriter(w) // whose errors Flush returns
	_, _ = out.WriteString(strings.TrimSuffix(show.JSONText(d), "}"))
	writeList(out, "jobs", slices.Values(d.Jobs))
	writeList(out, "machines", slices.Values(d.Machines))
	writeList(out, "moved", d.Moved())
	_, _ = out.WriteString("}\n")
	return out.Flush()
}

func writeList[T any](out *bufio.Writer, name string, list iter.Seq[T]) {
	_, _ = out.WriteString(`,"` + name + `":[`)
	separator := ""
	for x := range list {
		_, _ = out.WriteString(separator + show.JSONText(x))
		separator = ","
	}
	_ = out.WriteByte(']')
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
