package hta

import (
	"slices"

	"mrsched/model"
	"mrsched/model/hta"
	"mrsched/solver/explain"
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

// search looks for a shortest chain of moves of node-local tasks that makes task t node-local and leaves no server
// above the makespan; without are the loads without t. If there is none, all replicas of the local tasks of servers
// reached are on servers reached.
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
		for _, v := range e.On[s] {
			if v := e.task(v); e.near(v) == hta.NodeLocal {
				visit(v, int32(k))
			}
		}
	}
	return x
}

// loadsWithout are the servers' loads without a task. Growing remote costs fall for the other tasks too.
func (e *explainer) loadsWithout(t int32) []model.Time {
	server := slices.Clone(e.server)
	server[t] = model.None
	return e.in.Measure(server).Load
}

// chain is the moves that lead to a place of the search, starting with the task of the question.
func (x *reach) chain(place int32) []step {
	var back []step
	for k := place; k != model.None; k = x.from[k] {
		back = append(back, x.by[k])
	}
	slices.Reverse(back)
	return back
}

// why says why a task is not node-local: it finds a chain of moves that would make it so, or a cut which proves that
// none exists.
func (e *explainer) why(t int32) {
	without := e.loadsWithout(t)
	x := e.search(t, without)
	end := x.end
	if end == model.None {
		e.cut(x.servers)
		end = 0
		for k, s := range x.servers {
			if without[s] < without[x.servers[end]] {
				end = int32(k)
			}
		}
	}
	way := x.chain(end)
	l := e.in.Measure(e.moved(way))
	if e.way == nil {
		e.way = way
	}
	if x.end != model.None {
		e.Where(explain.Place, "nothing forces it: %s would make it node-local at a makespan of %s (now %s)", e.told(way),
			l.Makespan, e.loads.Makespan)
		return
	}
	e.Where(explain.Place, "no chain of moves of node-local maps, each to another server that holds its block, makes it "+
		"node-local within %s; the best, %s, ends at %s", e.loads.Makespan, e.told(way), l.Makespan)
}

// cut says that some servers, which hold all replicas of some maps, cannot run them all node-locally, if that is so.
func (e *explainer) cut(servers []int32) {
	if e.in.Cost.Local == 0 {
		return
	}
	maps, most := e.inside(servers), int(e.loads.Makespan/e.in.Cost.Local)*len(servers)
	if maps > most {
		e.Where(explain.Cut, "%s, and no others, hold all replicas of %s, of which this is one; at a makespan of %s they "+
			"run at most %d of them node-locally, so that %d or more run elsewhere", explain.Names(servers, e.name),
			model.Counted(maps, "map"), e.loads.Makespan, most, maps-most)
	}
}

func (e *explainer) moved(way []step) []int32 {
	server := slices.Clone(e.server)
	for _, m := range way {
		server[m.task] = m.to
	}
	return server
}

// told describes a chain of moves.
func (e *explainer) told(way []step) string {
	return "moving " + explain.Names(way, func(m step) string { return e.id(m.task) + " to " + e.name(m.to) })
}

// inside counts the maps all replicas of which lie on some servers.
func (e *explainer) inside(servers []int32) (maps int) {
	among := make([]bool, e.in.Servers)
	for _, s := range servers {
		among[s] = true
	}
	for b := range int32(e.in.Blocks) {
		own := e.in.Replicas(b)
		if len(own) > 0 && !slices.ContainsFunc(own, func(s int32) bool { return !among[s] }) {
			maps += int(e.in.Readers(b))
		}
	}
	return maps
}
