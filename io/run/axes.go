package run

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"mrsched/io/engine"
	"mrsched/io/textpos"
	"mrsched/model"
	"mrsched/solver"
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

// values are a value, the items of a list, or the numbers of a range. It reports errors and leaves out what is wrong.
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
	case '0': // 4.0 and 1e2 are whole numbers, too
		one := *n
		if v, err := strconv.ParseFloat(n.Text, 64); err == nil && v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			one.Text = strconv.FormatInt(int64(v), 10)
		}
		return []*textpos.Node{&one}
	default:
		p.add(model.CodeType, n.Pos, what+" is "+textpos.KindNames[n.Kind], "a value, a list of values or a range", "")
	}
	return list
}

// expand lists the whole numbers of a range: from, from+step, …, none above to.
func (p *planner) expand(n *textpos.Node, what string) (list []*textpos.Node) {
	bad := func(code model.Code, text, expected string) []*textpos.Node {
		p.add(code, n.Pos, "the range of "+what+" "+text, expected, "")
		return nil
	}
	if n.Has("factor") {
		return bad(model.CodeUnknown, "has a factor", "a list of the values")
	}
	given := map[string]int64{"step": 1}
	for name, m := range p.keys(n, "from", "to", "step") {
		v, err := strconv.ParseInt(m.Value.Text, 10, 64)
		if m.Value.Kind != '0' || err != nil {
			return bad(model.CodeNumber, fmt.Sprintf("has `%s` %s", clip(name), quoted(m.Value)),
				"whole numbers; or a list of the values")
		}
		given[name] = v
	}
	from, begins := given["from"]
	to, ends := given["to"]
	step := given["step"]
	switch {
	case !begins || !ends:
		return bad(model.CodeMissing, "lacks `from` or `to`", `{"from":…,"to":…}, perhaps with "step"`)
	case from > to:
		return bad(model.CodeOverflow, fmt.Sprintf("goes from %d to %d", from, to), "`from` ≤ `to`")
	case step < 1:
		return bad(model.CodeNegative, fmt.Sprintf("has the step %d", step), "a step above 0")
	case float64(to)-float64(from) >= float64(step)*float64(p.maxRuns):
		return bad(model.CodeOverflow, fmt.Sprintf("has more than %d values", p.maxRuns),
			fmt.Sprintf("at most %d", p.maxRuns))
	}
	for k := range (to-from)/step + 1 {
		list = append(list, &textpos.Node{Kind: '0', Pos: n.Pos, Text: strconv.FormatInt(from+k*step, 10)})
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
