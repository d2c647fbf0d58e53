package multitenant

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
)

const (
	// balancePower is how much more a busy resource counts than an idle one: the loads' powers are added up.
	balancePower = 8
	// balancePasses is how often every job may change its racks.
	balancePasses = 6
)

// The loads of a rack.
const (
	mapLoad = iota
	outLoad
	inLoad
	afterLoad
	loadKinds
)

// balancer spreads whole jobs over racks so that map slots, reduce slots, uplinks and the links inside racks are busy
// for about equally long. It is the integral form of the program whose prices make the bound rack-lp: a job's output
// crosses no rack where its maps and reduces share one, which no fraction of a program expresses.
//
// Every job takes the set of racks that raises the sum of all loads to the power of 8 least, the largest jobs first;
// then each may change its choice, several times over. Ties: the first set.
//
// Complexity: O(passes·jobs·sets·racks).   Source: Awerbuch et al., Load balancing in the Lp norm, FOCS 1995.
type balancer struct {
	*placer
	load     [][]float64 // by resource, by rack, in seconds
	unit     float64     // of loads
	crossing float64     // by how much longer than alone what crosses racks is expected to take
	behind   float64     // the same of all that follows the maps
	options  [][]*forecast
	chosen   []*forecast
	spread   []bool // by job: whether its maps run in all racks with its input (plan_spread.go)
}

// loads are what a forecast adds, in seconds: of map slots, of the uplink out and in, and of what follows the maps:
// the slowest of the rack's links and its reduce slots, which job after job uses there.
func (b *balancer) loads(j int32, f *forecast) [][]float64 {
	n := b.in.Racks
	fabric, out, into, after := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	job := &b.x.Jobs[j]
	maps := slices.Clone(f.use.maps)
	for k := range n {
		crossed := 0.0
		if u := float64(b.in.Uplink[k]); u > 0 {
			out[k], into[k] = f.use.out[k]/u, f.use.in[k]/u
			reads := max(f.reads.out[k], f.reads.in[k]) / u
			maps[k] = max(maps[k], b.crossing*reads)
			crossed = b.crossing * max(f.use.out[k]-f.reads.out[k], f.use.in[k]-f.reads.in[k]) / u
		}
		if u := float64(b.in.Fabric[k]); u > 0 && job.Shuffles {
			fabric[k] = float64(job.Volume) * float64(f.counts[k]) / float64(job.ReduceCount) / u
		}
		after[k] = b.behind * max(crossed, fabric[k], f.use.reduces[k])
	}
	return [][]float64{maps, out, into, after}
}

// add adds a forecast's loads, or takes them away with a sign of −1.
func (b *balancer) add(j int32, f *forecast, sign float64) {
	for r, list := range b.loads(j, f) {
		for k, v := range list {
			b.load[r][k] += sign * v
		}
	}
}

// rise is by how much a forecast raises the sum of powers.
func (b *balancer) rise(j int32, f *forecast) (sum float64) {
	for r, list := range b.loads(j, f) {
		for k, v := range list {
			if v > 0 {
				before := max(0, b.load[r][k]) / b.unit
				sum += math.Pow(before+v/b.unit, balancePower) - math.Pow(before, balancePower)
			}
		}
	}
	return sum
}

// cheapest is the option that raises the sum least.
func (b *balancer) cheapest(j int32) *forecast {
	for _, f := range b.options[j] {
		f.cost = b.rise(j, f)
	}
	return slices.MinFunc(b.options[j], func(x, y *forecast) int { return cmp.Compare(x.cost, y.cost) })
}

// sets are the racks that a job may use: one that holds some of its input, two of the first three, or as many as hold
// most of it.
func (b *balancer) sets(j int32, single bool) (list []*forecast) {
	held := b.held(j)
	if b.spread[j] {
		return []*forecast{b.spreading(j, held)}
	}
	order := slices.Clone(b.usable)
	slices.SortStableFunc(order, func(x, y int32) int { return cmp.Compare(held[y], held[x]) })
	add := func(racks ...int32) {
		in := make([]bool, b.in.Racks)
		for _, k := range racks {
			in[k] = true
		}
		list = append(list, b.foresee(j, in, float64(len(racks))))
	}
	for _, k := range order {
		if held[k] > 0 || held[order[0]] == 0 {
			add(k)
		}
	}
	if !single {
		for i, k := range order[:min(3, len(order))] {
			for _, l := range order[:i] {
				add(l, k)
			}
		}
		for size := 3; size <= len(order); size = nextSize(size, len(order)) {
			add(order[:size]...)
		}
	}
	if len(list) == 0 { // there is no map slot, hence no map
		list = append(list, b.foresee(j, make([]bool, b.in.Racks), 1))
	}
	return list
}

