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

// The loads of a rack: the stages of a job, which are its maps, and then its shuffle and reduces; and the uplink.
const (
	mapStage = iota
	lastStage
	outLoad
	inLoad
	loads
)

// margins are by how much longer than alone what crosses racks is expected to take, and all that follows the maps.
// Tasks wait for each other more than the loads say.
type margins struct{ crossing, behind float64 }

// forecast is what a job is expected to use in a set of racks.
type forecast struct {
	racks   []bool           // where maps run
	across  float64          // seconds of all uplinks
	seconds [loads][]float64 // by rack: for how long a stage keeps busy what is slowest there, and the uplink is busy
}

// options are the racks that a job may use, with forecasts: one that holds some of its input, the most first; and two
// of the first three, or as many as hold most of it.
func (p *placer) options(j int32, single bool, m margins) (list []*forecast) {
	held := p.held(j)
	order := slices.Clone(p.usable)
	slices.SortStableFunc(order, func(x, y int32) int { return cmp.Compare(held[y], held[x]) })
	holding := order
	if sum(held) > 0 {
		holding = slices.DeleteFunc(slices.Clone(order), func(k int32) bool { return held[k] == 0 })
	}
	add := func(racks ...int32) { list = append(list, p.foresee(j, racks, m)) }
	if len(holding) == 0 { // without map slots there is no map
		add(holding...)
		return list
	}
	for _, k := range holding {
		add(k)
	}
	if !single {
		for i, k := range order[:min(3, len(order))] {
			for _, l := range order[:i] {
				add(l, k)
			}
		}
		for size := 3; size <= len(order); size = nextSize(size, len(order)) {
			add(order[:size]...)
		}
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

// foresee forecasts some racks for maps, with the reduces in proportion to output. A map runs near its block, if it
// can.
func (p *placer) foresee(j int32, racks []int32, by margins) *forecast {
	n, job := p.in.Racks, &p.x.Jobs[j]
	f := &forecast{racks: make([]bool, n)}
	for _, k := range racks {
		f.racks[k] = true
	}
	for load := range f.seconds {
		f.seconds[load] = make([]float64, n)
	}
	maps, output, across := f.seconds[mapStage], make([]float64, n), 0.0
	for i := range job.Maps {
		m := &job.Maps[i]
		kind, near := &job.Kinds[m.Kind], 0.0
		for _, k := range m.Racks {
			if f.racks[k] {
				near++
			}
		}
		for _, k := range racks {
			away := !m.Near(k)
			if near > 0 && away {
				continue
			}
			count := float64(m.Count) / cmp.Or(near, float64(len(racks)))
			maps[k] += count * p.x.MapTime(kind, &p.x.Places[p.mapper[k]], away).Seconds() / p.maps[k]
			output[k] += count * float64(kind.Output)
			if away {
				across += count * float64(kind.Input)
				f.seconds[inLoad][k] += p.onUplink(k, count*float64(kind.Input))
				f.seconds[outLoad][m.Source] += p.onUplink(m.Source, count*float64(kind.Input))
			}
		}
	}
	for k := range maps {
		maps[k] = max(maps[k], by.crossing*max(f.seconds[outLoad][k], f.seconds[inLoad][k]))
	}
	if job.ReduceCount > 0 {
		across += p.foreseeLast(job, output, by, f)
	}
	if p.uplinks > 0 {
		f.across = across / p.uplinks
	}
	return f
}

// foreseeLast sets for how long the slowest of the uplinks, the links inside and the reduce slots of each rack are busy
// if reduces lie in proportion to output, or evenly without output. It returns the bytes that cross racks.
func (p *placer) foreseeLast(job *multitenant.JobGroups, output []float64, by margins, f *forecast) (across float64) {
	share := make([]float64, len(output))
	for _, k := range p.reducible {
		share[k] = output[k]
	}
	if sum(share) == 0 {
		share = p.reduces
	}
	all, volume, each := float64(job.ReduceCount), sum(output), 0.0
	for i := range job.Reduces {
		each += float64(job.Reduces[i].Count) / all * job.Reduces[i].Base / 1e6
	}
	for k, n := range apportion(int32(job.ReduceCount), share) {
		part := float64(n) / all
		across += output[k] * (1 - part)
		out, in := p.onUplink(int32(k), output[k]*(1-part)), p.onUplink(int32(k), (volume-output[k])*part)
		f.seconds[outLoad][k] += out
		f.seconds[inLoad][k] += in
		last := by.crossing * max(out, in)
		if u := float64(p.in.Fabric[k]); u > 0 {
			last = max(last, volume*part/u)
		}
		if n > 0 {
			last = max(last, float64(n)*each/p.in.Speed[p.x.Places[p.reducer[k]].Worker]/p.reduces[k])
		}
		f.seconds[lastStage][k] = by.behind * last
	}
	return across
}

// onUplink is for how long a rack's uplink carries bytes, in seconds.
func (p *placer) onUplink(rack int32, bytes float64) float64 {
	if u := float64(p.in.Uplink[rack]); u > 0 {
		return bytes / u
	}
	return 0
}

// inverse turns an order into ranks: element k of a permutation becomes the index k.
func inverse(order []int32) []int32 {
	rank := make([]int32, len(order))
	for k, j := range order {
		rank[j] = int32(k)
	}
	return rank
}
