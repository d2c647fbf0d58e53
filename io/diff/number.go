package diff

import (
	"math/big"
	"regexp"
	"strings"

	"mrsched/model"
)

// decimalText matches the numbers that are subtracted. Longer exponents could fill the memory.
var decimalText = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$`)

// maxDecimal is the length of the longest number that is subtracted.
const maxDecimal = 1000

// decimal is the exact value of a decimal number; nil if the text is not one.
func decimal(text string) *big.Rat {
	if len(text) > maxDecimal || !decimalText.MatchString(text) {
		return nil
	}
	r, _ := new(big.Rat).SetString(text)
	return r
}

// micro is the exact value of a number of at most six decimals, in millionths: almost all are such numbers.
func micro(text string) (model.Time, bool) {
	if point := strings.IndexByte(text, '.'); text == "" || point >= 0 && len(text)-point > model.ValueDigits+1 ||
		strings.ContainsAny(text, "eE") {
		return 0, false
	}
	v, err := model.ParseSignedTime(text)
	return v, err == nil
}

// exactText prints a number with finitely many decimals as JSON does.
func exactText(r *big.Rat) model.Number {
	digits, _ := r.FloatPrec()
	return model.Number(r.FloatString(digits))
}

// shown cuts a number towards 0 to three decimals, to six below 1, but prints it whole if it would look like 0.
func shown(v *big.Rat) string {
	digits, abs := 3, new(big.Rat).Abs(v)
	if abs.Cmp(big.NewRat(1, 1)) < 0 {
		digits = 6
	}
	text := model.FormatRat(abs, digits, model.RoundDown)
	switch {
	case text == "0" && v.Sign() != 0:
		return string(exactText(v))
	case v.Sign() < 0:
		return "-" + text
	}
	return text
}

// signed is a change, with its sign.
func signed(v *big.Rat) string { return either(v.Sign() > 0, "+", "") + shown(v) }

// percent is a change as a share of the old number; empty if there is none to speak of.
func percent(old, change *big.Rat) string {
	if old.Sign() == 0 {
		return ""
	}
	share := new(big.Rat).Mul(new(big.Rat).Quo(change, new(big.Rat).Abs(old)), big.NewRat(100, 1))
	text := model.FormatRat(new(big.Rat).Abs(share), 2, model.RoundDown)
	if text == "0" {
		return ""
	}
	return ", " + either(share.Sign() < 0, "-", "+") + text + " %"
}
