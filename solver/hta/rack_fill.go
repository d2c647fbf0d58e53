package hta

import (
	"math/rand/v2"

	"mrsched/model"
	"mrsched/model/hta"
)

const (
	// squeezePlaces is how many servers one squeeze tries to relieve.
	squeezePlaces = 64
	// squeezeWork is how many tasks the squeezes of one fill may look at, for each iteration allowed.
	squeezeWork = 20_000
	// vainRounds is how many rounds in a row may leave the rest as large as it was.
	vainRounds = 3
)

// fill inserts the rest, within the limit: tasks first go where prices make them cheapest, to holders, then to racks,
// then anywhere; at last they go wherever there is room. Then it tries again what is left, in random order.
//
// By complementary slackness an optimal solution of the linear program behind the prices puts tasks on cheapest servers
// only, and leaves no room on servers of a positive price.
func (p *packing) fill(random *rand.Rand, iterations int, stop func() bool) bool {
	budget := p.work + iterations*squeezeWork
	for widest := hta.NodeLocal; widest <= hta.Remote; widest++ {
		p.tight, p.widest = true, widest
		p.pass(p.work, stop)
	}
	for vain := 0; len(p.rest) > 0 && vain < vainRounds && !stop(); vain++ {
		before := len(p.rest)
		p.tight = true
		p.pass(budget, stop)
		p.tight = false
		p.pass(budget, stop)
		if len(p.rest) < before {
			vain = -1
		}
		if p.work >= budget {
			break
		}
		random.Shuffle(len(p.rest), func(i, k int) { p.rest[i], p.rest[k] = p.rest[k], p.rest[i] })
	}
	return len(p.rest) == 0
}

// pass tries to insert each task of the rest once; squeezes are allowed until so much work is done.
func (p *packing) pass(budget int, stop func() bool) {
	clear(p.dead)
	var left []int32
	for i, t := range p.rest {
		if i%64 == 0 && stop() {
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
		if p.work >= budget || !p.squeeze(t, stop) {
			left = append(left, t)
		}
	}
	p.rest = left
}

// squeeze makes room for a task by moving several others, one after another, off one of the servers that it reaches.
// Whatever comes of it, no other task loses its place.
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

// bury marks the blocks that a vain search asked: chains lead from them to full servers only, and later chains seldom
// change that.
func (p *packing) bury() {
	for _, b := range p.blocks {
		p.dead[b] = true
	}
}