// balance chooses racks for all jobs.
func (p *placer) balance(single bool, crossing, behind float64, spread []bool) *balancer {
	n := p.in.Jobs
	b := &balancer{placer: p, unit: 1, crossing: crossing, behind: behind, spread: spread, options: make([][]*forecast, n),
		chosen: make([]*forecast, n), load: make([][]float64, loadKinds)}
	for r := range b.load {
		b.load[r] = make([]float64, p.in.Racks)
	}
	size := make([]float64, n)
	for j := range int32(n) {
		b.options[j] = b.sets(j, single)
		size[j] = p.work(j)
		b.unit += size[j]
	}
	for _, j := range ordered(n, func(x, y int32) int { return cmp.Compare(size[y], size[x]) }) {
		b.chosen[j] = b.cheapest(j)
		b.pour(j)
		b.add(j, b.chosen[j], 1)
	}
	for range balancePasses {
		for j, f := range b.chosen {
			b.add(int32(j), f, -1)
			b.chosen[j] = b.cheapest(int32(j))
			b.pour(int32(j))
			b.add(int32(j), b.chosen[j], 1)
		}
	}
	return b
}

// johnson ranks jobs for two stages, the maps in a job's racks and then its shuffle and reduces there: those with the
// shorter first stage first, by it; then the others, the longest second stage first.
//
// Source: Johnson, Naval Research Logistics Quarterly 1954.
func (b *balancer) johnson() []int32 {
	n := b.in.Jobs
	first, second := make([]float64, n), make([]float64, n)
	for j, f := range b.chosen {
		use := b.loads(int32(j), f)
		first[j] = slices.Max(use[mapLoad])
		second[j] = slices.Max(use[afterLoad])
	}
	early := func(j int32) bool { return first[j] < second[j] }
	return inverse(ordered(n, func(x, y int32) int {
		switch {
		case early(x) && early(y):
			return cmp.Compare(first[x], first[y])
		case early(x) != early(y):
			if early(x) {
				return -1
			}
			return 1
		}
		return cmp.Compare(second[y], second[x])
	}))
}

// The balancers that best tries: with sets of one rack or of several, and with several margins for what crosses racks
// and for what follows maps, which wait for each other more than the loads say. The first ones are improved on groups
// of tasks too.
var balancers = []struct {
	single           bool
	crossing, behind float64
}{{true, 1, 1}, {false, 1, 1}, {false, 2, 1}, {true, 1, 1.1}, {false, 1, 1.25}, {false, 2, 1.5}}

const improvedBalancers = 3

// balancedPlans let jobs run in the racks that balancers chose, and in those to which the fluid model improves these.
func (s *planSearch) balancedPlans(ctx context.Context) (list []*plan) {
	if !s.more(ctx) {
		return nil
	}
	list = s.spreadPlans(ctx)
	for k, x := range balancers {
		b := s.p.balance(x.single, x.crossing, x.behind, make([]bool, s.r.in.Jobs))
		f := newFluid(b, b.johnson())
		name := fmt.Sprintf("balanced racks, single %t, margins %g and %g", x.single, x.crossing, x.behind)
		list = append(list, f.plan(name, spillHome, spillHome))
		if k >= improvedBalancers {
			continue
		}
		f.improve(ctx, s.fluidSteps(1), s.rng)
		list = append(list, f.plan(name+", improved", spillHome, spillHome),
			f.plan(name+", improved, no spill", spillNone, spillNone))
		s.sets = b
	}
	return list
}

// fluidSteps is the number of changes that the fluid model judges, by how many times as long as usual.
func (s *planSearch) fluidSteps(times int) int {
	jobs := max(1, s.r.in.Jobs)
	return times * min(fluidSteps*jobs, fluidWork/jobs)
}
