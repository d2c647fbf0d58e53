package hta

import (
	"context"

	"mrsched/model"
	"mrsched/solver"
)

func solveRackBest(ctx context.Context, r *run, opt solver.Options) (*found, error) {
	f, err := solveRackFlow(ctx, r, opt)
	if err != nil {
		return nil, err
	}
	best := r.in.Measure(f.server).Makespan
	step := max(1, greatest(r.in.Cost.Local, r.in.Cost.Rack.Value, r.in.Cost.Remote.At(0)))
	stop := func() bool { return ctx.Err() != nil }
	x := &partial{server: make([]int32, r.in.Tasks), loads: newLoadTree(r.in)}
	for t := range x.server {
		x.server[t] = model.None
		x.rest = append(x.rest, int32(t))
	}
	p := r.newPacking(x, r.value)
	p.guide = newGuide(r.in, r.yprice)
	for load := r.value; load < best && !stop(); load += step {
		p.limit = load
		if p.fill(stop) {
			f.server = p.server
			break
		}
	}
	if ctx.Err() != nil {
		f.status = model.StatusLimit
	}
	return f, nil
}
