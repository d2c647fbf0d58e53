package proof

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
)

// checker follows a log.
type checker struct {
	m      *Model
	bound  []int64 // by side, now
	root   []int64
	raised []int32 // sides that differ from the root
	log    []byte
	clause []int32 // by step: where its clause begins in the log, which takes little memory; None: it is gone
	empty  bool    // a window is empty
	work   int     // literals, needs and terms that hints have read
}

// MaxWork bounds the literals, needs and terms that the hints of a log read.
const MaxWork = 20_000_000_000

// Check follows a log, and returns the least value of the objective that it proves; none is true if it proves that
// there is no solution at all. Errors: a step that its hints do not show.
func Check(m *Model, log []byte) (least int64, none bool, err error) {
	if len(log) > math.MaxInt32 {
		return 0, false, errors.New("it is too long")
	}
	c := &checker{m: m, bound: m.windows(), root: m.windows(), log: log}
	r := reader{rest: log}
	for at := 0; r.next(); at = len(log) - len(r.rest) {
		if err := c.step(&r.step, int32(at)); err != nil {
			return 0, false, fmt.Errorf("step %d: %w", r.n-1, err)
		}
		if len(r.step.Clause) == 0 {
			return 0, true, nil
		}
	}
	if r.bad {
		return 0, false, errEncoding
	}
	return c.root[2*m.Objective], false, nil
}

// step checks a step, which begins at a place in the log, and keeps its clause.
func (c *checker) step(s *Step, at int32) error {
	for _, l := range s.Clause {
		if l.Side < 0 || int(l.Side) >= len(c.root) {
			return errors.New("no such variable")
		}
		c.raise(l.Not())
	}
	for _, h := range s.Hints {
		if int(h.To.Side) >= len(c.root) {
			return errors.New("no such variable")
		}
		if c.empty {
			continue
		}
		if err := c.follow(h); err != nil {
			return err
		}
		if c.work > MaxWork {
			return errors.New("the hints so far read more than can be checked")
		}
	}
	if !c.empty {
		return errors.New("its hints do not show its clause")
	}
	for _, side := range c.raised {
		c.bound[side] = c.root[side]
	}
	c.raised, c.empty = c.raised[:0], false
	if len(s.Clause) == 1 {
		l := s.Clause[0]
		c.bound[l.Side] = max(c.bound[l.Side], l.T)
		c.root[l.Side] = c.bound[l.Side]
		at = None
	}
	c.clause = append(c.clause, at)
	for _, k := range s.Gone {
		c.clause[k] = None
	}
	return nil
}

// raise makes a literal true.
func (c *checker) raise(l Literal) {
	if c.bound[l.Side] >= l.T {
		return
	}
	c.bound[l.Side] = l.T
	c.raised = append(c.raised, l.Side)
	c.empty = c.empty || l.T > -c.bound[l.Side^1]
}

// follow draws the consequence of a hint.
func (c *checker) follow(h Hint) error {
	switch h.Kind {
	case ByClause:
		return c.unit(h.At)
	case ByArc:
		if h.At>>1 >= len(c.m.Arcs) {
			return errors.New("no such arc")
		}
		c.arc(&c.m.Arcs[h.At>>1], int32(h.At&1))
		return nil
	}
	if h.To.Side != None && c.bound[h.To.Side] >= h.To.T {
		return nil // the literal is true
	}
	if h.Kind == BySum {
		if h.At >= len(c.m.Sums) {
			return errors.New("no such sum")
		}
		c.work += len(c.m.Sums[h.At].Terms)
		return c.sum(&c.m.Sums[h.At], h)
	}
	if h.At >= len(c.m.Limits) {
		return errors.New("no such limit")
	}
	if h.From >= h.Until {
		return errors.New("an empty interval")
	}
	if c.work += len(c.m.Limits[h.At].Tasks); h.Kind == ByTable {
		return c.table(&c.m.Limits[h.At], h)
	}
	return c.energy(&c.m.Limits[h.At], h)
}

// arc raises the end of an arc. If that is against a window, and its option not 1, the option is 0.
func (c *checker) arc(a *Arc, backwards int32) {
	from, to := a.Ends(backwards)
	l := Literal{to, c.bound[from] + a.Delay}
	switch {
	case a.If == 0 || c.bound[2*a.If] >= 1:
		c.raise(l)
	case l.T > -c.bound[to^1]:
		c.raise(AtMost(a.If, 0))
	}
}

// conclude draws the consequence of a rule.
func (c *checker) conclude(h Hint) {
	if h.To.Side == None {
		c.empty = true
	} else {
		c.raise(h.To)
	}
}

