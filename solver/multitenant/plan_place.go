package multitenant

import (
	"cmp"
	"slices"

	"mrsched/model/multitenant"
)

// placer forecasts what jobs use in given racks, on a fluid model of the cluster.
type placer struct {
	in                *multitenant.Instance
	x                 *multitenant.Relaxation
	maps, reduces     []float64 // by rack: slots
	mapper, reducer   []int32   // by rack: its first place with such slots; −1: none
	uplinks           float64   // of all racks, bytes per second; 0: some has no limit
	usable, reducible []int32   // racks with slots
}

// perRack has numbers by rack for map slots, reduce slots, and uplinks out and in.
type perRack struct{ maps, reduces, out, in []float64 }

func newPerRack(n int) perRack {
	return perRack{make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)}
}

func newPlacer(in *multitenant.Instance) *placer {
	n := in.Racks
	p := &placer{in: in, x: in.Relax(), maps: make([]float64, n), reduces: make([]float64, n),
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

// seconds is the time that all uplinks take for bytes.
func (p *placer) seconds(bytes float64) float64 {
	if p.uplinks == 0 {
		return 0
	}
	return bytes / p.uplinks
}

// forecast is what a job is expected to use in a set of racks.
type forecast struct {
	racks        []bool  // where maps run
	counts       []int32 // by rack: reduces
	across, cost float64
	use          perRack // seconds of all slots, bytes on uplinks
	reads        perRack // the part of the bytes that maps read
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

// foresee forecasts a number of racks for maps, with the reduces in proportion to output.
func (p *placer) foresee(j int32, racks []bool, size float64) *forecast {
	n, job := p.in.Racks, &p.x.Jobs[j]
	f := &forecast{racks: racks, use: newPerRack(n), counts: make([]int32, n)}
	output := make([]float64, n)
	for i := range job.Maps {
		m := &job.Maps[i]
		kind, near := &job.Kinds[m.Kind], 0.0
		for _, rack := range m.Racks {
			if racks[rack] {
				near++
			}
		}
		for k, in := range racks {
			rack, away := int32(k), !m.Near(int32(k))
			if !in || near > 0 && away {
				continue
			}
			count := float64(m.Count) / cmp.Or(near, size)
			f.use.maps[rack] += count * p.x.MapTime(kind, &p.x.Places[p.mapper[rack]], away).Seconds()
			output[rack] += count * float64(kind.Output)
			if away {
				f.across += count * float64(kind.Input)
				f.use.in[rack] += count * float64(kind.Input)
				f.use.out[m.Source] += count * float64(kind.Input)
			}
		}
	}
	for k, work := range f.use.maps {
		if work > 0 {
			f.use.maps[k] /= p.maps[k]
		}
	}
	f.reads = f.use
	if job.ReduceCount > 0 {
		p.addReduces(f, job, output)
	}
	return f
}

// addReduces places reduces in proportion to output; without output evenly.
func (p *placer) addReduces(f *forecast, job *multitenant.JobGroups, output []float64) {
	share := make([]float64, len(output))
	for _, k := range p.reducible {
		share[k] = output[k]
	}
	if sum(share) == 0 {
		share = p.reduces
	}
	f.counts = apportion(int32(job.ReduceCount), share)
	f.use.out, f.use.in = slices.Clone(f.use.out), slices.Clone(f.use.in)
	all, volume, each := float64(job.ReduceCount), sum(output), 0.0
	for i := range job.Reduces {
		each += float64(job.Reduces[i].Count) / all * job.Reduces[i].Base / 1e6
	}
	for k, v := range output {
		g := float64(f.counts[k]) / all
		f.across += v * (1 - g)
		f.use.out[k] += v * (1 - g)
		f.use.in[k] += (volume - v) * g
		if n := f.counts[k]; n > 0 {
			f.use.reduces[k] = float64(n) * each / p.in.Speed[p.x.Places[p.reducer[k]].Worker] / p.reduces[k]
		}
	}
}

// work is how many seconds a job would keep all map slots, all reduce slots or all uplinks busy, whichever is largest.
// Its shuffle is assumed to cross racks from all of them.
func (p *placer) work(j int32) float64 {
	job, maps, reduces, most := &p.x.Jobs[j], 0.0, 0.0, 0.0
	for i := range job.Maps {
		maps += float64(job.Maps[i].Count) * job.Kinds[job.Maps[i].Kind].Base / 1e6
	}
	for i := range job.Reduces {
		reduces += float64(job.Reduces[i].Count) * job.Reduces[i].Base / 1e6
	}
	if maps > 0 {
		most = maps / sum(p.maps)
	}
	if reduces > 0 {
		most = max(most, reduces/sum(p.reduces))
	}
	if job.Shuffles {
		most = max(most, p.seconds(float64(job.Volume)*float64(p.in.Racks-1)/float64(p.in.Racks)))
	}
	return most
}

// inverse turns an order into ranks: element k of a permutation becomes the index k.
func inverse(order []int32) []int32 {
	rank := make([]int32, len(order))
	for k, j := range order {
		rank[j] = int32(k)
	}
	return rank
}
