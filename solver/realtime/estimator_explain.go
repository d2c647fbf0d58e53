package realtime

import (
	"math"

	"mrsched/model"
)

// Neighbour is a past run that an estimate averages, or one as far away as the farthest of them.
type Neighbour struct {
	Row              int     // of the table history
	Distance, Weight float64 // Weight: K_R over the sum of all K_R; 0 at R unless all are there
}

// Estimate is what a task is expected to need on a worker, and why.
type Estimate struct {
	Time   model.Time
	CPU    model.Optional[float64]
	Memory model.Optional[model.Bytes]
	// Source says which runs Time comes from, Runs how many they are.
	Source Source
	Runs   int
	// K is the number of neighbours that count, R the distance of the farthest, Neighbours the nearest runs within R.
	// There are none of source ClassMean, nor where Time is that of a line.
	K          int
	R          float64
	Neighbours []Neighbour
	// Line says that Time is Overhead + PerByte·bytes, in microseconds, as for many partitions.
	Line              bool
	Overhead, PerByte float64
}

// Explain estimates a map or partition on a worker and lists up to so many of its neighbours, the nearest first; ties:
// the earlier row. O(n) where many runs are alike.
func (e *Estimator) Explain(task, worker int32, neighbours int) Estimate {
	p, n := e.profile(e.in.JobOf(task), e.in.KindOf(task), worker), e.need(task)
	out := Estimate{Time: e.time(task, worker), Source: p.source, Runs: p.count}
	var memory model.Optional[float64]
	if out.CPU, memory = p.requirements(n); memory.Known {
		out.Memory = model.Some(model.Bytes(math.Round(memory.Value)))
	}
	if !e.in.IsMap(task) {
		out.Overhead, out.PerByte, out.Line = e.affine(e.in.JobOf(task), worker)
	}
	if out.Line || p.source == ClassMean {
		return out
	}
	m := p.from.regression(e.limit)
	near, R := m.explain(p.query(n), neighbours)
	out.K, out.R = m.k, R
	for _, x := range near {
		out.Neighbours = append(out.Neighbours, Neighbour{int(x.row), x.distance, x.weight})
	}
	return out
}

// Groups lists all tasks, those of one job and kind of which the same is known together: they have the same estimates.
// Groups and their tasks are in the order of tasks.
func (e *Estimator) Groups() (groups [][]int32) {
	type key struct {
		job  int32
		kind model.TaskKind
		need need
	}
	at := map[key]int{}
	for t := range int32(e.in.Tasks) {
		k := key{e.in.JobOf(t), e.in.KindOf(t), e.need(t)}
		g, ok := at[k]
		if !ok {
			g = len(groups)
			at[k], groups = g, append(groups, nil)
		}
		groups[g] = append(groups[g], t)
	}
	return groups
}

// Time is what a map or partition is expected to take on a worker: what Explain says, without the reasons.
func (e *Estimator) Time(task, worker int32) model.Time { return e.time(task, worker) }
