package page

import (
	"encoding/json"
	"fmt"
	"maps"
	"mrsched/io/report/chart"
	"slices"
	"strconv"
	"strings"

	"mrsched/model"
)

// fact is a name and a value; the note is below.
type fact struct{ Name, Value, Note string }

// factsOf are the key figures.
func factsOf(r *Result, s *schedule) []fact {
	l := r.line(nil)
	list := []fact{{"status", l.Status, ""}}
	if r.Objective != nil {
		list = append(list, fact{spaced(r.Objective.Name), l.Objective, r.About.Quantity(r.Objective.Name).About})
	}
	if r.LowerBound != nil {
		list = append(list, fact{"lower bound", l.Bound, l.Method})
	}
	if l.Ratio != dash {
		list = append(list, fact{"gap", l.Ratio, "at most this far above the optimum"})
	}
	if r.Guarantee != nil {
		list = append(list, fact{"guarantee", l.Promise, l.Verdict + "; " + l.Source})
	}
	if s != nil {
		kinds := ""
		if s.reduces > 0 {
			kinds = plural(len(s.id)-s.reduces, "map") + ", " + plural(s.reduces-s.pieces, "reduce")
		}
		list = append(list, fact{"tasks", count(len(s.id) - s.pieces), kinds})
		if s.unit != chart.Plain {
			list = append(list, fact{"end of the last task", s.moment.With(s.horizon.Seconds()), ""})
		}
	}
	return list
}

// detailsOf are all metrics, parameters and digests.
func detailsOf(r *Result) []fact {
	var list []fact
	add := func(prefix string, m map[string]any) {
		for _, name := range slices.Sorted(maps.Keys(m)) {
			list = append(list, fact{prefix + spaced(name), r.stated(name, m[name]), ""})
		}
	}
	add("", r.Metrics)
	add("parameter ", r.Parameters)
	return append(list, fact{"seed", strconv.FormatUint(r.Seed, 10), ""}, fact{"instance (SHA-256)", r.Instance.SHA256,
		""}, fact{"result (SHA-256)", r.Digest, ""})
}

// stated is a value as people read it; what is no number is as the result states it.
func (r *Result) stated(name string, v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return r.shown(name, model.Number(v), model.RoundDown)
	case []any:
		if text := r.boundsShown(v); text != "" {
			return text
		}
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // the template does
	if err := e.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSpace(b.String())
}
