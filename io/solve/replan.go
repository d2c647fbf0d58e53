package solve

import (
	"errors"
	"fmt"
	"slices"

	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/model"
)

// replan makes the job plan an earlier result again. One of several instances whose result cannot be planned again is
// solved without it.
func (j *Job) replan() error {
	before := *j.Opened
	err := j.keep()
	if err == nil || !j.Several {
		return err
	}
	*j.Opened = before
	fmt.Fprintf(j.Stderr, "warning: %sit is solved without its earlier result: %s\n", j.about(), engine.OneLine(err))
	return nil
}

func (j *Job) keep() error {
	b, plan, err := j.ReadEarlier(j.Folder)
	if err != nil || b == nil {
		return err
	}
	if b.Result.Problem != j.Problem.Name {
		return engine.Usagef("--from: a result of problem %s; the instance is solved as one of %s", b.Result.Problem,
			j.Problem.Name)
	}
	if err := j.Problem.Replans(j.Algorithms); err != nil {
		return err
	}
	plan.From, plan.Rows = b.Result.Digest, engine.EarlierRows(b, plan.Path)
	if err := j.Opened.Keep(&plan); err != nil {
		return err
	}
	d := &earlier{Job: j, plan: &plan, b: b}
	if err := d.refused(); err != nil {
		return err
	}
	j.Doubts = slices.Concat(d.elsewhere(), d.freeze(), d.lacking(model.CodeEarlier), d.gone(), d.begun())
	return nil
}

// earlier finds what is wrong with an earlier result, and with what became of it. A task has ended if it has by the
// time until which rows are frozen.
type earlier struct {
	*Job
	plan *model.Replan
	b    *result.Bundle
}

// of is a finding about the result as a whole.
func (d *earlier) of(expected, hint, format string, args ...any) model.Finding {
	return model.Finding{Code: model.CodeEarlier, Pos: model.Position{File: d.plan.Path},
		What: fmt.Sprintf(format, args...), Expected: expected, Hint: hint}
}

// alike collects findings: it keeps the first of each kind and counts the others.
type alike struct {
	list []model.Finding
	at   map[string]int // by kind
}

func (a *alike) add(kind string, f func() model.Finding) {
	if k, ok := a.at[kind]; ok {
		a.list[k].More++
		return
	}
	if a.at == nil {
		a.at = map[string]int{}
	}
	a.at[kind] = len(a.list)
	a.list = append(a.list, f())
}

// refused is an error if rows are frozen, and the result has another time 0, or machines that the instance lacks: what
// ran there could not stay. A run that freezes nothing is a new plan that only starts from the old one.
func (d *earlier) refused() error {
	var found model.Findings
	if d.plan.Until == 0 {
		return nil
	}
	if was, is := d.b.Result.Instance.Origin, d.W.Origin.String(); was != is {
		found.Add(d.of("the same origin, so that times mean the same",
			"keep the origin and count on from it; --freeze-until says what time it is",
			"its times count from %s, and those of the instance from %s", stated(was), stated(is)))
	}
	for _, f := range d.lacking(model.CodeUnknownNode) {
		found.Add(f)
	}
	return found.Err()
}

// lacking finds machines that the instance lacks.
func (d *earlier) lacking(code model.Code) []model.Finding {
	var found alike
	for k := range d.plan.Rows {
		if r := &d.plan.Rows[k]; r.At == model.None && r.Index != model.None {
			found.add(r.Machine, func() model.Finding {
				return model.Finding{Code: code, Pos: r.Pos, What: fmt.Sprintf("task %q runs on %s from %s s to %s s, and the "+
					"instance has no such machine", r.Task, r.Machine, r.Start, r.End),
					Expected: "all machines of the earlier result", Hint: d.machineHint(r)}
			})
		}
	}
	return found.list
}

// machineHint says how to plan without the machine of a row.
func (d *earlier) machineHint(r *model.ReplanRow) string {
	switch {
	case d.plan.Until == 0:
		return "this is right if the machine is gone; if it was renamed, give it its old name"
	case d.W.HasTopology && engine.Keeps(d.Problem.Problem, model.TableUnavailable):
		return fmt.Sprintf("keep %s in the topology, under its name; if it is gone, add it to the table unavailable from "+
			"then on, perhaps from %s", r.Machine, d.plan.Until)
	}
	return "state as many machines as before, under the same names; only problem cluster can plan without a machine " +
		"from some time on"
}

// hintAway says about unknown nodes how to plan again without a node: its row of the topology was deleted.
func hintAway(err error) {
	if input, ok := errors.AsType[*model.InputError](err); ok {
		for i := range input.Findings {
			if f := &input.Findings[i]; f.Code == model.CodeUnknownNode {
				if f.Hint != "" {
					f.Hint += "; "
				}
				f.Hint += "if the node is gone, keep it in the topology, and add it to the table unavailable from then on"
			}
		}
	}
}

