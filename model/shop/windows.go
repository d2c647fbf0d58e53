package shop

import (
	"errors"
	"fmt"
	"slices"

	"mrsched/model"
)

// Bounds raise the windows of steps and jobs, on the way to a bound on the objective.
type Bounds struct {
	// Pools are resources seen as one machine.
	Pools []Pool `json:"pools,omitempty"`
	// Ends are bounds on the ends of steps, in rising order of the step. Starts are bounds of the same kind with time
	// running backwards from the ends of the jobs; only identical machines without fixed tasks have them.
	Ends   []StepBound `json:"ends,omitempty"`
	Starts []StepBound `json:"starts,omitempty"`
	// Alone are bounds of jobs, in rising order of the job.
	Alone []AloneBound `json:"alone,omitempty"`
}

// StepBound is a lower bound on the end of a step, from the tasks of its job that run before it, or are it.
type StepBound struct {
	Step int32 `json:"step"` // tasks in the order of the workload, then barriers
	AloneSet
}

// AllJobs stands for a job that ends with the last one.
const AllJobs = -1

// Windows holds proven lower bounds on the times of single steps and jobs.
type Windows struct {
	Head []model.Time // by step: the earliest start
	End  []model.Time // by step: the earliest end
	Tail []model.Time // by step: the least time from its end to that of its job; negative if the job's end does not wait
	Job  []model.Time // by job: the earliest completion
	All  model.Time   // the earliest end of everything
}

// raising computes windows from bounds.
type raising struct {
	*Evaluator
	*Bounds
	pools []*Pooled
	tasks func(j int32) []int32
	path  []model.Time
	set   []int32
}

// Windows computes windows from the critical paths and from bounds. Errors: a bound that does not hold.
func (e *Evaluator) Windows(b *Bounds, pools []*Pooled) (*Windows, error) {
	in := e.in
	x := &raising{Evaluator: e, Bounds: b, pools: pools, tasks: e.byJob(), path: make([]model.Time, in.Steps)}
	w := &Windows{Tail: e.Tail, Job: make([]model.Time, in.Jobs)}
	if len(b.Starts) > 0 {
		if !in.plain() {
			return nil, errIdentical
		}
		back, late := *x, &Windows{}
		back.Evaluator = NewEvaluator(in.Backwards())
		if err := back.steps(late, b.Starts, nil); err != nil {
			return nil, err
		}
		w.Tail = late.Head
	}
	bound, err := x.byBound()
	if err != nil {
		return nil, err
	}
	finish := func(j int32) error {
		for _, u := range x.tasks(j) {
			w.Job[j] = max(w.Job[j], w.End[u]+w.Tail[u])
		}
		b := bound[j]
		if b == nil {
			return nil
		}
		end, err := x.job(b, w)
		w.Job[j], bound[j] = max(w.Job[j], end), nil
		return err
	}
	if err := x.steps(w, b.Ends, finish); err != nil {
		return nil, err
	}
	for j := range int32(in.Jobs) {
		if err := finish(j); err != nil {
			return nil, err
		}
		w.All = max(w.All, w.Job[j])
	}
	if len(b.Alone) > 0 && b.Alone[0].Job == AllJobs {
		end, err := x.alone(&b.Alone[0].AloneSet, x.tasks(AllJobs), w.Head, e.All)
		if err != nil {
			return nil, fmt.Errorf("certificate: the makespan %w", err)
		}
		w.All = max(w.All, end)
	}
	return w, nil
}

// byBound finds each job's bound.
func (x *raising) byBound() ([]*AloneBound, error) {
	bound := make([]*AloneBound, x.in.Jobs)
	for i := range x.Alone {
		b := &x.Alone[i]
		if i > 0 && b.Job <= x.Alone[i-1].Job || b.Job < AllJobs || int(b.Job) >= x.in.Jobs {
			return nil, fmt.Errorf("certificate: bound of job %d", b.Job)
		}
		if b.Job != AllJobs {
			bound[b.Job] = b
		}
	}
	return bound, nil
}

// job is the completion that a job's bound proves.
func (x *raising) job(b *AloneBound, w *Windows) (model.Time, error) {
	end, err := x.alone(&b.AloneSet, x.tasks(b.Job), w.Head, w.Tail)
	if err != nil {
		return 0, fmt.Errorf("certificate: job %q %w", x.in.workload.Jobs[b.Job].ID, err)
	}
	return end, nil
}

// steps fills in Head and End. It calls finish, if there is one, at the end of a job that others wait for. Each bound
// raises the end of its step, given the raised heads of the steps before it; where nodes are identical, the head, too.
func (x *raising) steps(w *Windows, list []StepBound, finish func(j int32) error) error {
	in := x.in
	stated, err := x.byStep(list)
	if err != nil {
		return err
	}
	w.Head, w.End = slices.Clone(in.Earliest), make([]model.Time, in.Steps)
	for _, a := range in.Topo {
		switch {
		case int(a) >= in.Tasks:
			if finish != nil && x.closes(a) {
				if err := finish(in.Job[a]); err != nil {
					return err
				}
				w.Head[a] = max(w.Head[a], w.Job[in.Job[a]])
			}
			w.End[a] = w.Head[a]
		case in.Fixed(a):
			w.Head[a], w.End[a] = in.FixedStart(a), in.FixedStart(a)+in.Least[a]
		default:
			w.Head[a], w.End[a] = x.earliest(a, w.Head[a])
		}
		if s := stated[a]; s != nil {
			end, err := x.before(a, s, w.Head)
			if err != nil {
				return fmt.Errorf("certificate: step %d %w", a, err)
			}
			if w.End[a] = max(w.End[a], end); in.Identical || int(a) >= in.Tasks {
				w.Head[a] = max(w.Head[a], w.End[a]-in.Least[a])
			}
		}
		x.eachArc(a, func(b int32, delay model.Time) { w.Head[b] = max(w.Head[b], w.End[a]+delay) })
	}
	return nil
}

