package reduceplace

import (
	"context"
	"slices"

	"mrsched/model/reduceplace"
)

// lookahead follows the policy that has cost least so far: future, receding horizon, greedy or, in tiny systems,
// stationary. It simulates each policy on the same jobs, which is possible because departures do not depend on
// placements, and charges it with what ended jobs fetched. The leader then chooses among the slots that are really
// free. These are the leader's own again whenever the system was empty since it took the lead, so in the long run
// lookahead costs about as much as the best policy.
//
// It learns from past jobs only, but stationary knows --law and --load, by default those of the whole workload.
//
// Complexity: that of future, and of the iteration behind stationary if there is one. Source: mrsched.
type lookahead struct {
	in      *reduceplace.Instance
	experts []expert
	slots   map[int32][]int32 // of running jobs: what the experts gave them, one after another
}

// expert is a simulated policy: one that ranks slots, or stationary.
type expert struct {
	ranked             // nil: stationary
	side   *stationary // in the simulation
	real   *stationary // the same policy, which learns what lookahead really did
	watch  watcher     // the simulated policy
	free   *freeSlots  // in the simulation
	cost   float64
}

func newLookahead(ctx context.Context, r *run) *lookahead {
	p := &lookahead{in: r.in, slots: map[int32][]int32{}}
	for _, e := range []ranked{newFuture(r), newRHC(r), greedy{}} {
		p.experts = append(p.experts, expert{ranked: e, watch: e, free: newFreeSlots(r.in.Slots)})
	}
	if s, load, err := r.system(); err == nil {
		v := solveValues(ctx, s, load)
		side := r.newStationary(v)
		p.experts = append(p.experts, expert{side: side, real: r.newStationary(v), watch: side,
			free: newFreeSlots(r.in.Slots)})
		slices.Reverse(p.experts) // the first leads while costs are equal
	}
	return p
}

func (p *lookahead) choose(list []int32, job int32, r int, free *freeSlots) []int32 {
	leader := 0
	for k := range p.experts {
		if p.experts[k].cost < p.experts[leader].cost {
			leader = k
		}
	}
	if e := &p.experts[leader]; e.real != nil {
		list = e.real.choose(list, job, r, free)
	}
	taken := make([]int32, 0, r*len(p.experts))
	for k := range p.experts {
		e := &p.experts[k]
		own := taken[len(taken):]
		switch {
		case e.side != nil:
			own = e.side.choose(own, job, r, e.free)
		case r > 0:
			y := e.offset(job, r, e.free)
			own = e.free.from(own, y, r)
			if k == leader {
				list = free.from(list, min(y, free.count-r), r)
			}
		}
		taken = taken[:len(taken)+r]
		for _, s := range own {
			e.free.take(s)
		}
		if r > 0 || e.side != nil {
			e.watch.placed(job, own)
		}
	}
	p.slots[job] = taken
	return list
}

func (p *lookahead) placed(job int32, slots []int32) {
	for _, e := range p.experts {
		if e.real != nil {
			e.real.placed(job, slots)
		}
	}
}

func (p *lookahead) departed(job int32) {
	r, taken := int(p.in.Reduces[job]), p.slots[job]
	delete(p.slots, job)
	x := float64(p.in.Bytes[job]) / float64(max(r, 1)) // now the data is known, whatever was assumed
	for k := range p.experts {
		e := &p.experts[k]
		for _, s := range taken[k*r : (k+1)*r] {
			e.free.release(s)
			e.cost += x * p.in.Cost[s].Float()
		}
		if r > 0 || e.side != nil {
			e.watch.departed(job)
		}
		if e.real != nil {
			e.real.departed(job)
		}
	}
}

const (
	// futureRanks is how many free slots have their future use learned.
	futureRanks = 512
	// maxStays is how many running jobs are observed at a time; if more run, the latest are not observed.
	maxStays = 256
	// priorStays is the weight of the prior in observed stays.
	priorStays = 20
	// refreshAfter is the growth of a class's observations after which its estimate is updated.
	refreshAfter = 1.05
)

// future leaves slots to later jobs that are expected to need them while this one runs.
//
// Let q_j be the data that later jobs are expected to place on the j-th cheapest of the slots that a job leaves free,
// until it ends. The job's own cost x·ΣH plus Σ_j q_j·H(j-th slot left) is least, by Hardy's lemma, if it takes the R
// slots after the y slots with q_y > x. This is the shape of Theorem 1; Theorem 2 computes q for jobs that never leave.
// Here q is observed: every running job counts what is placed on the slots that it left. The estimate is the mean over
// past jobs that started among a similar number of others, made falling by least squares. Before there are
// observations, q is that of receding horizon control.
//
// Complexity: O(n·R·log ranks) per job for n running jobs, at most maxStays, and 6 kB for each of those. Source:
// mrsched.
type future struct {
	in     *reduceplace.Instance
	x      []float64 // by job: the assumed data per reduce
	window window
	meanR  float64 // of the jobs seen
	jobs   float64

	ranks   int
	classes []class
	running int // jobs
	stays   []*stay
	spare   []*stay
	next    *stay // of the job that chooses
}

