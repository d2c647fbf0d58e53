package hta

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
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
		e.because(solver.ReasonPlace, "nothing forces it: %s would make it node-local at a makespan of %s (now %s)",
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
	for k, s := range x.servers {
		if without[s] < without[x.servers[least]] {
			least = int32(k)
		}
	}
	way := x.chain(least)
	l := e.in.Measure(e.moved(way))
	e.because(solver.ReasonPlace, "no chain of moves of node-local maps, each to another server that holds its block, "+
		"makes it node-local within %s; the best, %s, ends at %s",
		e.loads.Makespan, e.told(way), l.Makespan)
	return way
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
	return "moving " + listed(way, func(m step) string { return e.id(m.task) + " to " + e.name(m.to) })
}

// cut is a set of servers, and how many maps have all their replicas there.
type cut struct {
	servers []int32
	maps    int
	each    int // node-local maps that a server can run within the makespan
}

func (c *cut) proves() bool { return c.maps > c.each*len(c.servers) }

func (e *explainer) cutOf(servers []int32) *cut {
	c := &cut{servers: servers, each: e.in.Tasks}
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
	who, they := fmt.Sprintf("these %d servers hold", len(c.servers)), "they run"
	if len(c.servers) == 1 {
		who, they = "this server holds", "it runs"
	}
	among := fmt.Sprintf("these %d maps, of which this is one", c.maps)
	if c.maps == 1 {
		among = "this map"
	}
	most := c.each * len(c.servers)
	return solver.Reason{Kind: solver.ReasonCut,
		Text: fmt.Sprintf("%s all replicas of %s: %s; at a makespan of %s %s at most %d of them node-locally, so that "+
			"%d or more run elsewhere",
			who, among, listed(c.servers, e.name), e.loads.Makespan, they, most, c.maps-most)}
}

// option is a server for a task, with the loads if the task moved there.
type option struct {
	step
	makespan, total model.Time
}

// alternatives appends the cheapest servers of some tasks; way is a chain of moves to try before them.
func (e *explainer) alternatives(ctx context.Context, tasks []int32, way []step) error {
	tried := solver.NewAlternatives(e.in, e.q.Schedule, e.q.Alternatives)
	if len(way) > 1 {
		if err := e.try(tried, way, "with a chain: "+e.told(way)); err != nil {
			return err
		}
	}
	var options []option
	for _, t := range tasks {
		if err := ctx.Err(); err != nil {
			return err
		}
		options = append(options, e.servers(t)...)
	}
	slices.SortStableFunc(options, func(a, b option) int {
		return cmp.Or(cmp.Compare(a.makespan, b.makespan), cmp.Compare(a.total, b.total),
			cmp.Compare(e.loads.Load[a.to], e.loads.Load[b.to]))
	})
	for _, o := range options[:min(len(options), e.q.Alternatives)] {
		l := e.in.Locality(e.in.Block[o.task], o.to)
		if err := e.try(tried, []step{o.step}, fmt.Sprintf("%s; all loads together %s (now %s)", localityText[l], o.total,
			e.loads.Total)); err != nil {
			return err
		}
	}
	e.out.Alternatives = tried.List()
	return nil
}

// try evaluates some moves as an alternative for the first task in them.
func (e *explainer) try(tried *solver.Alternatives, way []step, note string) error {
	s := e.in.Schedule(e.moved(way))
	at := s.Entries[way[0].task]
	a := solver.AlternativeAt(e.name(at.Machine), at.Start, at.End)
	a.Note = note
	if e.q.Task == model.None {
		a.Task = e.id(way[0].task)
	}
	if broken := tried.Try(a, s); len(broken) > 0 {
		return fmt.Errorf("an alternative for %s breaks a constraint: %s", e.id(way[0].task), broken[0])
	}
	return nil
}

// servers gives the loads after moving a task to each other server.
//
// Complexity: O(servers·log servers).
func (e *explainer) servers(t int32) []option {
	from, b, r := e.server[t], e.in.Block[t], e.loads.Remote()
	if e.near(t) != hta.NodeLocal {
		r--
	}
	counts := make([][3]int, e.in.Servers)
	for v, s := range e.server {
		if int32(v) != t {
			counts[s][e.near(int32(v))]++
		}
	}
	var list []option
	for _, extra := range []int{0, 1} { // the moved task is node-local, or not
		load, total := make([]model.Time, e.in.Servers), model.Time(0)
		for s := range load {
			for near, n := range counts[s] {
				load[s] += model.Time(n) * e.in.Price(hta.Locality(near), r+extra)
			}
			total += load[s]
		}
		sorted := slices.Sorted(slices.Values(load))
		for s := range int32(e.in.Servers) {
			near := e.in.Locality(b, s)
			if s == from || (near != hta.NodeLocal) != (extra == 1) {
				continue
			}
			own := load[s] + e.in.Price(near, r+extra)
			rest := sorted[len(sorted)-1] // the largest load of the others, from is among them
			if rest == load[s] {
				rest = sorted[len(sorted)-2]
			}
			list = append(list, option{step{t, s}, max(own, rest), total + own - load[s]})
		}
	}
	return list
}

// price states by how much the certificate's bound falls for the changed instance in. If in is nil, no maps are left in
// the changed instance.
func (e *explainer) price(name string, in *hta.Instance, what string) error {
	if e.q.Certificate == nil {
		return nil
	}
	var c hta.Certificate
	if err := json.Unmarshal(e.q.Certificate, &c); err != nil {
		return err
	}
	value, _ := new(big.Rat).SetString(c.Value)
	less := new(big.Rat).Set(value)
	if in != nil {
		for s := range c.Levels {
			c.Levels[s] = min(c.Levels[s], int32(in.Tasks))
		}
		if err := in.Sign(&c); err != nil {
			return err
		}
		changed, _ := new(big.Rat).SetString(c.Value)
		if less.Sub(value, changed); less.Sign() < 0 {
			less.SetInt64(0)
		}
	}
	n := model.Number(model.FormatRat(less, model.ValueDigits, model.RoundUp))
	e.out.Prices = append(e.out.Prices, solver.Price{Name: name, Value: n,
		Text: fmt.Sprintf("is the most by which the bound %s falls %s", c.Method, what)})
	return nil
}

// taskPrices says what a map and a further replica are worth to the bound.
func (e *explainer) taskPrices(ctx context.Context, t int32) error {
	u := e.in.TaskIndex(t)
	if err := e.price("map", e.without(func(v model.TaskIndex) bool { return v == u }), "without "+e.id(t)); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil || e.near(t) == hta.NodeLocal {
		return err
	}
	s := e.server[t]
	return e.price("replica", e.with(t, s), fmt.Sprintf("with a replica of block %s on %s", e.block(t), e.name(s)))
}
