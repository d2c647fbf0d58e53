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

// weight is the weight of a flow that does not wait.
func (t *transfers) weight() int32 {
	if t.lines != nil {
		return lineFactor
	}
	return 1
}

// most is the number of reduces on workers with a link of a limit that keep the links of a rack busy. In line, cohorts
// are no larger, and no job has more reduces that fetch there: more of them would hold slots while others fetch, even
// if uplinks delay them and the links inside the rack are idle.
func (t *transfers) most(rack int32, limit int64) int {
	if t.lines == nil || limit == 0 || t.in.Fabric[rack] == 0 {
		return math.MaxInt
	}
	return int((t.in.Fabric[rack] + limit - 1) / limit)
}

// weigh sets the weight of a cohort's flow from a rack by its place in line.
func (s *simulation) weigh(c *cohort, from int) {
	weight := int32(len(c.slots))
	if s.t.lines[c.rack][0] == c {
		weight *= lineFactor
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
