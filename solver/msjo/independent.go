package msjo

import (
	"context"

	"mrsched/model"
	"mrsched/model/shop"
	"mrsched/solver"
	"mrsched/solver/unrelated"
)

const (
	// packTasks is the largest number of tasks of a wave for which a packing is searched.
	packTasks = 20_000
	// packMoves and packWork are the moves of local search, and the work on trees, per iteration.
	packMoves, packWork = 20_000, 40_000
	// packFirst is the number of iterations of the first round, and of moves alone before it. Every further round takes
	// as many as all before it.
	packFirst = 100
)

// wave is a set of tasks without precedence among them.
type wave struct {
	tasks []int32
	delay model.Time // between the end of the wave and the begin of the next one
}

// waves returns the waves of an instance of one job: all its tasks, or its maps and then its reduces. It is nil if
// there are several jobs, or if the makespans of the waves do not determine the cost.
func (r *run) waves() []wave {
	in := r.in
	if in.Jobs != 1 || in.Objective != shop.WeightedEnds || in.Tasks > packTasks || in.Steps > in.Tasks+1 {
		return nil
	}
	list := make([]wave, 1+in.Steps-in.Tasks)
	delay := model.Time(-1) // of all maps; negative: not known yet
	for u := range int32(in.Tasks) {
		delays := in.SuccDelay[in.SuccFirst[u]:in.SuccFirst[u+1]]
		w := &list[0]
		if len(delays) == 0 {
			w = &list[len(list)-1]
		} else if delay < 0 {
			delay = delays[0]
		}
		if in.Earliest[u] != in.Earliest[0] || len(delays) >= len(list) || len(delays) == 1 && delays[0] != delay {
			return nil
		}
		w.tasks = append(w.tasks, u)
	}
	list[0].delay = max(0, delay)
	return list
}

// packed packs each wave of a single job onto the machines so that its makespan is small (P||Cmax). It returns the
// cheaper of that schedule and the known one; ties: the known one.
//
// Guarantee: no more than the longest-task-first rule costs.   Source: see package unrelated.
func (r *run) packed(ctx context.Context, opt solver.Options, known *model.Schedule) (*model.Schedule, error) {
	list := r.waves()
	if list == nil {
		return known, nil
	}
	start, begin := make([]model.Time, r.in.Tasks), r.in.Earliest[0]
	for _, w := range list {
		end, err := r.pack(ctx, opt, w.tasks, begin, start)
		if err != nil {
			return nil, err
		}
		begin = end + w.delay
	}
	s := assign(r.in, start)
	if known != nil && r.in.Evaluate(known).Value.Cmp(r.in.Evaluate(s).Value) <= 0 {
		return known, nil
	}
	return s, nil
}

// pack starts tasks on machines that are free from begin on, and returns the end of the last task. The search ends when
// that is proven optimal, at the latest after the iterations, or when ctx ends. Without iterations it makes moves
// alone.
func (r *run) pack(ctx context.Context, opt solver.Options, tasks []int32, begin model.Time, start []model.Time) (
	end model.Time, err error) {
	machines := min(r.in.Nodes, len(tasks))
	in := unrelated.New(unrelated.Spec{Tasks: len(tasks), Class: make([]int32, machines), Speed: []float64{1},
		Most: machines, Related: true,
		Time: func(i, _ int) model.Time { return r.in.Least[tasks[i]] }})
	b, err := in.RelaxedBound(ctx)
	if err != nil {
		return 0, err
	}
	x := unrelated.NewSearch([]*unrelated.Instance{in}, []unrelated.Bound{b}, func() {})
	x.Start(ctx)
	x.Improve(ctx, opt.Seed, packFirst*packMoves)
	for done, n := 0, 0; err == nil && done < opt.Iterations && !x.Done() && ctx.Err() == nil; done += n {
		n = min(max(done, packFirst), opt.Iterations-done)
		_, err = x.Round(ctx, opt.Seed+uint64(done)<<32, n*packMoves, int64(n)*packWork)
	}
	_, a, makespan := x.Best()
	load := make([]model.Time, machines)
	for i, k := range a {
		start[tasks[i]] = begin + load[k]
		load[k] += r.in.Least[tasks[i]]
	}
	return begin + makespan, err
}
