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

// Kind is the JSON type of a value.
type Kind byte

// The kinds of values that an axis may have.
const (
	Text   Kind = '"'
	Number Kind = '0'
	Bool   Kind = 'b'
)

// Value is one value of an axis with its position.
type Value struct {
	Text string // of a number: its shortest decimal
	Kind Kind
	Pos  model.Position
}

// Axis is a parameter and the values that it takes in turn.
type Axis struct {
	Name   string
	Pos    model.Position // of the name
	Values []Value
}

// axis reads a value, a list of values and ranges, or a range. It reports errors and returns the valid values.
func (r *reader) axis(n *textpos.Node, what string) []Value {
	if n.Kind != '[' {
		return r.values(n, what, nil)
	}
	var list []Value
	for _, item := range n.Items {
		list = r.values(item, what, list)
	}
	if len(n.Items) == 0 {
		r.add(model.CodeMissing, n.Pos, what+" is empty", "at least one value", "")
	}
	return list
}

// values appends the value or range of a node.
func (r *reader) values(n *textpos.Node, what string, list []Value) []Value {
	switch n.Kind {
	case '{':
		return r.expand(n, what, list)
	case '"':
		return append(list, Value{n.Text, Text, n.Pos})
	case 't', 'f':
		return append(list, Value{n.Text, Bool, n.Pos})
	case '0':
		if v, ok := r.number(n, what); ok {
			list = append(list, Value{decimal(v), Number, n.Pos})
		}
		return list
	}
	r.add(model.CodeType, n.Pos, what+" is "+textpos.KindNames[n.Kind], "a value, a list of values or a range", "")
	return list
}

func (r *reader) number(n *textpos.Node, what string) (*big.Rat, bool) {
	f, err := strconv.ParseFloat(n.Text, 64)
	switch {
	case len(n.Text) > maxNumber || err != nil || math.Abs(f) > largest || f != 0 && math.Abs(f) < smallest:
		r.add(model.CodeOverflow, n.Pos, fmt.Sprintf("%s %s is out of range", what, clip(n.Text)),
			fmt.Sprintf("0, or a magnitude from %g to %g", smallest, largest), "")
		return nil, false
	case f == 0: // whatever the exponent
		return new(big.Rat), true
	}
	v, ok := new(big.Rat).SetString(n.Text)
	return v, ok
}

// decimal is the shortest text of a number: exact for whole numbers, else that of the nearest float.
func decimal(v *big.Rat) string {
	if v.IsInt() {
		return v.Num().String()
	}
	f, _ := v.Float64()
	return strconv.FormatFloat(f, 'f', -1, 64)
}

var rangeKeys = []string{"from", "to", "step", "factor"}

// expand appends the numbers of a range: from, from+step, … or from, from·factor, …, none above to.
func (r *reader) expand(n *textpos.Node, what string, list []Value) []Value {
	given, ok := map[string]*big.Rat{}, true
	for _, m := range n.Members {
		switch {
		case !slices.Contains(rangeKeys, m.Name):
			r.unknownKey(m, rangeKeys)
			ok = false
		case m.Value.Kind != '0':
			r.add(model.CodeType, m.Value.Pos, m.Name+" is "+textpos.KindNames[m.Value.Kind], "a number", "")
			ok = false
		default:
			v, fine := r.number(m.Value, m.Name)
			given[m.Name], ok = v, ok && fine
		}
	}
	if !ok {
		return list
	}
	from, to, step, factor := given["from"], given["to"], given["step"], given["factor"]
	bad := func(code model.Code, text, expected string) []Value {
		r.add(code, n.Pos, "the range of "+what+" "+text, expected, "")
		return list
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
	if factor == nil && step == nil {
		step = one
	}
	if count, most := steps(from, to, step, factor), r.most(factor); count > most {
		return bad(model.CodeOverflow, "has more than "+strconv.Itoa(most)+" values", "at most "+strconv.Itoa(most))
	}
	for v := new(big.Rat).Set(from); v.Cmp(to) <= 0; {
		list = append(list, Value{decimal(v), Number, n.Pos})
		if factor != nil {
			v.Mul(v, factor)
		} else {
			v.Add(v, step)
		}
	}
	return list
}

var one = big.NewRat(1, 1)

// most is how many values a range may have.
func (r *reader) most(factor *big.Rat) int {
	if factor != nil {
		return min(maxFactors, r.maxRuns)
	}
	return r.maxRuns
}

// steps is about how many values a range has, or some number beyond every limit.
func steps(from, to, step, factor *big.Rat) int {
	if factor != nil {
		f, _ := factor.Float64()
		if f <= 1 { // it rounds to 1
			return 1 << 40
		}
		ratio, _ := new(big.Rat).Quo(to, from).Float64()
		return int(min(math.Log(ratio)/math.Log(f), 1<<40)) + 1
	}
	n := new(big.Rat).Sub(to, from)
	n.Quo(n, step)
	count := new(big.Int).Quo(n.Num(), n.Denom())
	if !count.IsInt64() || count.Int64() > 1<<40 {
		return 1 << 40
	}
	return int(count.Int64()) + 1
}

// typed converts a value to a parameter's type.
func typed(p solver.Param, v Value) (any, *model.Finding) {
	x, code, expected := engine.ParamValue(p, v.Text)
	hint := ""
	switch kind := [...]Kind{solver.BoolParam: Bool, solver.StringParam: Text, solver.IntParam: Number,
		solver.FloatParam: Number}[p.Kind]; {
	case p.Seconds: // the text says how to write times
	case kind == v.Kind:
		hint = cmp.Or(p.Instead(v.Text), model.DidYouMean(v.Text, p.Choices))
	case kind == Bool:
		code, expected = model.CodeType, "true or false"
	case kind == Text:
		code, expected, hint = model.CodeType, "a string", "write it in quotes"
	default:
		code, hint = model.CodeType, "write it without quotes"
	}
	if code == "" {
		return x, nil
	}
	return nil, &model.Finding{Code: code, Pos: v.Pos, What: fmt.Sprintf("%s %s", p.Name, quoted(v)), Expected: expected,
		Hint: hint}
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

func quoted(v Value) string {
	if v.Kind == Text {
		return strconv.Quote(clip(v.Text))
	}
	return clip(v.Text)
}

// maxShown is how many bytes of a bad value a message repeats.
const maxShown = 60

func clip(s string) string {
	if len(s) <= maxShown {
		return s
	}
	return strings.ToValidUTF8(s[:maxShown], "") + "…"
}
