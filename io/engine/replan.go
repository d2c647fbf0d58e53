package engine

import (
	"fmt"
	"path/filepath"
	"slices"

	"mrsched/io/result"
	"mrsched/model"
	"mrsched/solver"
)

// Keep makes the run a replanning: schedules have to keep what an earlier one has begun. Errors are *model.InputError.
func (o *Opened) Keep(p *model.Replan) error {
	if o.Problem.Replanned == nil {
		return Usagef("%s cannot plan again from a result; %s can", o.Problem.Name, Sentence(replanners()))
	}
	if err := p.Bind(o.Run.View()); err != nil {
		return Usagef("the earlier result: %v", err)
	}
	run, err := o.Problem.Replanned(o.Run, p)
	if err != nil {
		return err
	}
	shown := *o.Problem.Problem
	shown.Shown = append(slices.Clone(shown.Shown), model.ReplanMetrics()...)
	o.Problem.Problem, o.Run, o.Replan = &shown, run, p
	return nil
}

// replanners names the problems that can plan again.
func replanners() (names []string) {
	for _, p := range Problems() {
		if p.Replanned != nil {
			names = append(names, p.Name)
		}
	}
	return names
}

// Replans is a usage error if one of the algorithms cannot plan again.
func (p Problem) Replans(algorithms []solver.Algorithm) error {
	var names []string
	for _, a := range p.Algorithms {
		if a.Replans {
			names = append(names, a.Name)
		}
	}
	for _, a := range algorithms {
		if !a.Replans && len(names) > 0 {
			return Usagef("%s cannot plan again from a result; use -a %s", a.Name, Sentence(names))
		}
	}
	return nil
}

// EarlierRows are the rows of the earlier result at a path.
func EarlierRows(b *result.Bundle, path string) (rows []model.ReplanRow) {
	at := model.Position{File: path}
	if IsDir(path) {
		at = model.Position{File: filepath.Join(path, result.ScheduleFile), Line: 1}
	}
	for r := range b.Rows.Each() {
		if at.Line > 0 {
			at.Line++
		}
		rows = append(rows, model.ReplanRow{Task: r.Task, Machine: r.Machine, Start: r.Start, End: r.End, Pos: at})
	}
	slices.SortStableFunc(rows, func(a, b model.ReplanRow) int { return int(min(max(a.Start-b.Start, -1), 1)) })
	return rows
}

// ReplanParameters adds to a result's parameters what it has to keep of an earlier one.
func ReplanParameters(out map[string]any, p *model.Replan) {
	if p == nil {
		return
	}
	out[model.ReplanFrom] = p.From
	out[model.ReplanUntil] = model.Number(p.Until.String())
	out[model.ReplanPenalty] = model.Number(p.Penalty.String())
	out[model.ReplanTolerance] = model.Number(p.Tolerance.String())
}

// StatedReplan is what a result says that it has to keep of an earlier one: its parameters, and the rows of its table;
// nil if it was not planned again.
func StatedReplan(b *result.Bundle) (*model.Replan, error) {
	stated := b.Result.Parameters
	from, ok := stated[model.ReplanFrom]
	if !ok {
		return nil, nil
	}
	p := &model.Replan{From: fmt.Sprint(from)}
	var err error
	for _, x := range []struct {
		name string
		read func(text string) error
	}{
		{model.ReplanUntil, func(text string) error { p.Until, err = model.ParseTime(text); return err }},
		{model.ReplanTolerance, func(text string) error { p.Tolerance, err = model.ParseTime(text); return err }},
		{model.ReplanPenalty, func(text string) error { p.Penalty, err = model.ParseWeight(text); return err }},
	} {
		text := fmt.Sprint(stated[x.name])
		if err := x.read(text); err != nil {
			return nil, fmt.Errorf("parameter %s is %v: %w", x.name, text, err)
		}
	}
	for _, t := range b.Tables() {
		if t.Name == model.ReplanTable {
			p.Rows, err = model.ReadReplanRows(t)
			return p, err
		}
	}
	return nil, fmt.Errorf("the result was planned from another one, and its table %s is missing", model.ReplanTable)
}
