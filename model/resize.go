package model

import (
	"fmt"
	"iter"
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
// replicas, capacities, calendars, times and rows of eligible. To grow, it adds copies of nodes at the end, in their
// racks, with their columns and times; they have no replicas, are never unavailable, and have nothing of a named
// resource that copied does not name: others, as licences, belong to one node and not to its kind. What racks and the
// root state stays. A workload without a topology has this many machines.
//
// Every schedule for k nodes is also a schedule for k + 1 nodes and costs no more there: the first k nodes are the
// same, a block that is read keeps a replica, so that reading takes no longer, and where a task may run, it still may.
// The error is an *InputError that names rows that need one of the removed nodes; no smaller size has them, either.
func (w *Workload) Resize(nodes int, copied []string) (*Workload, error) {
	r := *w
	r.at = nil
	if !w.HasTopology {
		r.Machines = Some(int64(nodes))
		return &r, nil
	}
	hosts := w.Hosts()
	if nodes < len(hosts) {
		return &r, r.shrink(hosts, nodes)
	}
	r.grow(hosts, nodes-len(hosts), copied)
	return &r, nil
}

// Lacking are the named resources of the nodes that are copied to have this many, and which the copies do not have, in
// the order of the table.
func (w *Workload) Lacking(nodes int, copied []string) (names []string) {
	hosts := w.Hosts()
	again := hosts[:max(0, min(nodes-len(hosts), len(hosts)))]
	for _, c := range w.Capacities {
		if c.Amount > 0 && slices.Contains(again, c.Node) && !slices.Contains(copied, c.Resource) &&
			!slices.Contains(names, c.Resource) {
			names = append(names, c.Resource)
		}
	}
	return names
}

// grow adds copies of nodes.
func (w *Workload) grow(hosts []NodeIndex, more int, copied []string) {
	taken := make(map[string]bool, len(w.Topology))
	for i := range w.Topology {
		taken[w.Topology[i].ID] = true
	}
	copies := make(map[NodeIndex][]NodeIndex)
	w.Topology = slices.Clone(w.Topology)
	for k := range more {
		of := hosts[k%len(hosts)]
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
		if !slices.Contains(copied, c.Resource) {
			c.Amount = 0 // the row stays: a node that states nothing would run one task at a time
		}
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

// shrink removes all but the first nodes.
func (w *Workload) shrink(hosts []NodeIndex, left int) error {
	gone := hosts[left:]
	to := make([]NodeIndex, len(w.Topology)) // new indices
	kept := make([]Node, 0, len(w.Topology))
	for i := range w.Topology {
		if to[i] = None; !slices.Contains(gone, NodeIndex(i)) {
			to[i] = NodeIndex(len(kept))
			kept = append(kept, w.Topology[i])
		}
	}
	if found := w.needed(hosts, left); len(found) > 0 {
		return &InputError{Findings: found}
	}
	w.renumber(kept, to)
	return nil
}

// Last is the workload with some nodes at the end of the topology, where they leave first.
func (w *Workload) Last(nodes []NodeIndex) *Workload {
	r, to := *w, make([]NodeIndex, len(w.Topology))
	r.at = nil
	order := slices.DeleteFunc(Indices(len(to)), func(i int32) bool { return slices.Contains(nodes, NodeIndex(i)) })
	for _, n := range nodes {
		order = append(order, int32(n))
	}
	kept := make([]Node, len(to))
	for k, i := range order {
		kept[k], to[i] = w.Topology[i], NodeIndex(k)
	}
	r.renumber(kept, to)
	return &r
}

// renumber makes some rows the topology, and gives all that names nodes their new indices; None: the node is gone.
func (w *Workload) renumber(kept []Node, to []NodeIndex) {
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
	w.State = moved(w.State, to, func(s *StateRow) *NodeIndex { return &s.Node })
	w.History = slices.Clone(w.History)
	for i := range w.History { // past runs stay, on a worker that is no longer a node
		if n := &w.History[i].Node; *n != None {
			*n = to[*n]
		}
	}
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

// needed are rows that need a removed node: it runs a fixed task, or is the last one where a task may run, that has a
// replica of a block, or that has a time of a task. The first finding asks for the most nodes.
func (w *Workload) needed(hosts []NodeIndex, left int) (found []Finding) {
	most, rank, gone := 0, make([]int, len(w.Topology)), make([]bool, len(w.Topology))
	for k, n := range hosts {
		rank[n], gone[n] = k+1, k >= left
	}
	add := func(table Table, n NodeIndex, what string) {
		f := Finding{Code: CodeNodeNeeded, What: fmt.Sprintf("node %q leaves, and %s", w.Topology[n].ID, what),
			Expected: "at least " + Counted(rank[n], "node"),
			Hint:     "ask for more nodes, or change the table " + string(table)}
		if found = append(found, f); rank[n] > most {
			most, found[0], found[len(found)-1] = rank[n], f, found[0]
		}
	}
	for _, f := range w.Fixed {
		if gone[f.Node] {
			add(TableFixed, f.Node, fmt.Sprintf("task %q is fixed there", w.Tasks[f.Task].ID))
		}
	}
	for _, s := range w.State {
		if gone[s.Node] {
			add(TableState, s.Node, fmt.Sprintf("task %q has run there", w.Tasks[s.Task].ID))
		}
	}
	for e, n := range lost(w.Eligible, gone, func(e Eligible) (Eligible, NodeIndex) {
		return Eligible{Job: e.Job, Task: e.Task}, e.Place
	}) {
		var what string
		if e.Task != None {
			what = fmt.Sprintf("task %q", w.Tasks[e.Task].ID)
		} else {
			what = fmt.Sprintf("job %q", w.Jobs[e.Job].ID)
		}
		add(TableEligible, n, "the table eligible leaves "+what+" no other place")
	}
	for b, n := range lost(w.Placements, gone, func(p Placement) (BlockIndex, NodeIndex) { return p.Block, p.Node }) {
		add(TablePlacements, n, fmt.Sprintf("no other has a replica of block %q", w.Blocks[b]))
	}
	for t, n := range lost(w.Times, gone, func(t GivenTime) (GivenTime, NodeIndex) {
		return GivenTime{Job: t.Job, Task: t.Task}, t.Worker
	}) {
		add(TableTimes, n, fmt.Sprintf("no other has a row of times that says how long %q takes", t.Task))
	}
	return found
}

// lost are the keys of rows whose nodes all leave, in the order of their first rows, each with the first of its nodes.
func lost[R any, K comparable](rows []R, gone []bool, of func(R) (K, NodeIndex)) iter.Seq2[K, NodeIndex] {
	first := make(map[K]NodeIndex)
	for _, r := range rows {
		k, n := of(r)
		if was, ok := first[k]; !gone[n] || !ok || n < was && gone[was] {
			first[k] = n
		}
	}
	return func(yield func(K, NodeIndex) bool) {
		for _, r := range rows {
			k, _ := of(r)
			if n, ok := first[k]; ok && gone[n] && !yield(k, n) {
				return
			}
			delete(first, k)
		}
	}
}
