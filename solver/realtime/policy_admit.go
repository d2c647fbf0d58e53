package realtime

import (
	"cmp"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
)

// standing is what admission thinks of a job.
type standing int8

const (
	admitted standing = iota // on time, if those before it in line are
	held                     // would make others late
	hopeless                 // of negative laxity
)

// candidate is a job that may still be on time. Times are from now.
type candidate struct {
	job     int32
	urgency model.Time // when its maps, or in the reduce phase its partitions, have to end
	due     model.Time
	inMaps  bool
	// What its units are believed to take, or have left, over the number of slots of their kind; and the longest unit.
	maps, reduces           model.Time
	longestMap, longestPart model.Time
}

// plan decides which jobs are admitted, when a job arrives and when a phase of one begins or ends.
//
// The jobs that could still be on time stand in the line of admitRank. Under list scheduling on m identical slots, work W
// that is served first and units of at most L after it end within W/m + L (Graham). Where a job would be late by
// that, in a line of two phases, the one with the most work left is taken out of the line up to there, as Moore and Hodgson do, until
// nobody is late. Those taken out are held: they run on what the others leave, and stand in line again at the next plan.
//
// The workers are not identical and units not free to go anywhere, so this is a rule, not a promise.
//
// Complexity: O(n log n + n·h) for n jobs in line of which h are held.   Ties: the later in line is held.
// Source: ours, after Moore, Management Science 1968; Graham, SIAM J. Appl. Math. 1969.
func (s *simulation) plan() {
	line := s.candidates()
	s.facts.plans++
	for _, c := range line {
		s.jobs[c.job].rejected = false
	}
	kept, p := make([]candidate, 0, len(line)), pipeline{}
	for _, c := range line {
		kept = append(kept, c)
		for onTime := p.add(&c); !onTime; {
			worst := 0
			for i := range kept {
				if kept[i].maps+kept[i].reduces >= kept[worst].maps+kept[worst].reduces {
					worst = i
				}
			}
			s.jobs[kept[worst].job].rejected = true
			kept = slices.Delete(kept, worst, worst+1)
			p, onTime = pipeline{}, true
			for i := range kept {
				onTime = p.add(&kept[i]) && onTime
			}
		}
	}
	for _, c := range line {
		next := admitted
		if s.jobs[c.job].rejected {
			next = held
			s.facts.held++
		}
		s.stand(c.job, next)
	}
}

// stand changes what admission thinks of a job. Ranks that rise are seen when queues are looked at.
func (s *simulation) stand(j int32, next standing) {
	was := s.jobs[j].standing
	s.jobs[j].standing = next
	if next < was {
		s.refresh(j)
	}
}

// candidates lists the jobs that may still be on time, in the order of their urgency, ties: the first job.
func (s *simulation) candidates() (line []candidate) {
	n := 0
	for _, j := range s.unfinished {
		job := &s.jobs[j]
		if job.pending == 0 && (job.reducing || job.count == job.maps) {
			continue
		}
		s.unfinished[n] = j
		n++
		left := s.left(j)
		if s.in.Due[j]-s.now < left {
			s.stand(j, hopeless)
			continue
		}
		c := candidate{job: j, due: min(s.in.Due[j], model.MaxHorizon) - s.now, longestPart: left}
		work := job.backlog + max(0, job.ends-model.Time(job.active)*s.now)
		if c.inMaps = !job.reducing; c.inMaps {
			c.maps, c.longestMap, c.longestPart = work/model.Time(len(s.in.MapSlots)), left-job.after, job.after
			work = job.later
		}
		if slots := len(s.in.ReduceSlots); slots > 0 {
			c.reduces = work / model.Time(slots)
		}
		c.urgency = c.due - job.after
		line = append(line, c)
	}
	s.unfinished = s.unfinished[:n]
	slices.SortFunc(line, func(a, b candidate) int { return cmp.Or(cmp.Compare(a.urgency, b.urgency), cmp.Compare(a.job, b.job)) })
	return line
}

// pipeline is when the slots of both kinds are through with the jobs in line so far.
type pipeline struct{ maps, reduces model.Time }

// add puts a job at the end of the line; false: it is late.
func (p *pipeline) add(c *candidate) bool {
	ready := model.Time(0)
	if c.inMaps {
		p.maps += c.maps
		ready = p.maps + c.longestMap
		if c.reduces == 0 && c.longestPart == 0 {
			return ready <= c.due
		}
	}
	p.reduces = max(p.reduces, ready) + c.reduces
	return p.reduces+c.longestPart <= c.due
}

// admitRank orders the admitted jobs by when their present phase has to end: Due, before the reduce phase less what that is
// believed to last. The others come last, in the same order, the held before the hopeless before those without a deadline.
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
