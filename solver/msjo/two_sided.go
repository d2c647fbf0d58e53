package msjo

import (
	"cmp"
	"context"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/msjo"
	"mrsched/solver"
)

// The kinds of prices of a task: see msjo.TwoSided.
const (
	priceBoth = iota
	priceForward
	priceBackward
	priceKinds
)

// The two ends from which a task's time counts.
const (
	fromHead = iota
	fromTail
	sides
)

// twoSided maximises the bound of msjo.TwoSided by mirror ascent. Prices are shares of their job's weight. A step
// multiplies each by e^(step·gain) and rescales them to the sum 1. Many become tiny, so it stores logarithms.
//
// The bound is concave in the prices. The gain of a price is a supergradient. It is the task's mean time in the forward
// schedule, or its earliest midpoint, plus its mean distance from the job's end in the backward schedule, or the least
// distance of its midpoint.
//
// Complexity: O(N log N) per step.   Source: mrsched; mirror ascent as in Beck and Teboulle, OR Letters 2003.
type twoSided struct {
	in     *msjo.Instance
	tasks  []int32          // of positive length, job by job
	first  []int32          // job j has tasks[first[j]:first[j+1]]
	p      []float64        // by position in tasks, seconds
	weight []float64        // by job
	alone  []float64        // by job: L_j, seconds
	end    [sides][]float64 // by position: head and tail, seconds
	order  [sides][]int32   // positions by head; job by job by tail
	mean   [sides][]float64 // by position, seconds from the side's end
	price  []float64        // per second of work, by position

	start, shares, logs, best jobShares // the ascent is from start to best
	gain                      [priceKinds][]float64
	direction                 [priceKinds][]float64 // moving average of gains less L_j
	machine                   *fluidMachine
}

// jobShares are shares of each job's weight.
type jobShares struct {
	price [priceKinds][]float64 // by position
	rest  []float64             // by job: the share that earns L_j
}

func newShares(positions, jobs int) (s jobShares) {
	for kind := range s.price {
		s.price[kind] = make([]float64, positions)
	}
	s.rest = make([]float64, jobs)
	return s
}

func (s *jobShares) take(from *jobShares) {
	for kind := range s.price {
		copy(s.price[kind], from.price[kind])
	}
	copy(s.rest, from.rest)
}

// newTwoSided takes the proven bounds of jobs alone from a certificate.
func newTwoSided(in *msjo.Instance, c *msjo.Certificate) (*twoSided, error) {
	tight, err := in.Tightened(c)
	if err != nil {
		return nil, err
	}
	s := &twoSided{in: in, first: make([]int32, in.Jobs+1)}
	for j := range in.Jobs {
		for u := range tasksOf(in, j) {
			if in.Least[u] > 0 {
				s.tasks = append(s.tasks, u)
				s.p = append(s.p, in.Least[u].Seconds())
				s.end[fromHead] = append(s.end[fromHead], tight.Head[u].Seconds())
				s.end[fromTail] = append(s.end[fromTail], tight.Tail[u].Seconds())
			}
		}
		s.first[j+1] = int32(len(s.tasks))
		s.weight = append(s.weight, in.Weight[j].Float())
		s.alone = append(s.alone, tight.Alone[j].Seconds())
	}
	n := len(s.tasks)
	for _, to := range []*jobShares{&s.start, &s.shares, &s.logs, &s.best} {
		*to = newShares(n, in.Jobs)
	}
	s.price, s.machine = make([]float64, n), newFluidMachine(in, n)
	for kind := range s.gain {
		s.gain[kind], s.direction[kind] = make([]float64, n), make([]float64, n)
	}
	for side := range s.end {
		s.mean[side], s.order[side] = make([]float64, n), upTo(n)
	}
	s.sort(fromHead, 0, int32(n))
	for j := range in.Jobs {
		s.sort(fromTail, s.first[j], s.first[j+1])
	}
	return s, nil
}

func (s *twoSided) sort(side int, from, to int32) {
	end := s.end[side]
	slices.SortStableFunc(s.order[side][from:to], func(a, b int32) int { return cmp.Compare(end[a], end[b]) })
}

