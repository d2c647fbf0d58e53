package realtime

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
	"mrsched/solver/lp"
	"mrsched/solver/lp/lpsolve"
)

const (
	// lpTimes is the number of times, different partitions by classes of slots, up to which T* comes from lp_solve: some
	// seconds at most. Above, prices have a closed form or come from multiplicative weights.
	lpTimes = 300_000
	// relatedTimes is that number for slots that differ in speed only, whose programs are degenerate and hard, and have a
	// solution in closed form.
	relatedTimes = 5_000
	// lpTolerance is the relative error up to which the LP is believed to fit into a limit; the exact evaluation of its
	// prices decides.
	lpTolerance = 1e-9
	// lpRows is how many rows a partition adds in one round of pricing.
	lpRows = 2
)

// fraction is a share of a partition on a class of slots.
type fraction struct {
	part, class int32
	share       float64
}

// fractional is a bound by prices of slots, and what the linear program at the bound makes of the partitions.
type fractional struct {
	bound model.Time
	proof realtime.Proof
	// shares are a vertex of the program at the bound, in the order of partitions and classes; nil: it was not solved.
	shares []fraction
	load   []float64 // by class, in microseconds; with shares
}

// priceLP is the dual of the linear program of a packing for one limit T:
//
//	maximise    Σ_g n_g·v_g
//	subject to  v_g ≤ p_gc·(y_c + θ)     for every class c of slots with p_gc ≤ T, T being the limit
//	            Σ_c m_c·y_c + R·θ = 1
//	            v, y, θ ≥ 0
//
// A group g is n_g partitions that take the same on every class, a class c is m_c slots. Its value is the least
// makespan of splitting partitions among slots with p ≤ T, at most R slots' worth of time in all (θ, if that is a
// limit); its duals are the shares. Rows are added where they are violated, so that it stays at a few of them a group;
// a larger T only adds rows.
type priceLP struct {
	*packing
	group  [][]int32 // partitions
	scale  float64   // microseconds of one unit of p
	solver lp.Solver
	theta  lp.Col // −1: none
	row    []pair // by row of the solver, from 1
	has    map[pair]bool
}

type pair struct{ group, class int32 }

// groups collects partitions that take the same on every class; nil if there are too many times for lp_solve.
func (p *packing) groups() [][]int32 {
	if p.times == nil {
		return nil
	}
	classes := len(p.Worker)
	at, list := map[string]int{}, [][]int32(nil)
	key := make([]byte, 0, 8*classes)
	for i := range p.n {
		key = key[:0]
		for _, t := range p.times[i*classes : (i+1)*classes] {
			key = binary.LittleEndian.AppendUint64(key, uint64(t))
		}
		g, ok := at[string(key)]
		if !ok {
			g = len(list)
			if (g+1)*classes > lpTimes {
				return nil
			}
			at[string(key)] = g
			list = append(list, nil)
		}
		list[g] = append(list[g], int32(i))
	}
	return list
}

// fractional finds T* and a vertex at T*: it raises T to what the prices of the LP at T prove until the LP at T fits
// into T. Each step refutes all limits up to the next one, so the last is T*. Partitions that may be split may lie on
// slots where all of them take longer. Errors: of the backend. If ctx ends, the bound is what is proven so far.
func (p *packing) fractional(ctx context.Context) (*fractional, error) {
	f := &fractional{}
	if !p.in.Resplit.Known {
		f.bound = p.largest()
	}
	groups := p.groups()
	switch {
	case (groups == nil || len(groups)*len(p.Worker) > relatedTimes) && p.related:
		p.nested(ctx, f)
		return f, nil
	case groups == nil:
		p.weights(ctx, f)
		return f, nil
	}
	x, err := p.newPriceLP(groups)
	if err != nil {
		return nil, err
	}
	defer x.solver.Close()
	for {
		sol, err := x.solve(ctx, f.bound)
		if err == nil && sol == nil { // ctx has ended: what speeds prove as prices
			p.raise(f, p.speeds())
		}
		if err != nil || sol == nil {
			return f, err
		}
		better := false
		if sol.Objective*x.scale > float64(f.bound)*(1-lpTolerance) {
			better = p.raise(f, x.prices(sol.X))
		}
		if !better || p.in.Resplit.Known {
			f.shares, f.load = x.shares(sol)
			return f, nil
		}
	}
}

