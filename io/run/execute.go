package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mrsched/instances"
	"mrsched/io/engine"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
)

const codePanic = "panic"

// execute makes the row of a run, or none if ctx ended.
func (x *Sweep) execute(ctx context.Context, of *work, run Run) *Row {
	row := x.plan.newRow(run)
	err := x.attempt(ctx, of, &x.plan.Variants[run.Variant], row)
	if ctx.Err() != nil {
		return nil
	}
	var crash *engine.Panicked
	switch {
	case errors.As(err, &crash):
		row.Status, row.Code, row.Note = StatusError, codePanic, crash.Error()
		x.Note("run %s panicked: %v\n%s", row.ID, crash.What, crash.Stack)
	case err != nil:
		row.Status, row.Code, row.Note = StatusError, engine.Kind(err), x.message(err, of.instance)
	}
	return row
}

// attempt does a run and fills in its row.
func (x *Sweep) attempt(ctx context.Context, of *work, v *Variant, row *Row) (err error) {
	defer engine.Protect(&err)
	if v.Note != "" && v.Problem != "" {
		row.skip(v.Note)
		return nil
	}
	p, err := x.resolve(v, row)
	if err != nil {
		return err
	}
	of.loaded.Do(func() { of.w, of.digest, of.err = x.load(of.instance) })
	if of.err != nil {
		return of.err
	}
	row.Instance.SHA256 = of.digest
	if v.Problem == "" {
		return engine.Usagef("the workload names no problem: let the spec say \"problem\", one of %s",
			strings.Join(engine.ProblemNames(), ", "))
	}
	a, _ := p.Algorithm(v.Algorithm)
	o, err := engine.Open(p, of.w, v.Values)
	if err != nil {
		return err
	}
	row.Instance.Jobs, row.Instance.Tasks, row.Instance.Machines = len(of.w.Jobs), o.Run.View().TaskCount(),
		o.Run.View().Size()
	if why := leavesOut(o, a, v.FromAll); why != "" {
		row.skip(why)
		return nil
	}
	bundle, err := o.Complete(ctx, a, of.digest, x.limits(v, row))
	if err == nil {
		row.State(bundle.Result)
		row.Metrics = p.ShownOf(bundle.Result.Metrics)
	}
	return err
}

// resolve finds the problem of a variant (none if the instance names none) and states the parameters in the row.
func (x *Sweep) resolve(v *Variant, row *Row) (engine.Problem, error) {
	if v.Problem == "" {
		return engine.Problem{}, nil
	}
	p, err := engine.FindProblem(v.Problem, nil)
	if err != nil {
		return engine.Problem{}, err
	}
	a, _ := p.Algorithm(v.Algorithm)
	row.Parameters = x.limits(v, row).Stated(&engine.Opened{Problem: p, Params: v.Values}, a)
	return p, nil
}

// limits are those of a run, which has one core.
func (x *Sweep) limits(v *Variant, row *Row) engine.Limits {
	return engine.Limits{Options: solver.Options{Iterations: cmp.Or(v.Iterations, engine.Unlimited), Seed: row.Seed,
		Threads: 1}, Time: time.Duration(x.plan.TimeLimit) * time.Microsecond}
}

func (r *Row) skip(why string) { r.Status, r.Note = model.StatusSkipped, why }

// leavesOut says why compare would not run an algorithm on the instance; empty if it would.
func leavesOut(o *engine.Opened, a solver.Algorithm, fromAll bool) string {
	excluded := o.Run.Excludes(a.Name)
	if excluded.Unoffered {
		return "with these parameters the instance does not suit " + a.Name
	}
	if !fromAll {
		return ""
	}
	if tasks := o.Run.View().TaskCount(); a.SizeLimit > 0 && tasks > a.SizeLimit {
		return fmt.Sprintf("for up to %d tasks; name it among the algorithms to run it", a.SizeLimit)
	}
	return excluded.Why
}

// maxSweepTasks is how many tasks an instance may have, as far as this is known before it is opened: an instance that
// does not fit into memory would kill the whole process.
const maxSweepTasks = 20_000_000

// load reads or generates an instance.
func (x *Sweep) load(in *Instance) (w *model.Workload, digest string, err error) {
	defer engine.Protect(&err)
	if n := presetTasks(in); n > maxSweepTasks {
		return nil, "", model.NewInputError(model.Finding{Code: model.CodeOverflow,
			What:     fmt.Sprintf("the instance has some %d tasks", n),
			Expected: fmt.Sprintf("at most %d in a sweep", maxSweepTasks), Hint: "use mrsched solve"})
	}
	if in.Path != "" {
		w, err = workload.Read(resolved(x.Base, in.File), nil, x.Read)
	} else {
		w, err = presetInstance(in)
	}
	if err != nil {
		return nil, "", err
	}
	return w, workload.Digest(w), nil
}

// bytesPerTask is about how many bytes of a file describe a task.
const bytesPerTask = 120

// presetTasks estimates the number of tasks of an instance before it is read or generated.
func presetTasks(in *Instance) int64 {
	if p, err := instances.FindPreset(in.Generate, in.Preset); in.Path == "" && err == nil && p.Tasks != nil {
		return p.Tasks(in.Values, in.Seed)
	}
	return in.Bytes / bytesPerTask
}

func presetInstance(in *Instance) (*model.Workload, error) {
	p, err := instances.FindPreset(in.Generate, in.Preset)
	if err != nil {
		return nil, err
	}
	if p.Document != nil {
		return workload.ReadBytes(p.Document, p.Name, workload.Options{})
	}
	return p.Generate(in.Values, in.Seed)
}

// message is an error's text for a row: with paths as in the spec, and nothing that depends on the machine. Of findings
// it has the first.
func (x *Sweep) message(err error, in *Instance) string {
	text := err.Error()
	if input, ok := errors.AsType[*model.InputError](err); ok {
		f := input.Findings[0]
		f.Hint = "" // it may name other files in the folder
		if text = f.String(); len(input.Findings)+input.More > 1 {
			text += fmt.Sprintf("; … and %d more", len(input.Findings)+input.More-1)
		}
	}
	if in.Path != "" {
		text = strings.ReplaceAll(text, resolved(x.Base, in.File), in.Path)
	}
	return strings.ReplaceAll(text, "\n", "; ")
}
