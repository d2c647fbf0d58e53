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

// explainer answers one question about a schedule. Tasks are the instance's own.
type explainer struct {
	*run
	q      solver.Question
	server []int32 // by task
	loads  *hta.Loads
	on     [][]int32 // tasks by server, in their order
	number map[model.TaskIndex]int32
	out    solver.Explanation
}

// Explain says why a map, or the maps of a job, run where they run.
func (r *run) Explain(ctx context.Context, q solver.Question) (*solver.Explanation, error) {
	e := &explainer{run: r, q: q, server: r.in.Assigned(q.Schedule), number: map[model.TaskIndex]int32{}}
	e.loads = r.in.Measure(e.server)
	e.on = make([][]int32, r.in.Servers)
	for t, s := range e.server {
		e.on[s] = append(e.on[s], int32(t))
		e.number[r.in.TaskIndex(int32(t))] = int32(t)
	}
	if q.Task == model.None {
		return &e.out, e.job(ctx)
	}
	t, ok := e.number[q.Task]
	if !ok {
		return nil, fmt.Errorf("task %q is a reduce or has no known replica; hta does not schedule it",
			r.w.Tasks[q.Task].ID)
	}
	return &e.out, e.task(ctx, t)
}

func (e *explainer) id(t int32) string    { return e.w.Tasks[e.in.TaskIndex(t)].ID }
func (e *explainer) block(t int32) string { return e.w.Blocks[e.w.Tasks[e.in.TaskIndex(t)].Block] }
func (e *explainer) name(s int32) string  { return e.in.MachineName(s) }

func (e *explainer) near(t int32) hta.Locality { return e.in.Locality(e.in.Block[t], e.server[t]) }

func (e *explainer) cost(t int32) model.Time { return e.in.Price(e.near(t), e.loads.Remote()) }

// localityText names localities.
var localityText = map[hta.Locality]string{hta.NodeLocal: "node-local", hta.RackLocal: "in the rack of a replica",
	hta.Remote: "remote"}

// maxNamed is how many ids a sentence lists.
const maxNamed = 5

// listed names the first few things of a list and counts the others.
func listed[T any](list []T, name func(T) string) string {
	ids := make([]string, len(list))
	for k, x := range list {
		ids[k] = name(x)
	}
	return solver.ShortList(ids, maxNamed)
}

// fullest lists the servers whose load is the makespan.
func (e *explainer) fullest() (list []int32) {
	for s, load := range e.loads.Load {
		if load == e.loads.Makespan {
			list = append(list, int32(s))
		}
	}
	return list
}

func (e *explainer) because(kind, format string, args ...any) {
	e.out.Where = append(e.out.Where, solver.Reason{Kind: kind, Text: fmt.Sprintf(format, args...)})
}

func (e *explainer) change(format string, args ...any) {
	e.out.Changes = append(e.out.Changes, fmt.Sprintf(format, args...))
}

// task explains one map.
func (e *explainer) task(ctx context.Context, t int32) error {
	u, s := &e.w.Tasks[e.in.TaskIndex(t)], e.server[t]
	start := e.start(t)
	e.out.Subject = fmt.Sprintf("task %s of job %s, a map that reads block %s, runs on %s from %s to %s: %s", u.ID,
		e.w.Jobs[u.Job].ID, e.block(t), e.name(s), start, start+e.cost(t), localityText[e.near(t)])
	e.data(t)
	var way []step
	if e.near(t) != hta.NodeLocal {
		e.holders(t)
		way = e.why(t)
	}
	e.order(t, start)
	if err := e.taskPrices(ctx, t); err != nil {
		return err
	}
	e.changes(t)
	return e.alternatives(ctx, []int32{t}, way)
}

// start is when a task starts: behind the earlier tasks of its server.
func (e *explainer) start(t int32) (at model.Time) {
	for _, v := range e.on[e.server[t]] {
		if v == t {
			break
		}
		at += e.cost(v)
	}
	return at
}

// data says where the block lies and what the map costs near and far.
func (e *explainer) data(t int32) {
	own := e.in.Replicas(e.in.Block[t])
	hold := listed(own, e.name) + " hold it"
	switch len(own) {
	case 0:
		e.because(solver.ReasonData, "it costs %s here; block %s lies only on nodes without map slots", e.cost(t),
			e.block(t))
		return
	case 1:
		hold = e.name(own[0]) + " holds it"
	}
	if e.near(t) == hta.NodeLocal {
		e.because(solver.ReasonData, "it costs %s here, where block %s lies; %s", e.cost(t), e.block(t), hold)
		return
	}
	e.because(solver.ReasonData, "it costs %s on a server that holds block %s and %s here; %s", e.in.Cost.Local,
		e.block(t), e.cost(t), hold)
}

