package search

import (
	"context"
	"math"
	"time"

	"golang.org/x/sync/errgroup"

	"mrsched/solver"
)

// Chains are the chains of a search, with what it needs to know of them. The best schedule of a chain is the cheapest
// that it has seen.
type Chains[C any] struct {
	List []C
	// Step tries one change; left falls from 1 to 0 over the run.
	Step func(c C, left float64)
	// Better says whether the best schedule of a is cheaper than that of b. Cost is that of a chain's best schedule, in
	// the unit of the objective.
	Better func(a, b C) bool
	Cost   func(c C) float64
	// Follow lets a chain continue from the best schedule of another: after every round of the given number those of all
	// chains, or, without rounds, after every epoch those that lag behind.
	Follow func(c, best C)
	Rounds int
	Epoch  int // iterations of a chain between reports
	Steps  int // of an iteration
	// Aim is a cost at which a search ends, After as many more iterations as it says.
	Aim   float64
	After int
	// Beside, if set, is a part of another search. It knows the least cost, and returns one at which the search ends. One
	// part works beside each epoch or, under a time limit with two threads, one after another has a thread of its own.
	Beside func(ctx context.Context, least float64) (aim float64)

	Done  int // iterations so far
	total int
	round int
	begin time.Time
	until time.Time // deadline; zero: none
}

// Run searches until opt.Iterations are used up or ctx ends, and reports whether ctx ended it.
func (x *Chains[C]) Run(ctx context.Context, opt solver.Options) (limited bool) {
	x.total, x.round, x.begin = opt.Iterations, x.Rounds-1, time.Now()
	x.until, _ = ctx.Deadline()
	other := x.beside(ctx, opt)
	defer other.stop()
	for past := 0; x.Done < x.total; {
		if x.met() {
			if past >= x.After {
				return false
			}
			past += x.Epoch * len(x.List)
		}
		n := min(x.Epoch, (x.total-x.Done+len(x.List)-1)/len(x.List))
		made := make([]int, len(x.List))
		other.start()
		x.each(opt.Threads-other.threads, func(k int) { made[k] = x.epoch(ctx, x.List[k], n, opt.Watch) })
		for _, k := range made {
			x.Done = min(x.total, x.Done+k)
		}
		other.meet()
		opt.Report(x.Done, x.total)
		now, _ := Round(x.left(x.Done), x.Rounds)
		if x.Rounds == 0 || now != x.round {
			x.round = now
			x.follow()
		}
		if ctx.Err() != nil {
			return true
		}
	}
	if !x.met() {
		opt.Watch.UsedUp()
	}
	return false
}

// other is the search beside the chains.
type other struct {
	start, meet, stop func()
	threads           int // that it takes
}

// beside prepares the other search.
func (x *Chains[C]) beside(ctx context.Context, opt solver.Options) other {
	if x.Beside == nil {
		return other{func() {}, func() {}, func() {}, 0}
	}
	threads := min(1, opt.Threads-1)
	alone := !x.until.IsZero() && threads > 0
	ctx, cancel := context.WithCancel(ctx)
	aim, running := make(chan float64, 1), false
	return other{func() {
		if running {
			return
		}
		least := x.Cost(x.Best())
		if running = true; threads == 0 {
			aim <- x.Beside(ctx, least)
			return
		}
		go func() { aim <- x.Beside(ctx, least) }()
	}, func() {
		if alone && len(aim) == 0 {
			return
		}
		x.Aim, running = max(x.Aim, <-aim), false
	}, func() {
		if cancel(); running {
			<-aim
		}
	}, threads}
}

// epoch makes up to n iterations of a chain, and returns their number. It ends with the round, or when nothing is left
// to gain.
func (x *Chains[C]) epoch(ctx context.Context, c C, n int, watch *solver.Watch) int {
	best, done := x.Cost(c), x.Done
	for k := range n * x.Steps {
		left := x.left(done + k/x.Steps*len(x.List))
		if now, _ := Round(left, x.Rounds); x.Rounds > 0 && now != x.round || ctx.Err() != nil ||
			x.After == 0 && best <= x.Aim {
			return k / x.Steps
		}
		x.Step(c, left)
		if cost := x.Cost(c); cost < best {
			best = cost
			watch.Incumbent(best, "")
		}
	}
	return n
}

// Each runs work on every chain, on at most the given number of threads.
func (x *Chains[C]) Each(threads int, work func(c C)) {
	x.each(threads, func(k int) { work(x.List[k]) })
}

func (x *Chains[C]) each(threads int, work func(k int)) {
	var g errgroup.Group
	g.SetLimit(max(1, threads))
	for k := range x.List {
		g.Go(func() error { work(k); return nil })
	}
	_ = g.Wait() // work returns no errors
}

// Best is the chain with the cheapest schedule; ties: the first.
func (x *Chains[C]) Best() C {
	best := x.List[0]
	for _, c := range x.List[1:] {
		if x.Better(c, best) {
			best = c
		}
	}
	return best
}

func (x *Chains[C]) met() bool { return x.Cost(x.Best()) <= x.Aim }

func (x *Chains[C]) follow() {
	best := x.Best()
	for _, c := range x.List {
		if x.Rounds > 0 || x.Better(best, c) {
			x.Follow(c, best)
		}
	}
}

// left falls from 1 to 0 with the iterations or, under a deadline, with the time, whichever is nearer to the end.
func (x *Chains[C]) left(done int) float64 {
	left := 1 - float64(done)/float64(x.total)
	if all := x.until.Sub(x.begin); !x.until.IsZero() && all > 0 {
		left = min(left, float64(time.Until(x.until))/float64(all))
	}
	return max(0, left)
}

// Round is the number of the round, counted down to 0, and the share of it that is left.
func Round(left float64, rounds int) (number int, part float64) {
	at := float64(rounds) * left
	number = max(0, int(math.Ceil(at))-1)
	return number, at - float64(number)
}
