package multitenant

import (
	"cmp"
	"math"
	"slices"

	"mrsched/model/multitenant"
)

// placer chooses racks for one job after another, on a fluid model of the cluster.
type placer struct {
	in                *multitenant.Instance
	x                 *multitenant.Relaxation
	maps, reduces     []float64 // by rack: slots
	mapper, reducer   []int32   // by rack: its first place with such slots; −1: none
	uplinks           float64   // of all racks, bytes per second; 0: some has no limit
	usable, reducible []int32   // racks with slots
	byArrival         []int32
	free              perRack // when the jobs placed so far are done, in seconds
}

// perRack has numbers by rack for map slots, reduce slots, and uplinks out and in.
type perRack struct{ maps, reduces, out, in []float64 }

func newPerRack(n int) perRack {
	return perRack{make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)}
}

func newPlacer(in *multitenant.Instance) *placer {
	n := in.Racks
	p := &placer{in: in, x: in.Relax(), byArrival: byArrival(in), maps: make([]float64, n), reduces: make([]float64, n),
		mapper: make([]int32, n), reducer: make([]int32, n)}
	for k := range n {
		p.mapper[k], p.reducer[k] = -1, -1
		for _, i := range p.x.AtRack[k] {
			place := &p.x.Places[i]
			if place.MapSlots > 0 && p.mapper[k] < 0 {
				p.mapper[k] = i
			}
			if place.ReduceSlots > 0 && p.reducer[k] < 0 {
				p.reducer[k] = i
			}
			p.maps[k] += float64(place.MapSlots)
			p.reduces[k] += float64(place.ReduceSlots)
		}
		if p.maps[k] > 0 {
			p.usable = append(p.usable, int32(k))
		}
		if p.reduces[k] > 0 {
			p.reducible = append(p.reducible, int32(k))
		}
		p.uplinks += float64(in.Uplink[k])
	}
	if slices.Min(in.Uplink) == 0 {
		p.uplinks = 0
	}
	return p
}

// readers is, by rack, how many maps that read at once fill its uplink, and one more; nil if some link has no limit.
func (p *placer) readers() []int32 {
	list := make([]int32, p.in.Racks)
	for w, rack := range p.in.RackOf {
		if p.in.Uplink[rack] == 0 || p.in.Bandwidth[w] == 0 {
			return nil
		}
		list[rack] = max(list[rack], 1+int32(min(1e6, (p.in.Uplink[rack]+p.in.Bandwidth[w]-1)/p.in.Bandwidth[w])))
	}
	return list
}

// place chooses for all jobs, by arrival. weight is by how many seconds a job may end later to save a second of all
// uplinks.
func (p *placer) place(weight float64) []choice {
	p.free = newPerRack(p.in.Racks)
	list := make([]choice, p.in.Jobs)
	for _, j := range p.byArrival {
		var best *forecast
		for _, f := range p.forecasts(j) {
			if f.cost = f.end + weight*p.seconds(f.across); best == nil || f.cost < best.cost {
				best = f
			}
		}
		list[j] = p.choice(best)
		p.take(j, best)
	}
	return list
}

// choice turns a forecast into places: maps at all places of its racks, and each rack's reduces in proportion to the
// slots and speed of its places.
func (p *placer) choice(f *forecast) choice {
	c := choice{places: make([]bool, len(p.x.Places)), counts: make([]int32, len(p.x.Places))}
	for rack, at := range p.x.AtRack {
		share := make([]float64, len(at))
		for i, k := range at {
			place := &p.x.Places[k]
			c.places[k] = f.racks[rack]
			share[i] = float64(place.ReduceSlots) * p.in.Speed[place.Worker]
		}
		for i, n := range apportion(f.counts[rack], share) {
			c.counts[at[i]] = n
		}
	}
	return c
}

// seconds is the time that all uplinks take for bytes.
func (p *placer) seconds(bytes float64) float64 {
	if p.uplinks == 0 {
		return 0
	}
	return bytes / p.uplinks
}

