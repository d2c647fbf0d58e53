package campaign

import (
	"bytes"
	"context"
	"maps"

	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/model"
)

// forge makes a result of a changed schedule as one JSON document; digests, objective, metrics, tables and own columns
// are those of the changed schedule. It also returns the rows of schedule.csv.
func (x *ruleTest) forge(c *corrupted) (text []byte, rows [][]string) {
	list := rowsOf(c)
	all := result.Rows(func(yield func([]result.Row) bool) { yield(list) })
	s, _ := result.Schedule(c.b.view, all)
	r, certificate := x.derived(c, s, c.b.proof), any(nil)
	if r == nil || c.objective != "" { // it costs less than the bound, or is said to: then no bound is stated
		r = x.derived(c, s, nil)
	} else if c.b.bundle.Certificate != nil {
		certificate = c.b.bundle.Certificate
	}
	if c.objective != "" {
		r.Objective.Value = model.Number(c.objective)
	}
	b := result.New(r, c.b.view, s, certificate)
	b.Rows = all
	var out bytes.Buffer
	if err := b.WriteLine(&out); err != nil {
		x.Fatal(err)
	}
	for _, r := range list {
		line := []string{r.Task, r.Job, r.Kind, r.Machine, r.Start.String(), r.End.String()}
		for _, cell := range r.Columns {
			line = append(line, cell.Text)
		}
		rows = append(rows, line)
	}
	return out.Bytes(), rows
}

// derived is the result.json of a schedule; nil if the schedule costs less than the proof allows.
func (x *ruleTest) derived(c *corrupted, s *model.Schedule, proof *model.Certified) *model.Result {
	is := c.b.bundle.Result
	r := &model.Result{Problem: is.Problem, Algorithm: is.Algorithm, Status: is.Status, Instance: is.Instance,
		Inputs:     is.Inputs,
		Parameters: is.Parameters, Seed: is.Seed, Metrics: map[string]any{}}
	for _, name := range []string{result.MetricBounds, result.MetricRun} {
		if v, ok := is.Metrics[name]; ok && (name == result.MetricRun || proof != nil) {
			r.Metrics[name] = v
		}
	}
	x.restate(r, c.b, s)
	if err := result.Derive(r, c.b.view, s, proof, result.Promise{}, false); err != nil {
		if proof == nil {
			x.Fatal(err)
		}
		return nil
	}
	return r
}

// restate derives the facts of the run that follow from the schedule.
func (x *ruleTest) restate(r *model.Result, b *ruleBase, s *model.Schedule) {
	if b.run == nil {
		return
	}
	names, derived, err := descriptor(x.problem).Witness(b.run, context.Background(), s, r.Status == model.StatusOptimal)
	if err != nil {
		x.Fatal(err)
	}
	facts, err := engine.Stated(derived)
	if err != nil {
		x.Fatal(err)
	}
	all := map[string]any{}
	if stated, ok := r.Metrics[result.MetricRun].(map[string]any); ok {
		maps.Copy(all, stated)
	}
	for _, name := range names {
		if delete(all, name); facts[name] != nil {
			all[name] = facts[name]
		}
	}
	if len(all) > 0 {
		r.Metrics[result.MetricRun] = all
	}
}

// rowsOf are the rows of a changed schedule. The problem's own columns are derived unless the change states them.
func rowsOf(c *corrupted) (list []result.Row) {
	own := c.b.view.Description().Columns
	for _, e := range c.rows {
		r := result.Row{Task: e.task, Job: e.job, Kind: e.kind, Machine: e.machine,
			Start: model.Time(e.from), End: model.Time(e.until)}
		texts := e.own
		if texts == nil {
			texts = cellsOf(c.b, &e)
		}
		for k, x := range own {
			r.Columns = append(r.Columns, result.Cell{Name: x.Name, Text: texts[k]})
		}
		list = append(list, r)
	}
	return list
}

// cellsOf are the cells of a row's own columns; empty if its task or machine does not exist.
func cellsOf(b *ruleBase, e *entry) []string {
	m, known := b.view.Machine(e.machine)
	u, named := b.view.FindTask(e.task)
	if !known || !named {
		return make([]string, len(b.view.Description().Columns))
	}
	return b.view.Cells(model.Entry{Task: u, Machine: m, Start: model.Time(e.from), End: model.Time(e.until)})
}
