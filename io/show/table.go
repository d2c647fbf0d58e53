package show

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"mrsched/io/textpos"
	"mrsched/model"
)

// Format says how a table is printed.
type Format string

// The formats.
const (
	FormatTable Format = "table" // for people: numbers in their units
	FormatCSV   Format = "csv"   // exact values
	FormatJSON  Format = "json"  // exact values, one object per line
)

// Output is where a command prints its tables.
type Output struct {
	io.Writer
	Format Format // empty: FormatTable
	Width  int    // of the terminal; 0: what is printed is as wide as it needs
}

// ForPeople says that people read the output.
func (o Output) ForPeople() bool { return o.Format == FormatTable || o.Format == "" }

// ForRecords says that the output is one table of exact values.
func (o Output) ForRecords() bool { return o.Format == FormatCSV }

// Column is a column of a table.
type Column struct {
	Name   string // in CSV and JSON
	Title  string // for people; empty: the name in capitals
	Number bool   // right-aligned; bare in JSON. Columns with a unit are numbers, too
	Whole  bool   // a number without decimals
	Unit   model.Unit
	Mode   model.Rounding
	Show   func(exact string) string // for people, instead of Value
	Rank   int                       // narrow terminals drop the highest ranks first; 0: never
	About  string                    // for the legend; empty: the title says enough
}

// Described is the column for a quantity that a problem describes.
func Described(q model.Quantity) Column { return Column{Name: q.Name, Unit: q.Unit, About: q.About} }

// Ranked is the column with a rank.
func (c Column) Ranked(rank int) Column {
	c.Rank = rank
	return c
}

func (c *Column) number() bool { return c.Number || c.Whole || c.Unit != model.UnitNone }

// heading is the column's title.
func (c *Column) heading() string {
	if c.Title != "" {
		return c.Title
	}
	return Heading(c.Name)
}

// Table has exact values; only the form for people is rounded.
type Table struct {
	Columns []Column
	Rows    [][]string
	Under   map[int][]string // lines under a row, for people only
	Origin  model.Origin     // if known, people see points in time as clock times
	Indent  string
}

// Add adds a row, with a value for each column.
func (t *Table) Add(row ...string) { t.Rows = append(t.Rows, row) }

// Note adds lines under the last row.
func (t *Table) Note(lines ...string) {
	if t.Under == nil {
		t.Under = map[int][]string{}
	}
	t.Under[len(t.Rows)-1] = lines
}

// Print prints a table in the output's format.
func (o Output) Print(t *Table) error {
	switch {
	case o.ForRecords():
		return t.Records().WriteCSV(o)
	case o.Format == FormatJSON:
		return t.writeJSON(o)
	}
	return t.Write(o, o.Width)
}

// writeJSON writes an object per row; values that are unknown are absent.
func (t *Table) writeJSON(w io.Writer) error {
	var b bytes.Buffer
	for _, row := range t.Rows {
		separator := "{"
		for i := range t.Columns {
			if row[i] == "" {
				continue
			}
			b.WriteString(separator + JSONText(textpos.UTF8(t.Columns[i].Name)) + ":")
			separator = ","
			if _, ok := Rational(model.Number(row[i])); ok && t.Columns[i].number() {
				b.WriteString(row[i])
			} else {
				b.WriteString(JSONText(textpos.UTF8(row[i])))
			}
		}
		b.WriteString("}\n")
	}
	_, err := w.Write(b.Bytes())
	return err
}

// JSONText is a value as JSON in one line; one that JSON cannot hold is printed as Go does.
func JSONText(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Write writes the table for people, at most this many columns wide if it fits at all; 0: as wide as it needs. Below
// the table it names the columns that did not fit, and explains the others that have a value.
func (t *Table) Write(w io.Writer, width int) error {
	g := t.grid()
	lost := g.fit(width)
	var b bytes.Buffer
	for i, row := range g.cells {
		b.WriteString(g.line(row))
		for _, line := range t.Under[i-1] { // the first row is the heading
			fmt.Fprintf(&b, "%s  %s\n", t.Indent, textpos.Visible(line))
		}
	}
	if len(lost) > 0 {
		names := strings.Join(lost, ", ")
		b.WriteString(Wrapped("not shown for lack of width: "+names+"; --format csv prints all columns", width, "", "  "))
	}
	for i := range g.columns {
		if c := g.columns[i]; c.About != "" {
			b.WriteString(Wrapped(c.heading()+": "+c.About, width, "", "  "))
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Wrapped is a text in lines of at most this many columns where words allow, with an indent, and one of the lines after
// the first; width 0: one line.
func Wrapped(text string, width int, indent, further string) string {
	if width <= 0 {
		return indent + text + "\n"
	}
	var b strings.Builder
	b.WriteString(indent)
	used := len(indent)
	for i, word := range strings.Fields(text) {
		n := columns(word)
		switch {
		case i == 0:
		case used+1+n > width:
			b.WriteString("\n" + further)
			used = len(further)
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += n
	}
	return b.String() + "\n"
}

// Without leaves out a column.
func (t *Table) Without(name string) *Table {
	return t.only(func(k int) bool { return t.Columns[k].Name != name })
}

// Filled leaves out columns without any value.
func (t *Table) Filled() *Table {
	return t.only(t.filled)
}

// filled says that a column has a value.
func (t *Table) filled(k int) bool {
	return slices.ContainsFunc(t.Rows, func(row []string) bool { return row[k] != "" })
}

// only keeps some columns.
func (t *Table) only(keep func(k int) bool) *Table {
	kept := *t
	kept.Columns, kept.Rows = nil, make([][]string, len(t.Rows))
	for k := range t.Columns {
		if !keep(k) {
			continue
		}
		kept.Columns = append(kept.Columns, t.Columns[k])
		for i, row := range t.Rows {
			kept.Rows[i] = append(kept.Rows[i], row[k])
		}
	}
	return &kept
}
