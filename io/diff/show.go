package diff

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"mrsched/io/show"
	"mrsched/io/textpos"
	"mrsched/model"
)

// The functions of this file print parts of a difference for people: they cut numbers to a few decimals and escape
// names.

// shownDigits is how many decimals are shown; numbers below 1 get twice as many.
const shownDigits = 3

// shown cuts a number towards 0, but prints it whole if it would look like 0.
func shown(n model.Number) string {
	v := decimal(string(n))
	if v == nil && n != "" {
		return plainName(string(n))
	} else if v == nil {
		return none("")
	}
	digits := shownDigits
	if abs := new(big.Rat).Abs(v); abs.Cmp(big.NewRat(1, 1)) < 0 {
		digits *= 2
	}
	text := model.FormatRat(new(big.Rat).Abs(v), digits, model.RoundDown)
	switch {
	case text == "0" && v.Sign() != 0:
		return string(n)
	case v.Sign() < 0:
		return "-" + text
	}
	return text
}

// shownUp cuts a number upwards: a promise must not look better than it is.
func shownUp(n model.Number) string {
	v := decimal(string(n))
	if v == nil {
		return plainName(string(n))
	}
	digits := shownDigits
	if v.Cmp(big.NewRat(1, 1)) < 0 {
		digits *= 2
	}
	return model.FormatRat(v, digits, model.RoundUp)
}

// otherMetrics are the metrics that are not the objective itself.
func (d *Difference) otherMetrics() []Values {
	return slices.DeleteFunc(slices.Clone(d.Metrics), func(v Values) bool {
		return d.Objective != nil && v.Name == d.Objective.Name
	})
}

// signed is a change, with its sign.
func signed(n model.Number) string {
	text := shown(n)
	if v := decimal(string(n)); v != nil && v.Sign() > 0 {
		return "+" + strings.TrimPrefix(text, "+")
	}
	return text
}

// String counts in words.
func (e *EndCounts) String() string {
	text := fmt.Sprintf("%d end earlier, %d later, %d as before", e.Earlier, e.Later, e.Unchanged)
	if e.OnlyOld > 0 {
		text += fmt.Sprintf(", %d only in the old", e.OnlyOld)
	}
	if e.OnlyNew > 0 {
		text += fmt.Sprintf(", %d only in the new", e.OnlyNew)
	}
	return text
}

// none is a text for what a side lacks.
func none(text string) string { return show.Dash(text) }

// named prints a name with a function, unless it is empty.
func named(text string, name func(string) string) string {
	if text == "" {
		return ""
	}
	return name(text)
}

// arrow prints the old and the new text, or the one text of both.
func arrow(old, new string) string {
	if old == new {
		return none(old)
	}
	return none(old) + " → " + none(new)
}

// percent is the change as a share of the old number.
func percent(n Numbers) string {
	old, change := decimal(string(n.Old)), decimal(string(n.Change))
	if old == nil || change == nil || old.Sign() == 0 {
		return ""
	}
	share := change.Mul(change.Quo(change, old.Abs(old)), big.NewRat(100, 1))
	sign := "+"
	if share.Sign() < 0 {
		sign = "-"
	}
	text := model.FormatRat(share.Abs(share), 2, model.RoundDown)
	if text == "0" {
		return ""
	}
	return ", " + sign + text + " %"
}

// valueText prints a JSON value without quotes, shortened if it is long.
func valueText(raw json.RawMessage, name func(string) string) string {
	var text string
	if raw == nil {
		return none("")
	}
	if json.Unmarshal(raw, &text) == nil {
		return name(text)
	}
	if decimal(string(raw)) != nil {
		return shown(model.Number(raw))
	}
	return name(string(raw))
}

// maxName is how many characters of a name are shown.
const maxName = 60

// plainName prints a name in one line of a terminal; unprintable characters are escaped as in Go.
func plainName(name string) string { return escaped(name, "") }

// wholeName is plainName however long the name is.
func wholeName(name string) string { return escapedWhole(name, "") }

// codeName prints a name as code in Markdown. It can end neither the code nor a table cell, and code contains no links,
// markup or mentions.
func codeName(name string) string { return "`" + escaped(name, notInCode) + "`" }

// codeText is codeName however long the text is.
func codeText(text string) string { return "`" + escapedWhole(text, notInCode) + "`" }

const notInCode = "`|\\"

func escaped(name, more string) string {
	if long := []rune(name); len(long) > maxName {
		return escapedWhole(string(long[:maxName-1]), more) + "…"
	}
	return escapedWhole(name, more)
}

// escapedWhole escapes what is not printable, and some characters more.
func escapedWhole(name, more string) string {
	if name == "" {
		return `""`
	}
	var b strings.Builder
	for _, c := range name {
		switch {
		case strings.ContainsRune(more, c):
			b.WriteString("\\u" + strconv.FormatInt(0x10000+int64(c), 16)[1:])
		default:
			b.WriteString(textpos.Visible(string(c)))
		}
	}
	return b.String()
}

// promiseText is a guarantee in short.
func promiseText(g *model.Guarantee) string {
	if g == nil {
		return ""
	}
	text := shownUp(g.Factor)
	if g.Additive != "0" {
		text = strings.TrimPrefix(text+" ", "1 ") + "OPT + " + shownUp(g.Additive)
	}
	return "≤ " + text + " " + plainName(g.Verdict)
}

// ofReplan says that a metric is about what was planned again.
func ofReplan(v Values) bool { return slices.Contains(model.ReplanMetrics(), v.Name) }

// largestFirst orders values by how much they changed, relative to the larger of the two. What was planned again comes
// first; what cannot be subtracted comes last, by name.
func largestFirst(list []Values) []Values {
	size := func(v Values) *big.Rat {
		if ofReplan(v) {
			return new(big.Rat).SetInt64(3) // a relative change is at most 2
		}
		change := decimal(string(v.Change))
		if change == nil {
			return new(big.Rat).SetInt64(-1)
		}
		old, new := decimal(string(v.Old)), decimal(string(v.New))
		most := old.Abs(old)
		if new.Abs(new).Cmp(most) > 0 {
			most = new
		}
		return change.Quo(change.Abs(change), most) // not 0: they differ
	}
	sizes := map[string]*big.Rat{}
	for _, v := range list {
		sizes[v.Name] = size(v)
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Values) int { return sizes[b.Name].Cmp(sizes[a.Name]) })
	return list
}
