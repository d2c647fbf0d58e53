package reduceplace

import (
	"math/rand/v2"
	"slices"

	"mrsched/model/reduceplace"
)

// random takes random free slots, which is what Hadoop's order of heartbeats amounts to.
//
// Source: Tan et al., INFOCOM 2013, §V-B.
type random struct {
	in     *reduceplace.Instance
	random *rand.Rand
}

func (p *random) choose(list []int32, job int32, free *freeSlots) []int32 {
	n := int(p.in.Reduces[job])
	start := len(list)
	for range n {
		s := free.at(p.random.IntN(free.count))
		free.take(s)
		list = append(list, s)
	}
	for _, s := range list[start:] {
		free.release(s) // the engine takes them
	}
	slices.Sort(list[start:])
	return list
}

// greedy takes the cheapest free slots.
//
// Source: Tan et al., INFOCOM 2013, §V-B.
type greedy struct{ in *reduceplace.Instance }

func (p greedy) offset(int32, *freeSlots) int { return 0 }

// inRanks makes a policy of one that leaves some of the cheapest slots.
type inRanks struct {
	ranked
	in *reduceplace.Instance
}

func (p inRanks) choose(list []int32, job int32, free *freeSlots) []int32 {
	r := int(p.in.Reduces[job])
	if r == 0 {
		return list
	}
	return free.from(list, p.offset(job, free), r)
}
