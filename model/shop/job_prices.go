package shop

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"mrsched/model"
)

// JobPrices are prices of a certificate of kind KindJobPrices, by job, in units of 2^−Shift of the greatest common
// divisors of weights and lengths. They bound Σ w_j C_j where every job is one task and no node runs two at a time:
//
//	Σ_j π_j + Σ_nodes min_S Σ_{j∈S} (w_j C_j(S) − π_j),
//
// where S are the jobs on a node and C_j(S) their ends if they run from 0 on without a break in the order of falling
// weight per length (docs/mathematics.md, cluster: prices of jobs).
type JobPrices struct {
	Prices []int64 `json:"prices"`
}

// Columns finds the cheapest sets of jobs for nodes.
type Columns struct {
	in     *Instance
	Task   []int32   // by job
	Weight []int64   // by job, in units of their divisor
	Length [][]int64 // by class and job, in units of their divisor; −1: it does not run there
	Order  [][]int32 // by class: jobs in the order of a node
	unit   *big.Int  // both divisors multiplied
	cost   []int64
	work   int
	most   uint64 // upper bound on Σ w_j·(busy time of a node)
}

// MaxColumns bounds the steps of all dynamic programs of one evaluation.
const MaxColumns = 400_000_000

// ErrColumns says that prices of jobs prove nothing about an instance.
var ErrColumns = errors.New("job prices: need jobs of one task, and nodes that run one task at a time")

// NewColumns prepares an evaluation. Errors: ErrColumns.
func (e *Evaluator) NewColumns() (*Columns, error) {
	in := e.in
	if !e.SingleTasks() {
		return nil, ErrColumns
	}
	x := &Columns{in: in, Task: make([]int32, in.Jobs), Length: make([][]int64, in.Classes),
		Order: make([][]int32, in.Classes)}
	var weight model.Weight
	var time model.Time
	for u := range int32(in.Tasks) {
		x.Task[in.Job[u]] = u
		weight = model.GCD(in.Weight[in.Job[u]], weight)
		for _, t := range e.Lengths(u) {
			time = model.GCD(max(0, t), time)
		}
	}
	weight, time = max(weight, 1), max(time, 1)
	x.unit = new(big.Int).Mul(big.NewInt(int64(weight)), big.NewInt(int64(time)))
	var sum int64
	for _, w := range in.Weight {
		x.Weight = append(x.Weight, int64(w/weight))
		sum += int64(w / weight)
	}
	var steps, longest int64
	for k := range in.Classes {
		var busy int64
		for j, u := range x.Task {
			t := e.Lengths(u)[k]
			if t >= 0 {
				t /= time
				busy += int64(t)
				x.Order[k] = append(x.Order[k], int32(j))
			}
			x.Length[k] = append(x.Length[k], int64(t))
		}
		x.sort(k)
		longest = max(longest, busy)
		if busy > MaxColumns/int64(in.Jobs) || steps > MaxColumns-busy*int64(in.Jobs) {
			return nil, fmt.Errorf("%w, and lengths with a large common divisor", ErrColumns)
		}
		steps += busy * int64(in.Jobs)
	}
	hi, lo := bits.Mul64(uint64(sum), uint64(longest))
	if hi != 0 || lo > 1<<60 {
		return nil, ErrInexact
	}
	x.work = int(steps)
	x.most, x.cost = max(1, lo), make([]int64, longest+1)
	return x, nil
}

// sort puts the jobs of a class into the order of falling weight per length.
func (x *Columns) sort(k int) {
	length := x.Length[k]
	slices.SortStableFunc(x.Order[k], func(a, b int32) int {
		return Smith(uint64(x.Weight[a]), uint64(length[a]), uint64(x.Weight[b]), uint64(length[b]))
	})
}

// Smith compares two tasks in Smith's order: those that take no time first, then by falling weight per length.
func Smith(weightA, lengthA, weightB, lengthB uint64) int {
	if lengthA == 0 || lengthB == 0 {
		return cmp.Compare(min(lengthA, 1), min(lengthB, 1))
	}
	return model.Product(weightB, lengthA).Compare(model.Product(weightA, lengthB))
}

// SingleTasks says whether the objective is Σ w_j C_j, every job is one task, and OneAtATime.
func (e *Evaluator) SingleTasks() bool {
	return e.in.Objective == WeightedEnds && e.in.Jobs == e.in.Tasks && e.OneAtATime()
}

