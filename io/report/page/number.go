package page

import (
	"math"
	"math/big"
	"strings"

	"mrsched/model"
)

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
