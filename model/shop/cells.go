package shop

import (
	"errors"
	"fmt"
	"math/big"
	"math/bits"
	"slices"

	"mrsched/model"
)

// CellPrices are prices of a certificate of kind KindCells: of the first pools on the nodes of each class, constant
// on cells of time and 0 after the last one. While task u runs on class k it pays, for what it takes there of each
// pool, the pool's price; for a group, that of the class of the group's first node. In units of 2^−Shift of the
// objective's integers per microsecond and unit of the pool, where Shift may be negative,
//
//	Σ_j min_C [ cost_j(C) + Σ_{u∈j} the least that u pays if it runs between its head and C − its tail ]
//	− Σ price·(what the nodes add in the cell)
//
// is a lower bound (docs/mathematics.md, cluster: prices of cells).
type CellPrices struct {
	Cell  model.Time  `json:"cell"`
	Steps [][][]int64 `json:"steps"` // by pool, class and cell
}

// Cells evaluates prices of cells job by job. It is safe for concurrent use of different jobs once Reset has run,
// with a Walk for each user.
type Cells struct {
	e       *Evaluator
	Windows *Windows
	p       *CellPrices
	shift   int
	N       int          // of cells
	Share   []int64      // by task, class and pool
	Payer   []int32      // by class and pool: the class whose prices it pays
	Add     [][]*big.Int // by pool and class, then cell: what the nodes add, flattened
	sum     [][]int64    // by class and pool: prices' integral at the borders
	tasks   func(j int32) []int32
	heavy   []int64 // by pool: an upper bound on what all tasks of a target take
	latest  int64   // the latest completion considered
}

// maxPriceBits bounds every integer of an evaluation.
const maxPriceBits = 61

// maxCellNumbers bounds the memory of an evaluation.
const maxCellNumbers = 50_000_000

// ErrInexact says that prices, times and weights are too large to be evaluated in exact integers.
var ErrInexact = errors.New("prices are too large for exact integers")

// NewCells prepares an evaluation; prices are those of p, also when they change. Errors: they are not possible.
func (e *Evaluator) NewCells(c *Certificate) (*Cells, error) {
	in, p := e.in, c.CellPrices
	if p == nil || p.Cell <= 0 || len(p.Steps) > len(c.Pools) || len(p.Steps) == 0 || c.Shift < -60 || c.Shift > 60 {
		return nil, errors.New("cell prices: no cells")
	}
	pools, err := e.pools(&c.Bounds)
	if err != nil {
		return nil, err
	}
	x := &Cells{e: e, p: p, shift: c.Shift, tasks: e.byJob(), heavy: make([]int64, len(p.Steps))}
	if x.Windows, err = e.Windows(&c.Bounds, pools); err != nil {
		return nil, err
	}
	for r := range p.Steps {
		if len(p.Steps[r]) != in.Classes {
			return nil, errors.New("cell prices: not one row for each class")
		}
		for k := range p.Steps[r] {
			if r == 0 && k == 0 {
				x.N = len(p.Steps[r][k])
			}
			if len(p.Steps[r][k]) != x.N || x.N == 0 {
				return nil, errors.New("cell prices: rows of different lengths")
			}
		}
	}
	if hi, lo := bits.Mul64(uint64(p.Cell), uint64(x.N)); hi != 0 || lo > uint64(model.MaxHorizon) ||
		in.Classes*len(p.Steps) > maxCellNumbers/(x.N+in.Tasks+1) {
		return nil, fmt.Errorf("%w: too many cells", ErrInexact)
	}
	x.shares(c.Pools[:len(p.Steps)])
	for k := range int32(in.Classes) {
		for r := range p.Steps {
			x.Payer = append(x.Payer, in.payer(&c.Pools[r], k))
		}
	}
	x.weigh()
	x.sum = make([][]int64, in.Classes*len(p.Steps))
	for k := range x.sum {
		x.sum[k] = make([]int64, x.N+1)
	}
	x.adds(c.Pools[:len(p.Steps)])
	return x, x.Reset()
}

// shares computes what every task takes of every pool.
func (x *Cells) shares(defs []Pool) {
	in := x.e.in
	x.Share = make([]int64, in.Tasks*in.Classes*len(defs))
	for u := range int32(in.Tasks) {
		if in.Fixed(u) || in.Least[u] == 0 {
			continue
		}
		for k, length := range x.e.Lengths(u) {
			for r := range defs {
				if length >= 0 {
					x.Share[(int(u)*in.Classes+k)*len(defs)+r] = in.Share(&defs[r], u, int32(k))
				}
			}
		}
	}
}

// weigh computes heavy.
func (x *Cells) weigh() {
	in, pools := x.e.in, len(x.heavy)
	for r := range x.heavy {
		for _, j := range in.Targets() {
			var sum int64
			for _, u := range x.tasks(j) {
				var most int64
				for k := range in.Classes {
					most = max(most, x.Share[(int(u)*in.Classes+k)*pools+r])
				}
				if sum += most; sum > maxWorth {
					sum = maxWorth
				}
			}
			x.heavy[r] = max(x.heavy[r], sum)
		}
	}
}

// horizon is when the last cell ends.
func (x *Cells) horizon() model.Time { return x.p.Cell * model.Time(x.N) }

