package unrelated

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"mrsched/model"
)

const (
	// A step looks at tabuSample machines if all machines would offer more than tabuWide moves and swaps.
	tabuSample, tabuWide = 12, 50_000
	// tabuPairs is how many swaps between two machines a step looks at: of machines with more tasks it looks at as many of
	// each, which lie anywhere among them.
	tabuPairs = 1 << 18
	// tabuPatience is how many steps without a new least excess end the search for a limit.
	tabuPatience = 400
	// tabuParts is the smallest part of the gap, one in this many, by which a search tries to improve.
	tabuParts = 2000
	// tabuHalf is the weight of excess in a score; that of waste is tabuWaste.
	tabuHalf = 2
	// tabuMemory is how many pairs of task and machine a search remembers.
	tabuMemory = 1 << 20
	// tabuTenure is for how many steps a task stays off a machine that it left, and a random number up to it more.
	tabuTenure = 8
)

// tabu is a tabu search for an assignment within a limit T on the loads. It minimises the total excess
// Σ_k max(0, load_k − T), and looks at a limited number of machines in each step.
type tabu struct {
	*Instance
	random *rand.Rand
	moves  int // that may still be tried

	machine Assignment
	load    []model.Time
	tasks   [][]int32 // by machine
	at      []int32   // by task: its index there
	used    int
	limit   model.Time
	excess  model.Time
	until   []int // by task and machine, hashed: the step until which it stays off
	step    int

	// waste is what a task wastes on a class, by task and class; nil: prices of machines are not known.
	waste  []model.Time
	factor model.Time // the weight of waste
	part   float64    // the share of the total allowed waste that one task may have
	spend  model.Time // the waste that one task may have
	bound  model.Time // of the prices

	back []backTask // of the machines that try looks at

	better func(Assignment) // receives better assignments that improve finds; may be nil
}

// newTabu prepares a search that depends on the seed and the number of moves only.
func (in *Instance) newTabu(seed uint64, moves int) *tabu {
	return &tabu{Instance: in, random: rand.New(rand.NewPCG(seed, in.stream)), moves: moves}
}

// guide makes steps prefer machines on which tasks waste little at the prices of a relaxation of value T: within a
// limit all tasks together waste at most R·(limit − T).
func (x *tabu) guide(f *relaxation) {
	x.bound = f.Value
	for _, w := range f.waste {
		x.waste = append(x.waste, model.Time(w))
	}
}

// tabuWaste are the factors by which waste counts, in halves of the excess, and tabuPart the values of part. None is
// good for all instances.
var (
	tabuWaste = [...]model.Time{1, 2, 4, 6, 10}
	tabuPart  = [...]float64{0.05, 0.15, 0.3}
)

// draw chooses the settings of the next search: the weight of waste, and how much of it a task may have.
func (x *tabu) draw() {
	x.factor = tabuWaste[x.random.IntN(len(tabuWaste))]
	x.part = tabuPart[x.random.IntN(len(tabuPart))]
}

// wasted is by how much price · time of a task on a class exceeds the least, in microseconds of the mean machine.
func (x *tabu) wasted(i int32, c int) model.Time {
	if x.waste == nil {
		return 0
	}
	return x.waste[int(i)*len(x.speed)+c]
}

// start takes an assignment and a limit.
func (x *tabu) start(a Assignment, limit model.Time) {
	x.machine = slices.Clone(a)
	x.load = x.loads(a)
	x.tasks, x.at = make([][]int32, x.m), make([]int32, x.n)
	x.used, x.limit, x.excess, x.step = 0, limit, 0, 0
	x.spend = model.Time(x.part * float64(x.most) * float64(max(0, limit-x.bound)+x.unit))
	x.until = make([]int, min(tabuMemory, x.n*x.m))
	for i, k := range a {
		if len(x.tasks[k]) == 0 {
			x.used++
		}
		x.at[i] = int32(len(x.tasks[k]))
		x.tasks[k] = append(x.tasks[k], int32(i))
	}
	for _, load := range x.load {
		x.excess += x.over(load)
	}
}

