package shop

import (
	"context"
	"fmt"
	"slices"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver/explain"
)

// Conflict is a job that is late in every schedule, even if only it and what it waits for ran; nil if none is
// proven.
func (r *run) Conflict(ctx context.Context) (c *model.Conflict, dated bool, err error) {
	in, late := r.in, []int{}
	if slices.Min(in.Due) >= shop.Never {
		return nil, false, nil
	}
	b, err := NewPricing(ctx, in)
	if err != nil {
		return nil, true, err
	}
	for j, due := range in.Due {
		if b.Windows.Job[j] > due {
			late = append(late, j)
		}
	}
	if len(late) == 0 {
		return nil, true, nil
	}
	first, more := late[0], late[1:]
	x := &in.Workload().Jobs[first]
	c = &model.Conflict{What: fmt.Sprintf("job %s is late in every schedule", x.ID), Minimal: true,
		Proof: fmt.Sprintf("even if only this job ran, and what it waits for, it would end at %s s at the earliest, by the "+
			"bound %s", b.Windows.Job[first], shop.MethodAlone),
		Members: []model.Demand{{Kind: "deadline", ID: x.ID,
			Text: fmt.Sprintf("job %s is released at %s s and due at %s s", x.ID, x.Release, in.Due[first])}}}
	if len(more) > 0 {
		c.Proof += "; late as well: " + explain.Names(more, func(j int) string { return in.Workload().Jobs[j].ID })
	}
	return c, true, nil
}
