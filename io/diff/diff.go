package diff

import (
	"fmt"
	"slices"
	"strings"

	"mrsched/io/result"
	"mrsched/model"
)

// Results compares two sides. It lists the keep largest changes of each kind, or all if keep is 0; memory grows with
// what it lists and with what only one side has, not with the schedules. Tasks whose times change by at most a
// tolerance have not moved. It returns an error if the sides cannot be compared.
func Results(old, new *result.Side, keep int, tolerance model.Time) (*Difference, error) {
	d := &Difference{Format: Format, Old: sideName(old), New: sideName(new), Sections: []*Section{},
		Warnings: slices.Concat(old.Warnings, new.Warnings), Tolerance: tolerance}
	if err := d.comparable(old, new); err != nil {
		return nil, err
	}
	same := true
	if d.Compared != ComparedSchedules {
		same = d.inputs(old, new, keep)
		same = d.claims(old.Document(), new.Document()) && same
	}
	d.Same = d.files(old, new) && same
	if d.Compared != ComparedDocuments && old.Bundle.Rows != nil && new.Bundle.Rows != nil {
		d.schedules(old, new, keep)
	}
	return d, nil
}

// take keeps a section if it says something.
func (d *Difference) take(s *Section) {
	if len(s.Values)+len(s.Counts) > 0 {
		d.Sections = append(d.Sections, s)
	}
}

// section is the section with a name; nil if there is none.
func (d *Difference) section(name string) *Section {
	for _, s := range d.Sections {
		if s.Name == name {
			return s
		}
	}
	return nil
}

func sideName(s *result.Side) SideName {
	return SideName{Name: s.Name, Algorithm: s.Document().Algorithm}
}

// comparable finds out what two sides have in common.
func (d *Difference) comparable(old, new *result.Side) error {
	d.Compared = ComparedResults
	switch {
	case old.Bare() || new.Bare() || old.Nothing && new.Nothing:
		d.Compared = ComparedSchedules
	case old.Partial || new.Partial:
		d.Compared = ComparedDocuments
	}
	d.Problem = either(old.Problem != "", old.Problem, new.Problem)
	refuse := func(code model.Code, what, expected string) error {
		return model.NewInputError(model.Finding{Code: code, Pos: model.Position{File: new.Name}, What: what,
			Expected: expected})
	}
	switch {
	case d.Compared == ComparedSchedules && (old.Partial || new.Partial):
		return refuse(model.CodeUnreadable,
			fmt.Sprintf("%s and %s have nothing in common: a result.json without its files, and a schedule", old.Name, new.Name),
			"two result directories, two documents or two schedules")
	case old.Problem != new.Problem && old.Problem != "" && new.Problem != "":
		return refuse(model.CodeOtherInstance, fmt.Sprintf("a result of problem %s; %s is one of %s", new.Problem, old.Name,
			old.Problem), "two results of one problem")
	case d.Compared == ComparedSchedules && old.Bare() != new.Bare() && !old.Nothing && !new.Nothing:
		d.note("only rows are compared: %s is a schedule alone", either(old.Bare(), old.Name, new.Name))
	}
	return nil
}

// files compares schedules and tables by their digests, and says whether they are equal. A table that only one side has
// does not count: it follows from the schedule.
func (d *Difference) files(old, new *result.Side) bool {
	var other []string
	if d.Compared != ComparedSchedules && !old.Nothing && !new.Nothing {
		for _, name := range result.AllKeys(old.Digests, new.Digests) {
			was, had := old.Digests[name]
			is, has := new.Digests[name]
			switch {
			case had != has:
				d.note("only the %s result has the table %s, which is not compared", either(had, "old", "new"), name)
			case was != is:
				other = append(other, name)
			}
		}
	}
	if old.Schedule != new.Schedule {
		other = append(other, result.ScheduleFile)
	}
	if len(other) > 0 {
		d.note("files that differ: %s", strings.Join(other, ", "))
	}
	return len(other) == 0
}

func either(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

func (d *Difference) note(format string, args ...any) {
	d.Notes = append(d.Notes, fmt.Sprintf(format, args...))
}
