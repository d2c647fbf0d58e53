package workload

import (
	"slices"

	"mrsched/model"
)

// Stated is a column in which some row has a value other than the default.
type Stated struct {
	Name string // TABLE.COLUMN, or the scalar's name
	At   model.Position
}

// StatedColumns lists the columns with values for which asked is true, in the order of tables and columns. Ids and
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
