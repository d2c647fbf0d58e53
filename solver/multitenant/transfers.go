package multitenant

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/multitenant"
	"mrsched/solver/sim"
)

// Steps of the network. Without them every transfer begins and ends at its exact microsecond, and nearly every one
// needs a new filling, which takes time quadratic in the racks.
const (
	exactWork = 5_000_000 // tasks·racks² up to which there are no steps
	step      = model.Second / 10
	longStep  = model.Second / 2
	manyRacks = 24 // more racks have long steps
)

// rounds is the number of parts in which fetching reduces receive the output of maps.
const rounds = 32

// transfers are the flows on the network: reads of maps, shuffles, and writes of reduces.
//
// Reduces fetch in cohorts: those of one job that start within one step, in one rack, on workers of one bandwidth. A
// cohort of n has one flow of weight n from each rack with output for it. The flow carries the output of the job's maps
// there up to the last round, less what has been sent. A round begins whenever another 1/32 of the job's maps have
// ended, and when all have. So a flow changes at most about thirty times, whatever the number of maps and seconds.
//
// The checker accepts the resulting schedules because the flows are one way to carry what it requires. Its windows open
// when a reduce has started and the rack's first map has ended; before that a flow has nothing to send. They close when
// the reduce computes, after all its flows. Each reduce fetches 1/R of a rack's output, rounded up to a byte, and no
// link exceeds its rate. Rounds and steps only delay data.
//
// The reduces of a cohort share links equally with all other flows. The flows from all racks together may exceed the
// link of a reduce's own worker, so fetching also takes at least the time that this link needs alone.
type transfers struct {
	in   *multitenant.Instance
	net  *sim.Network
	step model.Time
	done []sim.Completion

	reads     []int32 // slots of maps that will read from the next step on
	fetches   []int32 // slots of reduces that will fetch from the next step on
	writes    []int32 // slots of reduces that will write from the next step on
	announced []*job  // jobs with a round
	scheduled bool    // a transferEvent is pending

	cohorts []*cohort
	free    []int32
	lines   [][]*cohort // by rack: the fetching cohorts by begin, if the plan lets them wait in line
}

// shuffle is the progress of a job's fetches.
type shuffle struct {
	cohorts []*cohort
	idle    []int32 // slots of reduces that have nothing to fetch, until the maps end
	next    int32   // number of ended maps at which the next round begins
	due     bool    // a round waits for the next step
}

// cohort is a set of reduces that fetch together.
type cohort struct {
	index  int32
	job    *job
	rack   int32
	limit  int64 // bytes a second of each one's worker; 0: none
	slots  []int32
	flows  []sim.FlowID  // by rack
	sent   []model.Bytes // by rack: bytes that flows were started with
	active int           // flows
	link   model.Time    // when the workers' own links can have carried all data
	last   bool          // no further output will come
}

// openNetwork makes the network of the instance. Errors are *model.InputError: a link is too slow for the possible
// number of flows.
func (s *simulation) openNetwork() error {
	in := s.in
	var top sim.Topology
	rates := func(list []int64) (all []sim.Rate) {
		for _, r := range list {
			rate := sim.MaxRate
			if r > 0 && r < int64(sim.MaxRate/sim.BytePerSecond) {
				rate = sim.Rate(r) * sim.BytePerSecond
			}
			all = append(all, rate)
		}
		return all
	}
	uplinks, fabric := rates(in.Uplink), rates(in.Fabric)
	top[sim.RackOut], top[sim.RackIn] = uplinks, uplinks
	if slices.Max(in.Fabric) > 0 {
		top[sim.PoolDown] = fabric
	}
	// Each flow on a link must get one unit of rate, or none of them gets anything.
	most, narrowest, found := len(in.MapSlots)+len(in.ReduceSlots)*in.Racks, sim.MaxRate, model.Findings{}
	for rack := range int32(in.Racks) {
		least := min(uplinks[rack], fabric[rack])
		if narrowest = min(narrowest, least); least < sim.Rate(most) {
			found.Add(model.Finding{Code: model.CodeOverflow, Pos: in.RackPosition(rack),
				What: fmt.Sprintf("a link of rack %q gives each of up to %d transfers less than 1/1024 byte per second",
					in.RackName(rack), most),
				Expected: "more bandwidth, or fewer slots", Hint: "is bandwidth_bytes_per_s in bytes per second?"})
		}
	}
	if err := found.Err(); err != nil {
		return err
	}
	s.t = transfers{in: in, net: sim.New(top)}
	s.t.coarsen(stepFor(in))
	weighable := int64(narrowest)/int64(most) >= lineFactor && most <= math.MaxInt32/lineFactor
	if s.c.plan != nil && s.c.plan.inLine && weighable {
		s.t.lines = make([][]*cohort, in.Racks)
	}
	s.n = newNetsat(in.Racks)
	return nil
}

