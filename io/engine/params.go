package engine

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
)

// StatedParams reads a result's parameters back.
func StatedParams(params []solver.Param, stated map[string]any) (solver.Params, error) {
	values := solver.Params{}
	for _, p := range params {
		text := p.Default
		if v, ok := stated[p.Name]; ok {
			text = fmt.Sprint(v)
		}
		v, err := ParseParam(p, text)
		if err != nil {
			return nil, err
		}
		values[p.Name] = v
	}
	return values, nil
}

// asWritten returns an error unless the stated parameters are those that a run of the algorithm with params writes; the
// run has to keep a plan.
func (p Problem) asWritten(a solver.Algorithm, params solver.Params, stated map[string]any,
	plan *model.Replan) error {
	iterations := Unlimited
	if v, ok := stated["iterations"]; ok {
		n, err := strconv.Atoi(fmt.Sprint(v))
		if err != nil || n < 1 || n >= Unlimited {
			return fmt.Errorf("parameter iterations is %v; expected a whole number from 1 to %d", v, Unlimited-1)
		}
		iterations = n
	}
	want := p.Parameters(a, params, iterations)
	_, limited := stated[timeLimit]
	if v, ok := stated[timeLimit].(json.Number); ok {
		if d, err := model.ParseTime(v.String()); err == nil { // 0 is less than a microsecond
			want[timeLimit] = model.Number(d.String())
		}
	}
	ReplanParameters(want, plan)
	if !limited && iterations == Unlimited {
		return errors.New("the parameters name neither iterations nor time_limit")
	}
	for _, name := range slices.Sorted(maps.Keys(stated)) {
		if _, ok := want[name]; !ok {
			return fmt.Errorf("parameter %s is %v; %s is not run with such a parameter: solve the instance again", name,
				stated[name], a.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		is, err := json.Marshal(stated[name])
		should, err2 := json.Marshal(want[name])
		if err := errors.Join(err, err2); err != nil {
			return err
		}
		if string(is) != string(should) {
			return fmt.Errorf("parameter %s is %s, and is written as %s", name, is, should)
		}
	}
	return nil
}

// Settings are parameters by name, as text; what they leave out has its default.
type Settings map[string]string

// SettingValues reads settings as parameter values. A name that no parameter has is an error.
func SettingValues(params []solver.Param, with Settings) (solver.Params, error) {
	stated := map[string]any{}
	for name, text := range with {
		if !slices.ContainsFunc(params, func(p solver.Param) bool { return p.Name == name }) {
			return nil, fmt.Errorf("no parameter %q", name)
		}
		if text != "" {
			stated[name] = text
		}
	}
	return StatedParams(params, stated)
}

// ParseParam reads one parameter's text.
func ParseParam(p solver.Param, text string) (any, error) {
	v, wrong, expected := ParamValue(p, text)
	switch wrong {
	case "":
		return v, nil
	case model.CodeEnum:
		f := NoSuch("value of --"+p.Name, text, p.Choices)
		f.Hint = cmp.Or(p.Instead(text), f.Hint)
		return nil, model.NewInputError(f)
	}
	return nil, Usagef("--%s %q: expected %s", p.Name, text, expected)
}

// ParamValue reads a parameter's text. Of a wrong one it says what is wrong, and what is expected.
func ParamValue(p solver.Param, text string) (v any, wrong model.Code, expected string) {
	switch p.Kind {
	case solver.BoolParam:
		return text == "true", "", ""
	case solver.StringParam:
		if len(p.Choices) > 0 && !slices.Contains(p.Choices, text) {
			return nil, model.CodeEnum, "one of " + strings.Join(p.Choices, ", ")
		}
		return text, "", ""
	}
	expected = "a number"
	if p.Kind == solver.IntParam {
		expected = "a whole number"
	}
	f, err := strconv.ParseFloat(text, 64)
	if p.Seconds && err != nil {
		expected += " of seconds, or a time such as 30s or 2h30m,"
		if t, wrong := workload.ParseTime(text); wrong == nil {
			text = t.String()
			f, err = strconv.ParseFloat(text, 64)
		}
	}
	expected += fmt.Sprintf(" from %s to %s", plain(p.Minimum), plain(p.Maximum))
	n, fraction := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil || math.IsNaN(f):
		return nil, model.CodeType, expected
	case f < p.Minimum || f > p.Maximum:
		return nil, model.CodeOverflow, expected
	case p.Kind != solver.IntParam:
		return f, "", ""
	case fraction != nil:
		return nil, model.CodeNumber, expected
	}
	return n, "", ""
}

func plain(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// Unlimited is a number of iterations that no run reaches.
const Unlimited = 1 << 40

// Parameters are the settings that a result of the algorithm depends on: the problem's own, and the limit of
// iterations.
func (p Problem) Parameters(a solver.Algorithm, params solver.Params, iterations int) map[string]any {
	out := map[string]any{}
	if iterations != Unlimited {
		out["iterations"] = iterations
	}
	used := p.Used(params, a)
	for _, q := range p.Params {
		if used[q.Name] && params[q.Name] != any(int64(0)) {
			out[q.Name] = params[q.Name]
		}
	}
	return out
}
