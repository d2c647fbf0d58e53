package sim

import "math/bits"

// wide is an unsigned integer modulo 2^128. Service in units of 1/(1024·10⁶) byte passes 2^63 at 9 GB.
type wide struct{ high, low uint64 }

func product(x, y uint64) wide {
	high, low := bits.Mul64(x, y)
	return wide{high, low}
}

func (x wide) plus(y wide) wide {
	low, carry := bits.Add64(x.low, y.low, 0)
	high, _ := bits.Add64(x.high, y.high, carry)
	return wide{high, low}
}

func (x wide) minus(y wide) wide {
	low, borrow := bits.Sub64(x.low, y.low, 0)
	high, _ := bits.Sub64(x.high, y.high, borrow)
	return wide{high, low}
}

func (x wide) times(y uint64) wide {
	z := product(x.low, y)
	z.high += x.high * y
	return z
}

func (x wide) less(y wide) bool { return x.high < y.high || x.high == y.high && x.low < y.low }

// over divides, rounding down; y > 0.
func (x wide) over(y uint64) wide {
	high := x.high / y
	low, _ := bits.Div64(x.high%y, x.low, y)
	return wide{high, low}
}

// overUp divides, rounding up; y > 0 and x <= 2^128 − y.
func (x wide) overUp(y uint64) wide { return x.plus(wide{0, y - 1}).over(y) }
