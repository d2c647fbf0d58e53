package shop

import (
	"math"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver/bound"
)

// target is the end of a job, or of everything, and the tasks before it.
type target struct {
	job      int32
	weight   float64
	due      float64 // seconds; 0 if the cost grows from 0 on
	least    float64 // seconds: the earliest end
	from, to int32   // its items
}

// twoSided maximises the bound of shop.TwoSided by mirror ascent. Each job divides its weight between its earliest
// end and the tasks before it; each of these pays its share for its distance from the end, by one pool or by latency,
// and again for its place among all tasks. A step multiplies every share by e^(step·gain) and scales the shares so that
// they add up to 1 again. It keeps logarithms, because many shares become tiny.
//
// The bound is concave in what is paid. A supergradient is what each payment earns: the task's mean time in the
// forward schedule, or its earliest midpoint, and its mean distance in the backward schedule, or the least distance
// of its midpoint.
//
// Complexity: O(N log N) per step and pool.   Source: mrsched; mirror ascent as in Beck and Teboulle, OR Letters 2003.
type twoSided struct {
	in      *shop.Instance
	options int // of paying: by each pool, by latency

	task    []int32 // by position: tasks of positive length that are not fixed
	p, head []float64
	area    [][]float64 // by pool and position
	speeds  [][]FluidSpeed
	targets []target
	item    []int32   // by item: position
	tail    []float64 // by item
	order   []int32   // items, target by target, by tail
	byHead  []int32   // positions

	// shares, in logarithms: of items and of the rest in their target's weight, of options in each item's and
	// position's payment
	logs, best shares
	now, to    payments // to is where the last search ends
	first      payments // those of begin, or an LP's
	start      payments // the part of first that proves most

	gain, direction shares
	price           []float64 // by position or item; reused
	mean            [][]float64
	back            [][]float64
	fluid           *Fluid
}

// shares are numbers by item, target, item and option, position and option.
type shares struct{ item, rest, back, forth []float64 }

// payments are what items pay, by option, and what positions pay, by option.
type payments struct{ back, forth []float64 }

func (s *twoSided) newShares() shares {
	return shares{make([]float64, len(s.item)), make([]float64, len(s.targets)),
		make([]float64, len(s.item)*s.options), make([]float64, len(s.task)*s.options)}
}

func (s *shares) take(from *shares) {
	copy(s.item, from.item)
	copy(s.rest, from.rest)
	copy(s.back, from.back)
	copy(s.forth, from.forth)
}

func (p *payments) take(from *payments) {
	copy(p.back, from.back)
	copy(p.forth, from.forth)
}

// mix is x·a + (1 − x)·b.
func (p *payments) mix(x float64, a, b *payments) {
	for i := range p.back {
		p.back[i] = x*a.back[i] + (1-x)*b.back[i]
	}
	for i := range p.forth {
		p.forth[i] = x*a.forth[i] + (1-x)*b.forth[i]
	}
}

// mostAncestors bounds the items of jobs that wait for others, for each task.
const mostAncestors = 4

// newTwoSided lays out positions and items; nil if there is nothing to price.
func newTwoSided(in *shop.Instance, e *shop.Evaluator, pooled []*shop.Pooled, w *shop.Windows,
	forward []float64) *twoSided {
	s := &twoSided{in: in, options: len(pooled) + 1, area: make([][]float64, len(pooled))}
	at := make([]int32, in.Tasks)
	ofJob := make([][]int32, in.Jobs) // positions
	for u := range int32(in.Tasks) {
		if at[u] = model.None; in.Fixed(u) || in.Least[u] == 0 {
			continue
		}
		at[u] = int32(len(s.task))
		ofJob[in.Job[u]] = append(ofJob[in.Job[u]], at[u])
		s.task = append(s.task, u)
		s.p = append(s.p, in.Least[u].Seconds())
		s.head = append(s.head, w.Head[u].Seconds())
		for r, x := range pooled {
			s.area[r] = append(s.area[r], float64(x.Area[u])/float64(model.Second))
		}
	}
	for _, x := range pooled {
		s.speeds = append(s.speeds, speedsOf(x))
	}
	room := mostAncestors * in.Tasks
	for _, j := range in.Targets() {
		t := target{job: j, weight: float64(in.TargetWeight(j)), from: int32(len(s.item))}
		if t.weight == 0 {
			continue
		}
		if j == shop.AllJobs {
			t.least = w.All.Seconds()
			for k := range s.task {
				s.add(int32(k), e.All[s.task[k]])
			}
		} else {
			t.least = w.Job[j].Seconds()
			if in.Objective == shop.Tardiness {
				t.due = in.Due[j].Seconds()
			}
			for _, k := range ofJob[j] {
				s.add(k, w.Tail[s.task[k]])
			}
			s.addAncestors(e, w, j, ofJob, &room)
		}
		if t.to = int32(len(s.item)); t.to > t.from {
			s.targets = append(s.targets, t)
		}
	}
	if len(s.targets) == 0 || s.options == 1 {
		return nil
	}
	s.prepare(forward)
	return s
}

func (s *twoSided) add(k int32, tail model.Time) {
	s.item, s.tail = append(s.item, k), append(s.tail, tail.Seconds())
}

