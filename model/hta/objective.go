package hta

import (
	"math/big"
	"slices"
	"strconv"

	"mrsched/model"
)

// Loads describes the loads of an assignment.
type Loads struct {
	Load     []model.Time // by server
	Makespan model.Time
	Total    model.Time
	// Counts by Locality. Remote tasks in the sense of the paper are all but the node-local ones.
	Counts    [3]int
	MostLocal int // the most node-local tasks on one server
	Used      int // servers with a task
}

// Remote is r^A, the number of tasks that are not node-local.
func (l *Loads) Remote() int { return l.Counts[RackLocal] + l.Counts[Remote] }

// Price is the cost of a task by its locality when r tasks are not node-local.
func (in *Instance) Price(l Locality, r int) model.Time {
	switch {
	case l == NodeLocal:
		return in.Cost.Local
	case l == RackLocal && in.Cost.Rack.Known:
		return in.Cost.Rack.Value
	}
	return in.Cost.Remote.At(r)
}

// Measure computes the loads of an assignment, the server by task; None: the task runs nowhere and costs nothing.
func (in *Instance) Measure(server []int32) *Loads {
	l := &Loads{Load: make([]model.Time, in.Servers)}
	count := make([][3]int32, in.Servers)
	for t, s := range server {
		if s == model.None {
			continue
		}
		near := in.Locality(in.Block[t], s)
		count[s][near]++
		l.Counts[near]++
	}
	r := l.Remote()
	price := [3]model.Time{in.Price(NodeLocal, r), in.Price(RackLocal, r), in.Price(Remote, r)}
	for s, c := range count {
		for near, n := range c {
			l.Load[s] += model.Time(n) * price[near]
		}
		if c != [3]int32{} {
			l.Used++
		}
		l.MostLocal = max(l.MostLocal, int(c[NodeLocal]))
		l.Makespan = max(l.Makespan, l.Load[s])
		l.Total += l.Load[s]
	}
	return l
}

// Assigned is the assignment that a schedule makes: the server by task, None where it has no row.
func (in *Instance) Assigned(s *model.Schedule) []int32 {
	server := slices.Repeat([]int32{model.None}, in.Tasks)
	for _, e := range s.Entries {
		if t := in.dense[e.Task]; t != model.None {
			server[t] = e.Machine
		}
	}
	return server
}

// Evaluate recomputes the makespan, in seconds, and the other metrics of a schedule.
func (in *Instance) Evaluate(s *model.Schedule) model.Evaluation {
	return in.Evaluation(in.Measure(in.Assigned(s)))
}

// Evaluation states loads in the form of results.
func (in *Instance) Evaluation(l *Loads) model.Evaluation {
	count := func(n int) model.Number { return model.Number(strconv.Itoa(n)) }
	metrics := map[string]any{
		"node_local":     count(l.Counts[NodeLocal]),
		"not_node_local": count(l.Remote()),
		"most_local":     count(l.MostLocal),
		"servers_used":   count(l.Used),
		"remote_cost":    model.Number(in.Cost.Remote.At(l.Remote()).String()),
		"total_load":     model.Number(l.Total.String()),
	}
	if in.Racks > 0 {
		metrics["rack_local"] = count(l.Counts[RackLocal])
		metrics["off_rack"] = count(l.Counts[Remote])
	}
	if in.unplaced > 0 {
		metrics["maps_left_out"] = count(in.unplaced)
	}
	if in.Unheld > 0 {
		metrics["maps_held_nowhere"] = count(in.Unheld)
	}
	if in.reduces > 0 {
		metrics["reduces_left_out"] = count(in.reduces)
	}
	return model.Evaluation{Name: "makespan", Value: big.NewRat(int64(l.Makespan), int64(model.Second)), Metrics: metrics}
}

// Schedule lays an assignment out in time: each server runs its tasks in their order, one after another.
func (in *Instance) Schedule(server []int32) *model.Schedule {
	entries := make([]model.Entry, in.Tasks)
	remote := 0
	for t, s := range server {
		if !in.Local(in.Block[t], s) {
			remote++
		}
	}
	end := make([]model.Time, in.Servers)
	for t, s := range server {
		start := end[s]
		end[s] += in.Price(in.Locality(in.Block[t], s), remote)
		entries[t] = model.Entry{Task: in.task[t], Machine: s, Start: start, End: end[s]}
	}
	return &model.Schedule{Entries: entries}
}
