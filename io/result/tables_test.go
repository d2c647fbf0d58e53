package result

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mrsched/model"
)

// tablesView is a slotView with two tables: the machines of the rows, and some numbers.
type tablesView struct {
	slotView
	rows int // of the second table
}

func (v tablesView) Tables(s *model.Schedule) []model.ResultTable {
	return []model.ResultTable{
		{Name: "where", Columns: []string{"row", "a,\"<b>\""}, Rows: func(yield func([]string) bool) {
			row := make([]string, 2)
			for k, e := range s.Entries {
				row[0], row[1] = strconv.Itoa(k), "<"+v.MachineName(e.Machine)+">"
				if !yield(row) {
					return
				}
			}
		}},
		{Name: "numbers", Columns: []string{"n", "square"}, Rows: func(yield func([]string) bool) {
			for k := range v.rows {
				if !yield([]string{strconv.Itoa(k), strconv.Itoa(k * k)}) {
					return
				}
			}
		}},
	}
}

// allTables are the tables of a result as its document has them.
func allTables(b *Bundle) []table {
	var all []table
	for _, t := range b.listed() {
		rows := [][]string{}
		for row := range t.Rows {
			rows = append(rows, slices.Clone(row))
		}
		all = append(all, table{t.Name, t.Columns, rows})
	}
	return all
}

// TestTables writes tables next to the schedule, reads them in both forms and compares them with those of the view.
func TestTables(t *testing.T) {
	view := tablesView{rows: 3}
	w, b := implied(t, view)
	dir := readBack(t, w, view, b)
	holds(t, dir, map[string]string{"where.csv": "row,\"a,\"\"<b>\"\"\"\n0,<s2>\n1,<s1>\n",
		"numbers.csv": "n,square\n0,0\n1,1\n2,4\n"})
	text := oneLine(t, b)
	if want := `,"tables":[{"name":"where","columns":["row","a,\"<b>\""],"rows":[["0","<s2>"],["1","<s1>"]]},{"name":"numbers",`; !bytes.Contains(text, []byte(want)) {
		t.Errorf("the document is %s", text)
	}
	if err := validate(t, text); err != nil {
		t.Error(err)
	}
	if err := b.WriteDir(dir, true); err != nil {
		t.Errorf("a result with tables cannot be replaced: %v", err)
	}
	try(t, os.WriteFile(filepath.Join(dir, "thesis.csv"), nil, 0o600))
	if err := b.WriteDir(dir, true); err == nil {
		t.Error("a file that is no table of the result was replaced")
	}
}

// TestForgedTables changes the contents of tables, with matching digests: the view derives something else.
func TestForgedTables(t *testing.T) {
	view := tablesView{rows: 3}
	for name, x := range map[string]struct {
		change func(all []table) []table
		want   string
	}{
		"a field": {func(all []table) []table { all[1].Rows[2][1] = "5"; return all },
			"row 3 of the table numbers is stated as 2,5 and derived as 2,4"},
		"a row": {func(all []table) []table { all[1].Rows = all[1].Rows[:2]; return all },
			"row 3 of the table numbers is stated as absent and derived as 2,4"},
		"more rows": {func(all []table) []table { all[1].Rows = append(all[1].Rows, []string{"a", "b"}); return all },
			"row 4 of the table numbers is stated as a,b and derived as absent"},
		"a column": {func(all []table) []table { all[0].Columns[0] = "x"; return all }, "columns x,"},
		"a table":  {func(all []table) []table { return all[:1] }, "the table numbers is absent"},
		"another": {func(all []table) []table { return append(all, table{Name: "more", Columns: []string{"x", "y"}}) },
			"a table more, which does not follow"},
	} {
		t.Run(name, func(t *testing.T) {
			w, b := implied(t, view)
			list, err := tablesRead(x.change(allTables(b)))
			try(t, err)
			b.tables, b.unsealed = list, true
			sealed(t, b)
			found := good(t, directory(t, b)).Verify(w, b.Result.Instance.SHA256, view, Promise{})
			if len(found) != 1 || found[0].Code != model.CodeTable || !strings.Contains(found[0].What, x.want) {
				t.Error(found)
			}
		})
	}
}
