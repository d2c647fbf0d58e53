package proof

import (
	"errors"
	"fmt"
	"math/bits"
)

// checker follows a log.
type checker struct {
	m      *Model
	bound  []int64 // by side, now
	root   []int64
	raised []int32 // sides that differ from the root
	clause map[int][]Literal
	empty  bool // a window is empty
}

// Check follows a log, and returns the least value of the objective that it proves; none is true if it proves that
// there is no solution at all. Errors: a step that its hints do not show.
func Check(m *Model, log []byte) (least int64, none bool, err error) {
	c := &checker{m: m, bound: m.windows(), root: m.windows(), clause: map[int][]Literal{}}
	r := reader{rest: log}
	for r.next() {
		if err := c.step(&r.step, r.n-1); err != nil {
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

// step checks a step and keeps its clause.
func (c *checker) step(s *Step, number int) error {
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
	} else {
		c.clause[number] = append([]Literal(nil), s.Clause...)
	}
	for _, k := range s.Gone {
		delete(c.clause, k)
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
		a := c.m.Arcs[h.At>>1]
		from, to := a.Ends(int32(h.At & 1))
		c.raise(Literal{to, c.bound[from] + a.Delay})
		return nil
	}
	if h.At >= len(c.m.Limits) {
		return errors.New("no such limit")
	}
	if h.From >= h.Until {
		return errors.New("an empty interval")
	}
	if h.To.Side != None && c.bound[h.To.Side] >= h.To.T {
		return nil // the literal is true
	}
	if h.Kind == ByTable {
		return c.table(&c.m.Limits[h.At], h)
	}
	return c.energy(&c.m.Limits[h.At], h)
}

// unit makes the only literal of a clause true that is not false.
func (c *checker) unit(step int) error {
	list, ok := c.clause[step]
	if !ok {
		return fmt.Errorf("no clause %d", step)
	}
	left, n := Literal{}, 0
	for _, l := range list {
		if c.bound[l.Side^1] <= -l.T { // not false
			left = l
			n++
		}
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

// table checks that tasks which run all the time need too much, with or without one that must give way.
func (c *checker) table(x *Limit, h Hint) error {
	need, found := uint64(0), h.To.Side == None
	for _, t := range x.Tasks {
		least, most := c.ends(t.Variable)
		if !found && t.Variable == h.To.Side>>1 {
			found = true
			if l := c.aside(t, h); l != h.To {
				return errors.New("the task need not give way")
			}
			need += uint64(t.Amount)
		} else if most <= h.From && least+t.Length >= h.Until {
			need += uint64(t.Amount)
		}
	}
	if !found || need <= uint64(x.Capacity) {
		return errors.New("the tasks leave room")
	}
	if h.To.Side == None {
		c.empty = true
	} else {
		c.raise(h.To)
	}
	return nil
}

// aside is the literal that a task runs after an interval, or before it, if it must run at some time of it or there.
func (c *checker) aside(t Need, h Hint) Literal {
	least, most := c.ends(t.Variable)
	if h.To.Side&1 == 0 && least+t.Length > h.From {
		return AtLeast(t.Variable, h.Until)
	}
	if h.To.Side&1 == 1 && most < h.Until {
		return AtMost(t.Variable, h.From-t.Length)
	}
	return Literal{Side: None}
}

// energy checks that tasks need too much within an interval if a literal is false.
func (c *checker) energy(x *Limit, h Hint) error {
	var high, low uint64
	for _, t := range x.Tasks {
		least, most := c.ends(t.Variable)
		if h.To.Side != None && t.Variable == h.To.Side>>1 {
			if not := h.To.Not(); not.Side&1 == 0 {
				least = max(least, not.T)
			} else {
				most = min(most, -not.T)
			}
		}
		inside := min(t.Length, h.Until-h.From, least+t.Length-h.From, h.Until-most)
		if inside > 0 {
			hi, lo := bits.Mul64(uint64(inside), uint64(t.Amount))
			var carry uint64
			low, carry = bits.Add64(low, lo, 0)
			high += hi + carry
		}
	}
	hi, lo := bits.Mul64(uint64(x.Capacity), uint64(h.Until-h.From))
	if high < hi || high == hi && low <= lo {
		return errors.New("the tasks have enough room")
	}
	if h.To.Side == None {
		c.empty = true
	} else {
		c.raise(h.To)
	}
	return nil
}
