package hta

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"mrsched/model"
	"mrsched/solver"
	"mrsched/solver/flow"
)

const (
	// packingTries is how many roundings of one makespan best tries at most; each is an iteration.
	packingTries = 12
	// nearLoads is how many makespans above the lower bound are tried one after another before the rest is bisected.
	nearLoads = 16
	// halvings bounds the bisection: times have 63 bits.
	halvings = 63
)

// solveBest packs the servers for a given makespan: for the few reachable ones from the lower bound upwards, then by
// bisection between those and flow's.
//
// Packing for a makespan L: no server has more than τ = ⌊L/w_loc⌋ local tasks, so the maximum flow for τ says how many
// tasks stay remote at least, r, and what each of them costs, w. A server with b remote tasks has room for
// κ(b) = min(τ, ⌊(L − b·w)/w_loc⌋) local ones. The numbers b are chosen near what the balanced semi-matching leaves
// free, with Σ b = r and as little room lost to rounding as possible; a maximum flow with capacities κ(b) then moves
// local tasks, and the packing succeeds if no more than r of them are left over.
//
// Guarantee: that of flow.   Complexity: one maximum flow an iteration, from the semi-matching on; at most 79 makespans.
// Ties: lower indices; tries after the first two are random, from the seed.
// Source: mrsched.
func solveBest(ctx context.Context, r *run, opt solver.Options) (*found, error) {
	x := r.balance(ctx)
	f := &found{status: model.StatusFeasible}
	if !x.Balanced {
		f.status = model.StatusLimit
	}
	start := r.bestFill(x.Load)
	f.server = r.spread(x.Units, start)
	if err := r.prove(ctx); err != nil {
		return nil, err
	}
	p := r.newPacker(x, opt)
	if server := p.search(ctx, r.value, start.makespan); server != nil {
		f.server = server
	}
	if ctx.Err() != nil {
		f.status = model.StatusLimit
	}
	return f, nil
}

// packer tries to fit all tasks into a makespan.
type packer struct {
	*run
	x      *flow.SemiMatching
	order  []int32 // servers by load
	random *rand.Rand
	opt    solver.Options
	used   int // iterations
}

func (r *run) newPacker(x *flow.SemiMatching, opt solver.Options) *packer {
	return &packer{run: r, x: x, order: byLoad(x.Load), random: rand.New(rand.NewPCG(opt.Seed, 1)), opt: opt}
}

// search returns the server by task for a makespan from low to below high; nil if it finds none.
func (p *packer) search(ctx context.Context, low, high model.Time) (best []int32) {
	load := low
	for range nearLoads {
		if load >= high {
			return nil
		}
		if best = p.pack(ctx, load); best != nil {
			return best
		}
		low, load = load, p.next(load)
	}
	for range halvings { // low failed, high succeeded
		load = p.next(max(low, low+(high-low)/2-1))
		if load >= high {
			load = p.next(low)
		}
		if load >= high || p.exhausted(ctx) {
			break
		}
		if server := p.pack(ctx, load); server != nil {
			best, high = server, load
		} else {
			low = load
		}
	}
	return best
}

// exhausted says that there are no more iterations, or no more time.
func (p *packer) exhausted(ctx context.Context) bool {
	return p.used >= p.opt.Iterations || ctx.Err() != nil
}

// room is a makespan's meaning: at most tau local tasks a server, left remote ones of cost w.
type room struct {
	load, w model.Time
	tau     int32
	left    int
}

func (p *packer) room(load model.Time) room {
	in := p.in
	m := room{load: load, tau: int32(in.Tasks)}
	if in.Cost.Local > 0 {
		m.tau = int32(min(model.Time(in.Tasks), load/in.Cost.Local))
	}
	for _, x := range p.x.Load {
		m.left += int(max(x-m.tau, 0))
	}
	m.w = in.Cost.Remote.At(m.left)
	return m
}

// local is κ(b).
func (p *packer) local(m *room, remote int32) int32 {
	free := m.load - model.Time(remote)*m.w
	if free < 0 {
		return -1
	}
	if p.in.Cost.Local == 0 {
		return m.tau
	}
	return int32(min(model.Time(m.tau), free/p.in.Cost.Local))
}

