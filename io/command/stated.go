package command

import (
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
	"slices"
	"strings"
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
	return slices.DeleteFunc(slices.Clone(o.stated), func(s workload.Stated) bool {
		return slices.ContainsFunc(algorithms, func(a solver.Algorithm) bool {
			return o.problem.UsesColumn(s.Name, solver.Use{Workload: o.w, View: o.run.View(), Params: o.params, Algorithm: a})
		})
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

// contradictions are those of the workload that concern a column which the problem uses.
func (o *opened) contradictions() []model.Finding {
	uses := func(column string) bool {
		return slices.ContainsFunc(o.problem.Columns, func(c solver.Column) bool { return c.Name == column })
	}
	if !uses("jobs.intermediate_bytes") && !uses("tasks.output_bytes") {
		return nil
	}
	return o.w.Contradictions()
}

// columnList names columns in a sentence; a table of which the problem uses nothing is named as a whole.
func (p problem) columnList(list []workload.Stated) string {
	var names []string
	for _, s := range list {
		name := s.Name
		if table, _, ok := strings.Cut(name, "."); ok && !p.reads(table) {
			name = "the table " + table
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// reads says whether the problem uses a column of the table, or every workload has the table.
func (p problem) reads(table string) bool {
	return table == string(model.TableJobs) || slices.ContainsFunc(p.Columns, func(c solver.Column) bool {
		return strings.HasPrefix(c.Name, table+".")
	})
}
