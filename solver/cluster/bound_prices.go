package cluster

import (
	"context"

	"mrsched/model"
	"mrsched/model/cluster"
	"mrsched/solver"
)

// pricing computes lower bounds, and keeps what several of them use.
type pricing struct {
	in      *cluster.Instance
	e       *cluster.Evaluator
	pools   []cluster.Pool
	pooled  []*cluster.Pooled
	alone   []cluster.AloneBound
	windows *cluster.Windows
}

func newPricing(in *cluster.Instance) (b *pricing, err error) {
	b = &pricing{in: in, e: cluster.NewEvaluator(in)}
	b.pools, b.pooled = choosePools(in, b.e)
	b.alone, b.windows, err = aloneBounds(in, b.e, b.pools, b.pooled)
	return b, err
}

// jobsAlone is what the jobs' own bounds prove.
func (b *pricing) jobsAlone() (*cluster.Certificate, error) {
	c := &cluster.Certificate{Claim: model.Claim{Method: cluster.MethodAlone, Kind: cluster.KindTwoSided}, Pools: b.pools,
		Alone: b.alone}
	return c, b.e.Sign(c)
}

// twoSided is the bound from both ends of the jobs, and the search that found it; nil if nothing can be priced.
func (b *pricing) twoSided(ctx context.Context, opt solver.Options) (*cluster.Certificate, *twoSided, error) {
	s := newTwoSided(b.in, b.e, b.pooled, b.windows)
	if s == nil {
		return nil, nil, nil
	}
	s.run(ctx, opt)
	c, err := s.certificate(b.e, b.pools, b.pooled, b.alone)
	return c, s, err
}
