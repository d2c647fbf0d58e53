package solve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"path/filepath"
	"slices"

	"mrsched/io/disk"
	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/io/show"
	"mrsched/model"
	"mrsched/solver"
)

// Do runs the algorithms of the job and writes their results, each judged by its own bound as soon as it is there; in a
// comparison all are judged by the strongest bound at the end, and the comparison is written, too. done gets each
// result. failed gets the error of an algorithm; the others go on if it returns nil. A signal ends a job that has
// results without an error.
func (j *Job) Do(ctx context.Context, done func(b *result.Bundle) error,
	failed func(algorithm string, err error) error) (*table, *result.Comparison, error) {
	t, doc := NewTable(j), &result.Comparison{Columns: j.Problem.Shown}
	settle := func(v *engine.Verified, against *engine.Proof) error {
		b, err := j.Bundle(v, against)
		if err != nil {
			return err
		}
		if err := j.Write(b); err != nil {
			return err
		}
		if err := done(b); err != nil {
			return err
		}
		t.Add(b.Result)
		t.Replanned(b)
		doc.Rows = append(doc.Rows, j.ComparisonRow(b.Result, v))
		return nil
	}
	var found []*engine.Verified
	for _, a := range j.Algorithms {
		v, err := j.Solve(ctx, a)
		if err == nil && !j.Folders {
			err = settle(v, engine.Strongest(v))
		}
		if err == nil {
			found = append(found, v)
		} else if err = failed(a.Name, err); errors.Is(err, engine.ErrInterrupted) && len(found) > 0 {
			break
		} else if err != nil {
			return nil, nil, err
		}
	}
	if !j.Folders {
		j.leftOut(t, doc)
		return t, doc, nil
	}
	best := engine.Strongest(j.inTableOrder(found)...)
	j.comparison(doc, found, best)
	for _, v := range found {
		if err := settle(v, best); err != nil {
			return nil, nil, err
		}
	}
	j.recorded(t, doc, found, best)
	j.leftOut(t, doc)
	doc.Objective = ObjectiveName(t.Rows)
	if doc.LowerBound != nil {
		t.Note("all rows are judged against the strongest bound of the run, %s from %s", doc.LowerBound.Method, doc.BoundFrom)
	}
	return t, doc, j.writeComparison(doc)
}

// Stops is for jobs that an error of one algorithm ends.
func Stops(_ string, err error) error { return err }

// inTableOrder sorts outcomes so that equal bounds have a fixed order, whatever -a says.
func (j *Job) inTableOrder(found []*engine.Verified) []*engine.Verified {
	place := func(v *engine.Verified) int {
		return slices.IndexFunc(j.Problem.Algorithms, func(a solver.Algorithm) bool { return a.Name == v.Algorithm.Name })
	}
	list := slices.Clone(found)
	slices.SortStableFunc(list, func(a, b *engine.Verified) int { return cmp.Compare(place(a), place(b)) })
	return list
}

// comparison states in the document what all rows share.
func (j *Job) comparison(doc *result.Comparison, found []*engine.Verified, best *engine.Proof) {
	doc.Problem, doc.Instance = j.Problem.Name, result.Summary(j.W, j.digest, j.Run.View())
	if best == nil {
		return
	}
	doc.LowerBound = &model.LowerBound{Value: model.LowerNumber(best.Certified.Value), Method: best.Certified.Method,
		Verified: true}
	from := slices.IndexFunc(found, func(v *engine.Verified) bool { return engine.Strongest(v) == best })
	doc.BoundFrom = found[from].Algorithm.Name
}

// ComparisonRow is a result's line.
func (j *Job) ComparisonRow(r *model.Result, v *engine.Verified) result.ComparisonRow {
	f := result.NewBatchRow(j.Path, r)
	row := result.ComparisonRow{Algorithm: f.Algorithm, Status: f.Status, Objective: f.Objective, LowerBound: f.LowerBound,
		Method: f.Method, Ratio: f.Ratio, Factor: f.Factor, Additive: f.Additive, Verdict: f.Verdict,
		Metrics: j.Problem.ShownOf(r.Metrics)}
	if own := engine.Strongest(v); own != nil {
		row.OwnBound = model.LowerNumber(own.Certified.Value)
	}
	return row
}

// recorded adds the row of the real cluster, if the workload has its record.
func (j *Job) recorded(t *table, doc *result.Comparison, found []*engine.Verified, best *engine.Proof) {
	plans := slices.Clone(t.Rows[:len(found)])
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
	if cost.End > 0 {
		t.Note("%s", j.night(cost, plans, found, best))
	}
}

// night says how long what was recorded took, how long the best plan takes, and what no plan undercuts.
func (j *Job) night(cost *solver.Recorded, plans []*model.Result, found []*engine.Verified, best *engine.Proof) string {
	least, plan := cost.Least, 0
	var cheapest *big.Rat
	for k, r := range plans {
		if v, ok := show.Rational(r.Objective.Value); ok && (cheapest == nil || v.Cmp(cheapest) < 0) {
			cheapest, plan = v, k
		}
	}
	end := model.Time(0)
	for _, e := range found[plan].Schedule.Entries {
		end = max(end, e.End)
	}
	if best != nil && cost.Ends {
		bound, _ := best.Certified.Value.Float64()
		least = max(least, min(end, model.TimeOf(bound)))
	}
	clock := func(t model.Time) string { return show.Clock(t.Seconds()) }
	return fmt.Sprintf("what was recorded took %s; the plan of %s takes %s; nobody can do better than %s", clock(cost.End),
		found[plan].Algorithm.Name, clock(end), clock(least))
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
