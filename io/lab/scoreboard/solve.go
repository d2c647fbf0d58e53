package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"mrsched/io/artifact"
	"mrsched/io/engine"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
)

// notChecked is the status of a result that the checker refuses.
const notChecked model.Status = "wrong"

// solve solves an instance, checks the result as the command check does, and fills the row in. An error means that the
// instance cannot be solved at all, or that ctx ended.
func solve(ctx context.Context, in *instance, with engine.Settings, r *row) error {
	w, err := in.read()
	if err != nil {
		return err
	}
	p, err := engine.FindProblem("", w)
	if err != nil {
		return err
	}
	chosen, _, err := p.SelectAlgorithms("", 0)
	if err != nil {
		return err
	}
	params, err := engine.SettingValues(p.Params, with)
	if err != nil {
		return err
	}
	o, err := engine.Open(p, w, params)
	if err != nil {
		return err
	}
	began := time.Now()
	bundle, err := o.Complete(ctx, chosen[0], workload.Digest(w), engine.Limits{Time: r.Limit,
		Options: solver.Options{Iterations: engine.Unlimited, Seed: 1, Threads: r.Threads}})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return err
	}
	r.Seconds = time.Since(began).Seconds()
	dir, err := os.MkdirTemp("", "scoreboard")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "r")
	if err := bundle.WriteDir(path, false); err != nil {
		return err
	}
	_, wrong, err := artifact.CheckOne(ctx, w, path, path, engine.DefaultMaxSearch)
	if err != nil {
		return err
	}
	r.Problem, r.Algorithm, r.Parameters = p.Name, chosen[0].Name, bundle.Result.Parameters
	r.State(bundle.Result)
	if r.Status, r.Note = r.judged(); len(wrong) > 0 {
		r.Status, r.Note = notChecked, fmt.Sprint(wrong[0])
	}
	return nil
}

// judged is the status of the row, and what contradicts the known bounds.
func (r *row) judged() (status model.Status, note string) {
	cost, bound := r.cost(), r.bound()
	least, most := rat(r.Least), rat(r.Most)
	switch {
	case cost != nil && least != nil && cost.Cmp(least) < 0:
		return notChecked, "the schedule is better than the known lower bound " + r.Least
	case bound != nil && most != nil && bound.Cmp(most) > 0:
		return notChecked, "the bound is above the known value " + r.Most
	}
	return r.Status, ""
}
