package realtime

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"mrsched/model"
)

// Lateness is what prices say about the jobs with a deadline; see Late.
type Lateness struct {
	in     *Instance
	prices []Price
	slots  [2][]int64 // by kind, by worker: its slots

	// Sure says which jobs are sure misses.
	Sure []bool
	// Head and End delimit the interval of a job's tasks of a kind, by kind, by job; Has says whether it has such
	// tasks. They are undefined for sure misses and for jobs without a deadline.
	Head, End [2][]model.Time
	Has       [2][]bool
	tail      []model.Time // by job
	// Work is c_j, by prices, by job.
	Work [][]int64
}

// mostWork bounds work and room; larger rooms make no difference.
const mostWork = 1 << 62

// Lateness evaluates the jobs. Errors: invalid prices, or prices too high for 62 bits.
func (in *Instance) Lateness(prices []Price) (*Lateness, error) {
	l := &Lateness{in: in, prices: prices, Sure: make([]bool, in.Jobs), tail: make([]model.Time, in.Jobs)}
	for k := range l.slots {
		l.slots[k] = make([]int64, in.Workers)
		l.Head[k], l.End[k], l.Has[k] = make([]model.Time, in.Jobs), make([]model.Time, in.Jobs), make([]bool, in.Jobs)
	}
	for s, w := range in.WorkerOf {
		l.slots[in.SlotKind[s]][w]++
	}
	for k := range prices {
		if err := l.checkPrices(k); err != nil {
			return nil, err
		}
	}
	for j := range int32(in.Jobs) {
		if in.Due[j] != NoDeadline {
			l.interval(j)
		}
	}
	l.Work = make([][]int64, len(prices))
	for k := range prices {
		l.Work[k] = make([]int64, in.Jobs)
		sum := uint64(0)
		for j := range int32(in.Jobs) {
			if in.Due[j] == NoDeadline || l.Sure[j] {
				continue
			}
			c := l.workOf(k, j)
			if sum += c; c >= mostWork || sum >= mostWork {
				return nil, fmt.Errorf("certificate: prices %d make work of more than 62 bits", k)
			}
			l.Work[k][j] = int64(c)
		}
	}
	return l, nil
}

// checkPrices checks a vector of prices.
func (l *Lateness) checkPrices(k int) error {
	p := &l.prices[k]
	kind := p.TaskKind()
	if p.Kind != kind.String() || p.Unit < 1 || len(p.Worker) != l.in.Workers {
		return fmt.Errorf("certificate: prices %d are for %q in units of %d, %d of %d workers", k, p.Kind, p.Unit,
			len(p.Worker), l.in.Workers)
	}
	sum := uint64(0)
	for w, y := range p.Worker {
		high, part := bits.Mul64(uint64(max(0, y)), uint64(l.slots[kind][w]))
		if sum += part; y < 0 || y > 0 && l.slots[kind][w] == 0 || high > 0 || part >= mostWork || sum >= mostWork {
			return fmt.Errorf("certificate: prices %d: worker %q has price %d", k, l.in.WorkerName(int32(w)), y)
		}
	}
	return nil
}

// Latest is the latest end of a task for which its job is on time; the job has a deadline and is not a sure miss.
func (l *Lateness) Latest(t int32) model.Time {
	j := l.in.jobOf[t]
	if l.in.IsMap(t) && l.Has[model.Reduce][j] {
		return l.in.Due[j] - l.in.Shuffle[t] - l.tail[j]
	}
	return l.in.Due[j]
}

// Tail is the least time of a job's reduce phase, whichever partitioner is used.
func (l *Lateness) Tail(j int32) model.Time { return l.tail[j] }

// SureMisses is the number of sure misses.
func (l *Lateness) SureMisses() (n int) {
	for _, sure := range l.Sure {
		if sure {
			n++
		}
	}
	return n
}

// interval sets Sure, Head and End of a job.
func (l *Lateness) interval(j int32) {
	in := l.in
	first, end, due := in.FirstMap[j], in.FirstMap[j+1], in.Due[j]
	l.Has[model.Map][j], l.Has[model.Reduce][j] = end > first, in.SetsOf(j)[0].Count > 0
	span := min(due-in.Release[j], model.MaxHorizon) // all tasks, one after another, take no longer
	if l.Has[model.Reduce][j] {
		l.tail[j] = span + 1
		for _, s := range in.SetsOf(j) {
			l.tail[j] = min(l.tail[j], l.together(model.Reduce, s.First, s.First+s.Count, int64(in.Reducers[j]), span))
		}
	}
	head, ended := in.Release[j], in.Release[j] // the earliest start of partitions, the earliest end of single tasks
	if l.Has[model.Map][j] {
		begin, last, shuffle := in.TaskRelease[first], model.Time(math.MinInt64), in.Shuffle[first]
		for t := first; t < end; t++ {
			begin, shuffle = min(begin, in.TaskRelease[t]), min(shuffle, in.Shuffle[t])
			last = max(last, l.Latest(t))
			e := in.TaskRelease[t] + in.Least(t)
			ended, head = max(ended, e), max(head, e+in.Shuffle[t])
		}
		e := begin + l.together(model.Map, first, end, int64(in.Slots), span)
		ended, head = max(ended, e), max(head, e+shuffle)
		l.Head[model.Map][j], l.End[model.Map][j] = begin, last
	}
	first, end = in.SetsOf(j)[0].First, in.SetsOf(j)[0].First+in.SetsOf(j)[0].Count
	if first < end && in.listed[first] != model.None { // then this is the only set
		least := NoDeadline
		for t := first; t < end; t++ {
			at := in.ReleaseOf(t)
			least = min(least, at)
			ended = max(ended, at+l.together(model.Reduce, t, t+1, int64(in.Reducers[j]), span))
		}
		head = max(head, least)
	}
	l.Head[model.Reduce][j], l.End[model.Reduce][j] = head, due
	l.Sure[j] = ended > due || l.Has[model.Reduce][j] && head+l.tail[j] > due
}

