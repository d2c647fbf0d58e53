package msjo

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

// Check lists every constraint that a schedule breaks: each task once, on an existing machine, for its
// processing time, after its release and predecessors, one task per machine at a time.
func (in *Instance) Check(s *model.Schedule) []model.Violation {
	c := &checker{in: in, w: in.workload}
	row := slices.Repeat([]int32{model.None}, in.Tasks)
	for k, e := range s.Entries {
		if row[e.Task] != model.None {
			c.Add(model.CodeTaskTwice, "task %q has several rows", c.w.Tasks[e.Task].ID)
			continue
		}
		row[e.Task] = int32(k)
		c.single(e)
	}
	for u, k := range row {
		if k == model.None {
			c.Add(model.CodeTaskMissing, "task %q is not scheduled", c.w.Tasks[u].ID)
		}
	}
	c.precedence(s, row)
	c.CheckOverlaps(in, s, model.Indices(len(s.Entries)), "task", "machine",
		func(u int32) string { return c.w.Tasks[u].ID })
	in.replan.Check(&c.Violations, in, s)
	return c.List()
}

// single checks the rules for one row alone.
func (c *checker) single(e model.Entry) {
	id, p := c.w.Tasks[e.Task].ID, c.in.Processing[e.Task]
	if e.End-e.Start != p {
		c.Add(model.CodeDuration, "task %q runs %s s, from %s to %s; its processing time is %s s", id, e.End-e.Start,
			e.Start, e.End, p)
	}
	if e.Start < c.in.Earliest[e.Task] {
		c.Add(model.CodeBeforeRelease, "task %q starts at %s, before its release at %s", id, e.Start, c.in.Earliest[e.Task])
	}
	if e.Machine < 0 || int(e.Machine) >= c.in.Machines {
		c.Add(model.CodeMachineUnknown, "task %q runs on machine number %d of %d", id, e.Machine+1, c.in.Machines)
	}
}

// precedence carries the earliest allowed start along the arcs, in topological order.
func (c *checker) precedence(s *model.Schedule, row []int32) {
	in := c.in
	ready := make([]model.Time, in.Nodes)
	after := make([]int32, in.Nodes) // the task that causes ready
	for _, u := range in.Topo {
		end, cause := ready[u], after[u]
		if u < int32(in.Tasks) {
			k := row[u]
			if k == model.None {
				continue
			}
			if e := s.Entries[k]; e.Start < ready[u] {
				c.Add(model.CodePrecedence, "task %q starts at %s; after task %q and its delay it may start at %s",
					c.w.Tasks[u].ID, e.Start, c.w.Tasks[after[u]].ID, ready[u])
			}
			end, cause = s.Entries[k].End, u
		}
		for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
			v := in.SuccNode[a]
			if t := end + in.SuccDelay[a]; t > ready[v] {
				ready[v], after[v] = t, cause
			}
		}
	}
}
