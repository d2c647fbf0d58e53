package realtime

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"mrsched/model"
)

// MaxPrice is the largest price of a slot or a partition: sums of prices times times stay below 2¹²⁷.
const MaxPrice = 1 << 31

// maxKnapsackWork is how many states the knapsacks of a proof may go through: a few seconds.
const maxKnapsackWork = 2_000_000_000

// slackPart sets the precision of knapsacks, one part in this many, while their sum does not decide.
const slackPart = 16

// Candidates are the slots that a set's partitions need: the Most fastest, if slots have an order that holds for all
// partitions of the set, else all reduce slots, of which a schedule uses at most Most.
type Candidates struct {
	Slots  []int32
	Class  []int32 // by candidate: slots of the same class take the same for every partition of the set
	Worker []int32 // by class: a worker
	Most   int
}

// Candidates finds the slots that matter for a set (docs/mathematics.md, Reduce phases).
func (in *Instance) Candidates(set Set) Candidates {
	most := int(in.Reducers[set.Job])
	if !in.Resplit.Known {
		most = min(most, int(set.Count))
	}
	c := Candidates{Slots: in.ReduceSlots, Most: min(most, len(in.ReduceSlots))}
	var given []int32 // partitions with given times
	if in.given.first != nil {
		for t := set.First; t < set.First+set.Count; t++ {
			if in.Given(t) {
				given = append(given, t)
			}
		}
	}
	if c.Most < len(c.Slots) {
		order := slices.Clone(c.Slots)
		speed := func(slot int32) float64 { return in.Speed[in.WorkerOf[slot]] }
		slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(speed(b), speed(a)) })
		if in.ordered(order, c.Most, given) {
			c.Slots = order[:c.Most]
		}
	}
	c.Class = make([]int32, len(c.Slots))
	number := map[float64]int32{}
	for k, s := range c.Slots {
		worker := in.WorkerOf[s]
		key := in.Speed[worker]
		if given != nil {
			key = float64(worker)
		}
		class, ok := number[key]
		if !ok {
			class = int32(len(c.Worker))
			number[key] = class
			c.Worker = append(c.Worker, worker)
		}
		c.Class[k] = class
	}
	return c
}

// ordered reports whether every partition of a list takes at most as long on each of the first slots as on any other.
func (in *Instance) ordered(order []int32, first int, given []int32) bool {
	for _, t := range given {
		most := model.Time(0)
		for k, s := range order {
			p := in.Time(t, in.WorkerOf[s])
			if k < first {
				most = max(most, p)
			} else if p < most {
				return false
			}
		}
	}
	return true
}

// checkPrices refuses prices that are out of range.
func checkPrices(prices []int64, n int, of string) error {
	if len(prices) != n {
		return fmt.Errorf("%d prices for %d %s", len(prices), n, of)
	}
	for _, y := range prices {
		if y < 0 || y > MaxPrice {
			return fmt.Errorf("prices lie between 0 and %d", MaxPrice)
		}
	}
	return nil
}

// tooLarge looks for a partition that takes longer than the limit on every slot where it may lie.
func (r *refutation) tooLarge() error {
	if r.in.Resplit.Known {
		return errors.New("no size proves anything where partitions may be split")
	}
	for i := range r.set.Count {
		fits := false
		for k, c := range r.Class {
			fits = fits || r.allowed(i, int32(k)) && r.in.Time(r.set.First+i, r.Worker[c]) <= r.limit
		}
		if !fits {
			return nil
		}
	}
	return errRefutesNot
}

// bySlots checks (1), or (2).
func (r *refutation) bySlots(price []int64) error {
	if r.on != nil {
		return errors.New("prices of slots below a case")
	}
	if err := checkPrices(price, len(r.Slots), "slots"); err != nil {
		return err
	}
	class := slices.Repeat([]int64{MaxPrice}, len(r.Worker)) // the cheapest slot of a class decides
	for k, c := range r.Class {
		class[c] = min(class[c], price[k])
	}
	limit := r.limit
	if !r.in.Resplit.Known { // loads are multiples of the times' common divisor
		limit -= limit % r.divisor()
	}
	var need model.Wide
	for i := range r.set.Count {
		var least model.Wide
		fits := false
		for c, worker := range r.Worker {
			p := r.in.Time(r.set.First+i, worker)
			if w := model.Product(uint64(class[c]), uint64(p)); (p <= r.limit || r.in.Resplit.Known) &&
				(!fits || w.Less(least)) {
				least, fits = w, true
			}
		}
		if !fits {
			return nil
		}
		need = need.Plus(least)
	}
	if model.Product(uint64(mostSum(price, r.Most)), uint64(limit)).Less(need) {
		return nil
	}
	return errRefutesNot
}

// divisor is the greatest common divisor of all times of the partitions on candidates; 1 if all are 0.
func (r *refutation) divisor() model.Time {
	g := model.Time(0)
	for t := r.set.First; t < r.set.First+r.set.Count; t++ {
		for _, worker := range r.Worker {
			if g = model.GCD(g, r.in.Time(t, worker)); g == 1 {
				return 1
			}
		}
	}
	return max(1, g)
}

// mostSum is the sum of the n largest of a list.
func mostSum(list []int64, n int) (sum int64) {
	sorted := slices.Clone(list)
	slices.Sort(sorted)
	for _, v := range sorted[max(0, len(sorted)-n):] {
		sum += v
	}
	return sum
}

// byPartitions checks (3).
func (r *refutation) byPartitions(price []int64) error {
	if r.in.Resplit.Known {
		return errors.New("prices of partitions prove nothing where they may be split")
	}
	if err := checkPrices(price, int(r.set.Count), "partitions"); err != nil {
		return err
	}
	need := int64(0)
	for _, u := range price {
		need += u
	}
	if need > math.MaxInt64/int64(len(r.Slots)) {
		return errors.New("the prices of partitions are too large")
	}
	for slack := need / (slackPart * int64(len(r.Slots))); ; slack /= slackPart {
		worth, err := r.worth(price, slack)
		if err != nil {
			return err
		}
		switch most := mostSum(worth, r.Most); {
		case need > most+slack*int64(r.Most):
			return nil
		case need <= most || slack == 0:
			return errRefutesNot
		}
	}
}

// worth is at least h_s less slack, and at most h_s, by candidate.
func (r *refutation) worth(price []int64, slack int64) ([]int64, error) {
	worth := make([]int64, len(r.Slots))
	known := map[int32]int64{} // by group
	for k := range worth {
		v, ok := known[r.group[k]]
		if !ok {
			if v, ok = r.knapsack(int32(k), price, slack); !ok {
				return nil, fmt.Errorf("the knapsacks of a proof need more than %d steps", maxKnapsackWork)
			}
			known[r.group[k]] = v
		}
		worth[k] = v
	}
	return worth, nil
}