// together is the least time in which at most this many slots can do tasks first … end−1; more than span if that is too
// short.
func (l *Lateness) together(kind model.TaskKind, first, end int32, slots int64, span model.Time) model.Time {
	in, split := l.in, kind == model.Reduce && l.in.Resplit.Known
	least := make([]lane, 0, in.Workers)
	all := int64(0)
	for w, n := range l.slots[kind] {
		if n > 0 {
			least = append(least, lane{worker: int32(w), slots: n})
			all += n
		}
	}
	longest, sum, own := model.Time(0), model.Time(0), model.Time(0)
	for t := first; t < end; t++ {
		if t == first || !in.Alike(t, t-1) {
			own = NoDeadline
			for i := range least {
				p := in.Time(t, least[i].worker)
				own = min(own, p)
				if t == first || p < least[i].least {
					least[i].least = p
				}
			}
		}
		longest, sum = max(longest, own), sum+own
	}
	n := model.Time(max(1, min(slots, all)))
	slices.SortStableFunc(least, func(a, b lane) int { return cmp.Compare(a.least, b.least) })
	even := max((sum+n-1)/n, l.bySpeed(least, first, end, slots))
	if split {
		return even
	}
	longest, slots = max(longest, even), min(slots, int64(end-first))
	return leastEnough(longest, span, func(d model.Time) bool { return countWhole(least, slots, d) >= int64(end-first) })
}

// bySpeed is the least time in which at most this many slots can do tasks first … end−1 if a worker's price is as the
// inverse of the least time of a task there: no task costs less than on its cheapest worker, and the slots earn no more
// than the dearest of them. Workers are the fastest first.
func (l *Lateness) bySpeed(list []lane, first, end int32, slots int64) model.Time {
	if len(list) == 0 || list[0].least == 0 {
		return 0
	}
	price := make([]uint64, len(list))
	earned := uint64(0)
	for i, x := range list {
		high, low := bits.Mul64(laneScale, uint64(list[0].least))
		price[i], _ = bits.Div64(high, low, uint64(x.least))
		k := min(slots, x.slots)
		earned += uint64(k) * price[i]
		slots -= k
	}
	var sum, own [2]uint64 // high, low
	for t := first; t < end; t++ {
		if t == first || !l.in.Alike(t, t-1) {
			for i, x := range list {
				high, low := bits.Mul64(price[i], uint64(l.in.Time(t, x.worker)))
				if i == 0 || high < own[0] || high == own[0] && low < own[1] {
					own = [2]uint64{high, low}
				}
			}
		}
		low, carry := bits.Add64(sum[1], own[1], 0)
		sum = [2]uint64{sum[0] + own[0] + carry, low}
	}
	d, rest := bits.Div64(sum[0], sum[1], earned) // no more than the tasks take one after another on the fastest worker
	return model.Time(d) + model.Time(min(rest, 1))
}

// laneScale is the largest price of a worker in bySpeed.
const laneScale = 1 << 16

// lane is a worker's slots, and the least time of a task there.
type lane struct {
	worker int32
	slots  int64
	least  model.Time
}

// countWhole is the number of tasks that slots could do within d if each took the least of its worker; slots of faster
// workers come first.
func countWhole(list []lane, slots int64, d model.Time) (n int64) {
	for _, x := range list {
		k := min(slots, x.slots)
		if x.least == 0 {
			return mostWork
		}
		if high, low := bits.Mul64(uint64(k), uint64(d/x.least)); high > 0 || low >= mostWork-uint64(n) {
			return mostWork
		} else {
			n += int64(low)
		}
		if slots -= k; slots == 0 {
			break
		}
	}
	return n
}

// leastEnough is the least d in [low, span] for which enough, which is monotone, holds; max(low, span+1) if none.
func leastEnough(low, span model.Time, enough func(d model.Time) bool) model.Time {
	high := max(low, span+1)
	for low < high {
		if d := low + (high-low)/2; enough(d) {
			high = d
		} else {
			low = d + 1
		}
	}
	return high
}
