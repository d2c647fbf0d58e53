package estimate

import (
	"math"

	"mrsched/model"
)

// Neighbour is a past run that an estimate averages, or one as far away as the farthest of them.
type Neighbour struct {
	Row              int     // its position among the runs
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
	// Line says that Time is Overhead + PerByte·bytes, in microseconds.
	Line              bool
	Overhead, PerByte float64
}

// Explain estimates a task on a worker by its nearest neighbours and lists up to so many of them, the nearest first;
// ties: the earlier run. O(n) where many runs are alike.
func (e *Estimator) Explain(t Task, worker int32, neighbours int) Estimate {
	x, out := e.on(t.Class, t.Kind, worker), e.about(t, worker)
	out.Time = e.Time(t, worker)
	if x.source == ClassMean {
		return out
	}
	m := x.from.regression(e.limit)
	near, R := m.explain(x.point(t.Needs), neighbours)
	out.K, out.R = m.k, R
	for _, n := range near {
		out.Neighbours = append(out.Neighbours, Neighbour{int(n.row), n.distance, n.weight})
	}
	return out
}

// ExplainLine estimates a task on a worker by its bytes and a line.
func (e *Estimator) ExplainLine(t Task, worker int32) Estimate {
	out, l := e.about(t, worker), e.Line(t.Class, t.Kind, worker)
	out.Time, out.Overhead, out.PerByte, out.Line = l.At(t.Bytes), l.Overhead, l.PerByte, true
	return out
}

// about is an estimate without its time.
func (e *Estimator) about(t Task, worker int32) Estimate {
	x := e.on(t.Class, t.Kind, worker)
	out, n := Estimate{Source: x.source, Runs: x.count}, x.filled(t.Needs)
	if n.CPU >= 0 {
		out.CPU = model.Some(n.CPU)
	}
	if n.Memory >= 0 {
		out.Memory = model.Some(model.Bytes(math.Round(n.Memory)))
	}
	return out
}
