package cluster

import (
	"context"

	"mrsched/model/cluster"
	"mrsched/solver"
)

// bounder computes lower bounds of one kind. It stops when ctx ends and says whether more time would have made them
// better. A bound that proves nothing about the instance's objective is left out.
type bounder struct {
	name string
	make func(ctx context.Context, in *cluster.Instance, opt solver.Options) (certificates []*cluster.Certificate, cut bool)
}

// bounders are all of them, the cheap ones first.
var bounders = []bounder{{"critical-paths", pathBounds}, {"area", areaBounds}}

// pathBounds is the bound that no job ends before its critical path, with every task on its fastest node.
func pathBounds(context.Context, *cluster.Instance, solver.Options) ([]*cluster.Certificate, bool) {
	return []*cluster.Certificate{claim("critical-paths", cluster.KindPaths)}, false
}

// areaBounds are the bounds by what all nodes have of single resources, under objectives about which they prove
// something.
func areaBounds(_ context.Context, in *cluster.Instance, _ solver.Options) (list []*cluster.Certificate, cut bool) {
	if in.Objective != cluster.WeightedEnds && in.Objective != cluster.Makespan {
		return nil, false
	}
	for r, total := range totals(in) {
		if total > 0 {
			c := claim("area", cluster.KindArea)
			c.Resource = in.Resource[r]
			list = append(list, c)
		}
	}
	return list, false
}

// claim begins a certificate.
func claim(method, kind string) *cluster.Certificate {
	c := &cluster.Certificate{}
	c.Method, c.Kind = method, kind
	return c
}

// bounds computes all bounds; of each bounder it keeps the strongest.
func (r *run) bounds(ctx context.Context, out *solver.Outcome, opt solver.Options) error {
	ctx, end := opt.Phase(ctx, solver.PhaseBound, solver.BoundShare)
	defer end()
	if !r.bounded.known {
		var list []solver.Bound
		anyCut := false
		for k, b := range bounders {
			opt.Report(k, len(bounders))
			certificates, cut := b.make(ctx, r.in, opt)
			anyCut = anyCut || cut
			best, err := r.strongest(certificates)
			if err != nil {
				return err
			}
			if best != nil {
				list = append(list, solver.Bound{Method: b.name, Certificate: best})
			}
		}
		r.bounded = kept{list, true, anyCut}
	}
	for _, b := range r.bounded.value {
		out.Bounds = append(out.Bounds, b)
		opt.Watch.Bound(valueOf(b.Certificate.(*cluster.Certificate)), b.Method)
	}
	out.CutShort(r.bounded.cut)
	return nil
}

// strongest signs certificates and returns the one that proves most; ties: the first.
func (r *run) strongest(list []*cluster.Certificate) (best *cluster.Certificate, err error) {
	for _, c := range list {
		if err := r.in.Sign(c); err != nil {
			return nil, err
		}
		if best == nil || valueOf(c) > valueOf(best) {
			best = c
		}
	}
	return best, nil
}
