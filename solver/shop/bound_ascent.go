package shop

import (
	"cmp"
	"context"
	"math"
	"slices"

	"mrsched/solver"
	"mrsched/solver/bound"
)

// twoSidedWork bounds steps times payments.
const twoSidedWork = 16_000_000

// run climbs and leaves the payments of the best bound between the start and the end, where it is concave.
func (s *twoSided) run(ctx context.Context, opt solver.Options) float64 {
	a := bound.Ascent{Work: twoSidedWork / ((len(s.item) + len(s.task)) * s.options),
		Evaluate: func() float64 { s.pay(); return s.evaluate() }, Turn: s.turn, Climb: s.climb,
		Keep: func() { s.best.take(&s.logs) }, Revert: func() { s.logs.take(&s.best) }}
	a.Run(ctx, opt)
	s.logs.take(&s.best)
	s.pay()
	s.to.take(&s.now)
	return bound.Highest(func(x float64) float64 {
		s.now.mix(x, &s.to, &s.start)
		return s.evaluate()
	})
}

// normal turns logarithms into shares that add up to 1, and subtracts the maximum from the logarithms.
func normal(logs, share []float64) {
	top := slices.Max(logs)
	var sum float64
	for i := range logs {
		logs[i] -= top
		share[i] = solver.Exp(logs[i])
		sum += share[i]
	}
	for i := range share {
		share[i] /= sum
	}
}

// pay computes payments from logarithms.
func (s *twoSided) pay() {
	o := s.options
	clear(s.price)
	paid := s.price // by position
	for g, t := range s.targets {
		logs := s.logs.item[t.from:t.to]
		top := s.logs.rest[g]
		for _, x := range logs {
			top = max(top, x)
		}
		s.logs.rest[g] -= top
		sum := solver.Exp(s.logs.rest[g])
		for i := range logs {
			logs[i] -= top
			sum += solver.Exp(logs[i])
		}
		for i := int(t.from); i < int(t.to); i++ {
			amount := t.weight * solver.Exp(s.logs.item[i]) / sum
			paid[s.item[i]] += amount
			now := s.now.back[i*o : (i+1)*o]
			normal(s.logs.back[i*o:(i+1)*o], now)
			for k := range now {
				now[k] *= amount
			}
		}
	}
	for k := range s.task {
		now := s.now.forth[k*o : (k+1)*o]
		normal(s.logs.forth[k*o:(k+1)*o], now)
		for i := range now {
			now[i] *= paid[k]
		}
	}
}

// evaluate returns the bound, and leaves in gain what every payment earns.
func (s *twoSided) evaluate() (value float64) {
	o := s.options
	for r := range s.area {
		area := s.area[r]
		for k := range s.task {
			if s.price[k] = 0; area[k] > 0 {
				s.price[k] = s.now.forth[k*o+r] / area[k]
			}
		}
		s.fluid.Run(s.byHead, s.head, func(k int32) float64 { return area[k] }, s.price, s.speeds[r], s.mean[r])
		for i, k := range s.item {
			if s.price[i] = 0; area[k] > 0 {
				s.price[i] = s.now.back[i*o+r] / area[k]
			}
		}
		most := []FluidSpeed{{0, topSpeed(s.speeds[r])}}
		for _, t := range s.targets {
			s.fluid.Run(s.order[t.from:t.to], s.tail, func(i int32) float64 { return area[s.item[i]] }, s.price, most,
				s.back[r])
		}
	}
	for k := range s.task {
		for i := range o {
			s.gain.forth[k*o+i] = s.head[k] + s.p[k]/2
			if i < len(s.area) {
				s.gain.forth[k*o+i] = s.mean[i][k]
			}
			value += s.now.forth[k*o+i] * s.gain.forth[k*o+i]
		}
	}
	for _, t := range s.targets {
		value += t.weight * max(0, t.least-t.due)
		later := max(t.least, t.due)
		for i := int(t.from); i < int(t.to); i++ {
			for k := range o {
				s.gain.back[i*o+k] = s.tail[i] + s.p[s.item[i]]/2
				if k < len(s.area) {
					s.gain.back[i*o+k] = s.back[k][i]
				}
				value += s.now.back[i*o+k] * (s.gain.back[i*o+k] - later)
			}
		}
	}
	return value
}

// turn mixes the gains, less what else the weight would earn, into the direction.
func (s *twoSided) turn(mix float64) {
	o := s.options
	worth := s.price // by position
	for k := range s.task {
		worth[k] = turned(s.logs.forth[k*o:(k+1)*o], s.gain.forth[k*o:(k+1)*o], s.direction.forth[k*o:(k+1)*o], mix)
	}
	for _, t := range s.targets {
		later := max(t.least, t.due)
		for i := int(t.from); i < int(t.to); i++ {
			own := turned(s.logs.back[i*o:(i+1)*o], s.gain.back[i*o:(i+1)*o], s.direction.back[i*o:(i+1)*o], mix)
			s.gain.item[i] = own + worth[s.item[i]] - later
			s.direction.item[i] += mix * (s.gain.item[i] - s.direction.item[i])
		}
	}
}

// turned mixes what options earn more than their mean into the direction, and returns the mean. The logarithms'
// maximum is 0.
func turned(logs, gain, direction []float64, mix float64) (mean float64) {
	var sum float64
	for i, g := range gain {
		x := solver.Exp(logs[i])
		mean += x * g
		sum += x
	}
	mean /= sum
	for i, g := range gain {
		direction[i] += mix * (g - mean - direction[i])
	}
	return mean
}

// climb changes the logarithms in the direction, relative to the largest gain or loss of the target.
func (s *twoSided) climb(rate float64) {
	o := s.options
	scale := s.price // by position: the largest of its targets
	clear(scale)
	for _, t := range s.targets {
		top := 0.0
		for i := t.from; i < t.to; i++ {
			top = max(top, math.Abs(s.gain.item[i]))
		}
		if top == 0 {
			continue
		}
		for i := int(t.from); i < int(t.to); i++ {
			scale[s.item[i]] = max(scale[s.item[i]], top)
			s.logs.item[i] += rate * s.direction.item[i] / top
			for k := i * o; k < (i+1)*o; k++ {
				s.logs.back[k] += rate * s.direction.back[k] / top
			}
		}
	}
	for k := range s.task {
		if scale[k] > 0 {
			for i := k * o; i < (k+1)*o; i++ {
				s.logs.forth[i] += rate * s.direction.forth[i] / scale[k]
			}
		}
	}
}

func sortBy(list []int32, value []float64) {
	slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(value[a], value[b]) })
}