// stepFor is the step of an instance; a microsecond means none.
func stepFor(in *multitenant.Instance) model.Time {
	switch {
	case int64(in.Tasks) <= exactWork/(int64(in.Racks)*int64(in.Racks)):
		return 1
	case in.Racks > manyRacks:
		return longStep
	}
	return step
}

func (t *transfers) coarsen(step model.Time) {
	t.step = step
	t.net.Coarsen(step)
}

// beginMap starts computing, or reading first.
func (s *simulation) beginMap(task, slot int32) {
	if s.in.Locality(task, s.in.WorkerOf[slot]) == model.NodeLocal {
		s.compute(slot, s.now)
		return
	}
	s.t.reads = append(s.t.reads, slot)
}

// beginReduce starts fetching; without any output it waits for the maps.
func (s *simulation) beginReduce(j *job, slot int32) {
	switch {
	case s.in.Shuffled[j.id] > 0:
		s.t.fetches = append(s.t.fetches, slot)
		if j.fetching != nil {
			j.fetching[s.in.RackOf[s.in.WorkerOf[slot]]]++
		}
	case j.mapsEnded == j.maps:
		s.compute(slot, s.now)
	default:
		j.shuffle.idle = append(j.shuffle.idle, slot)
	}
}

// compute starts the computation of a slot's task at a time.
func (s *simulation) compute(slot int32, from model.Time) {
	s.events.Push(from+s.in.Compute(s.running[slot], s.in.WorkerOf[slot]), endEvent, slot)
}

// announce starts a round if one is due: fetching reduces learn of the maps' output.
func (s *simulation) announce(j *job) {
	x, over := &j.shuffle, j.mapsEnded == j.maps
	if over {
		for _, slot := range x.idle {
			s.compute(slot, s.now)
		}
		x.idle = nil
	}
	if !over && j.mapsEnded < x.next {
		return
	}
	x.next = j.mapsEnded + (j.maps+rounds-1)/rounds
	if !x.due && len(x.cohorts) > 0 {
		x.due = true
		s.t.announced = append(s.t.announced, j)
	}
}

// beginTransfers changes the flows now or at the next step.
func (s *simulation) beginTransfers() {
	t := &s.t
	if len(t.reads)+len(t.fetches)+len(t.writes)+len(t.announced) == 0 {
		return
	}
	if late := s.now % t.step; late != 0 {
		if !t.scheduled {
			t.scheduled = true
			s.events.Push(s.now-late+t.step, transferEvent, 0)
		}
		return
	}
	s.n.changed(s)
	for _, j := range t.announced {
		j.shuffle.due = false
		for _, c := range slices.Clone(j.shuffle.cohorts) { // extending a cohort for the last time removes it
			s.extend(c)
		}
	}
	t.announced = t.announced[:0]
	s.gather()
	for _, slot := range t.reads {
		task, w := s.running[slot], t.in.WorkerOf[slot]
		s.flow(t.in.RackOf[t.in.Source(task, w)], t.in.RackOf[w],
			sim.Flow{Weight: 1, Limit: sim.Rate(t.in.Bandwidth[w]), Volume: t.in.Input[task], Tag: int64(slot)})
	}
	t.reads = t.reads[:0]
	for _, slot := range t.writes {
		task, w := s.running[slot], t.in.WorkerOf[slot]
		rack := t.in.RackOf[w]
		s.flow(rack, t.in.CopyRack(task, rack),
			sim.Flow{Weight: 1, Limit: sim.Rate(t.in.Bandwidth[w]), Volume: t.in.Writes(task), Tag: -1 - int64(slot)})
	}
	t.writes = t.writes[:0]
}

// flow starts a flow from rack to rack. Limit is in bytes per second.
func (s *simulation) flow(from, to int32, f sim.Flow) sim.FlowID {
	weight := s.t.weight()
	f.From, f.To = from, to
	f.Weight, f.Limit = f.Weight*weight, f.Limit*sim.BytePerSecond/sim.Rate(weight)
	return s.t.net.Start(f)
}

