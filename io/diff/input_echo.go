package diff

import (
	"iter"
	"math/big"
	"slices"

	"mrsched/io/result"
	"mrsched/model"
)

// Tables of the input that results repeat in part.
const (
	tasksTable    = "tasks"
	machinesTable = "machines"
)

// echoes compares what both results repeat of their inputs: jobs, tasks, and columns of both and of machines.
func (d *Difference) echoes(c *inputComparison, old, new *result.Side) {
	was, had := jobTable(old)
	is, has := jobTable(new)
	rows := old.Bundle.Rows != nil && new.Bundle.Rows != nil
	inTable := func(e model.Echo) bool {
		return had && has && slices.Contains(was.Columns, e.Column) && slices.Contains(is.Columns, e.Column)
	}
	var fromTables, fromTasks, fromMachines, fromJobs []model.Echo
	for _, e := range d.about.Inputs {
		switch {
		case e.By == model.ByJob && inTable(e):
			fromTables = append(fromTables, e)
		case e.By == model.ByJob && !(had && has):
			fromJobs = append(fromJobs, e)
		case e.By == model.ByTask:
			fromTasks = append(fromTasks, e)
		case e.By == model.ByMachine:
			fromMachines = append(fromMachines, e)
		}
	}
	switch {
	case had && has:
		c.table(tableEchoes(was, fromTables), tableEchoes(is, fromTables), false)
	case rows:
		c.table(rowEchoes(old.Bundle.Rows, jobsTable, fromJobs), rowEchoes(new.Bundle.Rows, jobsTable, fromJobs), false)
	}
	if !rows {
		return
	}
	c.table(taskEchoes(old.Bundle.Rows, fromTasks), taskEchoes(new.Bundle.Rows, fromTasks), false)
	if len(fromMachines) > 0 { // an idle machine has no rows
		c.table(rowEchoes(old.Bundle.Rows, machinesTable, fromMachines),
			rowEchoes(new.Bundle.Rows, machinesTable, fromMachines), true)
	}
}

// echoTable is a table without rows of what echoes repeat.
func echoTable(name string, list []model.Echo, own ...model.InputColumn) model.InputTable {
	t := model.InputTable{Name: name, Row: name[:len(name)-1], Keys: 1,
		Columns: append([]model.InputColumn{{Name: "id"}}, own...)}
	for _, e := range list {
		t.Columns = append(t.Columns, model.InputColumn{Name: e.Of})
	}
	return t
}

// tableEchoes are what the table jobs of a result repeats.
func tableEchoes(jobs model.ResultTable, list []model.Echo) model.InputTable {
	t := echoTable(jobsTable, list)
	t.Rows = func(yield func([]string) bool) {
		texts := make([]string, len(t.Columns))
		for row := range jobs.Rows {
			field := func(name string) string {
				if i := slices.Index(jobs.Columns, name); i >= 0 {
					return row[i]
				}
				return ""
			}
			texts[0] = field(columnJob)
			for i, e := range list {
				texts[i+1] = since(field(e.Column), field(e.Since))
			}
			if !yield(texts) {
				return
			}
		}
	}
	return t
}

// since subtracts a known number.
func since(text, from string) string {
	a, b := decimal(text), decimal(from)
	if a == nil || b == nil {
		return text
	}
	return string(exactText(new(big.Rat).Sub(a, b)))
}

// taskEchoes are what the rows of a schedule repeat of their tasks.
func taskEchoes(rows result.Rows, list []model.Echo) model.InputTable {
	t := echoTable(tasksTable, list, model.InputColumn{Name: columnJob, Refers: jobsTable},
		model.InputColumn{Name: "kind"})
	t.Rows = func(yield func([]string) bool) {
		texts := make([]string, len(t.Columns))
		for some := range byTask(rows) {
			r := &some[0]
			texts[0], texts[1], texts[2] = r.Task, r.Job, r.Kind
			for i, e := range list {
				switch {
				case e.Column != model.RowLength:
					texts[i+3] = r.Columns.Text(e.Column)
				case len(some) == 1:
					texts[i+3] = (r.End - r.Start).String()
				default:
					texts[i+3] = ""
				}
			}
			if !yield(texts) {
				return
			}
		}
	}
	return t
}

// rowEchoes are what the rows of a schedule repeat of their jobs or machines.
func rowEchoes(rows result.Rows, name string, list []model.Echo) model.InputTable {
	t := echoTable(name, list)
	t.Rows = iter.Seq[[]string](func(yield func([]string) bool) {
		seen := map[string]bool{}
		texts := make([]string, len(t.Columns))
		for some := range rows.All() {
			for i := range some {
				r := &some[i]
				texts[0] = either(name == jobsTable, r.Job, r.Machine)
				if seen[texts[0]] {
					continue
				}
				seen[texts[0]] = true
				for k, e := range list {
					texts[k+1] = r.Columns.Text(e.Column)
				}
				if !yield(texts) {
					return
				}
			}
		}
	})
	return t
}
