package multitenant

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"mrsched/model/heap"
)

const (
	// fluidSteps is how many changes the fluid model judges for each job; with many jobs fewer, so that steps times jobs
	// are at most fluidWork. They do not depend on the iterations: more iterations only continue a search.
	fluidSteps, fluidWork = 200, 8_000_000
	// fluidLate is how many steps ago a choice need only be as good as.
	fluidLate = 60
	// fluidEven and fluidCross are what a second of the racks' mean end, and of all uplinks, count beside one of the last.
	fluidEven, fluidCross = 0.05, 0.02
	// balancePower is how much more a busy rack counts than an idle one, and balancePasses how often a job may choose.
	balancePower, balancePasses = 8, 6
	// fluidChecks is the number of steps between two checks of ctx.
	fluidChecks = 256
)

// fluid chooses racks and an order for all jobs. It judges them on groups of tasks: in each rack the map slots together
// work on one job after another, and once a job's maps have all ended, the reduces and links of its racks do likewise.
// Jobs of lower rank go first; another one that has come since interrupts maps, but not what follows them. That costs
// about a thousandth of a simulation.
//
// Complexity: O(jobs·(racks + log jobs)) for a plan.
type fluid struct {
	*placer
	options [][]*forecast // by job
	wave    []float64     // by job: seconds that its longest reduce computes
	fluidPlan
	last          int32     // the job that ends last
	came          []float64 // by job: when the stage may begin
	end           []float64 // by job: when the stage is over
	left          []float64 // by job: work in the rack that is looked at
	jobs          [][]int32 // by rack: those with work there, as they come
	order, sorted []int32
	queue         heap.Heap[int32]
}

// fluidPlan is what the fluid model judges: options and ranks, by job.
type fluidPlan struct {
	option []int
	rank   []int32
}

func (p fluidPlan) clone() fluidPlan { return fluidPlan{slices.Clone(p.option), slices.Clone(p.rank)} }

// newFluid begins with balanced racks, in Johnson's order.
func newFluid(p *placer, single bool, by margins) *fluid {
	n := p.in.Jobs
	order := byArrival(p.in)
	f := &fluid{placer: p, options: make([][]*forecast, n), wave: make([]float64, n),
		fluidPlan: fluidPlan{option: make([]int, n)}, came: make([]float64, n), end: make([]float64, n),
		left: make([]float64, n), jobs: make([][]int32, p.in.Racks), order: order, sorted: slices.Clone(order)}
	for j := range n {
		f.options[j] = p.options(int32(j), single, by)
		for _, r := range p.x.Jobs[j].Reduces {
			f.wave[j] = max(f.wave[j], r.Base/1e6)
		}
	}
	f.balance()
	f.rank = f.johnson()
	return f
}

// balance chooses racks so that all are busy for about equally long: every job takes the option that
// raises the sum of all loads to the power of 8 least, the largest jobs first; then each may change its choice, several
// times over. Ties: the first option.
//
// Complexity: O(passes·jobs·options·racks).   Source: Awerbuch et al., Load balancing in the Lp norm, FOCS 1995.
func (f *fluid) balance() {
	size, unit := make([]float64, len(f.options)), 1.0
	for j := range size {
		for _, list := range f.options[j][0].seconds {
			size[j] += sum(list)
		}
		unit += size[j] / float64(len(f.jobs))
	}
	var busy [loads][]float64 // by rack
	for load := range busy {
		busy[load] = make([]float64, len(f.jobs))
	}
	add := func(j int32, sign float64) {
		for load, list := range f.chosen(j).seconds {
			for k, v := range list {
				busy[load][k] += sign * v
			}
		}
	}
	rise := func(x *forecast) (sum float64) {
		for load, list := range x.seconds {
			for k, v := range list {
				before := max(0, busy[load][k]) / unit
				sum += math.Pow(before+v/unit, balancePower) - math.Pow(before, balancePower)
			}
		}
		return sum
	}
	largest := ordered(len(size), func(a, b int32) int { return cmp.Compare(size[b], size[a]) })
	for pass := range balancePasses {
		for _, j := range largest {
			if pass > 0 {
				add(j, -1)
			}
			least := math.Inf(1)
			for k, x := range f.options[j] {
				if more := rise(x); more < least {
					f.option[j], least = k, more
				}
			}
			add(j, 1)
		}
	}
}

// johnson ranks jobs for their two stages: those with the shorter first stage first, by it; then the others, the
// longest second stage first.
//
// Source: Johnson, Naval Research Logistics Quarterly 1954.
func (f *fluid) johnson() []int32 {
	takes := func(j int32, stage int) float64 { return slices.Max(f.chosen(j).seconds[stage]) }
	early := func(j int32) bool { return takes(j, mapStage) < takes(j, lastStage) }
	return inverse(ordered(len(f.options), func(a, b int32) int {
		switch {
		case early(a) && early(b):
			return cmp.Compare(takes(a, mapStage), takes(b, mapStage))
		case early(a):
			return -1
		case early(b):
			return 1
		}
		return cmp.Compare(takes(b, lastStage), takes(a, lastStage))
	}))
}

func (f *fluid) chosen(j int32) *forecast { return f.options[j][f.option[j]] }

