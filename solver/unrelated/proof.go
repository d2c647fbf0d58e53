package unrelated

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"mrsched/model"
)

// MaxPrice is the largest price of a machine.
const MaxPrice = 1 << 31

// Proof shows that no assignment has a makespan within some limit. At most one of its parts is there. A proof without
// any part states that some task takes longer than the limit on every machine where it may run.
type Proof struct {
	Machines []int64 // prices of machines
	Tasks    []int64 // prices of tasks
	Branch   *Branch
}

// Branch splits the assignments into those that run a task on a machine and those that do not, and refutes both. Off
// excludes all machines that the decisions so far leave identical to Machine.
type Branch struct {
	Task, Machine int32
	On, Off       Proof
}

// Bound is a lower bound on the makespan. Its proof refutes the limit Value − 1, and all below; Value 0 needs none.
type Bound struct {
	Value model.Time
	Proof Proof
}

// raiseTo takes another bound if it is higher.
func (b *Bound) raiseTo(other Bound) {
	if other.Value > b.Value {
		*b = other
	}
}

// raise raises a bound to what prices of classes prove, if that is more. It rounds the prices to integers, bisects in
// floating point, and confirms the result exactly.
func (in *Instance) raise(b *Bound, y []float64) bool {
	most := slices.Max(y)
	if most <= 0 {
		return false
	}
	whole := make([]int64, len(y))
	for c, v := range y {
		whole[c] = int64(math.Round(v / most * MaxPrice))
	}
	sum := float64(sumOfMost(in, whole))
	low := b.Value // limits below low are refuted, and those from high on are not
	high := low
	if need := in.need(whole, low); need > 0 {
		high = max(low, model.Time(math.Min(math.Ceil(need/sum)+1, float64(model.MaxTime))))
	}
	for low < high {
		if mid := low + (high-low)/2; in.need(whole, mid) > float64(mid)*sum {
			low = mid + 1
		} else {
			high = mid
		}
	}
	low = in.roundUp(low)
	if in.partial && low > b.Value {
		b.Value = low
		return true
	}
	return in.confirm(context.Background(), b, whole, low)
}

// confirm raises a bound to a value, or a little less, if prices of classes prove that; it steps back ever further.
// After the context ends there is one try.
func (in *Instance) confirm(ctx context.Context, b *Bound, whole []int64, value model.Time) bool {
	for back := model.Time(0); value-back > b.Value; back = max(in.grain(), 2*back) {
		if in.refutes(whole, value-back-1) {
			*b = Bound{value - back, in.machinePrices(whole)}
			return true
		}
		if ctx.Err() != nil {
			break
		}
	}
	return false
}

// grain is a time of which all loads are multiples. Bounds on whole tasks are multiples, too: configBound goes from one
// to the next.
func (in *Instance) grain() model.Time {
	if in.divisible {
		return 1
	}
	return in.unit
}

// machinePrices is the proof by prices of classes.
func (in *Instance) machinePrices(price []int64) Proof {
	list := make([]int64, in.m)
	for k, c := range in.class {
		list[k] = price[c]
	}
	return Proof{Machines: list}
}

// refutes says whether prices of classes refute a limit, in exact arithmetic: the tasks at their cheapest cost more
// than the machines are worth until the limit.
func (in *Instance) refutes(price []int64, limit model.Time) bool {
	if slices.ContainsFunc(price, func(y int64) bool { return y < 0 || y > MaxPrice }) { // y was NaN
		return false
	}
	if !in.divisible {
		limit -= limit % in.unit
	}
	roomHigh, roomLow := bits.Mul64(uint64(sumOfMost(in, price)), uint64(limit))
	var needHigh, needLow, carry uint64
	for i := range in.n {
		leastHigh, leastLow, found := uint64(0), uint64(0), false
		for c, y := range price {
			t := in.time(i, c)
			if !in.fits(t, limit) {
				continue
			}
			high, low := bits.Mul64(uint64(y), uint64(t))
			if !found || high < leastHigh || high == leastHigh && low < leastLow {
				leastHigh, leastLow, found = high, low, true
			}
		}
		if !found {
			return true
		}
		needLow, carry = bits.Add64(needLow, leastLow, 0)
		needHigh += leastHigh + carry
	}
	return roomHigh < needHigh || roomHigh == needHigh && roomLow < needLow
}

// need is Σ_i min_c y_c·p_ic over the classes on which tasks fit into a limit; infinite if one fits on none.
func (in *Instance) need(y []int64, limit model.Time) (sum float64) {
	for i := range in.n {
		least := math.Inf(1)
		for c, v := range y {
			if t := in.time(i, c); in.fits(t, limit) {
				if least = math.Min(least, float64(v)*float64(t)); least == 0 {
					break
				}
			}
		}
		sum += least
	}
	return sum
}

// sumOfMost is Y: the sum of the prices of as many machines as may be used, the most expensive, from prices of classes.
func sumOfMost[T int64 | float64](in *Instance, price []T) (sum T) {
	list := make([]T, 0, in.m)
	for _, c := range in.class {
		list = append(list, price[c])
	}
	slices.Sort(list)
	for _, v := range list[in.m-in.most:] {
		sum += v
	}
	return sum
}
