package workload

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"mrsched/model"
)

// field converts between the text of a column and a field of one row of the model.
type field struct {
	set func(text string) // reports a bad text
	get func() string     // "" if the value is absent
}

// bind finds, for every field of the row struct R, the field of row with its name. Bad texts are reported to v.
func bind[R any](v *values, columns []column, row any) []field {
	names, to := reflect.TypeFor[R](), reflect.ValueOf(row).Elem()
	if release := to.FieldByName("Release"); release.IsValid() {
		v.since, _ = release.Addr().Interface().(*model.Time) // it precedes the deadline
	}
	fields := make([]field, len(columns))
	for i := range columns {
		fields[i] = fieldOf(v, &columns[i], to.FieldByName(names.Field(i).Name).Addr().Interface())
	}
	return fields
}

// fieldOf is the field that to points to.
func fieldOf(v *values, c *column, to any) field {
	switch to := to.(type) {
	case *string:
		return field{func(text string) {
			if sheetError(text) {
				v.badText(c, text)
			} else {
				*to = v.keep(c, text)
			}
		}, func() string { return *to }}
	case *model.TaskKind:
		return field{func(text string) { *to = model.TaskKind(v.word(c, text)) }, func() string { return to.String() }}
	case *model.RunState:
		return field{func(text string) { *to = model.RunState(v.word(c, text)) }, func() string { return to.String() }}
	case *model.NodeKind:
		return field{func(text string) { *to = model.NodeKind(v.word(c, text)) }, func() string { return to.String() }}
	case *model.Time, *model.Optional[model.Time]:
		if c.signed {
			return numberField(v, c, to, model.ParseSignedTime, model.Time.String)
		}
		return numberField(v, c, to, model.ParseTime, model.Time.String)
	case *model.Bytes, *model.Optional[model.Bytes]:
		return numberField(v, c, to, model.ParseBytes, model.Bytes.String)
	case *model.Weight, *model.Optional[model.Weight]:
		return numberField(v, c, to, model.ParseWeight, model.Weight.String)
	case *model.Cost:
		return numberField(v, c, to, model.ParseCost, model.Cost.String)
	case *model.Amount:
		return numberField(v, c, to, model.ParseAmount, model.Amount.String)
	case *int64, *model.Optional[int64]:
		return numberField(v, c, to, parseCount, func(n int64) string { return strconv.FormatInt(n, 10) })
	default:
		return numberField(v, c, to, parseFloat, floatText)
	}
}

// numberField is a field of type T, whose absent value is the column's default, or of an optional T.
func numberField[T comparable](v *values, c *column, to any, parse func(text string) (T, error),
	text func(T) string) field {
	read := func(s string) model.Optional[T] {
		x, positive := number(v, c, s, parse), c.above || c.least != ""
		v.notZero(c.name, positive && x == model.Some(*new(T)), "leave it out if it is unknown")
		return x
	}
	if to, ok := to.(*model.Optional[T]); ok {
		return field{func(s string) { *to = read(s) }, func() string { return optionalText(*to, text) }}
	}
	value, absent := to.(*T), read(c.byDefault).Value
	return field{func(s string) { *value = read(s).Or(absent) }, func() string {
		if c.omit && *value == absent {
			return ""
		}
		return text(*value)
	}}
}

// optionalText prints a value, or "" if it is absent.
func optionalText[T any](x model.Optional[T], text func(T) string) string {
	if !x.Known {
		return ""
	}
	return text(x.Value)
}

func countText(x model.Optional[int64]) string {
	return optionalText(x, func(n int64) string { return strconv.FormatInt(n, 10) })
}

// floatText is the shortest decimal that reads back as the same float; it has an exponent only if the plain form would
// be very long.
func floatText(x float64) string {
	if x != 0 && (x < 1e-6 || x >= 1e21) {
		return strconv.FormatFloat(x, 'e', -1, 64)
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// Stated is a column in which some row has a value other than the default.
type Stated struct {
	Name string // TABLE.COLUMN, or the scalar's name
	At   model.Position
}

// StatedColumns lists the columns with values for which asked returns true, in the order of tables and columns. Ids and
// descriptive scalars do not count, nor does the root of the topology as a parent.
func StatedColumns(w *model.Workload, asked func(name string) bool) []Stated {
	var list []Stated
	for _, s := range []struct {
		name string
		set  bool
	}{{"machines", w.Machines.Known}, {costKey, w.Cost != nil}, {"max_running_jobs", w.MaxRunningJobs.Known}} {
		if s.set && asked(s.name) {
			list = append(list, Stated{s.name, model.Position{File: w.Where(model.TableJobs, 0).File}})
		}
	}
	for _, t := range tables {
		list = append(list, t.stated(w, asked)...)
	}
	return list
}

// stated looks at rows until every such column has a value.
func (t *table[R, M]) stated(w *model.Workload, asked func(name string) bool) []Stated {
	var row R
	cells, read := cellsOf(&row), t.texts(w, &row)
	first := make([]int, len(cells)) // the row that states the column, from 1
	var open []int                   // columns that have no value so far
	for i, c := range t.columns {
		if c.kind.name != "id" && asked(t.tableName()+"."+c.name) {
			open = append(open, i)
		}
	}
	for k := 0; k < t.count(w) && len(open) > 0; k++ {
		read(k)
		open = slices.DeleteFunc(open, func(i int) bool {
			c := &t.columns[i]
			is := *cells[i] != "" && *cells[i] != c.byDefault && !(c.name == "parent" && w.Topology[w.Topology[k].Parent].Kind ==
				model.RootNode)
			if is {
				first[i] = k + 1
			}
			return is
		})
	}
	var list []Stated
	for i, k := range first {
		if k > 0 {
			list = append(list, Stated{t.tableName() + "." + t.columns[i].name, w.Where(t.name, k-1)})
		}
	}
	return list
}

// Assumed lists the columns of tables with rows that have the same default in all rows, as "TABLE.COLUMN VALUE".
func Assumed(w *model.Workload, used func(name string) bool) (list []string) {
	var asked []string
	for _, t := range tables {
		for _, c := range t.tableColumns() {
			if name := t.tableName() + "." + c.name; c.byDefault != "" && c.words == nil && t.len(w) > 0 && used(name) {
				asked = append(asked, name+" "+c.byDefault)
			}
		}
	}
	stated := StatedColumns(w, func(name string) bool { return true })
	return slices.DeleteFunc(asked, func(text string) bool {
		name, _, _ := strings.Cut(text, " ")
		return slices.ContainsFunc(stated, func(s Stated) bool { return s.Name == name })
	})
}