// judge is the cost of the plan: when the last job ends, and a little for uneven racks and for traffic.
func (f *fluid) judge() float64 {
	for j, at := range f.in.Arrival {
		f.came[j] = at.Seconds()
	}
	last, _ := f.serveAll(f.order, mapStage, true)
	f.came, f.end = f.end, f.came
	slices.SortFunc(f.sorted, func(a, b int32) int { return cmp.Or(cmp.Compare(f.came[a], f.came[b]), cmp.Compare(a, b)) })
	_, even := f.serveAll(f.sorted, lastStage, false)
	f.last = 0
	cross := 0.0
	for j, at := range f.end {
		if at > f.end[f.last] {
			f.last = int32(j)
		}
		cross += f.chosen(int32(j)).across
	}
	return max(last, f.end[f.last]) + fluidEven*even + fluidCross*cross
}

// serveAll lets every rack work on the jobs in the order in which they come. It sets when the last of its racks is done
// with a job, and returns when the last rack is done and when racks are on average.
func (f *fluid) serveAll(order []int32, stage int, preempt bool) (last, even float64) {
	for k := range f.jobs {
		f.jobs[k] = f.jobs[k][:0]
	}
	for _, j := range order {
		f.end[j] = f.came[j]
		for k, v := range f.chosen(j).seconds[stage] {
			if v > 0 {
				f.jobs[k] = append(f.jobs[k], j)
			}
		}
	}
	for k := range f.jobs {
		done := f.serve(k, stage, preempt)
		last, even = max(last, done), even+done/float64(len(f.jobs))
	}
	return last, even
}

// serve is serveAll for one rack; it returns when that is done. The links fetch for one job after another, and the
// reduces that fetched last compute while the links continue.
func (f *fluid) serve(rack, stage int, preempt bool) float64 {
	jobs, now, next := f.jobs[rack], 0.0, 0
	f.queue = f.queue[:0]
	for next < len(jobs) || len(f.queue) > 0 {
		if len(f.queue) == 0 {
			now = max(now, f.came[jobs[next]])
		}
		for ; next < len(jobs) && f.came[jobs[next]] <= now; next++ {
			j := jobs[next]
			f.left[j] = f.chosen(j).seconds[stage][rack]
			f.queue.Push(heap.Item[int32]{Key: f.rank[j], Index: j})
		}
		j := f.queue[0].Index
		if preempt && next < len(jobs) && f.came[jobs[next]] < now+f.left[j] {
			f.left[j] -= f.came[jobs[next]] - now
			now = f.came[jobs[next]]
			continue
		}
		now += f.left[j]
		f.end[j] = max(f.end[j], now)
		if stage == lastStage {
			f.end[j] = max(f.end[j], now+f.wave[j])
		}
		f.queue.Pop()
	}
	return now
}

// improve looks for a better plan by random changes: mostly of the job that ends last and of those in its racks. A
// changed plan stays if it is as good as that before or as some steps ago. Source: Burke and Bykov, EJOR 2017.
func (f *fluid) improve(ctx context.Context, steps int, rng *rand.Rand) {
	now := f.judge()
	best, least, late := f.clone(), now, slices.Repeat([]float64{now}, fluidLate)
	n := len(f.option)
	for k := 0; k < steps && (k%fluidChecks != 0 || ctx.Err() == nil); k++ {
		j := f.neighbour(rng)
		option, rank, last := f.option[j], f.rank, f.last
		if rng.IntN(8) > 0 {
			f.option[j] = rng.IntN(len(f.options[j]))
		} else {
			f.rank = moveRank(f.rank, j, max(0, min(int32(n-1), f.rank[j]+int32(rng.IntN(41))-20)))
		}
		cost := f.judge()
		if before := &late[k%fluidLate]; cost <= now || cost <= *before {
			now = cost
			*before = min(*before, now)
			if now < least {
				best, least = f.clone(), now
			}
			continue
		}
		f.option[j], f.rank, f.last = option, rank, last
	}
	f.fluidPlan = best
	f.judge()
}

// neighbour is a job to change: the last, one that shares a rack with it, or any.
func (f *fluid) neighbour(rng *rand.Rand) int32 {
	if rng.IntN(4) == 0 {
		return f.last
	}
	j := int32(rng.IntN(len(f.option)))
	for range 8 {
		for k, v := range f.chosen(j).seconds[lastStage] {
			if v > 0 && f.chosen(f.last).seconds[lastStage][k] > 0 {
				return j
			}
		}
		j = int32(rng.IntN(len(f.option)))
	}
	return j
}

// plan is the plan that the fluid model judges.
func (f *fluid) plan(name string) *plan {
	p := &plan{rank: f.rank, choice: make([]choice, len(f.option)), name: name, inLine: true}
	for j, k := range f.option {
		p.choice[j] = choice{racks: f.options[j][k].racks, spill: spillHome, output: true,
			overflow: len(f.reducible) < f.in.Racks}
	}
	return p
}

// balancedPlans let jobs run in racks that the fluid model chose.
func (s *planSearch) balancedPlans(ctx context.Context) (list []*plan) {
	if !s.more(ctx) {
		return nil
	}
	jobs := s.r.in.Jobs
	steps := min(fluidSteps*jobs, fluidWork/max(1, jobs))
	for k, by := range []margins{{1, 1}, {1, 1}, {2, 1}, {1, 1.25}, {2, 1.5}} {
		f := newFluid(s.p, k == 0, by)
		name := fmt.Sprintf("balanced racks, single %t, margins %g and %g", k == 0, by.crossing, by.behind)
		list = append(list, f.plan(name))
		f.improve(ctx, steps, s.rng)
		list = append(list, f.plan(name+", improved"))
		s.options = f.options
	}
	return list
}
