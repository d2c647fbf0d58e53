package solve

import (
	"fmt"
	"slices"

	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/model"
)

// keep makes the job plan an earlier result again.
func (j *Job) keep() error {
	b, plan, err := j.ReadEarlier()
	if err != nil {
		return err
	}
	if b.Result.Problem != j.Problem.Name {
		return engine.Usagef("--from: a result of problem %s; the instance is solved as one of %s", b.Result.Problem,
			j.Problem.Name)
	}
	if err := j.Problem.Replans(j.Algorithms); err != nil {
		return err
	}
	plan.From, plan.Rows = b.Result.Digest, engine.EarlierRows(b)
	if err := j.Opened.Keep(&plan); err != nil {
		return err
	}
	j.warnEarlier(b, plan.Rows)
	return nil
}

// warnEarlier warns of an earlier result that is probably not the one meant.
func (j *Job) warnEarlier(b *result.Bundle, rows []model.ReplanRow) {
	const objective = "objective" // of msjo and cluster, both of which plan again
	if was, is := b.Result.Parameters[objective], j.Params.Text(objective); was != nil && fmt.Sprint(was) != is {
		fmt.Fprintf(j.Stderr, "warning: %s--from: that result minimizes %v, and this run %s; to keep it, pass "+
			"--objective %v\n", j.about(), was, is, was)
	}
	stays := func(r model.ReplanRow) bool { return r.Index != model.None && r.At != model.None }
	if len(rows) > 0 && !slices.ContainsFunc(rows, stays) {
		fmt.Fprintf(j.Stderr, "warning: %s--from: no task of that result can stay where it is; is it of another instance?\n",
			j.about())
	}
}