// addAncestors adds the tasks of the jobs that a job waits for, while there is room.
func (s *twoSided) addAncestors(e *shop.Evaluator, w *shop.Windows, j int32, ofJob [][]int32, room *int) {
	if *room <= 0 || !e.Waits(j) {
		return
	}
	before := e.Before(j)
	size := 0
	for k := range before {
		size += len(ofJob[k])
	}
	if *room -= size + len(before); *room < 0 {
		return
	}
	for k := range int32(s.in.Jobs) {
		far, ok := before[k]
		for _, i := range ofJob[k] {
			if ok {
				s.add(i, w.Tail[s.task[i]]+far)
			}
		}
	}
}

func (s *twoSided) prepare(forward []float64) {
	n := len(s.task)
	s.order, s.byHead = model.Indices(len(s.item)), model.Indices(n)
	sortBy(s.byHead, s.head)
	for _, t := range s.targets {
		sortBy(s.order[t.from:t.to], s.tail)
	}
	for _, x := range []*shares{&s.logs, &s.best, &s.gain, &s.direction} {
		*x = s.newShares()
	}
	for _, x := range []*payments{&s.now, &s.to, &s.first, &s.start} {
		*x = payments{make([]float64, len(s.item)*s.options), make([]float64, n*s.options)}
	}
	s.price = make([]float64, max(n, len(s.item)))
	for range s.options - 1 {
		s.mean, s.back = append(s.mean, make([]float64, n)), append(s.back, make([]float64, len(s.item)))
	}
	s.fluid = NewFluid(max(n, len(s.item)))
	top := s.busiest()
	s.begin(top)
	s.pay()
	if forward != nil {
		s.blend(top, forward)
	}
	s.first.take(&s.now)
	bound.Highest(func(x float64) float64 {
		s.now.mix(x, &s.first, &s.start)
		return s.evaluate()
	})
	s.start.take(&s.now)
}

// leastShare is the share of a weight that is spread over all its prices at the start.
const leastShare = 0.003

// busiest is the pool that is busiest with all tasks.
func (s *twoSided) busiest() (top int) {
	busy := make([]float64, len(s.area))
	for r, area := range s.area {
		for _, a := range area {
			busy[r] += a
		}
		if busy[r] /= s.speeds[r][len(s.speeds[r])-1].Speed + 1e-9; busy[r] > busy[top] {
			top = r
		}
	}
	return top
}

// blend looks for the best start between the present payments and those of an LP's prices, which are shares of its
// job's weight by task: for its place a task pays by a pool, for its distance by latency.
func (s *twoSided) blend(top int, forward []float64) {
	o := s.options
	s.first.take(&s.now)
	clear(s.to.back)
	clear(s.to.forth)
	for _, t := range s.targets {
		for i := t.from; i < t.to; i++ {
			k := s.item[i]
			s.to.back[int(i+1)*o-1] = t.weight * forward[s.task[k]]
			s.to.forth[int(k)*o+top] += t.weight * forward[s.task[k]]
		}
	}
	bound.Highest(func(x float64) float64 {
		s.now.mix(x, &s.to, &s.first)
		return s.evaluate()
	})
	for g, t := range s.targets {
		rest, even := t.weight, leastShare/float64(t.to-t.from)
		for i := int(t.from); i < int(t.to); i++ {
			paid := logarithms(s.logs.back[i*o:(i+1)*o], s.now.back[i*o:(i+1)*o])
			s.logs.item[i] = math.Log(even + paid/t.weight)
			rest -= paid
		}
		s.logs.rest[g] = math.Log(leastShare + max(0, rest)/t.weight)
	}
	for k := range s.task {
		logarithms(s.logs.forth[k*o:(k+1)*o], s.now.forth[k*o:(k+1)*o])
	}
}

// logarithms are those of the options' shares in what is paid, and a little of each. It returns the sum paid.
func logarithms(logs, paid []float64) (sum float64) {
	for _, v := range paid {
		sum += v
	}
	for i, v := range paid {
		share := 1 / float64(len(paid))
		if sum > 0 {
			share = v/sum + leastShare/float64(len(paid))
		}
		logs[i] = math.Log(share)
	}
	return sum
}

// begin gives tasks of a job payments in proportion to their areas in a pool.
func (s *twoSided) begin(top int) {
	option := func(logs []float64, k int32) {
		for o := range logs {
			logs[o] = math.Log(leastShare / float64(s.options))
		}
		if s.area[top][k] > 0 {
			logs[top] = 0
		} else {
			logs[s.options-1] = 0
		}
	}
	for g, t := range s.targets {
		var sum float64
		for i := t.from; i < t.to; i++ {
			sum += s.area[top][s.item[i]]
		}
		for i := t.from; i < t.to; i++ {
			share := leastShare / float64(t.to-t.from)
			if sum > 0 {
				share += (1 - 2*leastShare) * s.area[top][s.item[i]] / sum
			}
			s.logs.item[i] = math.Log(share)
			option(s.logs.back[int(i)*s.options:int(i+1)*s.options], s.item[i])
		}
		s.logs.rest[g] = math.Log(leastShare)
		if sum == 0 || t.least < t.due {
			s.logs.rest[g] = 0
		}
	}
	for k := range int32(len(s.task)) {
		option(s.logs.forth[int(k)*s.options:int(k+1)*s.options], k)
	}
}
