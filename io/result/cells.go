package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"mrsched/model"
)

// Cell is one of the problem's own columns in a row of a schedule.
type Cell struct{ Name, Text string }

// Cells are the problem's own columns of one row, in the order of schedule.csv. In JSON they are an object of strings.
type Cells []Cell

// cellsOf joins names and texts, and ignores those without a counterpart.
func cellsOf(names, texts []string) Cells {
	n := min(len(names), len(texts))
	if n == 0 {
		return nil
	}
	list := make(Cells, n)
	for i := range list {
		list[i] = Cell{names[i], texts[i]}
	}
	return list
}

// like says whether two rows have the same columns.
func (c Cells) like(other Cells) bool {
	if len(c) != len(other) {
		return false
	}
	for i := range c {
		if c[i].Name != other[i].Name {
			return false
		}
	}
	return true
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

// listed names tasks by the table tasks, for views that name none.
type listed struct {
	w     *model.Workload
	index map[string]model.TaskIndex // filled when first asked
}

// tasksOf names the tasks that schedules of a view place.
func tasksOf(w *model.Workload, view model.View) model.TaskNamer {
	if n, ok := view.(model.TaskNamer); ok {
		return n
	}
	return &listed{w: w}
}

func (l *listed) TaskCount() int { return len(l.w.Tasks) }

func (l *listed) TaskName(i model.TaskIndex) (id, job string, kind model.TaskKind) {
	t := &l.w.Tasks[i]
	return t.ID, l.w.Jobs[t.Job].ID, t.Kind
}

func (l *listed) FindTask(id string) (model.TaskIndex, bool) {
	if l.index == nil {
		l.index = make(map[string]model.TaskIndex, len(l.w.Tasks))
		for u := range l.w.Tasks {
			l.index[l.w.Tasks[u].ID] = model.TaskIndex(u)
		}
	}
	u, ok := l.index[id]
	return u, ok
}
