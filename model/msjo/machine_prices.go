package msjo

import (
	"errors"
	"fmt"
	"math/big"
	"math/bits"
	"slices"

	"mrsched/model"
)

// KindMachinePrices is the kind of certificate that the time-indexed Lagrangian bound produces.
const KindMachinePrices = "machine-prices"

// MachinePrices are prices of machine time: a step function λ ≥ 0 of time, constant on cells, 0 after the
// last. Step k is λ on [k·Cell, (k+1)·Cell) in units of 2^−Shift millionths of a weight.
//
// With Λ the integral of λ,
//
//	LB(λ) = Σ_j min_C [ w_j C + Σ_{u∈j} min { Λ(S+p_u) − Λ(S) : h_u ≤ S ≤ C − L_u − p_u } ] − m·Λ(∞)
//
// is a lower bound on Σ w_j C_j. The inner minimum is at an end of the window or where S or S+p meets a border of a
// cell (docs/mathematics.md, Time-indexed prices).
type MachinePrices struct {
	Cell  model.Time `json:"cell"`
	Shift int        `json:"shift"`
	Steps []int64    `json:"steps"`
}

// PriceEvaluator evaluates LB(λ) job by job, in integers of one unit: 2^−Shift millionths of a weight times
// microseconds.
type PriceEvaluator struct {
	in      *Instance
	m       *MachinePrices
	step    []int64 // λ by cell, padded with zeros up to the last time that is looked at
	sum     []int64 // Λ at the cells' borders, one longer than step
	falling int64   // from this border on λ never rises
	points  []model.Time
	value   []int64
	next    []model.Time
	bound   []int64
	most    int // completions of a job that one step of refinement looks at
}

// maxPriceBits bounds every integer of an evaluation.
const maxPriceBits = 62

// ErrInexact says that prices, times and weights are too large to be evaluated in exact integers.
var ErrInexact = errors.New("machine prices: too large for exact integers")

// NewPriceEvaluator prepares an evaluation. Errors: prices that are negative or too large for exact integers.
func NewPriceEvaluator(in *Instance, m *MachinePrices) (*PriceEvaluator, error) {
	if m.Cell <= 0 || len(m.Steps) == 0 {
		return nil, errors.New("machine prices: no cells")
	}
	if m.Shift < -maxPriceBits || m.Shift > maxPriceBits {
		return nil, fmt.Errorf("%w: shift %d", ErrInexact, m.Shift)
	}
	if hi, lo := bits.Mul64(uint64(m.Cell), uint64(len(m.Steps))); hi != 0 || lo > uint64(model.MaxHorizon) {
		return nil, fmt.Errorf("%w: the horizon is too large", ErrInexact)
	}
	e := &PriceEvaluator{in: in, m: m, most: refineWork / max(1, in.Nodes)}
	return e, e.Reset()
}

// Reset takes changed Steps over.
func (e *PriceEvaluator) Reset() error {
	steps := e.m.Steps
	var top int64
	e.falling = 0
	for k, v := range steps {
		if v < 0 {
			return fmt.Errorf("machine prices: step %d is negative", k)
		}
		top = max(top, v)
		if k > 0 && v > steps[k-1] {
			e.falling = int64(k)
		}
	}
	horizon := uint64(e.m.Cell) * uint64(len(steps))
	if !fits(uint64(top), horizon) {
		return ErrInexact
	}
	if err := e.exact(uint64(top), horizon); err != nil {
		return err
	}
	copy(e.step, steps)
	for k, v := range e.step {
		e.sum[k+1] = e.sum[k] + v*int64(e.m.Cell)
	}
	return nil
}

