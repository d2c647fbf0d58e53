package lint

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mrsched/io/engine"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
)

// Format is the `format` of a report.
const Format = "mrsched-lint/1"

// MaxFindings is how many findings of an instance are listed.
const MaxFindings = 10_000

// Options are the settings of one call.
type Options struct {
	Problem string // the only one to look at; empty: all
	Strict  bool   // warnings count as errors
	// Read reads an instance as the options say.
	Read       func(path string, opt workload.Options) (*model.Workload, error)
	ReadParams func(list []solver.Param) (solver.Params, error)
}

// Severities of findings.
const (
	Error   = "error"
	Warning = "warning"
)

// Finding is a finding for programs.
type Finding struct {
	Severity string     `json:"severity"`
	Code     model.Code `json:"code,omitempty"` // absent: a note of the reader
	At       string     `json:"at,omitempty"`   // file:line:column
	What     string     `json:"what"`
	Expected string     `json:"expected,omitempty"`
	Hint     string     `json:"hint,omitempty"`
	Cause    string     `json:"cause,omitempty"` // of all findings with the code
	Remedy   string     `json:"remedy,omitempty"`

	more int // findings like it that are not listed
}

// Ignored is a column with values that a problem does not use.
type Ignored struct {
	Column string `json:"column"`
	When   string `json:"when,omitempty"` // when the problem uses it; absent: never
}

// Use is how a problem reads the instance.
type Use struct {
	Problem  string    `json:"problem"`
	Solvable bool      `json:"solvable"`
	Prevents []Finding `json:"prevents,omitempty"`
	Uses     []string  `json:"uses,omitempty"`
	Ignores  []Ignored `json:"ignores,omitempty"`
	Assumes  []string  `json:"assumes,omitempty"` // columns with their defaults
	Notes    []string  `json:"notes,omitempty"`
}

// Report is the report on an instance.
type Report struct {
	Format   string    `json:"format"`
	Instance string    `json:"instance"`
	Clean    bool      `json:"clean"` // exit code 0
	Jobs     int       `json:"jobs,omitempty"`
	Tasks    int       `json:"tasks,omitempty"`
	Nodes    int       `json:"nodes,omitempty"`
	Maps     int64     `json:"map_slots,omitempty"` // of the topology
	Reduces  int64     `json:"reduce_slots,omitempty"`
	Topology bool      `json:"topology,omitempty"` // false: the nodes are those that placements name
	Findings []Finding `json:"findings,omitempty"`
	More     int       `json:"more,omitempty"` // findings beyond those listed
	Problems []Use     `json:"problems,omitempty"`

	named    bool // the call or the workload names a problem that exists
	objected bool // solve --strict refuses that problem
	strict   bool // warnings count as errors
}

// Look reads an instance and makes its report. An error says that the instance cannot be read at all, or that the
// options do not fit.
func Look(o Options, path string) (*Report, error) {
	r := &Report{Format: Format, Instance: path}
	var unknown []model.Finding
	w, err := o.Read(path, workload.Options{MaxFindings: MaxFindings, Unknown: &unknown})
	r.add(Error, unknown)
	var input *model.InputError
	switch {
	case errors.As(err, &input):
		r.add(Error, input.Findings)
		r.More = input.More
	case err != nil:
		return nil, err
	default:
		r.Jobs, r.Tasks, r.Nodes = len(w.Jobs), len(w.Tasks), len(w.Topology)
		r.Maps, r.Reduces = w.Slots()
		for _, line := range w.Skipped {
			r.Findings = append(r.Findings, Finding{Severity: Warning, What: line})
		}
		if w.Problem != "" {
			if _, err := engine.FindProblem("", w); errors.As(err, &input) {
				r.add(Error, input.Findings)
			}
		}
		for _, d := range w.Warnings() {
			if o.concerns(d) {
				r.add(Warning, []model.Finding{d.Finding})
			}
		}
		r.Topology = w.HasTopology
		if err := r.problems(o, w); err != nil {
			return nil, err
		}
	}
	r.strict = o.Strict
	fails := func(f Finding) bool { return f.Severity == Error || o.Strict && !r.named }
	r.Clean = !slices.ContainsFunc(r.Findings, fails) && r.solvable(o.Problem, w) && !r.objected
	return r, nil
}

// concerns reports whether a warning is about a column that the only requested problem may use.
func (o *Options) concerns(d model.Warning) bool {
	p, err := engine.FindProblem(o.Problem, nil)
	return o.Problem == "" || err != nil || slices.ContainsFunc(p.Columns, func(c solver.Column) bool {
		return slices.Contains(d.Columns, c.Name)
	})
}

