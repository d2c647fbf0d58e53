package solver

import (
	"slices"

	"mrsched/model"
)

// Column is a column of the workload's tables, or a scalar, that a problem uses. Neither schedules nor bounds depend on
// any other.
type Column struct {
	Name string // TABLE.COLUMN, or the scalar's name
	// When tells readers of documents under which settings the column is used; empty if always.
	When string
	// Applies says whether a run uses the column; nil if every run does.
	Applies func(u Use) bool
}

// Use is the part of a run that decides which columns count.
type Use struct {
	Workload  *model.Workload
	View      model.View
	Params    Params
	Algorithm Algorithm
}

// UsesColumn says whether a run uses a column.
func (p *Problem) UsesColumn(column string, u Use) bool {
	return slices.ContainsFunc(p.Columns, func(c Column) bool {
		return c.Name == column && (c.Applies == nil || c.Applies(u))
	})
}

// Always makes the rows of columns of a table that every run uses; table is empty for scalars.
func Always(table model.Table, columns ...string) []Column {
	return Sometimes("", nil, table, columns...)
}

// Sometimes makes the rows of columns of a table that some runs use.
func Sometimes(when string, applies func(u Use) bool, table model.Table, columns ...string) []Column {
	list := make([]Column, len(columns))
	for i, c := range columns {
		if table != "" {
			c = string(table) + "." + c
		}
		list[i] = Column{Name: c, When: when, Applies: applies}
	}
	return list
}

// Taken makes the rows of columns that some instances ignore, as model.Sources says.
func Taken(when string, table model.Table, columns ...string) (list []Column) {
	for _, c := range columns {
		name := string(table) + "." + c
		list = append(list, Sometimes(when, func(u Use) bool { return u.Takes(name) }, table, c)...)
	}
	return list
}

// Takes says whether the run's instance takes values from a column.
func (u Use) Takes(column string) bool {
	return u.View.(interface{ Takes(column string) bool }).Takes(column)
}

// SomeTask says whether a row of the table tasks satisfies a condition.
func (u Use) SomeTask(is func(t *model.Task) bool) bool {
	for i := range u.Workload.Tasks {
		if is(&u.Workload.Tasks[i]) {
			return true
		}
	}
	return false
}

// Machines is the row of the scalar machines, for problems that prefer a topology.
func Machines() []Column {
	return Sometimes("without a topology", func(u Use) bool { return !u.Workload.HasTopology }, "", "machines")
}
