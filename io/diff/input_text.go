package diff

import (
	"fmt"
	"slices"
	"strings"

	"mrsched/model"
)

// Lines of the changes of the input, unless all are listed.
const (
	inputLines    = 9
	inputValues   = 4 // of an added row
	changeOfNotes = "notes"
)

// inputText prints an input's changes: their sizes, and what changed, in at most most lines; 0: all.
type inputText struct {
	in   *InputDifference
	name func(string) string
	most int
	more string // how to see what is left out
}

// count is a number of things on both sides.
type count struct {
	old, new int
	what     string
}

// counts are the numbers of jobs, tasks and machines on both sides.
func (t *inputText) counts() []count {
	a, b := t.in.Old, t.in.New
	return []count{{a.Jobs, b.Jobs, "job"}, {a.Tasks, b.Tasks, "task"}, {a.Machines, b.Machines, "machine"}}
}

// sizes are the counts in one line.
func (t *inputText) sizes() string {
	var parts []string
	for _, n := range t.counts() {
		if n.old == 0 && n.new == 0 { // machines, where there is no problem
			continue
		}
		text := model.Counted(n.new, n.what)
		if n.old != n.new {
			text = fmt.Sprintf("%d → %s", n.old, text)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// lines are the changes.
func (t *inputText) lines() (list []string) {
	per := 0
	if n := len(t.in.Changes); t.most > 0 && n > 0 {
		per = max(1, t.most/n)
	}
	for i := range t.in.Changes {
		list = append(list, t.change(&t.in.Changes[i], per)...)
	}
	if len(list) == 0 {
		return []string{either(t.in.Source == fromInstances, "only the order of lists differs",
			"the results do not show what changed")}
	}
	if t.most > 0 && len(list) > t.most {
		list = append(list[:t.most-1:t.most-1], fmt.Sprintf("… and %d lines more%s", len(list)-t.most+1, t.more))
	}
	return list
}

// change describes a change in at most per lines; 0: any number.
func (t *inputText) change(x *InputChange, per int) []string {
	unused := either(x.Unused, " (not used)", "")
	switch {
	case x.About == aboutColumn:
		return []string{fmt.Sprintf("column %s %s%s", t.name(x.Column), either(x.Change == inputAdded, "has values now",
			"has no values any more"), unused)}
	case x.About == aboutScalar && x.Column == changeOfNotes:
		return []string{"notes differ"}
	case x.About == aboutScalar, x.About == aboutParameter:
		v, _ := valuesOf(x.Column, x.Old, x.New)
		return []string{either(x.About == aboutParameter, "--", "") + t.name(x.Column) + " " + valueFact(v, t.name).String()}
	case x.Change == inputReordered:
		return []string{fmt.Sprintf("the rows of %s have another order", x.Table)}
	}
	shown := x.List
	if per > 0 && x.Rows > per {
		if shown = shown[:min(len(shown), per-1)]; per < 3 {
			return []string{t.summary(x, x.Rows) + t.example(x) + unused}
		}
	}
	var list []string
	for i := range shown {
		list = append(list, t.row(x, &shown[i])+unused)
	}
	if n := x.Rows - len(shown); n > 0 {
		list = append(list, "… and "+t.summary(x, n)+unused+t.more)
	}
	return list
}

// example names the first row, and what changed in it.
func (t *inputText) example(x *InputChange) string {
	if len(x.List) == 0 {
		return ""
	}
	r := &x.List[0]
	text := ", such as " + t.key(x, r)
	if x.Change == inputChanged {
		text += ": " + t.values(x, r)
	}
	return text
}

// summary counts rows.
func (t *inputText) summary(x *InputChange, n int) string {
	text := model.Counted(n, x.About)
	if n < x.Rows {
		text = fmt.Sprintf("%d more", n)
	}
	if x.Change != inputChanged {
		return text + " " + x.Change
	}
	var parts []string
	for _, c := range x.Columns {
		part := t.name(c.Column)
		if len(x.Columns) > 1 {
			part += fmt.Sprintf(" of %d", c.Rows)
		}
		if c.Least != "" {
			part += " × " + shown(c.Least)
		}
		if shown(c.Least) != shown(c.Most) {
			part += " to × " + shown(c.Most)
		}
		parts = append(parts, part)
	}
	return text + " changed, " + strings.Join(parts, ", ")
}

// row describes one row.
func (t *inputText) row(x *InputChange, r *InputRow) string {
	text := x.About + " " + t.key(x, r)
	if x.Change != inputChanged {
		text += " " + x.Change
	}
	if len(r.Values) > 0 {
		text += ": " + t.values(x, r)
	}
	var with []string
	for _, n := range r.With {
		with = append(with, model.Counted(n.Rows, n.About))
	}
	if len(with) > 0 {
		text += ", with " + strings.Join(with, ", ")
	}
	return text
}

// key names a row; where not all parts of its name are stated, each with its column.
func (t *inputText) key(x *InputChange, r *InputRow) string {
	var names, stated []string
	for i, key := range r.Key {
		names = append(names, t.name(key))
		if key != "" {
			stated = append(stated, x.keys[i].Name+" "+t.name(key))
		}
	}
	if len(stated) < len(names) {
		return "(" + strings.Join(stated, ", ") + ")"
	}
	return strings.Join(names, ", ")
}

// values are the fields of a row; for an added or removed one, those that are not the default.
func (t *inputText) values(x *InputChange, r *InputRow) string {
	var parts []string
	for _, v := range r.Values {
		switch {
		case x.Change == inputChanged:
			parts = append(parts, t.name(v.Name)+" "+valueFact(v, t.name).String())
		case t.most > 0 && len(parts) == inputValues:
			return strings.Join(parts, ", ") + ", …"
		default:
			parts = append(parts, t.name(v.Name)+" "+valueText(slices.Concat(v.Old, v.New), t.name))
		}
	}
	return strings.Join(parts, ", ")
}
