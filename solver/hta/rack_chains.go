package hta

import (
	"fmt"
	"math"
	"os"

	"mrsched/model"
	"mrsched/model/hta"
)

// packing is an assignment in which no load exceeds a limit; tasks may still be missing. insert adds one by a chain of
// moves: the new task takes the place of another, which takes the place of another, until one finds room.
type packing struct {
	in    *hta.Instance
	limit model.Time
	price [3]model.Time // by locality
	*partial
	loads      *loadTree
	head       []int32 // by server: its first task; None
	next, prev []int32 // by task, on its server
	near       []hta.Locality

	// The search of insert. Marks are valid if they equal stamp.
	stamp           int32
	reached         []int32      // by server
	need            []model.Time // by reached server: what must leave it, at least
	asked           []int32      // by block
	rackAsked       []int32      // by rack
	allAsked        int32
	queue           []move
	dead            []bool // by block: no chain within racks helps it
	steps, maxSteps int    // tasks looked at; insert gives up beyond the limit
	widest          hta.Locality
	banned          int32   // no chain visits this server
	blocks          []int32 // asked by the last insert
	guide           *guide
	tight           bool // moves lie where prices make tasks cheapest
}

// guide is prices of servers, and where they make tasks cheapest: v_b = min over servers of cost·price.
type guide struct {
	cost  [3]int64 // by locality, in units
	y     []int64  // by server
	rack  []int64  // by rack: the least price of its servers
	least int64
	v     []int64 // by block
}

func newGuide(in *hta.Instance, y []int64) *guide {
	g := &guide{y: y, rack: make([]int64, in.Racks), least: y[0], v: make([]int64, in.Blocks)}
	unit := greatest(in.Cost.Local, in.Cost.Rack.Value, in.Cost.Remote.At(0))
	for near := range g.cost {
		g.cost[near] = int64(in.Price(hta.Locality(near), 0) / unit)
	}
	for k := range g.rack {
		g.rack[k] = math.MaxInt64
	}
	for s, price := range y {
		g.least = min(g.least, price)
		if k := in.Rack[s]; k != model.None {
			g.rack[k] = min(g.rack[k], price)
		}
	}
	for b := range int32(in.Blocks) {
		g.v[b] = g.cost[hta.Remote] * g.least
		for _, s := range in.Replicas(b) {
			g.v[b] = min(g.v[b], g.cost[hta.NodeLocal]*y[s])
			if k := in.Rack[s]; k != model.None {
				g.v[b] = min(g.v[b], g.cost[hta.RackLocal]*g.rack[k])
			}
		}
	}
	return g
}

// move puts a task on a server; parent is the move in the queue that needs it, −1: none.
type move struct {
	task, server int32
	near         hta.Locality
	parent       int32
}

// newPacking takes over a partial assignment.
func (r *run) newPacking(x *partial, limit model.Time) *packing {
	in := r.in
	p := &packing{in: in, limit: limit, partial: x, loads: x.loads, head: make([]int32, in.Servers), next: make([]int32, in.Tasks),
		prev: make([]int32, in.Tasks), near: make([]hta.Locality, in.Tasks), reached: make([]int32, in.Servers),
		need: make([]model.Time, in.Servers), asked: make([]int32, in.Blocks), rackAsked: make([]int32, in.Racks), dead: make([]bool, in.Blocks)}
	p.banned = model.None
	for near := range p.price {
		p.price[near] = in.Price(hta.Locality(near), 0)
	}
	for s := range p.head {
		p.head[s] = model.None
	}
	for t, s := range x.server {
		if s != model.None {
			p.near[t] = in.Locality(in.Block[t], s)
			p.link(int32(t), s)
		}
	}
	return p
}

func (p *packing) link(t, s int32) {
	p.server[t], p.prev[t], p.next[t] = s, model.None, p.head[s]
	if h := p.head[s]; h != model.None {
		p.prev[h] = t
	}
	p.head[s] = t
}

// remove takes a task off its server.
func (p *packing) remove(t int32) {
	s := p.server[t]
	if p.prev[t] == model.None {
		p.head[s] = p.next[t]
	} else {
		p.next[p.prev[t]] = p.next[t]
	}
	if p.next[t] != model.None {
		p.prev[p.next[t]] = p.prev[t]
	}
	p.server[t] = model.None
	p.loads.add(s, -p.price[p.near[t]])
}

// assign puts a task on a server.
func (p *packing) assign(t, s int32) {
	p.near[t] = p.in.Locality(p.in.Block[t], s)
	p.link(t, s)
	p.loads.add(s, p.price[p.near[t]])
}

// insert places a task by a shortest chain of moves, none of them farther from its block than widest.
//
// Breadth first: a server is reached by a task that would cost c there. If its load leaves room for c, the chain ends;
// else each of its tasks that makes enough room by leaving is asked where it could go. Of one block only one task is
// asked, a rack's servers are reached once by a task from the rack, and all servers once by a remote one.
//
// Complexity: O(tasks + replicas + servers·racks of a block) at most, usually a few servers.
func (p *packing) insert(t int32, widest hta.Locality) bool {
	p.stamp++
	p.queue, p.widest, p.steps = p.queue[:0], widest, 0
	p.asked[p.in.Block[t]] = p.stamp
	p.blocks = append(p.blocks[:0], p.in.Block[t])
	if p.ask(t, -1) {
		return true
	}
	for i := 0; i < len(p.queue); i++ {
		m := p.queue[i]
		need := p.loads.load[m.server] + p.price[m.near] - p.limit
		if need > p.need[m.server] {
			continue // reached again by a cheaper task
		}
		for u := p.head[m.server]; u != model.None; u = p.next[u] {
			if b := p.in.Block[u]; p.price[p.near[u]] >= need && p.asked[b] != p.stamp {
				p.asked[b] = p.stamp
				p.blocks = append(p.blocks, b)
				if p.ask(u, int32(i)) {
					return true
				}
			}
			p.steps++
		}
		if p.maxSteps > 0 && p.steps > p.maxSteps {
			return false
		}
	}
	return false
}

