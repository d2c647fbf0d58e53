package show

import (
	"math"
	"math/big"
	"strings"

	"mrsched/model"
)

// Rational is a number's exact value. Results contain no exponents, and it accepts none: the digits of 1e999999999 in a
// manipulated result would fill the memory.
func Rational(n model.Number) (*big.Rat, bool) {
	if strings.ContainsAny(string(n), "eEpP/") {
		return nil, false
	}
	return n.Rat()
}

// Value is a number as people read it: in its unit, to about four digits, rounded in the given direction. A text that
// is not a number stays as it is; an empty one becomes a dash.
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

// Clock is a time in seconds as h:mm:ss, however short it is: charts and pages have one unit for all times.
func Clock(seconds float64) string {
	v := new(big.Rat).SetFrac64(int64(math.Round(seconds*1e6)), 1e6)
	sign := ""
	if v.Sign() < 0 {
		sign = "-"
		v.Neg(v)
	}
	return sign + clockOf(v).text(v, model.RoundDown)
}

// Gap says, in per cent, how far an objective may lie above the optimum, given its ratio to a lower bound. It is
// rounded up, so that it never claims more than is proven.
func Gap(ratio model.Number) string { return Value(ratio, model.UnitRatio, model.RoundUp) }

// Optimum is the ratio that a table shows of a result: that of an optimal one is 1, even if its bound is 0 or below the
// optimum.
func Optimum(status model.Status, ratio model.Number) model.Number {
	if status == model.StatusOptimal {
		return "1"
	}
	return ratio
}

// GapOf is the gap of a result.
func GapOf(status model.Status, ratio model.Number) string { return Gap(Optimum(status, ratio)) }

// GapColumn is the column of gaps; its values are ratios.
func GapColumn() Column {
	return Column{Name: "ratio", Title: "GAP", Unit: model.UnitRatio, Mode: model.RoundUp,
		About: "at most this far above the optimum"}
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

// rat is Value for a rational.
func rat(v *big.Rat, unit model.Unit, mode model.Rounding) string {
	switch unit {
	case model.UnitRatio:
		return percent(new(big.Rat).Sub(v, one), mode)
	case model.UnitShare:
		return percent(v, mode)
	case model.UnitPercent:
		return percent(new(big.Rat).Quo(v, hundred), mode)
	}
	return inStyle(v, unit, clockOf(v), mode)
}

// inStyle is rat for times in a given format, and for units that are not parts of a whole.
func inStyle(v *big.Rat, unit model.Unit, c clock, mode model.Rounding) string {
	if v.Sign() < 0 {
		return "-" + inStyle(new(big.Rat).Neg(v), unit, c, opposite(mode))
	}
	switch unit {
	case model.UnitSeconds:
		return duration(v, c, mode)
	case model.UnitMoment:
		return moment(v, c, mode)
	case model.UnitBytes:
		return prefixed(v, mode, "B")
	case model.UnitByteCost:
		return strings.TrimSpace(prefixed(v, mode, ""))
	}
	return plain(v, mode)
}

// shownDigits is how many digits numbers keep; those before the point always stay.
const shownDigits = 4

// plain cuts a number that is not negative to shownDigits.
func plain(v *big.Rat, mode model.Rounding) string {
	if v.Cmp(one) >= 0 {
		whole := len(new(big.Int).Quo(v.Num(), v.Denom()).String())
		return Grouped(model.FormatRat(v, max(shownDigits-whole, 0), mode))
	}
	decimals := shownDigits
	for x := new(big.Rat).Mul(v, ten); x.Sign() > 0 && x.Cmp(one) < 0 && decimals < maxDecimals; decimals++ {
		x.Mul(x, ten)
	}
	return model.FormatRat(v, decimals, mode)
}

// maxDecimals is how many decimals a number has before it is shown as 0 or, rounded up, as the smallest one.
const maxDecimals = 12

// percent is a part of a whole with two decimals, so that decimal points line up; only 0 prints as 0 %.
func percent(v *big.Rat, mode model.Rounding) string {
	if v.Sign() == 0 {
		return "0 %"
	}
	text := model.FormatRat(new(big.Rat).Mul(v, hundred), 2, mode)
	whole, decimals, _ := strings.Cut(text, ".")
	return Grouped(whole) + "." + (decimals + "00")[:2] + " %"
}

// prefixed is a number to four digits with a decimal prefix: 28.07 GB.
func prefixed(v *big.Rat, mode model.Rounding, unit string) string {
	prefixes := []string{"", "k", "M", "G", "T", "P", "E"}
	x, k := v, 0
	for x.Cmp(thousand) >= 0 && k < len(prefixes)-1 {
		x, k = new(big.Rat).Quo(x, thousand), k+1
	}
	return plain(x, mode) + " " + prefixes[k] + unit
}

// clock says how times are shown: as h:mm:ss or in seconds.
type clock struct{ hours, tenths bool }

// clockOf is how one time is shown, or all those of a column: as h:mm:ss if one of them takes a minute, with tenths if
// all are below ten minutes.
func clockOf(times ...*big.Rat) (c clock) {
	c.tenths = true
	for _, v := range times {
		v = new(big.Rat).Abs(v)
		c.hours = c.hours || v.Cmp(minute) >= 0
		c.tenths = c.tenths && v.Cmp(tenMinutes) < 0
	}
	return c
}

// moment is a point in time. Every point in time that people see is written here.
func moment(v *big.Rat, c clock, mode model.Rounding) string { return duration(v, c, mode) }

// duration is a time that is not negative. Fractions of a second are never hidden behind zeros.
func duration(v *big.Rat, c clock, mode model.Rounding) string {
	if !c.hours || v.Sign() > 0 && v.Cmp(one) < 0 {
		return plain(v, mode) + " s"
	}
	return c.text(v, mode)
}

// text is a time as h:mm:ss.
func (c clock) text(v *big.Rat, mode model.Rounding) string {
	decimals := 0
	if c.tenths {
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