// byStep finds each step's bound.
func (x *raising) byStep(list []StepBound) ([]*AloneSet, error) {
	in := x.in
	stated, left := make([]*AloneSet, in.Steps), groupWork+4*(in.Steps+len(in.SuccStep))
	for i := range list {
		b := &list[i]
		if b.Step < 0 || int(b.Step) >= in.Steps || i > 0 && b.Step <= list[i-1].Step ||
			int(b.Step) < in.Tasks && in.Fixed(b.Step) {
			return nil, fmt.Errorf("certificate: bound of step %d", b.Step)
		}
		if left -= in.GroupWork(b.Step); left < 0 {
			return nil, errors.New("certificate: too many bounds of steps")
		}
		stated[b.Step] = &b.AloneSet
	}
	return stated, nil
}

// before is the end of a step that a set of the tasks before it proves.
func (x *raising) before(a int32, s *AloneSet, head []model.Time) (model.Time, error) {
	x.in.PathsTo(a, x.path)
	x.set = x.set[:0]
	for _, u := range x.in.JobSteps(int(x.in.Job[a])) {
		if int(u) < x.in.Tasks && x.path[u] >= 0 {
			x.set = append(x.set, u)
		}
	}
	return x.alone(s, x.set, head, x.path)
}

// byJob returns a function that lists the tasks of a job, or of all jobs, in rising order.
func (e *Evaluator) byJob() func(j int32) []int32 {
	first, list := model.CompressedRows(e.in.Jobs, e.in.Tasks, func(u int) (job, task int32) {
		return e.in.Job[u], int32(u)
	})
	var all []int32
	return func(j int32) []int32 {
		if j == AllJobs {
			for u := int32(len(all)); int(u) < e.in.Tasks; u++ {
				all = append(all, u)
			}
			return all
		}
		return list[first[j]:first[j+1]]
	}
}

// Tightened is the instance with the heads, tails and completions of jobs alone that bounds prove; only of identical
// machines. It has the same schedules at the same costs. Errors: a bound that does not hold.
func (e *Evaluator) Tightened(b *Bounds) (*Instance, error) {
	pools, err := e.pools(b)
	if err != nil {
		return nil, err
	}
	w, err := e.Windows(b, pools)
	if err != nil {
		return nil, err
	}
	out := *e.in
	out.Head, out.Tail, out.Alone = w.Head, w.Tail, w.Job
	return &out, nil
}

// groupWork bounds the steps and arcs that a certificate's bounds may visit for their paths, beyond a few
// visits of the whole instance.
const groupWork = 1 << 28

// GroupWork is the largest number of steps and arcs that the paths to or from a step visit.
func (in *Instance) GroupWork(u int32) int {
	list := in.JobSteps(int(in.Job[u]))
	arcs := 0
	for _, v := range list {
		arcs += int(in.SuccFirst[v+1] - in.SuccFirst[v])
	}
	return len(list) + arcs
}

// PathsTo fills in, for the steps of t's job, the longest path from the end of a step to the end of t. It is 0 for t
// itself and negative for steps that are no predecessors of t.
func (in *Instance) PathsTo(t int32, path []model.Time) {
	list := in.JobSteps(int(in.Job[t]))
	for k := len(list) - 1; k >= 0; k-- {
		u := list[k]
		path[u] = -1
		if u == t {
			path[u] = 0
			continue
		}
		for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
			if v := in.SuccStep[a]; in.Job[v] == in.Job[t] && path[v] >= 0 {
				path[u] = max(path[u], in.SuccDelay[a]+in.Least[v]+path[v])
			}
		}
	}
}

// Backwards is the instance with time running backwards from the ends of the jobs. It has no releases and no objective.
func (in *Instance) Backwards() *Instance {
	out := *in
	out.Head, out.Tail, out.Earliest = in.Tail, in.Head, make([]model.Time, in.Steps)
	out.Topo = slices.Clone(in.Topo)
	out.ofJobs = out.Topo
	for j := range in.Jobs {
		slices.Reverse(out.Topo[in.JobFirst[j]:in.JobEnd[j]])
	}
	out.SuccFirst, out.Preds = make([]int32, in.Steps+1), make([]int32, in.Steps)
	out.SuccStep, out.SuccDelay = make([]int32, len(in.SuccStep)), make([]model.Time, len(in.SuccDelay))
	for u := range in.Steps {
		out.Preds[u] = in.SuccFirst[u+1] - in.SuccFirst[u]
		out.SuccFirst[u+1] = out.SuccFirst[u] + in.Preds[u]
	}
	next := slices.Clone(out.SuccFirst[:in.Steps])
	for u := range int32(in.Steps) {
		for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
			v := in.SuccStep[a]
			out.SuccStep[next[v]], out.SuccDelay[next[v]] = u, in.SuccDelay[a]
			next[v]++
		}
	}
	return &out
}
