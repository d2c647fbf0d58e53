package shop

import (
	"math"
	"math/bits"

	"mrsched/model"
)

// Packing proves that tasks do not fit on the machines within a time T. It uses a dual feasible function f of the
// lengths p: Σ f(p) ≤ 1 for any tasks that one machine can run within T. If Σ f(p) > m over all tasks, they do not fit.
//
// Lengths below Cut count as 0, lengths above T − Cut as T. With Steps k > 0, a length p for which (k+1)·p/T is no
// integer counts as ⌊(k+1)·p/T⌋·T/k. f(p) is the counted length divided by T.
//
// Source: Fekete and Schepers, Math. Program. 2001, f_0 and u^(k).
type Packing struct {
	Within model.Time `json:"within"`
	Cut    model.Time `json:"cut,omitempty"`
	Steps  int        `json:"steps,omitempty"`
}

// Refutes reports whether the function is dual feasible and tasks of these lengths do not fit on m machines.
func (p *Packing) Refutes(lengths []model.Time, m int) bool {
	t := p.Within
	if t < 0 || t > maxAlone || p.Cut < 0 || p.Cut > t/2 || p.Steps < 0 ||
		int64(p.Steps) >= math.MaxInt64/int64(max(1, t)) {
		return false
	}
	k := int64(max(1, p.Steps))
	var high, low, carry uint64 // Σ f(p)·k·T
	for _, length := range lengths {
		if length > t {
			return true
		}
		low, carry = bits.Add64(low, uint64(p.counts(length)), 0)
		high += carry
	}
	mostHigh, mostLow := bits.Mul64(uint64(m), uint64(k)*uint64(t))
	return high > mostHigh || high == mostHigh && low > mostLow
}

// counts is f(p)·k·T for a length of at most T.
func (p *Packing) counts(length model.Time) int64 {
	switch {
	case length < p.Cut || length == 0:
		return 0
	case length > p.Within-p.Cut:
		length = p.Within
	}
	x, t, k := int64(length), int64(p.Within), int64(p.Steps)
	switch {
	case k == 0:
		return x
	case (k+1)*x%t == 0:
		return k * x
	}
	return (k + 1) * x / t * t
}
