package solve

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"

	"mrsched/io/disk"
	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/model"
	"mrsched/solver"
)

// Compare runs all algorithms of the job, judges them by the strongest bound, and writes the results and the
// comparison.
func (j *Job) Compare(ctx context.Context) (*table, *result.Comparison, error) {
	var found []*engine.Verified
	for _, a := range j.Algorithms {
		v, err := j.Solve(ctx, a)
		if errors.Is(err, engine.ErrInterrupted) && len(found) > 0 {
			break // there is something to compare
		}
		if err != nil {
			return nil, nil, err
		}
		found = append(found, v)
	}
	best := engine.Strongest(j.inTableOrder(found)...)
	t, doc := NewTable(j), j.comparison(found, best)
	for _, v := range found {
		bundle, err := j.Bundle(v, best)
		if err != nil {
			return nil, nil, err
		}
		if err := j.Write(bundle); err != nil {
			return nil, nil, err
		}
		j.judged(bundle.Result, best)
		t.Add(bundle.Result)
		doc.Rows = append(doc.Rows, j.ComparisonRow(bundle.Result, v))
	}
	j.recorded(t, doc, best)
	j.LeftOut(t, doc)
	doc.Objective = ObjectiveName(t.Rows)
	if doc.LowerBound != nil {
		t.Note("all rows are judged against the strongest bound of the run, %s from %s", doc.LowerBound.Method, doc.BoundFrom)
	}
	return t, doc, j.writeComparison(doc)
}

// inTableOrder sorts outcomes so that equal bounds have a fixed order, whatever -a says.
func (j *Job) inTableOrder(found []*engine.Verified) []*engine.Verified {
	place := func(v *engine.Verified) int {
		return slices.IndexFunc(j.Problem.Algorithms, func(a solver.Algorithm) bool { return a.Name == v.Algorithm.Name })
	}
	list := slices.Clone(found)
	slices.SortStableFunc(list, func(a, b *engine.Verified) int { return cmp.Compare(place(a), place(b)) })
	return list
}

// comparison starts the document: what all rows share.
func (j *Job) comparison(found []*engine.Verified, best *engine.Proof) *result.Comparison {
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
	row.Metrics = j.Problem.ShownOf(r.Metrics)
	return row
}

// recorded adds the row of the real cluster, if the workload has its record.
func (j *Job) recorded(t *table, doc *result.Comparison, best *engine.Proof) {
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

// writeComparison writes compare.csv and compare.json beside the results.
func (j *Job) writeComparison(doc *result.Comparison) error {
	if j.Out == "" || j.toStdout() {
		return nil
	}
	if err := disk.WriteFile(filepath.Join(j.Out, result.ComparisonTable), j.Force, doc.Records().WriteCSV); err != nil {
		return err
	}
	return disk.WriteFile(filepath.Join(j.Out, result.ComparisonFile), j.Force, doc.WriteJSON)
}
