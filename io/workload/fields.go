package workload

import (
	"reflect"
	"strconv"

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
		return field{func(text string) { *to = v.keep(c, text) }, func() string { return *to }}
	case *model.TaskKind:
		return field{func(text string) { *to = model.TaskKind(v.word(c, text)) }, func() string { return to.String() }}
	case *model.NodeKind:
		return field{func(text string) { *to = model.NodeKind(v.word(c, text)) }, func() string { return to.String() }}
	case *model.Time, *model.Optional[model.Time]:
		return numberField(v, c, to, v.time, model.Time.String)
	case *model.Bytes, *model.Optional[model.Bytes]:
		return numberField(v, c, to, v.bytes, model.Bytes.String)
	case *model.Weight, *model.Optional[model.Weight]:
		return numberField(v, c, to, v.weight, model.Weight.String)
	case *model.Cost:
		return numberField(v, c, to, v.cost, model.Cost.String)
	case *int64, *model.Optional[int64]:
		return numberField(v, c, to, v.count, func(n int64) string { return strconv.FormatInt(n, 10) })
	default:
		return numberField(v, c, to, v.ratio, floatText)
	}
}

// numberField is a field of type T, whose absent value is the column's default, or of an optional T.
func numberField[T comparable](v *values, c *column, to any, parse func(column, text string) model.Optional[T],
	text func(T) string) field {
	read := func(s string) model.Optional[T] {
		x, positive := parse(c.name, s), c.above || c.least != ""
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