// adds computes what the nodes add in every cell.
func (x *Cells) adds(defs []Pool) {
	in := x.e.in
	x.Add = make([][]*big.Int, len(defs)*in.Classes)
	for r := range defs {
		for k := range int32(in.Classes) {
			speeds := in.speeds(&defs[r], k)
			add := make([]*big.Int, x.N)
			for n := range add {
				add[n] = new(big.Int)
			}
			y, z := new(big.Int), new(big.Int)
			for i, s := range speeds {
				until := x.horizon()
				if i+1 < len(speeds) {
					until = min(until, speeds[i+1].From)
				}
				for from := s.From; from < until; {
					n := from / x.p.Cell
					to := min(until, (n+1)*x.p.Cell)
					add[n].Add(add[n], y.Mul(y.SetInt64(s.Speed), z.SetInt64(int64(to-from))))
					from = to
				}
			}
			x.Add[r*in.Classes+int(k)] = add
		}
	}
}

// Reset adopts changed prices. Errors: they are negative or too large.
func (x *Cells) Reset() error {
	in, pools := x.e.in, len(x.p.Steps)
	room := uint64(1) << maxPriceBits / uint64(pools)
	for r, classes := range x.p.Steps {
		for k, steps := range classes {
			sum := x.sum[k*pools+r]
			for n, v := range steps {
				hi, lo := bits.Mul64(uint64(v), uint64(x.p.Cell))
				if v < 0 || hi != 0 || lo > room || uint64(sum[n]) > room-lo {
					return fmt.Errorf("%w: price %d", ErrInexact, v)
				}
				sum[n+1] = sum[n] + int64(lo)
			}
			if hi, lo := bits.Mul64(uint64(sum[x.N]), uint64(x.heavy[r])); hi != 0 || lo > room {
				return ErrInexact
			}
		}
	}
	x.latest = int64(x.horizon())
	for u := range int32(in.Tasks) {
		x.latest = max(x.latest, int64(x.horizon()+in.Least[u]+max(x.Windows.Tail[u], x.e.All[u])))
	}
	for _, t := range x.Windows.Job {
		x.latest = max(x.latest, int64(t))
	}
	x.latest = max(x.latest, int64(x.Windows.All)) + 2*int64(x.p.Cell)
	for j := range int32(in.Jobs) {
		hi, lo := bits.Mul64(uint64(in.Weight[j]), uint64(x.latest))
		length := bits.Len64(lo)
		if hi != 0 {
			length = 64 + bits.Len64(hi)
		}
		if length+x.shift > maxPriceBits || length > 120 {
			return fmt.Errorf("%w: job %d", ErrInexact, j)
		}
	}
	if bits.Len64(uint64(x.latest))+x.shift > maxPriceBits {
		return ErrInexact
	}
	return nil
}

// cost is a job's cost at a completion, rounded down.
func (x *Cells) cost(j int32, t model.Time) int64 {
	in := x.e.in
	weight := uint64(1)
	if j != AllJobs {
		weight = uint64(in.Weight[j])
	}
	switch in.Objective {
	case Tardiness:
		t = max(0, t-in.Due[j])
	case Late:
		if t > in.Due[j] {
			t = 1
		} else {
			t = 0
		}
	}
	hi, lo := bits.Mul64(weight, uint64(t))
	if s := x.shift; s < 0 {
		return int64(lo>>-s | hi<<(64+s))
	}
	return int64(lo << x.shift)
}

// Targets are the jobs whose ends cost something: all jobs, or AllJobs for the makespan.
func (in *Instance) Targets() []int32 {
	if in.Objective == Makespan {
		return []int32{AllJobs}
	}
	list := make([]int32, in.Jobs)
	for j := range list {
		list[j] = int32(j)
	}
	return list
}

// evaluateCells is the value of a certificate, in the objective's unit.
func (e *Evaluator) evaluateCells(c *Certificate) (*big.Rat, error) {
	x, err := e.NewCells(c)
	if err != nil {
		return nil, err
	}
	return x.Bound(), nil
}

// Bound is the bound, in the objective's unit.
func (x *Cells) Bound() *big.Rat {
	total, y := new(big.Int), new(big.Int)
	w := x.NewWalk()
	for _, j := range x.e.in.Targets() {
		total.Add(total, y.SetInt64(w.Exact(j)))
	}
	for r, classes := range x.p.Steps {
		for k, steps := range classes {
			for n, add := range x.Add[r*x.e.in.Classes+k] {
				total.Sub(total, y.Mul(y.SetInt64(steps[n]), add))
			}
		}
	}
	unit := new(big.Int).Set(x.e.in.Objective.units())
	if s := x.shift; s >= 0 {
		unit.Lsh(unit, uint(s))
	} else {
		total.Lsh(total, uint(-s))
	}
	return new(big.Rat).SetFrac(total, unit)
}

// Tasks returns the tasks of a job that pay, in rising order, and their tails.
func (x *Cells) Tasks(j int32) (tasks []int32, tails []model.Time) {
	in := x.e.in
	tasks = slices.DeleteFunc(slices.Clone(x.tasks(j)), func(u int32) bool { return in.Fixed(u) || in.Least[u] == 0 })
	if j == AllJobs {
		return tasks, x.e.All
	}
	return tasks, x.Windows.Tail
}

// Length is the least length of a task on a class.
func (x *Cells) Length(u, k int32) model.Time { return x.e.Lengths(u)[k] }

// Largest returns the largest sum of shares of a target and the latest completion considered.
func (x *Cells) Largest() (heavy, latest int64) { return slices.Max(x.heavy), x.latest }