// next is the least makespan above load that some server can have.
func (p *packer) next(load model.Time) model.Time {
	m := p.room(load + 1)
	best := (load/max(p.in.Cost.Local, 1) + 1) * max(p.in.Cost.Local, 1)
	for b := model.Time(1); m.w > 0 && b*m.w <= best; b++ {
		if rest := max(0, load+1-b*m.w); p.in.Cost.Local > 0 {
			best = min(best, b*m.w+(rest+p.in.Cost.Local-1)/p.in.Cost.Local*p.in.Cost.Local)
		} else if b*m.w > load {
			best = min(best, b*m.w)
		}
	}
	return best
}

// pack returns the server by task for a makespan, or nil.
func (p *packer) pack(ctx context.Context, load model.Time) []int32 {
	m := p.room(load)
	if m.left > 0 && m.w > load {
		return nil
	}
	g := p.placement()
	for try := 0; try < packingTries && !p.exhausted(ctx); try++ {
		p.used++
		p.opt.Report(p.used, (nearLoads+halvings)*packingTries)
		f := p.rounding(&m, try)
		if f == nil {
			return nil
		}
		c := flow.Cover(ctx, &g, p.x, f.local)
		over := 0
		for s, x := range c.Load {
			over += int(max(0, x-f.local[s]))
		}
		if over <= m.left {
			return p.spread(c.Units, f)
		}
	}
	return nil
}

// rounding chooses how many remote tasks each server gets; nil if not even empty servers have room for them. Tries 0
// and 1, and half of the others, keep to numbers that lose least room to rounding, the rest to any.
func (p *packer) rounding(m *room, try int) *fill {
	n := p.in.Servers
	f := &fill{tau: m.tau, local: make([]int32, n), remote: make([]int32, n)}
	steps := p.steps(m, try%2 == 0)
	at := make([]int32, n) // by server: index into steps
	sum := 0
	for s := range at {
		x := min(p.x.Load[s], m.tau)
		k, _ := slices.BinarySearchFunc(steps, x, func(b, x int32) int { return cmp.Compare(x, p.local(m, b)+1) })
		at[s] = int32(max(0, k-1)) // the most remote tasks beside which x local ones fit
		f.remote[s] = steps[at[s]]
		sum += int(f.remote[s])
	}
	for sum < m.left {
		raised := p.raise(m, f.remote, at, steps, m.left-sum, try)
		if raised == 0 {
			return nil
		}
		sum += raised
	}
	for s := n - 1; s >= 0 && sum > m.left; s-- { // the fullest servers need none
		cut := min(f.remote[p.order[s]], int32(min(sum-m.left, 1<<30)))
		f.remote[p.order[s]] -= cut
		sum -= int(cut)
	}
	for s, b := range f.remote {
		f.local[s] = p.local(m, b)
	}
	return f
}

// steps lists the numbers of remote tasks that servers may get, rising from 0: all that fit, or of them the corners of
// the concave hull of κ.
func (p *packer) steps(m *room, corners bool) []int32 {
	most := int32(m.left)
	if m.w > 0 {
		most = int32(min(model.Time(m.left), m.load/m.w))
	}
	var list []int32
	for b := int32(0); b <= most; b++ {
		for k := len(list); corners && k >= 2; k-- {
			u, v := list[k-2], list[k-1]
			if int64(p.local(m, b)-p.local(m, v))*int64(v-u) < int64(p.local(m, v)-p.local(m, u))*int64(b-v) {
				break
			}
			list = list[:k-1]
		}
		list = append(list, b)
	}
	return list
}

// raise takes servers to their next step until need more remote tasks have room, those first that lose the fewest local
// tasks for each.
func (p *packer) raise(m *room, remote, at, steps []int32, need, try int) int {
	type choice struct {
		server     int32
		lost, gain int64
		key        int32
	}
	var list []choice
	for _, s := range p.order {
		if int(at[s])+1 == len(steps) {
			continue
		}
		next := steps[at[s]+1]
		c := choice{server: s, lost: int64(min(p.x.Load[s], m.tau) - p.local(m, next)), gain: int64(next - remote[s])}
		if try > 1 {
			c.key = p.random.Int32()
		}
		list = append(list, c)
	}
	slices.SortStableFunc(list, func(a, b choice) int {
		return cmp.Or(cmp.Compare(a.lost*b.gain, b.lost*a.gain), cmp.Compare(a.key, b.key))
	})
	raised := 0
	for _, c := range list {
		if raised >= need {
			break
		}
		at[c.server]++
		remote[c.server] = steps[at[c.server]]
		raised += int(c.gain)
	}
	return raised
}
