package hta

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/bits"

	"mrsched/model"
)

// This file computes what server prices prove where racks count: inequality (2) of docs/mathematics.md, section hta,
// for each limit of class. Costs are c₁ ≤ c₂ ≤ c₃, prices y_s ≥ 0, Y_R the least in rack R and Y₀ the least of all;
// h_s(T) is what the tasks on server s weigh at most within load T, v_t what task t weighs at least.

// KindServerPrices is the kind of certificate that states prices of servers.
const KindServerPrices = "server-prices"

// maxVectors allows one price vector for each limit of class.
const maxVectors = 3

// maxWeight bounds price · tasks · c₃/gcd, so that all sums of weights stay within 63 bits.
const maxWeight = 1 << 62

// maxKnapsack is the most combinations that one knapsack tries.
const maxKnapsack = 512

// PriceLimit is the largest price that a certificate may have; 0 if prices prove nothing.
func (in *Instance) PriceLimit() int64 {
	c := in.ClassCosts()
	if c[2] == 0 {
		return 0
	}
	return int64(maxWeight / uint64(in.Tasks) / uint64(c[2]))
}

// ClassCosts are c₁, c₂, c₃ in units of PriceUnit.
func (in *Instance) ClassCosts() [3]int64 {
	g := in.PriceUnit()
	return [3]int64{int64(in.Cost.Local / g), int64(in.Cost.Rack.Value / g), int64(in.Cost.Remote.At(0) / g)}
}

// PriceUnit is the greatest common divisor of the costs: all loads are multiples of it.
func (in *Instance) PriceUnit() model.Time {
	return max(1, model.GCD(in.Cost.Local, model.GCD(in.Cost.Rack.Value, in.Cost.Remote.At(0))))
}

// priceError says why prices are invalid.
func (in *Instance) priceError(prices [][]int64) error {
	switch {
	case !in.Cost.Rack.Known:
		return errors.New("certificate: server prices need a cost for racks")
	case len(prices) == 0 || len(prices) > maxVectors:
		return fmt.Errorf("certificate: %d price vectors; one to three", len(prices))
	}
	limit := in.PriceLimit()
	for _, y := range prices {
		if len(y) != in.Servers {
			return fmt.Errorf("certificate: %s for %s", model.Counted(len(y), "price"), model.Counted(in.Servers, "server"))
		}
		for _, p := range y {
			if p < 0 || p > limit {
				return fmt.Errorf("certificate: prices lie between 0 and %d", limit)
			}
		}
	}
	return nil
}

// provePrices is what a certificate of kind server-prices proves, in seconds.
func (in *Instance) provePrices(prices [][]int64) (*big.Rat, error) {
	if err := in.priceError(prices); err != nil {
		return nil, err
	}
	return big.NewRat(int64(in.PriceBound(prices)), int64(model.Second)), nil
}

// PriceBound is the lower bound on the makespan that price vectors prove, each one price per server between 0 and
// PriceLimit.
func (in *Instance) PriceBound(prices [][]int64) model.Time {
	var most [3]model.Time
	for _, y := range prices {
		for k, v := range in.ClassBounds(y) {
			most[k] = max(most[k], v)
		}
	}
	return min(max(in.Cost.Local, most[0]), max(in.Cost.Rack.Value, most[1]), max(in.Cost.Remote.At(0), most[2]))
}

// ClassBounds returns T₁, T₂, T₃ for one price vector: a lower bound on the makespan of assignments with node-local
// tasks only, with no task outside the racks of its block, and of all assignments; the largest Time where no such
// assignment exists.
//
// Complexity: O(replicas + servers), then a few dozen knapsacks for each distinct pair (y_s, Y_R).
func (in *Instance) ClassBounds(y []int64) [3]model.Time {
	p := in.pricing(y)
	var bound [3]model.Time
	for k := range bound {
		if p.impossible[k] {
			bound[k] = math.MaxInt64
			continue
		}
		low, high := int64(0), int64(in.Tasks)*p.cost[2] // high has room for all tasks on one server
		for low < high {
			if mid := low + (high-low)/2; p.room(k, mid) {
				high = mid
			} else {
				low = mid + 1
			}
		}
		bound[k] = model.Time(low) * in.PriceUnit()
	}
	return bound
}

