package hta

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/model/hta"
	"mrsched/solver/explain"
)

// explainer says why maps are on their servers. Tasks are the instance's own.
type explainer struct {
	*explain.Desk
	ctx    context.Context
	r      *run
	in     *hta.Instance
	server []int32 // by task
	loads  *hta.Loads
	number map[model.TaskIndex]int32
}

// Explain says why a map, or the maps of a job, run where they run.
func (r *run) Explain(ctx context.Context, q explain.Question) (*explain.Explanation, error) {
	e := r.explainer(ctx, q)
	return e.Answer(ctx, e)
}

func (r *run) explainer(ctx context.Context, q explain.Question) *explainer {
	e := &explainer{ctx: ctx, r: r, in: r.in, server: r.in.Assigned(q.Schedule), number: map[model.TaskIndex]int32{},
		Desk: explain.NewDesk(r.in, q, func(t int32) int32 { return int32(r.w.Tasks[t].Job) })}
	e.loads = r.in.Measure(e.server)
	for t := range e.server {
		e.number[r.in.TaskIndex(int32(t))] = int32(t)
	}
	e.Placed, e.Unit = true, ""
	return e
}

func (e *explainer) task(row int32) int32      { return e.number[e.Rows[row].Task] }
func (e *explainer) near(t int32) hta.Locality { return e.in.Locality(e.in.Block[t], e.server[t]) }

// Holds says that servers run their maps in the workload's order, from 0 on.
func (e *explainer) Holds(row int32) []explain.Hold {
	on := e.On[e.Rows[row].Machine]
	text := fmt.Sprintf("%s runs its %s in the workload's order; this is number %d", e.Machine(row),
		model.Counted(len(on), "map"), slices.Index(on, row)+1)
	return []explain.Hold{{Kind: explain.Machine, Until: e.Rows[row].Start, By: model.None, Text: text}}
}

// Tell says where the data of a map lies, or how near those of a job run, and what the bound loses without them.
func (e *explainer) Tell(row int32) error {
	if e.Q.Task != model.None {
		e.data(e.task(row), e.Rows[row].Machine)
		return e.price("map", e.without(func(u model.TaskIndex) bool { return u == e.Q.Task }), e.ID(row))
	}
	var count [3]int
	for _, i := range e.Asked {
		count[e.near(e.task(i))]++
	}
	e.Where(explain.Data, "%d are node-local, %d rack-local, %d remote", count[hta.NodeLocal], count[hta.RackLocal],
		count[hta.Remote])
	return e.price("job", e.without(func(u model.TaskIndex) bool { return int32(e.r.w.Tasks[u].Job) == e.Job }),
		"job "+e.JobID(e.Job))
}

// data says where a map's block lies, what it costs near and far, and what the holders run; what would make it
// node-local, and how far its server is below the makespan.
func (e *explainer) data(t, s int32) {
	task, name, l := &e.r.w.Tasks[e.in.TaskIndex(t)], e.in.MachineName, e.loads
	block, own, near := e.r.w.Blocks[task.Block], e.in.Replicas(e.in.Block[t]), e.near(t)
	e.Where(explain.Data, "%s is %s: it costs %s on %s, and %s on a server that holds block %s", task.ID,
		explain.Near(near), e.in.Price(near, l.Remote()), name(s), e.in.Cost.Local, block)
	if len(own) == 0 {
		e.Where(explain.Data, "block %s lies only on nodes without map slots, so no server runs the map node-locally", block)
		return
	}
	e.Where(explain.Place, "block %s lies on %s; the makespan is %s", block, explain.Names(own, func(s int32) string {
		return fmt.Sprintf("%s, with a load of %s from %s", name(s), l.Load[s], model.Counted(len(e.On[s]), "map"))
	}), l.Makespan)
	if near != hta.NodeLocal {
		e.Change("if %s held block %s too, it would be node-local there", name(s), block)
	}
	if spare := l.Makespan - l.Load[s]; spare > 0 {
		e.Change("%s has %s less than the makespan of %s", name(s), spare, l.Makespan)
	}
}

// without is the instance without some tasks; nil if none is left.
func (e *explainer) without(drop func(t model.TaskIndex) bool) *hta.Instance {
	w := *e.r.w
	w.Tasks = nil
	for u := range e.r.w.Tasks {
		if !drop(model.TaskIndex(u)) {
			w.Tasks = append(w.Tasks, e.r.w.Tasks[u])
		}
	}
	in, err := hta.New(&w)
	if err != nil {
		return nil
	}
	return in
}

// price says by how much the certificate's bound falls for the changed instance in; nil: no maps are left.
func (e *explainer) price(name string, in *hta.Instance, what string) error {
	var c hta.Certificate
	if ok, err := e.Certificate(&c); !ok {
		return err
	}
	left, less := new(big.Rat), c
	if in != nil {
		less.Levels = slices.Clone(c.Levels)
		for s := range less.Levels {
			less.Levels[s] = min(less.Levels[s], int32(in.Tasks))
		}
		if err := in.Sign(&less); err != nil {
			return err
		}
		left = less.Proven()
	}
	e.Falls(name, "", c.Claim, left, what)
	return nil
}

// maxServers is to how many servers of each locality a map is moved, the least loaded ones: the others are no better.
const maxServers = 4

// Moves bring a map to other servers.
func (e *explainer) Moves(row int32) (list []explain.Move) {
	t := e.task(row)
	servers := model.Indices(e.in.Servers)
	slices.SortStableFunc(servers, func(a, b int32) int { return cmp.Compare(e.loads.Load[a], e.loads.Load[b]) })
	count := map[hta.Locality]int{}
	for _, s := range servers {
		near := e.in.Locality(e.in.Block[t], s)
		if s != e.server[t] && count[near] < maxServers {
			count[near]++
			list = append(list, e.move(row, s, explain.Near(near)))
		}
	}
	return list
}

// move is the effect of a move to a server. It changes the times of other maps, but not their servers. In place of
// times, the loads of the server before and after are told.
func (e *explainer) move(row, to int32, note string) explain.Move {
	server := slices.Clone(e.server)
	server[e.task(row)] = to
	l := e.in.Measure(server)
	m := explain.Move{Row: row, Entries: map[int32]model.Entry{}, About: l.Makespan.Seconds() + 1e-6*l.Total.Seconds(),
		Told: &model.Entry{Machine: to, Start: e.loads.Load[to], End: l.Load[to]},
		Note: fmt.Sprintf("%s; all loads together %s (now %s)", note, l.Total, e.loads.Total)}
	for _, x := range e.in.Schedule(server).Entries {
		if i := e.Row[x.Task]; x != e.Rows[i] {
			m.Entries[i] = x
		}
	}
	return m
}
