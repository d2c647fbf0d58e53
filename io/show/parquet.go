package show

import (
	"io"
	"math"
	"math/big"
	"reflect"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"mrsched/io/textpos"
)

// The creator that Parquet files state never changes, so that equal tables are equal files.
const (
	parquetMaker   = "mrsched"
	parquetVersion = "1"
	parquetBuild   = "0"
	parquetTable   = "table"
)

// exactEnding ends the names of text columns, which hold values that the column next to them cannot.
const exactEnding = "_exact"

// groupRows is how many rows a row group has; they are in memory at a time.
const groupRows = 1 << 20

// WriteParquet writes a Parquet file. Texts are strings, numbers doubles, whole numbers and truths int64 and booleans;
// cells without a value are null. If a column cannot hold the exact value of some cell, the text column beside it does.
func (r Records) WriteParquet(w io.Writer) error {
	exact := make([]bool, len(r.Columns))
	err := r.Each(func(row []string) error {
		for i := range r.Columns {
			if !exact[i] && row[i] != "" {
				_, ok := r.Columns[i].parquet(row[i])
				exact[i] = !ok
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	file := parquet.NewWriter(w, r.schema(exact), parquet.Compression(&parquet.Zstd), parquet.DataPageVersion(1),
		parquet.CreatedBy(parquetMaker, parquetVersion, parquetBuild), parquet.MaxRowsPerRowGroup(groupRows))
	var line parquet.Row
	err = r.Each(func(row []string) error {
		line = line[:0]
		for i, cell := range row {
			value, ok := r.Columns[i].parquet(cell)
			line = append(line, at(value, len(line)))
			if !exact[i] {
				continue
			}
			if ok {
				value = parquet.Value{}
			} else {
				value = parquet.ByteArrayValue([]byte(textpos.UTF8(cell)))
			}
			line = append(line, at(value, len(line)))
		}
		_, err := file.WriteRows([]parquet.Row{line})
		return err
	})
	if err != nil {
		return err
	}
	return file.Close()
}

// at returns a value for a column; all columns are optional.
func at(v parquet.Value, column int) parquet.Value {
	present := 1
	if v.IsNull() {
		present = 0
	}
	return v.Level(0, present, column)
}

// parquetColumns are the columns of a file in their order; a parquet.Group sorts them by name.
type parquetColumns struct {
	parquet.Group
	fields []parquet.Field
}

// Fields are the columns.
func (c *parquetColumns) Fields() []parquet.Field { return c.fields }

// parquetColumn is a column with its name.
type parquetColumn struct {
	parquet.Node
	name string
}

// Name is the column's name.
func (c *parquetColumn) Name() string { return c.name }

// Value is for rows that are Go structs; there are none.
func (c *parquetColumn) Value(base reflect.Value) reflect.Value { return base }

// schema describes the columns. All readers know the encoding "plain".
func (r Records) schema(exact []bool) *parquet.Schema {
	columns := &parquetColumns{Group: parquet.Group{}}
	add := func(name string, node parquet.Node) {
		name = textpos.UTF8(name)
		columns.Group[name] = parquet.Optional(parquet.Encoded(node, &parquet.Plain))
		columns.fields = append(columns.fields, &parquetColumn{columns.Group[name], name})
	}
	for i := range r.Columns {
		c := &r.Columns[i]
		switch {
		case c.Truth:
			add(c.Name, parquet.Leaf(parquet.BooleanType))
		case c.Whole:
			add(c.Name, parquet.Int(64))
		case c.number():
			add(c.Name, parquet.Leaf(parquet.DoubleType))
		default:
			add(c.Name, parquet.String())
		}
		if exact[i] {
			add(c.Name+exactEnding, parquet.String())
		}
	}
	return parquet.NewSchema(parquetTable, columns)
}

// parquet is a cell's value; without one it is null. ok is false if the column cannot hold the value exactly.
func (c *Column) parquet(cell string) (v parquet.Value, ok bool) {
	switch {
	case cell == "":
		return parquet.Value{}, true
	case c.Truth:
		b, err := strconv.ParseBool(cell)
		return parquet.BooleanValue(b), err == nil
	case c.Whole:
		n, err := strconv.ParseInt(cell, 10, 64)
		if err != nil {
			return parquet.Value{}, false
		}
		return parquet.Int64Value(n), true
	case c.number():
		f, err := strconv.ParseFloat(cell, 64)
		if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			return parquet.Value{}, false
		}
		return parquet.DoubleValue(f), givesBack(f, cell)
	}
	return parquet.ByteArrayValue([]byte(textpos.UTF8(cell))), true
}

// safeDigits is how many decimal digits any double keeps.
const safeDigits = 15

// givesBack reports whether the shortest decimal of a double is a number's text, or equals it.
func givesBack(f float64, text string) bool {
	if len(text) <= safeDigits {
		return true
	}
	shortest := strconv.FormatFloat(f, 'f', -1, 64)
	if shortest == text {
		return true
	}
	a, ok := new(big.Rat).SetString(shortest)
	b, known := new(big.Rat).SetString(text)
	return ok && known && a.Cmp(b) == 0
}
