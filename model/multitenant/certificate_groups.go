package multitenant

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"mrsched/model"
)

// Relaxation is what the bounds look at: the cluster by racks, and each job by groups of tasks that are alike. Prices
// says what is relaxed.
type Relaxation struct {
	in     *Instance
	Places []Place
	// AtRack lists the places of a rack.
	AtRack [][]int32
	Jobs   []JobGroups
	// Loads is how many things cross any link at most: one a map that may read over it, one a reduce that fetches.
	Loads int64
}

// Place is the workers of a rack that have the same speed and bandwidth.
type Place struct {
	Rack, Worker          int32 // Worker is the first of them
	MapSlots, ReduceSlots int64 // of all of them
}

// MapGroup is a number of maps of a job that read what lies in the same racks. They differ by less than a part in
// 2^(grain−1); the numbers are the least of theirs.
type MapGroup struct {
	Count         int64
	Base          float64 // microseconds of computing at speed 1
	Input, Output model.Bytes
	Racks         []int32 // with replicas, ascending; none: it may run anywhere
	Source        int32   // the rack from which the others read
}

// ReduceGroup is a number of reduces of a job that compute the same.
type ReduceGroup struct {
	Count int64
	Base  float64
}

// JobGroups is a job: its groups, and what they take at least.
type JobGroups struct {
	Maps                  []MapGroup
	Reduces               []ReduceGroup
	MapCount, ReduceCount int64
	LeastMap, LeastReduce model.Time // the shortest task where it is fastest
	MapsTake, ReducesTake model.Time // all of them together, on the whole cluster
	Reads, Shuffles       bool       // whether a map may have to read from afar; whether reduces fetch
	Volume                model.Bytes
}

// grain is the number of leading bits up to which sizes and times count as alike: bounds lose less than 1/2^15 by that.
const grain = 16

// Relax groups the tasks, once.
func (in *Instance) Relax() *Relaxation {
	in.relaxOnce.Do(func() { in.relaxed = in.relax() })
	return in.relaxed
}

func (in *Instance) relax() *Relaxation {
	x := &Relaxation{in: in, AtRack: make([][]int32, in.Racks), Jobs: make([]JobGroups, in.Jobs)}
	x.findPlaces()
	g := grouper{in: in, sets: map[string][]int32{}}
	for j := range int32(in.Jobs) {
		job := &x.Jobs[j]
		job.Volume, job.MapCount, job.ReduceCount = in.Shuffled[j], int64(in.FirstMap[j+1]-in.FirstMap[j]), int64(in.Reduces(j))
		job.Maps, job.Reduces = g.maps(j), g.reduces(j)
		job.Shuffles = job.Volume > 0 && job.ReduceCount > 0
		for i := range job.Maps {
			m := &job.Maps[i]
			if m.Input > 0 && x.mayRead(m) {
				job.Reads = true
			}
			if m.Input > 0 && len(m.Racks) > 0 { // from its own rack, too
				x.Loads += m.Count
			}
		}
		if job.Shuffles {
			x.Loads += job.ReduceCount
		}
		x.times(job)
	}
	return x
}

// mayRead says whether maps of a group may run in a rack without a replica.
func (x *Relaxation) mayRead(m *MapGroup) bool {
	if len(m.Racks) == 0 {
		return false
	}
	for i := range x.Places {
		if _, near := slices.BinarySearch(m.Racks, x.Places[i].Rack); !near && x.Places[i].MapSlots > 0 {
			return true
		}
	}
	return false
}

// findPlaces sorts workers into places.
func (x *Relaxation) findPlaces() {
	type key struct {
		rack      int32
		speed     float64
		bandwidth int64
	}
	in := x.in
	at, of := map[key]int32{}, make([]int32, in.Workers)
	for w := range int32(in.Workers) {
		k := key{in.RackOf[w], in.Speed[w], in.Bandwidth[w]}
		p, ok := at[k]
		if !ok {
			p = int32(len(x.Places))
			at[k] = p
			x.Places = append(x.Places, Place{Rack: k.rack, Worker: w})
			x.AtRack[k.rack] = append(x.AtRack[k.rack], p)
		}
		of[w] = p
	}
	for s, w := range in.WorkerOf {
		if in.SlotKind[s] == model.Map {
			x.Places[of[w]].MapSlots++
		} else {
			x.Places[of[w]].ReduceSlots++
		}
	}
}

// grouper finds tasks that are alike.
type grouper struct {
	in   *Instance
	sets map[string][]int32 // sets of racks
	text []byte
}

// mapKey is what maps of a group have in common.
type mapKey struct {
	set           string
	source        int32
	base          float64
	input, output model.Bytes
}

