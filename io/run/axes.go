package run

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"mrsched/io/engine"
	"mrsched/io/textpos"
	"mrsched/model"
	"mrsched/solver"
)

const (
	// maxNumber bounds the text of a number.
	maxNumber = 64
	// largest and smallest bound the magnitude of numbers to keep exact arithmetic cheap.
	largest, smallest = 1e20, 1e-20
	// maxFactors bounds ranges with a factor, whose exact values get longer and longer.
	maxFactors = 1000
)

// wholes is an axis of whole numbers without duplicates.
func (p *planner) wholes(m textpos.Member, least, most uint64) (list []uint64) {
	if m.Value == nil {
		return nil
	}
	seen := map[uint64]bool{}
	for _, v := range p.values(m.Value, m.Name) {
		x, err := strconv.ParseUint(v.Text, 10, 64)
		switch {
		case v.Kind != '0':
			p.add(model.CodeType, v.Pos, m.Name+" "+quoted(v)+" is not a number", "whole numbers", "")
		case err != nil || x < least || x > most:
			p.add(model.CodeNumber, v.Pos, m.Name+" "+quoted(v), fmt.Sprintf("whole numbers from %d to %d", least, most), "")
		case !seen[x]:
			seen[x] = true
			list = append(list, x)
		}
	}
	return list
}

// values are a value, the items of a list, or the numbers of a range, as nodes whose numbers are shortest decimals. It
// reports errors and leaves out what is wrong.
func (p *planner) values(n *textpos.Node, what string) (list []*textpos.Node) {
	switch n.Kind {
	case '[':
		for _, item := range n.Items {
			if item.Kind == '[' {
				p.add(model.CodeType, item.Pos, what+" is an array", "a value, a list of values or a range", "")
			} else {
				list = append(list, p.values(item, what)...)
			}
		}
		if len(n.Items) == 0 {
			p.add(model.CodeMissing, n.Pos, what+" is empty", "at least one value", "")
		}
	case '{':
		return p.expand(n, what)
	case '"', 't', 'f':
		return []*textpos.Node{n}
	case '0':
		if v, ok := p.number(n, what); ok {
			return []*textpos.Node{{Kind: '0', Pos: n.Pos, Text: decimal(v)}}
		}
	default:
		p.add(model.CodeType, n.Pos, what+" is "+textpos.KindNames[n.Kind], "a value, a list of values or a range", "")
	}
	return list
}

func (p *planner) number(n *textpos.Node, what string) (*big.Rat, bool) {
	f, err := strconv.ParseFloat(n.Text, 64)
	switch {
	case len(n.Text) > maxNumber || err != nil || math.Abs(f) > largest || f != 0 && math.Abs(f) < smallest:
		p.add(model.CodeOverflow, n.Pos, fmt.Sprintf("%s %s is out of range", what, clip(n.Text)),
			fmt.Sprintf("0, or a magnitude from %g to %g", smallest, largest), "")
		return nil, false
	case f == 0: // whatever the exponent
		return new(big.Rat), true
	}
	return new(big.Rat).SetString(n.Text)
}

// decimal is the shortest text of a number: exact for whole numbers, else that of the nearest float.
func decimal(v *big.Rat) string {
	if v.IsInt() {
		return v.Num().String()
	}
	f, _ := v.Float64()
	return textOf(f)
}

var one = big.NewRat(1, 1)

// expand lists the numbers of a range: from, from+step, … or from, from·factor, …, none above to.
func (p *planner) expand(n *textpos.Node, what string) (list []*textpos.Node) {
	given, names, ok := map[string]*big.Rat{}, []string{"from", "to", "step", "factor"}, true
	for name, m := range p.keys(n, names...) {
		ok = ok && slices.Contains(names, name)
		if p.is(m.Value, '0', name) {
			given[name], _ = p.number(m.Value, name)
		}
		ok = ok && given[name] != nil
	}
	if !ok {
		return nil
	}
	from, to, step, factor := given["from"], given["to"], given["step"], given["factor"]
	bad := func(code model.Code, text, expected string) []*textpos.Node {
		p.add(code, n.Pos, "the range of "+what+" "+text, expected, "")
		return nil
	}
	switch {
	case from == nil || to == nil:
		return bad(model.CodeMissing, "lacks `from` or `to`", `{"from":…,"to":…}, with "step" or "factor"`)
	case step != nil && factor != nil:
		return bad(model.CodeTwice, "has `step` and `factor`", "one of them")
	case from.Cmp(to) > 0:
		return bad(model.CodeOverflow, fmt.Sprintf("goes from %s to %s", decimal(from), decimal(to)), "`from` ≤ `to`")
	case step != nil && step.Sign() <= 0:
		return bad(model.CodeNegative, "has the step "+decimal(step), "a step above 0")
	case factor != nil && (factor.Cmp(one) <= 0 || from.Sign() <= 0):
		return bad(model.CodeNegative, fmt.Sprintf("has the factor %s from %s", decimal(factor), decimal(from)),
			"a factor above 1 and `from` above 0")
	}
	most, next := p.maxRuns, func(v *big.Rat) { v.Add(v, one) }
	if step != nil {
		next = func(v *big.Rat) { v.Add(v, step) }
	} else if factor != nil {
		most, next = min(maxFactors, most), func(v *big.Rat) { v.Mul(v, factor) }
	}
	for v := new(big.Rat).Set(from); v.Cmp(to) <= 0; next(v) {
		if len(list) == most {
			return bad(model.CodeOverflow, fmt.Sprintf("has more than %d values", most), fmt.Sprintf("at most %d", most))
		}
		list = append(list, &textpos.Node{Kind: '0', Pos: n.Pos, Text: decimal(v)})
	}
	return list
}

// typed are the values of an axis as a parameter takes them, without duplicates. It reports those that do not fit.
func (p *planner) typed(q solver.Param, values []*textpos.Node) (list []any, ok bool) {
	ok = true
	seen := map[any]bool{}
	want := map[solver.ParamKind]byte{solver.BoolParam: 't', solver.StringParam: '"'}[q.Kind]
	for _, v := range values {
		x, code, expected := engine.ParamValue(q, v.Text)
		kind, hint := byte(v.Kind), ""
		if kind == 'f' {
			kind = 't'
		}
		switch {
		case q.Seconds: // the text says how to write times
		case kind == cmp.Or(want, '0'):
			hint = cmp.Or(q.Instead(v.Text), model.DidYouMean(v.Text, q.Choices))
		case want == 't':
			code, expected = model.CodeType, "true or false"
		case want == '"':
			code, expected, hint = model.CodeType, "a string", "write it in quotes"
		default:
			code, hint = model.CodeType, "write it without quotes"
		}
		if code != "" {
			p.add(code, v.Pos, q.Name+" "+quoted(v), expected, hint)
			ok = false
		} else if !seen[x] {
			seen[x] = true
			list = append(list, x)
		}
	}
	return list, ok
}

// defaultOf is a parameter's default.
func defaultOf(p solver.Param) any {
	if v, wrong, _ := engine.ParamValue(p, p.Default); wrong == "" {
		return v
	}
	return p.Default // none
}

// textOf is the canonical text of a parameter's value.
func textOf(v any) string {
	if f, ok := v.(float64); ok {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

func quoted(n *textpos.Node) string {
	if n.Kind == '"' {
		return strconv.Quote(clip(n.Text))
	}
	return clip(n.Text)
}

func clip(s string) string {
	if len(s) <= textpos.MaxQuoted {
		return s
	}
	return strings.ToValidUTF8(s[:textpos.MaxQuoted], "") + "…"
}