// speeds are those of the classes.
func (p *packing) speeds() []float64 {
	y := make([]float64, len(p.Worker))
	for c, w := range p.Worker {
		y[c] = p.in.Speed[w]
	}
	return y
}

// newPriceLP makes the solver, with one row.
func (p *packing) newPriceLP(groups [][]int32) (*priceLP, error) {
	x := &priceLP{packing: p, group: groups, has: map[pair]bool{}, theta: -1}
	m := lp.NewModel("slot-prices")
	m.Maximize = true
	x.scale = math.Max(1, float64(x.largest()))
	for _, g := range x.group { // v ≤ p, for y + θ ≤ 1; twice that keeps the program bounded and is never reached
		m.AddCol("", float64(len(g)), 0, 2*math.Max(1, float64(x.least[g[0]]))/x.scale)
	}
	var norm []lp.Entry
	for _, n := range x.count {
		norm = append(norm, lp.Entry{Col: m.AddCol("", 0, 0, lp.Inf), Coef: float64(n)})
	}
	if x.limited() {
		x.theta = m.AddCol("", 0, 0, lp.Inf)
		norm = append(norm, lp.Entry{Col: x.theta, Coef: float64(x.Most)})
	}
	m.AddRow("", norm, lp.EQ, 1)
	var err error
	if x.solver, err = lpsolve.NewSolver(m); err != nil {
		return nil, &solver.BackendError{Err: err}
	}
	return x, nil
}

// price is y_c + θ.
func (x *priceLP) price(sol []float64, c int) float64 {
	y := sol[len(x.group)+c]
	if x.theta >= 0 {
		y += sol[x.theta]
	}
	return y
}

// fits says whether partitions may lie on a class at all.
func (x *priceLP) fits(t, limit model.Time) bool { return t <= limit || x.in.Resplit.Known }

// solve adds violated rows until there are none; nil: ctx ended.
func (x *priceLP) solve(ctx context.Context, limit model.Time) (*lp.Solution, error) {
	var sol *lp.Solution
	type candidate struct {
		class int32
		worth float64
	}
	var list []candidate
	for {
		added := false
		for g, parts := range x.group {
			list = list[:0]
			for c := range x.Worker {
				t := x.time(int(parts[0]), c)
				if !x.fits(t, limit) || x.has[pair{int32(g), int32(c)}] {
					continue
				}
				worth := float64(t) / x.scale
				if sol != nil {
					if worth *= x.price(sol.X, c); worth >= sol.X[g]-lpTolerance {
						continue
					}
				}
				list = append(list, candidate{int32(c), worth})
			}
			slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(a.worth, b.worth) })
			for _, e := range list[:min(len(list), lpRows)] {
				if err := x.add(int32(g), e.class); err != nil {
					return nil, err
				}
				added = true
			}
		}
		if !added && sol != nil {
			return sol, nil
		}
		var err error
		sol, err = x.solver.Solve(ctx)
		if err := backend(sol, err); err != nil {
			return nil, err
		}
		if sol.Status != lp.Optimal {
			return nil, nil
		}
	}
}

// add adds v_g ≤ p_gc·(y_c + θ).
func (x *priceLP) add(g, c int32) error {
	q := float64(x.time(int(x.group[g][0]), int(c))) / x.scale
	row := []lp.Entry{{Col: lp.Col(g), Coef: 1}, {Col: lp.Col(len(x.group) + int(c)), Coef: -q}}
	if x.theta >= 0 {
		row = append(row, lp.Entry{Col: x.theta, Coef: -q})
	}
	if _, err := x.solver.AddRow("", row, lp.LE, 0); err != nil {
		return &solver.BackendError{Err: err}
	}
	x.row = append(x.row, pair{g, c})
	x.has[pair{g, c}] = true
	return nil
}