// ask looks where a task could go and carries the chain out if it finds room.
func (p *packing) ask(t, parent int32) bool {
	own := p.in.Replicas(p.in.Block[t])
	for _, s := range own {
		if p.reach(move{t, s, hta.NodeLocal, parent}) {
			return true
		}
	}
	if p.widest >= hta.RackLocal {
		for _, s := range own {
			k := p.in.Rack[s]
			if k == model.None || p.rackAsked[k] == p.stamp || p.tight && p.guide.cost[hta.RackLocal]*p.guide.rack[k] > p.guide.v[p.in.Block[t]] {
				continue
			}
			p.rackAsked[k] = p.stamp
			if p.spreadTo(t, parent, hta.RackLocal, p.loads.leastIn(k), p.loads.order[p.loads.first[k]:p.loads.first[k+1]]) {
				return true
			}
		}
	}
	if p.widest >= hta.Remote && p.allAsked != p.stamp && (!p.tight || p.guide.cost[hta.Remote]*p.guide.least == p.guide.v[p.in.Block[t]]) {
		p.allAsked = p.stamp
		return p.spreadTo(t, parent, hta.Remote, p.loads.least(), p.loads.order)
	}
	return false
}

// spreadTo reaches servers, the least loaded one first.
func (p *packing) spreadTo(t, parent int32, near hta.Locality, least int32, servers []int32) bool {
	if p.reach(move{t, least, near, parent}) {
		return true
	}
	for _, s := range servers {
		if p.reach(move{t, s, near, parent}) {
			return true
		}
	}
	return false
}

// reach ends the chain at a server with room, else notes what must leave it.
func (p *packing) reach(m move) bool {
	if m.server == p.banned || p.tight && p.guide.cost[m.near]*p.guide.y[m.server] > p.guide.v[p.in.Block[m.task]] {
		return false
	}
	need := p.loads.load[m.server] + p.price[m.near] - p.limit
	if need > p.price[hta.Remote] || p.reached[m.server] == p.stamp && p.need[m.server] <= need {
		return false
	}
	for i := m.parent; i >= 0; i = p.queue[i].parent {
		if p.queue[i].server == m.server {
			return false // its load is about to change
		}
	}
	if need > 0 {
		p.reached[m.server], p.need[m.server] = p.stamp, need
		p.queue = append(p.queue, m)
		return false
	}
	for {
		if p.server[m.task] != model.None {
			p.remove(m.task)
		}
		p.assign(m.task, m.server)
		if m.parent < 0 {
			return true
		}
		m = p.queue[m.parent]
	}
}

// fill inserts the rest: first where prices make tasks cheapest, local tasks before others, then anywhere.
func (p *packing) fill(stop func() bool) bool {
	for stage := range 5 {
		p.tight = stage < 4
		widest := hta.Locality(min(stage, 2))
		var left []int32
		clear(p.dead)
		for i, t := range p.rest {
			b := p.in.Block[t]
			if i%64 == 0 && stop() {
				return false
			}
			if !p.dead[b] && p.insert(t, widest) {
				continue
			}
			if !p.dead[b] {
				p.bury()
			}
			if stage < 3 || !p.squeeze(t, widest) {
				left = append(left, t)
			}
		}
		fmt.Fprintln(os.Stderr, p.limit, stage, len(p.rest), len(left))
		p.rest = left
	}
	return len(p.rest) == 0
}

// squeeze makes room for a task by moving several others off one of the servers that it could reach.
func (p *packing) squeeze(t int32, widest hta.Locality) bool {
	p.insert(t, widest) // reaches the servers anew
	type place struct {
		server int32
		cost   model.Time
	}
	var list []place
	for _, m := range p.queue {
		if len(list) < 64 {
			list = append(list, place{m.server, p.price[m.near]})
		}
	}
	for _, c := range list {
		p.banned = c.server
		done := p.relieve(c.server, c.cost, widest)
		p.banned = model.None
		if done && p.insert(t, widest) {
			return true
		}
	}
	return false
}

// relieve moves tasks off a server until it has room for a cost.
func (p *packing) relieve(s int32, cost model.Time, widest hta.Locality) bool {
	for u := p.head[s]; u != model.None; {
		if p.loads.load[s]+cost <= p.limit {
			return true
		}
		next := p.next[u]
		if b := p.in.Block[u]; !p.dead[b] {
			p.remove(u)
			if !p.insert(u, widest) {
				p.bury()
				p.assign(u, s)
			}
		}
		u = next
	}
	return p.loads.load[s]+cost <= p.limit
}

// bury marks the blocks that a vain search asked: chains lead from them to full servers only, and later
// chains do not change that.
func (p *packing) bury() {
	for _, b := range p.blocks {
		p.dead[b] = true
	}
}
