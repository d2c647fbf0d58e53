package model

import (
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Errors of ParseFixed. Readers convert them to findings.
var (
	ErrNotANumber = errors.New("not a decimal number")
	ErrNegative   = errors.New("negative number")
	ErrOverflow   = errors.New("number too large")
)

// microDigits is how many decimal digits times and weights keep.
const microDigits = 6

// ParseFixed reads a non-negative decimal such as 12.5 or 3e-2 as an integer number of 10^-digits,
// rounded half away from zero. The result is at most MaxInt64.
//
// Errors: ErrNotANumber (also NaN, Inf, hexadecimal and empty text), ErrNegative, ErrOverflow.
func ParseFixed(s string, digits int) (int64, error) {
	var buf [scanBuffer]byte
	d, err := scanDecimal(s, buf[:0])
	if err != nil {
		return 0, err
	}
	if d.negative && len(d.digits) > 0 {
		return 0, ErrNegative
	}
	v, ok := d.scaled(digits)
	if !ok {
		return 0, ErrOverflow
	}
	return v, nil
}

// scannedDecimal is digits × 10^exponent, the digits without leading zeros.
type scannedDecimal struct {
	digits   []byte
	exponent int
	negative bool
}

// scanBuffer holds the digits of any ordinary number; longer ones are allocated.
const scanBuffer = 40

// scanDecimal takes a number apart; it appends the digits to buf, which the caller keeps on its stack.
func scanDecimal(s string, buf []byte) (scannedDecimal, error) {
	d := scannedDecimal{digits: buf}
	i := 0
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		d.negative = s[i] == '-'
		i++
	}
	seen, point := false, false
	for ; i < len(s); i++ {
		c := s[i]
		if c == '.' && !point {
			point = true
			continue
		}
		if c < '0' || c > '9' {
			break
		}
		seen = true
		if point {
			d.exponent--
		}
		if c != '0' || len(d.digits) > 0 {
			d.digits = append(d.digits, c)
		}
	}
	if !seen {
		return d, ErrNotANumber
	}
	if i == len(s) {
		return d, nil
	}
	e, err := scanExponent(s[i:])
	d.exponent += e
	return d, err
}

// scanExponent reads "e12", "E-3"; huge exponents saturate at a value that over- or underflows.
func scanExponent(s string) (int, error) {
	if s[0] != 'e' && s[0] != 'E' {
		return 0, ErrNotANumber
	}
	s = s[1:]
	sign := 1
	if s != "" && (s[0] == '-' || s[0] == '+') {
		if s[0] == '-' {
			sign = -1
		}
		s = s[1:]
	}
	if s == "" {
		return 0, ErrNotANumber
	}
	e := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, ErrNotANumber
		}
		e = min(e*10+int(s[i]-'0'), 1<<20)
	}
	return sign * e, nil
}

// scaled returns |d|·10^digits rounded half away from zero, and whether it fits.
func (d scannedDecimal) scaled(digits int) (int64, bool) {
	if len(d.digits) == 0 {
		return 0, true
	}
	shift := d.exponent + digits
	whole := len(d.digits) + shift
	switch {
	case whole < 0:
		return 0, true
	case whole > 19:
		return 0, false
	}
	var v uint64
	for i := range whole {
		c := byte('0')
		if i < len(d.digits) {
			c = d.digits[i]
		}
		v = v*10 + uint64(c-'0')
	}
	if whole < len(d.digits) && d.digits[whole] >= '5' {
		v++
	}
	return int64(v), v <= math.MaxInt64
}

// FormatFixed prints v·10^-digits without trailing zeros, as ParseFixed reads it.
func FormatFixed(v int64, digits int) string {
	return string(AppendFixed(nil, v, digits))
}

// AppendFixed appends FormatFixed(v, digits) to b; digits are at most 18.
func AppendFixed(b []byte, v int64, digits int) []byte {
	u := uint64(v)
	if v < 0 {
		b = append(b, '-')
		u = -u
	}
	scale := uint64(1)
	for range digits {
		scale *= 10
	}
	b = strconv.AppendUint(b, u/scale, 10)
	rest := u % scale
	if rest > 0 {
		b = append(b, '.')
	}
	for ; rest > 0; rest = rest * 10 % scale {
		b = append(b, '0'+byte(rest*10/scale))
	}
	return b
}

// Rounding says which way FormatRat rounds.
type Rounding int

// Bounds are printed rounded down and ratios up, so that a printed claim never says more than the proof.
const (
	RoundDown Rounding = iota
	RoundUp
)

// FormatRat prints a rational with at most the given number of decimals, rounded in the given direction, without
// trailing zeros.
func FormatRat(r *big.Rat, digits int, mode Rounding) string {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
	num := new(big.Int).Mul(r.Num(), scale)
	q, rest := new(big.Int).DivMod(num, r.Denom(), new(big.Int)) // rest ≥ 0: q is rounded down
	if mode == RoundUp && rest.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	sign := ""
	if q.Sign() < 0 {
		sign = "-"
	}
	text := q.Abs(q).String()
	if digits == 0 {
		return sign + text
	}
	if pad := digits + 1 - len(text); pad > 0 {
		text = strings.Repeat("0", pad) + text
	}
	whole, frac := text[:len(text)-digits], strings.TrimRight(text[len(text)-digits:], "0")
	if frac == "" {
		return sign + whole
	}
	return sign + whole + "." + frac
}
