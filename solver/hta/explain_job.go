package hta

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"mrsched/model"
	"mrsched/model/hta"
	"mrsched/solver"
)

const (
	maxMovers = 8 // maps of a job that alternatives move
	maxWhys   = 3 // maps of a job, of different blocks, of which is said why they are not node-local
)

// job explains where the maps of a job run.
func (e *explainer) job(ctx context.Context) error {
	job := &e.w.Jobs[e.q.Job]
	var own, far []int32
	var count [3]int
	used, end := map[int32]bool{}, model.Time(0)
	for t, s := range e.server {
		if e.w.Tasks[e.in.TaskIndex(int32(t))].Job != e.q.Job {
			continue
		}
		own = append(own, int32(t))
		near := e.near(int32(t))
		count[near]++
		used[s] = true
		if near != hta.NodeLocal {
			far = append(far, int32(t))
		}
	}
	if len(own) == 0 {
		return fmt.Errorf("job %q has no map with a known replica: it is no part of this problem", job.ID)
	}
	for _, x := range e.q.Schedule.Entries {
		if e.w.Tasks[x.Task].Job == e.q.Job {
			end = max(end, x.End)
		}
	}
	e.out.Subject = fmt.Sprintf("job %s runs %s on %s until %s s: %d node-local, %d in the rack of a replica, %d remote",
		job.ID, model.Counted(len(own), "map"),
		model.Counted(len(used), "server"), end, count[hta.NodeLocal], count[hta.RackLocal], count[hta.Remote])
	e.full(used)
	var way []step
	told := map[int32]bool{}
	for _, t := range far {
		if b := e.in.Block[t]; len(told) == maxWhys || told[b] {
			continue
		}
		told[e.in.Block[t]] = true
		e.because(solver.ReasonData, "%s reads block %s and runs on %s, %s:", e.id(t), e.block(t), e.name(e.server[t]),
			localityText(e.near(t)))
		if w := e.why(t); len(told) == 1 {
			way = w
		}
	}
	if n := len(far) - len(told); n > 0 {
		e.because(solver.ReasonData, "%d more are not node-local: ask for each by its id", n)
	}
	e.order(own[len(own)-1], e.start(own[len(own)-1]))
	if err := e.price("job", e.without(func(u model.TaskIndex) bool { return e.w.Tasks[u].Job == e.q.Job }),
		"without job "+job.ID); err != nil {
		return err
	}
	slices.SortStableFunc(own, func(a, b int32) int {
		return cmp.Or(cmp.Compare(e.loads.Load[e.server[b]], e.loads.Load[e.server[a]]), cmp.Compare(e.cost(b), e.cost(a)))
	})
	return e.alternatives(ctx, own[:min(len(own), maxMovers)], way)
}

// full says whether the fullest servers run any of the job's maps.
func (e *explainer) full(used map[int32]bool) {
	var with, names []string
	for s, load := range e.loads.Load {
		if load == e.loads.Makespan {
			names = append(names, e.name(int32(s)))
			if used[int32(s)] {
				with = append(with, e.name(int32(s)))
			}
		}
	}
	if len(with) == 0 {
		e.because(solver.ReasonPlace, "it has no map on the fullest servers, which make the makespan of %s s: %s",
			e.loads.Makespan, solver.ShortList(names, maxNamed))
		return
	}
	e.because(solver.ReasonPlace, "of the %s with the makespan of %s s, %d run some of them: %s",
		model.Counted(len(names), "server"), e.loads.Makespan, len(with), solver.ShortList(with, maxNamed))
}