// begin starts between two points: the forward prices of a relaxation, and no prices. It adds a small share of every
// price.
func (s *twoSided) begin(r *relaxation) {
	s.load(r.price)
	s.start.take(&s.shares)
	s.evenly()
	s.between()
	s.start.take(&s.shares)
	for j := range s.best.rest {
		s.best.rest[j] = 1
	}
	for kind := range s.best.price {
		clear(s.best.price[kind])
	}
	s.between()
	s.start.take(&s.shares)
	const even = leastShare / (priceKinds + 1)
	for j := range s.in.Jobs {
		var work float64
		for k := s.first[j]; k < s.first[j+1]; k++ {
			work += s.p[k]
		}
		s.logs.rest[j] = math.Log(even + (1-leastShare)*s.start.rest[j])
		for k := s.first[j]; k < s.first[j+1]; k++ {
			for kind := range priceKinds {
				s.logs.price[kind][k] = math.Log(even*s.p[k]/work + (1-leastShare)*s.start.price[kind][k])
			}
		}
	}
}

// evenly sets best to prices from both ends in proportion to lengths, as if jobs ran one after another on all machines.
func (s *twoSided) evenly() {
	for j := range s.in.Jobs {
		var work float64
		for k := s.first[j]; k < s.first[j+1]; k++ {
			work += s.p[k]
		}
		s.best.rest[j] = 1
		for k := s.first[j]; k < s.first[j+1]; k++ {
			s.best.price[priceBoth][k] = s.p[k] / work
			s.best.rest[j] = 0
		}
	}
}

// load converts forward prices per second of work to shares.
func (s *twoSided) load(price []float64) {
	factor, _ := affordable(s.in, price)
	for j := range s.in.Jobs {
		s.shares.rest[j] = 1
		for k := s.first[j]; k < s.first[j+1]; k++ {
			share := 0.0
			if s.weight[j] > 0 {
				share = max(0, price[s.tasks[k]]) * factor[j] * s.p[k] / s.weight[j]
			}
			s.shares.price[priceForward][k] = share
			s.shares.rest[j] -= share
		}
		s.shares.rest[j] = max(0, s.shares.rest[j])
	}
}

// scale converts logarithms to shares that add up to 1 for each job.
func (s *twoSided) scale() {
	for j := range s.in.Jobs {
		from, to := s.first[j], s.first[j+1]
		top := s.logs.rest[j]
		for kind := range priceKinds {
			for _, x := range s.logs.price[kind][from:to] {
				top = max(top, x)
			}
		}
		s.logs.rest[j] -= top
		s.shares.rest[j] = solver.Exp(s.logs.rest[j])
		sum := s.shares.rest[j]
		for kind := range priceKinds {
			for k := from; k < to; k++ {
				s.logs.price[kind][k] -= top
				s.shares.price[kind][k] = solver.Exp(s.logs.price[kind][k])
				sum += s.shares.price[kind][k]
			}
		}
		s.shares.rest[j] /= sum
		for kind := range priceKinds {
			for k := from; k < to; k++ {
				s.shares.price[kind][k] /= sum
			}
		}
	}
}

// run climbs until the steps are used up, the step is tiny or ctx ends. It leaves the shares of the best bound.
func (s *twoSided) run(ctx context.Context, opt solver.Options) {
	ascend(ctx, opt, len(s.tasks), ascent{
		evaluate: func() float64 { s.scale(); return s.evaluate() },
		turn:     s.turn, climb: s.climb,
		keep:   func() { s.best.take(&s.logs) },
		revert: func() { s.logs.take(&s.best) },
	})
	s.logs.take(&s.best)
	s.scale()
	s.best.take(&s.shares)
	s.between()
}

// between looks for the highest bound on the segment from start to best, where it is concave, and leaves its shares.
func (s *twoSided) between() {
	highest(func(x float64) float64 {
		for kind := range priceKinds {
			for k := range s.tasks {
				s.shares.price[kind][k] = x*s.best.price[kind][k] + (1-x)*s.start.price[kind][k]
			}
		}
		for j := range s.shares.rest {
			s.shares.rest[j] = x*s.best.rest[j] + (1-x)*s.start.rest[j]
		}
		return s.evaluate()
	})
}

