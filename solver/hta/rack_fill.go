package hta

import (
	"math/rand/v2"

	"mrsched/model"
	"mrsched/model/hta"
)

const (
	// squeezePlaces is how many servers one squeeze tries to relieve.
	squeezePlaces = 64
	// fillWork is how many tasks and servers one fill may inspect beyond its first passes, for each iteration allowed.
	fillWork = 50_000
	// kickTasks is the most unplaced tasks for which others are removed.
	kickTasks = 32
)

// fill inserts the rest within the limit: tasks first go where prices make them cheapest, to holders, then to racks,
// then anywhere, and at last wherever there is room. Then it tries again in random order, and if few tasks are left,
// with some tasks removed at random.
//
// By complementary slackness an optimal solution of the linear program behind the prices puts tasks on cheapest servers
// only, and leaves no room on servers of a positive price.
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
	type place struct {
		server int32
		cost   model.Time
	}
	var list []place
	for _, m := range p.queue[:min(len(p.queue), squeezePlaces)] {
		list = append(list, place{m.server, p.price[m.near]})
	}
	for _, c := range list {
		if stop() {
			return false
		}
		if p.relieve(c.server, c.cost) && p.insert(t) {
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
