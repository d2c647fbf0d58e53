package estimates

import (
	"context"
	"fmt"
	"slices"

	"mrsched/io/engine"
	"mrsched/io/show"
	"mrsched/model"
	realtimemodel "mrsched/model/realtime"
	"mrsched/solver"
	"mrsched/solver/realtime"
)

// estimateParams are the parameters of the problem that say which partitions there are and how they are estimated.
func Params() []solver.Param {
	list := realtime.Problem().Params
	return slices.DeleteFunc(slices.Clone(list), func(p solver.Param) bool {
		return !slices.Contains([]string{"partitions", "sketch-delta", "sketch-seed", "max-neighbours", "distance"}, p.Name)
	})
}

// Estimates is one call of estimate.
type Estimates struct {
	*realtime.Estimator
	w          *model.Workload
	In         *realtimemodel.Instance
	neighbours int // past runs that are shown with an estimate

	groups  [][]int32 // of tasks that have the same estimates
	workers map[model.TaskKind][]int32
}

// newEstimates learns from a workload's history.
func New(w *model.Workload, p solver.Params, neighbours int) (*Estimates, error) {
	in, err := realtimemodel.New(w, realtimemodel.Options{Goal: realtimemodel.Deadlines, Untimed: true,
		Partitions: p.Int("partitions"), Delta: p.Float("sketch-delta"), SketchSeed: p.Int("sketch-seed")})
	if err != nil {
		return nil, err
	}
	e := &Estimates{w: w, In: in, neighbours: neighbours, workers: map[model.TaskKind][]int32{}}
	if e.Estimator, err = realtime.NewEstimator(in, int(p.Int("max-neighbours")), p.Text("distance")); err != nil {
		return nil, err
	}
	for _, kind := range []model.TaskKind{model.Map, model.Reduce} {
		for _, slot := range in.SlotsFor(kind) {
			e.workers[kind] = append(e.workers[kind], in.WorkerOf[slot])
		}
		e.workers[kind] = slices.Compact(e.workers[kind])
	}
	return e, nil
}

// Workload is the workload with the estimates instead of its times.
func (e *Estimates) Workload(ctx context.Context) (*model.Workload, error) {
	if !e.w.HasTopology {
		return nil, model.NewInputError(model.Finding{Code: model.CodeNoMachines,
			What:     "estimates cannot be kept: the table times names nodes, and the workload has no topology",
			Expected: "workers as nodes of the table topology"})
	}
	out := *e.w
	out.Times = nil
	for t := range int32(e.In.Tasks) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		id, _, kind := e.In.TaskName(model.TaskIndex(t))
		for _, m := range e.workers[kind] {
			out.Times = append(out.Times, model.GivenTime{Job: model.JobIndex(e.In.JobOf(t)), Task: id, Worker: e.In.Node[m],
				Time: e.Time(t, m)})
		}
	}
	out.Notes = append(slices.Concat(e.w.Notes, e.w.Skipped),
		fmt.Sprintf("times are estimates from %s", show.Counted(len(e.w.History), "past run")))
	return &out, nil
}

// Choose keeps the named tasks and workers; nil: all.
func (e *Estimates) Choose(tasks, workers []string) error {
	var found model.Findings
	wanted := map[int32]bool{}
	if tasks != nil {
		for _, id := range tasks {
			t, ok := e.In.FindTask(id)
			if !ok {
				found.Add(e.noSuch("task", model.CodeUnknownTask, id, e.In.Tasks,
					func(i int32) string { id, _, _ := e.In.TaskName(model.TaskIndex(i)); return id }))
			}
			wanted[int32(t)] = true
		}
	} else {
		for t := range int32(e.In.Tasks) {
			wanted[t] = e.In.IsMap(t) || e.In.SetOf(t).Row == 0
		}
	}
	if workers != nil {
		chosen := map[int32]bool{}
		for _, name := range workers {
			m := int32(0)
			for int(m) < e.In.Workers && e.In.WorkerName(m) != name {
				m++
			}
			if int(m) == e.In.Workers {
				found.Add(e.noSuch("worker", model.CodeUnknownNode, name, e.In.Workers, e.In.WorkerName))
			}
			chosen[m] = true
		}
		for kind, list := range e.workers {
			e.workers[kind] = slices.DeleteFunc(list, func(m int32) bool { return !chosen[m] })
		}
	}
	if err := found.Err(); err != nil {
		return err
	}
	for _, g := range e.Groups() {
		g = slices.DeleteFunc(g, func(t int32) bool { return !wanted[t] })
		if len(g) > 0 && len(e.workers[e.In.KindOf(g[0])]) > 0 {
			e.groups = append(e.groups, g)
		}
	}
	if len(e.groups) == 0 {
		return engine.Usagef("none of these workers has slots for any of these tasks")
	}
	return nil
}

// noSuch is the finding of a name that the instance does not have. The file has no fault.
func (e *Estimates) noSuch(flag string, code model.Code, name string, n int,
	nameOf func(i int32) string) model.Finding {
	names := make([]string, min(n, maxNames))
	for i := range names {
		names[i] = nameOf(int32(i))
	}
	f := model.Finding{Code: code, What: fmt.Sprintf("--%s %s: the instance has no such %s", flag, name, flag),
		Expected: "the id of one"}
	if near := model.Nearest(name, names); near != "" {
		f.Hint = fmt.Sprintf("did you mean %q?", near)
	}
	return f
}

// maxNames is how many names are compared with one that does not exist.
const maxNames = 100_000
