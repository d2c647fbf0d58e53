package model

import (
	"fmt"
	"slices"
)

// Hosts returns the rows of the topology that run tasks, in their order.
func (w *Workload) Hosts() (list []NodeIndex) {
	for i := range w.Topology {
		if w.Topology[i].Kind == HostNode {
			list = append(list, NodeIndex(i))
		}
	}
	return list
}

// Resize returns the workload with this many nodes, at least 1. To shrink, it removes the last nodes with their
// replicas, capacities, calendars and times. To grow, it adds copies of like at the end, in its rack, with its
// capacities and times; they have no replicas and are never unavailable. If like is None, the nodes are copied in turn.
// A workload without a topology has this many machines.
//
// Every schedule for k nodes is also a schedule for k + 1 nodes and costs no more there: the first k nodes are the
// same, a block that is read keeps a replica, so that reading takes no longer, and every row that restricts a task to
// places stays. The error is an *InputError that names a row that needs one of the removed nodes.
func (w *Workload) Resize(nodes int, like NodeIndex) (*Workload, error) {
	r := *w
	r.at = nil
	if !w.HasTopology {
		r.Machines = Some(int64(nodes))
		return &r, nil
	}
	hosts := w.Hosts()
	if nodes < len(hosts) {
		return &r, r.shrink(hosts[nodes:], nodes)
	}
	r.grow(hosts, nodes-len(hosts), like)
	return &r, nil
}

// grow adds copies of nodes.
func (w *Workload) grow(hosts []NodeIndex, more int, like NodeIndex) {
	taken := make(map[string]bool, len(w.Topology))
	for i := range w.Topology {
		taken[w.Topology[i].ID] = true
	}
	copies := make(map[NodeIndex][]NodeIndex)
	w.Topology = slices.Clone(w.Topology)
	for k := range more {
		of := like
		if of == None {
			of = hosts[k%len(hosts)]
		}
		n := w.Topology[of]
		for c := len(copies[of]) + 2; n.ID == w.Topology[of].ID || taken[n.ID]; c++ {
			n.ID = fmt.Sprintf("%s-%d", w.Topology[of].ID, c)
		}
		taken[n.ID] = true
		copies[of] = append(copies[of], NodeIndex(len(w.Topology)))
		w.Topology = append(w.Topology, n)
	}
	capacities, times := w.Capacities, w.Times
	w.Capacities, w.Times = slices.Clone(capacities), slices.Clone(times)
	for _, c := range capacities {
		for _, to := range copies[c.Node] {
			w.Capacities = append(w.Capacities, Capacity{to, c.Resource, c.Amount})
		}
	}
	for _, t := range times {
		for _, to := range copies[t.Worker] {
			w.Times = append(w.Times, GivenTime{t.Job, t.Task, to, t.Time})
		}
	}
}

// new indices
func (w *Workload) shrink(gone []NodeIndex, left int) error {
	to := make([]NodeIndex, len(w.Topology)) // new indices
	kept := make([]Node, 0, len(w.Topology))
	for i := range w.Topology {
		if to[i] = None; !slices.Contains(gone, NodeIndex(i)) {
			to[i] = NodeIndex(len(kept))
			kept = append(kept, w.Topology[i])
		}
	}
	if err := w.needed(to, left); err != nil {
		return err
	}
	for i := range kept {
		if p := kept[i].Parent; p != None {
			kept[i].Parent = to[p]
		}
	}
	w.Topology = kept
	w.Placements = moved(w.Placements, to, func(p *Placement) *NodeIndex { return &p.Node })
	w.ReduceSlots = moved(w.ReduceSlots, to, func(s *ReduceSlot) *NodeIndex { return &s.Node })
	w.Times = moved(w.Times, to, func(t *GivenTime) *NodeIndex { return &t.Worker })
	w.Capacities = moved(w.Capacities, to, func(c *Capacity) *NodeIndex { return &c.Node })
	w.Eligible = moved(w.Eligible, to, func(e *Eligible) *NodeIndex { return &e.Place })
	w.Unavailable = moved(w.Unavailable, to, func(u *Unavailable) *NodeIndex { return &u.Node })
	w.Fixed = moved(w.Fixed, to, func(f *FixedTask) *NodeIndex { return &f.Node })
	w.History = slices.Clone(w.History)
	for i := range w.History { // past runs stay, on a worker that is no longer a node
		if n := &w.History[i].Node; *n != None {
			*n = to[*n]
		}
	}
	return nil
}

// moved are the rows whose node is kept, with its new index; rows without a node stay.
func moved[R any](rows []R, to []NodeIndex, node func(r *R) *NodeIndex) []R {
	var kept []R
	for _, r := range rows {
		n := node(&r)
		if *n == None {
			kept = append(kept, r)
		} else if *n = to[*n]; *n != None {
			kept = append(kept, r)
		}
	}
	return kept
}

// needed returns an error if a row needs a removed node: it runs a fixed task, is the place of a row of eligible, or
// has the last replica of a block or the last time of a task.
func (w *Workload) needed(to []NodeIndex, left int) error {
	var found Findings
	add := func(table Table, n NodeIndex, what string) {
		found.Add(Finding{Code: CodeNodeNeeded, What: fmt.Sprintf("with %s, node %q leaves, and %s",
			Counted(left, "node"), w.Topology[n].ID, what), Expected: "enough nodes to keep it",
			Hint: "ask for more nodes, or change the table " + string(table)})
	}
	for _, f := range w.Fixed {
		if to[f.Node] == None {
			add(TableFixed, f.Node, fmt.Sprintf("task %q is fixed there", w.Tasks[f.Task].ID))
		}
	}
	for _, e := range w.Eligible {
		if to[e.Place] == None {
			add(TableEligible, e.Place, "a row of eligible names it")
		}
	}
	type task struct {
		job JobIndex
		id  string
	}
	last := map[task]NodeIndex{}
	replicas := make([]NodeIndex, len(w.Blocks)) // by block: the last node, plus 1; 0: a replica is kept, or none exists
	for _, p := range w.Placements {
		replicas[p.Block] = p.Node + 1
	}
	for _, p := range w.Placements {
		if to[p.Node] != None {
			replicas[p.Block] = 0
		}
	}
	for b, n := range replicas {
		if n > 0 {
			add(TablePlacements, n-1, fmt.Sprintf("it has the last replica of block %q", w.Blocks[b]))
		}
	}
	for _, t := range w.Times {
		last[task{t.Job, t.Task}] = t.Worker
	}
	for _, t := range w.Times {
		if to[t.Worker] != None {
			delete(last, task{t.Job, t.Task})
		}
	}
	for _, t := range w.Times {
		if n, ok := last[task{t.Job, t.Task}]; ok && n == t.Worker {
			add(TableTimes, n, fmt.Sprintf("only there the table times says how long %q takes", t.Task))
		}
	}
	return found.Err()
}
