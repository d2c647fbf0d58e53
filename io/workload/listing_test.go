package workload

import (
	"slices"
	"strings"
	"testing"

	"mrsched/model"
)

// TestListed: the listing of a workload has every column of every table of its document.
func TestListed(t *testing.T) {
	list := Listed(mustRead(t, `{"format":"mrsched-workload/1","name":"n","machines":2,"notes":["a","b"],
"jobs":[{"id":"x","weight":2},{"id":"y","release":3}],
"tasks":[{"id":"m","job":"x","kind":"map","processing_time":4,"block":"b"},{"id":"r","job":"x","kind":"reduce","processing_time":1},
{"id":"s","job":"y","kind":"map","processing_time":4}],
"delays":[{"from":"m","to":"r","delay":1}],"placements":[{"block":"b","node":"h"}],
"topology":[{"id":"dc","kind":"root"},{"id":"h","parent":"dc","kind":"node"},
{"id":"r","parent":"dc","kind":"rack"},{"id":"i","parent":"r","kind":"node"}]}`))
	if !slices.Contains(list.Scalars, model.InputScalar{Name: "machines", Text: "2"}) ||
		!slices.Contains(list.Scalars, model.InputScalar{Name: "notes", Text: "a\nb"}) {
		t.Errorf("scalars %v", list.Scalars)
	}
	levels := model.NodeKindNames()
	if len(list.Tables) != len(tables)+len(levels)-1 {
		t.Fatalf("%d tables", len(list.Tables))
	}
	want := map[string]string{"jobs": "x|0|2|;y|3|1|;", "tasks": "m|x|map|4|0|b|;r|x|reduce|1|0|;s|y|map|4|0|;",
		"delays": "m|r|1|;", "placements": "b|h|;", "root": "dc|root|0|0|;", "rack": "r|dc|rack|0|0|;",
		"node": "h|dc|node|0|0|;i|r|node|0|0|;"}
	for _, in := range list.Tables {
		if names := columnNames(listed(t, in).tableColumns()); len(names) != len(in.Columns) {
			t.Errorf("%s has columns %v", in.Name, in.Columns)
		}
		name := in.Name
		if slices.Contains(levels, in.Row) {
			name = in.Row
		}
		text := ""
		for row := range in.Rows {
			for _, cell := range row {
				if cell != "" {
					text += cell + "|"
				}
			}
			text += ";"
		}
		if text != want[name] {
			t.Errorf("%s: %s, want %s", name, text, want[name])
		}
	}
}

// listed is the table that a listing is of.
func listed(t *testing.T, in model.InputTable) tableCodec {
	t.Helper()
	for _, x := range tables {
		if x.tableName() == in.Name {
			return x
		}
	}
	t.Fatalf("there is no table %s", in.Name)
	return nil
}

// TestListedKeys: a table's first columns identify its rows, and references name tables that exist.
func TestListedKeys(t *testing.T) {
	var names []string
	for _, in := range Listed(&model.Workload{}).Tables {
		names = append(names, in.Name)
	}
	names = append(names, model.TableBlocks)
	for _, in := range Listed(&model.Workload{}).Tables {
		if in.Keys < 1 || in.Keys > len(in.Columns) || in.Row == "" {
			t.Errorf("%s: %d keys, row %q", in.Name, in.Keys, in.Row)
		}
		columns := listed(t, in).tableColumns()
		for k, c := range in.Columns {
			refers := columns[k].kind.name == "ref"
			if refers != slices.Contains(names, c.Refers) {
				t.Errorf("%s.%s refers to %q", in.Name, c.Name, c.Refers)
			}
			if k >= in.Keys && strings.HasSuffix(columns[k].kind.name, "id") {
				t.Errorf("%s.%s is an id and no key", in.Name, c.Name)
			}
		}
	}
}
