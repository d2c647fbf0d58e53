package cli

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"mrsched/io/engine"
	"mrsched/io/explain"
	"mrsched/io/show"
	"mrsched/io/textpos"
	"mrsched/model"
	"mrsched/solver"
)

// explainConflict looks for demands of an instance that exclude each other.
func (s *session) explainConflict(c *cli.Context, path string) error {
	line := explain.Conflict{Format: explain.Format, Instance: path}
	o, err := s.openForExplaining(c, path)
	var input *model.InputError
	if errors.As(err, &input) {
		f := explain.SmallestConflict(input)
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
		err = show.WriteLines(s.stdout, []explain.Conflict{line})
	} else {
		_, err = fmt.Fprint(s.stdout, line.Text(input != nil))
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
