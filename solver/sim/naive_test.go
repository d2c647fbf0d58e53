package sim

import (
	"math/big"

	"mrsched/model"
)

// naive is the network without classes, virtual time or increments. It handles every flow separately and recomputes all
// rates at every change, in integers of any size.
type naive struct {
	capacities []Rate
	now        model.Time
	flows      []*naiveFlow // in the order of their start
	bytes      []*big.Int   // by link, of ended flows
}

type naiveFlow struct {
	id     FlowID
	tag    int64
	demand Demand
	volume model.Bytes
	left   *big.Int // grains
}

func bigGrains(b model.Bytes) *big.Int {
	return new(big.Int).Mul(big.NewInt(int64(b)), new(big.Int).SetUint64(grains))
}

func (f *naiveFlow) arrived() *big.Int {
	z := new(big.Int).Sub(bigGrains(f.volume), f.left)
	return z.Div(z, new(big.Int).SetUint64(grains))
}

func (m *naive) levels() []Rate {
	demands := make([]Demand, len(m.flows))
	for i, f := range m.flows {
		demands[i] = f.demand
	}
	return MaxMin(m.capacities, demands)
}

// next is the first time at which some flow has no bytes left.
func (m *naive) next() (model.Time, bool) {
	first := never
	levels := m.levels()
	for i, f := range m.flows {
		switch {
		case levels[i] == Unlimited || f.left.Sign() <= 0:
			first = min(first, m.now)
		case levels[i] > 0:
			rate := new(big.Int).Mul(big.NewInt(int64(levels[i])), big.NewInt(f.demand.Weight))
			wait, rest := new(big.Int).DivMod(f.left, rate, new(big.Int))
			if rest.Sign() > 0 {
				wait.Add(wait, big.NewInt(1))
			}
			first = min(first, m.now+model.Time(wait.Int64()))
		}
	}
	return first, first < never
}

// move lets time pass without a completion in between.
func (m *naive) move(t model.Time) {
	for i, level := range m.levels() {
		if f := m.flows[i]; level < Unlimited {
			got := new(big.Int).Mul(big.NewInt(int64(level)), big.NewInt(f.demand.Weight))
			f.left.Sub(f.left, got.Mul(got, big.NewInt(int64(t-m.now))))
		}
	}
	m.now = t
}

func (m *naive) advance(t model.Time) (done []Completion) {
	for {
		next, ok := m.next()
		if !ok || next > t {
			m.move(t)
			return done
		}
		levels := m.levels()
		m.move(next)
		var stay []*naiveFlow
		for i, f := range m.flows {
			if f.left.Sign() > 0 && levels[i] < Unlimited {
				stay = append(stay, f)
				continue
			}
			f.left.SetInt64(0)
			m.count(f)
			done = append(done, Completion{next, f.id, f.tag, f.volume})
		}
		m.flows = stay
	}
}

func (m *naive) count(f *naiveFlow) {
	for _, l := range f.demand.Links {
		m.bytes[l].Add(m.bytes[l], f.arrived())
	}
}
