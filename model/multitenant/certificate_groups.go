package multitenant

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"mrsched/model"
)

// Relaxation is the bounds' view of the instance: the cluster by racks, and each job by groups of identical tasks.
// Prices says what is relaxed.
type Relaxation struct {
	in     *Instance
	Places []Place
	// AtRack lists the places of a rack, PlaceOf is that of a worker.
	AtRack  [][]int32
	PlaceOf []int32
	Jobs    []JobGroups
	// Capacity is by resource: slots at a place, bytes a second over a link; 0: none, or a link without a limit. Resources
	// are numbered: map slots by place, reduce slots by place, uplinks out by rack, uplinks in, nodes' links.
	Capacity []int64
	// Loads bounds the number of transfers over any link: one for each map that may read over it, one for each reduce
	// that fetches or writes.
	Loads int64
}

// Place is the workers of a rack that have the same speed and bandwidth.
type Place struct {
	Rack, Worker          int32 // Worker is the first of them
	MapSlots, ReduceSlots int64 // of all of them
}

// MapKind describes similar maps of a job. They differ by less than a part in 2^(grain−1); the numbers are their least
// ones.
type MapKind struct {
	Base          float64 // microseconds of computing at speed 1
	Input, Output model.Bytes
	Reach         int64 // the uplink of the racks that they read from; 0: without limit
}

// MapGroup is a number of maps of a kind whose blocks lie in the same racks.
type MapGroup struct {
	Kind   int32 // of the job's
	Source int32 // the rack from which others read; −1 without replicas
	Count  int64
	Racks  []int32 // with replicas, ascending; none: it may run anywhere
}

// ReduceGroup is a number of reduces of a job that compute the same.
type ReduceGroup struct {
	Count int64
	Base  float64
}

// JobGroups is a job: its groups, and their least times.
type JobGroups struct {
	Kinds                 []MapKind
	Maps                  []MapGroup
	Reduces               []ReduceGroup
	MapCount, ReduceCount int64
	LeastMap, LeastReduce model.Time // the shortest task on the fastest worker
	MapsTake, ReducesTake model.Time // all of them together, on the whole cluster
	// slots all reduces together, fetching counted, from the end of the job's first map on
	ReducesHold     model.Time
	Reads, Shuffles bool // whether a map may have to read from afar; whether reduces fetch
	Volume          model.Bytes

	MapsFrom, MapsUntil       model.Time // no map starts before, and the last one does not end before
	ReducesFrom, ReducesUntil model.Time // of reduces
}

// empty reports whether a job has no tasks, and thus no end.
func (j *JobGroups) empty() bool { return j.MapCount+j.ReduceCount == 0 }

// grain is the number of leading bits up to which sizes and times count as equal, which costs bounds less than 1/2^15.
const grain = 16

// Relax groups the tasks, once.
func (in *Instance) Relax() *Relaxation {
	in.relaxOnce.Do(func() { in.relaxed = in.relax() })
	return in.relaxed
}

