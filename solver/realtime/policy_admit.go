package realtime

import (
	"cmp"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver/list"
)

// standing is the decision of admission about a job.
type standing int8

const (
	admitted standing = iota // on time, if the jobs before it in line are
	held                     // would make others late
	hopeless                 // of negative laxity; for good, if none of its units runs
)

// admission is the state of a policy that admits jobs.
type admission struct {
	replan   bool // plan's input has changed
	someHeld bool // by the last plan
	// jobs with a deadline that may be on time, in the order of the last plan, then those that it did not know
	unfinished []int32
	hopes      []hopeful // of the last plan
	others     []int32   // room for a plan to work in, as the next two are
	lined      lineup
	heavy      list.Heap
}

// hopeful is a job that may still be on time. Times are from now.
type hopeful struct {
	job     int32
	urgency model.Time // when its maps, or in the reduce phase its partitions, have to end
	due     model.Time
	inMaps  bool
	// What its units are expected to take, or have left: W/m of each kind, and (1 − 1/m)·L.
	maps, reduces           model.Time
	longestMap, longestPart model.Time
	held                    bool
}

func (c *hopeful) work() model.Time { return c.maps + c.reduces }

// plan decides which jobs are admitted. It runs when a job arrives and, while some are held, when a phase of one begins
// or ends.
//
// It considers the jobs that could still be on time in the order of admitRank. Under list scheduling on m identical
// slots, work W of units of at most L that is served first ends within W/m + (1 − 1/m)·L (Graham). If a job would be
// late by that estimate, over its two phases, then plan removes the job with the most remaining work among those up to
// it, as Moore and Hodgson do, until none is late. Removed jobs are held: they run on what the others leave, and the
// next plan considers them again.
//
// Workers are not identical and units cannot run everywhere, so this is a heuristic without a guarantee.
//
// Complexity: O(n log n) for n jobs in line.   Ties: the later in line is held. Source: mrsched, after Moore,
// Management Science 1968; Graham, SIAM J. Appl. Math. 1969.
func (s *simulation) plan() {
	s.facts.plans++
	s.hopefuls()
	s.hold()
	s.someHeld = false
	for i := range s.hopes {
		next := admitted
		if s.hopes[i].held {
			next = held
			s.someHeld = true
			s.facts.held++
		}
		s.stand(s.hopes[i].job, next)
	}
}

// hold decides which jobs in line are held. O(n log n).
func (a *admission) hold() {
	a.lined.clear(len(a.hopes))
	kept, before, n := a.heavy[:0], pipeline{}, int32(len(a.hopes)) // kept by falling work, the last in line first
	for i := range n {
		c := &a.hopes[i]
		p := before
		for c.held = false; !p.add(c); p = before {
			if len(kept) == 0 || c.work() >= -kept[0].Key {
				c.held = true
				break
			}
			worst := n - kept.Pop().Index
			a.hopes[worst].held = true
			a.lined.set(worst, nothing)
			before = a.lined.nodes[1]
		}
		if !c.held {
			before = p
			a.lined.set(i, c.through())
			kept.Push(list.Item{Key: -c.work(), Index: n - i})
		}
	}
	a.heavy = kept
}

// stand changes the standing of a job. Queues notice ranks that rise when they are looked at.
func (s *simulation) stand(j int32, next standing) {
	was := s.jobs[j].standing
	s.jobs[j].standing = next
	if next < was {
		s.refresh(j)
	}
}

// hopefuls sorts the jobs that may still be on time by urgency, ties: the first job. Jobs keep that order from one call
// to the next, so that sorting has little to do.
func (s *simulation) hopefuls() {
	line, others := s.hopes[:0], s.others[:0]
	for _, j := range s.unfinished {
		job := &s.jobs[j]
		if job.pending == 0 && (job.reducing || job.count == job.maps) {
			continue
		}
		left := s.left(j)
		if s.in.Due[j]-s.now < left {
			s.stand(j, hopeless)
			if job.active > 0 { // a unit may end early
				others = append(others, j)
			}
			continue
		}
		line = append(line, s.hopeful(j, left))
	}
	slices.SortFunc(line, func(a, b hopeful) int {
		return cmp.Or(cmp.Compare(a.urgency, b.urgency), cmp.Compare(a.job, b.job))
	})
	s.hopes, s.others, s.unfinished = line, others, s.unfinished[:0]
	for i := range line {
		s.unfinished = append(s.unfinished, line[i].job)
	}
	s.unfinished = append(s.unfinished, others...)
}

