package multitenant

import (
	"math"
	"runtime"

	"golang.org/x/sync/errgroup"

	"mrsched/model"
	"mrsched/model/multitenant"
)

// oracle computes what jobs pay at given prices and what of which resource they then use, in floating point: the
// inner problem of multitenant.Prices.
//
// Resources are numbered: map slots by place, reduce slots by place, uplinks out by rack, uplinks in by rack, links of
// nodes by rack, and crossing. Slots are used in seconds, the others in bytes.
type oracle struct {
	x             *multitenant.Relaxation
	in            *multitenant.Instance
	places, racks int
	capacity      []float64 // by resource, a second; 0: none, or without limit. Crossing has none
	chunk         []int32   // jobs chunk[c] … chunk[c+1]−1 share a cut
	pairs         int       // groups of maps times places
}

// mostChunks is how many cuts one query adds at most.
const mostChunks = 16

func newOracle(in *multitenant.Instance) *oracle {
	x := in.Relax()
	o := &oracle{x: x, in: in, places: len(x.Places), racks: in.Racks}
	for _, p := range x.Places {
		o.capacity = append(o.capacity, float64(p.MapSlots))
	}
	for _, p := range x.Places {
		o.capacity = append(o.capacity, float64(p.ReduceSlots))
	}
	for _, list := range [][]int64{in.Uplink, in.Uplink, in.Fabric} {
		for _, c := range list {
			o.capacity = append(o.capacity, float64(c))
		}
	}
	all := 0
	for j := range x.Jobs {
		all += len(x.Jobs[j].Maps) + 1
	}
	o.pairs = all * (o.places + o.racks)
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

// resources is the number of those with a capacity.
func (o *oracle) resources() int { return 2*o.places + 3*o.racks }

func (o *oracle) mapAt(p int32) int    { return int(p) }
func (o *oracle) reduceAt(p int32) int { return o.places + int(p) }
func (o *oracle) outAt(k int) int      { return 2*o.places + k }
func (o *oracle) inAt(k int) int       { return 2*o.places + o.racks + k }
func (o *oracle) fabricAt(k int) int   { return 2*o.places + 2*o.racks + k }
func (o *oracle) crossAt() int         { return 2*o.places + 3*o.racks }

// answer is what the jobs of a chunk pay together, and use.
type answer struct {
	paid float64
	use  []float64
}

// ask evaluates prices for the jobs that arrive at from or later, by chunk.
func (o *oracle) ask(price []float64, from model.Time) []answer {
	list := make([]answer, len(o.chunk)-1)
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
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

// pricer is the oracle for one vector of prices.
type pricer struct {
	*oracle
	price []float64
	near  []float64 // by rack: what a map pays in it for itself
	place []int32   // by rack: where
	modes []float64 // by rack of the reduces: what the job pays
	share []float64 // by rack: the share of reduces that choose it
}

func newPricer(o *oracle, price []float64) *pricer {
	return &pricer{o, price, make([]float64, o.racks), make([]int32, o.racks), make([]float64, o.racks), make([]float64, o.racks)}
}

// maps sets near and place for a group, and finds where a map is cheapest whose output leaves the rack.
func (e *pricer) maps(m *multitenant.MapGroup) (elsewhere float64, rack int) {
	elsewhere = math.Inf(1)
	out := float64(m.Output)
	for k := range e.near {
		e.near[k] = math.Inf(1)
		for _, i := range e.x.AtRack[k] {
			p := &e.x.Places[i]
			if p.MapSlots == 0 {
				continue
			}
			held, away := e.x.MapTime(m, p)
			cost := e.price[e.mapAt(i)] * held.Seconds()
			if away {
				cost += float64(m.Input) * (e.price[e.outAt(int(m.Source))] + e.price[e.inAt(k)] + e.price[e.fabricAt(k)] + e.price[e.crossAt()])
			}
			if cost < e.near[k] {
				e.near[k], e.place[k] = cost, i
			}
		}
		if cost := e.near[k] + out*(e.price[e.outAt(k)]+e.price[e.crossAt()]); cost < elsewhere {
			elsewhere, rack = cost, k
		}
	}
	return elsewhere, rack
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

// job is what a job pays; what it uses is added to use. Ties: the lowest rack, then place.
func (e *pricer) job(j int32, use []float64) float64 {
	job := &e.x.Jobs[j]
	clear(e.modes)
	for i := range job.Maps {
		m := &job.Maps[i]
		elsewhere, rack := e.maps(m)
		if !job.Shuffles { // the cheapest rack, whatever the reduces do
			for k, v := range e.near {
				if v < e.near[rack] {
					rack = k
				}
			}
			for l := range e.modes {
				e.modes[l] += float64(m.Count) * e.near[rack]
			}
			e.useMap(m, rack, use, float64(m.Count))
			continue
		}
		for l := range e.modes {
			e.modes[l] += float64(m.Count) * min(e.near[l], elsewhere+float64(m.Output)*e.price[e.inAt(l)])
		}
	}
	if job.ReduceCount == 0 {
		return e.modes[0]
	}
	clear(e.share)
	paid := e.reduces(job, use)
	if job.Shuffles {
		for l, share := range e.share {
			if share > 0 {
				e.useMode(job, l, share, use)
			}
		}
	}
	return paid
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

// useMode adds what maps and links do for a share of a job whose reduces are in a rack.
func (e *pricer) useMode(job *multitenant.JobGroups, l int, share float64, use []float64) {
	use[e.fabricAt(l)] += share * float64(job.Volume)
	for i := range job.Maps {
		m := &job.Maps[i]
		elsewhere, rack := e.maps(m)
		count := share * float64(m.Count)
		if e.near[l] <= elsewhere+float64(m.Output)*e.price[e.inAt(l)] {
			e.useMap(m, l, use, count)
			continue
		}
		e.useMap(m, rack, use, count)
		bytes := count * float64(m.Output)
		use[e.outAt(rack)] += bytes
		use[e.inAt(l)] += bytes
		use[e.crossAt()] += bytes
	}
}

// useMap adds maps that run in a rack.
func (e *pricer) useMap(m *multitenant.MapGroup, rack int, use []float64, count float64) {
	i := e.place[rack]
	held, away := e.x.MapTime(m, &e.x.Places[i])
	use[e.mapAt(i)] += count * held.Seconds()
	if away {
		bytes := count * float64(m.Input)
		use[e.outAt(int(m.Source))] += bytes
		use[e.inAt(rack)] += bytes
		use[e.fabricAt(rack)] += bytes
		use[e.crossAt()] += bytes
	}
}