// exact checks that every integer of an evaluation fits and, the first time, makes room for the cells.
func (e *PriceEvaluator) exact(top, horizon uint64) error {
	var latest uint64
	for j := range e.in.Jobs {
		var work, lag model.Time
		for _, u := range e.in.JobNodes(j) {
			work += e.in.Processing[u]
			lag = max(lag, e.in.Tail[u]+e.in.Processing[u])
		}
		last := max(uint64(e.in.Alone[j]), horizon+uint64(lag))
		latest = max(latest, last)
		if !fits(top, uint64(work)) || !fitsShifted(uint64(e.in.Weight[j]), last, e.m.Shift) {
			return fmt.Errorf("%w in job %q", ErrInexact, e.in.workload.Jobs[j].ID)
		}
	}
	if e.step == nil {
		cells := latest/uint64(e.m.Cell) + 3
		if cells > maxCells || cells*uint64(e.in.Nodes) > maxRuns {
			return fmt.Errorf("%w: the cells are too short for this instance", ErrInexact)
		}
		e.step, e.sum = make([]int64, cells), make([]int64, cells+1)
	}
	return nil
}

// maxCells bounds the memory of an evaluation, maxRuns (nodes times cells) its time.
const (
	maxCells = 10_000_000
	maxRuns  = 1 << 31
)

// fits says whether a product, and the sum of two such products, is an int64.
func fits(a, b uint64) bool {
	hi, lo := bits.Mul64(a, b)
	return hi == 0 && bits.Len64(lo) < maxPriceBits
}

// fitsShifted is fits for a·b·2^shift.
func fitsShifted(a, b uint64, shift int) bool {
	hi, lo := bits.Mul64(a, b)
	length := bits.Len64(lo)
	if hi != 0 {
		length = 64 + bits.Len64(hi)
	}
	return length == 0 || length+shift < maxPriceBits
}

// at is Λ(t).
func (e *PriceEvaluator) at(t model.Time) int64 {
	k := int64(t / e.m.Cell)
	return e.sum[k] + int64(t-model.Time(k)*e.m.Cell)*e.step[k]
}

// weighted is w_j·t in the evaluator's unit, rounded down.
func (e *PriceEvaluator) weighted(j int, t model.Time) int64 {
	if e.m.Shift >= 0 {
		return int64(e.in.Weight[j]) * int64(t) << e.m.Shift
	}
	hi, lo := bits.Mul64(uint64(e.in.Weight[j]), uint64(t))
	return int64(lo>>-e.m.Shift | hi<<(64+e.m.Shift))
}

// tasks adds to out, for every point C in the given rising order, Σ_u min { Λ(S+p_u) − Λ(S) : h_u ≤ S ≤ C − L_u − p_u
// }. All points are at least Alone[j].
func (e *PriceEvaluator) tasks(j int, points []model.Time, out []int64) {
	in, cell := e.in, e.m.Cell
	border := model.Time(e.falling) * cell // beyond it only the end of the window matters
	for _, u := range in.JobNodes(j) {
		p := in.Processing[u]
		if p == 0 {
			continue
		}
		lag := in.Tail[u] + p
		s := in.Head[u]
		least := e.at(s+p) - e.at(s)
		onStart := (s + cell - 1) / cell * cell
		onEnd := (s+p+cell-1)/cell*cell - p
		for i, c := range points {
			x := c - lag
			for ; onStart <= x && onStart <= border; onStart += cell {
				least = min(least, e.at(onStart+p)-e.at(onStart))
			}
			for ; onEnd <= x && onEnd <= border; onEnd += cell {
				least = min(least, e.at(onEnd+p)-e.at(onEnd))
			}
			least = min(least, e.at(x+p)-e.at(x))
			out[i] += least
		}
	}
}

// end is a completion from which on waiting longer never pays: every task can run after the horizon.
func (e *PriceEvaluator) end(j int) model.Time {
	var lag model.Time
	for _, u := range e.in.JobNodes(j) {
		lag = max(lag, e.in.Tail[u]+e.in.Processing[u])
	}
	return max(e.in.Alone[j], e.m.Cell*model.Time(len(e.m.Steps))+lag)
}