func (in *Instance) relax() *Relaxation {
	x := &Relaxation{in: in, AtRack: make([][]int32, in.Racks), Jobs: make([]JobGroups, in.Jobs)}
	x.findPlaces()
	g := grouper{in: in, sets: map[string]rackSet{}}
	for j := range int32(in.Jobs) {
		job := &x.Jobs[j]
		job.Volume, job.MapCount, job.ReduceCount = in.Shuffled[j], int64(in.FirstMap[j+1]-in.FirstMap[j]),
			int64(in.Reduces(j))
		job.Reduces = g.reduces(j)
		g.maps(j, job)
		job.Shuffles = job.Volume > 0 && job.ReduceCount > 0
		for i := range job.Maps {
			m := &job.Maps[i]
			if job.Kinds[m.Kind].Input == 0 || len(m.Racks) == 0 {
				continue
			}
			x.Loads += m.Count // also those that read in their own rack
			job.Reads = job.Reads || x.mayRead(m)
		}
		if job.Shuffles || in.Writing() {
			x.Loads += job.ReduceCount
		}
		x.times(job)
		x.releases(j, job)
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
	at := map[key]int32{}
	x.PlaceOf = make([]int32, in.Workers)
	for w := range int32(in.Workers) {
		k := key{in.RackOf[w], in.Speed[w], in.Bandwidth[w]}
		p, ok := at[k]
		if !ok {
			p = int32(len(x.Places))
			at[k] = p
			x.Places = append(x.Places, Place{Rack: k.rack, Worker: w})
			x.AtRack[k.rack] = append(x.AtRack[k.rack], p)
		}
		x.PlaceOf[w] = p
	}
	for s, w := range in.WorkerOf {
		if in.SlotKind[s] == model.Map {
			x.Places[x.PlaceOf[w]].MapSlots++
		} else {
			x.Places[x.PlaceOf[w]].ReduceSlots++
		}
	}
	for _, p := range x.Places {
		x.Capacity = append(x.Capacity, p.MapSlots)
	}
	for _, p := range x.Places {
		x.Capacity = append(x.Capacity, p.ReduceSlots)
	}
	x.Capacity = slices.Concat(x.Capacity, in.Uplink, in.Uplink, in.Fabric)
}

// grouper finds similar tasks.
type grouper struct {
	in   *Instance
	sets map[string]rackSet
	text []byte
}

// mapKey is what maps of a group have in common.
type mapKey struct {
	set    string
	source int32
	kind   int32
}

// maps groups the maps of a job.
func (g *grouper) maps(j int32, job *JobGroups) {
	in := g.in
	at, kinds := map[mapKey]int32{}, map[MapKind]int32{}
	var racks []int32
	for t := in.FirstMap[j]; t < in.FirstMap[j+1]; t++ {
		racks = racks[:0]
		key := mapKey{source: model.None}
		kind := MapKind{roughly(in.base[t]), rough(in.Input[t]), rough(in.Output[t]), 0}
		if replicas := in.Replicas(t); len(replicas) > 0 {
			key.source = in.RackOf[in.awaySource(t)]
			kind.Reach = in.Uplink[key.source]
			for _, w := range replicas {
				racks = append(racks, in.RackOf[w])
			}
			slices.Sort(racks)
			racks = slices.Compact(racks)
		}
		var known bool
		if key.kind, known = kinds[kind]; !known {
			key.kind = int32(len(job.Kinds))
			kinds[kind] = key.kind
			job.Kinds = append(job.Kinds, MapKind{in.base[t], in.Input[t], in.Output[t], kind.Reach})
		}
		k := &job.Kinds[key.kind]
		k.Base, k.Input, k.Output = min(k.Base, in.base[t]), min(k.Input, in.Input[t]), min(k.Output, in.Output[t])
		set, name := g.set(racks)
		key.set = name
		i, known := at[key]
		if !known {
			i = int32(len(job.Maps))
			at[key] = i
			job.Maps = append(job.Maps, MapGroup{Kind: key.kind, Source: key.source, Racks: set})
		}
		job.Maps[i].Count++
	}
}

// set keeps one copy of equal sets of racks, with a name.
func (g *grouper) set(racks []int32) ([]int32, string) {
	g.text = g.text[:0]
	for _, k := range racks {
		g.text = binary.LittleEndian.AppendUint32(g.text, uint32(k))
	}
	s, ok := g.sets[string(g.text)]
	if !ok {
		s = rackSet{string(g.text), slices.Clone(racks)}
		g.sets[s.name] = s
	}
	return s.racks, s.name
}

type rackSet struct {
	name  string
	racks []int32
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

// awaySource is the worker from which a map reads outside its replicas' racks.
func (in *Instance) awaySource(task int32) int32 {
	replicas := in.Replicas(task)
	return replicas[int(task)%len(replicas)]
}

// times sets the least times of a job's tasks. After the last map of a job has ended all its reduces compute, each for
// at least its time, and on no more slots than there are.
func (x *Relaxation) times(job *JobGroups) {
	maps, reduces := x.newPhase(func(p *Place) int64 { return p.MapSlots }),
		x.newPhase(func(p *Place) int64 { return p.ReduceSlots })
	for i := range job.Maps {
		maps.add(job.Maps[i].Count, job.Kinds[job.Maps[i].Kind].Base)
	}
	for i := range job.Reduces {
		reduces.add(job.Reduces[i].Count, job.Reduces[i].Base)
	}
	job.LeastMap, job.MapsTake = maps.shortest, maps.takes()
	job.LeastReduce, job.ReducesTake = reduces.shortest, reduces.takes()
	if job.Shuffles {
		holds := x.newPhase(func(p *Place) int64 { return p.ReduceSlots })
		for i := range job.Reduces {
			holds.put(job.Reduces[i].Count, x.hold(job, &job.Reduces[i]))
		}
		job.ReducesHold = holds.takes()
	}
}

// hold is the least time in which a reduce of a group fetches and computes at the fastest place, over an otherwise idle
// link and less what Check tolerates.
func (x *Relaxation) hold(job *JobGroups, r *ReduceGroup) model.Time {
	least := never
	for i := range x.Places {
		if p := &x.Places[i]; p.ReduceSlots > 0 {
			fetch := transfer(max(0, job.Volume/model.Bytes(job.ReduceCount)-1), x.in.Bandwidth[p.Worker])
			least = min(least, max(0, fetch-linkSlack)+x.ReduceTime(r, p))
		}
	}
	return least
}

// phase is a number of tasks that run together.
type phase struct {
	x                      *Relaxation
	fastest                *Place
	slots, sum             int64 // New has checked that times add up
	shortest, longest, one model.Time
	base                   float64
	some                   bool
}

func (x *Relaxation) newPhase(slots func(p *Place) int64) *phase {
	f := &phase{x: x, base: -1}
	speed := 0.0
	for i := range x.Places {
		if n := slots(&x.Places[i]); n > 0 {
			f.slots += n
			if v := x.in.Speed[x.Places[i].Worker]; v > speed {
				speed, f.fastest = v, &x.Places[i]
			}
		}
	}
	return f
}

// add adds tasks with a base time, each where it is fastest.
func (f *phase) add(count int64, base float64) {
	if base != f.base {
		f.base, f.one = base, f.x.compute(base, f.fastest)
	}
	f.put(count, f.one)
}

// put adds tasks that each take some time.
func (f *phase) put(count int64, one model.Time) {
	if !f.some || one < f.shortest {
		f.shortest, f.some = one, true
	}
	f.longest = max(f.longest, one)
	f.sum += count * int64(one)
}

// takes is the least time for which they run.
func (f *phase) takes() model.Time {
	if !f.some {
		return 0
	}
	return max(f.longest, model.Time((f.sum+f.slots-1)/f.slots))
}

// compute is the computing time of a task at a place.
func (x *Relaxation) compute(base float64, p *Place) model.Time {
	return model.Time(math.Round(base / x.in.Speed[p.Worker]))
}

// MapTime is the least time that a map of a kind holds a slot at a place: it computes and, away from its replicas'
// racks, first reads over otherwise idle links.
func (x *Relaxation) MapTime(m *MapKind, p *Place, away bool) model.Time {
	held := x.compute(m.Base, p)
	if away {
		held += max(transfer(m.Input, x.in.Bandwidth[p.Worker]), transfer(m.Input, m.Reach),
			transfer(m.Input, x.in.Uplink[p.Rack]))
	}
	return held
}

// Near reports whether a rack has the blocks that maps of a group read.
func (m *MapGroup) Near(rack int32) bool { return len(m.Racks) == 0 || slices.Contains(m.Racks, rack) }

// ReduceTime is how long a reduce of a group computes at a place.
func (x *Relaxation) ReduceTime(r *ReduceGroup, p *Place) model.Time { return x.compute(r.Base, p) }

// Alone is when a job ends at the earliest: all its maps, then all its reduces; not before a first map has ended and
// its reduces have then fetched, each over its own worker's link, and computed; and not before any of its reduces can.
func (x *Relaxation) Alone(j int32) model.Time {
	job := &x.Jobs[j]
	return max(job.MapsUntil+job.ReducesTake, job.MapsFrom+job.LeastMap+job.ReducesHold, job.ReducesUntil)
}
