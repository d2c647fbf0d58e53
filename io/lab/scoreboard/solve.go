package main

import (
	"context"
	"fmt"
	"math/big"
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
const notChecked = "wrong"

// solve solves an instance, checks the result as the command check does, and fills the row in. An error means that the
// instance cannot be solved at all, or that ctx ended.
func solve(ctx context.Context, in *instance, with engine.Settings, r *row) error {
	w, err := in.read()
	if err != nil {
		return fmt.Errorf("%s %s: %w", r.Set, r.Instance, err)
	}
	p, err := engine.FindProblem("", w)
	if err != nil {
		return err
	}
	chosen, _, err := p.SelectAlgorithms("", 0)
	if err != nil {
		return err
	}
	a := chosen[0]
	params, err := engine.SettingValues(p.Params, with)
	if err != nil {
		return err
	}
	o, err := engine.Open(p, w, params)
	if err != nil {
		return fmt.Errorf("%s %s: %w", r.Set, r.Instance, err)
	}
	began := time.Now()
	limited, cancel := context.WithTimeout(ctx, r.Limit)
	defer cancel()
	opt := solver.Options{Iterations: engine.Unlimited, Seed: 1, Threads: r.Threads}
	found, err := o.Solve(limited, a, opt)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", r.Set, r.Instance, err)
	}
	r.Took = time.Since(began)
	result := &model.Result{Instance: model.InstanceSummary{SHA256: workload.Digest(w)},
		Parameters: p.Parameters(a, params, opt.Iterations), Seed: opt.Seed}
	result.Parameters["time_limit"] = model.Number(model.FormatFixed(r.Limit.Microseconds(), 6))
	bundle, err := o.Settle(result, found, engine.Strongest(found))
	if err != nil {
		return err
	}
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
	r.state(result)
	if len(wrong) > 0 {
		r.Status, r.Note = notChecked, wrong[0].String()
	}
	return nil
}

// state copies the claims of a result.
func (r *row) state(result *model.Result) {
	r.Status = string(result.Status)
	if result.Objective != nil {
		r.Cost = string(result.Objective.Value)
	}
	if b := result.LowerBound; b != nil {
		r.Bound, r.By = string(b.Value), b.Method
	}
	cost, okCost := rat(r.Cost)
	bound, okBound := rat(r.Bound)
	least, okLeast := rat(r.Least)
	most, okMost := rat(r.Most)
	switch {
	case okCost && okLeast && cost.Cmp(least) < 0:
		r.Status, r.Note = notChecked, "the schedule is better than the known lower bound "+r.Least
	case okBound && okMost && bound.Cmp(most) > 0:
		r.Status, r.Note = notChecked, "the bound is above the known value "+r.Most
	}
}

// rat is the number that a text states.
func rat(text string) (*big.Rat, bool) { return new(big.Rat).SetString(text) }
