package reduceplace

import (
	"cmp"
	"maps"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strconv"

	"mrsched/model"
)

// costUnit is the divisor that turns sums in millionths of slot cost × bytes into slot cost × bytes.
var costUnit = big.NewInt(int64(model.UnitCost))

// Fetching is the fetching cost of a placement, the slot by task, in slot cost × bytes; tasks on no slot cost nothing.
func (in *Instance) Fetching(slot []int32) *big.Rat {
	var sum fractions
	for i := range int32(in.Jobs) {
		in.addJob(&sum, i, slot)
	}
	return sum.total()
}

// addJob adds a job's fetching cost, in millionths of slot cost × bytes.
func (in *Instance) addJob(sum *fractions, job int32, slot []int32) {
	for t := in.First[job]; t < in.First[job+1]; t++ {
		if slot[t] != model.None {
			bytes, parts := in.Data(job, t)
			sum.add(uint64(bytes), uint64(in.Cost[slot[t]]), parts)
		}
	}
}

// Placed returns the placement of a schedule: the slot by task, None where it has no row.
func (in *Instance) Placed(s *model.Schedule) []int32 {
	slot := slices.Repeat([]int32{model.None}, in.Tasks)
	for _, e := range s.Entries {
		slot[e.Task] = e.Machine
	}
	return slot
}

// Schedule is the schedule of a placement: every task holds its slot from its job's start to its end.
func (in *Instance) Schedule(slot []int32) *model.Schedule {
	entries := make([]model.Entry, in.Tasks)
	for i := range in.Jobs {
		for t := in.First[i]; t < in.First[i+1]; t++ {
			entries[t] = model.Entry{Task: model.TaskIndex(t), Machine: slot[t], Start: in.Start[i], End: in.End[i]}
		}
	}
	return &model.Schedule{Entries: entries}
}

// Evaluate recomputes the fetching cost, in slot cost × bytes, and the metrics.
func (in *Instance) Evaluate(s *model.Schedule) model.Evaluation {
	value := in.Fetching(in.Placed(s))
	bytes, jobs, makespan, waited, waiting := new(big.Int), int64(0), model.Time(0), model.Time(0), 0
	x := new(big.Int)
	for i := range in.Jobs {
		if in.Reduces[i] > 0 {
			jobs++
			bytes.Add(bytes, x.SetInt64(int64(in.Bytes[i])))
		}
		makespan = max(makespan, in.End[i])
		if w := in.Start[i] - in.Arrival[i]; w > 0 {
			waiting++
			waited = max(waited, w)
		}
	}
	metrics := map[string]any{
		"bytes":        model.Number(bytes.String()),
		"slot_costs":   in.source,
		"makespan":     model.Number(makespan.String()),
		"jobs_waiting": model.Number(strconv.Itoa(waiting)),
		"longest_wait": model.Number(waited.String()),
		// Above 0, the paper's assumption that there are slots for all jobs that may run is violated.
		"jobs_waiting_for_slots": model.Number(strconv.Itoa(in.Crowded)),
	}
	if jobs > 0 {
		metrics["cost_per_job"] = model.LowerNumber(new(big.Rat).Quo(value, new(big.Rat).SetInt64(jobs)))
	}
	if bytes.Sign() > 0 {
		metrics["cost_per_byte"] = model.LowerNumber(new(big.Rat).Quo(value, new(big.Rat).SetInt(bytes)))
	}
	return model.Evaluation{Name: "fetching_cost", Value: value, Metrics: metrics}
}

// Cells are an entry's values of Columns.
func (in *Instance) Cells(e model.Entry) []string {
	i := in.JobOf(int32(e.Task))
	bytes, parts := in.Data(i, int32(e.Task))
	return []string{in.slotNode[e.Machine], in.Arrival[i].String(), in.Cost[e.Machine].String(),
		costText(bytes, in.Cost[e.Machine], parts)}
}

// costText prints bytes·cost/parts to ValueDigits decimals, rounded down; costs are in millionths, so nothing finer is
// lost.
func costText(bytes model.Bytes, cost model.Cost, parts int64) string {
	if high, low := bits.Mul64(uint64(bytes), uint64(cost)); high < uint64(parts) {
		if q, _ := bits.Div64(high, low, uint64(parts)); q <= math.MaxInt64 {
			return model.FormatFixed(int64(q), model.ValueDigits)
		}
	}
	var sum fractions
	sum.add(uint64(bytes), uint64(cost), parts)
	return model.FormatRat(sum.total(), model.ValueDigits, model.RoundDown)
}

// fractions adds products over small divisors exactly: with one integer per divisor, because adding to a big.Rat
// reduces it each time. The zero value is 0.
type fractions struct {
	sum  map[int64]*words192
	last *words192 // of divisor by
	by   int64
}

// words192 is an integer of 192 bits, lowest word first: room for 2^64 products.
type words192 [3]uint64

// add adds a·b/by.
func (f *fractions) add(a, b uint64, by int64) {
	if f.by != by {
		if f.sum == nil {
			f.sum = map[int64]*words192{}
		}
		if f.sum[by] == nil {
			f.sum[by] = new(words192)
		}
		f.last, f.by = f.sum[by], by
	}
	high, low := bits.Mul64(a, b)
	w, carry := f.last, uint64(0)
	w[0], carry = bits.Add64(w[0], low, 0)
	w[1], carry = bits.Add64(w[1], high, carry)
	w[2] += carry
}

// total is the sum of the fractions, of which each product has a cost in millionths.
func (f *fractions) total() *big.Rat {
	total, part := new(big.Rat), new(big.Rat)
	for _, by := range slices.SortedFunc(maps.Keys(f.sum), cmp.Compare[int64]) {
		total.Add(total, part.SetFrac(f.sum[by].int(), new(big.Int).Mul(big.NewInt(by), costUnit)))
	}
	return total
}

func (w *words192) int() *big.Int {
	v, word := new(big.Int), new(big.Int)
	for _, x := range slices.Backward(w[:]) {
		v.Lsh(v, 64)
		v.Add(v, word.SetUint64(x))
	}
	return v
}
