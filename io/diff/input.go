package diff

import (
	"encoding/json"
	"slices"
	"strings"

	"mrsched/io/result"
	"mrsched/io/show"
	"mrsched/model"
)

// How a Difference knows about changes of the input.
const (
	fromInstances = "instances" // both inputs were named: everything is known
	fromResults   = "results"   // the results repeat parts of the inputs
)

// How a part of the input changed.
const (
	inputAdded     = "added"
	inputRemoved   = "removed"
	inputChanged   = "changed"
	inputReordered = "reordered"
)

// What a change of the input is about, if not rows of a table.
const (
	aboutScalar    = "scalar"
	aboutParameter = "parameter"
	aboutColumn    = "column"
)

// InputDifference says how the instances of two results differ. The most important changes come first.
type InputDifference struct {
	Source  string        `json:"source"`
	Old     inputSummary  `json:"old"`
	New     inputSummary  `json:"new"`
	Changes []InputChange `json:"changes"`
}

// inputSummary is a model.InstanceSummary; without a result, no problem says how many machines there are.
type inputSummary struct {
	Name     string `json:"name,omitempty"`
	SHA256   string `json:"sha256"`
	Jobs     int    `json:"jobs"`
	Tasks    int    `json:"tasks"`
	Machines int    `json:"machines,omitempty"`
	Origin   string `json:"origin,omitempty"`
}

// InputChange is one change of the input: of a scalar, of a parameter that changes the instance, or of the rows that it
// lists.
type InputChange struct {
	Change string `json:"change"`
	Table  string `json:"table,omitempty"`
	// About is what people call a row of the table, or scalar, parameter or column.
	About  string `json:"about"`
	Column string `json:"column,omitempty"`
	// Unused says that the algorithm ignores what changed.
	Unused bool `json:"unused,omitempty"`
	// Rows is how many rows changed, of Of that both sides have.
	Rows int `json:"rows,omitempty"`
	Of   int `json:"of,omitempty"`
	// Old and New are the values of a scalar or parameter.
	Old json.RawMessage `json:"old,omitempty"`
	New json.RawMessage `json:"new,omitempty"`
	// Columns counts the changed rows by column.
	Columns []ColumnCount `json:"columns,omitempty"`
	// List has the rows, those that changed most first.
	List []InputRow `json:"list,omitempty"`

	keys []model.InputColumn // that identify a row
}

// ColumnCount is how many rows have another value, and by which factors they differ.
type ColumnCount struct {
	Column string       `json:"column"`
	Rows   int          `json:"rows"`
	Least  model.Number `json:"least_factor,omitempty"`
	Most   model.Number `json:"most_factor,omitempty"`
}

// InputRow is a row of a table.
type InputRow struct {
	Key    []string `json:"key"`
	Values []Values `json:"values,omitempty"` // for an added or removed row, the values that are not the default
	// With counts the rows of other tables that came or went with the row, which they refer to.
	With []RowCount `json:"with,omitempty"`
}

// RowCount is a number of rows of a table; About is as in InputChange.
type RowCount struct {
	Table string `json:"table"`
	About string `json:"about"`
	Rows  int    `json:"rows"`
}

// Input is an instance as Inputs compares it.
type Input struct {
	Name    string // for people, usually a path
	Summary model.InstanceSummary
	Text    model.InputText
}

// Inputs compares two instances, which need not have results. It lists the keep largest changes of a kind, or all
// if keep is 0.
func Inputs(old, new *Input, keep int) *Difference {
	d := &Difference{Format: Format, Compared: ComparedInstances, Old: SideName{Name: old.Name},
		New: SideName{Name: new.Name}, about: &model.Description{}}
	if d.Same = old.Summary.SHA256 == new.Summary.SHA256; d.Same {
		d.Instance = old.Summary.SHA256
		return d
	}
	d.Input = &InputDifference{Source: fromInstances, Old: inputSummary(old.Summary), New: inputSummary(new.Summary),
		Changes: []InputChange{}}
	c := &inputComparison{keep: keep}
	d.Input.texts(c, &old.Text, &new.Text)
	d.Input.sorted(c)
	return d
}

// texts compares all that the instances state.
func (in *InputDifference) texts(c *inputComparison, old, new *model.InputText) {
	in.scalars(old.Scalars, new.Scalars)
	for i := range old.Tables {
		c.table(old.Tables[i], new.Tables[i], false)
	}
}

