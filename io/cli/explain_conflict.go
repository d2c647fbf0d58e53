package cli

import (
	"errors"
	"fmt"
	"mrsched/io/engine"
	"mrsched/io/show"
	"mrsched/io/textpos"
	"mrsched/model"
	"mrsched/solver"
	"strings"

	"github.com/urfave/cli/v2"
)

// conflictLine is what explain prints about an instance alone.
type conflictLine struct {
	Format     string          `json:"format"`
	Instance   string          `json:"instance"`
	Problem    string          `json:"problem,omitempty"`
	Code       model.Code      `json:"code,omitempty"` // of the finding that the conflict belongs to
	At         string          `json:"at,omitempty"`
	Infeasible bool            `json:"infeasible"`
	Conflict   *model.Conflict `json:"conflict,omitempty"`
}

// explainConflict looks for demands of an instance that exclude each other.
func (s *session) explainConflict(c *cli.Context, path string) error {
	line := conflictLine{Format: explanationFormat, Instance: path}
	o, err := s.openForExplaining(c, path)
	var input *model.InputError
	if errors.As(err, &input) {
		f := smallestConflict(input)
		if f == nil {
			return err
		}
		line.Code, line.At, line.Conflict, line.Infeasible = f.Code, f.Pos.String(), f.Conflict, f.Conflict.Infeasible
		s.otherFindings(input, line.Conflict)
	} else if err != nil {
		return err
	} else {
		line.Problem = o.Problem.Name
		if x, ok := o.Run.(solver.Conflicter); ok {
			if line.Conflict, err = x.Conflict(c.Context); err != nil {
				return err
			}
		}
	}
	if c.Bool(flagJSON.Name) {
		err = show.WriteLines(s.stdout, []conflictLine{line})
	} else {
		_, err = fmt.Fprint(s.stdout, line.text(input != nil))
	}
	switch {
	case err != nil:
		return err
	case line.Infeasible:
		return &exitError{exitInfeasible}
	case input != nil:
		return &exitError{exitUsage}
	}
	return nil
}

// openForExplaining opens an instance as its problem and the flags say.
func (s *session) openForExplaining(c *cli.Context, path string) (*engine.Opened, error) {
	p, w, err := s.instance(c, path)
	if err != nil {
		return nil, err
	}
	params, err := paramValues(c, p.Params)
	if err != nil {
		return nil, err
	}
	if err := foreign(c, allParams(), p.Used(params), "this problem"); err != nil {
		return nil, err
	}
	return engine.Open(p, w, params)
}

// smallestConflict is the finding whose conflict shows most: one that rules schedules out, of these one with the
// fewest members; ties: the first. nil: there is none.
func smallestConflict(e *model.InputError) *model.Finding {
	var best *model.Finding
	for k := range e.Findings {
		f := &e.Findings[k]
		switch x := f.Conflict; {
		case x == nil:
		case best == nil, x.Infeasible && !best.Conflict.Infeasible,
			x.Infeasible == best.Conflict.Infeasible && len(x.Members) < len(best.Conflict.Members):
			best = f
		}
	}
	return best
}

// otherFindings prints what else is wrong with an input.
func (s *session) otherFindings(e *model.InputError, told *model.Conflict) {
	for _, f := range e.Findings {
		if f.Conflict != told {
			fmt.Fprintf(s.stderr, "besides: %s\n", textpos.Visible(f.String()))
		}
	}
	if e.More > 0 {
		fmt.Fprintf(s.stderr, "… and %d more findings\n", e.More)
	}
}

// text is the conflict for people.
func (l conflictLine) text(refused bool) string {
	x := l.Conflict
	if x == nil {
		return "no conflict is known: the instance is accepted, and schedules exist\n"
	}
	var b strings.Builder
	if refused {
		fmt.Fprintf(&b, "%s %s: ", l.Code, textpos.Visible(fmt.Sprint(l.At)))
	}
	fmt.Fprintf(&b, "%s\n", textpos.Visible(x.What))
	for _, d := range x.Members {
		fmt.Fprintf(&b, "  %s: %s\n", d.Kind, textpos.Visible(d.Text))
	}
	if x.Proof != "" {
		fmt.Fprintf(&b, "because %s\n", textpos.Visible(x.Proof))
	}
	switch {
	case !x.Minimal || len(x.Members) < 2:
	case refused:
		b.WriteString("none of these can be left out: the others alone do not conflict\n")
	default: // the bound may not know of every conflict
		b.WriteString("none of these can be left out: that the others alone conflict is not proven\n")
	}
	switch {
	case l.Infeasible:
	case refused:
		b.WriteString("the input is refused; correct one of these\n")
	default:
		b.WriteString("this is no error: schedules exist, only none that meets all of these\n")
	}
	return b.String()
}
