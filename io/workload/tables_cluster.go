package workload

import "mrsched/model"

// Rows of the tables about clusters in which references are still ids.
type (
	capacityEntry struct {
		model.Capacity
		Node string
	}
	demandEntry struct {
		model.TaskDemand
		Task string
	}
	dependencyEntry struct {
		Job, After string
		Delay      model.Time
	}
	eligibleEntry    struct{ Job, Task, Place string }
	unavailableEntry struct {
		model.Unavailable
		Node string
	}
	fixedEntry struct {
		Task, Node string
		Start      model.Time
	}
	stateEntry struct {
		model.StateRow
		Task, Node string
	}
)

var capacitiesTable = &table[capacityRow, capacityEntry]{
	name: model.TableCapacities, doc: "how much nodes, racks and the root have of named resources",
	columns: columnsOf[capacityRow](), keys: 2,
	add:   func(b *model.Builder, c *capacityEntry, at model.Locus) { b.Capacity(c.Capacity, c.Node, at) },
	count: func(w *model.Workload) int { return len(w.Capacities) },
	row: func(w *model.Workload, i int) capacityEntry {
		return capacityEntry{w.Capacities[i], w.Topology[w.Capacities[i].Node].ID}
	},
}

var demandsTable = &table[demandRow, demandEntry]{
	name: model.TableDemands, doc: "how much tasks take of named resources as long as they run",
	columns: columnsOf[demandRow](), keys: 2,
	add:   func(b *model.Builder, d *demandEntry, at model.Locus) { b.Demand(d.TaskDemand, d.Task, at) },
	count: func(w *model.Workload) int { return len(w.Demands) },
	row: func(w *model.Workload, i int) demandEntry {
		return demandEntry{w.Demands[i], w.Tasks[w.Demands[i].Task].ID}
	},
}

var dependenciesTable = &table[dependencyRow, dependencyEntry]{
	name: model.TableDependencies, doc: "precedence between jobs: no task of the one starts before the other has ended",
	columns: columnsOf[dependencyRow](), keys: 2,
	add:   func(b *model.Builder, d *dependencyEntry, at model.Locus) { b.Dependency(d.Job, d.After, d.Delay, at) },
	count: func(w *model.Workload) int { return len(w.Dependencies) },
	row: func(w *model.Workload, i int) dependencyEntry {
		d := w.Dependencies[i]
		return dependencyEntry{w.Jobs[d.Job].ID, w.Jobs[d.After].ID, d.Delay}
	},
}

var eligibleTable = &table[eligibleRow, eligibleEntry]{
	name:    model.TableEligible,
	doc:     "where jobs or tasks may run, if not everywhere; rows of a job and of its task both apply",
	columns: columnsOf[eligibleRow](), keys: 3,
	add:   func(b *model.Builder, e *eligibleEntry, at model.Locus) { b.Eligible(e.Job, e.Task, e.Place, at) },
	count: func(w *model.Workload) int { return len(w.Eligible) },
	row: func(w *model.Workload, i int) eligibleEntry {
		e := w.Eligible[i]
		if e.Task != model.None {
			return eligibleEntry{Task: w.Tasks[e.Task].ID, Place: w.Topology[e.Place].ID}
		}
		return eligibleEntry{Job: w.Jobs[e.Job].ID, Place: w.Topology[e.Place].ID}
	},
}

var unavailableTable = &table[unavailableRow, unavailableEntry]{
	name: model.TableUnavailable, doc: "when nodes run nothing",
	columns: columnsOf[unavailableRow](), keys: 2,
	add:   func(b *model.Builder, u *unavailableEntry, at model.Locus) { b.Unavailable(u.Unavailable, u.Node, at) },
	count: func(w *model.Workload) int { return len(w.Unavailable) },
	row: func(w *model.Workload, i int) unavailableEntry {
		return unavailableEntry{w.Unavailable[i], w.Topology[w.Unavailable[i].Node].ID}
	},
}

var fixedTable = &table[fixedRow, fixedEntry]{
	name: model.TableFixed, doc: "tasks whose node and start are given: they run already, or must not move",
	columns: columnsOf[fixedRow](), keys: 1,
	add:   func(b *model.Builder, f *fixedEntry, at model.Locus) { b.FixedTask(f.Task, f.Node, f.Start, at) },
	count: func(w *model.Workload) int { return len(w.Fixed) },
	row: func(w *model.Workload, i int) fixedEntry {
		f := w.Fixed[i]
		return fixedEntry{w.Tasks[f.Task].ID, w.Topology[f.Node].ID, f.Start}
	},
}

var stateTable = &table[stateRow, stateEntry]{
	name: model.TableState, doc: "what tasks have really done by the time now; no rule applies to it",
	columns: columnsOf[stateRow](), keys: 1,
	add:   func(b *model.Builder, s *stateEntry, at model.Locus) { b.StateRow(s.StateRow, s.Task, s.Node, at) },
	count: func(w *model.Workload) int { return len(w.State) },
	row: func(w *model.Workload, i int) stateEntry {
		s := w.State[i]
		return stateEntry{s, w.Tasks[s.Task].ID, w.Topology[s.Node].ID}
	},
}

var runsTable = &table[runRow, model.TaskRun]{
	name:    model.TableRuns,
	doc:     "one row per try of a task in earlier runs of its job, from which estimate --duration takes processing times",
	columns: columnsOf[runRow](), keys: 7,
	add:   func(b *model.Builder, r *model.TaskRun, at model.Locus) { b.TaskRun(*r, at) },
	count: func(w *model.Workload) int { return len(w.Runs) },
	row:   func(w *model.Workload, i int) model.TaskRun { return w.Runs[i] },
}
