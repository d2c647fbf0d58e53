package show

import (
	"io"
	"reflect"
	"strconv"

	"mrsched/io/textpos"
	"mrsched/model"
)

// Records are a table's exact values, for programs. A cell that is empty has no value.
type Records struct {
	Columns []Column
	Each    func(write func(row []string) error) error // visits the rows, which are valid during a call only
}

// WriteCSV writes a header and the rows.
func (r Records) WriteCSV(w io.Writer) error {
	out := textpos.NewCSVWriter(w)
	var header []string
	for i := range r.Columns {
		header = append(header, r.Columns[i].Name)
	}
	if err := out.Write(header); err != nil {
		return err
	}
	if err := r.Each(out.Write); err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

// Records returns the records of the table.
func (t *Table) Records() Records {
	return Records{t.Columns, func(write func(row []string) error) error {
		for _, row := range t.Rows {
			if err := write(row); err != nil {
				return err
			}
		}
		return nil
	}}
}

// RecordsOf has a column for each field with a csv tag, which is a text, a number, or an int.
func RecordsOf[T any](rows []T) Records {
	var r Records
	var fields []int
	for i := range reflect.TypeFor[T]().NumField() {
		field := reflect.TypeFor[T]().Field(i)
		name := field.Tag.Get("csv")
		if name == "" || name == "-" {
			continue
		}
		fields = append(fields, i)
		r.Columns = append(r.Columns, Column{Name: name, Number: field.Type == reflect.TypeFor[model.Number](),
			Whole: field.Type.Kind() == reflect.Int})
	}
	r.Each = func(write func(row []string) error) error {
		cells := make([]string, len(fields))
		for i := range rows {
			v := reflect.ValueOf(&rows[i]).Elem()
			for k, f := range fields {
				if cells[k] = v.Field(f).String(); r.Columns[k].Whole {
					cells[k] = strconv.FormatInt(v.Field(f).Int(), 10)
				}
			}
			if err := write(cells); err != nil {
				return err
			}
		}
		return nil
	}
	return r
}

// Numbers are columns of numbers.
func Numbers(names ...string) (list []Column) {
	for _, name := range names {
		list = append(list, Column{Name: name, Number: true})
	}
	return list
}

// Texts are columns of texts.
func Texts(names ...string) (list []Column) {
	for _, name := range names {
		list = append(list, Column{Name: name})
	}
	return list
}
