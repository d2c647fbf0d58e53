package instances

import (
	"math"
	"math/rand/v2"
)

// urn draws the numbers 0…n-1, each with a probability in proportion to its weight, from all or from a range of them,
// and those taken out no more. Weights are integers, so that taking out and putting back is exact. A draw costs O(log
// n).
//
// The sums of weights are a binary indexed tree (Fenwick, 1994): tree[i] is the sum of the i&-i weights up to i.
type urn struct {
	weight []uint64
	tree   []uint64
	out    []int // taken
	random *rand.Rand
}

func newUrn(weight []uint64, src rand.Source) *urn {
	u := &urn{weight: weight, tree: make([]uint64, len(weight)+1), random: rand.New(src)}
	for i := 1; i < len(u.tree); i++ {
		u.tree[i] += weight[i-1]
		if up := i + i&-i; up < len(u.tree) {
			u.tree[up] += u.tree[i]
		}
	}
	return u
}

// zipfScale is the weight of rank 1, so that 10^7 of them fit and small weights keep some digits.
const zipfScale = 1 << 40

// zipfWeights are rank^-exponent for the ranks 1…n, scaled and at least 1.
func zipfWeights(n int, exponent float64) []uint64 {
	weight := make([]uint64, n)
	for i := range weight {
		weight[i] = max(1, uint64(math.Round(zipfScale*math.Pow(float64(i+1), -exponent))))
	}
	return weight
}

// below is the weight, without what is taken, of the numbers below n.
func (u *urn) below(n int) uint64 {
	var sum uint64
	for ; n > 0; n -= n & -n {
		sum += u.tree[n]
	}
	return sum
}

// find is the largest number with below(number) ≤ sum; sum is less than the total.
func (u *urn) find(sum uint64) int {
	at := 0
	step := 1
	for step*2 < len(u.tree) {
		step *= 2
	}
	for ; step > 0; step /= 2 {
		if next := at + step; next < len(u.tree) && u.tree[next] <= sum {
			at, sum = next, sum-u.tree[next]
		}
	}
	return at
}

// draw returns a number from first to last-1, unless all of them are taken.
func (u *urn) draw(first, last int) (number int, ok bool) {
	low := u.below(first)
	weight := u.below(last) - low
	if weight == 0 {
		return 0, false
	}
	return u.find(low + u.random.Uint64N(weight)), true
}

// drawOutside returns a number below first or from last on, unless all of them are taken.
func (u *urn) drawOutside(first, last int) (number int, ok bool) {
	low, high := u.below(first), u.below(last)
	weight := u.below(len(u.weight)) - (high - low)
	if weight == 0 {
		return 0, false
	}
	sum := u.random.Uint64N(weight)
	if sum >= low {
		sum += high - low
	}
	return u.find(sum), true
}

// take takes a number out.
func (u *urn) take(number int) {
	u.out = append(u.out, number)
	u.add(number, -u.weight[number])
}

// refill puts back what was taken out.
func (u *urn) refill() {
	for _, number := range u.out {
		u.add(number, u.weight[number])
	}
	u.out = u.out[:0]
}

// add changes the weight of a number in the sums; differences below 0 wrap around and back.
func (u *urn) add(number int, difference uint64) {
	for i := number + 1; i < len(u.tree); i += i & -i {
		u.tree[i] += difference
	}
}
