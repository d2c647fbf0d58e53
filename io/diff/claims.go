package diff

import (
	"maps"
	"slices"
	"strconv"

	"mrsched/io/result"
	"mrsched/io/show"
	"mrsched/model"
)

// Names of values in the section result, besides the objective's own.
const (
	valueStatus    = "status"
	valueBound     = "lower_bound"
	valueBoundBy   = "bound_by"
	valueRatio     = "ratio"
	valueGuarantee = "guarantee"
	valueAlgorithm = "algorithm"
)

// claims compares what two documents state, and says whether everything but the settings is equal.
func (d *Difference) claims(a, b *model.Result) (same bool) {
	s := &Section{Name: SectionResult}
	differ := s.add(valueStatus, string(a.Status), string(b.Status))
	alike := d.objectives(s, a.Objective, b.Objective)
	differ = slices.ContainsFunc(s.Values, func(v Value) bool { return v.differs() }) || differ
	was, by := boundText(a.LowerBound)
	is, now := boundText(b.LowerBound)
	differ = s.add(valueBound, was, is) || differ
	if last := &s.Values[len(s.Values)-1]; !alike && last.Name == valueBound {
		last.Change = ""
	}
	differ = s.add(valueBoundBy, by, now) || differ
	differ = s.add(valueRatio, string(show.Optimum(a.Status, a.Ratio)), string(show.Optimum(b.Status, b.Ratio))) || differ
	x, y := a.Guarantee, b.Guarantee
	differ = (x == nil) != (y == nil) || x != nil && *x != *y || differ
	s.add(valueGuarantee, promiseText(a), promiseText(b))
	d.take(s)
	metrics, settings := &Section{Name: SectionMetrics}, &Section{Name: SectionSettings}
	d.metrics(metrics, settings, a, b)
	d.take(metrics)
	d.take(settings)
	return !differ && len(metrics.Values) == 0
}

// objectives compares the objectives and says whether they have one name, as far as both exist.
func (d *Difference) objectives(s *Section, a, b *model.Objective) (alike bool) {
	none := &model.Objective{}
	if a == nil {
		a = none
	}
	if b == nil {
		b = none
	}
	if a.Name != b.Name && a != none && b != none {
		s.add(a.Name, string(a.Value), "")
		s.add(b.Name, "", string(b.Value))
		d.note("the objectives %s and %s are not compared", a.Name, b.Name)
		return false
	}
	name := either(a != none, a.Name, b.Name)
	s.add(name, string(a.Value), string(b.Value))
	if change := decimal(string(valueOf(name, string(a.Value), string(b.Value)).Change)); change != nil &&
		d.section(SectionInput) == nil {
		d.Verdict = [...]string{VerdictBetter, VerdictEqual, VerdictWorse}[change.Sign()+1]
	}
	return true
}

func boundText(b *model.LowerBound) (value, method string) {
	if b == nil {
		return "", ""
	}
	return string(b.Value), b.Method + either(b.Verified, "", " (not verified)")
}

func promiseText(r *model.Result) string {
	if r.Guarantee == nil {
		return ""
	}
	return show.GuaranteeText(r)
}

// metrics compares the metrics, and how the results were made. What was planned again comes first.
func (d *Difference) metrics(metrics, settings *Section, a, b *model.Result) {
	ran := [2]map[string]string{settingsOf(a), settingsOf(b)}
	measured := [2]map[string]string{{}, {}}
	for k, r := range [2]*model.Result{a, b} {
		for name, v := range r.Metrics {
			into := measured[k]
			if name == result.MetricRun {
				into = ran[k]
			}
			flatten(name, v, into)
		}
	}
	names := result.AllKeys(measured[0], measured[1])
	slices.SortStableFunc(names, func(a, b string) int {
		return slices.Index(model.ReplanMetrics(), b) - slices.Index(model.ReplanMetrics(), a)
	})
	objective := func(r *model.Result, name string) bool { return r.Objective != nil && r.Objective.Name == name }
	for _, name := range names {
		if !objective(a, name) && !objective(b, name) && (a.Format == "" || b.Format == "" || !d.unplanned(name, measured)) {
			metrics.addChanged(name, measured[0][name], measured[1][name])
		}
	}
	for _, name := range result.AllKeys(ran[0], ran[1]) {
		settings.addChanged(name, ran[0][name], ran[1][name])
	}
}

// unplanned says whether a metric counts what changed of an earlier plan, nothing, and one side has no such plan.
func (d *Difference) unplanned(metric string, measured [2]map[string]string) bool {
	was, is := measured[0][metric], measured[1][metric]
	if !slices.Contains(model.ReplanMetrics(), metric) || (was == "") == (is == "") {
		return false
	}
	if metric == model.ReplanMetrics()[0] {
		d.note("the %s result has no plan before it", either(was == "", "old", "new"))
	}
	return was+is == "0"
}

// settingsOf is how a result was made, by name; nothing of no result.
func settingsOf(r *model.Result) map[string]string {
	into := map[string]string{}
	if r.Format != "" {
		into[valueAlgorithm], into["seed"] = r.Algorithm, strconv.FormatUint(r.Seed, 10)
		into["machines"] = strconv.Itoa(r.Instance.Machines)
		flatten("parameters", r.Parameters, into)
	}
	return into
}

// flatten adds a value of a document under its name. It takes objects apart, and lists of what has a method.
func flatten(name string, v any, into map[string]string) {
	switch v := v.(type) {
	case map[string]any:
		for key, x := range v {
			flatten(name+"."+key, x, into)
		}
		return
	case []any:
		byMethod := map[string]any{}
		for _, x := range v {
			bound, _ := x.(map[string]any)
			if method, ok := bound["method"].(string); ok {
				bound = maps.Clone(bound)
				delete(bound, "method")
				byMethod[method] = bound["value"]
			}
		}
		if len(byMethod) == len(v) {
			flatten(name, byMethod, into)
			return
		}
	case string:
		into[name] = v
		return
	}
	into[name] = show.JSONText(v)
}
