package command

import (
	"fmt"
	"slices"
	"strings"

	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
)

// stated lists the columns with values that some run of the problem ignores.
func (p problem) stated(w *model.Workload) []workload.Stated {
	always := map[string]bool{}
	for _, c := range p.Columns {
		always[c.Name] = c.Applies == nil
	}
	return workload.StatedColumns(w, func(name string) bool { return !always[name] })
}

// unused are the stated columns that none of the algorithms uses on the instance.
func (o *opened) unused(algorithms ...solver.Algorithm) []workload.Stated {
	return slices.DeleteFunc(slices.Clone(o.stated), func(s workload.Stated) bool { return o.uses(s.Name, algorithms) })
}

// uses says whether one of the algorithms uses a column on the instance.
func (o *opened) uses(column string, algorithms []solver.Algorithm) bool {
	return slices.ContainsFunc(algorithms, func(a solver.Algorithm) bool {
		return o.problem.UsesColumn(column, solver.Use{Workload: o.w, View: o.run.View(), Params: o.params, Algorithm: a})
	})
}

// inputs is what a result says of the workload's columns; nil: all that have values were used.
func (o *opened) inputs(a solver.Algorithm) *model.Inputs {
	list := o.unused(a)
	if len(list) == 0 {
		return nil
	}
	in := &model.Inputs{}
	for _, s := range list {
		in.Unused = append(in.Unused, s.Name)
	}
	return in
}

// contradictions are those of the workload, if one of the algorithms uses either side.
func (o *opened) contradictions(algorithms ...solver.Algorithm) []model.Finding {
	if !o.uses("jobs.intermediate_bytes", algorithms) && !o.uses("tasks.output_bytes", algorithms) {
		return nil
	}
	return o.w.Contradictions()
}

// tellInputs says which columns the algorithms ignore although they have values, and which values contradict each
// other: a note, or, with --strict, an error.
func (j *job) tellInputs(about string) error {
	unused, against := j.unused(j.algorithms...), j.contradictions(j.algorithms...)
	if !j.c.Bool(flagStrict.Name) {
		if j.c.Bool(flagQuiet.Name) {
			return nil
		}
		if len(unused) > 0 {
			names, whose := j.columnNames(unused), "their"
			if len(names) == 1 {
				whose = "its"
			}
			fmt.Fprintf(j.s.stderr, "note: %s%s does not use %s; %s values change nothing\n", about, j.problem.Name,
				sentence(names), whose)
		}
		if len(against) > 0 {
			more := ""
			if n := len(against) - 1; n > 0 {
				more = fmt.Sprintf(" (and %s like it)", counted(n, "job"))
			}
			fmt.Fprintf(j.s.stderr, "note: %s%s%s; expected %s\n", about, against[0].What, more, against[0].Expected)
		}
		return nil
	}
	var found model.Findings
	for _, s := range unused {
		found.Add(model.Finding{Code: model.CodeUnusedColumn, Pos: s.At, What: fmt.Sprintf("%s does not use %s",
			j.problem.Name, s.Name),
			Expected: "only columns that it uses", Hint: "remove the column, or leave --strict out"})
	}
	for _, f := range against {
		found.Add(f)
	}
	return found.Err()
}

// columnNames are what unused columns are called in a sentence: a table of which no column with values is used is named
// as a whole.
func (o *opened) columnNames(unused []workload.Stated) (names []string) {
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

// sentence joins names with commas and an "and".
func sentence(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// reads says whether the problem uses a column of the table that has values, or every workload has the table.
func (o *opened) reads(table string, unused []workload.Stated) bool {
	of := func(column string) bool { return strings.HasPrefix(column, table+".") }
	return table == string(model.TableJobs) ||
		slices.ContainsFunc(o.problem.Columns, func(c solver.Column) bool { return of(c.Name) && c.Applies == nil }) ||
		slices.ContainsFunc(o.stated, func(s workload.Stated) bool { return of(s.Name) && !slices.Contains(unused, s) })
}
