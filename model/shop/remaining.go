package shop

import (
	"slices"

	"mrsched/model"
)

// replanIdentical is the instance with an earlier plan to keep; it judges the plan's rows. Certificates then prove
// bounds on the schedules that keep the frozen rows. Errors are *model.InputError.
func (in *Instance) replanIdentical(p *model.Replan) (*Instance, error) {
	h := model.Horizon{}
	h.Add(p.Until)
	for u := range in.Steps {
		h.Add(in.Earliest[u])
		h.Add(in.Least[u])
	}
	for _, d := range in.SuccDelay {
		h.Add(d)
	}
	if h.Over {
		return nil, model.NewInputError(model.BeyondHorizon(model.Position{},
			"the time until which rows are frozen, and the times of the instance,", "lower --freeze-until"))
	}
	in.judge(p)
	other := in.Keeping(p)
	other.remaining = in.remainingAt(p)
	return other, nil
}

// Remaining is the rest of the instance after the time until which rows are frozen: see remainingAt. It is nil without
// an earlier plan.
func (in *Instance) Remaining() *Instance { return in.remaining }

// remainingAt is a relaxation of the instance under a plan. It is an ordinary instance of the same tasks:
//
//   - a frozen task that has ended by Until takes no time and is released at its end;
//   - of a frozen task that runs then, the rest is released at Until;
//   - any other task is released no earlier than Until.
//
// Every schedule that keeps the frozen rows becomes one of this instance at the same cost: ended tasks need no machine,
// and running tasks continue where they are. So a bound on this instance also bounds those schedules. The relaxation
// loses one thing: the rest of a running task may wait here. Active schedules that keep the frozen rows start at sums
// of this instance's times, so rounding bounds up to its cost unit is valid for them, too.
func (in *Instance) remainingAt(p *model.Replan) *Instance {
	least, earliest := slices.Clone(in.Least), slices.Clone(in.Earliest)
	for u := range in.Tasks {
		r := p.Frozen(model.TaskIndex(u))
		if r == nil {
			earliest[u] = max(in.Earliest[u], p.Until)
			continue
		}
		end := r.Start + in.Least[u]
		earliest[u] = min(end, p.Until)
		least[u] = max(end-p.Until, 0)
	}
	return in.Changed(least, earliest)
}
