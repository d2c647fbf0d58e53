package result

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mrsched/model"
)

// TestBatchRowsThatNobodyWrites: a summary whose two files agree, but which lists results twice, elsewhere or without a
// place.
func TestBatchRowsThatNobodyWrites(t *testing.T) {
	a := BatchRow{Instance: "a.json", Problem: "msjo", Algorithm: "mars", Status: model.StatusFeasible, Name: "twjct",
		Objective: "3", Result: "a/mars"}
	with := func(change func(*BatchRow)) BatchRow {
		row := a
		change(&row)
		return row
	}
	at := func(path string) BatchRow { return with(func(r *BatchRow) { r.Result = path }) }
	for about, x := range map[string]struct {
		second BatchRow
		want   string // "": nothing is wrong
	}{
		"another":           {at("b"), ""},
		"an error":          {BatchRow{Instance: "\xff.json", Status: StatusError, Exit: 2, Code: "F101", Error: "\xfe"}, ""},
		"not run":           {BatchRow{Instance: "b", Status: StatusNotRun, Exit: 130}, ""},
		"twice":             {with(func(r *BatchRow) { r.Objective = "1" }), `row 2 is another one of the result "a/mars"`},
		"out of it":         {at("../x"), "no place of one"},
		"out of it, within": {at("a/../b"), "no place of one"},
		"from the root":     {at("/etc/b"), "no place of one"},
		"NUL":               {at("b\x00"), "no place of one"},
		"too deep":          {at("a/b/c"), "no place of one"},
		"no place":          {at(""), "states a result without naming it"},
		"only a status": {BatchRow{Instance: "b", Status: model.StatusOptimal},
			`has the status "optimal" and names no result`},
	} {
		t.Run(about, func(t *testing.T) {
			dir := t.TempDir()
			b := &Batch{Rows: []BatchRow{a, x.second}}
			var text, table bytes.Buffer
			if err := b.WriteJSON(&text); err != nil {
				t.Fatal(err)
			}
			if err := b.Records().WriteCSV(&table); err != nil {
				t.Fatal(err)
			}
			for name, content := range map[string][]byte{SummaryFile: text.Bytes(), SummaryTable: table.Bytes()} {
				if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			_, found, err := ReadBatch(dir)
			if err != nil || (len(found) == 0) != (x.want == "") || x.want != "" &&
				!strings.Contains(fmt.Sprint(found), x.want) {
				t.Errorf("%v %v, want %q", found, err, x.want)
			}
		})
	}
}
