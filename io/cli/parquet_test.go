package cli

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/rogpeppe/go-internal/testscript"

	"mrsched/io/textpos"
)

// parquetTypes names the types of columns.
var parquetTypes = map[parquet.Kind]string{parquet.ByteArray: "text", parquet.Double: "double", parquet.Int64: "int64",
	parquet.Boolean: "boolean"}

// readParquet returns the types of a file's columns, and its header and rows as in CSV.
func readParquet(text string) (types []string, records [][]string, err error) {
	file, err := parquet.OpenFile(strings.NewReader(text), int64(len(text)))
	if err != nil {
		return nil, nil, err
	}
	var header []string
	for _, f := range file.Schema().Fields() {
		if !f.Optional() || !f.Leaf() {
			return nil, nil, fmt.Errorf("column %s is not optional", f.Name())
		}
		header, types = append(header, f.Name()), append(types, parquetTypes[f.Type().Kind()])
	}
	records = append(records, header)
	r := parquet.NewReader(file)
	defer r.Close()
	for rows := make([]parquet.Row, 1); ; {
		n, err := r.ReadRows(rows)
		if n == 1 {
			var record []string
			for _, v := range rows[0] {
				record = append(record, parquetCell(v))
			}
			records = append(records, record)
		}
		if errors.Is(err, io.EOF) {
			return types, records, nil
		} else if err != nil {
			return nil, nil, err
		}
	}
}

func parquetCell(v parquet.Value) string {
	switch {
	case v.IsNull():
		return ""
	case v.Kind() == parquet.Double:
		return strconv.FormatFloat(v.Double(), 'f', -1, 64)
	}
	return v.String()
}

// sameAsCSV compares a Parquet file with the CSV of the same table: parquet FILE.parquet FILE.csv [TYPE,…]. No value
// may be missing, changed, or so long that it needs a column for itself.
func sameAsCSV(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || len(args) > 3 || neg {
		ts.Fatalf("usage: parquet FILE.parquet FILE.csv [TYPE,…]")
	}
	types, got, err := readParquet(ts.ReadFile(args[0]))
	ts.Check(err)
	want, err := csv.NewReader(strings.NewReader(ts.ReadFile(args[1]))).ReadAll()
	ts.Check(err)
	for i, record := range want {
		textpos.Bare(record)
		for k := range record {
			if f, err := strconv.ParseFloat(record[k], 64); err == nil && i > 0 && types[k] == "double" {
				record[k] = strconv.FormatFloat(f, 'f', -1, 64)
			}
		}
	}
	if g, w := fmt.Sprintf("%q", got), fmt.Sprintf("%q", want); g != w {
		ts.Fatalf("%s holds\n%s\n%s holds\n%s", args[0], g, args[1], w)
	}
	if got := strings.Join(types, ","); len(args) == 3 && got != args[2] {
		ts.Fatalf("the types are %s", got)
	}
}