// over is the excess of a load.
func (x *tabu) over(load model.Time) model.Time { return max(0, load-x.limit) }

// move moves a task.
func (x *tabu) move(i, to int32) {
	from := x.machine[i]
	x.excess -= x.over(x.load[from]) + x.over(x.load[to])
	x.load[from] -= x.on(int(i), from)
	x.load[to] += x.on(int(i), to)
	x.excess += x.over(x.load[from]) + x.over(x.load[to])
	last := x.tasks[from][len(x.tasks[from])-1]
	x.tasks[from][x.at[i]], x.at[last] = last, x.at[i]
	x.tasks[from] = x.tasks[from][:len(x.tasks[from])-1]
	if len(x.tasks[from]) == 0 {
		x.used--
	}
	if len(x.tasks[to]) == 0 {
		x.used++
	}
	x.machine[i], x.at[i] = to, int32(len(x.tasks[to]))
	x.tasks[to] = append(x.tasks[to], i)
}

// improve lowers the makespan of an assignment towards a lower bound until the moves are used up or the context ends.
// Each limit lies a part of the gap below the best makespan: half, then an eighth, …; reaching a limit doubles the
// part. When no part is left, it begins again. The
// patience of attempts is that of Luby, Sinclair and Zuckerman (1993): mostly short, now and then long.
func (x *tabu) improve(ctx context.Context, a Assignment, lower model.Time) Assignment {
	best := slices.Clone(a)
	cost := x.Makespan(best)
	part := model.Time(2)
	for attempt := 1; cost > lower && x.moves > 0 && ctx.Err() == nil; attempt++ {
		down := max(x.unit, (cost-lower)/part/x.unit*x.unit)
		limit := max(lower, cost-down) / x.unit * x.unit
		x.draw()
		if x.start(best, limit); x.reach(ctx, tabuPatience*luby(attempt)) {
			best, cost, part = slices.Clone(x.machine), slices.Max(x.load), max(2, part/2)
			if x.better != nil {
				x.better(best)
			}
			continue
		}
		if part *= 4; down == x.unit || part > tabuParts {
			part = 2
		}
	}
	return best
}

// luby is the n-th number, from 1, of 1, 1, 2, 1, 1, 2, 4, 1, 1, 2, …
func luby(n int) int {
	for {
		top := 1 << (bits.Len(uint(n)) - 1)
		if n == 2*top-1 {
			return top
		}
		n -= top - 1
	}
}

