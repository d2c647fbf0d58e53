package diff

import (
	"encoding/json"
	"fmt"
	"slices"

	"mrsched/io/result"
	"mrsched/model"
)

// Format is the `format` of a Difference.
const Format = "mrsched-diff/1"

// What the two sides have in common, which decides what is compared.
const (
	ComparedResults   = "results"   // everything
	ComparedDocuments = "documents" // what result.json says; of the other files their digests
	ComparedSchedules = "schedules" // the rows of schedule.csv
	ComparedInstances = "instances" // two inputs, without any result
)

// Verdicts on the objective of the new side. Every objective is minimised.
const (
	VerdictBetter = "better"
	VerdictWorse  = "worse"
	VerdictEqual  = "equal"
)

// Difference is how two results of one problem differ. Numbers are exact; a change is new − old. Unknown and equal
// values are absent. Swapping the sides swaps old and new and the signs of changes.
type Difference struct {
	Format string `json:"format"`
	// Same says that instance, status, objective, lower bound, ratio, guarantee, metrics (except those about the run),
	// schedule and tables are equal, however they were made: see Made.
	Same     bool     `json:"same"`
	Verdict  string   `json:"verdict,omitempty"` // of the objectives, if both are known, of one name and one instance
	Compared string   `json:"compared"`
	Problem  string   `json:"problem,omitempty"`
	Old      SideName `json:"old"`
	New      SideName `json:"new"`
	Instance string   `json:"instance,omitempty"` // SHA-256; absent if there are two: see Input
	Warnings []string `json:"warnings,omitempty"` // what is wrong with a side
	Notes    []string `json:"notes,omitempty"`    // what was not compared, or compared differently

	Input      *InputDifference `json:"input,omitempty"` // nil: both results are for one instance
	Status     *Texts           `json:"status,omitempty"`
	Objective  *ObjectiveChange `json:"objective,omitempty"`
	LowerBound *BoundChange     `json:"lower_bound,omitempty"`
	Ratio      *Numbers         `json:"ratio,omitempty"`
	Guarantee  *GuaranteeChange `json:"guarantee,omitempty"` // only if it differs; so are the fields below
	Metrics    []Values         `json:"metrics,omitempty"`
	// Made describes how the results were made: algorithm, seed, parameters, facts about the run, the machines, the proof.
	Made []Values `json:"made,omitempty"`

	Schedule *ScheduleChange `json:"schedule,omitempty"`
	Tables   []TableChange   `json:"tables,omitempty"`
	Tasks    *TaskCounts     `json:"tasks,omitempty"`
	Columns  []ColumnChange  `json:"columns,omitempty"` // the problem's own of schedule.csv
	Shares   *Shares         `json:"shares,omitempty"`  // of jobs in the objective
	Ends     *EndCounts      `json:"completions,omitempty"`
	Decides  *Deciding       `json:"deciding,omitempty"` // whose time the objective is, if that is a maximum

	// The lists are last in the document, each with its largest changes first.
	Jobs     []JobChange     `json:"-"`
	Machines []MachineChange `json:"-"`
	about    *model.Description
	moves    []move
	jobs     int // how many jobs changed; Jobs may have fewer
	machines int
}

// SideName says what was compared.
type SideName struct {
	Name      string `json:"name"`
	Algorithm string `json:"algorithm,omitempty"`
}

func sideName(s *result.Side) SideName {
	return SideName{Name: s.Name, Algorithm: s.Document().Algorithm}
}

