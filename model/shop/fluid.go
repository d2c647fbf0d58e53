package shop

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"mrsched/model"
	"mrsched/model/heap"
)

// fluid is one machine whose speed is a step function of time, in units of area a microsecond.
type fluid struct {
	left    []int64 // area, by task
	order   []int32
	waiting heap.Heap[int64]
	now     int64 // the time is now + part/speed
	part    int64
}

// sum is at most 2·Σ_u q_u a_u x_u, where q_u is the price of a task, a_u its area and x_u the mean time at which it is
// worked on, in the preemptive schedule that always works on the available task of the highest q_u; less than 1 is lost
// at each change of the speed. Prices, areas and releases are by task. Work for which no speed is left counts nothing.
func (f *fluid) sum(tasks []int32, release []model.Time, area, q []int64, speeds []Speed) *big.Int {
	f.begin(tasks, release, area, q)
	total, segment, price, x, y := new(big.Int), new(big.Int), new(big.Int), new(big.Int), new(big.Int)
	s, k := 0, 0
	m := big.NewInt(speeds[0].Speed)
	for k < len(f.order) || len(f.waiting) > 0 {
		if len(f.waiting) == 0 {
			if from := int64(release[f.order[k]]); from > f.now {
				f.now, f.part = from, 0
			}
		}
		for ; k < len(f.order) && int64(release[f.order[k]]) <= f.now; k++ {
			f.waiting.Push(heap.Item[int64]{Key: -q[f.order[k]], Index: f.order[k]})
		}
		change := s
		for change+1 < len(speeds) && int64(speeds[change+1].From) <= f.now {
			change++
		}
		if change != s {
			total.Add(total, segment.Div(segment, x.Set(max64(m))))
			segment.SetInt64(0)
			s = change
			m.SetInt64(speeds[s].Speed)
		}
		next := int64(math.MaxInt64)
		if s+1 < len(speeds) {
			next = int64(speeds[s+1].From)
		}
		if speeds[s].Speed == 0 {
			if s+1 == len(speeds) {
				break
			}
			f.now, f.part = next, 0
			continue
		}
		if k < len(f.order) {
			next = min(next, int64(release[f.order[k]]))
		}
		first := f.waiting[0]
		from, part := f.now, f.part
		work := f.work(first.Index, next, speeds[s].Speed)
		x.Add(x.Mul(x.SetInt64(from+f.now), m), y.Add(y.SetInt64(part), price.SetInt64(f.part))) // begin + end, times m
		price.Mul(price.SetInt64(-first.Key), y.SetInt64(work))
		segment.Add(segment, price.Mul(price, x))
	}
	return total.Add(total, segment.Div(segment, max64(m)))
}

// max64 is m, or 1 if it is 0.
func max64(m *big.Int) *big.Int {
	if m.Sign() == 0 {
		return big.NewInt(1)
	}
	return m
}

// begin lists the tasks with a price in the order of their releases.
func (f *fluid) begin(tasks []int32, release []model.Time, area, q []int64) {
	if f.left == nil {
		f.left = make([]int64, len(area))
	}
	f.order, f.waiting, f.now, f.part = f.order[:0], f.waiting[:0], 0, 0
	for _, u := range tasks {
		if area[u] > 0 && q[u] > 0 {
			f.order = append(f.order, u)
			f.left[u] = area[u]
		}
	}
	slices.SortFunc(f.order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(release[a], release[b]), cmp.Compare(a, b))
	})
}

// work works on the first waiting task until it ends or the next one comes, and returns how much it did.
func (f *fluid) work(u int32, next, m int64) (done int64) {
	done = f.left[u]
	end, part := f.now+(f.part+done)/m, (f.part+done)%m
	if end > next || end == next && part > 0 {
		_, room := bits.Mul64(uint64(next-f.now), uint64(m)) // less than what is left
		done, end, part = int64(room)-f.part, next, 0
	} else {
		f.waiting.Pop()
	}
	f.left[u] -= done
	f.now, f.part = end, part
	return done
}