// hopeful describes a job that is expected to need some more time.
func (s *simulation) hopeful(j int32, left model.Time) hopeful {
	job := &s.jobs[j]
	c := hopeful{job: j, due: min(s.in.Due[j], model.MaxHorizon) - s.now, inMaps: !job.reducing}
	c.urgency = c.due - job.after
	work := job.backlog + max(0, job.ends-model.Time(job.active)*s.now)
	if c.inMaps {
		m := model.Time(max(1, len(s.in.MapSlots)))
		c.maps, c.longestMap = work/m, left-job.after-(left-job.after)/m
		work, left = job.later, job.after
	}
	m := model.Time(max(1, len(s.in.ReduceSlots)))
	c.reduces, c.longestPart = work/m, left-left/m
	return c
}

// pipeline is what consecutive jobs do to the slots. The map slots, done at m before, are done at m + maps; the reduce
// slots, done at r before, are done at the later of r + parts and m + both. For the whole line, m and r are 0.
type pipeline struct{ maps, parts, both model.Time }

// then is the effect of some jobs and of others after them.
func (p pipeline) then(q pipeline) pipeline {
	return pipeline{p.maps + q.maps, p.parts + q.parts, max(p.both+q.parts, p.maps+q.both)}
}

func (c *hopeful) through() pipeline {
	switch {
	case !c.inMaps:
		return pipeline{0, c.reduces, never}
	case c.reduces == 0 && c.longestPart == 0:
		return pipeline{c.maps, 0, never}
	}
	return pipeline{c.maps, c.reduces, c.maps + c.longestMap + c.reduces}
}

// never is so far below any time that a sum with it is below 0.
const never = math.MinInt64 / 2

// nothing is the effect of no job.
var nothing = pipeline{0, 0, never}

// add puts a job at the end of the line; false: it is late.
func (p *pipeline) add(c *hopeful) bool {
	*p = p.then(c.through())
	if c.inMaps && c.reduces == 0 && c.longestPart == 0 {
		return p.maps+c.longestMap <= c.due
	}
	return max(p.parts, p.both)+c.longestPart <= c.due
}

// lineup is a segment tree over the places in line: each inner node is the joint effect of the places below it.
type lineup struct{ nodes []pipeline }

func (l *lineup) clear(n int) {
	size := 1
	for size < n {
		size *= 2
	}
	l.nodes = slices.Grow(l.nodes[:0], 2*size)[:2*size]
	for k := range l.nodes {
		l.nodes[k] = nothing
	}
}

// set changes the effect of the job at a place. O(log n).
func (l *lineup) set(place int32, does pipeline) {
	k := len(l.nodes)/2 + int(place)
	for l.nodes[k] = does; k > 1; {
		k /= 2
		l.nodes[k] = l.nodes[2*k].then(l.nodes[2*k+1])
	}
}

// admitRank orders the admitted jobs by when their present phase has to end: at Due, or for maps earlier by the
// expected length of the reduce phase. Held jobs follow in the same order, then hopeless ones, then those without a
// deadline.
func admitRank(s *simulation, j int32) (model.Time, bool) {
	if s.in.Due[j] == realtime.NoDeadline {
		return realtime.NoDeadline, true
	}
	job := &s.jobs[j]
	key := min(s.in.Due[j], model.MaxHorizon) - job.after // nothing ends later than that
	if job.standing == hopeless {
		key += 2 * model.MaxHorizon
	}
	return key, job.standing != admitted
}
