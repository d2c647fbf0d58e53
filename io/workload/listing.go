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

// levels are the rows of the topology as one table per kind, whose rows have its name.
func levels(topology model.InputTable) (list []model.InputTable) {
	kind := slices.IndexFunc(topology.Columns, func(c model.InputColumn) bool { return c.Name == "kind" })
	for _, name := range model.NodeKindNames() {
		t := topology
		t.Row, t.Columns = name, slices.Clone(t.Columns)
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

// targets are the tables that columns of ids refer to, by the column's name.
var targets = map[string]string{"job": string(model.TableJobs), "parent": string(model.TableTopology),
	"node": string(model.TableTopology), "worker": string(model.TableTopology), "from": string(model.TableTasks),
	"to": string(model.TableTasks), "map": string(model.TableTasks), "task": string(model.TableTasks),
	"block": model.TableBlocks, "after": string(model.TableJobs), "place": string(model.TableTopology)}

// rowNames are the common names of rows, where that is not the table's name without its last letter.
var rowNames = map[model.Table]string{model.TableHistory: "past run",
	model.TableCapacities: "capacity", model.TableDependencies: "dependency", model.TableEligible: "eligible place",
	model.TableUnavailable: "unavailable time", model.TableFixed: "fixed task"}

func (t *table[R, M]) listed(w *model.Workload) model.InputTable {
	list := model.InputTable{Name: t.tableName(), Row: rowNames[t.name], Keys: t.keys}
	if list.Row == "" {
		list.Row = strings.TrimSuffix(list.Name, "s")
	}
	for _, c := range t.columns {
		x := model.InputColumn{Name: c.name, Default: c.byDefault}
		if c.kind.name == "ref" {
			x.Refers = targets[c.name]
		}
		list.Columns = append(list.Columns, x)
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
