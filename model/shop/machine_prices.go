package shop

import (
	"errors"
	"fmt"
	"math/big"
	"math/bits"

	"mrsched/model"
)

// MachinePrices, of a certificate of kind KindMachinePrices, are prices of machine time, of the time-indexed Lagrangian
// bound and that of flows: a step function λ ≥ 0 of time, constant on cells, 0 after the
// last. Step k is λ on [k·Cell, (k+1)·Cell) in units of 2^−Shift millionths of a weight.
//
// With Λ the integral of λ,
//
//	LB(λ) = Σ_j min_C [ w_j C + Σ_{u∈j} min { Λ(S+p_u) − Λ(S) : h_u ≤ S ≤ C − L_u − p_u } ] − m·Λ(∞)
//
// is a lower bound on Σ w_j C_j. The inner minimum is at an end of the window or where S or S+p meets a border of a
// cell (docs/mathematics.md, Time-indexed prices).
//
// With Own, the tasks of a job that completes at C pay λ + ν, and m·N(C) is subtracted from their sum (OwnPrices).
type MachinePrices struct {
	Cell  model.Time  `json:"cell"`
	Shift int         `json:"shift"`
	Steps []int64     `json:"steps"`
	Own   []OwnPrices `json:"own,omitempty"`
}

// PriceEvaluator evaluates LB(λ) job by job, in integers of one unit: 2^−Shift millionths of a weight times
// microseconds.
type PriceEvaluator struct {
	in      *Instance
	m       *MachinePrices
	step    []int64    // λ by cell, padded with zeros to the last time that is needed
	sum     []int64    // Λ at the cells' borders, one longer than step
	falling int64      // from this border on λ never rises
	own     *OwnPrices // included in step and sum; nil: none
	points  []model.Time
	next    []model.Time
	bound   []int64
	most    int // completions of a job per step of refinement
	window  completionWindow
}

// maxMachineBits bounds every integer of an evaluation.
const maxMachineBits = 62

// NewPriceEvaluator prepares an evaluation. Errors: negative prices, or prices too large for exact integers.
func NewPriceEvaluator(in *Instance, m *MachinePrices) (*PriceEvaluator, error) {
	left := uint64(maxRuns)
	return newPriceEvaluator(in, m, completionWindow{}, &left)
}

// newPriceEvaluator prepares an evaluation of the schedules in which all completions are in a window. It takes its work
// off left.
func newPriceEvaluator(in *Instance, m *MachinePrices, w completionWindow, left *uint64) (*PriceEvaluator, error) {
	if m.Cell <= 0 || len(m.Steps) == 0 {
		return nil, errors.New("machine prices: no cells")
	}
	if m.Shift < -maxMachineBits || m.Shift > maxMachineBits {
		return nil, fmt.Errorf("%w: shift %d", ErrInexact, m.Shift)
	}
	if hi, lo := bits.Mul64(uint64(m.Cell), uint64(len(m.Steps))); hi != 0 || lo > uint64(model.MaxHorizon) {
		return nil, fmt.Errorf("%w: the horizon is too large", ErrInexact)
	}
	e := &PriceEvaluator{in: in, m: m, most: refineWork / max(1, in.Steps), window: w}
	return e, e.reset(left)
}

// reset loads the prices. It takes the work of an evaluation off left.
func (e *PriceEvaluator) reset(left *uint64) error {
	horizon := uint64(e.m.Cell) * uint64(len(e.m.Steps))
	top, err := highest(e.m.Steps)
	if err != nil {
		return err
	}
	own, err := e.highestOwn()
	if err != nil {
		return err
	}
	if top > maxPrice || own > maxPrice || !fits(uint64(top+own), horizon) ||
		!fits(uint64(own), horizon) || !fits(uint64(own)*horizon, uint64(e.in.Nodes)) {
		return ErrInexact
	}
	if err := e.exact(uint64(top+own), horizon, left); err != nil {
		return err
	}
	e.load(nil)
	return nil
}

// maxPrice exceeds every price that is exact over the shortest horizon.
const maxPrice = 1 << (maxMachineBits - 1)

// highest is the largest price. Errors: one that is negative.
func highest(steps []int64) (top int64, err error) {
	for k, v := range steps {
		if v < 0 {
			return 0, fmt.Errorf("machine prices: step %d is negative", k)
		}
		top = max(top, v)
	}
	return top, nil
}

// load sets the prices to λ plus a job's own prices.
func (e *PriceEvaluator) load(own *OwnPrices) {
	e.own, e.falling = own, 0
	copy(e.step, e.m.Steps)
	if own != nil {
		for k, v := range own.Steps {
			e.step[k] += v
		}
	}
	for k, v := range e.step {
		e.sum[k+1] = e.sum[k] + v*int64(e.m.Cell)
		if k > 0 && v > e.step[k-1] {
			e.falling = int64(k)
		}
	}
}

