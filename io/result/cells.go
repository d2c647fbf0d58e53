package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mrsched/model"
)

// Cell is one of the problem's own columns in a row of a schedule.
type Cell struct{ Name, Text string }

// Cells are the problem's own columns of one row, in the order of schedule.csv. In JSON they are an object of strings.
type Cells []Cell

// cellsOf are an entry's cells; nil if its problem has no columns of its own.
func cellsOf(view model.View, e model.Entry) Cells {
	texts := view.Cells(e)
	if texts == nil {
		return nil
	}
	list := make(Cells, len(texts))
	for i, c := range view.Description().Columns {
		list[i] = Cell{c.Name, texts[i]}
	}
	return list
}

// like says whether two rows have the same columns.
func (c Cells) like(other Cells) bool {
	return slices.EqualFunc(c, other, func(a, b Cell) bool { return a.Name == b.Name })
}

// Text is the value of a column; empty if there is none.
func (c Cells) Text(name string) string {
	for i := range c {
		if c[i].Name == name {
			return c[i].Text
		}
	}
	return ""
}

// String prints name=text for each column, for messages.
func (c Cells) String() string {
	if len(c) == 0 {
		return "no columns"
	}
	list := make([]string, len(c))
	for i := range c {
		list[i] = fmt.Sprintf("%s=%q", c[i].Name, c[i].Text)
	}
	return strings.Join(list, " ")
}

// MarshalJSON writes an object whose keys keep the columns' order.
func (c Cells) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	separator := byte('{')
	for _, cell := range c {
		b.WriteByte(separator)
		separator = ','
		if err := e.Encode(cell.Name); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := e.Encode(cell.Text); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON reads an object of strings and keeps its order.
func (c *Cells) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return errors.Join(err, errNotCells)
	}
	*c = nil
	for {
		name, err := d.Token()
		if err != nil {
			return err
		}
		if name == json.Delim('}') {
			return nil
		}
		value, err := d.Token()
		if err != nil {
			return err
		}
		t, ok := value.(string)
		if !ok {
			return errNotCells
		}
		*c = append(*c, Cell{name.(string), t})
	}
}

var errNotCells = errors.New("columns are an object of strings")
