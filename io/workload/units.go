package workload

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"sync"

	"mrsched/model"
)

// Numbers may state a unit: 1h30m, 40GB, 10Gbit/s. The conversion is exact; what follows is as for plain numbers.

// dimension is a set of units of one quantity.
type dimension struct {
	factors  map[string]*big.Int // by spelling; times 10^-digits, in the unit of plain numbers
	digits   int
	compound bool // several units may follow one another, the largest first
	// spelling is the known unit that a word means, "" if there is none; hint says what to write instead of an
	// ambiguous word after a number.
	spelling func(word string) string
	hint     func(number, word string) string
	list     string // of units, for messages
}

// dimensions are those of the columns, by the unit of plain numbers; made on demand, as are the patterns.
var dimensions = sync.OnceValue(func() map[string]*dimension {
	return map[string]*dimension{"seconds": times(), "bytes": sizes(), "bytes per second": rates()}
})

const maxUnitText = 64 // bytes of a number with units

// quantityPattern begins a number with a unit: number and word.
var quantityPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([0-9]+\.?[0-9]*|\.[0-9]+) ?([A-Za-zµμ/]+) ?`)
})

// plain is the plain decimal that a number with units means. If the text is not such a number, decimal is empty; what
// and hint then say why, or are empty if it does not even look like one.
func (d *dimension) plain(text string) (decimal, what, hint string) {
	rest, sign := strings.TrimPrefix(text, "-"), ""
	if rest != text {
		sign = "-"
	}
	if d == nil || len(text) > maxUnitText || !quantityPattern().MatchString(rest) || strings.HasSuffix(text, " ") {
		return "", "", ""
	}
	sum, last, fraction := new(big.Int), (*big.Int)(nil), 0
	for rest != "" {
		m := quantityPattern().FindStringSubmatch(rest)
		switch {
		case fraction > 0 || last != nil && !d.compound || m == nil && strings.Trim(rest, "0123456789.") != "":
			return "", "is not one number with a unit", d.list
		case m == nil:
			return "", "has no unit after " + rest, "write a unit after each number, as in 1h30m"
		}
		rest = rest[len(m[0]):]
		if strings.EqualFold(m[2], "e") && rest != "" && strings.ContainsAny(rest[:1], "+-0123456789") {
			return "", "has an exponent and a unit", "write the number without an exponent"
		}
		factor := d.factors[d.spelling(m[2])]
		switch {
		case factor == nil:
			return "", fmt.Sprintf("has the unit %q, which is not clear", m[2]), d.hint(m[1], m[2])
		case last != nil && factor.Cmp(last) >= 0:
			return "", "has its units in the wrong order", "write the largest unit first, as in 1h30m"
		}
		last = factor
		whole, decimals, _ := strings.Cut(m[1], ".")
		fraction = len(decimals)
		n, _ := new(big.Int).SetString(whole+decimals, 10)
		sum.Mul(sum, power(10, fraction)).Add(sum, n.Mul(n, factor))
	}
	return fmt.Sprintf("%s%de-%d", sign, sum, d.digits+fraction), "", ""
}

func power(base int64, exponent int) *big.Int {
	return new(big.Int).Exp(big.NewInt(base), big.NewInt(int64(exponent)), nil)
}

// unitNames are the names of units of time, with their lengths in nanoseconds.
var unitNames = [...]struct {
	length int64
	names  string
}{
	{1, "ns nanosecond nanoseconds"}, {1e3, "us µs μs microsecond microseconds"},
	{1e6, "ms msec millisecond milliseconds"}, {1e9, "s sec secs second seconds"}, {60e9, "m min mins minute minutes"},
	{3600e9, "h hr hrs hour hours"}, {model.DaySeconds * 1e9, "d day days"}, {7 * model.DaySeconds * 1e9, "w week weeks"},
}

// times are the units of durations. Case does not matter, except where M could be minutes or months, or mega.
func times() *dimension {
	d := &dimension{factors: map[string]*big.Int{}, digits: 9, compound: true,
		list: "units are ms, s, m, h and d, as in 1h30m"}
	for _, unit := range unitNames {
		for _, name := range strings.Fields(unit.names) {
			d.factors[name] = big.NewInt(unit.length)
		}
	}
	d.spelling = func(word string) string {
		if low := strings.ToLower(word); low == word || low != "m" && low != "ms" {
			return low
		}
		return ""
	}
	d.hint = func(number, word string) string {
		switch strings.ToLower(word) {
		case "m":
			return fmt.Sprintf("write %sm for minutes", number)
		case "ms":
			return fmt.Sprintf("write %sms for milliseconds", number)
		}
		return d.list
	}
	return d
}

// prefixes are those of units: powers of 1000 and of 1024.
const prefixes = "kmgtpe"

// sizes are the units of sizes. A lower-case b behind the right prefix is the symbol of bits, and a prefix alone may be
// a power of 1000 or of 1024; other wrong capitals are unambiguous.
func sizes() *dimension {
	d := &dimension{factors: map[string]*big.Int{"b": power(10, 3)}, digits: 3,
		list: "units are B, kB, MB, GB, TB, KiB, MiB, GiB and TiB, as in 64MiB"}
	d.factors["byte"], d.factors["bytes"] = d.factors["b"], d.factors["b"]
	for k, letter := range prefixes {
		d.factors[string(letter)+"b"] = power(10, 3*(k+1)+3)
		binary := new(big.Int).Mul(power(2, 10*(k+1)), power(10, 3))
		d.factors[string(letter)+"ib"], d.factors[string(letter)+"i"] = binary, binary
	}
	d.spelling = func(word string) string {
		if isBits(word) {
			return ""
		}
		return strings.ToLower(word)
	}
	d.hint = func(number, word string) string {
		switch stem := prefix(strings.TrimSuffix(word, "b")); {
		case isBits(word):
			return fmt.Sprintf("b is the symbol of bits: write %s%sB for bytes", number, stem)
		case len(word) == 1 && strings.Contains(prefixes, strings.ToLower(word)):
			return fmt.Sprintf("write %s%sB for powers of 1000 or %s%siB for powers of 1024", number, stem, number,
				strings.ToUpper(word))
		}
		return d.list
	}
	return d
}

// prefix is the right spelling of a prefix: k, M, Ki, Mi.
func prefix(word string) string {
	if strings.EqualFold(word, "k") || word == "" {
		return strings.ToLower(word)
	}
	return strings.ToUpper(word[:1]) + strings.ToLower(word[1:])
}

// isBits says whether a word is a symbol of bits: b, kb, Mb, Gib.
func isBits(word string) bool {
	stem, bits := strings.CutSuffix(word, "b")
	stem = strings.TrimSuffix(stem, "i")
	return bits && (stem == "" || len(stem) == 1 && strings.Contains("kKMGTPE", stem))
}

// rates are the units of bandwidths: sizes per second, and bits per second. Without "it", b may be either.
func rates() *dimension {
	bytes := sizes()
	d := &dimension{factors: map[string]*big.Int{}, digits: 3,
		list: "units are B/s, kB/s, MB/s, GB/s, MiB/s, Mbit/s, Gbit/s, Mbps and Gbps, as in 125MB/s"}
	for name, factor := range bytes.factors {
		d.factors[name+"/s"] = factor
		if stem, ok := strings.CutSuffix(name, "b"); ok {
			bits := new(big.Int).Div(factor, big.NewInt(8))
			d.factors[stem+"bit/s"], d.factors[stem+"bits/s"], d.factors[stem+"bps"] = bits, bits, bits
		}
	}
	d.spelling = func(word string) string {
		word = strings.Replace(word, "/sec", "/s", 1)
		low := strings.ToLower(word)
		if strings.HasSuffix(word, "b/s") || strings.HasSuffix(low, "bps") && word[len(word)-len("bps")] == 'B' {
			return ""
		}
		return low
	}
	d.hint = func(number, word string) string {
		amount := strings.TrimSuffix(strings.ToLower(word), "/s")
		amount = strings.TrimSuffix(strings.TrimSuffix(amount, "ps"), "b")
		if amount == "" || bytes.factors[amount+"b"] != nil {
			stem := prefix(amount)
			return fmt.Sprintf("write %s%sB/s for bytes or %s%sbit/s for bits per second", number, stem, number, stem)
		}
		return d.list
	}
	return d
}
