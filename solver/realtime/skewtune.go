package realtime

import (
	"context"
	"math"
	"math/bits"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

const (
	// whole is the number of units of a partition. A piece is a whole number of units; a unit of an hour is less than a
	// hundredth of a microsecond.
	whole = 1 << 40
	// leastGain is the share of a straggler's remaining time that a re-split has to save. Without it, estimates that are
	// wrong by orders of magnitude cause millions of re-splits.
	leastGain = 0.01
)

// solveSkewtune starts from hash. Whenever a reducer idles, it splits the remaining work of the straggler, the reducer
// expected to end last, over the straggler and all idle reducers, so that they are expected to end together. Each
// further piece of a partition takes longer by the cost of a split. The straggler is left alone if it is expected to
// need at most twice that cost, or if a split would save less than leastGain. A reducer's progress on its partition is
// observed, as Hadoop reports it; the time for the rest is an estimate.
//
// Each row is as long as its units take, rounded up, and the pieces of a partition have all of its units.
//
// Complexity: O(events · R + re-splits · (p + R) · log time).   Ties: the first reducer. Source: Kwon, Balazinska,
// Howe, Rolia, SIGMOD 2012. Differs: partitions are divisible, not lists of keys; partitions that the straggler has not
// begun move too, at no cost unless they are cut; reducers without a partition from the start take part.
func solveSkewtune(ctx context.Context, r *run, opt solver.Options) (*solver.Outcome, error) {
	b, err := r.expects()
	if err != nil {
		return nil, err
	}
	out := &solver.Outcome{Status: model.StatusFeasible}
	var entries []model.Entry
	now, resplits := model.Time(0), 0
	for j := range int32(r.in.Jobs) {
		opt.Report(int(j), r.in.Jobs)
		a, err := r.assign("hash", j, b, nil)
		if err != nil {
			return nil, err
		}
		s := newMitigation(r.in, b, a, now)
		s.run(ctx)
		now, resplits, entries = s.now, resplits+s.resplits, append(entries, s.entries...)
	}
	out.Schedule = &model.Schedule{Entries: byTask(entries)}
	out.Facts = Facts{Resplits: &resplits}
	if ctx.Err() != nil {
		out.Status = model.StatusLimit
	}
	return out, nil
}

type piece struct {
	part  int32 // of the set
	units int64
}

// reducer processes pieces on a slot, one after another.
type reducer struct {
	slot, worker int32
	todo         []piece    // in order; if busy, the first is the current one
	rest         model.Time // how long the others are expected to take
	busy         bool
	start        model.Time // of the current piece; begin is when its cost of splitting is paid
	begin, end   model.Time
}

// mitigation simulates the reduce phase of a job in true time.
type mitigation struct {
	in       *realtime.Instance
	b        expectation
	set      realtime.Set
	cost     model.Time
	now      model.Time
	reducers []reducer
	begun    []model.Time // by partition: when its first piece started; negative: not yet
	solid    []bool       // by partition: must not be cut, because on some worker it takes no time
	entries  []model.Entry
	resplits int
}

func newMitigation(in *realtime.Instance, b expectation, a assignment, now model.Time) *mitigation {
	s := &mitigation{in: in, b: b, set: a.set, cost: in.Resplit.Value, now: now, begun: make([]model.Time, a.set.Count),
		solid: make([]bool, a.set.Count)}
	if a.set.Count == 0 {
		return s
	}
	at := map[int32]int{}
	for _, slot := range reducersOf(in, a) {
		at[slot] = len(s.reducers)
		s.reducers = append(s.reducers, reducer{slot: slot, worker: in.WorkerOf[slot]})
	}
	for _, k := range descending(in, a.set) {
		x := &s.reducers[at[a.slot[k]]]
		x.todo = append(x.todo, piece{k, whole})
		s.begun[k], s.solid[k] = -1, in.Least(a.set.First+k) == 0
	}
	for i := range s.reducers {
		s.renew(&s.reducers[i])
	}
	return s
}

// run simulates until all is done. After ctx has ended it splits nothing.
func (s *mitigation) run(ctx context.Context) {
	for {
		idle, next := false, model.Time(-1)
		for i := range s.reducers {
			x := &s.reducers[i]
			for x.busy && x.end <= s.now {
				s.finish(x)
			}
			switch {
			case !x.busy:
				idle = true
			case next < 0 || x.end < next:
				next = x.end
			}
		}
		if next < 0 {
			return
		}
		if idle && ctx.Err() == nil && s.resplit() {
			s.resplits++
			continue // the straggler's remainder may be done
		}
		s.now = next
	}
}

// begin starts the next piece of a reducer, if there is one. All pieces of a partition except the first pay the cost of
// splitting. They start strictly later than the first, so that it is clear which one that is.
func (s *mitigation) begin(x *reducer) {
	if x.busy = len(x.todo) > 0; !x.busy {
		return
	}
	c := x.todo[0]
	x.start = s.now
	x.begin = x.start
	if first := s.begun[c.part]; first >= 0 {
		x.start = max(s.now, first+1)
		x.begin = x.start + s.cost
	} else {
		s.begun[c.part] = s.now
	}
	x.end = x.begin + s.truly(x, c)
}

// finish ends the current piece of a reducer and starts the next.
func (s *mitigation) finish(x *reducer) {
	s.entries = append(s.entries, model.Entry{Task: model.TaskIndex(s.set.First + x.todo[0].part), Machine: x.slot,
		Start: x.start, End: x.end})
	if x.todo = x.todo[1:]; len(x.todo) > 0 {
		x.rest -= s.expected(x, x.todo[0])
	}
	s.begin(x)
}

// renew starts an idle reducer and adds up its rest after its list has changed.
func (s *mitigation) renew(x *reducer) {
	if !x.busy {
		s.begin(x)
	}
	x.rest = 0
	for _, c := range x.todo[min(1, len(x.todo)):] {
		x.rest += s.expected(x, c)
	}
}

// truly is how long a piece takes on a reducer, without the cost of splitting, rounded up.
func (s *mitigation) truly(x *reducer, c piece) model.Time {
	return pieceTime(c.units, s.in.Time(s.set.First+c.part, x.worker))
}

// expects is how long a partition is expected to take on a reducer, capped so that sums do not overflow.
func (s *mitigation) expects(x *reducer, part int32) model.Time {
	return min(s.b.Time(s.set.First+part, x.worker), model.MaxHorizon/model.Time(s.set.Count+1))
}

// expected is how long a waiting piece is expected to take on a reducer; one that is not whole pays for the split.
func (s *mitigation) expected(x *reducer, c piece) model.Time {
	t := pieceTime(c.units, s.expects(x, c.part))
	if c.units < whole {
		t += s.cost
	}
	return t
}

// pieceTime is how long some units of a partition take, rounded up, if all of it takes p.
func pieceTime(units int64, p model.Time) model.Time {
	return model.Time(mulDiv(units, int64(p), whole, whole-1))
}

// unitsIn is how many of some units fit into a time if the whole partition takes p.
func unitsIn(t, p model.Time, units int64) int64 {
	if t <= 0 {
		return 0
	}
	return min(mulDiv(int64(t), whole, int64(p), 0), units)
}

// mulDiv is ⌊(a·b + more)/c⌋; the largest integer if that is larger or c is 0.
func mulDiv(a, b, c, more int64) int64 {
	high, low := bits.Mul64(uint64(a), uint64(b))
	low, carry := bits.Add64(low, uint64(more), 0)
	if high+carry >= uint64(c) {
		return math.MaxInt64
	}
	n, _ := bits.Div64(high+carry, low, uint64(c))
	return int64(min(n, math.MaxInt64))
}

// progress is how many units of its current piece a reducer has done, rounded up, and how long it still pays for the
// split.
func (s *mitigation) progress(x *reducer) (done int64, wait model.Time) {
	worked := s.now - x.begin
	if worked <= 0 {
		return 0, -worked
	}
	p := int64(s.in.Time(s.set.First+x.todo[0].part, x.worker)) // above worked, or the piece would be done
	return min(mulDiv(int64(worked), whole, p, p-1), x.todo[0].units), 0
}

// remaining is how long a busy reducer is expected to need.
func (s *mitigation) remaining(x *reducer) model.Time {
	done, wait := s.progress(x)
	return wait + pieceTime(x.todo[0].units-done, s.expects(x, x.todo[0].part)) + x.rest
}

// resplit splits the remaining work of the straggler if that is expected to help.
func (s *mitigation) resplit() bool {
	var straggler *reducer
	var idle []*reducer
	left := model.Time(0)
	for i := range s.reducers {
		x := &s.reducers[i]
		if !x.busy {
			idle = append(idle, x)
		} else if t := s.remaining(x); t > left {
			straggler, left = x, t
		}
	}
	if straggler == nil || left <= 2*s.cost {
		return false
	}
	high := left - max(1, model.Time(leastGain*float64(left)))
	best := s.divide(straggler, idle, high)
	if best == nil {
		return false
	}
	for low := model.Time(0); low+1 < high; { // the least time that suffices
		middle := (low + high) / 2
		if d := s.divide(straggler, idle, middle); d != nil {
			best, high = d, middle
		} else {
			low = middle
		}
	}
	for k, x := range append([]*reducer{straggler}, idle...) {
		if x.todo = best[k]; len(x.todo) > 0 {
			s.renew(x)
		}
	}
	straggler.end = straggler.begin + s.truly(straggler, straggler.todo[0])
	return true
}

// divide tries to divide the remaining work of a straggler so that it is done within a time: the straggler, then one
// idle reducer after another, takes as much as it is expected to finish. It returns the work of each, the straggler
// first, or nil if something is left.
func (s *mitigation) divide(straggler *reducer, idle []*reducer, within model.Time) [][]piece {
	done, wait := s.progress(straggler)
	line := append([]piece(nil), straggler.todo...)
	list := make([][]piece, 1+len(idle))
	c := &line[0] // part of it must stay
	all, p := c.units, s.expects(straggler, c.part)
	stays := done + unitsIn(within-wait, p, all-done)
	if stays == 0 || stays < all && s.solid[c.part] {
		return nil
	}
	list[0] = []piece{{c.part, stays}}
	if c.units -= stays; c.units == 0 {
		list[0], line = s.take(straggler, list[0], line[1:], within-wait-pieceTime(all-done, p))
	}
	for k, x := range idle {
		list[1+k], line = s.take(x, nil, line, within)
	}
	if len(line) > 0 {
		return nil
	}
	return list
}

// take gives a reducer the first pieces of a line that it is expected to finish within a time, and cuts the last one.
// It returns the reducer's list and the rest of the line.
func (s *mitigation) take(x *reducer, list, line []piece, within model.Time) (own, rest []piece) {
	for len(line) > 0 {
		c := &line[0]
		if t := s.expected(x, *c); t <= within {
			within -= t
			list, line = append(list, *c), line[1:]
			continue
		}
		if s.solid[c.part] {
			break
		}
		if n := unitsIn(within-s.cost, s.expects(x, c.part), c.units-1); n > 0 {
			list = append(list, piece{c.part, n})
			c.units -= n
		}
		break
	}
	return list, line
}