// sorted adds what was found in the tables, the most important changes first.
func (in *InputDifference) sorted(c *inputComparison) {
	in.Changes = append(in.Changes, c.found(in.Source == fromInstances)...)
	slices.SortStableFunc(in.Changes, func(a, b InputChange) int { return a.rank() - b.rank() })
}

// inputs finds out how the input changed. Changed inputs have no verdict: their objectives measure different things.
func (d *Difference) inputs(old, new *result.Side, keep int) {
	a, b := old.Document(), new.Document()
	if old.Nothing || new.Nothing || a.Instance.SHA256 == b.Instance.SHA256 {
		return
	}
	d.Instance, d.Verdict = "", ""
	in := &InputDifference{Source: fromResults, Old: inputSummary(a.Instance), New: inputSummary(b.Instance),
		Changes: []InputChange{}}
	d.Input = in
	in.parameters(a, b, slices.Compact(slices.Sorted(slices.Values(slices.Concat(old.Reshaping, new.Reshaping)))))
	c := &inputComparison{unused: unusedIn(a, b), keep: keep}
	if old.Instance != nil && new.Instance != nil {
		in.Source = fromInstances
		in.texts(c, old.Instance, new.Instance)
	} else {
		d.echoes(c, old, new)
		in.scalars([]model.InputScalar{{Name: "name", Text: a.Instance.Name}, {Name: "origin", Text: a.Instance.Origin}},
			[]model.InputScalar{{Name: "name", Text: b.Instance.Name}, {Name: "origin", Text: b.Instance.Origin}})
		in.stated(a, b)
		d.note("the results repeat only some of their inputs; name both instances to see all changes")
	}
	in.sorted(c)
	d.Made = slices.DeleteFunc(d.Made, func(v Values) bool {
		name, isParameter := strings.CutPrefix(v.Name, madeParameters+".")
		return slices.Contains([]string{madeMachines, madeJobs, madeTasks}, v.Name) ||
			isParameter && slices.ContainsFunc(in.Changes, func(c InputChange) bool {
				return c.About == aboutParameter && c.Column == name
			})
	})
}

// rank puts changes without effect last, and those that only describe the input.
func (c *InputChange) rank() int {
	switch {
	case c.About == aboutScalar && slices.Contains([]string{"name", "notes"}, c.Column):
		return 3
	case c.Unused:
		return 2
	case c.Change == inputReordered:
		return 1
	}
	return 0
}

// parameters compares those that change the instance.
func (in *InputDifference) parameters(a, b *model.Result, names []string) {
	was, is := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	for _, name := range append([]string{"job"}, names...) {
		for into, r := range map[*map[string]json.RawMessage]*model.Result{&was: a, &is: b} {
			if v, ok := r.Parameters[name]; ok {
				(*into)[name] = json.RawMessage(show.JSONText(v))
			}
		}
	}
	for _, v := range changedValues(was, is) {
		in.Changes = append(in.Changes, InputChange{Change: inputChanged, About: aboutParameter, Column: v.Name, Old: v.Old,
			New: v.New})
	}
}

func (in *InputDifference) scalars(old, new []model.InputScalar) {
	for i := range old {
		if a, b := old[i].Text, new[i].Text; a != b {
			in.Changes = append(in.Changes, InputChange{Change: inputChanged, About: aboutScalar, Column: old[i].Name,
				Old: cellText(a), New: cellText(b)})
		}
	}
}

// stated compares which ignored columns have values.
func (in *InputDifference) stated(a, b *model.Result) {
	was, is := unusedOf(a), unusedOf(b)
	for _, name := range result.AllKeys(was, is) {
		if was[name] != is[name] {
			in.Changes = append(in.Changes, InputChange{Change: either(is[name], inputAdded, inputRemoved), About: aboutColumn,
				Column: name, Unused: true})
		}
	}
}

func unusedOf(r *model.Result) map[string]bool {
	names := map[string]bool{}
	if r.Inputs != nil {
		for _, name := range r.Inputs.Unused {
			names[name] = true
		}
	}
	return names
}

func unusedIn(a, b *model.Result) map[string]bool {
	names := unusedOf(a)
	for name := range unusedOf(b) {
		names[name] = true
	}
	return names
}
