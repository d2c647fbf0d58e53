package shop

import (
	"slices"

	"mrsched/model"
)

// checker collects violations.
type checker struct {
	model.Violations
	in *Instance
	w  *model.Workload
}

// Check lists every constraint that a schedule breaks: each task once, on a node that may run it, for its length there,
// while the node is available, after its release and predecessors; fixed tasks as they stand; and the tasks of a node
// or of a place within its capacities. Identical machines run one task at a time.
func (in *Instance) Check(s *model.Schedule) []model.Violation {
	c := &checker{in: in, w: in.workload}
	row := slices.Repeat([]int32{model.None}, in.Tasks)
	on := in.crowds()
	for k, e := range s.Entries {
		if row[e.Task] != model.None {
			c.Add(model.CodeTaskTwice, "task %q has several rows", c.id(int32(e.Task)))
			continue
		}
		if row[e.Task] = int32(k); c.single(e) && !in.Identical {
			in.join(on, e)
		}
	}
	for u, k := range row {
		if k == model.None {
			c.Add(model.CodeTaskMissing, "task %q is not scheduled", c.id(int32(u)))
		}
	}
	c.precedence(s, row)
	if in.Identical {
		c.CheckOverlaps(in, s, model.Indices(len(s.Entries)), "task", "machine", c.id)
	}
	c.keepsPlan(s)
	for k, entries := range on {
		c.room(k, entries)
	}
	return c.List()
}

func (c *checker) id(u int32) string { return c.w.Tasks[u].ID }

// single checks the rules for one row alone. It says whether the row takes room on a node.
func (c *checker) single(e model.Entry) bool {
	in, u, i := c.in, int32(e.Task), e.Machine
	if i < 0 || int(i) >= in.Nodes {
		c.Add(model.CodeMachineUnknown, "task %q runs on machine number %d of %d", c.id(u), i+1, in.Nodes)
		return false
	}
	node := in.MachineName(i)
	if in.Begun(u) {
		c.begun(e)
		return true
	}
	if in.Fixed(u) {
		if moved := i != in.FixedNode(u) || e.Start != in.FixedStart(u); moved && !in.frozen(e.Task) {
			c.Add(model.CodeFixedMoved, "task %q is fixed to %s from %s on, and runs on %s from %s on", c.id(u),
				in.MachineName(in.FixedNode(u)), in.FixedStart(u), node, e.Start)
		}
	} else {
		if now := in.now(); now > 0 && e.Start < now {
			c.Add(model.CodeReality, "task %q starts at %s, before now, %s, and has no row of state", c.id(u), e.Start, now)
		} else if e.Start < in.Earliest[u] && !in.breaksFreeze(e.Start) {
			c.Add(model.CodeBeforeRelease, "task %q starts at %s, before its release at %s", c.id(u), e.Start, in.Earliest[u])
		}
		if !in.eligible(u, i) {
			c.Add(model.CodePlace, "task %q runs on %s, and the table eligible leaves that out", c.id(u), node)
		}
	}
	length := in.Length(u, i)
	if length < 0 {
		c.Add(model.CodePlace, "task %q runs on %s, and the table times has no row for it there", c.id(u), node)
		return false
	}
	if e.End-e.Start != length {
		c.Add(model.CodeDuration, "task %q runs %s s, from %s to %s; on %s it takes %s s", c.id(u), e.End-e.Start, e.Start,
			e.End, node, length)
	}
	if from, until, away := in.Away(i, e.Start, e.End); away {
		back := "for good"
		if until < Never {
			back = "until " + until.String()
		}
		c.Add(model.CodeAway, "task %q runs from %s to %s, and %s is unavailable from %s on, %s", c.id(u), e.Start,
			e.End, node, from, back)
	}
	return true
}

// begun checks a task that has begun: it is where and when it really was, and ends when it did or is expected to.
func (c *checker) begun(e model.Entry) {
	in, u := c.in, int32(e.Task)
	i, start := in.FixedNode(u), in.FixedStart(u)
	if end := start + in.Length(u, i); e.Machine != i || e.Start != start || e.End != end {
		c.Add(model.CodeReality, "task %q is on %s from %s to %s by the table state, and is on %s from %s to %s", c.id(u),
			in.MachineName(i), start, end, in.MachineName(e.Machine), e.Start, e.End)
	}
}

// breaksFreeze says whether a start before the earliest one only breaks the freeze, which releases tasks later.
func (in *Instance) breaksFreeze(start model.Time) bool {
	return in.replan != nil && !in.Identical && start < in.replan.Until
}

// room checks what the node or the group of a crowd limits.
func (c *checker) room(k int, entries []model.Entry) {
	in := c.in
	in.eachShortage(entries, k, func(e model.Entry, x limit) {
		code, of := model.CodeResource, in.Resource[x.resource]
		switch {
		case k >= in.Nodes:
			code = model.CodePlaceFull
		case int(x.resource) >= in.named:
		case of == ResourceMemory:
			code = model.CodeMemory
		case of == ResourceCPU:
			code = model.CodeCores
		}
		_, name := in.limits(k)
		c.Add(code, "from %s on, with task %q, the tasks on %s need more of %s than its %s", e.Start, c.id(int32(e.Task)),
			name, of, in.Amount(int(x.resource), x.capacity))
	})
}

// precedence carries the earliest allowed start along the arcs, in topological order.
func (c *checker) precedence(s *model.Schedule, row []int32) {
	in := c.in
	ready := make([]model.Time, in.Steps)
	after := slices.Repeat([]int32{model.None}, in.Steps) // the task that causes ready
	for _, u := range in.Topo {
		end, cause := ready[u], after[u]
		if int(u) < in.Tasks {
			k := row[u]
			if k == model.None {
				continue
			}
			if e := s.Entries[k]; cause != model.None && e.Start < ready[u] {
				c.Add(model.CodePrecedence, "task %q starts at %s; after task %q and its delay it may start at %s", c.id(u),
					e.Start, c.id(cause), ready[u])
			}
			end, cause = s.Entries[k].End, u
		}
		for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
			v := in.SuccStep[a]
			if t := end + in.SuccDelay[a]; t > ready[v] {
				ready[v], after[v] = t, cause
			}
		}
	}
}
