package campaign

import (
	"math/big"
	"slices"

	"mrsched/model"
)

func (c *corrupted) machinesOf() []string {
	var list []string
	for i := range c.b.view.Size() {
		list = append(list, c.b.view.MachineName(int32(i)))
	}
	return list
}

// any is the index of a random row.
func (c *corrupted) any() int { return c.IntN(len(c.rows)) }

// where is the index of a random row with a property; −1 if there is none.
func (c *corrupted) where(has func(e *entry) bool) int {
	for _, i := range c.Perm(len(c.rows)) {
		if has(&c.rows[i]) {
			return i
		}
	}
	return -1
}

// move starts a row at another time and keeps its length.
func (c *corrupted) move(i int, from int64) bool {
	e := &c.rows[i]
	e.from, e.until = from, from+e.until-e.from
	return from >= 0
}

// end is the end of the last task.
func (c *corrupted) end() (most int64) {
	for _, e := range c.rows {
		most = max(most, e.until)
	}
	return most
}

// little is a short time, most often a microsecond.
func (c *corrupted) little() int64 {
	if c.IntN(3) > 0 {
		return 1
	}
	return 1 + c.Int64N(2_000_000)
}

// everywhere are the rules of all problems. settle repairs the schedule after a row was removed or added.
func everywhere(settle func(c *corrupted)) []rule {
	return []rule{
		{"a row missing", model.CodeTaskMissing, func(c *corrupted) bool {
			i := c.any()
			c.rows = slices.Delete(c.rows, i, i+1)
			settle(c)
			return true
		}},
		{"a row twice", model.CodeTaskTwice, func(c *corrupted) bool {
			i := c.any()
			c.rows = slices.Insert(c.rows, i+1, c.rows[i])
			if c.IntN(4) > 0 { // at another time
				c.move(i+1, c.end()+c.little())
			}
			settle(c)
			return true
		}},
		{"an unknown machine", model.CodeMachineUnknown, func(c *corrupted) bool {
			e := &c.rows[c.any()]
			e.machine = pick(c.Rand, e.machine+"1", e.machine+"x", "m0", "m01", "m999", "n99",
				"w0/m9", "w0/r9", "n0/m9", "n0/r0", "root", "r0", "")
			_, known := c.b.view.Machine(e.machine)
			return !known
		}},
		{"an unknown task", model.CodeTaskUnknown, func(c *corrupted) bool {
			i := c.any()
			if e := c.rows[i]; c.IntN(2) == 0 { // one more
				c.rows = slices.Insert(c.rows, i+1, e)
				i++
				c.move(i, c.end())
			}
			e := &c.rows[i]
			e.task = pick(c.Rand, e.task+"x", e.task+".", "", "lost", "a.r", e.job, e.job+".r99", e.job+"/p99", e.job+"/h99.p1")
			return !slices.ContainsFunc(c.b.problem.tasks(), func(t naiveTask) bool { return t.id == e.task })
		}},
		{"another job or kind", model.CodeRowContradicts, func(c *corrupted) bool {
			e := &c.rows[c.any()]
			if c.IntN(2) == 0 {
				is := e.kind
				e.kind = pick(c.Rand, "map", "reduce")
				return e.kind != is
			}
			is := e.job
			e.job = c.rows[c.any()].job
			return e.job != is
		}},
		{"rows in another order", model.CodeRowContradicts, func(c *corrupted) bool {
			i, k := c.any(), c.any()
			c.rows[i], c.rows[k] = c.rows[k], c.rows[i]
			return c.rows[i].task != c.rows[k].task
		}},
		{"another objective", model.CodeObjective, func(c *corrupted) bool {
			is, _ := c.b.bundle.Result.Objective.Value.Rat()
			now := new(big.Rat).Add(is, big.NewRat(pick(c.Rand, int64(-1), 1)*(1+c.Int64N(3_000_000)), 1_000_000))
			c.objective = string(model.ExactNumber(now))
			return now.Sign() >= 0 && c.objective != string(c.b.bundle.Result.Objective.Value)
		}},
	}
}

// ownColumn is the rule on the problem's own columns.
func ownColumn() rule {
	return rule{"an own column", model.CodeRowContradicts, func(c *corrupted) bool {
		e, other := &c.rows[c.any()], c.rows[c.any()]
		e.own = slices.Clone(c.b.problem.columns(e))
		k := c.IntN(len(e.own))
		is := e.own[k]
		e.own[k] = pick(c.Rand, c.b.problem.columns(&other)[k], is+"0", "", "1", "rack")
		return e.own[k] != is
	}}
}

// nothing is what most problems need to settle.
func nothing(*corrupted) {}

// anything changes the schedule at random.
func (c *corrupted) anything() {
	for range 1 + c.IntN(3) {
		i, k := c.any(), c.any()
		a, b := &c.rows[i], &c.rows[k]
		switch c.IntN(9) {
		case 0:
			a.machine, b.machine = b.machine, a.machine
		case 1:
			a.machine = pick(c.Rand, c.machinesOf()...)
		case 2:
			c.move(i, max(0, a.from+pick(c.Rand, int64(-1), 1)*c.little()))
		case 3:
			c.move(i, b.until)
		case 4:
			c.move(i, b.from)
		case 5:
			a.until = max(a.from, a.until+pick(c.Rand, int64(-1), 1)*c.little())
		case 6:
			a.from = min(a.until, max(0, a.from+pick(c.Rand, int64(-1), 1)*c.little()))
		case 7:
			a.machine, b.machine = b.machine, a.machine
			from := a.from
			c.move(i, b.from)
			c.move(k, from)
		case 8: // in two pieces
			if first := a.from + (a.until-a.from)/2; a.until > a.from {
				rest := *a
				a.until, rest.from, rest.until = first, first, a.until+250_000+c.Int64N(3)
				c.rows = slices.Insert(c.rows, i+1, rest)
			}
		}
	}
}
