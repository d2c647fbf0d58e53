package campaign

import (
	"maps"
	"math/rand/v2"
	"slices"

	"mrsched/model"
)

// changed is a valid schedule that is being changed.
type changed struct {
	*rand.Rand
	b    *ruleBase
	rows []entry // own: nil, or cells in place of those that follow from the row
}

// entry is one row of a schedule.
type entry struct {
	task, job, kind, machine string
	from, until              int64 // microseconds
	own                      []string
}

// text are the rows as schedule.csv has them.
func (c *changed) text() (list [][]string) {
	for _, e := range c.rows {
		list = append(list, append([]string{e.task, e.job, e.kind, e.machine, model.Time(e.from).String(),
			model.Time(e.until).String()}, c.columns(&e)...))
	}
	return list
}

// at is a row as its problem sees it, and the code of what contradicts its task or machine.
func (c *changed) at(e *entry) (is model.Entry, code model.Code) {
	task, ok := c.b.view.FindTask(e.task)
	machine, ok2 := c.b.view.Machine(e.machine)
	is = model.Entry{Task: task, Machine: machine, Start: model.Time(e.from), End: model.Time(e.until)}
	switch {
	case !ok:
		return is, model.CodeTaskUnknown
	case !ok2:
		return is, model.CodeMachineUnknown
	}
	if _, job, kind := c.b.view.TaskName(task); e.job != job || e.kind != kind.String() || e.own != nil {
		code = model.CodeRowContradicts
	}
	return is, code
}

// columns are the problem's own cells of a row; empty if its task or machine does not exist.
func (c *changed) columns(e *entry) []string {
	if e.own != nil {
		return e.own
	}
	if is, code := c.at(e); code == "" || code == model.CodeRowContradicts {
		return slices.Clone(c.b.view.Cells(is))
	}
	return make([]string, len(c.columns(&c.b.rows[0])))
}

// codes are the rules that the rows break for check, which decide what is worth judging.
func (c *changed) codes() []model.Code {
	is, s := c.broken()
	if len(is) == 0 && string(model.ExactNumber(c.b.view.Evaluate(s).Value)) != c.b.stated {
		is[model.CodeObjective] = true
	}
	return slices.Sorted(maps.Keys(is))
}

// broken are the rules of schedules that the rows break, and the rows that name a task and a machine.
func (c *changed) broken() (is map[model.Code]bool, s *model.Schedule) {
	is, s = map[model.Code]bool{}, &model.Schedule{}
	for _, e := range c.rows {
		row, code := c.at(&e)
		if n := len(s.Entries); n > 0 && row.Task < s.Entries[n-1].Task {
			is[model.CodeRowContradicts] = true
		}
		if is[code] = true; code == "" || code == model.CodeRowContradicts {
			s.Entries = append(s.Entries, row)
		}
	}
	delete(is, "")
	for _, v := range c.b.view.Check(s) {
		is[v.Code] = true
	}
	return is, s
}

// any is the index of a random row.
func (c *changed) any() int { return c.IntN(len(c.rows)) }

// move starts a row at another time and keeps its length.
func (c *changed) move(i int, from int64) {
	e := &c.rows[i]
	from = max(from, min(e.from, 0))
	e.from, e.until = from, from+e.until-e.from
}

// end is the end of the last task.
func (c *changed) end() (most int64) {
	for _, e := range c.rows {
		most = max(most, e.until)
	}
	return most
}

// little is a short time to either side, most often a microsecond.
func (c *changed) little() int64 {
	by := pick(c.Rand, int64(-1), 1)
	if c.IntN(3) == 0 {
		by *= 1 + c.Int64N(2_000_000)
	}
	return by
}

// change changes the schedule at random.
func (c *changed) change() {
	switch c.IntN(4) {
	case 0:
		c.wrong(c.any())
		return
	case 1:
		c.edge(c.any())
		return
	case 2:
		i := c.any()
		c.elsewhere(i)
		c.edge(i)
		return
	}
	for range 1 + c.IntN(3) {
		c.shift(c.any(), c.any())
	}
}

