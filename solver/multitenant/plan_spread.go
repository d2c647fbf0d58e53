package multitenant

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"mrsched/model/multitenant"
)

const (
	// spreadSteps is how many times as long as else the fluid model improves plans with jobs that spread.
	spreadSteps = 10
	// fluidLean replaces fluidCross in plans that avoid traffic.
	fluidLean = 2
	// spreadCrossing is the margin for what crosses racks in these plans.
	spreadCrossing = 2
)

// spreading is how plans with jobs that spread differ: the share of all map work that these have, whether the others
// have one rack each, and the weight of traffic.
type spreading struct {
	share  float64
	single bool
	weight float64
}

var spreads = []spreading{{0.4, false, fluidCross}, {0.4, false, fluidLean}, {0.4, true, fluidLean},
	{0.3, false, fluidCross}, {0.3, false, fluidLean}}

func (x spreading) name() string {
	return fmt.Sprintf("racks for all but %g of the maps, single %t, traffic weight %g", x.share, x.single, x.weight)
}

// spreadPlans let jobs that shuffle little fill the slots that the others leave free, in racks with their input or
// anywhere.
func (s *planSearch) spreadPlans(ctx context.Context) (list []*plan) {
	for _, x := range spreads {
		b := s.p.balance(x.single, spreadCrossing, 1, s.p.spreadJobs(x.share))
		f := newFluid(b, b.johnson())
		f.weight = x.weight
		f.improve(ctx, s.fluidSteps(spreadSteps), s.rng)
		list = append(list, f.plan(x.name()+", the rest anywhere", spillNone, spillAny),
			f.plan(x.name()+", the rest near its data", spillNone, spillHome))
	}
	return list
}

// spreadJobs chooses the jobs that shuffle least for each second of their maps, up to a share of all map work. Their
// maps cross racks almost for free, so they run in whatever rack with their input has a free slot, after the others:
// that evens out what whole jobs in racks leave uneven, and nothing is left to shuffle at the end.
func (p *placer) spreadJobs(share float64) []bool {
	volume, all := make([]float64, p.in.Jobs), 0.0
	for j := range volume {
		work := p.x.Jobs[j].MapsTake.Seconds()
		volume[j], all = float64(p.x.Jobs[j].Volume)/max(work, 1e-6), all+work
	}
	spread, used := make([]bool, p.in.Jobs), 0.0
	for _, j := range ordered(p.in.Jobs, func(a, b int32) int { return cmp.Compare(volume[a], volume[b]) }) {
		if used += p.x.Jobs[j].MapsTake.Seconds(); used > share*all {
			break
		}
		spread[j] = true
	}
	return spread
}

// reads is what a job reads, and for how many seconds its maps compute on one slot.
func (b *balancer) reads(j int32) (bytes, seconds float64) {
	job := &b.x.Jobs[j]
	for i := range job.Maps {
		m, kind := &job.Maps[i], &job.Kinds[job.Maps[i].Kind]
		bytes, seconds = bytes+float64(m.Count)*float64(kind.Input), seconds+float64(m.Count)*kind.Base/1e6
	}
	return bytes, seconds
}

// spreading is the one choice of a job that spreads: all racks that hold its input.
func (b *balancer) spreading(j int32, held []float64) *forecast {
	in, n := make([]bool, b.in.Racks), 0.0
	for _, k := range b.usable {
		if in[k] = held[k] > 0 || sum(held) == 0; in[k] {
			n++
		}
	}
	return b.foresee(j, in, max(1, n))
}

// pour moves the maps of a job that spreads to those of its racks that have the least load.
func (b *balancer) pour(j int32) {
	if !b.spread[j] {
		return
	}
	f, job := b.chosen[j], &b.x.Jobs[j]
	fill := make([]float64, b.in.Racks)
	for i := range job.Maps {
		m := &job.Maps[i]
		var racks []int32
		for _, near := range []bool{true, false} { // from afar only if no rack with slots holds the input
			for _, k := range b.usable {
				if f.racks[k] && (!near || m.Near(k)) {
					racks = append(racks, k)
				}
			}
			if len(racks) > 0 {
				break
			}
		}
		b.level(job, m, racks, fill)
	}
	f.use.maps = fill
}

// level adds the maps of a group to the racks with the least load, which end up equally loaded.
func (b *balancer) level(job *multitenant.JobGroups, m *multitenant.MapGroup, racks []int32, fill []float64) {
	load := func(k int32) float64 { return b.load[mapLoad][k] + fill[k] }
	slices.SortStableFunc(racks, func(x, y int32) int { return cmp.Compare(load(x), load(y)) })
	left, rate, level := float64(m.Count), 0.0, 0.0
	for i, k := range racks {
		if i > 0 && rate*(load(k)-level) >= left {
			break
		}
		left -= rate * (load(k) - level) // nothing for the first
		level = load(k)
		each := b.x.MapTime(&job.Kinds[m.Kind], &b.x.Places[b.mapper[k]], !m.Near(k)).Seconds() / b.maps[k]
		rate += 1 / max(each, math.SmallestNonzeroFloat32)
	}
	if rate == 0 {
		return
	}
	level += left / rate
	for _, k := range racks {
		fill[k] += max(0, level-load(k))
	}
}
