package realtime

import (
	"context"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

const (
	// rootWork is how many sums the knapsacks of the bounds of one set look at: about a second.
	rootWork = 30_000_000
	// rootRounds is how many limits the bound of one set tries.
	rootRounds = 40
)

// packed is what is known about a set. It is worked out once.
type packed struct {
	*packing
	fractional *fractional
	root       *bounded
}

// bounded is a bound on what a set's partitions take, with its proof.
type bounded struct {
	value model.Time
	proof realtime.Proof
}

// pack finds the packing of a set.
func (r *run) pack(set realtime.Set) *packed {
	if r.packs == nil {
		r.packs = map[realtime.Set]*packed{}
	}
	if r.packs[set] == nil {
		r.packs[set] = &packed{packing: newPacking(r.in, set)}
	}
	return r.packs[set]
}

// packing is the packing of a set.
func (r *run) packing(set realtime.Set) *packing { return r.pack(set).packing }

// fractional is T* of a set, with a vertex.
func (r *run) fractional(ctx context.Context, set realtime.Set) (*fractional, error) {
	p := r.pack(set)
	if p.fractional != nil {
		return p.fractional, nil
	}
	f, err := p.packing.fractional(ctx)
	if err == nil && ctx.Err() == nil { // else it is tried again
		p.fractional = f
	}
	return f, err
}

// root is the best bound of a set without cases.
func (r *run) root(ctx context.Context, set realtime.Set) (*bounded, error) {
	p := r.pack(set)
	if p.root != nil {
		return p.root, nil
	}
	f, err := r.fractional(ctx, set)
	if err != nil {
		return nil, err
	}
	b := &bounded{f.bound, f.proof}
	if p.configurable() {
		err = p.raiseConfigs(ctx, f, b)
	}
	if err == nil && ctx.Err() == nil {
		p.root = b
	}
	return b, err
}

// raiseConfigs raises a bound by prices of partitions: as long as the configuration program refutes the bound as a limit,
// the bound rises to the least limit that the program's prices do not refute.
func (p *packing) raiseConfigs(ctx context.Context, f *fractional, b *bounded) error {
	x := p.newConfigs(b.value, p.firstTrial(f), rootWork)
	high := p.makespan(p.greedy(bySize)) // is not refuted
	for range rootRounds {
		if b.value >= high {
			return nil
		}
		x.limit = b.value
		a, proof, _, err := x.ask(ctx)
		if err != nil || a != refuted {
			return err
		}
		x.advance(b, proof.Partitions, high)
		b.proof = *proof
	}
	return nil
}

// advance raises a bound that prices refute as a limit: first by the loads' unit, then in steps that double, then by
// bisection.
func (x *configs) advance(b *bounded, whole []int64, high model.Time) {
	d := &configDual{configs: x, groups: x.grouped()}
	refutes := func(limit model.Time) bool {
		if whole == nil {
			return limit < x.largest()
		}
		x.limit = limit
		return d.exceeds(whole)
	}
	step := x.unit
	low := b.value // refuted
	for low+step < high && refutes(low+step) {
		low += step
		step *= 2
	}
	high = min(high, low+step)
	for high-low > x.unit {
		if mid := low + (high-low)/2/x.unit*x.unit; mid > low && refutes(mid) {
			low = mid
		} else if mid > low {
			high = mid
		} else {
			break
		}
	}
	b.value = low + 1
	if over := b.value % x.unit; over > 0 {
		b.value += x.unit - over
	}
}

// exceeds says whether integer prices refute the limit.
func (d *configDual) exceeds(whole []int64) bool {
	u := make([]float64, len(whole))
	for i, v := range whole {
		u[i] = float64(v) / configScale
	}
	value, _, sets := d.price(u)
	return sets != nil && value > 0
}

// provePhases computes the bounds of goal partitions, the strongest first: by prices of slots, T* where its program can be
// solved, and by prices of partitions.
func (r *run) provePhases(ctx context.Context, _ solver.Options) ([]solver.Bound, error) {
	slots, err := r.bound(func(set realtime.Set) (*bounded, error) {
		f, err := r.fractional(ctx, set)
		if err != nil {
			return nil, err
		}
		return &bounded{f.bound, f.proof}, nil
	})
	if err != nil {
		return nil, err
	}
	slots.Theorem = needsLST(r) == "" && ctx.Err() == nil
	parts, err := r.bound(func(set realtime.Set) (*bounded, error) { return r.root(ctx, set) })
	if err != nil || parts.Method == slots.Method {
		return []solver.Bound{*slots}, err
	}
	return []solver.Bound{*parts, *slots}, nil
}

// bound signs a certificate: for each job the least of its sets' bounds.
func (r *run) bound(of func(realtime.Set) (*bounded, error)) (*solver.Bound, error) {
	c := &realtime.Certificate{}
	for j := range int32(r.in.Jobs) {
		sets := r.in.SetsOf(j)
		if sets[0].Count == 0 {
			continue
		}
		phase := realtime.Phase{}
		for k, set := range sets {
			b, err := of(set)
			if err != nil {
				return nil, err
			}
			if phase.Sets = append(phase.Sets, b.proof); k == 0 || b.value < phase.Time {
				phase.Time = b.value
			}
		}
		if phase.Time == 0 {
			phase.Sets = make([]realtime.Proof, len(sets))
		}
		c.Phases = append(c.Phases, phase)
	}
	c.Method = realtime.MethodOf(c.Phases)
	if err := r.in.Sign(c); err != nil {
		return nil, err
	}
	return &solver.Bound{Method: c.Method, Certificate: c}, nil
}
