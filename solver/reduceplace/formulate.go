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

// costWidth is the number of numbers of an arc with a cost.
const costWidth = 5

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
	nodes := int64(1)
	for _, p := range t.Periods {
		nodes += int64(p.Points)
	}
	text := []string{fmt.Sprintf("the least cost is minus the most data that %d slots can hold, in units of %s bytes",
		level, big.NewRat(num, den).RatString())}
	at, arcs := int64(1), []int64(nil)
	for _, p := range t.Periods {
		arc := len(arcs) / costWidth
		for k := range int64(p.Points) {
			arcs = append(arcs, at+k, at+k+1, 0, level, 0)
		}
		text = append(text, fmt.Sprintf("arcs %d to %d: idle slots from point to point of a busy period",
			arc+1, arc+int(p.Points)))
		for _, v := range t.Intervals[p.First:p.Last] {
			count, bytes := in.Amount(v)
			arcs = append(arcs, at+int64(v.From), at+int64(v.To), 0, int64(count), -scaled(uint64(bytes), uint64(den),
				uint64(num)*uint64(count)))
			kind := "job"
			if v.Task >= 0 {
				kind = "reduce"
			}
			text = append(text, fmt.Sprintf("arc %d: %s %q", len(arcs)/costWidth, kind, tasksName(in, v)))
		}
		at += int64(p.Points)
	}
	ends := []string{fmt.Sprintf("1 %d", level), fmt.Sprintf("%d %d", nodes, -level)}
	if nodes == 1 { // there is nothing to pass
		ends = nil
	}
	return flow.WriteDIMACS(w, &flow.Problem{Kind: "min", Nodes: int(nodes), Ends: ends, Width: costWidth, Arcs: arcs,
		Comments: text})
}
