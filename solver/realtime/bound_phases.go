package realtime

import (
	"context"
	"slices"

	"mrsched/model/realtime"
	"mrsched/solver"
	"mrsched/solver/unrelated"
)

// jobBounds are lower bounds on the reduce phase of a job, for each of its sets of partitions.
type jobBounds struct {
	job          int32
	slots, parts []unrelated.Bound // by set: by prices of slots; by prices of partitions, too
	complete     bool              // no limit cut them short
}

// setBounds computes the bounds of all jobs' sets. Each job gets an equal part of the time; jobs that need more get
// what the others leave.
func (r *run) setBounds(ctx context.Context, opt solver.Options) ([]jobBounds, error) {
	var list []jobBounds
	for _, j := range r.activeJobs() {
		list = append(list, jobBounds{job: j})
	}
	for left, first := len(list), true; left > 0 && (first || ctx.Err() == nil); first = false {
		for k := range list {
			opt.Report(len(list)-left, len(list))
			b := &list[k]
			if b.complete {
				continue
			}
			own, end := oneOf(ctx, left)
			slots, parts, err := unrelated.LeastBounds(own, r.instances(b.job))
			next := jobBounds{b.job, slots, parts, own.Err() == nil}
			end()
			if err != nil {
				return nil, err
			}
			if b.parts == nil || next.complete || leastOf(next.parts) > leastOf(b.parts) {
				*b = next
			}
			if b.complete {
				left--
			}
		}
	}
	return list, nil
}

// provePhases computes the bounds of goal partitions, the strongest first: by prices of partitions, and by prices of
// slots, which give T* if the linear program can be solved.
func (r *run) provePhases(ctx context.Context, opt solver.Options) ([]solver.Bound, error) {
	list, err := r.setBounds(ctx, opt)
	if err != nil {
		return nil, err
	}
	r.proven, r.cut = list, slices.ContainsFunc(list, func(b jobBounds) bool { return !b.complete })
	slots, err := r.bound(func(k int) []unrelated.Bound { return list[k].slots })
	if err != nil {
		return nil, err
	}
	slots.Theorem = needsLST(r) == "" && !r.cut
	parts, err := r.bound(func(k int) []unrelated.Bound { return list[k].parts })
	if err != nil || parts.Method == slots.Method {
		return []solver.Bound{*slots}, err
	}
	return []solver.Bound{*parts, *slots}, nil
}

// bound signs a certificate of the least of its sets' bounds for each job with partitions; of(k) are those of the k-th.
func (r *run) bound(of func(k int) []unrelated.Bound) (*solver.Bound, error) {
	c := &realtime.Certificate{}
	for k, j := range r.activeJobs() {
		phase := realtime.Phase{}
		for i, b := range of(k) {
			if phase.Sets = append(phase.Sets, proofOf(b.Proof)); i == 0 || b.Value < phase.Time {
				phase.Time = b.Value
			}
		}
		if phase.Time == 0 {
			phase.Sets = make([]realtime.Proof, len(r.in.SetsOf(j)))
		}
		c.Phases = append(c.Phases, phase)
	}
	c.Method = realtime.MethodOf(c.Phases)
	if err := r.in.Sign(c); err != nil {
		return nil, err
	}
	return &solver.Bound{Method: c.Method, Certificate: c}, nil
}
