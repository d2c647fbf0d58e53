package workload

import (
	"slices"
	"strings"

	"mrsched/model"
)

// Listed is a workload as text: its scalars and every column of every table, in their order.
func Listed(w *model.Workload) model.InputText {
	var list model.InputText
	row := scalarsOf(w)
	for i, cell := range cellsOf(&row) {
		if name := scalarColumns[i].name; name != "format" {
			list.Scalars = append(list.Scalars, model.InputScalar{Name: name, Text: *cell})
		}
	}
	list.Scalars = append(list.Scalars, model.InputScalar{Name: notesKey, Text: strings.Join(w.Notes, "\n")})
	for _, t := range tables {
		if x := t.listed(w); x.Name == string(model.TableTopology) {
			list.Tables = append(list.Tables, levels(x)...)
		} else {
			list.Tables = append(list.Tables, x)
		}
	}
	return list
}

// levels are the rows of the topology as one table per kind: a row that changes its kind is another one.
func levels(topology model.InputTable) (list []model.InputTable) {
	kind := slices.IndexFunc(topology.Columns, func(c model.InputColumn) bool { return c.Name == "kind" })
	for _, name := range model.NodeKindNames() {
		t := topology
		t.Name, t.Columns = t.Name+" "+name, slices.Clone(t.Columns)
		t.Columns[kind].Default = name
		t.Rows = func(yield func([]string) bool) {
			for texts := range topology.Rows {
				if texts[kind] == name && !yield(texts) {
					return
				}
			}
		}
		list = append(list, t)
	}
	return list
}

func (t *table[R, M]) listed(w *model.Workload) model.InputTable {
	list := model.InputTable{Name: t.tableName(), Keys: t.keys}
	for _, c := range t.columns {
		list.Columns = append(list.Columns, model.InputColumn{Name: c.name, Default: c.byDefault})
	}
	list.Rows = func(yield func([]string) bool) {
		var row R
		cells, read := cellsOf(&row), t.texts(w, &row)
		texts := make([]string, len(cells))
		for i := range t.count(w) {
			read(i)
			for k, cell := range cells {
				if texts[k] = *cell; *cell == "" {
					texts[k] = t.columns[k].byDefault
				}
			}
			if !yield(texts) {
				return
			}
		}
	}
	return list
}
