package engine

import (
	"fmt"
	"slices"
	"strings"

	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
)

// stated lists the columns with values that some run of the problem ignores.
func (p Problem) stated(w *model.Workload) []workload.Stated {
	always := map[string]bool{}
	for _, c := range p.Columns {
		always[c.Name] = c.Applies == nil
	}
	return workload.StatedColumns(w, func(name string) bool { return !always[name] })
}

// KeepsFixed says whether a problem uses the table fixed.
func KeepsFixed(problem string) bool {
	p, err := FindProblem(problem, nil)
	return err == nil && Keeps(p.Problem, model.TableFixed)
}

// Unused are the stated columns that none of the algorithms uses on the instance.
func (o *Opened) Unused(algorithms ...solver.Algorithm) []workload.Stated {
	return slices.DeleteFunc(slices.Clone(o.stated), func(s workload.Stated) bool { return o.Uses(s.Name, algorithms) })
}

// Uses says whether one of the algorithms uses a column on the instance.
func (o *Opened) Uses(column string, algorithms []solver.Algorithm) bool {
	return slices.ContainsFunc(algorithms, func(a solver.Algorithm) bool {
		return o.Problem.UsesColumn(column, solver.Use{Workload: o.W, View: o.Run.View(), Params: o.Params, Algorithm: a})
	})
}

// inputs is what a result says about the workload's columns; nil if all columns with values were used.
func (o *Opened) inputs(a solver.Algorithm) *model.Inputs {
	list := o.Unused(a)
	if len(list) == 0 {
		return nil
	}
	in := &model.Inputs{}
	for _, s := range list {
		in.Unused = append(in.Unused, s.Name)
	}
	return in
}

// Warnings are what is probably wrong with columns that one of the algorithms uses.
func (o *Opened) Warnings(algorithms ...solver.Algorithm) (found []model.Finding) {
	for _, d := range o.W.Warnings() {
		if slices.ContainsFunc(d.Columns, func(name string) bool { return o.Uses(name, algorithms) }) {
			found = append(found, d.Finding)
		}
	}
	return slices.Concat(found, o.IgnoredTables(), o.Run.View().Doubts(), o.Doubts)
}

// IgnoredTables reports tables with rows that restrict plans but that the problem ignores.
func (o *Opened) IgnoredTables() (found []model.Finding) {
	for _, t := range []struct {
		table model.Table
		rows  int
	}{{model.TableDelays, len(o.W.Delays)}, {model.TableDependencies, len(o.W.Dependencies)},
		{model.TableEligible, len(o.W.Eligible)}, {model.TableUnavailable, len(o.W.Unavailable)},
		{model.TableFixed, len(o.W.Fixed)}, {model.TableState, len(o.W.State)}} {
		if t.rows == 0 || Keeps(o.Problem.Problem, t.table) {
			continue
		}
		var keep []string
		for _, p := range Problems() {
			if Keeps(p.Problem, t.table) {
				keep = append(keep, p.Name)
			}
		}
		hint := fmt.Sprintf("under --problem %s they count", strings.Join(keep, " or "))
		if t.table == model.TableDelays {
			hint += ", and order the whole job"
			if reads(o.Problem.Problem, shuffleDelay) {
				hint += "; for a wait after a map, state the map's shuffle_delay in tasks"
			}
		}
		found = append(found, model.Finding{Code: model.CodeNoDelays, Pos: o.W.Where(t.table, 0),
			What: fmt.Sprintf("%s ignores %s of the table %s: it plans as if they were not there", o.Problem.Name,
				model.Counted(t.rows, "row"), t.table),
			Expected: fmt.Sprintf("no rows of %s for this problem", t.table), Hint: hint})
	}
	return found
}

// Keeps reports whether a problem's schedules respect a table.
func Keeps(p *solver.Problem, table model.Table) bool {
	if table == model.TableDelays {
		return p.Delays
	}
	return slices.ContainsFunc(p.Columns, func(c solver.Column) bool {
		return strings.HasPrefix(c.Name, string(table)+".")
	})
}

// reads says whether a problem uses a column.
func reads(p *solver.Problem, column string) bool {
	return slices.ContainsFunc(p.Columns, func(c solver.Column) bool { return c.Name == column })
}

// shuffleDelay is the column for waits after maps, with its table.
const shuffleDelay = string(model.TableTasks) + ".shuffle_delay"

// Objections are the findings that --strict adds: columns with values that none of the algorithms uses, unless an
// importer wrote them, and warnings.
func (o *Opened) Objections(algorithms ...solver.Algorithm) (found []model.Finding) {
	for _, s := range o.Unused(algorithms...) {
		if o.W.Imported() {
			break
		}
		found = append(found, model.Finding{Code: model.CodeUnusedColumn, Pos: s.At, What: fmt.Sprintf("%s does not use %s",
			o.Problem.Name, s.Name), Expected: "only columns that it uses",
			Hint: "remove the column, or leave --strict out"})
	}
	return append(found, o.Warnings(algorithms...)...)
}

// ColumnNames are what unused columns are called in a sentence: a table of which no column with values is used is named
// as a whole.
func (o *Opened) ColumnNames(unused []workload.Stated) (names []string) {
	for _, s := range unused {
		name := s.Name
		if table, _, ok := strings.Cut(name, "."); ok && !o.reads(table, unused) {
			name = "the table " + table
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Sentence joins names with commas and an "and".
func Sentence(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// reads says whether the problem uses a column with values of the table, or every workload has the table.
func (o *Opened) reads(table string, unused []workload.Stated) bool {
	of := func(column string) bool { return strings.HasPrefix(column, table+".") }
	return table == string(model.TableJobs) ||
		slices.ContainsFunc(o.Problem.Columns, func(c solver.Column) bool { return of(c.Name) && c.Applies == nil }) ||
		slices.ContainsFunc(o.stated, func(s workload.Stated) bool { return of(s.Name) && !slices.Contains(unused, s) })
}