// wrong changes what a row says of its task, or that it is there.
func (c *changed) wrong(i int) {
	e, other := &c.rows[i], c.rows[c.any()]
	switch c.IntN(8) {
	case 0:
		c.rows = slices.Delete(c.rows, i, i+1)
	case 1: // perhaps when all else has ended
		c.rows = slices.Insert(c.rows, i+1, *e)
		c.move(i+1, pick(c.Rand, e.from, c.end()+1))
	case 2:
		e.machine = pick(c.Rand, e.machine+"1", "m0", "m01", "n99", "w0/m9", "n0/m3", "n0/r3", "root", "r0", "")
	case 3: // also one of another partitioner
		e.task = pick(c.Rand, e.task+"x", "", e.job, e.job+".r99", e.job+"/p99", pick(c.Rand, c.b.tasks...))
	case 4:
		e.kind = pick(c.Rand, "map", "reduce")
	case 5:
		e.job = other.job
	case 6:
		c.rows[c.any()], *e = *e, other
	case 7:
		e.own = slices.Clone(c.columns(e))
		for k := range e.own {
			e.own[k] = pick(c.Rand, c.columns(&other)[k], e.own[k], e.own[k]+"0", "")
		}
	}
}

// elsewhere puts a row on another machine, for as long as its task takes there, perhaps when all else has ended, or all
// else there.
func (c *changed) elsewhere(i int) {
	e, free := &c.rows[i], int64(0)
	e.machine = pick(c.Rand, c.b.machines...)
	if takes, ok := c.b.length[[2]string{e.task, e.machine}]; ok {
		e.until = e.from + takes
	}
	for k, o := range c.rows {
		if k != i && o.machine == e.machine {
			free = max(free, o.until)
		}
	}
	c.move(i, pick(c.Rand, e.from, free, c.end()+1))
}

// shift moves a row i, with respect to another row k.
func (c *changed) shift(i, k int) {
	a, b := &c.rows[i], &c.rows[k]
	switch c.IntN(8) {
	case 0:
		a.machine, b.machine = b.machine, a.machine
	case 1:
		c.elsewhere(i)
	case 2:
		c.move(i, pick(c.Rand, b.from, b.until, b.from-a.until+a.from)+pick(c.Rand, 0, c.little()))
	case 3:
		a.until = max(a.from, a.until+c.little())
	case 4:
		a.from = min(a.until, max(0, a.from+c.little()))
	case 5: // in each other's place
		a.machine, b.machine = b.machine, a.machine
		from := a.from
		c.move(i, b.from)
		c.move(k, from)
	case 6: // all of the job
		by := c.little()
		for k := range c.rows {
			if c.rows[k].job == a.job {
				c.move(k, c.rows[k].from+by)
			}
		}
	case 7: // in two pieces
		rest := *a
		a.until = a.from + (a.until-a.from)/2
		rest.from, rest.until = a.until, rest.until+pick(c.Rand, int64(0), 250_000)+c.Int64N(3)
		c.rows = slices.Insert(c.rows, i+1, rest)
	}
}

// edge moves a row or one of its ends so far that the schedule just breaks a rule, or almost.
func (c *changed) edge(i int) {
	is, way, to := c.rows[i], c.IntN(4), pick(c.Rand, int64(-1), 1)*(1+c.Int64N(1+c.end()))
	valid := func(by int64) bool {
		c.rows[i] = is
		switch way {
		case 0:
			c.rows[i].from = min(is.until, max(0, is.from+by))
		case 1:
			c.rows[i].until = max(is.from, is.until+by)
		default:
			c.move(i, is.from+by)
		}
		is, _ := c.broken()
		return len(is) == 0
	}
	if valid(to) || !valid(0) {
		return
	}
	good, bad := int64(0), to
	for good-bad < -1 || good-bad > 1 {
		if by := good + (bad-good)/2; valid(by) {
			good = by
		} else {
			bad = by
		}
	}
	valid(pick(c.Rand, good, bad, bad))
}
