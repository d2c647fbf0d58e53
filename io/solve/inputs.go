package solve

import (
	"fmt"

	"mrsched/io/engine"
	"mrsched/io/show"
	"mrsched/model"
)

// tellInputs says which columns the algorithms ignore although they have values, and which values contradict each
// other: a note, or, with --strict, an error.
func (j *Job) tellInputs(about string) error {
	unused, against := j.Unused(j.Algorithms...), j.Contradictions(j.Algorithms...)
	if !j.Strict {
		if j.Quiet {
			return nil
		}
		if len(unused) > 0 {
			names, whose := j.ColumnNames(unused), "their"
			if len(names) == 1 {
				whose = "its"
			}
			fmt.Fprintf(j.Stderr, "note: %s%s does not use %s; %s values change nothing\n", about, j.Problem.Name,
				engine.Sentence(names), whose)
		}
		if len(against) > 0 {
			more := ""
			if n := len(against) - 1; n > 0 {
				more = fmt.Sprintf(" (and %s like it)", show.Counted(n, "job"))
			}
			fmt.Fprintf(j.Stderr, "note: %s%s%s; expected %s\n", about, against[0].What, more, against[0].Expected)
		}
		return nil
	}
	var found model.Findings
	for _, s := range unused {
		found.Add(model.Finding{Code: model.CodeUnusedColumn, Pos: s.At, What: fmt.Sprintf("%s does not use %s",
			j.Problem.Name, s.Name),
			Expected: "only columns that it uses", Hint: "remove the column, or leave --strict out"})
	}
	for _, f := range against {
		found.Add(f)
	}
	return found.Err()
}