// prices are y_c + θ by class.
func (x *priceLP) prices(sol []float64) []float64 {
	y := make([]float64, len(x.Worker))
	for c := range y {
		y[c] = math.Max(0, x.price(sol, c))
	}
	return y
}

// shares are the duals of the rows, with groups taken apart: their partitions fill what the group has on one class
// after another. That leaves as many cycles in the graph of partitions and classes as there were.
func (x *priceLP) shares(sol *lp.Solution) ([]fraction, []float64) {
	by := make([][]fraction, len(x.group))
	load := make([]float64, len(x.Worker))
	for k, r := range x.row {
		if d := sol.Dual[k+1]; d > 0 {
			by[r.group] = append(by[r.group], fraction{class: r.class, share: d})
			load[r.class] += d * float64(x.time(int(x.group[r.group][0]), int(r.class)))
		}
	}
	var list []fraction
	for g, parts := range x.group {
		slices.SortFunc(by[g], func(a, b fraction) int { return cmp.Compare(a.class, b.class) })
		sum := 0.0
		for _, f := range by[g] {
			sum += f.share
		}
		k, left := 0, 1.0 // what of the partition has no place yet
		for _, f := range by[g] {
			share := f.share * float64(len(parts)) / sum
			for share > fractionTolerance && k < len(parts) {
				part := math.Min(share, left)
				list = append(list, fraction{parts[k], f.class, part})
				share -= part
				if left -= part; left <= fractionTolerance {
					k, left = k+1, 1
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b fraction) int {
		return cmp.Or(cmp.Compare(a.part, b.part),
			cmp.Compare(a.class, b.class))
	})
	return list, load
}

// raise sets the bound to what prices of classes prove, if that is more.
func (p *packing) raise(f *fractional, y []float64) bool {
	most := slices.Max(y)
	if most <= 0 {
		return false
	}
	whole := make([]int64, len(y))
	for c, v := range y {
		whole[c] = int64(math.Round(v / most * realtime.MaxPrice))
	}
	proof := realtime.Proof{Slots: make([]int64, p.m)}
	for k, c := range p.Class {
		proof.Slots[k] = whole[c]
	}
	sorted := slices.Clone(proof.Slots)
	slices.Sort(sorted)
	room := 0.0
	for _, v := range sorted[p.m-p.Most:] {
		room += float64(v)
	}
	low := f.bound // in floating point, limits below it are refuted by the prices, and those from high on are not
	high := low
	if need := p.need(whole, low); need > 0 {
		high = max(low, model.Time(math.Min(math.Ceil(need/room)+1, float64(model.MaxTime))))
	}
	for low < high {
		if mid := low + (high-low)/2; p.need(whole, mid) > float64(mid)*room {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if p.in.Resplit.Known {
		// pieces have any length
	} else if over := low % p.unit; over > 0 {
		low += p.unit - over
	}
	if p.partial && low > f.bound {
		f.bound = low
		return true
	}
	for step := model.Time(1); low > f.bound; step *= 2 {
		if p.in.Refute(p.set, low-1, &proof) == nil {
			f.bound, f.proof = low, proof
			return true
		}
		low -= step
	}
	return false
}

// need is Σ_i min y_c·p_ic over the classes that count for a limit; infinite if there is a partition without any.
func (p *packing) need(y []int64, limit model.Time) float64 {
	sum := 0.0
	for i := range p.n {
		least := math.Inf(1)
		for c, v := range y {
			if t := p.time(i, c); t <= limit || p.in.Resplit.Known {
				if least = math.Min(least, float64(v)*float64(t)); least == 0 {
					break
				}
			}
		}
		sum += least
	}
	return sum
}
