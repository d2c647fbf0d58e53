package solve

import (
	"cmp"
	"path/filepath"
	"slices"

	"mrsched/io/disk"
	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/model"
	"mrsched/solver"
)

// InTableOrder is the order in which equal bounds go before each other, whatever -a says.
func (j *Job) InTableOrder(found []*engine.Verified) []*engine.Verified {
	place := func(v *engine.Verified) int {
		return slices.IndexFunc(j.Problem.Algorithms, func(a solver.Algorithm) bool { return a.Name == v.Algorithm.Name })
	}
	list := slices.Clone(found)
	slices.SortStableFunc(list, func(a, b *engine.Verified) int { return cmp.Compare(place(a), place(b)) })
	return list
}

// Comparison starts the document: what all rows share.
func (j *Job) Comparison(found []*engine.Verified, best *engine.Proof) *result.Comparison {
	view := j.Run.View()
	doc := &result.Comparison{Problem: j.Problem.Name, Columns: j.Problem.Shown,
		Instance: result.Summary(j.W, j.digest, view)}
	if best == nil {
		return doc
	}
	doc.LowerBound = &model.LowerBound{Value: model.LowerNumber(best.Certified.Value), Method: best.Certified.Method,
		Verified: true}
	from := slices.IndexFunc(found, func(v *engine.Verified) bool { return engine.Strongest(v) == best })
	doc.BoundFrom = found[from].Algorithm.Name
	return doc
}

// ComparisonRow is a result's line.
func (j *Job) ComparisonRow(r *model.Result, v *engine.Verified) result.ComparisonRow {
	row := result.ComparisonRow{Algorithm: r.Algorithm, Status: r.Status, Ratio: r.Ratio}
	if r.Objective != nil {
		row.Objective = r.Objective.Value
	}
	if r.LowerBound != nil {
		row.LowerBound, row.Method = r.LowerBound.Value, r.LowerBound.Method
	}
	if own := engine.Strongest(v); own != nil {
		row.OwnBound = model.LowerNumber(own.Certified.Value)
	}
	if g := r.Guarantee; g != nil {
		row.Factor, row.Additive, row.Verdict = g.Factor, g.Additive, g.Verdict
	}
	for _, name := range j.Problem.Shown {
		if v, ok := r.Metrics[name]; ok {
			if row.Metrics == nil {
				row.Metrics = map[string]any{}
			}
			row.Metrics[name] = v
		}
	}
	return row
}

// Recorded adds the row of the real cluster, if the workload has its record.
func (j *Job) Recorded(t *table, doc *result.Comparison, best *engine.Proof) {
	cost := j.Problem.Recorded(j.Run.View(), j.W)
	if cost == nil {
		return
	}
	r := &model.Result{Algorithm: "recorded", Status: engine.StatusRecorded, Metrics: cost.Metrics}
	if cost.Value != nil {
		r.Objective = &model.Objective{Name: cost.Name, Value: model.ExactNumber(cost.Value)}
	}
	if best != nil && cost.Value != nil {
		r.LowerBound = doc.LowerBound
		if cost.Value.Cmp(best.Certified.Value) >= 0 {
			r.Ratio = model.Ratio(cost.Value, best.Certified.Value)
		} else {
			t.Note("recorded: below the bound, so the traced cluster was larger or faster than this instance")
		}
	}
	t.Add(r)
	row := j.ComparisonRow(r, &engine.Verified{})
	row.Note = cost.Note
	doc.Rows = append(doc.Rows, row)
	t.Note("recorded: %s", cost.Note)
}

// LeftOut adds a row for each algorithm that "all" does not run on this instance.
func (j *Job) LeftOut(t *table, doc *result.Comparison) {
	for _, a := range j.skipped {
		t.Add(&model.Result{Algorithm: a.Name, Status: model.StatusSkipped})
		note := cmp.Or(j.excluded[a.Name], meantFor(a)+"; name it with -a to run it")
		doc.Rows = append(doc.Rows, result.ComparisonRow{Algorithm: a.Name, Status: model.StatusSkipped, Note: note})
		t.Note("%s: %s", a.Name, note)
	}
}

// WriteComparison writes compare.csv and compare.json beside the results.
func (j *Job) WriteComparison(doc *result.Comparison) error {
	if j.Out == "" || j.toStdout() {
		return nil
	}
	force := j.Force
	if err := disk.WriteFile(filepath.Join(j.Out, result.ComparisonTable), force, doc.WriteCSV); err != nil {
		return err
	}
	return disk.WriteFile(filepath.Join(j.Out, result.ComparisonFile), force, doc.WriteJSON)
}