// forecast is the expected outcome of a choice.
type forecast struct {
	racks                []bool  // where maps run
	counts               []int32 // by rack: reduces
	end, across, cost    float64
	use                  perRack // seconds of all slots, bytes on uplinks
	reads                perRack // the part of the bytes that maps read
	arrival, shuffleFrom float64
}

// forecasts are the choices for a job. Its maps run in the racks that hold most of its input, or in those that are free
// first, for several numbers of racks. Its reduces lie in proportion to output, or in as few racks as have slots.
func (p *placer) forecasts(j int32) (list []*forecast) {
	held := p.held(j)
	byData, byTime := slices.Clone(p.usable), slices.Clone(p.usable)
	slices.SortStableFunc(byData, func(a, b int32) int {
		return cmp.Or(cmp.Compare(held[b], held[a]), cmp.Compare(p.free.maps[a], p.free.maps[b]))
	})
	arrival := p.in.Arrival[j].Seconds()
	from := func(k int32) float64 { return max(arrival, p.free.maps[k], p.free.reduces[k], p.free.in[k]) }
	slices.SortStableFunc(byTime, func(a, b int32) int {
		return cmp.Or(cmp.Compare(from(a), from(b)), cmp.Compare(held[b], held[a]))
	})
	for k, order := range [][]int32{byData, byTime} {
		for size := 1; size <= len(order); size = nextSize(size, len(order)) {
			if k > 0 && size == len(order) {
				break
			}
			racks := make([]bool, p.in.Racks)
			for _, rack := range order[:size] {
				racks[rack] = true
			}
			list = append(list, p.foresee(j, racks, float64(size))...)
		}
	}
	if len(list) == 0 { // there is no map slot, hence no map
		list = p.foresee(j, make([]bool, p.in.Racks), 1)
	}
	return list
}

// nextSize is the next number of racks to try: every one up to four, then half as many more.
func nextSize(size, all int) int {
	if size == all {
		return all + 1
	}
	return min(all, max(size+1, size*3/2))
}

// held is the input of a job by the racks that hold it.
func (p *placer) held(j int32) []float64 {
	held, job := make([]float64, p.in.Racks), &p.x.Jobs[j]
	for i := range job.Maps {
		m := &job.Maps[i]
		for _, rack := range m.Racks {
			held[rack] += float64(m.Count) * float64(max(1, job.Kinds[m.Kind].Input))
		}
	}
	return held
}

// foresee forecasts a set of racks for maps with both ways to place reduces.
func (p *placer) foresee(j int32, racks []bool, size float64) []*forecast {
	n, job := p.in.Racks, &p.x.Jobs[j]
	f := forecast{racks: racks, use: newPerRack(n), arrival: p.in.Arrival[j].Seconds()}
	output := make([]float64, n)
	f.shuffleFrom = f.arrival + job.LeastMap.Seconds()
	for i := range job.Maps {
		m := &job.Maps[i]
		kind, near := &job.Kinds[m.Kind], 0.0
		for _, rack := range m.Racks {
			if racks[rack] {
				near++
			}
		}
		put := func(rack int32, count float64) {
			away := !m.Near(rack)
			f.use.maps[rack] += count * p.x.MapTime(kind, &p.x.Places[p.mapper[rack]], away).Seconds()
			output[rack] += count * float64(kind.Output)
			if away {
				f.across += count * float64(kind.Input)
				f.use.in[rack] += count * float64(kind.Input)
				f.use.out[m.Source] += count * float64(kind.Input)
			}
		}
		if near > 0 {
			for _, rack := range m.Racks {
				if racks[rack] {
					put(rack, float64(m.Count)/near)
				}
			}
			continue
		}
		for rack, in := range racks {
			if in {
				put(int32(rack), float64(m.Count)/size)
			}
		}
	}
	mapsEnd := f.shuffleFrom
	for k, work := range f.use.maps {
		if work > 0 {
			f.use.maps[k] /= p.maps[k]
			mapsEnd = max(mapsEnd, max(f.arrival, p.free.maps[k])+f.use.maps[k])
		}
	}
	if job.ReduceCount == 0 {
		f.counts, f.end = make([]int32, n), mapsEnd
		return []*forecast{&f}
	}
	return []*forecast{p.withReduces(f, job, output, mapsEnd, p.inProportion(job, output)),
		p.withReduces(f, job, output, mapsEnd, p.gathered(job, output))}
}

