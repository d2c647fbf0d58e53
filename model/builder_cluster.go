package model

import "fmt"

// The rows of the tables about clusters: capacities, demands, dependencies, eligible, unavailable, fixed; those of runs
// are in runs.go, those of state in state.go.

// Capacity adds a row of capacities; node is the id of a node, a rack or the root.
func (b *Builder) Capacity(c Capacity, node string, at Locus) {
	b.rowNode(TableCapacities, len(b.w.Capacities), node, at.At("node"))
	b.w.Capacities = append(b.w.Capacities, c)
	b.at[TableCapacities].add(at)
}

// Demand adds a row of demands; task is an id.
func (b *Builder) Demand(d TaskDemand, task string, at Locus) {
	b.rowTask(TableDemands, len(b.w.Demands), task, at)
	b.w.Demands = append(b.w.Demands, d)
	b.at[TableDemands].add(at)
}

// Dependency adds a row of dependencies; job and after are ids of jobs.
func (b *Builder) Dependency(job, after string, delay Time, at Locus) {
	row := len(b.w.Dependencies)
	d := Dependency{Job: b.rowJob(TableDependencies, row, job, at), After: b.job(after), Delay: delay}
	if d.After == None {
		b.afterJobs = append(b.afterJobs, pending{int32(row), after, at.At("after")})
	}
	b.w.Dependencies = append(b.w.Dependencies, d)
	b.at[TableDependencies].add(at)
}

// Eligible adds a row of eligible; place, and one of job and task, are ids, and the other one is empty.
func (b *Builder) Eligible(job, task, place string, at Locus) {
	row := len(b.w.Eligible)
	e := Eligible{Job: None, Task: None, Place: None}
	switch {
	case job != "" && task != "":
		b.Findings.Add(Finding{Code: CodeTwice, Pos: at.Pos, What: fmt.Sprintf("the row names job %q and task %q", job, task),
			Expected: "one of the two", Hint: "rows of a job apply to all its tasks"})
		return
	case task != "":
		b.rowTask(TableEligible, row, task, at)
	case job != "":
		e.Job = b.rowJob(TableEligible, row, job, at)
	default:
		b.Findings.Add(Finding{Code: CodeMissing, Pos: at.Pos, What: "job and task are missing or empty",
			Expected: "one of the two"})
		return
	}
	b.rowNode(TableEligible, row, place, at.At("place"))
	b.w.Eligible = append(b.w.Eligible, e)
	b.at[TableEligible].add(at)
}

// Unavailable adds a row of unavailable; node is an id.
func (b *Builder) Unavailable(u Unavailable, node string, at Locus) {
	if u.Until.Known && u.Until.Value <= u.From {
		b.Findings.Add(Finding{Code: CodeInterval, Pos: at.At("until"),
			What: fmt.Sprintf("until %s is not after from %s", u.Until.Value, u.From), Expected: "a later time",
			Hint: "leave until out if the node does not come back"})
	}
	b.rowNode(TableUnavailable, len(b.w.Unavailable), node, at.At("node"))
	b.w.Unavailable = append(b.w.Unavailable, u)
	b.at[TableUnavailable].add(at)
}

// FixedTask adds a row of fixed; task and node are ids.
func (b *Builder) FixedTask(task, node string, start Time, at Locus) {
	row := len(b.w.Fixed)
	b.rowTask(TableFixed, row, task, at)
	b.rowNode(TableFixed, row, node, at.At("node"))
	b.w.Fixed = append(b.w.Fixed, FixedTask{Task: None, Node: None, Start: start})
	b.at[TableFixed].add(at)
}

// rowTask notes that a row names a task.
func (b *Builder) rowTask(table Table, row int, id string, at Locus) {
	b.rowTasks[table] = append(b.rowTasks[table], pending{int32(row), id, at.At("task")})
}

// resolveTasks finds tasks that rows of a table name; task is where a row keeps it.
func (b *Builder) resolveTasks(table Table, task func(row int32) *TaskIndex) {
	for _, p := range b.rowTasks[table] {
		row := b.tasks.find(p.id)
		if row == None {
			b.reportUnknown(CodeUnknownTask, p.pos, "task", p.id, TableTasks)
		}
		*task(p.row) = TaskIndex(row)
	}
}