// evaluate computes the bound and the gain of every price.
func (s *twoSided) evaluate() (value float64) {
	s.fluid(fromHead, 0, len(s.tasks))
	for j := range s.in.Jobs {
		s.fluid(fromTail, int(s.first[j]), int(s.first[j+1]))
		sum := s.shares.rest[j] * s.alone[j]
		for k := s.first[j]; k < s.first[j+1]; k++ {
			early, late := s.mean[fromHead][k], s.mean[fromTail][k]
			s.gain[priceBoth][k] = early + late
			s.gain[priceForward][k] = early + s.end[fromTail][k] + s.p[k]/2
			s.gain[priceBackward][k] = s.end[fromHead][k] + s.p[k]/2 + late
			for kind := range priceKinds {
				sum += s.shares.price[kind][k] * s.gain[kind][k]
			}
		}
		value += s.weight[j] * sum
	}
	return value
}

// turn mixes the gains, less the gain L_j of unpriced weight, into the direction.
func (s *twoSided) turn(mix float64) {
	for j := range s.in.Jobs {
		for kind := range priceKinds {
			for k := s.first[j]; k < s.first[j+1]; k++ {
				s.direction[kind][k] += mix * (s.gain[kind][k] - s.alone[j] - s.direction[kind][k])
			}
		}
	}
}

// climb adds the direction to the logarithms, relative to the largest gain or loss of the job.
func (s *twoSided) climb(rate float64) {
	for j := range s.in.Jobs {
		from, to := s.first[j], s.first[j+1]
		var top float64
		for kind := range priceKinds {
			for _, g := range s.gain[kind][from:to] {
				top = max(top, math.Abs(g-s.alone[j]))
			}
		}
		if top == 0 {
			continue
		}
		for kind := range priceKinds {
			for k := from; k < to; k++ {
				s.logs.price[kind][k] += rate * s.direction[kind][k] / top
			}
		}
	}
}

// fluid computes the mean times of the positions from … to−1, counted from one side.
func (s *twoSided) fluid(side, from, to int) {
	own := s.shares.price[priceForward]
	if side == fromTail {
		own = s.shares.price[priceBackward]
	}
	for k := from; k < to; k++ {
		s.price[k] = (s.shares.price[priceBoth][k] + own[k]) / s.p[k]
		if side == fromHead {
			s.price[k] *= s.weight[s.in.Job[s.tasks[k]]]
		}
	}
	s.machine.run(s.order[side][from:to], s.end[side], s.p, s.price, s.mean[side])
}

// certificate converts the shares to integer prices. A small loss makes sure that jobs can pay for them in spite of
// rounding.
func (s *twoSided) certificate(alone *msjo.Certificate) (cert *msjo.Certificate, err error) {
	in := s.in
	cert = twoSidedFrom(alone)
	price := func(kind, k int) float64 {
		return s.shares.price[kind][k] * s.weight[in.Job[s.tasks[k]]] / s.p[k]
	}
	var top float64
	for kind := range priceKinds {
		for k := range s.tasks {
			top = max(top, price(kind, k))
		}
	}
	if top > 0 {
		_, e := math.Frexp(top)
		cert.Denominator = 1 << min(max(0, priceBits-e), 62)
	}
	for loss := 0.0; loss < 1; loss = max(shave, loss*64) {
		for kind, to := range []*[]int64{&cert.Both, &cert.Forward, &cert.Backward} {
			*to = make([]int64, in.Tasks)
			for k, u := range s.tasks {
				(*to)[u] = int64(min(price(kind, k)*(1-loss)*float64(cert.Denominator), msjo.MaxPrice/2))
			}
		}
		if err = in.Sign(cert); err == nil {
			break
		}
	}
	return cert, err
}

// twoSidedFrom is a certificate without prices. It takes the proven bounds of jobs alone from another one.
func twoSidedFrom(alone *msjo.Certificate) *msjo.Certificate {
	return &msjo.Certificate{Claim: model.Claim{Method: methodTwoSided, Kind: msjo.KindTwoSided}, Denominator: 1,
		Ends: alone.Ends, Starts: alone.Starts, TwoSided: &msjo.TwoSided{Alone: alone.Alone}}
}

// forwardOnly is a certificate with the prices of an LP's certificate. It proves no less.
func forwardOnly(in *msjo.Instance, lp, alone *msjo.Certificate) (*msjo.Certificate, error) {
	cert := twoSidedFrom(alone)
	cert.Denominator = lp.Denominator
	cert.Forward = make([]int64, in.Tasks)
	for _, t := range lp.Terms {
		copy(cert.Forward, t.Prices)
	}
	cert.Both, cert.Backward = make([]int64, in.Tasks), make([]int64, in.Tasks)
	return cert, in.Sign(cert)
}
