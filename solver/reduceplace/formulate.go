package reduceplace

import (
	"context"
	"fmt"
	"io"
	"math/big"

	"mrsched/model"
	"mrsched/solver/flow"
	"mrsched/solver/lp"
)

// levelParam is the number of slots in the network of Formulate.
const levelParam = "level"

// modelColumns is the number of columns, jobs times slots, from which the program is neither written nor solved.
const modelColumns = 5_000_000

// Formulate writes, as lp or mps, the mixed-integer program of clairvoyant placement (exact_model.go), with a column
// per unit of equal tasks and slot; or in DIMACS the network behind the clairvoyant bound for the parameter `level`.
func (r *run) Formulate(_ context.Context, w io.Writer, format string) error {
	if format == "dimacs" {
		return r.writeDIMACS(w, r.p.level)
	}
	if r.in.Jobs > modelColumns/r.in.Slots {
		return model.NewInputError(model.Finding{Code: model.CodeParameter,
			What: fmt.Sprintf("the program of %s on %s would have more than %d columns", model.Counted(r.in.Jobs, "job"),
				model.Counted(r.in.Slots, "slot"), modelColumns),
			Expected: "a smaller workload", Hint: "--format dimacs writes one arc a job"})
	}
	return lp.Write(w, newAssignment(r.in, tiersOf(r.in, false), 1).model, format)
}

// writeDIMACS writes the minimum-cost flow problem whose value is −M_k: k slots pass the points of all busy periods in
// turn, on the line or along the arcs of intervals, which cost minus the data of a task.
func (r *run) writeDIMACS(w io.Writer, level int64) error {
	in := r.in
	t := in.Occupancy()
	num, den := unit(in, t)
	var b flow.Builder
	nodes := int32(1)
	for _, p := range t.Periods {
		nodes += p.Points
	}
	first := b.AddNodes(int(nodes))
	b.AddSupply(first, level)
	b.AddSupply(first+flow.Node(nodes)-1, -level)
	text := []string{fmt.Sprintf("the least cost is minus the most data that %d slots can hold, in units of %s bytes",
		level, big.NewRat(num, den).RatString())}
	at := first
	for _, p := range t.Periods {
		arc := flow.Arc(0) // the last one; files count from 1
		for k := range p.Points {
			arc = b.AddArc(at+flow.Node(k), at+flow.Node(k)+1, level, 0)
		}
		text = append(text, fmt.Sprintf("arcs %d to %d: idle slots from point to point of a busy period",
			arc-flow.Arc(p.Points)+2, arc+1))
		for _, v := range t.Intervals[p.First:p.Last] {
			count, bytes := in.Amount(v)
			arc = b.AddArc(at+flow.Node(v.From), at+flow.Node(v.To), int64(count), -scaled(uint64(bytes), uint64(den),
				uint64(num)*uint64(count)))
			kind := "job"
			if v.Task >= 0 {
				kind = "reduce"
			}
			text = append(text, fmt.Sprintf("arc %d: %s %q", arc+1, kind, tasksName(in, v)))
		}
		at += flow.Node(p.Points)
	}
	n, err := b.Build()
	if err != nil {
		return err
	}
	return flow.WriteDIMACS(w, &flow.Problem{Kind: flow.MinimumCost, Network: n, Comments: text})
}
