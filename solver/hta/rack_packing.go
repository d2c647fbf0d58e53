package hta

import (
	"math/rand/v2"
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
	tight  bool  // tasks move only where prices make them cheapest
	banned int32 // no chain visits this server; None

	// The search of insert. Marks are valid if they equal stamp.
	stamp     int32
	reached   []int32      // by server
	need      []model.Time // by reached server: what must leave it, at least
	asked     []int32      // by block
	blocks    []int32      // asked
	rackAsked []int32      // by rack
	allAsked  int32
	queue     []move
	work      int    // tasks and servers looked at, in all searches
	budget    int    // of work: squeezes end there
	dead      []bool // by block: no chain helps it
}

// move puts a task on a server; parent is the index of the move in the queue that needs it, or −1.
type move struct {
	task, server int32
	near         hta.Locality
	parent       int32
}

func (r *run) newPacking(g *guide) *packing {
	in := r.in
	p := &packing{in: in, guide: g, partial: newPartial(in), head: slices.Repeat([]int32{model.None}, in.Servers),
		next: make([]int32, in.Tasks), prev: make([]int32, in.Tasks), near: make([]hta.Locality, in.Tasks),
		reached: make([]int32, in.Servers), need: make([]model.Time, in.Servers), asked: make([]int32, in.Blocks),
		rackAsked: make([]int32, in.Racks), dead: make([]bool, in.Blocks), banned: model.None}
	p.rest = upTo(in.Tasks)
	for near := range p.price {
		p.price[near] = in.Price(hta.Locality(near), 0)
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
	if m.server == p.banned || p.tight && !p.guide.cheapest(p.in.Block[m.task], m.near, p.guide.y[m.server]) {
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

const (
	// squeezePlaces is how many servers one squeeze tries to relieve.
	squeezePlaces = 64
	// fillWork is how many tasks and servers one fill may inspect beyond its first passes, for each iteration allowed.
	fillWork = 50_000
	// kickTasks is the most unplaced tasks for which others are removed.
	kickTasks = 32
)

// fill inserts the rest within the limit. Tasks first go where prices make them cheapest: to holders, then to racks,
// then anywhere. By complementary slackness an optimal solution of the linear program behind the prices does the same.
// At last they go wherever there is room. Then fill tries again in random order and, if few tasks are left, removes
// some tasks at random.
func (p *packing) fill(random *rand.Rand, iterations int, stop func() bool) bool {
	for widest := hta.NodeLocal; widest <= hta.Remote; widest++ {
		p.tight, p.widest, p.budget = true, widest, 0
		p.pass(stop)
	}
	p.budget = p.work + iterations*fillWork
	least := len(p.rest) + 1
	for vain := 0; len(p.rest) > 0 && vain <= iterations && p.work < p.budget && !stop(); vain++ {
		if vain > 0 && least > kickTasks {
			break
		}
		if vain > 0 {
			p.kick(random)
		}
		p.tight = true
		p.pass(stop)
		p.tight = false
		p.pass(stop)
		if len(p.rest) < least {
			least, vain = len(p.rest), -1
		}
		random.Shuffle(len(p.rest), func(i, k int) { p.rest[i], p.rest[k] = p.rest[k], p.rest[i] })
	}
	return len(p.rest) == 0
}

// pass tries to insert each task of the rest once; without binding prices, and for squeezes, only within the budget.
func (p *packing) pass(stop func() bool) {
	clear(p.dead)
	var left []int32
	for i, t := range p.rest {
		if i%64 == 0 && stop() || !p.tight && p.work >= p.budget {
			left = append(left, p.rest[i:]...)
			break
		}
		b := p.in.Block[t]
		if !p.dead[b] {
			if p.insert(t) {
				continue
			}
			p.bury()
		}
		if p.work >= p.budget || !p.squeeze(t, stop) {
			left = append(left, t)
		}
	}
	p.rest = left
}

// kick puts the first task of the rest on one of its holders or their racks' servers, or anywhere if no server holds
// its block, and removes what that server has no room for.
func (p *packing) kick(random *rand.Rand) {
	t := p.rest[0]
	own, racks := p.in.Replicas(p.in.Block[t]), p.in.ReplicaRacks(p.in.Block[t])
	s, k := int32(model.None), int32(model.None)
	switch {
	case len(own) > 0:
		s = own[random.IntN(len(own))]
		if k = p.in.Rack[s]; k != model.None && random.IntN(2) > 0 {
			k = model.None
		}
	case len(racks) > 0:
		k = racks[random.IntN(len(racks))]
	default:
		s = random.Int32N(int32(p.in.Servers))
	}
	if k != model.None {
		first, end := p.loads.first[k], p.loads.first[k+1]
		s = p.loads.order[first+random.Int32N(end-first)]
	}
	if p.price[p.in.Locality(p.in.Block[t], s)] > p.limit {
		return
	}
	p.rest = p.rest[1:]
	p.assign(t, s)
	for p.loads.load[s] > p.limit {
		u := p.next[t] // t came last and so is the first
		for skip := random.IntN(8); skip > 0 && p.next[u] != model.None; skip-- {
			u = p.next[u]
		}
		p.remove(u)
		p.rest = append(p.rest, u)
	}
}

// squeeze makes room for a task by moving several others off one of the servers that it reaches. No other task loses
// its place, whether it succeeds or not.
func (p *packing) squeeze(t int32, stop func() bool) bool {
	if p.insert(t) { // else the queue holds what it reaches
		return true
	}
	for _, m := range slices.Clone(p.queue[:min(len(p.queue), squeezePlaces)]) {
		if stop() {
			return false
		}
		if p.relieve(m.server, p.price[m.near]) && p.insert(t) {
			return true
		}
	}
	return false
}

// relieve moves tasks off a server until it has room for a cost.
func (p *packing) relieve(s int32, cost model.Time) bool {
	p.banned = s
	for u := p.head[s]; u != model.None && p.loads.load[s]+cost > p.limit; {
		next := p.next[u]
		if b := p.in.Block[u]; !p.dead[b] {
			p.remove(u)
			if !p.insert(u) {
				p.bury()
				p.assign(u, s)
			}
		}
		u = next
		p.work++
	}
	p.banned = model.None
	return p.loads.load[s]+cost <= p.limit
}

// bury marks the blocks of a failed search: chains lead from them to full servers only, and later chains seldom change
// that.
func (p *packing) bury() {
	for _, b := range p.blocks {
		p.dead[b] = true
	}
}