// inProportion places reduces in proportion to output; without output evenly.
func (p *placer) inProportion(job *multitenant.JobGroups, output []float64) []int32 {
	share := make([]float64, len(output))
	for _, k := range p.reducible {
		share[k] = output[k]
	}
	if sum(share) == 0 {
		share = p.reduces
	}
	return apportion(int32(job.ReduceCount), share)
}

// gathered fills the reduce slots of the racks with most output.
func (p *placer) gathered(job *multitenant.JobGroups, output []float64) []int32 {
	order := slices.Clone(p.reducible)
	slices.SortStableFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(output[b], output[a]), cmp.Compare(p.free.reduces[a], p.free.reduces[b]))
	})
	counts, left := make([]int32, len(output)), int32(job.ReduceCount)
	waves := int32(1)
	if all := int32(sum(p.reduces)); left > all {
		waves = (left + all - 1) / all
	}
	for _, k := range order {
		n := min(left, waves*int32(p.reduces[k]))
		counts[k] = n
		left -= n
	}
	return counts
}

// withReduces completes a forecast.
func (p *placer) withReduces(f forecast, job *multitenant.JobGroups, output []float64, mapsEnd float64,
	counts []int32) *forecast {
	f.counts, f.use.reduces, f.reads = counts, make([]float64, len(counts)), f.use
	f.use.out, f.use.in = slices.Clone(f.use.out), slices.Clone(f.use.in)
	all, volume, ready := float64(job.ReduceCount), sum(output), mapsEnd
	for k, v := range output {
		g := float64(counts[k]) / all
		f.across += v * (1 - g)
		f.use.out[k] += v * (1 - g)
		f.use.in[k] += (volume - v) * g
		if u := float64(p.in.Uplink[k]); u > 0 {
			if f.use.out[k] > 0 {
				ready = max(ready, max(f.shuffleFrom, p.free.out[k])+f.use.out[k]/u)
			}
			if f.use.in[k] > 0 {
				ready = max(ready, max(f.shuffleFrom, p.free.in[k])+f.use.in[k]/u)
			}
		}
	}
	each := 0.0
	for i := range job.Reduces {
		each += float64(job.Reduces[i].Count) / all * job.Reduces[i].Base / 1e6
	}
	f.end = ready
	for k, n := range counts {
		if n > 0 {
			each := each / p.in.Speed[p.x.Places[p.reducer[k]].Worker]
			f.use.reduces[k] = float64(n) * each / p.reduces[k]
			waves := math.Ceil(float64(n) / p.reduces[k])
			f.end = max(f.end, max(ready, p.free.reduces[k])+waves*each)
		}
	}
	return &f
}

// take reserves what a job is expected to use.
func (p *placer) take(j int32, f *forecast) {
	for k := range f.use.maps {
		add := func(free *float64, from, work float64) {
			if work > 0 {
				*free = max(*free, from) + work
			}
		}
		add(&p.free.maps[k], f.arrival, f.use.maps[k])
		add(&p.free.reduces[k], f.shuffleFrom, f.use.reduces[k])
		if u := float64(p.in.Uplink[k]); u > 0 {
			add(&p.free.out[k], f.shuffleFrom, f.use.out[k]/u)
			add(&p.free.in[k], f.shuffleFrom, f.use.in[k]/u)
		}
	}
}
