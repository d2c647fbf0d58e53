package realtime

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"mrsched/model"
)

const (
	// searchMoves is how many moves and swaps one iteration of a search looks at: the default iterations take a second.
	searchMoves = 50_000
	// searchSample is how many slots a step looks at if all of them would be more than searchWide moves and swaps.
	searchSample, searchWide = 12, 50_000
	// searchPairs is how many swaps between two slots a step looks at: of slots with more partitions it looks at as many
	// of each, which lie anywhere among them.
	searchPairs = 1 << 18
	// searchPatience is how many steps without a new least excess end the search for a limit.
	searchPatience = 400
	// searchParts is the smallest part of the gap, one in so many, by which a search tries to improve.
	searchParts = 2000
	// searchWaste is by how much more a step counts what it wastes than what it exceeds, searchSpend the share of all that
	// may be wasted that one partition may waste.
	searchWaste, searchSpend = 3, 0.3
	// searchTabu is how many pairs of partition and slot a search remembers.
	searchTabu = 1 << 20
	// searchTenure is for how many steps a partition stays off a slot that it left, and a random number up to it more.
	searchTenure = 8
)

// search looks for assignments within a limit on the loads: the makespan is brought below the best known by tabu search
// on the total excess Σ_s max(0, load_s − T), the number of slots that a step looks at being limited.
type search struct {
	*packing
	random *rand.Rand
	moves  int // that may still be looked at

	slot   []int32
	load   []model.Time
	on     [][]int32 // by candidate: its partitions
	at     []int32   // by partition: its index there
	used   int
	limit  model.Time
	excess model.Time
	until  []int // by partition and slot, hashed: the step until which it stays off
	step   int

	// by partition and class: what it wastes there, times searchWaste; nil: prices of slots are not known
	waste []model.Time
	spend model.Time // what one partition may waste
	bound model.Time // of the prices

	better func(slot []int32) // improve has found a better assignment; nil: nobody waits for it
}

// wasted is by how much price · time of a partition on a class exceeds the least, in microseconds of the mean slot.
func (x *search) wasted(i int32, c int) model.Time {
	if x.waste == nil {
		return 0
	}
	return x.waste[int(i)*len(x.Worker)+c]
}

// guide makes steps prefer slots on which partitions waste little: within a limit T, all partitions together can waste
// no more than Most·(T − T*). Where slots differ in speed only, hardly any step wastes anything.
func (x *search) guide(f *fractional) {
	x.bound = f.bound
	if f.proof.Slots == nil || x.times == nil || x.related {
		return
	}
	y := make([]float64, len(x.Worker))
	for k, c := range x.Class {
		y[c] = float64(f.proof.Slots[k])
	}
	mean := x.priceSum(y) / float64(x.Most)
	x.waste = make([]model.Time, len(x.times))
	for i := range x.n {
		least := math.Inf(1)
		for c := range y {
			if t := x.time(i, c); t <= f.bound || x.in.Resplit.Known {
				least = math.Min(least, y[c]*float64(t))
			}
		}
		for c := range y {
			x.waste[i*len(y)+c] = model.Time(searchWaste * (y[c]*float64(x.time(i, c)) - least) / mean)
		}
	}
}

// newSearch prepares a search that depends on the seed and the number of moves only.
func (p *packing) newSearch(seed uint64, moves int) *search {
	return &search{packing: p, random: rand.New(rand.NewPCG(seed, uint64(p.set.First))), moves: moves}
}

// start takes an assignment and a limit.
func (x *search) start(slot []int32, limit model.Time) {
	x.slot = slices.Clone(slot)
	x.load = x.loads(slot)
	x.on, x.at = make([][]int32, x.m), make([]int32, x.n)
	x.used, x.limit, x.excess, x.step = 0, limit, 0, 0
	x.spend = model.Time(searchWaste * searchSpend * float64(x.Most) * float64(max(0, limit-x.bound)+x.unit))
	x.until = make([]int, min(searchTabu, x.n*x.m))
	for i, k := range slot {
		if len(x.on[k]) == 0 {
			x.used++
		}
		x.at[i] = int32(len(x.on[k]))
		x.on[k] = append(x.on[k], int32(i))
	}
	for _, load := range x.load {
		x.excess += max(0, load-limit)
	}
}

