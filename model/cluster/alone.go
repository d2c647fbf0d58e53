package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"mrsched/model"
)

// AloneBound is a lower bound on the completion of one job, whatever the other jobs do, or on that of all jobs: the
// tasks with a head of at least Head and a tail of at least Tail run between Head and the end − Tail. Of its pool they
// take their areas, so that
//
//	end ≥ Tail + the first time by which the pool has done the sum of the areas since Head.
//
// With Count k, the pool has Least, and M is the sum of ⌊capacity/Least⌋ over the nodes that may run one of these
// tasks with a demand of at least Least. If there are at least k·M + 1 of them, then k + 1 of the k·M + 1 longest
// run one after another.
type AloneBound struct {
	Job   int32      `json:"job"` // AllJobs: all of them
	Head  model.Time `json:"head"`
	Tail  model.Time `json:"tail"`
	Pool  int32      `json:"pool"`
	Count int64      `json:"count,omitempty"`
}

// AllJobs stands for a job that ends with the last one.
const AllJobs = -1

// Windows holds proven lower bounds on the times of single steps and jobs.
type Windows struct {
	Head []model.Time // by step: the earliest start
	End  []model.Time // by step: the earliest end
	Job  []model.Time // by job: the earliest completion
	All  model.Time   // the earliest end of everything
}

// Windows computes windows from the critical paths and from bounds of jobs, listed in rising order of the job. Errors:
// a bound that does not hold.
func (e *Evaluator) Windows(pools []*Pooled, defs []Pool, list []AloneBound) (*Windows, error) {
	in := e.in
	w := &Windows{Head: slices.Clone(in.Earliest), End: make([]model.Time, in.Steps), Job: make([]model.Time, in.Jobs)}
	tasks := e.byJob()
	bound := make([]*AloneBound, in.Jobs)
	for i := range list {
		b := &list[i]
		if i > 0 && b.Job <= list[i-1].Job || b.Job < AllJobs || int(b.Job) >= in.Jobs || b.Pool < 0 ||
			int(b.Pool) >= len(pools) {
			return nil, fmt.Errorf("certificate: bound of job %d", b.Job)
		}
		if b.Job != AllJobs {
			bound[b.Job] = b
		}
	}
	finish := func(j int32) error {
		for _, u := range tasks(j) {
			w.Job[j] = max(w.Job[j], w.End[u]+e.Tail[u])
		}
		if b := bound[j]; b != nil {
			end, err := e.alone(b, tasks(j), w.Head, e.Tail, pools, defs)
			w.Job[j], bound[j] = max(w.Job[j], end), nil
			return err
		}
		return nil
	}
	for _, a := range in.Topo {
		switch {
		case int(a) >= in.Tasks:
			if e.closes(a) {
				if err := finish(in.Job[a]); err != nil {
					return nil, err
				}
				w.Head[a] = max(w.Head[a], w.Job[in.Job[a]])
			}
			w.End[a] = w.Head[a]
		case in.Fixed(a):
			w.Head[a], w.End[a] = in.FixedStart(a), in.FixedStart(a)+in.Least[a]
		default:
			w.Head[a], w.End[a] = e.earliest(a, w.Head[a])
		}
		e.eachArc(a, func(b int32, delay model.Time) { w.Head[b] = max(w.Head[b], w.End[a]+delay) })
	}
	for j := range int32(in.Jobs) {
		if err := finish(j); err != nil {
			return nil, err
		}
		w.All = max(w.All, w.Job[j])
	}
	if len(list) > 0 && list[0].Job == AllJobs {
		end, err := e.alone(&list[0], tasks(AllJobs), w.Head, e.All, pools, defs)
		w.All = max(w.All, end)
		return w, err
	}
	return w, nil
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

// maxAlone bounds the ends of an AloneBound, so that sums fit.
const maxAlone = 2 * model.MaxHorizon

// alone evaluates a bound, given the tasks of the job. Errors: it does not hold.
func (e *Evaluator) alone(b *AloneBound, tasks []int32, head, tail []model.Time, pools []*Pooled,
	defs []Pool) (model.Time, error) {
	if b.Head < 0 || b.Tail < 0 || b.Head > maxAlone || b.Tail > maxAlone {
		return 0, fmt.Errorf("certificate: bound from %s to %s", b.Head, b.Tail)
	}
	if b.Count != 0 {
		return e.counted(b, tasks, head, tail, &defs[b.Pool])
	}
	area, x := new(big.Int), new(big.Int)
	for _, u := range tasks {
		if head[u] >= b.Head && tail[u] >= b.Tail {
			area.Add(area, x.SetInt64(pools[b.Pool].Area[u]))
		}
	}
	if area.Sign() == 0 {
		return 0, nil
	}
	return pools[b.Pool].Done(b.Head, area) + b.Tail, nil
}

// Done returns the first time by which a pool has worked off a positive area since from, or from if the pool never
// does.
func (x *Pooled) Done(from model.Time, area *big.Int) model.Time {
	left, does := new(big.Int).Set(area), new(big.Int)
	for k, s := range x.Speeds {
		begin, end := max(s.From, from), maxAlone
		if k+1 < len(x.Speeds) {
			end = min(end, x.Speeds[k+1].From)
		}
		if begin >= end || s.Speed == 0 {
			continue
		}
		speed := big.NewInt(s.Speed)
		if does.Mul(speed, big.NewInt(int64(end-begin))); does.Cmp(left) >= 0 {
			left.Add(left, does.Sub(speed, big.NewInt(1)))
			return begin + model.Time(left.Div(left, speed).Int64())
		}
		left.Sub(left, does)
	}
	return from
}

// counted evaluates a bound that counts tasks.
func (e *Evaluator) counted(b *AloneBound, tasks []int32, head, tail []model.Time, p *Pool) (model.Time, error) {
	in := e.in
	if p.Least <= 0 || b.Count < 0 {
		return 0, errors.New("certificate: a count without a least demand")
	}
	runs := make([]bool, in.Classes)
	var lengths []model.Time
	for _, u := range tasks {
		if !in.Fixed(u) && in.Least[u] > 0 && head[u] >= b.Head && tail[u] >= b.Tail && in.Demands(u)[p.Resource] >= p.Least {
			lengths = append(lengths, in.Least[u])
			for k, length := range e.Lengths(u) {
				runs[k] = runs[k] || length >= 0
			}
		}
	}
	lanes := in.Lanes(p, runs, int64(len(lengths)))
	if lanes == 0 || b.Count > (int64(len(lengths))-1)/lanes {
		return 0, fmt.Errorf("certificate: job %d has too few tasks for count %d", b.Job, b.Count)
	}
	slices.SortFunc(lengths, func(a, b model.Time) int { return cmp.Compare(b, a) })
	value := b.Head + b.Tail
	last := b.Count * lanes
	for _, t := range lengths[last-b.Count : last+1] {
		value += t
	}
	return value, nil
}

// Lanes is how many tasks with a demand of at least p.Least run at a time on the nodes of some classes, at most the
// given number.
func (in *Instance) Lanes(p *Pool, runs []bool, most int64) (lanes int64) {
	for k := range int32(in.Classes) {
		if !runs[k] {
			continue
		}
		each := most
		if c := in.Capacities(k)[p.Resource]; c != Unlimited {
			each = min(most, c/p.Least)
		}
		if each > 0 && int64(len(in.ClassNodes(k))) > (most-lanes)/each {
			return most
		}
		lanes += each * int64(len(in.ClassNodes(k)))
	}
	return lanes
}