// stated is a value, or that there is none.
func stated(text string) string {
	if text == "" {
		return "no stated time"
	}
	return text
}

// elsewhere finds signs that another result, or another objective, is meant.
func (d *earlier) elsewhere() (found []model.Finding) {
	const objective = "objective" // of msjo and cluster, both of which plan again
	if was, is := d.b.Result.Parameters[objective], d.Params.Text(objective); was != nil && fmt.Sprint(was) != is {
		found = append(found, d.of("the same objective", fmt.Sprintf("to keep it, pass --objective %v", was),
			"it minimizes %v, and this run %s", was, is))
	}
	stays := func(r model.ReplanRow) bool { return r.Index != model.None && (r.Stands || r.Given) }
	if rows := d.plan.Rows; len(rows) > 0 && !slices.ContainsFunc(rows, stays) {
		found = append(found, d.of("a result of this instance, or of an earlier state of it", "is it of another instance?",
			"no task of it can stay where it is"))
	}
	return found
}

// freeze finds a time until which rows are frozen that lies before that of the result, or after its end.
func (d *earlier) freeze() []model.Finding {
	if len(d.plan.Rows) == 0 {
		return nil
	}
	until, last := d.plan.Until, d.plan.Rows[0].End
	for _, r := range d.plan.Rows {
		last = max(last, r.End)
	}
	if until > 0 && until >= last {
		return []model.Finding{d.of("a time before that", "a plain number is in seconds",
			"all of it has ended at %s s, and --freeze-until is %s s: all its tasks count as done", last, until)}
	}
	if now := d.W.Now; now.Known && now.Value >= 2*last { // a night may be late
		return []model.Finding{d.of("a time before that", "a plain number is in seconds",
			"all of it has ended by %s, and --now is %s", d.W.At(last), d.W.At(now.Value))}
	}
	was, ok := d.b.Result.Parameters[model.ReplanUntil]
	if !ok {
		return nil
	}
	before, err := model.ParseTime(fmt.Sprint(was))
	if err != nil || until >= before {
		return nil
	}
	return []model.Finding{d.of("a time that is not earlier", fmt.Sprintf("pass --freeze-until %s or later", before),
		"it was frozen until %s s, and --freeze-until is %s s: what began in between may be planned again", before, until)}
}

// gone finds tasks that the instance lacks, those that run when the freeze ends apart.
func (d *earlier) gone() []model.Finding {
	var found alike
	for k := range d.plan.Rows {
		r := &d.plan.Rows[k]
		if r.Index != model.None {
			continue
		}
		kind, effect := "", "it is dropped"
		hint := "if it was renamed, keep its id, as under another one it would run again; else this is right"
		if d.plan.Begun(r) && r.End > d.plan.Until {
			kind, effect = "runs", "it runs then, and its machine counts as free"
			hint = "unless it was stopped, keep it in tasks, under its id"
		}
		found.add(kind, func() model.Finding {
			return model.Finding{Code: model.CodeEarlier, Pos: r.Pos, What: fmt.Sprintf("the instance has no task %q, which is "+
				"on %s from %s s to %s s: %s", r.Task, r.Machine, r.Start, r.End, effect),
				Expected: "all tasks of the earlier result", Hint: hint}
		})
	}
	return found.list
}

// begun finds tasks that have begun and would run again, unless their machine is stated to leave while they run; and
// tasks that have ended and now end at another time.
func (d *earlier) begun() []model.Finding {
	var found alike
	for k := range d.plan.Rows {
		r := &d.plan.Rows[k]
		end, ended := r.Start+r.Length, r.End <= d.plan.Until
		is, what := fmt.Sprintf("ended at %s s", r.End), "is planned again: "+r.Why
		if !ended {
			is = fmt.Sprintf("runs since %s s", r.Start)
		}
		hint := "undo the change that prevents it from staying; what ran elsewhere belongs into the table fixed"
		switch {
		case r.Index == model.None || r.Given && !r.Stands || !d.plan.Begun(r):
			continue
		case ended && r.Stands && end != r.End:
			what = fmt.Sprintf("now ends at %s s", end)
			hint = "undo the change of its time, of its node or of its placements, unless it really ended then"
		case r.Stands || r.Cut && !ended:
			continue
		case r.Start < 0:
			hint = "it ran before time 0: keep its row in the table fixed"
		case !ended:
			hint = "undo the change that prevents it from staying; in cluster, a machine that stopped it belongs into the " +
				"table unavailable"
		}
		found.add(hint, func() model.Finding {
			return model.Finding{Code: model.CodeBegun, Pos: r.Pos, Hint: hint, Expected: "that what has begun stays as it is",
				What: fmt.Sprintf("task %q %s on %s, before --freeze-until %s, and %s", r.Task, is, r.Machine, d.plan.Until,
					what)}
		})
	}
	return found.list
}
