package multitenant

import (
	"slices"

	"golang.org/x/sync/errgroup"

	"mrsched/model"
	"mrsched/model/multitenant"
)

// oracle computes in floating point what jobs pay at given prices, and which resources they then use: the inner problem
// of multitenant.Prices.
//
// Resources are numbered: map slots by place, reduce slots by place, uplinks out by rack, uplinks in by rack, nodes'
// links by rack, and crossing. The use of slots is in seconds, that of the others in bytes.
type oracle struct {
	x                      *multitenant.Relaxation
	in                     *multitenant.Instance
	places, racks, threads int
	capacity               []float64 // by resource but crossing, per second; 0: none, or without limit
	chunk                  []int32   // jobs chunk[c] … chunk[c+1]−1 share a cut
	work                   int       // about what a query costs, in numbers read

	report func(done, total int) // receives the number of queries; may be nil
}

// kindWork is how much longer computing the cost of a kind of maps at a place takes than that of a group in a rack.
const kindWork = 10

// mostChunks limits the cuts that one query adds.
const mostChunks = 16

// newOracle prepares queries by at most that many goroutines; results do not depend on their number.
func newOracle(in *multitenant.Instance, threads int) *oracle {
	x := in.Relax()
	o := &oracle{x: x, in: in, threads: max(1, threads), places: len(x.Places), racks: in.Racks}
	var maps, reduces []int64
	for _, p := range x.Places {
		maps, reduces = append(maps, p.MapSlots), append(reduces, p.ReduceSlots)
	}
	for _, c := range slices.Concat(maps, reduces, in.Uplink, in.Uplink, in.Fabric) {
		o.capacity = append(o.capacity, float64(c))
	}
	all := 0
	for j := range x.Jobs {
		all += len(x.Jobs[j].Maps) + 1
		o.work += len(x.Jobs[j].Kinds) * kindWork * o.places
	}
	o.work += all * o.racks
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

func (o *oracle) mapAt(p int32) int    { return int(p) }
func (o *oracle) reduceAt(p int32) int { return o.places + int(p) }
func (o *oracle) outAt(k int) int      { return 2*o.places + k }
func (o *oracle) inAt(k int) int       { return 2*o.places + o.racks + k }
func (o *oracle) fabricAt(k int) int   { return 2*o.places + 2*o.racks + k }
func (o *oracle) crossAt() int         { return 2*o.places + 3*o.racks }

// priceList is a list of a certificate's prices, with the resources first … end−1 that they are for.
type priceList struct {
	prices     *[]int64
	first, end int
}

// lists are the lists of prices, in the order of resources.
func (o *oracle) lists(p *multitenant.Prices) [5]priceList {
	return [5]priceList{{&p.Map, o.mapAt(0), o.reduceAt(0)}, {&p.Reduce, o.reduceAt(0), o.outAt(0)},
		{&p.Out, o.outAt(0), o.inAt(0)}, {&p.In, o.inAt(0), o.fabricAt(0)}, {&p.Fabric, o.fabricAt(0), o.crossAt()}}
}

// answer is what the jobs of a chunk pay together, and what they use.
type answer struct {
	paid float64
	use  []float64
}

// ask evaluates prices for the jobs that arrive at from or later, by chunk.
func (o *oracle) ask(price []float64, from model.Time) []answer {
	list := make([]answer, len(o.chunk)-1)
	var g errgroup.Group
	g.SetLimit(o.threads)
	for c := range list {
		g.Go(func() error {
			a := &list[c]
			a.use = make([]float64, o.crossAt()+1)
			e := newPricer(o, price)
			for j := o.chunk[c]; j < o.chunk[c+1]; j++ {
				if o.in.Arrival[j] >= from {
					a.paid += e.job(j, a.use)
				}
			}
			return nil
		})
	}
	_ = g.Wait() // nothing fails
	return list
}

// pays is what each job pays.
func (o *oracle) pays(price []float64) []float64 {
	paid, use, e := make([]float64, o.in.Jobs), make([]float64, o.crossAt()+1), newPricer(o, price)
	for j := range paid {
		paid[j] = e.job(int32(j), use)
	}
	return paid
}