// exact checks that every integer of an evaluation fits, and allocates the cells.
func (e *PriceEvaluator) exact(top, horizon uint64, left *uint64) error {
	var latest uint64
	for j := range e.in.Jobs {
		var work, lag model.Time
		for _, u := range e.in.JobSteps(j) {
			work += e.in.Least[u]
			lag = max(lag, e.in.Tail[u]+e.in.Least[u])
		}
		last := max(uint64(e.first(j)), horizon+uint64(lag))
		latest = max(latest, last)
		if !fits(top, uint64(work)) || !fitsShifted(uint64(e.in.Weight[j]), last, e.m.Shift) {
			return fmt.Errorf("%w in job %q", ErrInexact, e.in.Workload().Jobs[j].ID)
		}
	}
	cells := latest/uint64(e.m.Cell) + 3
	runs := cells * uint64(e.in.Steps+len(e.m.Own))
	if cells > maxCells || runs > *left {
		return fmt.Errorf("%w: the cells are too short for this instance", ErrInexact)
	}
	*left -= runs
	e.step, e.sum = make([]int64, cells), make([]int64, cells+1)
	return nil
}

// maxCells bounds the memory of an evaluation, maxRuns (nodes and own prices, times cells, of all cases) its time.
const (
	maxCells = 10_000_000
	maxRuns  = 1 << 31
)

// fits reports whether a product, and the sum of two such products, fits into an int64.
func fits(a, b uint64) bool {
	hi, lo := bits.Mul64(a, b)
	return hi == 0 && bits.Len64(lo) < maxMachineBits
}

// fitsShifted is fits for a·b·2^shift.
func fitsShifted(a, b uint64, shift int) bool {
	hi, lo := bits.Mul64(a, b)
	length := bits.Len64(lo)
	if hi != 0 {
		length = 64 + bits.Len64(hi)
	}
	return length == 0 || length+shift < maxMachineBits
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

// tasks adds Σ_u min { Λ(S+p_u) − Λ(S) : h_u ≤ S ≤ C − L_u − p_u } to out for every point C. Points are rising and at
// least Alone[j].
func (e *PriceEvaluator) tasks(j int, points []model.Time, out []int64) {
	in, cell := e.in, e.m.Cell
	border := model.Time(e.falling) * cell // beyond it only the end of the window matters
	for _, u := range in.JobSteps(j) {
		p := in.Least[u]
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

// end is a completion after which waiting longer never helps: every task can run after the horizon.
func (e *PriceEvaluator) end(j int) model.Time {
	var lag model.Time
	for _, u := range e.in.JobSteps(j) {
		lag = max(lag, e.in.Tail[u]+e.in.Least[u])
	}
	return max(e.first(j), e.m.Cell*model.Time(len(e.m.Steps))+lag)
}

// first is the first completion of job j.
func (e *PriceEvaluator) first(j int) model.Time {
	if e.window.from == nil {
		return e.in.Alone[j]
	}
	return max(e.in.Alone[j], e.window.from[j])
}

// last is the last completion of job j that may be the cheapest.
func (e *PriceEvaluator) last(j int) model.Time {
	if e.window.until == nil {
		return e.end(j)
	}
	return min(e.end(j), e.window.until[j])
}

// runOnCells is the position of a task on the cells when its start moves by whole cells. The task runs from the start
// cell first + i, offset into it, to the end cell last + i, rest into it.
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

// borders returns the run of a task that starts on the first border, and the one that ends on the border endShift.
func (e *PriceEvaluator) borders(p model.Time) (onStart runOnCells, endShift int, onEnd runOnCells) {
	cell := e.m.Cell
	onStart = e.lie(0, p)
	endShift = int((p + cell - 1) / cell)
	return onStart, endShift, e.lie(model.Time(endShift)*cell-p, p)
}

// Start is the cheapest start of task u if its job completes at c; ties: the latest.
func (e *PriceEvaluator) Start(u int32, c model.Time) model.Time {
	p, head, cell := e.in.Least[u], e.in.Head[u], e.m.Cell
	x := c - e.in.Tail[u] - p
	if x >= cell*model.Time(len(e.m.Steps)) { // machine time costs nothing after the last price, so start latest
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

// Bound is LB(λ) in weight × seconds. It is exact except for the refinement of exactJob.
func (e *PriceEvaluator) Bound() *big.Rat {
	total, x := new(big.Int), new(big.Int)
	for j := range e.in.Jobs {
		total.Add(total, x.SetInt64(e.exactJob(j)))
	}
	total.Sub(total, x.Mul(x.SetInt64(e.sum[len(e.sum)-1]), big.NewInt(int64(e.in.Nodes))))
	unit := WeightedEnds.units()
	if e.m.Shift >= 0 {
		unit.Lsh(unit, uint(e.m.Shift))
	} else {
		total.Lsh(total, uint(-e.m.Shift))
	}
	return new(big.Rat).SetFrac(total, unit)
}

// evaluateMachinePrices is the value of a certificate, in weight × seconds.
func (e *Evaluator) evaluateMachinePrices(c *Certificate) (*big.Rat, error) {
	if !e.in.plain() {
		return nil, errIdentical
	}
	tight, err := e.Tightened(&c.Bounds)
	if err != nil {
		return nil, err
	}
	x, err := NewPriceEvaluator(tight, c.Machine)
	if err != nil {
		return nil, err
	}
	return x.Bound(), nil
}