// unit makes the only literal of a clause true that is not false.
func (c *checker) unit(step int) error {
	left, n := Literal{}, 0
	try := func(l Literal) {
		if c.bound[l.Side^1] <= -l.T { // not false
			left = l
			n++
		}
	}
	switch k := -1 - step; {
	case k >= 0 && k < len(c.m.Choices):
		c.work += len(c.m.Choices[k].Options)
		for _, o := range c.m.Choices[k].Options {
			try(AtLeast(o, 1))
		}
	case step >= 0 && step < len(c.clause) && c.clause[step] != None:
		r := reader{rest: c.log[c.clause[step]:]}
		k := r.length()
		c.work += k
		for range k {
			try(r.literal())
		}
	default:
		return fmt.Errorf("no clause %d", step)
	}
	switch n {
	case 0:
		c.empty = true
	case 1:
		c.raise(left)
	default:
		return fmt.Errorf("clause %d leaves %d literals", step, n)
	}
	return nil
}

// ends are the least and the most start of a variable.
func (c *checker) ends(v int32) (least, most int64) { return c.bound[2*v], -c.bound[2*v+1] }

// runs says whether a task is sure to be one of a limit's, if a literal is false.
func (c *checker) runs(t *Need, l Literal) bool {
	return t.If == 0 || c.bound[2*t.If] >= 1 || l == AtMost(t.If, 0)
}

// table checks that tasks which run all the time need too much, with or without one that must give way.
func (c *checker) table(x *Limit, h Hint) error {
	var need uint64
	found := h.To.Side == None
	for k := range x.Tasks {
		t := &x.Tasks[k]
		least, most := c.ends(t.Variable)
		if !c.runs(t, h.To) {
			continue
		}
		if !found && t.Variable == h.To.Side>>1 && c.aside(t, h) == h.To {
			found = true
			need += uint64(t.Amount)
		} else if most <= h.From && least+t.Length >= h.Until {
			found = found || t.If != 0 && h.To == AtMost(t.If, 0)
			need += uint64(t.Amount)
		}
	}
	if !found || need <= uint64(x.Capacity) {
		return errors.New("the tasks leave room")
	}
	c.conclude(h)
	return nil
}

// aside is the literal that a task runs after an interval, or before it, if it must run at some time of it or there.
func (c *checker) aside(t *Need, h Hint) Literal {
	least, most := c.ends(t.Variable)
	if h.To.Side&1 == 0 && least+t.Length > h.From {
		return AtLeast(t.Variable, h.Until)
	}
	if h.To.Side&1 == 1 && most < h.Until {
		return AtMost(t.Variable, h.From-t.Length)
	}
	return Literal{Side: None}
}

// narrowed are the ends of a variable if a literal is false.
func (c *checker) narrowed(v int32, l Literal) (least, most int64) {
	least, most = c.ends(v)
	if l.Side != None && v == l.Side>>1 {
		if not := l.Not(); not.Side&1 == 0 {
			least = max(least, not.T)
		} else {
			most = min(most, -not.T)
		}
	}
	return least, most
}

// energy checks that tasks need too much within an interval if a literal is false.
func (c *checker) energy(x *Limit, h Hint) error {
	var need wide
	for k := range x.Tasks {
		t := &x.Tasks[k]
		least, most := c.narrowed(t.Variable, h.To)
		inside := min(t.Length, h.Until-h.From, least+t.Length-h.From, h.Until-most)
		if inside > 0 && c.runs(t, h.To) {
			need.add(uint64(inside), uint64(t.Amount))
		}
	}
	var room wide
	if room.add(uint64(x.Capacity), uint64(h.Until-h.From)); !need.above(room) {
		return errors.New("the tasks have enough room")
	}
	c.conclude(h)
	return nil
}

// sum checks that the terms are more than their sum may be, if a literal is false.
func (c *checker) sum(x *Sum, h Hint) error {
	var total, room wide
	for k := range x.Terms {
		t := &x.Terms[k]
		least, _ := c.narrowed(t.Variable, h.To)
		if over := least - t.Due; over > 0 && t.Step {
			total.add(1, uint64(t.Factor))
		} else if over > 0 {
			total.add(uint64(over), uint64(t.Factor))
		}
	}
	_, most := c.narrowed(x.Of, h.To)
	if room.add(uint64(max(0, most)), 1); !total.above(room) {
		return errors.New("the sum is small enough")
	}
	c.conclude(h)
	return nil
}

// wide is a sum of products.
type wide struct{ high, low uint64 }

func (w *wide) add(x, y uint64) {
	high, low := bits.Mul64(x, y)
	var carry uint64
	w.low, carry = bits.Add64(w.low, low, 0)
	w.high += high + carry
}

func (w wide) above(x wide) bool { return w.high > x.high || w.high == x.high && w.low > x.low }