// reach searches until no load is above the limit; false if it gave up.
func (x *tabu) reach(ctx context.Context, patience int) bool {
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

// exchange moves a task to a machine, and maybe another one back; −1: none.
type exchange struct {
	task, to, back int32
	excess, score  model.Time
	ties           int
}

// advance makes the best step off an overloaded machine that is not tabu.
func (x *tabu) advance(least model.Time) {
	from := x.overloaded()
	best := exchange{task: -1, back: -1}
	for _, to := range x.targets(from) {
		x.try(from, to, least, &best)
	}
	if best.task < 0 {
		return
	}
	x.forbid(best.task, from)
	x.move(best.task, best.to)
	if best.back >= 0 {
		x.forbid(best.back, best.to)
		x.move(best.back, from)
	}
}

func (x *tabu) forbid(i, k int32) {
	x.until[x.hash(i, k)] = x.step + tabuTenure + x.random.IntN(tabuTenure)
}

// hash is where until keeps a task and a machine; collisions forbid a little more.
func (x *tabu) hash(i, k int32) int { return (int(i)*x.m + int(k)) % len(x.until) }

// overloaded is a machine whose load is above the limit: mostly the largest load, sometimes any.
func (x *tabu) overloaded() int32 {
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

// targets are the machines that a step looks at: all but one, or those with the least loads and a random sample.
func (x *tabu) targets(from int32) []int32 {
	list := make([]int32, 0, x.m)
	for k := range int32(x.m) {
		if k != from && (len(x.tasks[k]) > 0 || x.used < x.most || len(x.tasks[from]) == 1) {
			list = append(list, k)
		}
	}
	if len(x.tasks[from])*(x.n+len(list)) <= tabuWide || len(list) <= 2*tabuSample {
		return list
	}
	for k := range tabuSample { // random ones to the front
		j := k + x.random.IntN(len(list)-k)
		list[k], list[j] = list[j], list[k]
	}
	rest := list[tabuSample:]
	for k := range tabuSample { // then those with the least loads
		least := k
		for j := k + 1; j < len(rest); j++ {
			if x.load[rest[j]] < x.load[rest[least]] {
				least = j
			}
		}
		rest[k], rest[least] = rest[least], rest[k]
	}
	return list[:2*tabuSample]
}

// some are the tasks of two machines that a step looks at: all, or as many as tabuPairs allows.
func (x *tabu) some(from, to int32) (leave, take []int32) {
	leave, take = x.tasks[from], x.tasks[to]
	if len(leave) <= tabuPairs/max(1, len(take)) {
		return leave, take
	}
	part := func(list []int32, n int) []int32 {
		first := x.random.IntN(len(list) - n + 1)
		return list[first : first+n]
	}
	side := int(math.Sqrt(tabuPairs))
	n := min(len(take), max(side, tabuPairs/len(leave)))
	return part(leave, min(len(leave), tabuPairs/max(1, n))), part(take, n)
}

// try looks at the moves and swaps between two machines, or some of them.
func (x *tabu) try(from, to int32, least model.Time, best *exchange) {
	rest := x.excess - x.over(x.load[from]) - x.over(x.load[to])
	fromClass, toClass := int(x.class[from]), int(x.class[to])
	leave, take := x.some(from, to)
	x.listBack(take, from, to)
	x.moves -= len(leave) + len(take)
	for _, i := range leave {
		if x.wasted(i, toClass) > x.spend {
			continue
		}
		x.moves -= len(x.back)
		waste := x.factor * (x.wasted(i, toClass) - x.wasted(i, fromClass))
		out, in := x.load[from]-x.time(int(i), fromClass), x.load[to]+x.time(int(i), toClass)
		tabu := x.until[x.hash(i, to)] > x.step
		e := rest + x.over(out) + x.over(in)
		x.offer(exchange{i, to, -1, e, tabuHalf*e + waste, 1}, tabu, least, best)
		for _, k := range x.back {
			e := rest + x.over(out+k.longer) + x.over(in-k.shorter)
			score := tabuHalf*e + waste + k.waste
			if best.task >= 0 && score > best.score && e >= least {
				continue
			}
			x.offer(exchange{i, to, k.task, e, score, 1}, tabu || k.tabu, least, best)
		}
	}
}

// backTask is a task that may come back in a swap, what it adds to one load and takes from the other.
type backTask struct {
	task                   int32
	tabu                   bool
	longer, shorter, waste model.Time
}

// listBack lists the tasks of a machine that do not waste too much on another one.
func (x *tabu) listBack(take []int32, from, to int32) {
	fromClass, toClass := int(x.class[from]), int(x.class[to])
	x.back = x.back[:0]
	for _, k := range take {
		if waste := x.wasted(k, fromClass); waste <= x.spend {
			x.back = append(x.back, backTask{k, x.until[x.hash(k, from)] > x.step, x.time(int(k), fromClass),
				x.time(int(k), toClass), x.factor * (waste - x.wasted(k, toClass))})
		}
	}
}

// offer keeps the better of two exchanges; of equal ones each with the same chance.
func (x *tabu) offer(e exchange, tabu bool, least model.Time, best *exchange) {
	if tabu && e.excess >= least {
		return
	}
	switch {
	case best.task < 0 || e.excess == 0 && best.excess > 0 || e.score < best.score:
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