// Coarse finds the cheapest completion of job j among Alone[j] + i·Cell, and its cost: not a bound, but near one.
func (e *PriceEvaluator) Coarse(j int) (cost int64, completion model.Time) {
	alone, cell := e.in.Alone[j], e.m.Cell
	n := int((e.end(j)-alone)/cell) + 1
	e.value = e.value[:0]
	for i := range n {
		e.value = append(e.value, e.weighted(j, alone+model.Time(i)*cell))
	}
	for _, u := range e.in.JobNodes(j) {
		if e.in.Processing[u] > 0 {
			e.slide(u, alone-e.in.Tail[u]-e.in.Processing[u], e.value)
		}
	}
	best := 0
	for i, v := range e.value {
		if v < e.value[best] {
			best = i
		}
	}
	return e.value[best], alone + model.Time(best)*cell
}

// runOnCells is how a task lies on the cells when its start moves by whole cells: from the start cell first + i,
// offset into it, to the end cell last + i, rest into it.
type runOnCells struct {
	first, last  int
	offset, rest int64
}

func (e *PriceEvaluator) lie(start, p model.Time) runOnCells {
	cell := e.m.Cell
	first, last := start/cell, (start+p)/cell
	return runOnCells{int(first), int(last), int64(start - first*cell), int64(start + p - last*cell)}
}

// cost is Λ at the run's end less Λ at its start, i cells later.
func (e *PriceEvaluator) cost(r runOnCells, i int) int64 {
	return e.sum[r.last+i] + r.rest*e.step[r.last+i] - e.sum[r.first+i] - r.offset*e.step[r.first+i]
}

// borders are the runs of a task that start, and that end, on a cell border; they are taken i cells later.
// onEnd's border is that of its end.
func (e *PriceEvaluator) borders(p model.Time) (onStart runOnCells, endShift int, onEnd runOnCells) {
	cell := e.m.Cell
	onStart = e.lie(0, p)
	endShift = int((p + cell - 1) / cell)
	return onStart, endShift, e.lie(model.Time(endShift)*cell-p, p)
}

// slide adds to out[i] the least cost of task u with a start from its head to x + i cells.
func (e *PriceEvaluator) slide(u int32, x model.Time, out []int64) {
	p, head, cell := e.in.Processing[u], e.in.Head[u], e.m.Cell
	onStart, endShift, onEnd := e.borders(p)
	window := e.lie(x, p)
	least := e.cost(e.lie(head, p), 0)
	for b := int((head + cell - 1) / cell); b < window.first && b <= int(e.falling); b++ {
		least = min(least, e.cost(onStart, b))
	}
	for b := int((head + p + cell - 1) / cell); b < window.last && b-endShift <= int(e.falling); b++ {
		least = min(least, e.cost(onEnd, b-endShift))
	}
	i := 0
	for ; i < len(out) && window.first+i <= int(e.falling); i++ {
		if b := model.Time(window.first+i) * cell; b >= head {
			least = min(least, e.cost(onStart, window.first+i))
		}
		if b := model.Time(window.last+i)*cell - p; b >= head {
			least = min(least, e.cost(onEnd, window.last+i-endShift))
		}
		least = min(least, e.cost(window, i))
		out[i] += least
	}
	if i >= len(out) {
		return
	}
	// λ only falls from here on: the latest start is the cheapest of those added.
	rest := out[i:]
	late, lateStep := e.sum[window.last+i:][:len(rest)], e.step[window.last+i:][:len(rest)]
	early, earlyStep := e.sum[window.first+i:][:len(rest)], e.step[window.first+i:][:len(rest)]
	for k := range rest {
		rest[k] += min(least, late[k]+window.rest*lateStep[k]-early[k]-window.offset*earlyStep[k])
	}
}