// resolveClusterRows finds what the rows of these tables name.
func (b *Builder) resolveClusterRows() {
	w := &b.w
	b.resolvePlaces(TableCapacities, "node", func(row int32) *NodeIndex { return &w.Capacities[row].Node })
	b.resolveTasks(TableDemands, func(row int32) *TaskIndex { return &w.Demands[row].Task })
	b.resolveJobs(TableDependencies, func(row int32) *JobIndex { return &w.Dependencies[row].Job })
	b.rowJobs[TableDependencies] = b.afterJobs
	b.resolveJobs(TableDependencies, func(row int32) *JobIndex { return &w.Dependencies[row].After })
	b.resolveJobs(TableEligible, func(row int32) *JobIndex { return &w.Eligible[row].Job })
	b.resolveTasks(TableEligible, func(row int32) *TaskIndex { return &w.Eligible[row].Task })
	b.resolvePlaces(TableEligible, "place", func(row int32) *NodeIndex { return &w.Eligible[row].Place })
	b.resolveHosts(TableUnavailable, func(row int32) *NodeIndex { return &w.Unavailable[row].Node })
	b.resolveTasks(TableFixed, func(row int32) *TaskIndex { return &w.Fixed[row].Task })
	b.resolveHosts(TableFixed, func(row int32) *NodeIndex { return &w.Fixed[row].Node })
	b.resolveTasks(TableState, func(row int32) *TaskIndex { return &w.State[row].Task })
	b.resolveHosts(TableState, func(row int32) *NodeIndex { return &w.State[row].Node })
}

// resolvePlaces finds rows of the topology, of any kind, that rows of a table name in a column.
func (b *Builder) resolvePlaces(table Table, column string, place func(row int32) *NodeIndex) {
	for _, p := range b.rowNodes[table] {
		n := b.nodes.find(p.id)
		if n == None {
			b.reportUnknown(CodeUnknownNode, p.pos, column, p.id, TableTopology)
		}
		*place(p.row) = NodeIndex(n)
	}
}

// checkClusterRows reports rows of these tables that repeat what an earlier row says, or contradict it.
func (b *Builder) checkClusterRows() {
	w := &b.w
	type stated struct {
		row      int32
		resource string
	}
	type pair struct{ x, y int32 }
	repeated(b, TableCapacities, len(w.Capacities), "the node and the resource", func(i int) (stated, bool) {
		c := &w.Capacities[i]
		return stated{int32(c.Node), c.Resource}, c.Node != None
	})
	repeated(b, TableDemands, len(w.Demands), "the task and the resource", func(i int) (stated, bool) {
		d := &w.Demands[i]
		return stated{int32(d.Task), d.Resource}, d.Task != None
	})
	repeated(b, TableDependencies, len(w.Dependencies), "both jobs", func(i int) (pair, bool) {
		d := &w.Dependencies[i]
		return pair{int32(d.Job), int32(d.After)}, d.Job != None && d.After != None
	})
	repeated(b, TableEligible, len(w.Eligible), "everything", func(i int) (Eligible, bool) {
		e := w.Eligible[i]
		return e, e.Place != None && (e.Job != None || e.Task != None)
	})
	repeated(b, TableUnavailable, len(w.Unavailable), "everything", func(i int) (Unavailable, bool) {
		u := w.Unavailable[i]
		return u, u.Node != None
	})
	repeated(b, TableFixed, len(w.Fixed), "the task", func(i int) (TaskIndex, bool) {
		u := w.Fixed[i].Task
		return u, u != None
	})
	repeated(b, TableState, len(w.State), "the task", func(i int) (TaskIndex, bool) {
		u := w.State[i].Task
		return u, u != None
	})
	b.checkState()
	type try struct {
		task, run string
		try       int64
	}
	repeated(b, TableRuns, len(w.Runs), "task, run and try", func(i int) (try, bool) {
		r := &w.Runs[i]
		return try{r.Task, r.Run, r.Try}, true
	})
}

// repeated reports rows with the key of an earlier row, if their ids are known; what names the key's columns.
func repeated[K comparable](b *Builder, table Table, rows int, what string, key func(row int) (k K, known bool)) {
	seen := make(map[K]int, rows)
	for i := range rows {
		k, known := key(i)
		if !known {
			continue
		}
		if first, twice := seen[k]; twice {
			text := fmt.Sprintf("row %d of %s repeats %s of row %d", i+1, table, what, first+1)
			b.Findings.Add(Finding{Code: CodeDuplicate, Pos: b.at[table].at(i), What: text, Expected: "unlike rows",
				Hint: "drop one of the two"})
			continue
		}
		seen[k] = i
	}
}
