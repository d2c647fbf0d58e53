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
	uplinks           float64   // of all racks, bytes a second; 0: some has no limit
	usable, reducible []int32   // racks with slots
	byArrival         []int32

	mapFree, reduceFree, outFree, inFree []float64 // by rack: when what was placed before is done, in seconds
}

func newPlacer(in *multitenant.Instance) *placer {
	n := in.Racks
	p := &placer{in: in, x: in.Relax(), byArrival: byArrival(in), maps: make([]float64, n), reduces: make([]float64, n),
		mapFree: make([]float64, n), reduceFree: make([]float64, n), outFree: make([]float64, n), inFree: make([]float64, n),
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

func (p *placer) reset() {
	for _, free := range [][]float64{p.mapFree, p.reduceFree, p.outFree, p.inFree} {
		clear(free)
	}
}

// place chooses for all jobs, by arrival; weight is how many seconds later a job may end to save a second of all
// uplinks.
func (p *placer) place(weight float64) []choice {
	p.reset()
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

// choice puts a job's maps at all places of the racks of a forecast, and the reduces of a rack at its places in
// proportion to slots and speed.
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
	mapWork, reduceWork  []float64 // by rack: seconds of all its slots
	outBytes, inBytes    []float64 // by rack
	arrival, shuffleFrom float64
}

// forecasts are the choices for a job: prefixes of the racks ordered by how much of its input they hold, and by when
// they are free, each with its reduces in proportion to output, and gathered in as few racks as have slots for them.
func (p *placer) forecasts(j int32) (list []*forecast) {
	held := p.held(j)
	byData := slices.Clone(p.usable)
	slices.SortStableFunc(byData, func(a, b int32) int {
		return cmp.Or(cmp.Compare(held[b], held[a]), cmp.Compare(p.mapFree[a], p.mapFree[b]))
	})
	byTime := slices.Clone(p.usable)
	arrival := p.in.Arrival[j].Seconds()
	slices.SortStableFunc(byTime, func(a, b int32) int {
		return cmp.Or(cmp.Compare(max(arrival, p.mapFree[a], p.reduceFree[a], p.inFree[a]),
			max(arrival, p.mapFree[b], p.reduceFree[b], p.inFree[b])), cmp.Compare(held[b], held[a]))
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
	held := make([]float64, p.in.Racks)
	for i := range p.x.Jobs[j].Maps {
		m := &p.x.Jobs[j].Maps[i]
		for _, rack := range m.Racks {
			held[rack] += float64(m.Count) * float64(max(1, p.x.Jobs[j].Kinds[m.Kind].Input))
		}
	}
	return held
}

// foresee forecasts a set of racks for maps with both ways to place reduces.
func (p *placer) foresee(j int32, racks []bool, size float64) []*forecast {
	n := p.in.Racks
	job := &p.x.Jobs[j]
	f := forecast{racks: racks, mapWork: make([]float64, n), outBytes: make([]float64, n), inBytes: make([]float64, n),
		arrival: p.in.Arrival[j].Seconds()}
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
			f.mapWork[rack] += count * p.x.MapTime(kind, &p.x.Places[p.mapper[rack]], away).Seconds()
			output[rack] += count * float64(kind.Output)
			if away {
				f.across += count * float64(kind.Input)
				f.inBytes[rack] += count * float64(kind.Input)
				f.outBytes[m.Source] += count * float64(kind.Input)
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
	for k, work := range f.mapWork {
		if work > 0 {
			f.mapWork[k] /= p.maps[k]
			mapsEnd = max(mapsEnd, max(f.arrival, p.mapFree[k])+f.mapWork[k])
		}
	}
	if job.ReduceCount == 0 {
		f.counts, f.end = make([]int32, n), mapsEnd
		f.reduceWork = make([]float64, n)
		return []*forecast{&f}
	}
	spread := p.withReduces(f, job, output, mapsEnd, p.inProportion(job, output))
	gathered := p.withReduces(f, job, output, mapsEnd, p.gathered(job, output))
	return []*forecast{spread, gathered}
}

// inProportion places reduces in proportion to output; without output evenly.
func (p *placer) inProportion(job *multitenant.JobGroups, output []float64) []int32 {
	share := make([]float64, len(output))
	sum := 0.0
	for _, k := range p.reducible {
		share[k] = output[k]
		sum += output[k]
	}
	if sum == 0 {
		for _, k := range p.reducible {
			share[k] = p.reduces[k]
		}
	}
	return apportion(int32(job.ReduceCount), share)
}

// gathered fills the reduce slots of the racks with most output.
func (p *placer) gathered(job *multitenant.JobGroups, output []float64) []int32 {
	order := slices.Clone(p.reducible)
	slices.SortStableFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(output[b], output[a]), cmp.Compare(p.reduceFree[a], p.reduceFree[b]))
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
	f.counts, f.outBytes, f.inBytes = counts, slices.Clone(f.outBytes), slices.Clone(f.inBytes)
	f.reduceWork = make([]float64, len(counts))
	all, volume := float64(job.ReduceCount), 0.0
	for _, v := range output {
		volume += v
	}
	ready := mapsEnd
	for k, v := range output {
		g := float64(counts[k]) / all
		f.across += v * (1 - g)
		f.outBytes[k] += v * (1 - g)
		f.inBytes[k] += (volume - v) * g
		if u := float64(p.in.Uplink[k]); u > 0 {
			if f.outBytes[k] > 0 {
				ready = max(ready, max(f.shuffleFrom, p.outFree[k])+f.outBytes[k]/u)
			}
			if f.inBytes[k] > 0 {
				ready = max(ready, max(f.shuffleFrom, p.inFree[k])+f.inBytes[k]/u)
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
			f.reduceWork[k] = float64(n) * each / p.reduces[k]
			waves := math.Ceil(float64(n) / p.reduces[k])
			f.end = max(f.end, max(ready, p.reduceFree[k])+waves*each)
		}
	}
	return &f
}

// take reserves what a job is expected to use.
func (p *placer) take(j int32, f *forecast) {
	for k := range f.mapWork {
		add := func(free *float64, from, work float64) {
			if work > 0 {
				*free = max(*free, from) + work
			}
		}
		add(&p.mapFree[k], f.arrival, f.mapWork[k])
		add(&p.reduceFree[k], f.shuffleFrom, f.reduceWork[k])
		if u := float64(p.in.Uplink[k]); u > 0 {
			add(&p.outFree[k], f.shuffleFrom, f.outBytes[k]/u)
			add(&p.inFree[k], f.shuffleFrom, f.inBytes[k]/u)
		}
	}
}