// Results compares two sides. It lists the keep largest changes of jobs, machines and moved tasks each, or all if keep
// is 0; memory grows with what it lists and with what only one side has, not with the schedules. It returns an error if
// the sides cannot be compared.
func Results(old, new *result.Side, keep int) (*Difference, error) {
	d := &Difference{Format: Format, Old: sideName(old), New: sideName(new),
		Warnings: slices.Concat(old.Warnings, new.Warnings)}
	if err := d.comparable(old, new); err != nil {
		return nil, err
	}
	same := true
	if d.Compared != ComparedSchedules {
		same = d.claims(old.Document(), new.Document())
		d.inputs(old, new, keep)
	}
	same = d.files(old, new) && same
	if d.Compared != ComparedDocuments && old.Bundle.Rows != nil && new.Bundle.Rows != nil {
		t := tallied(d.about, old.Bundle.Rows, new.Bundle.Rows, keep)
		d.tasks(t)
		d.contributions(old, new, t, keep)
	}
	d.Same = same && d.Input == nil
	return d, nil
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
	d.about = &model.Description{}
	for _, x := range old.Known {
		if x.Problem == d.Problem {
			d.about = x
		}
	}
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
	}
	if d.Compared == ComparedSchedules {
		if old.Bare() != new.Bare() && !old.Nothing && !new.Nothing {
			d.note("only rows are compared: %s is a schedule alone", either(old.Bare(), old.Name, new.Name))
		}
		return nil
	}
	a, b := old.Document().Instance, new.Document().Instance
	d.Instance = either(a.SHA256 != "", a.SHA256, b.SHA256)
	return nil
}

// files compares schedules and tables by their digests, and says whether they are equal.
func (d *Difference) files(old, new *result.Side) bool {
	a, b := old.Schedule, new.Schedule
	d.Schedule = &ScheduleChange{Same: a == b, Old: a, New: b}
	same := a == b
	if d.Compared == ComparedResults && (a == "") != (b == "") && !old.Nothing && !new.Nothing {
		d.note("only the %s result has a schedule", either(a != "", "old", "new"))
	}
	if d.Compared == ComparedSchedules {
		return same
	}
	was, is := old.Digests, new.Digests
	for _, name := range result.AllKeys(was, is) {
		x, had := was[name]
		y, has := is[name]
		switch {
		case old.Nothing || new.Nothing:
		case had != has:
			d.note("only the %s result has the table %s, which is not compared", either(had, "old", "new"), name)
		case x != y:
			same = false
			d.Tables = append(d.Tables, tableChange(name, old, new, d.Compared == ComparedResults))
		}
	}
	return same
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

// Texts holds the texts of both sides.
type Texts struct {
	Old string `json:"old,omitempty"`
	New string `json:"new,omitempty"`
}

// Values are what both sides state under a name, unchanged. Change is absent unless both are numbers.
type Values struct {
	Name   string          `json:"name"`
	Old    json.RawMessage `json:"old,omitempty"`
	New    json.RawMessage `json:"new,omitempty"`
	Change model.Number    `json:"change,omitempty"`
}

// ObjectiveChange has two names if the sides were made for different objectives; then there is no change.
type ObjectiveChange struct {
	Name    string `json:"name,omitempty"`
	OldName string `json:"old_name,omitempty"`
	NewName string `json:"new_name,omitempty"`
	Numbers
}

// BoundChange holds both lower bounds. The change is absent if they are bounds on different objectives.
type BoundChange struct {
	Old    *model.LowerBound `json:"old,omitempty"`
	New    *model.LowerBound `json:"new,omitempty"`
	Change model.Number      `json:"change,omitempty"`
}

// GuaranteeChange holds both guarantees.
type GuaranteeChange struct {
	Old *model.Guarantee `json:"old,omitempty"`
	New *model.Guarantee `json:"new,omitempty"`
}

// ScheduleChange compares schedule.csv by the SHA-256 of the rows as mrsched writes them; an absent schedule has none.
type ScheduleChange struct {
	Same bool     `json:"same"`
	Old  string   `json:"old,omitempty"`
	New  string   `json:"new,omitempty"`
	Rows *Numbers `json:"rows,omitempty"`
	// LastEnd is the end of the last row, in seconds.
	LastEnd *Numbers `json:"last_end,omitempty"`
}

// TableChange is a table that differs. Rows are equal if all their fields are.
type TableChange struct {
	Name    string   `json:"name"`
	Rows    *Numbers `json:"rows,omitempty"`
	OnlyOld *int     `json:"only_old,omitempty"` // rows that the other side does not have
	OnlyNew *int     `json:"only_new,omitempty"`
}
