package hta

import (
	"slices"

	"mrsched/model"
	"mrsched/model/hta"
)

// packing is an assignment in which no load exceeds a limit; tasks may still be missing. insert adds one by a chain of
// moves: each task takes the place of another until one finds room.
type packing struct {
	in    *hta.Instance
	limit model.Time
	price [3]model.Time // by locality
	*partial
	head       []int32 // by server: its first task; None
	next, prev []int32 // by task, on its server
	near       []hta.Locality

	// Limits on chains.
	widest hta.Locality
	guide  *guide
	tight  bool // tasks move only where prices make them cheapest

	// The search of insert. Marks are valid if they equal stamp.
	stamp     int32
	reached   []int32      // by server
	need      []model.Time // by reached server: what must leave it, at least
	asked     []int32      // by block
	blocks    []int32      // asked
	rackAsked []int32      // by rack
	allAsked  int32
	queue     []move
	work      int    // tasks and servers looked at in this pass
	dead      []bool // by block: no chain helps it
}

// move puts a task on a server; parent is the index of the move in the queue that needs it, or −1.
type move struct {
	task, server int32
	near         hta.Locality
	parent       int32
}

func (r *run) newPacking(g *guide, cost prices) *packing {
	in := r.in
	p := &packing{in: in, guide: g, partial: newPartial(in), head: slices.Repeat([]int32{model.None}, in.Servers),
		next: make([]int32, in.Tasks), prev: make([]int32, in.Tasks), near: make([]hta.Locality, in.Tasks),
		reached: make([]int32, in.Servers), need: make([]model.Time, in.Servers), asked: make([]int32, in.Blocks),
		rackAsked: make([]int32, in.Racks), dead: make([]bool, in.Blocks)}
	p.rest = model.Indices(in.Tasks)
	p.price = [3]model.Time{cost.local, cost.rack, cost.remote}
	if !cost.racks {
		p.price[hta.RackLocal] = cost.remote
	}
	return p
}

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

func (p *packing) assign(t, s int32) {
	p.near[t] = p.in.Locality(p.in.Block[t], s)
	p.server[t], p.prev[t], p.next[t] = s, model.None, p.head[s]
	if h := p.head[s]; h != model.None {
		p.prev[h] = t
	}
	p.head[s] = t
	p.loads.add(s, p.price[p.near[t]])
}

// insert places a task by a shortest chain of moves, none of them farther from a block than widest. If it fails,
// nothing changes.
//
// Breadth first: a task that would cost c on a server reaches it. If its load leaves room for c, the chain ends; else
// each of its tasks whose departure makes enough room looks for another place. Only one task of each block does so, one
// task from a rack reaches the rack's servers, and one remote task all servers.
//
// Complexity: O(tasks + replicas + servers·racks of a block) at most, usually a few servers.
func (p *packing) insert(t int32) bool {
	p.stamp++
	p.queue = p.queue[:0]
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
			p.work++
		}
	}
	return false
}

// ask looks for a place for a task and carries the chain out if it finds room.
func (p *packing) ask(t, parent int32) bool {
	block := p.in.Block[t]
	for _, s := range p.in.Replicas(block) {
		if p.reach(move{t, s, hta.NodeLocal, parent}) {
			return true
		}
	}
	if p.widest >= hta.RackLocal {
		for _, k := range p.in.ReplicaRacks(block) {
			if p.rackAsked[k] == p.stamp || p.tight && !p.guide.cheapest(block, hta.RackLocal, p.guide.rack[k]) {
				continue
			}
			p.rackAsked[k] = p.stamp
			if p.spreadTo(t, parent, hta.RackLocal, p.loads.leastIn(k), p.loads.order[p.loads.first[k]:p.loads.first[k+1]]) {
				return true
			}
		}
	}
	if p.widest >= hta.Remote && p.allAsked != p.stamp && (!p.tight || p.guide.cheapest(block, hta.Remote,
		p.guide.least)) {
		p.allAsked = p.stamp
		return p.spreadTo(t, parent, hta.Remote, p.loads.least(), p.loads.order)
	}
	return false
}

// spreadTo reaches servers, the least loaded one first.
func (p *packing) spreadTo(t, parent int32, near hta.Locality, least int32, servers []int32) bool {
	reach := func(s int32) bool { return p.reach(move{t, s, near, parent}) }
	return reach(least) || slices.ContainsFunc(servers, reach)
}

// reach ends the chain at a server with room, else notes which tasks must leave it.
func (p *packing) reach(m move) bool {
	p.work++
	if p.tight && !p.guide.cheapest(p.in.Block[m.task], m.near, p.guide.y[m.server]) {
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

// looseWork is how many tasks and servers the last pass of a fill may inspect.
const looseWork = 1 << 20

// fill inserts the rest within the limit. Tasks first go where prices make them cheapest: to holders, then to racks,
// then anywhere. By complementary slackness an optimal solution of the linear program behind the prices does the same.
// At last they go wherever there is room.
func (p *packing) fill(stop func() bool) bool {
	for p.widest = hta.NodeLocal; p.widest < hta.Remote; p.widest++ {
		p.pass(true, stop)
	}
	p.pass(true, stop)
	p.pass(false, stop)
	return len(p.rest) == 0
}

// pass tries to insert each task of the rest once, only where prices make it cheapest if tight.
func (p *packing) pass(tight bool, stop func() bool) {
	p.tight, p.work = tight, 0
	clear(p.dead)
	var left []int32
	for i, t := range p.rest {
		if i%64 == 0 && stop() || !tight && p.work >= looseWork {
			left = append(left, p.rest[i:]...)
			break
		}
		switch {
		case p.dead[p.in.Block[t]]:
			left = append(left, t)
		case !p.insert(t):
			left = append(left, t)
			p.bury()
		}
	}
	p.rest = left
}

// bury marks the blocks of a failed search: chains lead from them to full servers only, and later chains seldom change
// that.
func (p *packing) bury() {
	for _, b := range p.blocks {
		p.dead[b] = true
	}
}
