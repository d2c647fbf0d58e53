package cli

import (
	"cmp"
	"io"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"mrsched/io/disk"
	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/io/show"
	"mrsched/model"
	"mrsched/solver"
)

func (s *session) compareCommand() *cli.Command {
	algorithm := &cli.StringFlag{Name: "algorithm", Aliases: []string{"a"}, Value: "all",
		Usage: "algorithms, " + listUsage + "; or all"}
	return &cli.Command{
		Name:      "compare",
		Usage:     "run every algorithm on one instance and judge all against the strongest bound found",
		ArgsUsage: "INSTANCE",
		Description: withExamples(statusHelp+"\n\n"+algorithmHelp(),
			"mrsched compare deadlines.json -o r/deadlines",
			"mrsched compare tree.json -a greedy,rhc,lookahead --json"),
		Flags: solveFlags(algorithm, "directory for one result each, compare.csv and compare.json; or - for the results "+
			"on standard output"),
		Action: s.compare,
	}
}

func (s *session) compare(c *cli.Context) error {
	j, err := s.newJob(c, true)
	if err != nil {
		return err
	}
	defer limitCores(c)()
	var found []*engine.Verified
	for _, a := range j.algorithms {
		v, err := j.solve(c.Context, a)
		if err != nil {
			return err
		}
		found = append(found, v)
	}
	best := engine.Strongest(j.inTableOrder(found)...)
	t, doc := newTable(j), j.comparison(found, best)
	for _, v := range found {
		bundle, err := j.bundle(v, best)
		if err != nil {
			return err
		}
		if err := j.write(bundle); err != nil {
			return err
		}
		t.add(bundle.Result)
		doc.Rows = append(doc.Rows, j.comparisonRow(bundle.Result, v))
	}
	j.recorded(t, doc, best)
	j.leftOut(t, doc)
	doc.Objective = objectiveName(t.rows)
	if err := j.writeComparison(doc); err != nil {
		return err
	}
	if doc.LowerBound != nil {
		t.note("all rows are judged against the strongest bound of the run, %s from %s", doc.LowerBound.Method, doc.BoundFrom)
	}
	if err := t.print(func(w io.Writer) error { return show.WriteLines(w, doc.Rows) }); err != nil {
		return err
	}
	return j.finish()
}

// inTableOrder is the order in which equal bounds go before each other, whatever -a says.
func (j *job) inTableOrder(found []*engine.Verified) []*engine.Verified {
	place := func(v *engine.Verified) int {
		return slices.IndexFunc(j.Problem.Algorithms, func(a solver.Algorithm) bool { return a.Name == v.Algorithm.Name })
	}
	list := slices.Clone(found)
	slices.SortStableFunc(list, func(a, b *engine.Verified) int { return cmp.Compare(place(a), place(b)) })
	return list
}

// comparison starts the document: what all rows share.
func (j *job) comparison(found []*engine.Verified, best *engine.Proof) *result.Comparison {
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

// comparisonRow is a result's line.
func (j *job) comparisonRow(r *model.Result, v *engine.Verified) result.ComparisonRow {
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

// recorded adds the row of the real cluster, if the workload has its record.
func (j *job) recorded(t *table, doc *result.Comparison, best *engine.Proof) {
	if j.Problem.Recorded == nil {
		return
	}
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
			t.note("recorded: below the bound, so the traced cluster was larger or faster than this instance")
		}
	}
	t.add(r)
	row := j.comparisonRow(r, &engine.Verified{})
	row.Note = cost.Note
	doc.Rows = append(doc.Rows, row)
	t.note("recorded: %s", cost.Note)
}

// leftOut adds a row for each algorithm that "all" does not run on this instance.
func (j *job) leftOut(t *table, doc *result.Comparison) {
	for _, a := range j.skipped {
		t.add(&model.Result{Algorithm: a.Name, Status: model.StatusSkipped})
		note := cmp.Or(j.excluded[a.Name], meantFor(a)+"; name it with -a to run it")
		doc.Rows = append(doc.Rows, result.ComparisonRow{Algorithm: a.Name, Status: model.StatusSkipped, Note: note})
		t.note("%s: %s", a.Name, note)
	}
}

// writeComparison writes compare.csv and compare.json beside the results.
func (j *job) writeComparison(doc *result.Comparison) error {
	if j.out == "" || j.toStdout() {
		return nil
	}
	force := j.c.Bool(flagForce.Name)
	if err := disk.WriteFile(filepath.Join(j.out, result.ComparisonTable), force, doc.WriteCSV); err != nil {
		return err
	}
	return disk.WriteFile(filepath.Join(j.out, result.ComparisonFile), force, doc.WriteJSON)
}
