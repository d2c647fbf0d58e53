package diff

import (
	"slices"
	"strconv"

	"mrsched/io/result"
	"mrsched/model"
)

// Input is an instance as Inputs compares it.
type Input struct {
	Name    string // for people, usually a path
	Summary model.InstanceSummary
	Text    model.InputText
}

// Inputs compares two instances, which need not have results. It lists the keep largest changes of a kind, or all
// if keep is 0.
func Inputs(old, new *Input, keep int) *Difference {
	d := &Difference{Format: Format, Compared: ComparedInstances, Old: SideName{Name: old.Name},
		New: SideName{Name: new.Name}, Sections: []*Section{}}
	if d.Same = old.Summary.SHA256 == new.Summary.SHA256; !d.Same {
		d.input(&old.Summary, &new.Summary, &old.Text, &new.Text, keep)
	}
	return d
}

// inputs finds out how the input changed, and says whether it did not. Results of different inputs have no verdict:
// their objectives measure different things.
func (d *Difference) inputs(old, new *result.Side, keep int) (same bool) {
	a, b := old.Document().Instance, new.Document().Instance
	if old.Nothing || new.Nothing || a.SHA256 == b.SHA256 {
		return true
	}
	d.input(&a, &b, old.Instance, new.Instance, keep)
	if old.Instance == nil || new.Instance == nil {
		d.note("name both instances, by --old-input and --new-input, to see what changed in the input")
	}
	return false
}

// input compares two instances: their sizes and, if they are there, their texts.
func (d *Difference) input(a, b *model.InstanceSummary, old, new *model.InputText, keep int) {
	s := &Section{Name: SectionInput}
	s.add("jobs", strconv.Itoa(a.Jobs), strconv.Itoa(b.Jobs))
	s.add("tasks", strconv.Itoa(a.Tasks), strconv.Itoa(b.Tasks))
	s.addChanged("machines", strconv.Itoa(a.Machines), strconv.Itoa(b.Machines))
	if old == nil || new == nil {
		s.addChanged("name", a.Name, b.Name)
		s.addChanged("origin", a.Origin, b.Origin)
		d.take(s)
		return
	}
	for i, x := range old.Scalars {
		if !slices.ContainsFunc(s.Values, func(v Value) bool { return v.Name == x.Name }) { // results count machines, too
			s.addChanged(x.Name, x.Text, new.Scalars[i].Text)
		}
	}
	d.take(s)
	tables := len(d.Sections)
	for i := range old.Tables {
		d.take(tableChanges(&old.Tables[i], &new.Tables[i], keep))
	}
	if len(s.Values) == 2 && !s.Values[0].differs() && !s.Values[1].differs() && len(d.Sections) == tables {
		d.note("only the order of rows differs")
	}
}

// tableChanges compares a table, which has the same columns on both sides.
func tableChanges(old, new *model.InputTable, keep int) *Section {
	list := largest{Section: &Section{Name: SectionInput + " " + old.Name}, keep: keep}
	columns := old.Columns[old.Keys:]
	texts := func(row, other *[]string) (texts []named) {
		for i, c := range columns {
			if row != nil && (other != nil || (*row)[old.Keys+i] != c.Default) { // of a lone row only what says something
				texts = append(texts, named{c.Name, (*row)[old.Keys+i]})
			}
		}
		return texts
	}
	pairs(old.Rows, new.Rows, func(row []string) string { return rowKey(row[:old.Keys]) }, slices.Clone,
		func(a, b *[]string, at int) {
			r, some := Row{Change: countChanged, at: at}, b
			switch {
			case a == nil:
				r.Change = countAdded
			case b == nil:
				r.Change, some = countRemoved, a
			case slices.Equal(*a, *b):
				return
			}
			r.Key = slices.Clone((*some)[:old.Keys])
			list.count(r.Change)
			list.row(r, func() []Value { return changed(texts(a, b), texts(b, a)) })
		})
	list.sort()
	return list.Section
}

// rowKey is a text that identifies a row of a table.
func rowKey(row []string) string {
	if len(row) == 1 {
		return row[0]
	}
	var key []byte
	for _, field := range row {
		key = strconv.AppendInt(key, int64(len(field)), 10)
		key = append(append(key, ' '), field...)
	}
	return string(key)
}
