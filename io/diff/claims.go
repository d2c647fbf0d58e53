package diff

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mrsched/io/result"
	"mrsched/io/show"
	"mrsched/model"
)

// claims compares what two documents state, and says whether everything but Made is equal.
func (d *Difference) claims(a, b *model.Result) bool {
	d.Status = &Texts{string(a.Status), string(b.Status)}
	same := a.Status == b.Status
	alike := d.objectives(a.Objective, b.Objective)
	same = same && (d.Objective == nil || alike && !d.Objective.changed())
	same = d.bounds(a.LowerBound, b.LowerBound, alike) && same
	if a.Ratio != "" || b.Ratio != "" {
		n := printed(a.Ratio, b.Ratio)
		d.Ratio, same = &n, same && !n.changed()
	}
	if x, y := a.Guarantee, b.Guarantee; (x == nil) != (y == nil) || x != nil && *x != *y {
		d.Guarantee, same = &GuaranteeChange{a.Guarantee, b.Guarantee}, false
	}
	was, ranBefore := flatMetrics(a.Metrics)
	is, ran := flatMetrics(b.Metrics)
	d.Metrics = changedValues(was, is)
	made(a, ranBefore)
	made(b, ran)
	d.Made = changedValues(ranBefore, ran)
	slices.SortStableFunc(d.Made, func(a, b Values) int { return cmp.Compare(madeRank(a.Name), madeRank(b.Name)) })
	return same && len(d.Metrics) == 0
}

// objectives compares the objectives and says whether they have one name, as far as both exist.
func (d *Difference) objectives(a, b *model.Objective) (alike bool) {
	if a == nil && b == nil {
		return true
	}
	if a == nil || b == nil {
		o := ObjectiveChange{}
		if a != nil {
			o.Name, o.Old = a.Name, a.Value
		} else {
			o.Name, o.New = b.Name, b.Value
		}
		d.Objective = &o
		return true
	}
	if a.Name != b.Name {
		d.Objective = &ObjectiveChange{OldName: a.Name, NewName: b.Name, Numbers: Numbers{Old: a.Value, New: b.Value}}
		d.note("the objectives %s and %s are not compared", a.Name, b.Name)
		return false
	}
	d.Objective = &ObjectiveChange{Name: a.Name, Numbers: printed(a.Value, b.Value)}
	if change := decimal(string(d.Objective.Change)); change != nil {
		d.Verdict = [...]string{VerdictBetter, VerdictEqual, VerdictWorse}[change.Sign()+1]
	}
	return true
}

// bounds compares the lower bounds, and subtracts them if they are about the same objective.
func (d *Difference) bounds(a, b *model.LowerBound, alike bool) (same bool) {
	if a == nil && b == nil {
		return true
	}
	d.LowerBound = &BoundChange{Old: a, New: b}
	if a == nil || b == nil {
		return false
	}
	n := printed(a.Value, b.Value)
	if alike {
		d.LowerBound.Change = n.Change
	}
	return !n.changed() && a.Method == b.Method && a.Verified == b.Verified
}

// How a result was made, besides facts about the run, in the order of the list.
const (
	madeAlgorithm   = "algorithm"
	madeSeed        = "seed"
	madeMachines    = "machines"
	madeJobs        = "jobs"
	madeTasks       = "tasks"
	madeParameters  = "parameters"
	madeCertificate = "certificate"
)

// madeRank is the position in this order; parameters and facts about the run come before the certificate.
func madeRank(name string) int {
	first, _, _ := strings.Cut(name, ".")
	return slices.Index([]string{madeAlgorithm, madeSeed, madeMachines, madeJobs, madeTasks, madeParameters,
		result.MetricRun, madeCertificate}, first)
}

// made adds how a result was made, by name.
func made(r *model.Result, into map[string]json.RawMessage) {
	if r.Format == "" { // there is no result
		return
	}
	into[madeAlgorithm] = json.RawMessage(show.JSONText(r.Algorithm))
	into[madeSeed] = json.RawMessage(strconv.FormatUint(r.Seed, 10))
	into[madeMachines] = json.RawMessage(strconv.Itoa(r.Instance.Machines))
	into[madeJobs] = json.RawMessage(strconv.Itoa(r.Instance.Jobs))
	into[madeTasks] = json.RawMessage(strconv.Itoa(r.Instance.Tasks))
	if r.SHA256.Certificate != "" {
		into[madeCertificate] = json.RawMessage(show.JSONText(r.SHA256.Certificate))
	}
	flatten(madeParameters, r.Parameters, into)
}

// flatMetrics are the metrics and the facts about the run, by name; nested ones have names with dots.
func flatMetrics(metrics map[string]any) (measures, run map[string]json.RawMessage) {
	measures, run = map[string]json.RawMessage{}, map[string]json.RawMessage{}
	for name, v := range metrics {
		if name == result.MetricRun {
			flatten(name, v, run)
		} else {
			flatten(name, v, measures)
		}
	}
	return measures, run
}

// flatten adds a value of a document under its name. It takes objects apart, and the list of bounds by method.
func flatten(name string, v any, into map[string]json.RawMessage) {
	switch v := v.(type) {
	case map[string]any:
		for key, x := range v {
			flatten(name+"."+key, x, into)
		}
		return
	case []any:
		if name == result.MetricBounds && flattenBounds(v, into) {
			return
		}
	}
	into[name] = json.RawMessage(show.JSONText(v))
}

// flattenBounds is false, and does nothing, if several bounds have one method.
func flattenBounds(list []any, into map[string]json.RawMessage) bool {
	values := map[string]json.RawMessage{}
	for _, x := range list {
		bound, _ := x.(map[string]any)
		method, named := bound["method"].(string)
		if !named || len(bound) != 2 {
			return false
		}
		values[result.MetricBounds+"."+method] = json.RawMessage(show.JSONText(bound["value"]))
	}
	if len(values) < len(list) {
		return false
	}
	maps.Copy(into, values)
	return true
}

// changedValues lists the differences by name.
func changedValues(old, new map[string]json.RawMessage) (list []Values) {
	for _, name := range result.AllKeys(old, new) {
		if v, differ := valuesOf(name, old[name], new[name]); differ {
			list = append(list, v)
		}
	}
	return list
}

// rowKey is a text that identifies a row of a table.
func rowKey(row []string) string {
	var b strings.Builder
	for _, field := range row {
		b.WriteString(strconv.Itoa(len(field)))
		b.WriteByte(' ')
		b.WriteString(field)
	}
	return b.String()
}

// tableChange counts the rows of a table that only one side has; counted is false if the tables are not available.
func tableChange(name string, old, new *result.Side, counted bool) TableChange {
	change := TableChange{Name: strings.TrimSuffix(name, ".csv")}
	a, had := old.Table(change.Name)
	b, has := new.Table(change.Name)
	if !counted || !had || !has {
		return change
	}
	rows, only := [2]int{}, [2]int{}
	pairs(a.Rows, b.Rows, rowKey, slices.Clone, func(x, y *[]string, _ int) {
		for k, row := range [2]*[]string{x, y} {
			if row != nil {
				rows[k]++
				if x == nil || y == nil {
					only[k]++
				}
			}
		}
	})
	n := counts(rows[0], rows[1])
	change.Rows, change.OnlyOld, change.OnlyNew = &n, &only[0], &only[1]
	return change
}
