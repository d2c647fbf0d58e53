package model

import (
	"math"
	"math/bits"
	"strings"
)

// Time is a point in time or a duration, in microseconds. Files state seconds.
type Time int64

// Second is one second.
const Second Time = 1_000_000

// MaxTime bounds every single time in a file (about 146 000 years), so that adding two of them cannot overflow.
const MaxTime = Time(math.MaxInt64 / 2)

// ParseTime reads seconds, for instance "12.5"; see ParseFixed.
func ParseTime(s string) (Time, error) {
	v, err := ParseFixed(s, microDigits)
	if err == nil && Time(v) > MaxTime {
		return 0, ErrOverflow
	}
	return Time(v), err
}

// ParseSignedTime is ParseTime for times that may be negative.
func ParseSignedTime(s string) (Time, error) {
	bare, negative := strings.CutPrefix(s, "-")
	if negative && strings.HasPrefix(bare, "+") {
		return 0, ErrNotANumber
	}
	t, err := ParseTime(bare)
	if negative {
		t = -t
	}
	return t, err
}

// String prints seconds without trailing zeros.
func (t Time) String() string { return FormatFixed(int64(t), microDigits) }

// Seconds is t as a floating-point number of seconds, for LPs and charts only.
func (t Time) Seconds() float64 { return float64(t) / float64(Second) }

// TimeOf rounds seconds to a Time; seconds must be finite, non-negative and below MaxTime.
func TimeOf(seconds float64) Time { return Time(math.Round(seconds * float64(Second))) }

// AddTime adds two non-negative times and reports whether the sum fits.
func AddTime(a, b Time) (Time, bool) {
	s := a + b
	return s, s >= a
}

// MarshalCSV writes seconds.
func (t Time) MarshalCSV() (string, error) { return t.String(), nil }

// UnmarshalCSV reads seconds, which may be negative: a task that runs already starts before time 0.
func (t *Time) UnmarshalCSV(s string) (err error) {
	*t, err = ParseSignedTime(s)
	return err
}

// MarshalJSON writes seconds as a JSON number.
func (t Time) MarshalJSON() ([]byte, error) { return AppendFixed(nil, int64(t), microDigits), nil }

// UnmarshalJSON reads a JSON number of seconds, which may be negative.
func (t *Time) UnmarshalJSON(b []byte) (err error) {
	*t, err = ParseSignedTime(string(b))
	return err
}

// Weight is a job's or task's importance, in millionths.
type Weight int64

// UnitWeight is the weight 1.
const UnitWeight Weight = 1_000_000

// ParseWeight reads a decimal weight; see ParseFixed.
func ParseWeight(s string) (Weight, error) {
	v, err := ParseFixed(s, microDigits)
	return Weight(v), err
}

// String prints the decimal weight without trailing zeros.
func (w Weight) String() string { return FormatFixed(int64(w), microDigits) }

// Float is w as a floating-point number, for LPs and charts only.
func (w Weight) Float() float64 { return float64(w) / float64(UnitWeight) }

// WeightOf rounds a finite, non-negative number to a Weight.
func WeightOf(v float64) Weight { return Weight(math.Round(v * float64(UnitWeight))) }

// MarshalJSON writes a JSON number.
func (w Weight) MarshalJSON() ([]byte, error) { return AppendFixed(nil, int64(w), microDigits), nil }

// Cost is the price of a reduce slot per unit of intermediate data, in millionths.
type Cost int64

// UnitCost is the cost 1.
const UnitCost Cost = 1_000_000

// ParseCost reads a decimal cost; see ParseFixed.
func ParseCost(s string) (Cost, error) {
	v, err := ParseFixed(s, microDigits)
	return Cost(v), err
}

// String prints the decimal cost without trailing zeros.
func (c Cost) String() string { return FormatFixed(int64(c), microDigits) }

// Float is c as a floating-point number, for LPs and charts only.
func (c Cost) Float() float64 { return float64(c) / float64(UnitCost) }

// CostOf rounds a finite, non-negative number to a Cost.
func CostOf(v float64) Cost { return Cost(math.Round(v * float64(UnitCost))) }

// MarshalJSON writes a JSON number.
func (c Cost) MarshalJSON() ([]byte, error) { return AppendFixed(nil, int64(c), microDigits), nil }

// Amount is how much of a named resource something has or needs, in millionths.
type Amount int64

// UnitAmount is the amount 1.
const UnitAmount Amount = 1_000_000

// ParseAmount reads a decimal amount; see ParseFixed.
func ParseAmount(s string) (Amount, error) {
	v, err := ParseFixed(s, microDigits)
	return Amount(v), err
}

// String prints the decimal amount without trailing zeros.
func (a Amount) String() string { return FormatFixed(int64(a), microDigits) }

// Bytes is a size in bytes.
type Bytes int64

// ParseBytes reads a whole, non-negative number of bytes (1e6 is accepted, 1.5 is not).
func ParseBytes(s string) (Bytes, error) {
	var buf [scanBuffer]byte
	d, err := scanDecimal(s, buf[:0])
	if err != nil {
		return 0, err
	}
	if d.negative && len(d.digits) > 0 {
		return 0, ErrNegative
	}
	for k := range len(d.digits) {
		if place := len(d.digits) - 1 - k + d.exponent; place < 0 && d.digits[k] != '0' {
			return 0, ErrNotANumber
		}
	}
	v, err := ParseFixed(s, 0)
	return Bytes(v), err
}

// Share is b·part/all, rounded down, for 0 ≤ part ≤ all and all above 0. Differences of the shares of growing parts add
// up to b.
func (b Bytes) Share(part, all Bytes) Bytes {
	high, low := bits.Mul64(uint64(b), uint64(part))
	q, _ := bits.Div64(high, low, uint64(all))
	return Bytes(q)
}

// String prints the number of bytes.
func (b Bytes) String() string { return FormatFixed(int64(b), 0) }

// Optional is a value that a file may leave out. Unknown values are absent, never 0 or -1.
type Optional[T any] struct {
	Value T
	Known bool
}

// Some is a known value.
func Some[T any](v T) Optional[T] { return Optional[T]{v, true} }

// Or returns the value, or the given one if it is unknown.
func (o Optional[T]) Or(otherwise T) T {
	if o.Known {
		return o.Value
	}
	return otherwise
}

// GCD is the greatest common divisor of two non-negative numbers; that of 0 and b is b.
func GCD[T ~int64 | ~uint64](a, b T) T {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
