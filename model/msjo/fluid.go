package msjo

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/model/heap"
)

// fluid is one machine that is m times as fast: it does m microseconds of work per microsecond.
type fluid struct {
	in      *Instance
	left    []int64 // work, by node
	order   []int32
	waiting heap.Heap[int64]
	now     int64 // the time is now + part/m
	part    int64
}

func newFluid(in *Instance) *fluid { return &fluid{in: in, left: make([]int64, in.Steps)} }

// sum is 2m·Σ_u q_u p_u x_u for the preemptive schedule that always works on the available task of the highest price
// q_u. x_u is the mean time at which the schedule works on u. No schedule of these tasks on m machines from their
// releases on has a smaller sum. Prices are by task, releases by node.
func (f *fluid) sum(nodes []int32, release []model.Time, q []int64) *big.Int {
	f.order, f.now, f.part = f.order[:0], 0, 0
	for _, u := range nodes {
		if int(u) < f.in.Tasks && f.in.Least[u] > 0 && q[u] > 0 {
			f.order = append(f.order, u)
			f.left[u] = int64(f.in.Least[u])
		}
	}
	slices.SortFunc(f.order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(release[a], release[b]), cmp.Compare(a, b))
	})
	sum, price, x, y := new(big.Int), new(big.Int), new(big.Int), new(big.Int)
	m := big.NewInt(int64(f.in.Nodes))
	for k := 0; k < len(f.order) || len(f.waiting) > 0; {
		if len(f.waiting) == 0 && int64(release[f.order[k]]) > f.now {
			f.now, f.part = int64(release[f.order[k]]), 0
		}
		for ; k < len(f.order) && int64(release[f.order[k]]) <= f.now; k++ {
			u := f.order[k]
			f.waiting.Push(heap.Item[int64]{Key: -q[u], Index: u})
		}
		next := int64(math.MaxInt64)
		if k < len(f.order) {
			next = int64(release[f.order[k]])
		}
		first := f.waiting[0]
		from, part := f.now, f.part
		work := f.work(first.Index, next)
		x.Add(x.Mul(x.SetInt64(from+f.now), m), y.SetInt64(part+f.part)) // (begin + end), in units of 1/m
		price.Mul(price.SetInt64(-first.Key), y.SetInt64(work))
		sum.Add(sum, price.Mul(price, x))
	}
	return sum
}

// work runs the first waiting task until it ends or the next one arrives, and returns the work done.
func (f *fluid) work(u int32, next int64) (done int64) {
	m := int64(f.in.Nodes)
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
