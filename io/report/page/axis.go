package page

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"mrsched/model"
)

// scale maps values to pixels.
type scale struct{ low, high, from, to float64 }

func (s scale) at(v float64) float64 {
	if s.high <= s.low {
		return s.from
	}
	return s.from + (v-s.low)/(s.high-s.low)*(s.to-s.from)
}

// ticks are round values from low to high, about n of them: steps are 1, 2 or 5 times a power of ten.
func ticks(low, high float64, n int) []float64 {
	if high <= low || n < 1 {
		return []float64{low}
	}
	raw := (high - low) / float64(n)
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	step := 10 * power
	for _, m := range []float64{1, 2, 5} {
		if raw <= m*power*(1+1e-9) {
			step = m * power
			break
		}
	}
	var list []float64
	for k := math.Ceil(low/step - 1e-9); k*step <= high+step*1e-9; k++ {
		list = append(list, k*step+0) // not −0
	}
	return list
}

// unit is how values of an axis are written: divided by size, named.
type unit struct {
	size float64
	name string
}

// timeUnit is the unit in which people would write a span.
func timeUnit(seconds float64) unit {
	for _, u := range []struct {
		from float64
		unit
	}{{4 * 86400, unit{86400, "d"}}, {4 * 3600, unit{3600, "h"}}, {20 * 60, unit{60, "min"}}, {1, unit{1, "s"}},
		{1e-3, unit{1e-3, "ms"}}} {
		if seconds >= u.from {
			return u.unit
		}
	}
	return unit{1e-6, "µs"}
}

// ticks are values that are round in the unit.
func (u unit) ticks(low, high float64, n int) []float64 {
	list := ticks(low/u.size, high/u.size, n)
	for i := range list {
		list[i] *= u.size
	}
	return list
}

// prefixed is a unit with the decimal prefix that suits a value.
func prefixed(v float64, name string) unit {
	for _, p := range []struct {
		size float64
		name string
	}{{1e18, "E"}, {1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e4, "k"}} {
		if math.Abs(v) >= p.size {
			if p.name == "k" {
				return unit{1e3, "k" + name}
			}
			return unit{p.size, p.name + name}
		}
	}
	return unit{1, name}
}

// label names an axis with its unit.
func (u unit) label(what string) string {
	if u.name == "" {
		return what
	}
	return what + " (" + u.name + ")"
}

// text writes a value in the unit; ticks are short numbers.
func (u unit) text(v float64) string {
	return strconv.FormatFloat(math.Round(v/u.size*1e6)/1e6, 'f', -1, 64)
}

// with writes a value with its unit, to three digits behind the point.
func (u unit) with(v float64) string {
	text := strconv.FormatFloat(math.Round(v/u.size*1e3)/1e3, 'f', -1, 64)
	if u.name == "" {
		return text
	}
	return text + " " + u.name
}

// shownDigits is how many decimals the page shows; files hold more.
const shownDigits = 3

var one = big.NewRat(1, 1)

// rational is a number's exact value. Results write no exponents, and one that has been tampered with may state any:
// the digits of 1e999999999 would fill the memory.
func rational(n model.Number) (*big.Rat, bool) {
	if strings.ContainsAny(string(n), "eEpP") {
		return nil, false
	}
	return n.Rat()
}

// shown cuts a number to what the page shows, and groups its digits; a text that is no number stays.
func shown(n model.Number, mode model.Rounding) string {
	v, ok := rational(n)
	if !ok {
		return string(n)
	}
	digits := shownDigits
	if v.Cmp(one) < 0 {
		digits *= 2
	}
	return grouped(model.FormatRat(v, digits, mode))
}

// grouped sets thin spaces between thousands.
func grouped(s string) string {
	whole, rest, _ := strings.Cut(s, ".")
	if rest != "" {
		rest = "." + rest
	}
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "−", whole[1:]
	}
	if len(whole) < 5 {
		return sign + whole + rest
	}
	var b strings.Builder
	for i, r := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteRune('\u202f')
		}
		b.WriteRune(r)
	}
	return sign + b.String() + rest
}

// float is a number's value for drawing; ok is false if it has none.
func float(n model.Number) (v float64, ok bool) {
	r, ok := rational(n)
	if !ok {
		return 0, false
	}
	v, _ = r.Float64()
	return v, !math.IsInf(v, 0)
}
