package model

import (
	"slices"
	"sync"
)

// Description says what the results of a problem hold. It is all that diff and report know of a problem.
type Description struct {
	Problem string
	// Columns are the problem's own columns of schedule.csv: distinct, and none of the common ones.
	Columns []RowColumn
	// Bounds are the methods of lower bounds.
	Bounds []string
	// Criteria are the problem's objectives.
	Criteria []Criterion
	// Loads says that the objective is the largest load of a machine, whatever the start times: diff then compares
	// machines instead of jobs.
	Loads bool
	// When says which columns state the times of a job.
	When JobTimes
	// Tenant is the column of the table jobs that names a job's tenant; empty: there is none.
	Tenant string
	// Quantities are the criteria, metrics and columns, also of the problem's own tables, that have a unit or need an
	// explanation. All others are plain numbers or texts whose names say enough.
	Quantities []Quantity
}

// JobTimes names columns, of the table jobs or of schedule.csv, with times of a job; empty: there are none.
type JobTimes struct {
	Release  string // when it may begin
	Due      string // when it should have ended
	Earliest string // a lower bound on its end
}

// RowColumn is one of a problem's own columns of schedule.csv.
type RowColumn struct {
	Name string
	Role Role
}

// Role says what a column holds, if diff or report can do more with it than show it.
type Role int

// The roles of columns.
const (
	RoleText     Role = iota
	RoleAmount        // adds up over rows
	RoleLocality      // where a map's data is: the text of a Locality
	RoleSlotCost      // of the row's slot per byte; adds up over rows
	RoleCost          // of the row, a part of the objective
	RoleDue           // deadline of the row's job
	RoleRelease       // when the row's job arrives
	RoleRack          // rack of the row's machine
	RoleTenant        // owner of the row's job; only tables of jobs have such a column
)

// Numeric says that the cells of a column with the role are numbers.
func (r Role) Numeric() bool {
	switch r {
	case RoleAmount, RoleSlotCost, RoleCost, RoleDue, RoleRelease:
		return true
	}
	return false
}

// Criterion is an objective of a problem.
type Criterion struct {
	Name string // in results
	// ShareColumn is the column of the table jobs that says what each adds to the objective; empty: there is none.
	ShareColumn string
	// Difference says that 0 is a usual value: gaps are differences, because per cents of next to nothing say nothing.
	Difference bool
}

// Criterion returns the objective with a name, or the zero value.
func (d *Description) Criterion(name string) (c Criterion) {
	for _, c = range d.Criteria {
		if c.Name == name {
			return c
		}
	}
	return Criterion{}
}

// Quantity is what the results say of a name; a name without an entry is a plain number or text.
func (d *Description) Quantity(name string) Quantity {
	for _, q := range slices.Concat(d.Quantities, commonQuantities) {
		if q.Name == name {
			return q
		}
	}
	return Quantity{Name: name}
}

// Unit is the unit of a name's quantity.
func (d *Description) Unit(name string) Unit { return d.Quantity(name).Unit }

// Column is the name of the first column with a role; empty if there is none.
func (d *Description) Column(role Role) string {
	for _, c := range d.Columns {
		if c.Role == role {
			return c.Name
		}
	}
	return ""
}

// JobColumn is the name of the column of the table jobs with a role; empty if there is none.
func (d *Description) JobColumn(role Role) string {
	return map[Role]string{RoleRelease: d.When.Release, RoleDue: d.When.Due, RoleTenant: d.Tenant}[role]
}

// Role is the role of a column.
func (d *Description) Role(column string) Role {
	for _, c := range d.Columns {
		if c.Name == column {
			return c.Role
		}
	}
	return RoleText
}

// WorkloadTasks is embedded by views whose tasks are those that the workload lists.
type WorkloadTasks struct {
	w    *Workload
	byID func() map[string]TaskIndex
}

// TasksOf names the tasks of a workload.
func TasksOf(w *Workload) WorkloadTasks {
	return WorkloadTasks{w, sync.OnceValue(func() map[string]TaskIndex {
		index := make(map[string]TaskIndex, len(w.Tasks))
		for u := range w.Tasks {
			index[w.Tasks[u].ID] = TaskIndex(u)
		}
		return index
	})}
}

// TaskCount is the number of tasks of the workload.
func (t WorkloadTasks) TaskCount() int { return len(t.w.Tasks) }

// Scheduled equals TaskCount: schedules place all tasks.
func (t WorkloadTasks) Scheduled() int { return len(t.w.Tasks) }

// TaskName is a task's id, that of its job, and its kind.
func (t WorkloadTasks) TaskName(i TaskIndex) (id, job string, kind TaskKind) {
	x := &t.w.Tasks[i]
	return x.ID, t.w.Jobs[x.Job].ID, x.Kind
}

// FindTask is the task of an id.
func (t WorkloadTasks) FindTask(id string) (TaskIndex, bool) {
	u, ok := t.byID()[id]
	return u, ok
}

// ViewDefaults is embedded by views for those methods of View that they do not need.
type ViewDefaults struct{}

// LeftOut is nil: nothing of the workload is left out.
func (ViewDefaults) LeftOut() []string { return nil }

// Doubts is nil: the problem has no warnings of its own.
func (ViewDefaults) Doubts() []Finding { return nil }

// Idle is empty: every parameter may have an effect.
func (ViewDefaults) Idle(string) string { return "" }

// Cells is nil: schedules have the common columns only.
func (ViewDefaults) Cells(Entry) []string { return nil }

// Tables is nil: there are no tables besides schedule.csv.
func (ViewDefaults) Tables(*Schedule) []ResultTable { return nil }
