package msjo

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/model/heap"
)

// KindTwoSided is the kind of certificate that looks at every job from both of its ends (docs/mathematics.md, Two-sided
// prices).
const KindTwoSided = "two-sided-prices"

// TwoSided are the numbers of a certificate of kind KindTwoSided: prices per microsecond of processing, one a task in
// the order of the workload, in units of 1/Denominator millionths of a weight. Without prices it proves Σ w_j L_j.
//
// With M_u the midpoint of task u, C_j the completion of its job and L_j the largest of the job's bounds in Alone,
//
//	Σ w_j C_j ≥ Σ_j (w_j − Y_j)·L_j + Σ_u α_u M_u + Σ_u a_u M_u + Σ_u β_u (C_j − M_u) + Σ_u b_u (C_j − M_u),
//
// where α = Both + Forward, a = Backward, β = Both + Backward, b = Forward, each times p_u, and Y_j = Σ (α_u + a_u) ≤
// w_j. The sums over α and, job by job, over β are at least those of a preemptive schedule on one machine m times as
// fast (see fluid); a_u M_u ≥ a_u (Head + p_u/2) and b_u (C_j − M_u) ≥ b_u (Tail + p_u/2).
type TwoSided struct {
	Alone    []AloneBound `json:"alone,omitempty"`
	Both     []int64      `json:"both,omitempty"`
	Forward  []int64      `json:"forward,omitempty"`
	Backward []int64      `json:"backward,omitempty"`
}

// MaxPrice bounds a price, so that two of them can be added.
const MaxPrice = math.MaxInt64 / 2

// evaluateTwoSided computes what such a certificate proves, in weight × seconds.
func (in *Instance) evaluateTwoSided(c *Certificate) (*big.Rat, error) {
	t := c.TwoSided
	if t == nil { // nothing is stated: critical paths
		t = &TwoSided{}
	}
	if c.Denominator <= 0 {
		return nil, errors.New("certificate: the denominator must be positive")
	}
	alone, err := in.AloneBounds(t.Alone)
	if err != nil {
		return nil, err
	}
	rest, err := in.restOfJobs(t, c.Denominator)
	if err != nil {
		return nil, err
	}
	// Everything below is 2·m·denominator times the bound, in millionths of weight × microseconds.
	m := big.NewInt(int64(in.Machines))
	total, term, x := new(big.Int), new(big.Int), new(big.Int)
	for j := range rest {
		total.Add(total, term.Mul(&rest[j], x.SetInt64(2*int64(alone[j]))))
	}
	if len(t.Both) > 0 {
		total.Add(total, in.latency(t))
	}
	total.Mul(total, m)
	if len(t.Both) > 0 {
		f := fluid{in: in, left: make([]int64, in.Nodes)}
		total.Add(total, f.sum(in.Topo, in.Head, t.Both, t.Forward))
		for j := range in.Jobs {
			total.Add(total, f.sum(in.JobNodes(j), in.Tail, t.Both, t.Backward))
		}
	}
	scale := new(big.Int).Mul(big.NewInt(2), m)
	scale.Mul(scale, big.NewInt(c.Denominator))
	return new(big.Rat).SetFrac(total, scale.Mul(scale, unitsPerWeightSecond)), nil
}

// restOfJobs is (w_j − Y_j)·denominator by job, in millionths. Errors: a price that is negative, or prices beyond a
// job's weight.
func (in *Instance) restOfJobs(t *TwoSided, denominator int64) ([]big.Int, error) {
	rest, x, y := make([]big.Int, in.Jobs), new(big.Int), new(big.Int)
	for j := range rest {
		rest[j].Mul(x.SetInt64(int64(in.Weight[j])), y.SetInt64(denominator))
	}
	priced := len(t.Both)+len(t.Forward)+len(t.Backward) > 0
	for _, prices := range [][]int64{t.Both, t.Forward, t.Backward} {
		if priced && len(prices) != in.Tasks {
			return nil, fmt.Errorf("certificate: %s for %s", model.Counted(len(prices), "price"),
				model.Counted(in.Tasks, "task"))
		}
		for u, q := range prices {
			if q < 0 || q > MaxPrice {
				return nil, fmt.Errorf("certificate: price %d of task %q is not allowed", q, in.workload.Tasks[u].ID)
			}
			if q > 0 {
				left := &rest[in.Job[u]]
				left.Sub(left, x.Mul(x.SetInt64(int64(in.Processing[u])), y.SetInt64(q)))
			}
		}
	}
	for j := range rest {
		if rest[j].Sign() < 0 {
			return nil, fmt.Errorf("certificate: the prices of job %q exceed its weight", in.workload.Jobs[j].ID)
		}
	}
	return rest, nil
}

