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
	// packingTries is the most roundings of one makespan, each an iteration, that best tries.
	packingTries = 12
	// startShare is the share of a time limit that flow and round-robin may take.
	startShare = 0.8
	// nearLoads is how many makespans above the lower bound are tried, one after another.
	nearLoads = 16
)

// solveBest begins with the best assignment of flow and of round-robin under every tie rule. Then it packs the servers
// for smaller makespans: a few from the lower bound upwards.
//
// Packing for a makespan L: no server has more than τ = ⌊L/w_loc⌋ local tasks, so the maximum flow for τ gives the
// least number r of remote tasks, and the cost w of each. A server with b remote tasks has room for κ(b) = min(τ,
// ⌊(L − b·w)/w_loc⌋) local ones. The packer chooses numbers b with Σ b = r near what the balanced semi-matching leaves
// free, and loses as little room to rounding as possible. A maximum flow with capacities κ(b) then moves local tasks;
// the packing succeeds if at most r of them are left over.
//
// With racks, packRacks packs.
//
// Guarantee: that of flow.   Complexity: one maximum flow an iteration, after the semi-matching; at most 16 makespans.
// Ties: flow's assignment, if nothing is better; lower indices; tries after the first two are random, from the seed.
// Source: mrsched.
func solveBest(ctx context.Context, r *run, opt solver.Options) (*found, error) {
	x := &search{run: r, opt: opt}
	if err := x.start(ctx); err != nil {
		return nil, err
	}
	ctx, end := opt.Phase(ctx, solver.PhaseSearch, 1)
	defer end()
	cost := r.in.Cost
	balanced := r.balance(ctx)
	used := 0 // iterations
	if !cost.Rack.Known || cost.Rack.Value == cost.Remote.At(0) {
		p := r.newPacker(balanced, opt)
		x.offer(p.search(ctx, r.value, x.makespan))
		used = p.used
	}
	if cost.Rack.Known {
		x.packRacks(ctx)
	}
	f := &found{server: x.server, status: model.StatusFeasible}
	if !balanced.Balanced || ctx.Err() != nil {
		f.status = model.StatusLimit
	}
	if x.makespan > r.value && used >= opt.Iterations {
		opt.Watch.UsedUp()
	}
	return f, nil
}

// search is one call of best.
type search struct {
	*run
	opt      solver.Options
	server   []int32 // the best assignment so far
	makespan model.Time
}

// offer takes an assignment if it is better; nil stands for none.
func (x *search) offer(server []int32) {
	if server == nil {
		return
	}
	if made := x.in.Measure(server).Makespan; x.server == nil || made < x.makespan {
		x.server, x.makespan = server, made
		x.opt.Watch.Incumbent(made.Seconds(), "")
	}
}

// start begins with the best assignment of flow and of round-robin under every tie rule. Both end soon after any limit.
func (x *search) start(ctx context.Context) error {
	ctx, end := x.opt.Phase(ctx, solver.PhaseStart, startShare)
	defer end()
	f, err := solveFlow(ctx, x.run, x.opt)
	if err != nil {
		return err
	}
	x.offer(f.server)
	x.offer(x.bestRoundRobin(x.opt.Seed))
	return nil
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
func (p *packer) search(ctx context.Context, low, high model.Time) []int32 {
	load := low
	for range nearLoads {
		if load >= high || p.exhausted(ctx) {
			break
		}
		if server := p.pack(ctx, load); server != nil {
			return server
		}
		load = p.next(load)
	}
	return nil
}

func (p *packer) exhausted(ctx context.Context) bool {
	return p.used >= p.opt.Iterations || ctx.Err() != nil
}

// room is what a makespan allows: at most tau local tasks per server, with left remote tasks of cost w.
type room struct {
	load, w model.Time
	tau     int32
	left    int
}

func (p *packer) room(load model.Time) room {
	in := p.in
	m := room{load: load, tau: p.mostLocal(load)}
	m.left = p.above(p.x.Load, m.tau)
	m.w = in.Cost.Remote.At(m.left)
	return m
}

// local is κ(b).
func (p *packer) local(m *room, remote int32) int32 {
	free := m.load - model.Time(remote)*m.w
	if free < 0 {
		return -1
	}
	return min(m.tau, p.mostLocal(free))
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
		p.opt.Report(p.used, nearLoads*packingTries)
		f := p.rounding(&m, try)
		if f == nil {
			return nil
		}
		c := flow.Cover(ctx, &g, p.x, f.local)
		over := p.in.Unheld
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
// and 1, and half of the others, use numbers that lose the least room to rounding, the rest any.
func (p *packer) rounding(m *room, try int) *fill {
	n := p.in.Servers
	f := &fill{local: make([]int32, n), remote: make([]int32, n)}
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

// steps lists the numbers of remote tasks that servers may get, rising from 0: all that fit, or only the corners of the
// concave hull of κ.
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

// raise takes servers to their next step until need more remote tasks have room, in the order of local tasks lost for
// each.
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