func (g *grouper) maps(j int32) []MapGroup {
	in := g.in
	at, list := map[mapKey]int32{}, []MapGroup(nil)
	var racks []int32
	last, lastKey := int32(-1), mapKey{}
	for t := in.FirstMap[j]; t < in.FirstMap[j+1]; t++ {
		racks = racks[:0]
		source := int32(model.None)
		if replicas := in.Replicas(t); len(replicas) > 0 {
			source = in.RackOf[in.awaySource(t)]
			for _, w := range replicas {
				racks = append(racks, in.RackOf[w])
			}
			slices.Sort(racks)
			racks = slices.Compact(racks)
		}
		g.text = g.text[:0]
		for _, k := range racks {
			g.text = binary.LittleEndian.AppendUint32(g.text, uint32(k))
		}
		key := mapKey{"", source, roughly(in.base[t]), rough(in.Input[t]), rough(in.Output[t])}
		if last >= 0 && string(g.text) == lastKey.set {
			key.set = lastKey.set
		} else {
			key.set = string(g.text)
		}
		k, ok := last, key == lastKey
		if !ok || last < 0 {
			if k, ok = at[key]; !ok {
				k = int32(len(list))
				at[key] = k
				list = append(list, MapGroup{Base: in.base[t], Input: in.Input[t], Output: in.Output[t], Racks: g.set(key.set, racks), Source: source})
			}
		}
		last, lastKey = k, key
		m := &list[k]
		m.Count, m.Base, m.Input, m.Output = m.Count+1, min(m.Base, in.base[t]), min(m.Input, in.Input[t]), min(m.Output, in.Output[t])
	}
	return list
}

// set keeps one copy of equal sets of racks.
func (g *grouper) set(key string, racks []int32) []int32 {
	if s, ok := g.sets[key]; ok {
		return s
	}
	s := slices.Clone(racks)
	g.sets[key] = s
	return s
}

func (g *grouper) reduces(j int32) []ReduceGroup {
	in := g.in
	at, list := map[float64]int{}, []ReduceGroup(nil)
	for t := in.FirstReduce(j); t < in.FirstReduce(j)+in.Reduces(j); t++ {
		b := in.base[t]
		k, ok := at[b]
		if !ok {
			k = len(list)
			at[b] = k
			list = append(list, ReduceGroup{Base: b})
		}
		list[k].Count++
	}
	return list
}

// rough keeps the leading bits of a size.
func rough(b model.Bytes) model.Bytes {
	drop := max(0, bits.Len64(uint64(b))-grain)
	return b >> drop << drop
}

// roughly keeps the leading bits of a number.
func roughly(v float64) float64 {
	f, e := math.Frexp(v)
	return math.Ldexp(math.Floor(math.Ldexp(f, grain)), e-grain)
}

// awaySource is the worker from which a map reads off its replicas' racks.
func (in *Instance) awaySource(task int32) int32 {
	replicas := in.Replicas(task)
	return replicas[int(task)%len(replicas)]
}

// times sets what a job's tasks take at least. After the last map of a job has ended all its reduces compute, each for
// at least its time, and on no more slots than there are.
func (x *Relaxation) times(job *JobGroups) {
	least := func(base float64, slots func(p *Place) int64) model.Time {
		t := model.Time(math.MaxInt64)
		for i := range x.Places {
			if p := &x.Places[i]; slots(p) > 0 {
				t = min(t, x.compute(base, p))
			}
		}
		return t
	}
	together := func(n int64, each func(i int) (int64, float64), slots func(p *Place) int64) (shortest, all model.Time) {
		sum, count := int64(0), int64(0) // New has seen to it that times add up
		for i := range x.Places {
			count += slots(&x.Places[i])
		}
		for i := range int(n) {
			number, base := each(i)
			t := least(base, slots)
			if i == 0 || t < shortest {
				shortest = t
			}
			all = max(all, t)
			sum += number * int64(t)
		}
		if count > 0 {
			all = max(all, model.Time((sum+count-1)/count))
		}
		return shortest, all
	}
	job.LeastMap, job.MapsTake = together(int64(len(job.Maps)), func(i int) (int64, float64) { return job.Maps[i].Count, job.Maps[i].Base },
		func(p *Place) int64 { return p.MapSlots })
	job.LeastReduce, job.ReducesTake = together(int64(len(job.Reduces)), func(i int) (int64, float64) { return job.Reduces[i].Count, job.Reduces[i].Base },
		func(p *Place) int64 { return p.ReduceSlots })
}

// compute is what a task computes at a place.
func (x *Relaxation) compute(base float64, p *Place) model.Time {
	return model.Time(math.Round(base / x.in.Speed[p.Worker]))
}

// MapTime is for how long a map of a group holds a slot at a place at least: it computes and, where no replica is near,
// reads first over links that nobody else uses. Away says so.
func (x *Relaxation) MapTime(m *MapGroup, p *Place) (held model.Time, away bool) {
	held = x.compute(m.Base, p)
	if len(m.Racks) == 0 {
		return held, false
	}
	if _, near := slices.BinarySearch(m.Racks, p.Rack); near {
		return held, false
	}
	in := x.in
	return held + max(transfer(m.Input, in.Bandwidth[p.Worker]), transfer(m.Input, in.Uplink[m.Source]), transfer(m.Input, in.Uplink[p.Rack])), true
}

// ReduceTime is what a reduce of a group computes at a place.
func (x *Relaxation) ReduceTime(r *ReduceGroup, p *Place) model.Time { return x.compute(r.Base, p) }

// Alone is when a job ends at the earliest: arrival, all its maps, then all its reduces.
func (x *Relaxation) Alone(j int32) model.Time {
	job := &x.Jobs[j]
	return x.in.Arrival[j] + job.MapsTake + job.ReducesTake
}
