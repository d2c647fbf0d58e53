package result

import (
	"cmp"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"mrsched/model"
)

// A rule has to explain minAlike rows, since fewer are listed one by one, and one in minShare of the changed rows,
// since a few agree by chance; a rounded factor has to explain half of them.
const (
	minAlike = 4
	minShare = 5
)

// maxRules is how many rules are looked for in a column.
const maxRules = 4

// rule explains how an old value became the new one: the same pair of values, a factor, a difference, or a factor up to
// rounding.
type rule struct {
	kind     int
	old, new string // new is the rounded factor
	a, b     int64  // the factor a/b in lowest terms, or the difference a, in millionths
}

// The kinds of rules; among those that explain equally many rows, the smaller one wins.
const (
	rulePair = iota
	ruleFactor
	ruleShift
	ruleAbout
)

// aboutDigits are the digits of a rounded factor.
const aboutDigits = 3

// rulesOf are those that explain a cell.
func rulesOf(c *changedCell) []rule {
	list := []rule{{kind: rulePair, old: c.old, new: c.new}}
	a, fine := microOf(c.old)
	b, fine2 := microOf(c.new)
	if !fine || !fine2 {
		return list
	}
	if a > 0 && b > 0 {
		g := gcd(a, b)
		list = append(list, rule{kind: ruleFactor, a: b / g, b: a / g})
		if about := strconv.FormatFloat(float64(b)/float64(a), 'g', aboutDigits, 64); about != "1" {
			list = append(list, rule{kind: ruleAbout, new: about})
		}
	}
	if b-a > b == (a < 0) { // it does not overflow
		list = append(list, rule{kind: ruleShift, a: b - a})
	}
	return list
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// rules finds what explains many of the changed values of a column, and marks these.
func (t *tableComparison) rules(c *inputComparison, column int) (list []InputChange) {
	cells := t.changed[column]
	for range maxRules {
		counts := map[rule]int{}
		var best rule
		for _, cell := range cells {
			if cell.taken {
				continue
			}
			for _, r := range rulesOf(cell) {
				counts[r]++
				if n := counts[r] - counts[best]; n > 0 || n == 0 && compareRules(r, best) < 0 {
					best = r
				}
			}
		}
		if n := counts[best]; n < minAlike || n*minShare < len(cells) || best.kind == ruleAbout && 2*n < len(cells) {
			break
		}
		name := t.columns[column].Name
		x := InputChange{Change: inputChanged, Table: t.name, About: t.row, Column: name, Rows: counts[best], Of: t.both,
			Unused: c.unused[t.name+"."+name], keys: t.columns[:t.keys]}
		switch best.kind {
		case rulePair:
			x.Old, x.New = cellText(best.old), cellText(best.new)
		case ruleFactor:
			x.Factor = model.Number(model.FormatRat(big.NewRat(best.a, best.b), 2*model.ValueDigits, model.RoundDown))
		case ruleAbout:
			x.Factor, x.Rounded = exactText(decimal(best.new)), true
		default:
			x.Shift = exactText(big.NewRat(best.a, int64(model.Second)))
		}
		for _, cell := range cells {
			if cell.taken || !slices.Contains(rulesOf(cell), best) {
				continue
			}
			cell.taken = true
			if c.keep == 0 || len(x.List) < c.keep {
				x.List = append(x.List, InputRow{Key: cell.key, Values: []Values{cell.values(name)}})
			}
		}
		list = append(list, x)
	}
	return list
}

func compareRules(a, b rule) int {
	return cmp.Or(cmp.Compare(a.kind, b.kind), strings.Compare(a.old, b.old), strings.Compare(a.new, b.new),
		cmp.Compare(a.a, b.a), cmp.Compare(a.b, b.b))
}