// latency is Σ_u p_u (Backward_u (2·Head_u + p_u) + Forward_u (2·Tail_u + p_u)).
func (in *Instance) latency(t *TwoSided) *big.Int {
	sum, term, price, x := new(big.Int), new(big.Int), new(big.Int), new(big.Int)
	add := func(u int, price64 int64, from model.Time) {
		if price64 == 0 {
			return
		}
		p := in.Processing[u]
		price.Mul(price.SetInt64(price64), x.SetInt64(int64(p)))
		sum.Add(sum, term.Mul(price, x.SetInt64(2*int64(from)+int64(p))))
	}
	for u := range in.Tasks {
		add(u, t.Backward[u], in.Head[u])
		add(u, t.Forward[u], in.Tail[u])
	}
	return sum
}

// fluid is one machine that does m microseconds of work in each.
type fluid struct {
	in      *Instance
	left    []int64 // work, by node
	order   []int32
	waiting heap.Heap[int64]
	now     int64 // the time is now + part/m
	part    int64
}

// sum is 2m·Σ_u q_u p_u x_u, where q_u is the sum of two prices of a task and x_u the mean time at which it is worked
// on, in the preemptive schedule that always works on the available task of the highest q_u. No schedule of these
// tasks on m machines from their releases on has a smaller sum.
func (f *fluid) sum(nodes []int32, release []model.Time, one, other []int64) *big.Int {
	f.order, f.now, f.part = f.order[:0], 0, 0
	for _, u := range nodes {
		if int(u) < f.in.Tasks && f.in.Processing[u] > 0 && one[u]+other[u] > 0 {
			f.order = append(f.order, u)
			f.left[u] = int64(f.in.Processing[u])
		}
	}
	slices.SortFunc(f.order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(release[a], release[b]), cmp.Compare(a, b))
	})
	sum, price, x, y := new(big.Int), new(big.Int), new(big.Int), new(big.Int)
	m := big.NewInt(int64(f.in.Machines))
	for k := 0; k < len(f.order) || len(f.waiting) > 0; {
		if len(f.waiting) == 0 && int64(release[f.order[k]]) > f.now {
			f.now, f.part = int64(release[f.order[k]]), 0
		}
		for ; k < len(f.order) && int64(release[f.order[k]]) <= f.now; k++ {
			u := f.order[k]
			f.waiting.Push(heap.Item[int64]{Key: -(one[u] + other[u]), Index: u})
		}
		next := int64(math.MaxInt64)
		if k < len(f.order) {
			next = int64(release[f.order[k]])
		}
		first := f.waiting[0]
		from, part := f.now, f.part
		work := f.work(first.Index, next)
		x.Add(x.Mul(x.SetInt64(from+f.now), m), y.SetInt64(part+f.part)) // begin + end, in units of 1/m
		price.Mul(price.SetInt64(-first.Key), y.SetInt64(work))
		sum.Add(sum, price.Mul(price, x))
	}
	return sum
}

// work works on the first waiting task until it ends or the next one comes, and returns how much it did.
func (f *fluid) work(u int32, next int64) (done int64) {
	m := int64(f.in.Machines)
	done = f.left[u]
	end, part := f.now+(f.part+done)/m, (f.part+done)%m
	if end > next || end == next && part > 0 {
		done, end, part = (next-f.now)*m-f.part, next, 0
	} else {
		f.waiting.Pop()
	}
	f.left[u] -= done
	f.now, f.part = end, part
	return done
}