// pricing is an evaluated price vector.
type pricing struct {
	cost  [3]int64
	kinds map[pricedServer]int64 // how many servers there are of each kind
	least int64                  // Y₀
	need  [3]int64               // Σ_t v_t with the first one, two and three terms
	// impossible says that some task has no server if only the first terms count.
	impossible [3]bool
}

// count adds a block's readers, which weigh v each, to the sum with the first k+1 terms; v is noPrice if there is none.
func (p *pricing) count(k int, readers, v int64) {
	if v == noPrice {
		p.impossible[k] = true
		return
	}
	p.need[k] += readers * v
}

// noPrice is above every weight.
const noPrice = math.MaxInt64

// pricedServer is all that matters about a server: its price and the least price in its rack; −1: no rack.
type pricedServer struct{ own, rack int64 }

func (in *Instance) pricing(y []int64) *pricing {
	p := &pricing{cost: in.ClassCosts(), kinds: map[pricedServer]int64{}, least: y[0]}
	rack := make([]int64, in.Racks)
	for i := range rack {
		rack[i] = -1
	}
	for s, price := range y {
		p.least = min(p.least, price)
		if r := in.Rack[s]; r != model.None && (rack[r] < 0 || price < rack[r]) {
			rack[r] = price
		}
	}
	for s, price := range y {
		kind := pricedServer{price, -1}
		if r := in.Rack[s]; r != model.None {
			kind.rack = rack[r]
		}
		p.kinds[kind]++
	}
	for b := range int32(in.Blocks) {
		n, v := int64(in.Readers(b)), int64(noPrice)
		for _, s := range in.Replicas(b) {
			v = min(v, p.cost[0]*y[s])
		}
		p.count(0, n, v)
		for _, r := range in.ReplicaRacks(b) {
			v = min(v, p.cost[1]*rack[r])
		}
		p.count(1, n, v)
		p.count(2, n, min(v, p.cost[2]*p.least))
	}
	return p
}

// room says whether inequality (2) holds at a load for the first k+1 classes.
func (p *pricing) room(k int, load int64) bool {
	left := uint64(p.need[k])
	for s, count := range p.kinds {
		hi, lo := bits.Mul64(uint64(count), uint64(p.knapsack(s, k, load)))
		if hi > 0 || lo >= left {
			return true
		}
		left -= lo
	}
	return left == 0
}

// knapsack is h_s, or y_s·T.
func (p *pricing) knapsack(s pricedServer, k int, load int64) int64 {
	weight := [3]int64{p.cost[0] * s.own, p.cost[1] * s.rack, p.cost[2] * p.least}
	var cost, worth, most [3]int64 // of the classes that count: tasks of cost 0 weigh nothing
	n, tries := 0, int64(1)
	for i := range k + 1 {
		if p.cost[i] == 0 || i == 1 && s.rack < 0 {
			continue
		}
		cost[n], worth[n] = p.cost[i], weight[i]
		if n > 0 {
			most[n] = cost[0]/model.GCD(cost[0], cost[n]) - 1
			tries = min(tries*(most[n]+1), 2*maxKnapsack)
		}
		n++
	}
	switch {
	case n == 0:
		return 0
	case tries > maxKnapsack:
		return s.own * load
	}
	best := int64(0)
	for c := int64(0); c <= most[2] && c*cost[2] <= load; c++ {
		for b := int64(0); b <= most[1] && b*cost[1]+c*cost[2] <= load; b++ {
			a := (load - b*cost[1] - c*cost[2]) / cost[0]
			best = max(best, a*worth[0]+b*worth[1]+c*worth[2])
		}
	}
	return best
}
