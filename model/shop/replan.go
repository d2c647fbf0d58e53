package shop

import (
	"fmt"
	"slices"

	"mrsched/model"
)

// Replanned is the instance under a plan that it has to keep, whose rows it judges: an ordinary instance in which the
// frozen rows are fixed tasks and all other tasks are released when the freeze ends. So every algorithm, certificate
// and rule applies to it unchanged. Errors are *model.InputError.
func (in *Instance) Replanned(p *model.Replan) (*Instance, error) {
	if in.Identical {
		return in.replanIdentical(p)
	}
	in.judge(p)
	again, err := build(in.workload, p)
	if err != nil { // times that become too large, or nodes that leave forever before the freeze ends
		return nil, err
	}
	return again.Under(in.Stated()), nil
}

// Keeping is the same instance whose schedules are to keep a plan; only of identical machines. Heads do not count it.
func (in *Instance) Keeping(p *model.Replan) *Instance {
	other := *in
	other.replan = p
	return &other
}

// Frozen is the same instance with the frozen rows as fixed tasks, where all other tasks are released when the freeze
// ends; only of identical machines under a plan.
func (in *Instance) Frozen() *Instance {
	other := *in
	other.freeze()
	other.build()
	other.paths()
	return &other
}

// Replan is what the instance has to keep of an earlier schedule; nil: nothing.
func (in *Instance) Replan() *model.Replan { return in.replan }

// judge finds the rows that can be kept (see model.Replan.Judge): their node may run the task, is available, and has
// room for it next to the fixed tasks and the other kept rows. Fixed tasks of the workload stay as they are.
func (in *Instance) judge(p *model.Replan) {
	on, settled := in.crowds(), map[int32]model.Time{}
	for u, i := range in.fixedNode {
		if i == model.None {
			continue
		}
		e := model.Entry{Task: model.TaskIndex(u), Machine: i, Start: in.fixedStart[u]}
		e.End = e.Start + in.Length(int32(u), i)
		settled[int32(u)] = e.End
		in.join(on, e)
	}
	p.Judge(model.Steps{Tasks: in.Tasks, Earliest: in.Earliest, SuccFirst: in.SuccFirst, SuccStep: in.SuccStep,
		SuccDelay: in.SuccDelay, Preds: in.Preds, Topo: in.Topo}, settled,
		func(r *model.ReplanRow) model.Time { return max(0, in.Length(int32(r.Index), r.At)) },
		func(r *model.ReplanRow, end model.Time) string {
			return in.stands(r, end, on)
		})
	for k := range p.Rows {
		r := &p.Rows[k]
		r.Past = r.Index != model.None && in.Begun(int32(r.Index))
	}
}

// stands reserves room in crowds for a row, or says why there is none.
func (in *Instance) stands(r *model.ReplanRow, end model.Time, on [][]model.Entry) string {
	u := int32(r.Index)
	if in.Identical { // one task at a time
		at := on[r.At]
		if n := len(at); n > 0 && r.Start < at[n-1].End {
			return fmt.Sprintf("its machine is busy until %s", at[n-1].End)
		}
		on[r.At] = append(at, model.Entry{End: end})
		return ""
	}
	switch {
	case in.Fixed(u) && in.FixedNode(u) == r.At && in.FixedStart(u) == r.Start:
		return ""
	case in.Fixed(u):
		table := model.TableFixed
		if in.Begun(u) {
			table = model.TableState
		}
		return fmt.Sprintf("the table %s puts it on %s from %s on", table, in.MachineName(in.FixedNode(u)), in.FixedStart(u))
	case !in.Allowed(u, r.At):
		return fmt.Sprintf("the table eligible leaves %s out", r.Machine)
	case in.Length(u, r.At) < 0:
		return fmt.Sprintf("the table times has no row for it on %s", r.Machine)
	}
	if from, _, away := in.Away(r.At, r.Start, end); away {
		r.Cut = from > r.Start
		return fmt.Sprintf("%s is unavailable from %s on", r.Machine, from)
	}
	why, now := "", model.Entry{Task: r.Index, Machine: r.At, Start: r.Start, End: end}
	in.eachCrowd(u, r.At, func(k int) {
		// Rows come in order of start: what has ended never matters again.
		on[k] = slices.DeleteFunc(on[k], func(e model.Entry) bool { return e.End <= r.Start })
		in.eachShortage(append(on[k], now), k, func(_ model.Entry, x limit) {
			_, name := in.limits(k)
			why = fmt.Sprintf("%s has too little of %s beside the tasks that stay there", name, in.Resource[x.resource])
		})
	})
	if why == "" {
		in.join(on, now)
	}
	return why
}

// freeze makes fixed tasks of the frozen rows.
func (in *Instance) freeze() {
	for u := range int32(in.Tasks) {
		if r := in.replan.Frozen(model.TaskIndex(u)); r != nil && !in.Fixed(u) {
			if len(in.fixedNode) == 0 {
				in.fixNone()
			}
			in.fixedNode[u], in.fixedStart[u] = r.At, r.Start
		}
	}
}

// frozen says whether a task is fixed by a row of the plan, and not by the workload.
func (in *Instance) frozen(u model.TaskIndex) bool { return in.replan.Frozen(u) != nil }

// notBefore is now, or the end of the freeze, for tasks that are not fixed.
func (in *Instance) notBefore(u int32) model.Time {
	switch {
	case in.Fixed(u):
		return 0
	case in.replan == nil:
		return in.now()
	}
	return max(in.replan.Until, in.now())
}

// keepsPlan checks the rules of planning again; tasks that the workload fixes are not subject to them.
func (c *checker) keepsPlan(s *model.Schedule) {
	in := c.in
	if in.replan == nil {
		return
	}
	planned := &model.Schedule{}
	for _, e := range s.Entries {
		if !in.Fixed(int32(e.Task)) || in.frozen(e.Task) {
			planned.Entries = append(planned.Entries, e)
		}
	}
	in.replan.Check(&c.Violations, in, planned)
}