// Start is the cheapest start of task u if its job completes at c; ties: the latest.
func (e *PriceEvaluator) Start(u int32, c model.Time) model.Time {
	p, head, cell := e.in.Processing[u], e.in.Head[u], e.m.Cell
	x := c - e.in.Tail[u] - p
	if x >= cell*model.Time(len(e.m.Steps)) { // behind the last price machine time costs nothing, however late
		return x
	}
	best, at := e.cost(e.lie(x, p), 0), x
	if v := e.cost(e.lie(head, p), 0); v < best {
		best, at = v, head
	}
	onStart, endShift, onEnd := e.borders(p)
	last := min(x/cell, model.Time(e.falling))
	for b := (head + cell - 1) / cell; b <= last; b++ {
		if v := e.cost(onStart, int(b)); v < best || v == best && b*cell > at {
			best, at = v, b*cell
		}
	}
	last = min((x+p)/cell, model.Time(e.falling)+model.Time(endShift))
	for b := (head + p + cell - 1) / cell; b <= last; b++ {
		if v := e.cost(onEnd, int(b)-endShift); v < best || v == best && b*cell-p > at {
			best, at = v, b*cell-p
		}
	}
	return at
}

// Refinement of the exact minimisation over completions.
const (
	refineParts = 8 // a cell that may hold the minimum is cut into this many
	// refineLoss is the share of a cell's cost (in 1/2^20) below which cutting further is not worth it.
	refineLoss = 20
	// refineWork bounds the completions that one step of refinement looks at, times the tasks of all jobs. Prices that
	// leave many completions equally cheap would take too long otherwise.
	refineWork = 8_000_000
)

// exactJob is a lower bound on the least cost of job j over all whole completions, within 2^−refineLoss unless that
// takes too much work.
//
// On the completions a … b−1 the cost is at least w_j·a plus the tasks' costs with the window of b−1. Cells
// that cannot hold the minimum are dropped, the others cut, until they are small.
func (e *PriceEvaluator) exactJob(j int) int64 {
	width := e.m.Cell
	last := e.end(j)
	begins := e.points[:0]
	for c := e.in.Alone[j]; c <= last; c += width {
		begins = append(begins, c)
	}
	dropped := int64(1<<63 - 1)
	for {
		ends := e.next[:0]
		low := e.bound[:0]
		for _, c := range begins {
			ends = append(ends, c+width-1)
			low = append(low, 0)
		}
		e.tasks(j, ends, low)
		least, reached := dropped, dropped
		for i, c := range begins {
			reached = min(reached, low[i]+e.weighted(j, c+width-1)) // a cost that is met
			low[i] += e.weighted(j, c)
			least = min(least, low[i])
		}
		e.next, e.bound = ends, low
		if width == 1 || reached-least <= least>>refineLoss {
			e.points = begins
			return least
		}
		kept := begins[:0]
		for i, c := range begins {
			if low[i] >= reached {
				dropped = min(dropped, low[i])
			} else {
				kept = append(kept, c)
			}
		}
		parts := model.Time(min(refineParts, e.most/max(1, len(kept))))
		if parts < 2 {
			return least
		}
		part := (width + parts - 1) / parts
		cut := make([]model.Time, 0, len(kept)*int(parts))
		for _, c := range kept {
			for s := c; s < c+width; s += part {
				cut = append(cut, s)
			}
		}
		slices.Sort(cut) // the last part of a cell may overlap the next cell
		begins, width = cut, part
	}
}

// Bound is LB(λ), in weight × seconds, exact but for the refinement of exactJob.
func (e *PriceEvaluator) Bound() *big.Rat {
	total, x := new(big.Int), new(big.Int)
	for j := range e.in.Jobs {
		total.Add(total, x.SetInt64(e.exactJob(j)))
	}
	total.Sub(total, x.Mul(x.SetInt64(e.sum[len(e.sum)-1]), big.NewInt(int64(e.in.Machines))))
	unit := new(big.Int).Set(unitsPerWeightSecond)
	if e.m.Shift >= 0 {
		unit.Lsh(unit, uint(e.m.Shift))
	} else {
		total.Lsh(total, uint(-e.m.Shift))
	}
	return new(big.Rat).SetFrac(total, unit)
}

// evaluateMachinePrices computes what machine prices prove.
func (in *Instance) evaluateMachinePrices(m *MachinePrices) (*big.Rat, error) {
	if m == nil {
		return nil, errors.New("certificate: no machine prices")
	}
	e, err := NewPriceEvaluator(in, m)
	if err != nil {
		return nil, err
	}
	return e.Bound(), nil
}
