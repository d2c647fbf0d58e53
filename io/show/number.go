package show

import (
	"math"
	"math/big"
	"strings"

	"mrsched/model"
)

// Rational is a number's exact value. Results write no exponents, and one that has been tampered with may state any:
// the digits of 1e999999999 would fill the memory.
func Rational(n model.Number) (*big.Rat, bool) {
	if strings.ContainsAny(string(n), "eEpP/") {
		return nil, false
	}
	return n.Rat()
}

// Value is a number as people read it: in its unit, to about four digits, rounded in the given direction. A text that
// is no number stays, and an empty one is a dash.
func Value(n model.Number, unit model.Unit, mode model.Rounding) string {
	v, ok := Rational(n)
	if !ok {
		return Dash(string(n))
	}
	return rat(v, unit, mode)
}

// Time is a duration as people read it: 12.5 s, 0:28:20.
func Time(t model.Time) string {
	return Value(model.Number(t.String()), model.UnitSeconds, model.RoundDown)
}

// Moment is a point in time as people read it. Every table for people writes points in time by this function.
func Moment(t model.Time) string {
	return Value(model.Number(t.String()), model.UnitMoment, model.RoundDown)
}

// Clock is a time in seconds as h:mm:ss, however short it is: charts and pages have one unit for all times.
func Clock(seconds float64) string {
	v := new(big.Rat).SetFrac64(int64(math.Round(seconds*1e6)), 1e6)
	if v.Sign() < 0 {
		return "-" + clock(v.Neg(v), model.RoundDown)
	}
	return clock(v, model.RoundDown)
}

// Bytes is a size as people read it: 28.07 GB.
func Bytes(b model.Bytes) string {
	return Value(model.Number(b.String()), model.UnitBytes, model.RoundDown)
}

// Gap says, in per cent, how far an objective may lie above the optimum, given its ratio to a lower bound. It is
// rounded up, so that it never claims more than is proven.
func Gap(ratio model.Number) string { return Value(ratio, model.UnitRatio, model.RoundUp) }

// GapOf is the gap of a result. An optimal one has none, even if its bound is 0 or below the optimum.
func GapOf(status model.Status, ratio model.Number) string {
	if status == model.StatusOptimal {
		return "0 %"
	}
	return Gap(ratio)
}

// Grouped sets commas between the thousands of a decimal number.
func Grouped(number string) string {
	sign, digits := "", number
	if rest, negative := strings.CutPrefix(number, "-"); negative {
		sign, digits = "-", rest
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	if fraction != "" {
		fraction = "." + fraction
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	return sign + whole + fraction
}

// rat is Value of a rational.
func rat(v *big.Rat, unit model.Unit, mode model.Rounding) string {
	switch unit {
	case model.UnitRatio:
		return percent(new(big.Rat).Sub(v, one), mode)
	case model.UnitShare:
		return percent(v, mode)
	case model.UnitPercent:
		return percent(new(big.Rat).Quo(v, hundred), mode)
	}
	if v.Sign() < 0 {
		return "-" + rat(new(big.Rat).Neg(v), unit, opposite(mode))
	}
	switch unit {
	case model.UnitSeconds, model.UnitMoment:
		if v.Cmp(minute) >= 0 {
			return clock(v, mode)
		}
		return plain(v, 4, mode) + " s"
	case model.UnitBytes:
		return prefixed(v, mode, "B")
	case model.UnitByteCost:
		return strings.TrimSpace(prefixed(v, mode, ""))
	}
	return plain(v, plainDigits, mode)
}

// plainDigits is how many digits numbers without a unit keep; those before the point always stay.
const plainDigits = 6

// plain cuts a number that is not negative to some digits, at most three of them behind the point if it is at least 1.
func plain(v *big.Rat, digits int, mode model.Rounding) string {
	if v.Cmp(one) >= 0 {
		whole := len(new(big.Int).Quo(v.Num(), v.Denom()).String())
		return Grouped(model.FormatRat(v, min(max(digits-whole, 0), 3), mode))
	}
	decimals := 3
	for x := new(big.Rat).Mul(v, ten); x.Sign() > 0 && x.Cmp(one) < 0 && decimals < maxDecimals; decimals++ {
		x.Mul(x, ten)
	}
	return model.FormatRat(v, decimals+1, mode)
}

// maxDecimals is how many decimals a number may have before it is shown as 0 or, rounded up, as the smallest one.
const maxDecimals = 12

// percent is a part of a whole, to two decimals.
func percent(v *big.Rat, mode model.Rounding) string {
	return Grouped(model.FormatRat(new(big.Rat).Mul(v, hundred), 2, mode)) + " %"
}

// prefixed is a number to four digits with a decimal prefix: 28.07 GB.
func prefixed(v *big.Rat, mode model.Rounding, unit string) string {
	prefixes := []string{"", "k", "M", "G", "T", "P", "E"}
	x, k := v, 0
	for x.Cmp(thousand) >= 0 && k < len(prefixes)-1 {
		x, k = new(big.Rat).Quo(x, thousand), k+1
	}
	return plain(x, 4, mode) + " " + prefixes[k] + unit
}

// clock is a time as h:mm:ss. Below ten minutes tenths matter.
func clock(v *big.Rat, mode model.Rounding) string {
	decimals := 0
	if v.Cmp(tenMinutes) < 0 {
		decimals = 1
	}
	text, tenths, _ := strings.Cut(model.FormatRat(v, decimals, mode), ".")
	seconds, _ := new(big.Int).SetString(text, 10)
	minutes, s := new(big.Int).DivMod(seconds, sixty, new(big.Int))
	hours, m := new(big.Int).DivMod(minutes, sixty, new(big.Int))
	two := func(n *big.Int) string { return ("0" + n.String())[len(n.String())-1:] }
	text = Grouped(hours.String()) + ":" + two(m) + ":" + two(s)
	if tenths != "" {
		text += "." + tenths
	}
	return text
}

func opposite(mode model.Rounding) model.Rounding {
	if mode == model.RoundUp {
		return model.RoundDown
	}
	return model.RoundUp
}

var (
	one        = big.NewRat(1, 1)
	ten        = big.NewRat(10, 1)
	hundred    = big.NewRat(100, 1)
	thousand   = big.NewRat(1000, 1)
	minute     = big.NewRat(60, 1)
	tenMinutes = big.NewRat(600, 1)
	sixty      = big.NewInt(60)
)