// over is the excess of a load.
func (x *search) over(load model.Time) model.Time { return max(0, load-x.limit) }

// move moves a partition.
func (x *search) move(i, to int32) {
	from := x.slot[i]
	x.excess -= x.over(x.load[from]) + x.over(x.load[to])
	x.load[from] -= x.packing.on(int(i), from)
	x.load[to] += x.packing.on(int(i), to)
	x.excess += x.over(x.load[from]) + x.over(x.load[to])
	last := x.on[from][len(x.on[from])-1]
	x.on[from][x.at[i]], x.at[last] = last, x.at[i]
	x.on[from] = x.on[from][:len(x.on[from])-1]
	if len(x.on[from]) == 0 {
		x.used--
	}
	if len(x.on[to]) == 0 {
		x.used++
	}
	x.slot[i], x.at[i] = to, int32(len(x.on[to]))
	x.on[to] = append(x.on[to], i)
}

// improve lowers the makespan of an assignment towards a lower bound until the moves are used up or ctx ends. Each
// limit that is tried lies half of the gap, then an eighth, … below the best makespan; a limit that is reached doubles
// the part. When no part is left, it begins again with twice the patience.
func (x *search) improve(ctx context.Context, slot []int32, lower model.Time) []int32 {
	best := slices.Clone(slot)
	cost := x.makespan(best)
	patience := searchPatience
	for part := model.Time(2); cost > lower && x.moves > 0 && ctx.Err() == nil; {
		limit := max(lower, cost-max(x.unit, (cost-lower)/part))
		limit -= limit % x.unit
		x.start(best, limit)
		if x.reach(ctx, patience) {
			best, cost, part = slices.Clone(x.slot), slices.Max(x.load), max(2, part/2)
			if x.better != nil {
				x.better(best)
			}
			continue
		}
		if part *= 4; (cost-lower)/part <= x.unit || part > searchParts {
			part, patience = 2, 2*patience
		}
	}
	return best
}

// reach searches until no load is above the limit; false: it gave up.
func (x *search) reach(ctx context.Context, patience int) bool {
	least, since := x.excess, 0
	for x.excess > 0 {
		if x.moves <= 0 || since > patience || x.step%64 == 0 && ctx.Err() != nil {
			return false
		}
		x.step++
		x.moves -= x.m
		x.advance(least)
		if since++; x.excess < least {
			least, since = x.excess, 0
		}
	}
	return true
}

// exchange is a partition that moves to a slot, and maybe one that takes its place.
type exchange struct {
	part, to, back int32
	excess, score  model.Time
	ties           int
}

// advance makes the best step off an overloaded slot that is not tabu.
func (x *search) advance(least model.Time) {
	from := x.overloaded()
	best := exchange{part: -1, back: -1}
	targets := x.targets(from)
	for _, to := range targets {
		x.try(from, to, least, &best)
	}
	if best.part < 0 {
		return
	}
	x.forbid(best.part, from)
	x.move(best.part, best.to)
	if best.back >= 0 {
		x.forbid(best.back, best.to)
		x.move(best.back, from)
	}
}

func (x *search) forbid(i, k int32) {
	x.until[x.hash(i, k)] = x.step + searchTenure + x.random.IntN(searchTenure)
}

// hash is where until keeps a partition and a slot; collisions forbid a little more.
func (x *search) hash(i, k int32) int { return (int(i)*x.m + int(k)) % len(x.until) }

