package explain

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"mrsched/model"
)

// Answer answers the question of a desk about a problem, which embeds the desk.
func (d *Desk) Answer(ctx context.Context, p Problem) (*Explanation, error) {
	d.p = p
	about := d.subject()
	if about == model.None {
		return &d.Told, nil
	}
	if why := p.Stands(about); why != "" && d.Q.Task != model.None {
		d.Where(Place, "%s", why)
		return &d.Told, nil
	}
	holds := d.held(about)
	d.where(about)
	d.when(about, holds)
	if err := p.Tell(about); err != nil {
		return nil, err
	}
	d.changes(about, holds)
	movers := slices.Clone(d.Asked)
	slices.Reverse(movers)
	if d.Q.Task == model.None && !d.Placed {
		movers = d.chain(about)
		d.tellChain(movers)
		movers = slices.DeleteFunc(movers, func(i int32) bool { return d.JobOf(i) != d.Job })
	}
	if err := ctx.Err(); err == nil && d.Q.Alternatives > 0 {
		d.alternatives(movers[:min(len(movers), maxMovers)])
	}
	return &d.Told, ctx.Err()
}

// subject says in one line what is asked about. It returns the row that the answer looks at: of a job, the last to end.
func (d *Desk) subject() int32 {
	last := d.Last(d.Asked)
	if last == model.None {
		d.Told.Subject = fmt.Sprintf("job %s has nothing to run", d.JobID(d.Job))
		return last
	}
	e, first := d.Rows[last], d.Rows[d.Asked[0]]
	if d.Q.Task != model.None {
		_, _, kind := d.View.TaskName(e.Task)
		d.Told.Subject = fmt.Sprintf("task %s of job %s, a %s, runs on %s from %s to %s", d.ID(last), d.JobID(d.Job),
			kind, d.Machine(last), d.At(first.Start), d.At(e.End))
		return last
	}
	machines := map[int32]bool{}
	for _, i := range d.Asked {
		machines[d.Rows[i].Machine] = true
	}
	d.Told.Subject = fmt.Sprintf("job %s of weight %s runs %s on %s from %s to %s; %s ends last", d.JobID(d.Job),
		d.W.Jobs[d.Job].Weight, model.Counted(len(d.Asked), "task"), model.Counted(len(machines), "machine"),
		d.At(first.Start), d.At(e.End), d.ID(last))
	return last
}

// Difference prints how much more is than less, at least 0.
func Difference(more, less *big.Rat, how model.Rounding) model.Number {
	d := new(big.Rat).Sub(more, less)
	if d.Sign() < 0 {
		d.SetInt64(0)
	}
	return model.Number(model.FormatRat(d, model.ValueDigits, how))
}
