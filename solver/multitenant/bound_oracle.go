package multitenant

import (
	"math"
	"math/big"

	"golang.org/x/sync/errgroup"

	"mrsched/model"
	"mrsched/model/multitenant"
)

// oracle computes the payments of jobs at given prices and the resources that they then use: the inner problem of
// multitenant.Prices. It rounds prices as certificates do (scaled).
//
// Resources are numbered as in multitenant.Relaxation; then comes crossing. The use of slots is in seconds, that of the
// others in bytes.
type oracle struct {
	x               *multitenant.Relaxation
	in              *multitenant.Instance
	places, threads int
	capacity        []float64 // by resource except crossing, per second; 0: none, or unlimited
	chunk           []int32   // jobs chunk[c] … chunk[c+1]−1 share a cut
	work            int       // approximate cost of a query, in numbers read

	report func(done, total int) // receives the number of queries; may be nil
}

// kindWork is the cost of a kind of maps at a place, relative to that of a group in a rack.
const kindWork = 10

// mostChunks limits the cuts that one query adds.
const mostChunks = 16

// newOracle prepares queries with at most threads goroutines. Results do not depend on their number.
func newOracle(in *multitenant.Instance, threads int) *oracle {
	x := in.Relax()
	o := &oracle{x: x, in: in, threads: max(1, threads), places: len(x.Places)}
	for _, c := range x.Capacity {
		o.capacity = append(o.capacity, float64(c))
	}
	all := 0
	for j := range x.Jobs {
		all += len(x.Jobs[j].Maps) + 1
		o.work += len(x.Jobs[j].Kinds) * kindWork * o.places
	}
	o.work += all * in.Racks
	o.chunk = []int32{0}
	sum := 0
	for j := range x.Jobs {
		sum += len(x.Jobs[j].Maps) + 1
		if sum*mostChunks >= all*len(o.chunk) {
			o.chunk = append(o.chunk, int32(j+1))
		}
	}
	return o
}

func (o *oracle) crossAt() int { return len(o.capacity) }

// answer holds the total payment of a chunk's jobs, and their use of resources.
type answer struct {
	paid, cross float64 // cross: the bytes that cross racks
	use         []float64
}

// ask evaluates prices for the jobs that arrive at from or later and before until, by chunk.
func (o *oracle) ask(price []float64, from, until model.Time) []answer {
	list := make([]answer, len(o.chunk)-1)
	scale := o.scale(price)
	whole := o.whole(price, scale)
	var g errgroup.Group
	g.SetLimit(o.threads)
	for c := range list {
		g.Go(func() error {
			a, e, sum := &list[c], o.x.NewPayer(whole[:o.crossAt()], whole[o.crossAt()]), new(big.Int)
			e.Use = make([]float64, o.crossAt()+1)
			for j := o.chunk[c]; j < o.chunk[c+1]; j++ {
				if at := o.in.Arrival[j]; at >= from && at < until {
					a.paid += unscaled(e.Pays(j, sum), scale)
				}
			}
			for r := range e.Use[:2*o.places] {
				e.Use[r] /= float64(model.Second)
			}
			a.use, a.cross = e.Use, e.Use[o.crossAt()]
			return nil
		})
	}
	_ = g.Wait() // no function returns an error
	return list
}

// pays is the payment of each job.
func (o *oracle) pays(price []float64) []float64 {
	scale := o.scale(price)
	whole, sum := o.whole(price, scale), new(big.Int)
	paid, e := make([]float64, o.in.Jobs), o.x.NewPayer(whole[:o.crossAt()], whole[o.crossAt()])
	for j := range paid {
		paid[j] = unscaled(e.Pays(int32(j), sum), scale)
	}
	return paid
}

// unscaled is a payment at prices that were multiplied by a power of two.
func unscaled(paid *big.Int, scale int) float64 {
	v, _ := paid.Float64()
	return math.Ldexp(v, -scale)
}