// holders says what the servers that hold a block run instead, the least loaded first.
func (e *explainer) holders(t int32) {
	own := slices.Clone(e.in.Replicas(e.in.Block[t]))
	slices.SortStableFunc(own, func(a, b int32) int { return cmp.Compare(e.loads.Load[a], e.loads.Load[b]) })
	for k, s := range own {
		if k == maxNamed {
			hold := "more servers hold it"
			if len(own)-k == 1 {
				hold = "more server holds it"
			}
			e.because(solver.ReasonPlace, "%d %s", len(own)-k, hold)
			return
		}
		if len(e.on[s]) == 0 {
			e.because(solver.ReasonPlace, "%s runs nothing", e.name(s))
			continue
		}
		local := 0
		for _, v := range e.on[s] {
			if e.near(v) == hta.NodeLocal {
				local++
			}
		}
		e.because(solver.ReasonPlace, "%s has a load of %s of a makespan of %s, from %s and %s: %s", e.name(s),
			e.loads.Load[s], e.loads.Makespan, model.Counted(local, "node-local map"),
			model.Counted(len(e.on[s])-local, "other"), listed(e.on[s], e.id))
	}
}

// order says what the task's server runs before it.
func (e *explainer) order(t int32, start model.Time) {
	s := e.server[t]
	reason := solver.Reason{Kind: solver.ReasonMachine, Until: model.Number(start.String())}
	place := "the first"
	if k := slices.Index(e.on[s], t); k > 0 {
		before := e.on[s][k-1]
		reason.Task, reason.Job = e.id(before), e.w.Jobs[e.w.Tasks[e.in.TaskIndex(before)].Job].ID
		place = fmt.Sprintf("number %d, behind %s", k+1, reason.Task)
	}
	reason.Text = fmt.Sprintf("%s runs its %s in the workload's order; this is %s", e.name(s),
		model.Counted(len(e.on[s]), "map"), place)
	e.out.When = append(e.out.When, reason)
}

// changes says what would make a map local or improve its place.
func (e *explainer) changes(t int32) {
	s := e.server[t]
	if e.near(t) != hta.NodeLocal {
		if in := e.with(t, s); in != nil {
			l := in.Measure(e.server)
			e.change("if %s held block %s too, it would be node-local there and the makespan %s (now %s)", e.name(s),
				e.block(t), l.Makespan, e.loads.Makespan)
		}
	}
	if spare := e.loads.Makespan - e.loads.Load[s]; spare > 0 {
		full := e.fullest()
		have := listed(full, e.name) + " have"
		if len(full) == 1 {
			have = e.name(full[0]) + " alone has"
		}
		so := "moving this map alone cannot lower it"
		// remote costs fall with it
		if slices.ContainsFunc(e.servers(t), func(o option) bool { return o.makespan < e.loads.Makespan }) {
			so = "moving this map alone lowers it nevertheless, as then fewer maps are remote and each costs less"
		}
		e.change("%s has %s less than the makespan of %s, which %s: %s", e.name(s), spare, e.loads.Makespan, have, so)
	}
}

// with is the instance if a server also held the block of a task; nil if there is no such instance.
func (e *explainer) with(t, server int32) *hta.Instance {
	w := *e.w
	node := slices.IndexFunc(w.Topology, func(n model.Node) bool {
		return n.Kind == model.HostNode && n.ID == e.name(server)
	})
	w.Placements = append(slices.Clone(w.Placements), model.Placement{Block: w.Tasks[e.in.TaskIndex(t)].Block,
		Node: model.NodeIndex(node)})
	return instance(&w)
}

// instance builds the instance of a workload; nil if that fails.
func instance(w *model.Workload) *hta.Instance {
	in, err := hta.New(w)
	if err != nil {
		return nil
	}
	return in
}

// without is the instance without some tasks; nil if none is left.
func (e *explainer) without(drop func(t model.TaskIndex) bool) *hta.Instance {
	w := *e.w
	w.Tasks = nil
	for u := range e.w.Tasks {
		if !drop(model.TaskIndex(u)) {
			w.Tasks = append(w.Tasks, e.w.Tasks[u])
		}
	}
	return instance(&w)
}

const (
	maxMovers = 8 // maps of a job that alternatives move
	maxWhys   = 3 // maps of a job, with different blocks, for which the explanation says why they are not node-local
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
		return fmt.Errorf("job %q has no map with a known replica; hta does not schedule it", job.ID)
	}
	for _, x := range e.q.Schedule.Entries {
		if e.w.Tasks[x.Task].Job == e.q.Job {
			end = max(end, x.End)
		}
	}
	e.out.Subject = fmt.Sprintf("job %s runs %s on %s until %s: %d node-local, %d in the rack of a replica, %d remote",
		job.ID, model.Counted(len(own), "map"), model.Counted(len(used), "server"), end, count[hta.NodeLocal],
		count[hta.RackLocal], count[hta.Remote])
	e.full(used)
	var way []step
	told := map[int32]bool{}
	for _, t := range far {
		if b := e.in.Block[t]; len(told) == maxWhys || told[b] {
			continue
		}
		told[e.in.Block[t]] = true
		e.because(solver.ReasonData, "%s reads block %s and runs on %s, %s:", e.id(t), e.block(t), e.name(e.server[t]),
			localityText[e.near(t)])
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
	all := e.fullest()
	with := slices.DeleteFunc(slices.Clone(all), func(s int32) bool { return !used[s] })
	if len(with) == 0 {
		e.because(solver.ReasonPlace, "it has no map on the fullest servers, which make the makespan of %s: %s",
			e.loads.Makespan, listed(all, e.name))
		return
	}
	e.because(solver.ReasonPlace, "of the %s with the makespan of %s, %d run some of them: %s",
		model.Counted(len(all), "server"), e.loads.Makespan, len(with), listed(with, e.name))
}
