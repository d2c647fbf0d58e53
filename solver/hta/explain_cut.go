package hta

import (
	"encoding/json"
	"fmt"
	"slices"

	"mrsched/model"
	"mrsched/model/hta"
	"mrsched/solver"
)

// step is a task that moves to a server which holds its block.
type step struct{ task, to int32 }

// reach is the state of a search for a chain of moves, from the servers that hold a task's block on: local tasks of
// each server reached may move to the other servers that hold their blocks.
type reach struct {
	servers []int32 // in the order met
	by      []step  // by place in servers: the move that reaches it
	from    []int32 // by place: the place of the server that the move leaves; None for the first
	end     int32   // place of a server with room; None: all are full
}

// search looks for a shortest chain of moves of node-local tasks that makes another task node-local and leaves no
// server above the makespan; without are the loads without that task. If there is none, every local task of a server
// reached has all its replicas on servers reached.
//
// Complexity: O(replicas).   Ties: the order of servers and tasks.
func (e *explainer) search(t int32, without []model.Time) *reach {
	x := &reach{end: model.None}
	seen := make([]bool, e.in.Servers)
	done := make([]bool, e.in.Blocks)
	visit := func(task, from int32) {
		b := e.in.Block[task]
		if done[b] {
			return
		}
		done[b] = true
		for _, s := range e.in.Replicas(b) {
			if !seen[s] {
				seen[s] = true
				x.servers, x.by, x.from = append(x.servers, s), append(x.by, step{task, s}), append(x.from, from)
			}
		}
	}
	visit(t, model.None)
	for k := 0; k < len(x.servers); k++ {
		s := x.servers[k]
		if without[s]+e.in.Cost.Local <= e.loads.Makespan {
			x.end = int32(k)
			return x
		}
		for _, v := range e.on[s] {
			if e.near(v) == hta.NodeLocal {
				visit(v, int32(k))
			}
		}
	}
	return x
}

// loadsWithout are the servers' loads without a task. Growing remote costs fall for the other tasks too.
func (e *explainer) loadsWithout(t int32) []model.Time {
	server := append([]int32(nil), e.server...)
	server[t] = model.None
	return e.in.Measure(server).Load
}

// chain is the moves that lead to a place of the search, starting with the task of the question.
func (x *reach) chain(place int32) []step {
	var back []step
	for k := place; k != model.None; k = x.from[k] {
		back = append(back, x.by[k])
	}
	for i, k := 0, len(back)-1; i < k; i, k = i+1, k-1 {
		back[i], back[k] = back[k], back[i]
	}
	return back
}

// why says why a task is not node-local: it returns a chain of moves that would make it so, or shows a cut which proves
// that none exists.
func (e *explainer) why(t int32) []step {
	if len(e.in.Replicas(e.in.Block[t])) == 0 {
		e.because(solver.ReasonPlace, "block %s lies only on nodes without map slots, so no server runs the map node-locally",
			e.block(t))
		return nil
	}
	without := e.loadsWithout(t)
	x := e.search(t, without)
	if x.end != model.None {
		way := x.chain(x.end)
		l := e.in.Measure(e.moved(way))
		e.because(solver.ReasonPlace, "nothing forces it: %s would make it node-local at a makespan of %s s (now %s s)",
			e.told(way), l.Makespan, e.loads.Makespan)
		return way
	}
	cut := e.cutOf(x.servers)
	if other := e.certified(t); other != nil && (!cut.proves() || len(other.servers) < len(cut.servers)) {
		cut = other
	}
	if cut.proves() {
		e.out.Where = append(e.out.Where, cut.reason(e))
	}
	least := int32(0)
	for k := range x.servers {
		if without[x.servers[k]] < without[x.servers[least]] {
			least = int32(k)
		}
	}
	way := x.chain(least)
	l := e.in.Measure(e.moved(way))
	e.because(solver.ReasonPlace, "no chain of moves of node-local maps, each to another server that holds its block, "+
		"makes it node-local within %s s; the best, %s, ends at %s s",
		e.loads.Makespan, e.told(way), l.Makespan)
	return way
}

func (e *explainer) moved(way []step) []int32 {
	server := append([]int32(nil), e.server...)
	for _, m := range way {
		server[m.task] = m.to
	}
	return server
}

// told describes a chain.
func (e *explainer) told(way []step) string {
	var parts []string
	for _, m := range way {
		parts = append(parts, e.id(m.task)+" to "+e.name(m.to))
	}
	return "moving " + solver.ShortList(parts, maxNamed)
}

// cut is a set of servers, and how many maps have all their replicas there.
type cut struct {
	servers []int32
	maps    int
	each    int // node-local maps that a server can run within the makespan
	within  model.Time
}

func (c *cut) proves() bool { return c.maps > c.each*len(c.servers) }

func (e *explainer) cutOf(servers []int32) *cut {
	c := &cut{servers: servers, each: e.in.Tasks, within: e.loads.Makespan}
	if e.in.Cost.Local > 0 {
		c.each = int(e.loads.Makespan / e.in.Cost.Local)
	}
	inside := make([]bool, e.in.Servers)
	for _, s := range servers {
		inside[s] = true
	}
	for b := range int32(e.in.Blocks) {
		own := e.in.Replicas(b)
		if len(own) > 0 && !slices.ContainsFunc(own, func(s int32) bool { return !inside[s] }) {
			c.maps += int(e.in.Readers(b))
		}
	}
	return c
}

// certified is the cut of the bound's certificate at the present makespan if it holds all replicas of the task and
// proves anything; else nil.
func (e *explainer) certified(t int32) *cut {
	var cert hta.Certificate
	if e.q.Certificate == nil || json.Unmarshal(e.q.Certificate, &cert) != nil || cert.Kind != hta.KindLocalCuts ||
		e.in.Cost.Local == 0 {
		return nil
	}
	tau := e.loads.Makespan / e.in.Cost.Local
	var servers []int32
	for s, level := range cert.Levels {
		if model.Time(level) > tau {
			servers = append(servers, int32(s))
		}
	}
	for _, s := range e.in.Replicas(e.in.Block[t]) {
		if model.Time(cert.Levels[s]) <= tau {
			return nil
		}
	}
	if c := e.cutOf(servers); c.proves() {
		return c
	}
	return nil
}

// reason describes a cut.
func (c *cut) reason(e *explainer) solver.Reason {
	var names []string
	for _, s := range c.servers {
		names = append(names, e.name(s))
	}
	who, they := fmt.Sprintf("these %d servers hold", len(names)), "they run"
	if len(names) == 1 {
		who, they = "this server holds", "it runs"
	}
	among := fmt.Sprintf("these %d maps, of which this is one", c.maps)
	if c.maps == 1 {
		among = "this map"
	}
	most := c.each * len(c.servers)
	return solver.Reason{Kind: solver.ReasonCut,
		Text: fmt.Sprintf("%s all replicas of %s: %s; at a makespan of %s s %s at most %d of them node-locally, so that "+
			"%d or more run elsewhere",
			who, among, solver.ShortList(names, maxNamed), c.within, they, most, c.maps-most)}
}
