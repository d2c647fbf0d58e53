package multitenant

import (
	"math"
	"slices"
)

// Plans may let reduces wait in line: in each rack the cohort that began first fetches first, and the others get little
// of the links meanwhile. If all fetched at once, they would all compute at once and leave the links idle. In line, the
// first compute while the next fetch, so links and slots are both busy.

// lineFactor is the factor by which other flows outweigh those of waiting cohorts.
const lineFactor = 16

// weight is the weight of a flow of a job. Urgent jobs have a larger one.
func (s *simulation) weight(job int32) int32 {
	weight := int32(1)
	if s.c.plan != nil && s.t.urgent {
		weight = 1 << (2 * s.c.plan.choice[job].urgent)
	}
	if s.t.lines != nil {
		weight = max(weight, lineFactor)
	}
	return weight
}

// most is the largest size of a cohort: in line, the number of reduces that keeps the rack's links busy.
func (t *transfers) most(c *cohort) int {
	if t.lines == nil || c.limit == 0 || t.in.Fabric[c.rack] == 0 {
		return math.MaxInt
	}
	return int((t.in.Fabric[c.rack] + c.limit - 1) / c.limit)
}

// weigh sets the weight of a cohort's flow from a rack by its place in line.
func (s *simulation) weigh(c *cohort, from int) {
	weight := int32(len(c.slots))
	if s.t.lines[c.rack][0] == c {
		weight *= s.weight(c.job.id)
	}
	s.t.net.SetWeight(c.flows[from], weight)
}

// leaveLine removes a cohort from its rack's line; the next one no longer waits.
func (s *simulation) leaveLine(c *cohort) {
	line := s.t.lines[c.rack]
	first := line[0] == c
	line = slices.DeleteFunc(line, func(other *cohort) bool { return other == c })
	s.t.lines[c.rack] = line
	if !first || len(line) == 0 {
		return
	}
	for a, f := range line[0].flows {
		if f != 0 {
			s.weigh(line[0], a)
		}
	}
}