// overloaded is a slot whose load is above the limit: mostly the largest, sometimes any.
func (x *search) overloaded() int32 {
	best, any, n := int32(-1), int32(-1), 0
	for k, load := range x.load {
		if load <= x.limit {
			continue
		}
		if best < 0 || load > x.load[best] {
			best = int32(k)
		}
		if n++; x.random.IntN(n) == 0 {
			any = int32(k)
		}
	}
	if x.random.IntN(3) == 0 {
		return any
	}
	return best
}

// targets are the slots that a step looks at: all but one, or the ones with the least loads and a random sample.
func (x *search) targets(from int32) []int32 {
	list := make([]int32, 0, x.m)
	for k := range int32(x.m) {
		if k != from && (len(x.on[k]) > 0 || x.used < x.Most || len(x.on[from]) == 1) {
			list = append(list, k)
		}
	}
	if len(x.on[from])*(x.n+len(list)) <= searchWide || len(list) <= 2*searchSample {
		return list
	}
	for k := range searchSample { // random ones to the front
		j := k + x.random.IntN(len(list)-k)
		list[k], list[j] = list[j], list[k]
	}
	rest := list[searchSample:]
	for k := range searchSample { // then those with the least loads
		least := k
		for j := k + 1; j < len(rest); j++ {
			if x.load[rest[j]] < x.load[rest[least]] {
				least = j
			}
		}
		rest[k], rest[least] = rest[least], rest[k]
	}
	return list[:2*searchSample]
}

// some are the partitions of two slots that a step looks at: all, or as many as searchPairs allows.
func (x *search) some(from, to int32) (leave, take []int32) {
	leave, take = x.on[from], x.on[to]
	if len(leave) <= searchPairs/max(1, len(take)) {
		return leave, take
	}
	part := func(list []int32, n int) []int32 {
		first := x.random.IntN(len(list) - n + 1)
		return list[first : first+n]
	}
	side := int(math.Sqrt(searchPairs))
	n := min(len(take), max(side, searchPairs/len(leave)))
	return part(leave, min(len(leave), searchPairs/max(1, n))), part(take, n)
}

// try looks at the moves and swaps between two slots, or some of them.
func (x *search) try(from, to int32, least model.Time, best *exchange) {
	rest := x.excess - x.over(x.load[from]) - x.over(x.load[to])
	fromClass, toClass := int(x.Class[from]), int(x.Class[to])
	leave, take := x.some(from, to)
	x.moves -= len(leave)
	for _, i := range leave {
		if x.wasted(i, toClass) > x.spend {
			continue
		}
		x.moves -= len(take)
		waste := x.wasted(i, toClass) - x.wasted(i, fromClass)
		out, in := x.load[from]-x.time(int(i), fromClass), x.load[to]+x.time(int(i), toClass)
		tabu := x.until[x.hash(i, to)] > x.step
		e := rest + x.over(out) + x.over(in)
		x.offer(exchange{i, to, -1, e, e + waste, 1}, tabu, least, best)
		for _, k := range take {
			e := rest + x.over(out+x.time(int(k), fromClass)) + x.over(in-x.time(int(k), toClass))
			if x.wasted(k, fromClass) > x.spend {
				continue
			}
			score := e + waste + x.wasted(k, fromClass) - x.wasted(k, toClass)
			if best.part >= 0 && score > best.score && e >= least {
				continue
			}
			x.offer(exchange{i, to, k, e, score, 1}, tabu || x.until[x.hash(k, from)] > x.step, least, best)
		}
	}
}

// offer keeps the better of two exchanges; of equal ones each with the same chance.
func (x *search) offer(e exchange, tabu bool, least model.Time, best *exchange) {
	if tabu && e.excess >= least {
		return
	}
	switch {
	case best.part < 0 || e.excess == 0 && best.excess > 0 || e.score < best.score:
		*best = e
	case e.score == best.score:
		e.ties = best.ties + 1
		if x.random.IntN(e.ties) == 0 {
			*best = e
		} else {
			best.ties = e.ties
		}
	}
}
