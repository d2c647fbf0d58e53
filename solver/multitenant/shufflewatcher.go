package multitenant

import (
	"cmp"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/multitenant"
)

// nass is Network-Aware Shuffle Scheduling: it chooses the task of the user that gets a slot. Jobs of earlier
// submission windows come first. Within a window, each class goes by arrival:
//
//	maps       (1) where SAMP wants them, (2) with the block on the worker, then in its rack, (3) any
//	reduces    while the rack is saturated: (4) of shuffle-light jobs, (5) below SARP's count for the rack, (6) any
//	           else: (1) of shuffle-heavy jobs below SARP's count, (2) of shuffle-heavy jobs, (3) any
//
// In the paper maps and reduces compete for the same request of a worker. Here, as in Hadoop 1, a map slot takes only
// maps and a reduce slot only reduces. So the order between the kinds only decides whether reduces start before their
// job's maps have ended:
//
//   - Reduces of jobs whose maps have ended are always eligible, as in SARP's first case: no other task of the user
//     could use the slot. So a free slot always gets a task that can run to its end, saturated or not. It goes to the
//     user with the smallest share that has such a task.
//   - SARP's second case is a user with slots that nothing else occupies: it is the user's turn for a reduce slot, and
//     none of the reduces above is left. Then reduces of jobs with some ended maps are eligible too. In a saturated
//     rack they wait until the user has no map left to begin: they would only hold the slot and fetch over the full
//     link.
//
// Complexity: O(jobs of the user in its first window) for each task.
type nass struct{}

// watch is shufflewatcher's data about a job.
type watch struct {
	racks    []bool  // SAMP's; nil: none
	forecast []int32 // by rack: reduces according to SAMP
	counts   []int32 // by rack: SARP's; nil: not yet counted
	begun    []int32 // by rack: reduces that have begun
	deferred bool    // a reduce had to wait because a rack was saturated
}

// watch lets SAMP place an arriving job.
func (s *simulation) watch(j *job) {
	in := s.in
	j.sw.begun = make([]int32, in.Racks)
	if !s.c.samp || j.maps == 0 || j.reduces == 0 { // without reduces there is no shuffle that could gain
		return
	}
	volume := 0.0
	if s.c.known {
		volume = float64(in.Shuffled[j.id])
	} else {
		for t := in.FirstMap[j.id]; t < in.FirstMap[j.id+1]; t++ {
			volume += firstRatio * float64(in.Input[t])
		}
	}
	p := samp(in, j.id, volume, s.usable)
	j.sw.racks = p.racks
	if p.racks != nil {
		j.sw.forecast = apportion(j.reduces, p.share)
	}
}

// firstRatio is the assumed ratio of shuffled to read bytes until maps have ended.
const firstRatio = 1.0

// heavy reports whether a job is known to be shuffle-heavy: it shuffles more than it reads.
func (s *simulation) heavy(j *job) bool {
	ratio := firstRatio
	switch {
	case s.c.known:
		ratio = s.in.Ratio[j.id]
	case j.input > 0:
		ratio = float64(j.output) / float64(j.input)
	}
	return ratio > 1
}

func (nass) reduces(s *simulation, u *user, rack int32) bool {
	if len(u.ready) > 0 || len(u.early) == 0 {
		return len(u.ready) > 0
	}
	if len(u.maps) == 0 || !s.n.saturated[rack] {
		return true
	}
	for _, j := range u.early {
		if !j.sw.deferred {
			j.sw.deferred = true
			s.facts.DeferredJobs++
		}
	}
	return false
}

func (nass) findMap(s *simulation, u *user, slot int32) (int32, class) {
	return s.byWindow(u.maps, slot, windowMap)
}

func (nass) findReduce(s *simulation, u *user, slot int32) (int32, class) {
	if len(u.ready) > 0 {
		return s.byWindow(u.ready, slot, windowReduce)
	}
	return s.byWindow(u.early, slot, windowReduce)
}

// byWindow finds a task of the first submission window that has one. list is by arrival.
func (s *simulation) byWindow(list []*job, slot int32, find windowFind) (int32, class) {
	for len(list) > 0 {
		k := 1
		for k < len(list) && list[k].window == list[0].window {
			k++
		}
		if t, c := find(s, list[:k], s.in.WorkerOf[slot]); t >= 0 {
			return t, c
		}
		list = list[k:]
	}
	return -1, anywhere
}

