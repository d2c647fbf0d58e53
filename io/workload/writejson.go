package workload

import (
	"crypto/sha256"
	"encoding/hex"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"mrsched/model"
)

// flushAt is how many bytes a writer collects before it writes them.
const flushAt = 1 << 16

// WriteJSON writes the canonical JSON document of a workload: one row per line, keys in the order of the
// columns, absent values left out. Two workloads are equal exactly if their documents are.
//
// Errors: those of w, and text that is not UTF-8.
func WriteJSON(w io.Writer, wl *model.Workload) error { return writeDocument(w, wl, tables) }

// writeDocument writes the scalars and some tables.
func writeDocument(w io.Writer, wl *model.Workload, tables []tableCodec) error {
	j := &jsonWriter{out: w}
	j.scalars(wl)
	for _, t := range tables {
		if t.needed() || t.len(wl) > 0 {
			j.raw(",\n" + `"` + t.tableName() + `":[`)
			t.writeJSON(j, wl)
			j.raw("\n]")
		}
	}
	j.raw("}\n")
	j.flush()
	return j.err
}

// Digest is the SHA-256, in hexadecimal, of the canonical JSON document. It identifies a workload independently of its
// form. A workload that cannot be written has the digest "".
func Digest(wl *model.Workload) string {
	h := sha256.New()
	if err := WriteJSON(h, wl); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

// jsonWriter collects text and keeps the first error.
type jsonWriter struct {
	out io.Writer
	buf []byte
	err error
}

func (j *jsonWriter) raw(s string) { j.buf = append(j.buf, s...) }

func (j *jsonWriter) quote(s string) {
	var err error
	if j.buf, err = jsontext.AppendQuote(j.buf, s); err != nil && j.err == nil {
		j.err = err
	}
}

func (j *jsonWriter) flush() {
	if j.err == nil {
		_, j.err = j.out.Write(j.buf)
	}
	j.buf = j.buf[:0]
}

// row writes the members of one object.
func (j *jsonWriter) row(columns []column, cells []*string, comma string) {
	first := true
	for i, cell := range cells {
		if *cell == "" {
			continue
		}
		if !first {
			j.raw(comma)
		}
		first = false
		j.buf = append(append(append(j.buf, '"'), columns[i].name...), `":`...)
		if columns[i].number || columns[i].nested {
			j.raw(*cell)
		} else {
			j.quote(*cell)
		}
	}
}

func scalarsOf(wl *model.Workload) scalarRow {
	return scalarRow{Format: Format, Name: wl.Name, Problem: wl.Problem, Origin: wl.Origin.String(),
		Machines: countText(wl.Machines), Cost: costText(wl.Cost),
		Now: optionalText(wl.Now, model.Time.String), Grace: optionalText(wl.Grace, model.Time.String),
		Running: countText(wl.MaxRunningJobs)}
}

// scalars writes the opening brace and what is outside the tables.
func (j *jsonWriter) scalars(wl *model.Workload) {
	row := scalarsOf(wl)
	j.raw("{")
	j.row(scalarColumns, cellsOf(&row), ",\n")
	j.notes(wl.Notes)
}

func (j *jsonWriter) notes(notes []string) {
	if len(notes) == 0 {
		return
	}
	j.raw(",\n" + `"` + notesKey + `":[`)
	for i, note := range notes {
		if i > 0 {
			j.raw(",")
		}
		j.raw("\n")
		j.quote(note)
	}
	j.raw("\n]")
}

func (t *table[R, M]) writeJSON(j *jsonWriter, wl *model.Workload) {
	row := new(R)
	cells, read := cellsOf(row), t.texts(wl, row)
	for i := range t.count(wl) {
		if i > 0 {
			j.raw(",")
		}
		j.raw("\n{")
		read(i)
		j.row(t.columns, cells, ",")
		j.raw("}")
		if len(j.buf) >= flushAt {
			if j.flush(); j.err != nil {
				return
			}
		}
	}
}