// stay observes the slots that a running job left free.
type stay struct {
	job   int32
	class *class
	left  []int32   // the cheapest slots that it left, rising
	used  []float64 // by rank in left: data placed there since
}

// class holds observations of jobs that started among a similar number of others.
type class struct {
	stays, refresh float64
	used           []float64 // by rank: sum
	load           []float64 // by rank: the estimate of q
}

func newFuture(r *run) *future {
	f := &future{in: r.in, x: r.expected, window: window{size: int(r.p.window)},
		ranks: min(futureRanks, r.in.Slots)}
	f.classes = make([]class, classOf(r.in.Jobs)+1)
	for k := range f.classes {
		f.classes[k] = class{used: make([]float64, f.ranks), load: make([]float64, f.ranks)}
	}
	return f
}

// classOf groups numbers of running jobs: 0, 1, …, 8, 9–10, 11–12, …, each class about a quarter wider than the last.
func classOf(n int) int {
	k := 0
	for upper := 0; n > upper; k++ {
		upper += max(1, upper/4)
	}
	return k
}

func (f *future) offset(job int32, r int, free *freeSlots) int {
	f.window.add(float64(f.in.Present[job]), f.x[job])
	f.jobs++
	f.meanR += (float64(r) - f.meanR) / f.jobs
	c := &f.classes[classOf(f.running)]
	f.estimate(c)
	y := 0
	for y < len(c.load) && y < free.count-r && c.load[y] > f.x[job] {
		y++
	}
	if f.next = nil; len(f.stays) == maxStays {
		return y
	}
	f.next = f.newStay(job, c)
	n := min(f.ranks+r, free.count)
	left := free.from(f.next.left[:0], 0, n)
	left = slices.Delete(left, min(y, n), min(y+r, n))
	f.next.left = left[:min(len(left), f.ranks)]
	return y
}

func (f *future) newStay(job int32, c *class) *stay {
	var s *stay
	if n := len(f.spare); n > 0 {
		s, f.spare = f.spare[n-1], f.spare[:n-1]
		clear(s.used)
	} else {
		s = &stay{used: make([]float64, f.ranks)}
	}
	s.job, s.class = job, c
	return s
}

// placed counts the data of the job that just chose on the slots that running jobs had left.
func (f *future) placed(job int32, slots []int32) {
	for _, s := range f.stays {
		for _, slot := range slots {
			if k, ok := slices.BinarySearch(s.left, slot); ok {
				s.used[k] += f.x[job]
			}
		}
	}
	f.running++
	if f.next != nil {
		f.stays = append(f.stays, f.next)
	}
}

// departed adds a stay to its class.
func (f *future) departed(job int32) {
	f.running--
	k := slices.IndexFunc(f.stays, func(s *stay) bool { return s.job == job })
	if k < 0 {
		return
	}
	s := f.stays[k]
	f.stays = slices.Delete(f.stays, k, k+1)
	f.spare = append(f.spare, s)
	s.class.stays++
	for j, v := range s.used {
		s.class.used[j] += v
	}
}

// estimate updates a class's q from the prior and the observations, if enough of them are new.
func (f *future) estimate(c *class) {
	if c.stays < c.refresh {
		return
	}
	c.refresh = max(c.stays+1, c.stays*refreshAfter)
	n, mean := f.window.means()
	prior := n / (2*n + 1) * mean
	for j := range c.load {
		sum := c.used[j]
		if float64(j) < f.meanR {
			sum += priorStays * prior
		}
		c.load[j] = sum / (c.stays + priorStays)
	}
	makeFalling(c.load)
}

// makeFalling replaces numbers by the falling sequence of least squares: pool adjacent violators.
func makeFalling(v []float64) {
	type pool struct {
		sum float64
		n   int
	}
	var pools []pool
	for _, x := range v {
		pools = append(pools, pool{x, 1})
		for k := len(pools); k > 1 && pools[k-2].sum*float64(pools[k-1].n) < pools[k-1].sum*float64(pools[k-2].n); k =
			len(pools) {
			pools[k-2].sum += pools[k-1].sum
			pools[k-2].n += pools[k-1].n
			pools = pools[:k-1]
		}
	}
	k := 0
	for _, p := range pools {
		for range p.n {
			v[k] = p.sum / float64(p.n)
			k++
		}
	}
}
