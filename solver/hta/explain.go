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
	r      *run
	in     *hta.Instance
	w      *model.Workload
	q      solver.Question
	server []int32 // by task
	loads  *hta.Loads
	on     [][]int32 // tasks by server, in their order
	number map[model.TaskIndex]int32
	out    solver.Explanation
}

// Explain says why a map, or the maps of a job, run where they run.
func (r *run) Explain(ctx context.Context, q solver.Question) (*solver.Explanation, error) {
	e := &explainer{r: r, in: r.in, w: r.w, q: q, server: r.in.Assigned(q.Schedule), number: map[model.TaskIndex]int32{}}
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
		return nil, fmt.Errorf("task %q is a reduce or has no known replica: it is no part of this problem",
			r.w.Tasks[q.Task].ID)
	}
	return &e.out, e.task(ctx, t)
}

func (e *explainer) id(t int32) string    { return e.w.Tasks[e.in.TaskIndex(t)].ID }
func (e *explainer) block(t int32) string { return e.w.Blocks[e.w.Tasks[e.in.TaskIndex(t)].Block] }
func (e *explainer) name(s int32) string  { return e.in.MachineName(s) }

func (e *explainer) near(t int32) hta.Locality { return e.in.Locality(e.in.Block[t], e.server[t]) }

func (e *explainer) cost(t int32) model.Time { return e.in.Price(e.near(t), e.loads.Remote()) }

// localityText names a locality.
func localityText(l hta.Locality) string {
	return map[hta.Locality]string{hta.NodeLocal: "node-local", hta.RackLocal: "in the rack of a replica",
		hta.Remote: "remote"}[l]
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
	e.out.Subject = fmt.Sprintf("task %s of job %s, a map that reads block %s, runs on %s from %s s to %s s: %s", u.ID,
		e.w.Jobs[u.Job].ID, e.block(t),
		e.name(s), start, start+e.cost(t), localityText(e.near(t)))
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
	if err := e.alternatives(ctx, []int32{t}, way); err != nil {
		return err
	}
	e.changes(t)
	return nil
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
	var names []string
	for _, s := range own {
		names = append(names, e.name(s))
	}
	verb := "hold it"
	switch len(own) {
	case 0:
		e.because(solver.ReasonData, "it costs %s s here; block %s lies only on nodes without map slots", e.cost(t),
			e.block(t))
		return
	case 1:
		verb = "holds it"
	}
	if e.near(t) == hta.NodeLocal {
		e.because(solver.ReasonData, "it costs %s s here, where block %s lies; %s %s", e.cost(t), e.block(t),
			solver.ShortList(names, maxNamed), verb)
		return
	}
	e.because(solver.ReasonData, "it costs %s s on a server that holds block %s and %s s here; %s %s", e.in.Cost.Local,
		e.block(t), e.cost(t), solver.ShortList(names, maxNamed), verb)
}

// maxNamed is how many ids a sentence lists.
const maxNamed = 5

// holders says what the servers that hold a block run instead, the least loaded first.
func (e *explainer) holders(t int32) {
	own := slices.Clone(e.in.Replicas(e.in.Block[t]))
	slices.SortStableFunc(own, func(a, b int32) int { return cmp.Compare(e.loads.Load[a], e.loads.Load[b]) })
	for k, s := range own {
		if k == maxNamed {
			e.because(solver.ReasonPlace, "%s", moreHold(len(own)-k))
			return
		}
		local, ids := 0, []string(nil)
		for _, v := range e.on[s] {
			ids = append(ids, e.id(v))
			if e.near(v) == hta.NodeLocal {
				local++
			}
		}
		if len(ids) == 0 {
			e.because(solver.ReasonPlace, "%s runs nothing", e.name(s))
			continue
		}
		e.because(solver.ReasonPlace, "%s has a load of %s s of a makespan of %s s, from %s and %s: %s", e.name(s),
			e.loads.Load[s], e.loads.Makespan,
			model.Counted(local, "node-local map"), model.Counted(len(ids)-local, "other"), solver.ShortList(ids, maxNamed))
	}
}

// moreHold counts the servers with a block that are not named.
func moreHold(n int) string {
	if n == 1 {
		return "1 more server holds it"
	}
	return fmt.Sprintf("%d more servers hold it", n)
}

// order says what the task's server runs before it.
func (e *explainer) order(t int32, start model.Time) {
	s := e.server[t]
	k := slices.Index(e.on[s], t)
	reason := solver.Reason{Kind: solver.ReasonMachine, Until: model.Number(start.String()),
		Text: fmt.Sprintf("%s runs its %s in the workload's order; this is the first", e.name(s),
			model.Counted(len(e.on[s]), "map"))}
	if k > 0 {
		before := e.on[s][k-1]
		reason.Task, reason.Job = e.id(before), e.w.Jobs[e.w.Tasks[e.in.TaskIndex(before)].Job].ID
		reason.Text = fmt.Sprintf("%s runs its %s in the workload's order; this is number %d, behind %s", e.name(s),
			model.Counted(len(e.on[s]), "map"), k+1, reason.Task)
	}
	e.out.When = append(e.out.When, reason)
}

// changes says what would make a map local or improve its place.
func (e *explainer) changes(t int32) {
	s := e.server[t]
	if e.near(t) != hta.NodeLocal {
		if in := e.with(t, s); in != nil {
			l := in.Measure(e.server)
			e.change("if %s held block %s too, it would be node-local there and the makespan %s s (now %s s)", e.name(s),
				e.block(t), l.Makespan, e.loads.Makespan)
		}
	}
	if spare := e.loads.Makespan - e.loads.Load[s]; spare > 0 {
		var full []string
		for x, load := range e.loads.Load {
			if load == e.loads.Makespan {
				full = append(full, e.name(int32(x)))
			}
		}
		so := "moving this map alone cannot lower it"
		// remote costs fall with it
		if slices.ContainsFunc(e.servers(t), func(o option) bool { return o.makespan < e.loads.Makespan }) {
			so = "moving this map alone lowers it nevertheless, as then fewer maps are remote and each costs less"
		}
		e.change("%s has %s s less than the makespan of %s s, which %s: %s", e.name(s), spare, e.loads.Makespan,
			full1(full), so)
	}
}

// full1 says which servers have the largest load.
func full1(names []string) string {
	if len(names) == 1 {
		return names[0] + " alone has"
	}
	return solver.ShortList(names, maxNamed) + " have"
}

// with is the instance if a server also held the block of a task; nil if there is no such instance.
func (e *explainer) with(t, server int32) *hta.Instance {
	w := *e.w
	node := slices.IndexFunc(w.Topology, func(n model.Node) bool {
		return n.Kind == model.HostNode &&
			n.ID == e.name(server)
	})
	w.Placements = append(slices.Clone(w.Placements), model.Placement{Block: w.Tasks[e.in.TaskIndex(t)].Block,
		Node: model.NodeIndex(node)})
	in, err := hta.New(&w)
	if err != nil {
		return nil
	}
	return in
}

// without is the instance without some tasks; nil if nothing is left.
func (e *explainer) without(drop func(t model.TaskIndex) bool) *hta.Instance {
	w := *e.w
	w.Tasks = nil
	for u := range e.w.Tasks {
		if !drop(model.TaskIndex(u)) {
			w.Tasks = append(w.Tasks, e.w.Tasks[u])
		}
	}
	in, err := hta.New(&w)
	if err != nil {
		return nil
	}
	return in
}