// gather makes cohorts of the reduces that have started.
func (s *simulation) gather() {
	t, in := &s.t, s.in
	slices.SortFunc(t.fetches, func(a, b int32) int {
		x, y := s.running[a], s.running[b]
		v, w := in.WorkerOf[a], in.WorkerOf[b]
		return cmp.Or(cmp.Compare(in.JobOf(x), in.JobOf(y)), cmp.Compare(in.RackOf[v], in.RackOf[w]),
			cmp.Compare(in.Bandwidth[v], in.Bandwidth[w]), cmp.Compare(x, y))
	})
	var c *cohort
	for _, slot := range t.fetches {
		task, w := s.running[slot], in.WorkerOf[slot]
		id := in.JobOf(task)
		if c == nil || c.job.id != id || c.rack != in.RackOf[w] || c.limit != in.Bandwidth[w] ||
			len(c.slots) == t.most(c.rack, c.limit) {
			if c != nil {
				s.extend(c)
			}
			c = t.newCohort(s.jobs[id], in.RackOf[w], in.Bandwidth[w])
		}
		c.slots = append(c.slots, slot)
	}
	if c != nil {
		s.extend(c)
	}
	t.fetches = t.fetches[:0]
}

func (t *transfers) newCohort(j *job, rack int32, limit int64) *cohort {
	var c *cohort
	if k := len(t.free) - 1; k >= 0 {
		c, t.free = t.cohorts[t.free[k]], t.free[:k]
		clear(c.flows)
		clear(c.sent)
	} else {
		c = &cohort{index: int32(len(t.cohorts)), flows: make([]sim.FlowID, t.in.Racks),
			sent: make([]model.Bytes, t.in.Racks)}
		t.cohorts = append(t.cohorts, c)
	}
	c.job, c.rack, c.limit, c.slots, c.active, c.link, c.last = j, rack, limit, c.slots[:0], 0, 0, false
	j.shuffle.cohorts = append(j.shuffle.cohorts, c)
	if t.lines != nil {
		t.lines[rack] = append(t.lines[rack], c)
	}
	return c
}

// extend sends a cohort the output since the last round.
func (s *simulation) extend(c *cohort) {
	t, j := &s.t, c.job
	more := model.Bytes(0)
	for a, output := range j.produced {
		due := c.part(output) - c.sent[a]
		if due == 0 {
			continue
		}
		more += due
		c.sent[a] += due
		if c.flows[a] == 0 {
			f := sim.Flow{Weight: int32(len(c.slots)), Limit: sim.Rate(c.limit), Volume: due,
				Tag: int64(t.in.Slots) + int64(c.index)*int64(t.in.Racks) + int64(a)}
			if t.lines != nil {
				f.Limit *= lineFactor // the weight will change; c.link enforces the limit
			}
			if c.flows[a] = s.flow(int32(a), c.rack, f); t.lines != nil {
				s.weigh(c, a)
			}
			c.active++
		} else {
			t.net.Add(c.flows[a], due)
		}
	}
	if c.limit > 0 {
		each := float64(more) / float64(len(c.slots)) / float64(c.limit)
		c.link = max(c.link, s.now) + model.Time(math.Ceil(each*float64(model.Second)))
	}
	c.last = j.mapsEnded == j.maps
	s.fetched(c)
}

// part is a cohort's part of a rack's output: for each of R reduces 1/R of it, rounded up to a byte.
func (c *cohort) part(output model.Bytes) model.Bytes {
	r := model.Bytes(c.job.reduces)
	return (output/r + min(1, output%r)) * model.Bytes(len(c.slots))
}

// fetched starts the computation of a cohort that has all its data.
func (s *simulation) fetched(c *cohort) {
	if !c.last || c.active > 0 {
		return
	}
	for _, slot := range c.slots {
		s.compute(slot, max(s.now, c.link))
	}
	x := &c.job.shuffle
	x.cohorts = slices.DeleteFunc(x.cohorts, func(other *cohort) bool { return other == c })
	s.t.free = append(s.t.free, c.index)
	if c.job.fetching != nil {
		c.job.fetching[c.rack] -= len(c.slots)
	}
	if s.t.lines != nil {
		s.leaveLine(c)
		s.wake(model.Reduce, c.job.user)
	}
}

// arrivals handles the flows that complete now.
func (s *simulation) arrivals() {
	t := &s.t
	t.done = t.net.Advance(s.now, t.done[:0])
	if len(t.done) > 0 {
		s.n.changed(s)
	}
	fetches := func(d sim.Completion) (c *cohort, from int64) {
		k, racks := d.Tag-int64(t.in.Slots), int64(t.in.Racks)
		return t.cohorts[k/racks], k % racks
	}
	for _, d := range t.done { // none of them may be weighed again
		if d.Tag >= int64(t.in.Slots) {
			c, from := fetches(d)
			c.flows[from] = 0
		}
	}
	for _, d := range t.done {
		switch {
		case d.Tag < 0:
			s.end(int32(-1 - d.Tag))
		case d.Tag < int64(t.in.Slots):
			s.compute(int32(d.Tag), s.now)
		default:
			c, _ := fetches(d)
			c.active--
			s.fetched(c)
		}
	}
}
