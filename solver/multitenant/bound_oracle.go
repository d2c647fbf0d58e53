package multitenant

import (
	"cmp"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"

	"mrsched/model"
	"mrsched/model/multitenant"
)

// oracle computes, in floating point, the payments of jobs at given prices and the resources that they then use: the
// inner problem of multitenant.Prices.
//
// Resources are numbered: map slots by place, reduce slots by place, uplinks out by rack, uplinks in by rack, nodes'
// links by rack, and crossing. The use of slots is in seconds, that of the others in bytes.
type oracle struct {
	x                      *multitenant.Relaxation
	in                     *multitenant.Instance
	places, racks, threads int
	capacity               []float64 // by resource except crossing, per second; 0: none, or unlimited
	chunk                  []int32   // jobs chunk[c] … chunk[c+1]−1 share a cut
	work                   int       // approximate cost of a query, in numbers read

	report func(done, total int) // receives the number of queries; may be nil
}

// kindWork is the cost of a kind of maps at a place, relative to that of a group in a rack.
const kindWork = 10

// mostChunks limits the cuts that one query adds.
const mostChunks = 16

// newOracle prepares queries with at most threads goroutines. Results do not depend on their number.
func newOracle(in *multitenant.Instance, threads int) *oracle {
	x := in.Relax()
	o := &oracle{x: x, in: in, threads: max(1, threads), places: len(x.Places), racks: in.Racks}
	for _, c := range x.Capacity {
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

// answer holds the total payment of a chunk's jobs, and their use of resources.
type answer struct {
	paid, cross float64 // cross: the bytes that cross racks
	use         []float64
}

// ask evaluates prices for the jobs that arrive at from or later and before until, by chunk.
func (o *oracle) ask(price []float64, from, until model.Time) []answer {
	list := make([]answer, len(o.chunk)-1)
	var g errgroup.Group
	g.SetLimit(o.threads)
	for c := range list {
		g.Go(func() error {
			a := &list[c]
			a.use = make([]float64, o.crossAt()+1)
			e := newPricer(o, price)
			for j := o.chunk[c]; j < o.chunk[c+1]; j++ {
				if at := o.in.Arrival[j]; at >= from && at < until {
					a.paid += e.job(j, a.use)
				}
			}
			a.cross = a.use[o.crossAt()]
			return nil
		})
	}
	_ = g.Wait() // no function returns an error
	return list
}

// pays is the payment of each job.
func (o *oracle) pays(price []float64) []float64 {
	paid, use, e := make([]float64, o.in.Jobs), make([]float64, o.crossAt()+1), newPricer(o, price)
	for j := range paid {
		paid[j] = e.job(int32(j), use)
	}
	return paid
}

// pricer is the oracle for one vector of prices.
type pricer struct {
	*oracle
	price []float64
	kinds []kindPrices
	modes []float64 // by rack of the reduces: payment of the maps
	share []float64 // by rack: the share of reduces that choose it
}

// kindPrices is the payment of a map of a kind, by rack.
type kindPrices struct {
	home, afar    offers    // in a rack with a replica, and in another one without the payment to leave the source's rack
	leave         []float64 // for its output to leave the rack
	cheap         []int32   // racks by afar + leave, ascending
	input, output float64
}

// offers are the cheapest places, by rack.
type offers struct {
	cost  []float64 // infinite without slots
	place []int32
	held  []float64 // seconds of a slot there
}

func newOffers(n int) offers { return offers{make([]float64, n), make([]int32, n), make([]float64, n)} }

// offer offers a place in rack k, at a price per second of a slot.
func (o *offers) offer(k int, place int32, price float64, time model.Time) {
	if held := time.Seconds(); price*held < o.cost[k] {
		o.cost[k], o.place[k], o.held[k] = price*held, place, held
	}
}

func newPricer(o *oracle, price []float64) *pricer {
	return &pricer{oracle: o, price: price, modes: make([]float64, o.racks), share: make([]float64, o.racks)}
}

// sell sets the prices of a job's kinds.
func (e *pricer) sell(job *multitenant.JobGroups) {
	n := e.racks
	for len(e.kinds) < len(job.Kinds) {
		e.kinds = append(e.kinds, kindPrices{home: newOffers(n), afar: newOffers(n), leave: make([]float64, n),
			cheap: make([]int32, n)})
	}
	for i := range job.Kinds {
		m, c := &job.Kinds[i], &e.kinds[i]
		c.input, c.output = float64(m.Input), float64(m.Output)
		for k := range n {
			c.cheap[k] = int32(k)
			c.home.cost[k], c.afar.cost[k] = math.Inf(1), math.Inf(1)
			for _, at := range e.x.AtRack[k] {
				if p, y := &e.x.Places[at], e.price[e.mapAt(at)]; p.MapSlots > 0 {
					c.home.offer(k, at, y, e.x.MapTime(m, p, false))
					c.afar.offer(k, at, y, e.x.MapTime(m, p, true))
				}
			}
			c.afar.cost[k] += c.input * (e.price[e.inAt(k)] + e.price[e.fabricAt(k)] + e.price[e.crossAt()])
			c.leave[k] = c.output * (e.price[e.outAt(k)] + e.price[e.crossAt()])
		}
		slices.SortStableFunc(c.cheap, func(a, b int32) int {
			return cmp.Compare(c.afar.cost[a]+c.leave[a], c.afar.cost[b]+c.leave[b])
		})
	}
}

// away is the payment of a map of a group for its input to leave the source's rack.
func (e *pricer) away(m *multitenant.MapGroup) float64 {
	if m.Source < 0 {
		return 0
	}
	return e.kinds[m.Kind].input * e.price[e.outAt(int(m.Source))]
}

// own is the payment of a map of a group in a rack, without shuffle.
func (e *pricer) own(m *multitenant.MapGroup, k int32, away float64) float64 {
	if m.Near(k) {
		return e.kinds[m.Kind].home.cost[k]
	}
	return e.kinds[m.Kind].afar.cost[k] + away
}

// elsewhere is the cheapest rack for a map of a group if its output leaves the rack, with that cost.
func (e *pricer) elsewhere(m *multitenant.MapGroup, away float64) (least float64, rack int32) {
	c := &e.kinds[m.Kind]
	least = math.Inf(1)
	if len(m.Racks) == 0 {
		for k, v := range c.home.cost {
			if v += c.leave[k]; v < least {
				least, rack = v, int32(k)
			}
		}
		return least, rack
	}
	for _, k := range m.Racks {
		if v := c.home.cost[k] + c.leave[k]; v < least {
			least, rack = v, k
		}
	}
	for _, k := range c.cheap {
		if !slices.Contains(m.Racks, k) {
			if v := c.afar.cost[k] + away + c.leave[k]; v < least {
				least, rack = v, k
			}
			break
		}
	}
	return least, rack
}

// job is the payment of a job. It adds the job's use of resources to use. Ties: the lowest rack, then place.
func (e *pricer) job(j int32, use []float64) float64 {
	job := &e.x.Jobs[j]
	e.sell(job)
	clear(e.modes)
	paid := 0.0
	for i := range job.Maps {
		m := &job.Maps[i]
		away := e.away(m)
		if job.ReduceCount == 0 {
			least, rack := e.elsewhere(m, away)
			paid += float64(m.Count) * least
			e.useMap(m, rack, use, float64(m.Count))
			continue
		}
		e.mapsPay(m, away)
	}
	if job.ReduceCount == 0 {
		return paid
	}
	clear(e.share)
	paid += e.reduces(job, use)
	for l, share := range e.share {
		if share > 0 {
			e.useMode(job, int32(l), share, use)
		}
	}
	return paid
}

// mapsPay adds a group's payment to that of the maps in each mode.
func (e *pricer) mapsPay(m *multitenant.MapGroup, away float64) {
	c, count := &e.kinds[m.Kind], float64(m.Count)
	elsewhere, _ := e.elsewhere(m, away)
	enter := e.price[e.inAt(0):e.inAt(e.racks)]
	next := 0 // of the racks with replicas
	for l, afar := range c.afar.cost {
		own := afar + away
		if len(m.Racks) == 0 || next < len(m.Racks) && int(m.Racks[next]) == l {
			own = c.home.cost[l]
			next++
		}
		e.modes[l] += count * min(own, elsewhere+c.output*enter[l])
	}
}

// reduces places the reduces of a job and sets share.
func (e *pricer) reduces(job *multitenant.JobGroups, use []float64) (paid float64) {
	for i := range job.Reduces {
		r := &job.Reduces[i]
		part := float64(r.Count) / float64(job.ReduceCount)
		best, rack, at := math.Inf(1), 0, int32(0)
		for l := range e.modes {
			own, place := e.reduce(r, l)
			cost := e.modes[l] + float64(job.ReduceCount)*own
			if job.Shuffles {
				cost += float64(job.Volume) * e.price[e.fabricAt(l)]
			}
			if cost < best {
				best, rack, at = cost, l, place
			}
		}
		paid += part * best
		e.share[rack] += part
		use[e.reduceAt(at)] += float64(r.Count) * e.x.ReduceTime(r, &e.x.Places[at]).Seconds()
	}
	return paid
}

// reduce is the cheapest place for a reduce in a rack.
func (e *pricer) reduce(r *multitenant.ReduceGroup, rack int) (cost float64, place int32) {
	cost = math.Inf(1)
	for _, i := range e.x.AtRack[rack] {
		if p := &e.x.Places[i]; p.ReduceSlots > 0 {
			if c := e.price[e.reduceAt(i)] * e.x.ReduceTime(r, p).Seconds(); c < cost {
				cost, place = c, i
			}
		}
	}
	return cost, place
}

// useMode adds the use of slots and links by maps, for the share of a job with its reduces in a rack.
func (e *pricer) useMode(job *multitenant.JobGroups, l int32, share float64, use []float64) {
	use[e.fabricAt(int(l))] += share * float64(job.Volume)
	for i := range job.Maps {
		m := &job.Maps[i]
		away := e.away(m)
		elsewhere, rack := e.elsewhere(m, away)
		count, output := share*float64(m.Count), e.kinds[m.Kind].output
		if e.own(m, l, away) <= elsewhere+output*e.price[e.inAt(int(l))] {
			e.useMap(m, l, use, count)
			continue
		}
		e.useMap(m, rack, use, count)
		bytes := count * output
		use[e.outAt(int(rack))] += bytes
		use[e.inAt(int(l))] += bytes
		use[e.crossAt()] += bytes
	}
}

// useMap adds maps that run in a rack.
func (e *pricer) useMap(m *multitenant.MapGroup, rack int32, use []float64, count float64) {
	c := &e.kinds[m.Kind]
	if m.Near(rack) {
		use[e.mapAt(c.home.place[rack])] += count * c.home.held[rack]
		return
	}
	use[e.mapAt(c.afar.place[rack])] += count * c.afar.held[rack]
	bytes := count * c.input
	use[e.outAt(int(m.Source))] += bytes
	use[e.inAt(int(rack))] += bytes
	use[e.fabricAt(int(rack))] += bytes
	use[e.crossAt()] += bytes
}