// windowFind finds a task of jobs of one window for a worker; -1 if there is none.
type windowFind func(s *simulation, list []*job, w int32) (int32, class)

// windowMap finds a map of one window's jobs. Patient jobs accept class (2) after some time and (3) after more. Without
// SAMP they accept their own nodes at once.
func windowMap(s *simulation, list []*job, w int32) (int32, class) {
	rack := s.in.RackOf[w]
	for _, j := range list {
		if j.sw.racks == nil || !j.sw.racks[rack] {
			continue
		}
		if f, some := s.on(w, j, model.Map); some {
			if t := s.chosen(j, w, f); t >= 0 {
				return s.settle(j, model.Map, 0, t), preferred
			}
		}
	}
	for _, j := range list {
		level := int8(0)
		if j.sw.racks != nil {
			level = 1
		}
		if f, some := s.on(w, j, model.Map); some && s.impatient(j, model.Map, int(level)) {
			if t := j.pending.onWorker(w, f); t >= 0 {
				return s.settle(j, model.Map, level, t), j.nearby()
			}
		}
	}
	for _, j := range list {
		if f, some := s.on(w, j, model.Map); some && s.impatient(j, model.Map, 1) {
			if t := j.pending.inRack(rack, f); t >= 0 {
				return s.settle(j, model.Map, 1, t), j.nearby()
			}
		}
	}
	for _, j := range list {
		f, some := s.on(w, j, model.Map)
		switch {
		case !some:
		case !s.impatient(j, model.Map, 2):
			s.refuse(j, model.Map)
		default:
			if t := j.pending.any(f); t >= 0 {
				return s.settle(j, model.Map, 2, t), anywhere
			}
		}
	}
	return -1, anywhere
}

// nearby is the class of a map in a rack with its block: the best one if SAMP chose no racks.
func (j *job) nearby() class {
	if j.sw.racks == nil {
		return preferred
	}
	return local
}

// chosen finds a map of a job in one of the racks that SAMP or a plan chose: a near one, otherwise one that it moves
// there.
func (s *simulation) chosen(j *job, w int32, f *fit) int32 {
	if t := j.pending.near(w, s.in.RackOf[w], f); t >= 0 {
		return t
	}
	t := j.pending.fromAfar(f)
	if t >= 0 && !s.asking {
		s.facts.SAMPRemoteMaps++
	}
	return t
}

// windowReduce finds a reduce of one window's jobs. Patient jobs wait for racks below SARP's count.
func windowReduce(s *simulation, list []*job, w int32) (int32, class) {
	rack := s.in.RackOf[w]
	best, class, level := (*job)(nil), 3, int8(0)
	for _, j := range list {
		if f, some := s.on(w, j, model.Reduce); !some || !j.idle.some(f) {
			continue
		}
		heavy, counts := s.heavy(j), s.sarp(j)
		below := counts != nil && j.sw.begun[rack] < counts[rack]
		if counts != nil && !below && !s.impatient(j, model.Reduce, 1) {
			s.refuse(j, model.Reduce)
			continue
		}
		c := 2
		switch {
		case s.n.saturated[rack] && !heavy, !s.n.saturated[rack] && heavy && below:
			c = 0
		case s.n.saturated[rack] && below, !s.n.saturated[rack] && heavy:
			c = 1
		}
		if c < class {
			best, class, level = j, c, 1
			if below {
				level = 0
			}
		}
	}
	if best == nil {
		return -1, anywhere
	}
	suits := preferred
	if level > 0 && s.sarp(best) != nil {
		suits = local
	}
	return s.settle(best, model.Reduce, level, s.nextReduce(best, w)), suits
}

// impatient reports whether a job now accepts a level.
func (s *simulation) impatient(j *job, kind model.TaskKind, level int) bool {
	return !s.c.patient || s.settles(j, kind) >= level
}

// placement is where SAMP wants a job's maps.
type placement struct {
	racks  []bool    // by rack: whether maps run there; nil: the location of their input is unknown
	share  []float64 // by rack: the part of the maps' output that would lie there
	across float64   // bytes that would cross racks
}

