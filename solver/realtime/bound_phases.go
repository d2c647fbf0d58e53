package realtime

import (
	"context"

	"mrsched/model/realtime"
	"mrsched/solver"
)

// provePhases computes the bounds of goal partitions, the strongest first: by prices of slots, T* where its program can be
// solved, and by prices of partitions.
func (r *run) provePhases(ctx context.Context, _ solver.Options) ([]solver.Bound, error) {
	bySlots, byParts := map[realtime.Set]*bounded{}, map[realtime.Set]*bounded{}
	for _, j := range r.activeJobs() {
		slots, parts, err := r.least(ctx, j)
		if err != nil {
			return nil, err
		}
		for k, set := range r.in.SetsOf(j) {
			bySlots[set], byParts[set] = &slots[k], &parts[k]
		}
	}
	slots, err := r.bound(func(set realtime.Set) *bounded { return bySlots[set] })
	if err != nil {
		return nil, err
	}
	slots.Theorem = needsLST(r) == "" && ctx.Err() == nil
	parts, err := r.bound(func(set realtime.Set) *bounded { return byParts[set] })
	if err != nil || parts.Method == slots.Method {
		return []solver.Bound{*slots}, err
	}
	return []solver.Bound{*parts, *slots}, nil
}

// bound signs a certificate: for each job the least of its sets' bounds.
func (r *run) bound(of func(realtime.Set) *bounded) (*solver.Bound, error) {
	c := &realtime.Certificate{}
	for j := range int32(r.in.Jobs) {
		sets := r.in.SetsOf(j)
		if sets[0].Count == 0 {
			continue
		}
		phase := realtime.Phase{}
		for k, set := range sets {
			b := of(set)
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
