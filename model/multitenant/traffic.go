package multitenant

import (
	"math"
	"math/big"
	"math/bits"

	"mrsched/model"
)

// Flows says where the data of a schedule lies and moves.
type Flows struct {
	in *Instance
	// Output is what a job's maps put out in a rack, First when the first map that puts out anything there ends; by job,
	// then by rack.
	Output []model.Bytes
	First  []model.Time
	// Reducers are the reduces of a job in a rack; by job, then by rack.
	Reducers []int32
	// Counts are maps by Locality; Read is what maps outside their replicas' racks read across racks.
	Counts [3]int
	Read   model.Bytes
	// MapsEnd is when the last map of a job ends; its arrival if it has none.
	MapsEnd []model.Time
}

// Flows computes the flows of a schedule.
func (in *Instance) Flows(s *model.Schedule) *Flows {
	n := in.Jobs * in.Racks
	f := &Flows{in: in, Output: make([]model.Bytes, n), First: make([]model.Time, n),
		Reducers: make([]int32, n), MapsEnd: append([]model.Time(nil), in.Arrival...)}
	for k := range f.First {
		f.First[k] = math.MaxInt64
	}
	for i := range s.Entries {
		e := &s.Entries[i]
		t, w := int32(e.Task), in.WorkerOf[e.Machine]
		j := in.JobOf(t)
		k := int(j)*in.Racks + int(in.RackOf[w])
		if !in.IsMap(t) {
			f.Reducers[k]++
			continue
		}
		if f.MapsEnd[j] = max(f.MapsEnd[j], e.End); in.Output[t] > 0 {
			f.Output[k], f.First[k] = f.Output[k]+in.Output[t], min(f.First[k], e.End)
		}
		near := in.Locality(t, w)
		f.Counts[near]++
		if near == model.Remote {
			f.Read += in.Input[t]
		}
	}
	return f
}

// move is what a task moves from rack to rack within a window.
type move struct {
	from, to     int32
	start, until model.Time
	bytes        float64
	fetched      bool // by a reduce
}

// moves lists what a row's task moves. A map's input moves from its start until it computes. What a reduce fetches from
// a rack moves from that rack's first output and the reduce's start until the reduce computes; what it writes, after
// that.
func (in *Instance) moves(e *model.Entry, f *Flows, each func(m move)) {
	t, w := int32(e.Task), in.WorkerOf[e.Machine]
	rack, until := in.RackOf[w], e.End-in.Work(t, w)
	if in.IsMap(t) {
		if in.Locality(t, w) != model.NodeLocal {
			each(move{in.RackOf[in.Source(t, w)], rack, e.Start, until, float64(in.Input[t]), false})
		}
		return
	}
	j := in.JobOf(t)
	if bytes := in.Writes(t); bytes > 0 {
		from := max(e.Start, f.MapsEnd[j]) + in.Compute(t, w)
		each(move{rack, in.CopyRack(t, rack), from, e.End, float64(bytes), false})
	}
	for a := range int32(in.Racks) {
		if k := int(j)*in.Racks + int(a); f.Output[k] > 0 {
			bytes := float64(f.Output[k]) / float64(in.Reduces(j))
			each(move{a, rack, max(e.Start, f.First[k]), until, bytes, true})
		}
	}
}

// Crossing is what a job's shuffle moves across racks, Σ_a O_a·(R − R_a)/R, in bytes.
func (f *Flows) Crossing(job int32) *big.Rat {
	in := f.in
	sum, r := new(big.Int), int64(in.Reduces(job))
	if r == 0 {
		return new(big.Rat)
	}
	x := new(big.Int)
	for k := int(job) * in.Racks; k < (int(job)+1)*in.Racks; k++ {
		if f.Output[k] > 0 && int64(f.Reducers[k]) < r {
			x.SetInt64(int64(f.Output[k]))
			sum.Add(sum, x.Mul(x, big.NewInt(r-int64(f.Reducers[k]))))
		}
	}
	return new(big.Rat).SetFrac(sum, big.NewInt(r))
}

// Shuffle is what all shuffles move across racks.
func (f *Flows) Shuffle() *big.Rat {
	sum := new(big.Rat)
	for j := range int32(f.in.Jobs) {
		sum.Add(sum, f.Crossing(j))
	}
	return sum
}

// ReadTime is the least time in which a map on a worker gets its block: 0 at a replica, else over the slower of the
// otherwise idle links.
func (in *Instance) ReadTime(task, worker int32) model.Time {
	near := in.Locality(task, worker)
	if near == model.NodeLocal {
		return 0
	}
	least := transfer(in.Input[task], in.Bandwidth[worker])
	if near == model.Remote {
		from := in.Source(task, worker)
		least = max(least, transfer(in.Input[task], in.Uplink[in.RackOf[from]]),
			transfer(in.Input[task], in.Uplink[in.RackOf[worker]]))
	}
	return least
}

// transfer is the time that bytes take over a link, rounded down to a microsecond, and at most model.MaxHorizon; 0 if
// the link has no limit.
func transfer(bytes model.Bytes, rate int64) model.Time {
	if rate == 0 {
		return 0
	}
	high, low := bits.Mul64(uint64(bytes), uint64(model.Second))
	if high >= uint64(rate) {
		return model.MaxHorizon
	}
	least, _ := bits.Div64(high, low, uint64(rate))
	return model.Time(min(least, uint64(model.MaxHorizon)))
}