// samp is Shuffle-Aware Map Placement. It orders the racks that hold some of a job's input by the amount, and takes as
// many of the first ones as cause the least traffic. Traffic is the input of maps without a replica in these racks,
// plus the shuffle of the given volume if reduces are placed in proportion to output. Output is assumed proportional to
// input. A map with replicas in several of the racks counts equally for each of them, a map with none for all.
//
// Ties: racks in turn from the job's number on, so that jobs with the same input use different racks; then fewer racks.
// Complexity: O(racks·replicas). Source: the paper's Figure 4. Differs: it skips racks without map slots. A map of
// unknown replicas counts for all racks taken, without traffic.
func samp(in *multitenant.Instance, id int32, volume float64, usable []bool) placement {
	first, end := in.FirstMap[id], in.FirstMap[id+1]
	held, weights := make([]float64, in.Racks), 0.0
	weight := func(t int32) float64 { return float64(in.Input[t]) }
	for t := first; t < end; t++ {
		weights += weight(t)
	}
	if weights == 0 {
		weights, weight = float64(end-first), func(int32) float64 { return 1 }
	}
	var order []int32
	listed := make([]bool, in.Racks) // a map of no bytes lists its racks but adds no input
	for t := first; t < end; t++ {
		eachRack(in, t, func(rack int32) {
			if usable[rack] && !listed[rack] {
				order = append(order, rack)
				listed[rack] = true
			}
			held[rack] += weight(t)
		})
	}
	racks := int32(in.Racks)
	turn := func(rack int32) int32 { return (rack + racks - id%racks) % racks }
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(held[b], held[a]), cmp.Compare(turn(a), turn(b)))
	})
	var best placement
	taken := make([]bool, in.Racks)
	for k, rack := range order {
		taken[rack] = true
		p := placement{share: make([]float64, in.Racks)}
		far := 0.0 // weight of maps that run anywhere in the racks taken
		for t := first; t < end; t++ {
			near := 0
			eachRack(in, t, func(rack int32) {
				if taken[rack] {
					near++
				}
			})
			if near == 0 {
				far += weight(t)
				if len(in.Replicas(t)) > 0 {
					p.across += float64(in.Input[t])
				}
				continue
			}
			eachRack(in, t, func(rack int32) {
				if taken[rack] {
					p.share[rack] += weight(t) / float64(near)
				}
			})
		}
		for _, rack := range order[:k+1] {
			p.share[rack] = (p.share[rack] + far/float64(k+1)) / weights
		}
		p.across += crossing(p.share, volume)
		if best.racks == nil || p.across < best.across {
			p.racks = slices.Clone(taken)
			best = p
		}
	}
	return best
}

// crossing is the part of a shuffle that crosses racks if reduces are placed in proportion to output: V·(1 − Σ f²).
func crossing(share []float64, volume float64) float64 {
	same := 0.0
	for _, f := range share {
		same += f * f
	}
	return volume * (1 - same)
}

// sarp is Shuffle-Aware Reduce Placement. It computes how many reduces of a job each rack should have, in proportion to
// its maps' output there. It runs when the job's reduces become eligible, and again if its maps end later. Until a
// share of the maps has ended, it uses SAMP's forecast. It returns nil if no map has output.
func (s *simulation) sarp(j *job) []int32 {
	if !s.c.sarp {
		return nil
	}
	switch {
	case j.sw.counts != nil:
	case j.sw.forecast != nil && float64(j.mapsEnded) < s.c.mapsDone*float64(j.maps):
		s.facts.SARPCounts++
		j.sw.counts = j.sw.forecast
	case j.output > 0:
		s.facts.SARPCounts++
		share := make([]float64, s.in.Racks)
		for rack, bytes := range j.produced {
			share[rack] = float64(bytes)
		}
		j.sw.counts = apportion(j.reduces, share)
	}
	return j.sw.counts
}

// apportion divides n in proportion to shares, by largest remainder; ties: the lower index. If all shares are 0, so are
// the parts.
func apportion(n int32, share []float64) []int32 {
	count, all := make([]int32, len(share)), sum(share)
	if all == 0 {
		return count
	}
	rest, left := make([]float64, len(share)), n
	for k, f := range share {
		quota := float64(n) * (f / all)
		count[k] = min(left, int32(math.Floor(quota)))
		left -= count[k]
		rest[k] = quota - float64(count[k])
	}
	order := ordered(len(share), func(a, b int32) int { return cmp.Compare(rest[b], rest[a]) })
	for k := 0; left > 0; k = (k + 1) % len(order) {
		count[order[k]]++
		left--
	}
	return count
}

func sum(list []float64) (all float64) {
	for _, v := range list {
		all += v
	}
	return all
}
