package multitenant

import (
	"cmp"
	"math/big"
	"math/bits"
	"slices"

	"mrsched/model"
)

// evaluator computes what jobs pay; see Prices.
type evaluator struct {
	*Relaxation
	price    []int64 // by resource
	cross    int64
	kinds    []kindCosts
	modes    []model.Wide // by rack of the reduces: what the maps pay
	overflow bool
}

// kindCosts is what a map of a kind pays, by rack; none without slots.
type kindCosts struct {
	home   []uint64 // in a rack with a replica
	afar   []uint64 // in another one, without what its input pays to leave the source's rack
	leave  []uint64 // for its output to leave the rack
	cheap  []int32  // racks by afar + leave, ascending
	read   uint64   // for its input to leave a rack, at a price of 1
	output uint64
}

// none is the cost of an impossible choice.
const none = 1 << 62

// The links of a rack, in the order of their resources.
const (
	outward = iota
	inward
	fabric
)

// priceAt is the price of a link of a rack.
func (e *evaluator) priceAt(link, rack int) int64 {
	return e.price[2*len(e.Places)+link*e.in.Racks+rack]
}

// times is a product that must stay below none/8.
func (e *evaluator) times(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	if high > 0 || low >= none/8 {
		e.overflow = true
		return 0
	}
	return low
}

// offer sets the costs of a job's kinds.
func (e *evaluator) offer(job *JobGroups) {
	racks := e.in.Racks
	for len(e.kinds) < len(job.Kinds) {
		e.kinds = append(e.kinds, kindCosts{home: make([]uint64, racks), afar: make([]uint64, racks),
			leave: make([]uint64, racks), cheap: make([]int32, racks)})
	}
	for i := range job.Kinds {
		m, c := &job.Kinds[i], &e.kinds[i]
		c.read, c.output = uint64(m.Input), uint64(m.Output)
		for k := range racks {
			c.cheap[k] = int32(k)
			c.home[k], c.afar[k] = none, none
			for _, at := range e.AtRack[k] {
				p := &e.Places[at]
				if p.MapSlots > 0 {
					y := uint64(e.price[at])
					c.home[k] = min(c.home[k], e.times(uint64(e.MapTime(m, p, false)), y))
					c.afar[k] = min(c.afar[k], e.times(uint64(e.MapTime(m, p, true)), y))
				}
			}
			if c.afar[k] < none {
				c.afar[k] += e.times(c.read, uint64(e.priceAt(inward, k)+e.priceAt(fabric, k)+e.cross))
			}
			c.leave[k] = e.times(c.output, uint64(e.priceAt(outward, k)+e.cross))
		}
		slices.SortFunc(c.cheap, func(a, b int32) int { return cmp.Compare(c.afar[a]+c.leave[a], c.afar[b]+c.leave[b]) })
	}
}

// away is what a map of a group pays for its input to leave the source's rack.
func (e *evaluator) away(m *MapGroup, c *kindCosts) uint64 {
	if m.Source < 0 {
		return 0
	}
	return e.times(c.read, uint64(e.priceAt(outward, int(m.Source))))
}

// elsewhere is the least that a map of a group pays if its output leaves the rack.
func (e *evaluator) elsewhere(m *MapGroup, c *kindCosts, away uint64) uint64 {
	least := uint64(none)
	if len(m.Racks) == 0 {
		for k, v := range c.home {
			least = min(least, v+c.leave[k])
		}
		return least
	}
	for _, k := range m.Racks {
		least = min(least, c.home[k]+c.leave[k])
	}
	for _, k := range c.cheap {
		if !slices.Contains(m.Racks, k) {
			return min(least, c.afar[k]+away+c.leave[k])
		}
	}
	return least
}

// pays sets c to c_j of a job. Maps of a job that shuffles nothing put out nothing: they pay as little with the reduces
// in any rack.
func (e *evaluator) pays(job *JobGroups, c *big.Int) *big.Int {
	e.offer(job)
	if job.ReduceCount == 0 {
		var sum model.Wide
		for i := range job.Maps {
			m := &job.Maps[i]
			k := &e.kinds[m.Kind]
			sum = sum.Plus(model.Product(uint64(m.Count), e.elsewhere(m, k, e.away(m, k))))
		}
		return sum.Into(c)
	}
	e.mapsPay(job)
	c.SetInt64(0)
	y, z := new(big.Int), new(big.Int)
	volume, count := big.NewInt(int64(job.Volume)), big.NewInt(job.ReduceCount)
	for i := range job.Reduces {
		r := &job.Reduces[i]
		least := new(big.Int)
		first := true
		for l := range e.in.Racks {
			own := e.reduceCost(r, l)
			if own >= none {
				continue
			}
			e.modes[l].Into(y)
			y.Add(y, z.Mul(z.SetUint64(own), count))
			y.Add(y, z.Mul(z.SetInt64(e.priceAt(fabric, l)), volume))
			if first || y.Cmp(least) < 0 {
				least.Set(y)
			}
			first = false
		}
		c.Add(c, least.Mul(least, z.SetInt64(r.Count)))
	}
	return c.Quo(c, count)
}

// mapsPay sets what the maps of a job pay if all its reduces are in a rack, for every rack.
func (e *evaluator) mapsPay(job *JobGroups) {
	clear(e.modes)
	enter := make([][]uint64, len(job.Kinds)) // by kind, by rack: what its output pays to enter
	for i := range enter {
		enter[i] = make([]uint64, e.in.Racks)
		for l := range enter[i] {
			enter[i][l] = e.times(e.kinds[i].output, uint64(e.priceAt(inward, l)))
		}
	}
	for i := range job.Maps {
		m := &job.Maps[i]
		c, count := &e.kinds[m.Kind], uint64(m.Count)
		away := e.away(m, c)
		elsewhere, in := e.elsewhere(m, c, away), enter[m.Kind]
		next := 0 // of the racks with replicas
		for l := range e.modes {
			own := c.afar[l] + away
			if len(m.Racks) == 0 || next < len(m.Racks) && int(m.Racks[next]) == l {
				own = c.home[l]
				next++
			}
			e.modes[l] = e.modes[l].Plus(model.Product(count, min(own, elsewhere+in[l])))
		}
	}
}

// reduceCost is what a reduce of a group pays in a rack for its slot; none without slots.
func (e *evaluator) reduceCost(r *ReduceGroup, rack int) uint64 {
	cost := uint64(none)
	for _, i := range e.AtRack[rack] {
		if p := &e.Places[i]; p.ReduceSlots > 0 {
			cost = min(cost, e.times(uint64(e.ReduceTime(r, p)), uint64(e.price[len(e.Places)+int(i)])))
		}
	}
	return cost
}
