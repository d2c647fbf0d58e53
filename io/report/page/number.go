package page

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"mrsched/io/show"
	"mrsched/model"
)

// float is a number's value for drawing; ok is false if it has none.
func float(n model.Number) (v float64, ok bool) {
	r, ok := show.Rational(n)
	if !ok {
		return 0, false
	}
	v, _ = r.Float64()
	return v, !math.IsInf(v, 0)
}

// isTime says that a unit is one of time.
func isTime(u model.Unit) bool { return u == model.UnitSeconds || u == model.UnitMoment }

// shown is a number of a name as people read it; times are in the page's unit.
func (r *Result) shown(name string, n model.Number, mode model.Rounding) string {
	u := r.About.Unit(name)
	if v, ok := float(n); ok && isTime(u) && math.Abs(v) <= model.MaxTime.Seconds() {
		return r.unit.With(v)
	}
	return show.Value(n, u, mode)
}

// boundsShown writes the bounds that a result lists among its metrics, each with its method.
func (r *Result) boundsShown(list []any) string {
	var texts []string
	for _, b := range list {
		if m, ok := b.(map[string]any); ok && r.Objective != nil {
			value := model.Number(fmt.Sprint(m["value"]))
			texts = append(texts, fmt.Sprintf("%v %s", m["method"], r.shown(r.Objective.Name, value, model.RoundDown)))
		}
	}
	return strings.Join(texts, ", ")
}

// cell is the number in a cell; 0 and false if there is none.
func cell(s string) (float64, bool) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, false
	}
	return v, true
}
