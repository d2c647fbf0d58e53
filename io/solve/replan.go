package solve

import (
	"mrsched/io/engine"
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
	return j.Opened.Keep(&plan)
}