// OneAtATime says whether no task is fixed and no node has room for two tasks that may run there.
func (e *Evaluator) OneAtATime() bool {
	in := e.in
	if in.AnyFixed() {
		return false
	}
	least := slices.Repeat([]int64{math.MaxInt64}, in.Classes*in.Resources)
	for u := range int32(in.Tasks) {
		for k, t := range e.Lengths(u) {
			if t < 0 {
				continue
			}
			for r, d := range in.Demands(u) {
				least[k*in.Resources+r] = min(least[k*in.Resources+r], d)
			}
		}
	}
	for k := range in.Classes {
		one := false
		for r, c := range in.Capacities(int32(k)) {
			one = one || least[k*in.Resources+r] > c-least[k*in.Resources+r]
		}
		if !one {
			return false
		}
	}
	return true
}

// MaxShift is the largest shift for which evaluations are exact, if no price exceeds the given number of units.
func (x *Columns) MaxShift(top float64) int {
	_, e := math.Frexp(float64(x.most) + float64(max(1, top)*float64(x.in.Jobs)))
	return min(max(60-e, 0), 40)
}

// Cheapest is the least Σ_{j∈S} (w_j C_j(S) − π_j) of a node of class k, times 2^shift, over all sets. If taken is not
// nil, it has length Choices, and Cheapest records there what Set needs.
func (x *Columns) Cheapest(k int, price []int64, shift int, taken []bool) (least int64, busy int) {
	cost := x.cost
	for t := range cost {
		cost[t] = math.MaxInt64
	}
	cost[0] = 0
	var end int64
	for i, j := range x.Order[k] {
		p, w := x.Length[k][j], x.Weight[j]<<shift
		var row []bool
		if taken != nil {
			row = taken[i*len(cost) : (i+1)*len(cost)]
			clear(row)
		}
		for t := end; t >= 0; t-- {
			if cost[t] == math.MaxInt64 {
				continue
			}
			v := cost[t] + w*(t+p) - price[j]
			if v < cost[t+p] {
				cost[t+p] = v
				if row != nil {
					row[t+p] = true
				}
			}
		}
		end += p
	}
	for t, v := range cost[:end+1] {
		if v < least {
			least, busy = v, t
		}
	}
	return least, busy
}

// Work is how many steps the dynamic programs of an evaluation take.
func (x *Columns) Work() int { return x.work }

// Unit is how many of the objective's integers make one unit.
func (x *Columns) Unit() float64 {
	unit, _ := new(big.Float).SetInt(x.unit).Float64()
	return unit
}

// Choices is the length that taken needs.
func (x *Columns) Choices() int { return len(x.cost) * x.in.Jobs }

// Set passes the jobs of the cheapest set.
func (x *Columns) Set(k, busy int, taken []bool, visit func(j int32)) {
	for i := len(x.Order[k]) - 1; i >= 0; i-- {
		if taken[i*len(x.cost)+busy] {
			j := x.Order[k][i]
			visit(j)
			busy -= int(x.Length[k][j])
		}
	}
}

// evaluateJobPrices is the value of a certificate, in weight × seconds.
func (e *Evaluator) evaluateJobPrices(c *Certificate) (*big.Rat, error) {
	x, err := e.NewColumns()
	if err != nil {
		return nil, err
	}
	if c.JobPrices == nil || len(c.Prices) != e.in.Jobs || c.Shift < 0 || c.Shift > maxPriceBits {
		return nil, errors.New("job prices: not one for each job")
	}
	room := uint64(1) << 61
	hi, lo := bits.Mul64(x.most, uint64(1)<<c.Shift)
	if hi != 0 || lo > room {
		return nil, ErrInexact
	}
	room -= lo
	total, y := new(big.Int), new(big.Int)
	for _, p := range c.Prices {
		if p < 0 || uint64(p) > room {
			return nil, fmt.Errorf("%w: price %d", ErrInexact, p)
		}
		room -= uint64(p)
		total.Add(total, y.SetInt64(p))
	}
	for k := range e.in.Classes {
		least, _ := x.Cheapest(k, c.Prices, c.Shift, nil)
		nodes := int64(len(e.in.ClassNodes(int32(k))))
		total.Add(total, y.Mul(y.SetInt64(least), big.NewInt(nodes)))
	}
	total.Mul(total, x.unit)
	unit := new(big.Int).Lsh(e.in.Objective.units(), uint(c.Shift))
	return new(big.Rat).SetFrac(total, unit), nil
}