// add lists findings with the documentation of their codes.
func (r *Report) add(severity string, list []model.Finding) {
	r.Findings = append(r.Findings, r.findings(severity, list)...)
}

// findings adds the documentation of their codes to findings; those without a file belong to the instance.
func (r *Report) findings(severity string, list []model.Finding) (out []Finding) {
	infos := map[model.Code]Info{}
	for _, i := range Codes() {
		infos[i.Code] = i
	}
	for _, f := range list {
		info := infos[f.Code]
		if f.Pos.File == "" {
			f.Pos.File = r.Instance
		}
		what := f.What
		if f.More > 0 {
			what += fmt.Sprintf(" (and %d more like it)", f.More)
		}
		out = append(out, Finding{severity, f.Code, f.Pos.String(), what, f.Expected, f.Hint, info.Cause, info.Action,
			f.More})
	}
	return out
}

// problems says how each problem reads the workload.
func (r *Report) problems(o Options, w *model.Workload) error {
	list := engine.Problems()
	if o.Problem != "" {
		p, err := engine.FindProblem(o.Problem, nil)
		if err != nil {
			return err
		}
		list = []engine.Problem{p}
	}
	name := cmp.Or(o.Problem, w.Problem)
	if i := slices.IndexFunc(list, func(p engine.Problem) bool { return p.Name == name }); i >= 0 { // it comes first
		r.named = true
		list = append([]engine.Problem{list[i]}, slices.Delete(slices.Clone(list), i, i+1)...)
	}
	stated := workload.StatedColumns(w, func(string) bool { return true })
	for _, p := range list {
		params, err := o.ReadParams(p.Params)
		if err != nil {
			return err
		}
		u := Use{Problem: p.Name}
		opened, err := engine.Open(p, w, params)
		var input *model.InputError
		switch {
		case errors.As(err, &input):
			u.Prevents = r.findings(Error, input.Findings)
		case err != nil:
			return err
		default:
			u.describe(opened, stated)
			if p.Name == name || !r.named {
				r.add(Warning, opened.Run.View().Doubts())
			}
			if p.Name == name {
				r.add(Warning, opened.IgnoredTables())
				if err := r.object(o, opened); err != nil {
					return err
				}
			}
		}
		r.Problems = append(r.Problems, u)
	}
	return nil
}

// object lists, with --strict, the reasons for which solve --strict would refuse the named problem, except those that
// are warnings already.
func (r *Report) object(o Options, opened *engine.Opened) error {
	algorithms, _, err := opened.Problem.SelectAlgorithms("", len(opened.W.Tasks))
	if err != nil || !o.Strict {
		return err
	}
	found := opened.Objections(algorithms...)
	r.objected = len(found) > 0
	r.add(Warning, slices.DeleteFunc(found, func(f model.Finding) bool { return f.Code != model.CodeUnusedColumn }))
	return nil
}

// describe lists the columns that the problem uses, ignores and fills in, by any of its algorithms.
func (u *Use) describe(o *engine.Opened, stated []workload.Stated) {
	u.Solvable = true
	unused := map[string]bool{}
	for _, s := range o.Unused(o.Problem.Algorithms...) {
		unused[s.Name] = true
	}
	for _, s := range stated {
		if !unused[s.Name] {
			u.Uses = append(u.Uses, s.Name)
			continue
		}
		when := ""
		if i := slices.IndexFunc(o.Problem.Columns, func(c solver.Column) bool { return c.Name == s.Name }); i >= 0 {
			when = o.Problem.Columns[i].When
		}
		u.Ignores = append(u.Ignores, Ignored{s.Name, when})
	}
	u.Assumes = workload.Assumed(o.W, func(name string) bool {
		return !strings.HasSuffix(name, "_slots") && o.Uses(name, o.Problem.Algorithms) // the first line covers slots
	})
	if o.Problem.Notes != nil {
		u.Notes = o.Problem.Notes(o.Run.View(), o.Params)
	}
	u.Notes = append(u.Notes, o.Run.View().LeftOut()...)
}

// solvable reports whether the requested problem can be solved: the one that the call names, else the workload's, else
// any.
func (r *Report) solvable(name string, w *model.Workload) bool {
	if name == "" && w != nil {
		name = w.Problem
	}
	known := slices.Contains(engine.ProblemNames(), name)
	return slices.ContainsFunc(r.Problems, func(u Use) bool { return u.Solvable && (!known || u.Problem == name) })
}
