package multitenant

import (
	"cmp"
	"math/big"
	"math/bits"
	"slices"

	"mrsched/model"
)

// Payer computes what jobs pay at prices (see Prices) and, if asked, which resources they use when they pay no more.
type Payer struct {
	*Relaxation
	price    []int64 // by resource
	cross    int64
	kinds    []kindCosts
	modes    []model.Wide // by rack of the reduces: what the maps pay
	share    []float64    // by rack: the share of a job's reduces that choose it
	overflow bool

	// Use is by resource: microseconds of slots, bytes over links; then the bytes that cross racks. Nil: nobody asks.
	// Ties: the first rack, then the first place.
	Use []float64
}

// NewPayer is for prices by resource, and one of crossing racks.
func (x *Relaxation) NewPayer(price []int64, cross int64) *Payer {
	return &Payer{Relaxation: x, price: price, cross: cross, modes: make([]model.Wide, x.in.Racks),
		share: make([]float64, x.in.Racks)}
}

// kindCosts is what a map of a kind pays, by rack.
type kindCosts struct {
	home   offers   // in a rack with a replica
	afar   offers   // in another one, without what its input pays to leave the source's rack
	leave  []uint64 // for its output to leave the rack
	cheap  []int32  // racks by afar + leave, ascending
	read   uint64   // bytes
	output uint64
}

// offers are the cheapest places, by rack.
type offers struct {
	cost  []uint64 // none without slots
	place []int32
}

func (o *offers) offer(k int, place int32, cost uint64) {
	if cost < o.cost[k] {
		o.cost[k], o.place[k] = cost, place
	}
}

// none is the cost of an impossible choice.
const none = 1 << 62

// The links of a rack, in the order of their resources.
const (
	outward = iota
	inward
	fabric
)

// linkAt is the resource of a link of a rack.
func (e *Payer) linkAt(link int, rack int32) int {
	return 2*len(e.Places) + link*e.in.Racks + int(rack)
}

// priceAt is the price of a link of a rack.
func (e *Payer) priceAt(link, rack int) int64 { return e.price[e.linkAt(link, int32(rack))] }

// times is a product that must stay below none/8.
func (e *Payer) times(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	if high > 0 || low >= none/8 {
		e.overflow = true
		return 0
	}
	return low
}

// offer sets the costs of a job's kinds.
func (e *Payer) offer(job *JobGroups) {
	racks := e.in.Racks
	list := func() offers { return offers{make([]uint64, racks), make([]int32, racks)} }
	for len(e.kinds) < len(job.Kinds) {
		e.kinds = append(e.kinds, kindCosts{home: list(), afar: list(), leave: make([]uint64, racks),
			cheap: make([]int32, racks)})
	}
	for i := range job.Kinds {
		m, c := &job.Kinds[i], &e.kinds[i]
		c.read, c.output = uint64(m.Input), uint64(m.Output)
		for k := range racks {
			c.cheap[k] = int32(k)
			c.home.cost[k], c.afar.cost[k] = none, none
			for _, at := range e.AtRack[k] {
				if p := &e.Places[at]; p.MapSlots > 0 {
					y := uint64(e.price[at])
					c.home.offer(k, at, e.times(uint64(e.MapTime(m, p, false)), y))
					c.afar.offer(k, at, e.times(uint64(e.MapTime(m, p, true)), y))
				}
			}
			if c.afar.cost[k] < none {
				c.afar.cost[k] += e.times(c.read, uint64(e.priceAt(inward, k)+e.priceAt(fabric, k)+e.cross))
			}
			c.leave[k] = e.times(c.output, uint64(e.priceAt(outward, k)+e.cross))
		}
		slices.SortStableFunc(c.cheap, func(a, b int32) int {
			return cmp.Compare(c.afar.cost[a]+c.leave[a], c.afar.cost[b]+c.leave[b])
		})
	}
}

// away is what a map of a group pays for its input to leave the source's rack.
func (e *Payer) away(m *MapGroup) uint64 {
	if m.Source < 0 {
		return 0
	}
	return e.times(e.kinds[m.Kind].read, uint64(e.priceAt(outward, int(m.Source))))
}

// own is what a map of a group pays in a rack, without its output.
func (e *Payer) own(m *MapGroup, rack int32, away uint64) uint64 {
	c := &e.kinds[m.Kind]
	if m.Near(rack) {
		return c.home.cost[rack]
	}
	return c.afar.cost[rack] + away
}

// elsewhere is the least that a map of a group pays if its output leaves the rack, and that rack.
func (e *Payer) elsewhere(m *MapGroup, away uint64) (least uint64, rack int32) {
	c := &e.kinds[m.Kind]
	least = none
	if len(m.Racks) == 0 {
		for k, v := range c.home.cost {
			if v += c.leave[k]; v < least {
				least, rack = v, int32(k)
			}
		}
		return least, rack
	}
	for _, k := range m.Racks {
		if v := c.home.cost[k] + c.leave[k]; v < least {
			least, rack = v, k
		}
	}
	for _, k := range c.cheap {
		if slices.Contains(m.Racks, k) {
			continue
		}
		if v := c.afar.cost[k] + away + c.leave[k]; v < least {
			least, rack = v, k
		}
		break
	}
	return least, rack
}

// Pays sets c to c_j of a job. Maps of a job that shuffles nothing put out nothing: they pay as little with the reduces
// in any rack.
func (e *Payer) Pays(j int32, c *big.Int) *big.Int {
	job := &e.Jobs[j]
	e.offer(job)
	if job.ReduceCount == 0 {
		var sum model.Wide
		for i := range job.Maps {
			m := &job.Maps[i]
			least, rack := e.elsewhere(m, e.away(m))
			sum = sum.Plus(model.Product(uint64(m.Count), least))
			e.use(job, m, rack, float64(m.Count))
		}
		return sum.Into(c)
	}
	e.mapsPay(job)
	c.SetInt64(0)
	clear(e.share)
	y, z := new(big.Int), new(big.Int)
	for i := range job.Reduces {
		r := &job.Reduces[i]
		least, rack, at := model.Wide{}, int32(model.None), int32(0)
		for l := range int32(e.in.Racks) {
			own, place := e.reduceCost(r, l)
			if own >= none {
				continue
			}
			v := e.modes[l].Plus(model.Product(own, uint64(job.ReduceCount)))
			v = v.Plus(model.Product(uint64(e.priceAt(fabric, int(l))), uint64(job.Volume)))
			if rack == model.None || v.Less(least) {
				least, rack, at = v, l, place
			}
		}
		c.Add(c, y.Mul(least.Into(y), z.SetInt64(r.Count)))
		if e.Use != nil && rack != model.None {
			e.share[rack] += float64(r.Count) / float64(job.ReduceCount)
			e.Use[len(e.Places)+int(at)] += float64(r.Count) * float64(e.ReduceTime(r, &e.Places[at]))
		}
	}
	for l, share := range e.share {
		if share > 0 {
			e.useMode(job, int32(l), share)
		}
	}
	return c.Quo(c, z.SetInt64(job.ReduceCount))
}

// mapsPay sets what the maps of a job pay if all its reduces are in a rack, for every rack.
func (e *Payer) mapsPay(job *JobGroups) {
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
		away := e.away(m)
		elsewhere, _ := e.elsewhere(m, away)
		in := enter[m.Kind]
		next := 0 // of the racks with replicas
		for l := range e.modes {
			own := c.afar.cost[l] + away
			if len(m.Racks) == 0 || next < len(m.Racks) && int(m.Racks[next]) == l {
				own = c.home.cost[l]
				next++
			}
			e.modes[l] = e.modes[l].Plus(model.Product(count, min(own, elsewhere+in[l])))
		}
	}
}

// reduceCost is what a reduce of a group pays in a rack for its slot, and the place; none without slots.
func (e *Payer) reduceCost(r *ReduceGroup, rack int32) (cost uint64, place int32) {
	cost = none
	for _, i := range e.AtRack[rack] {
		if p := &e.Places[i]; p.ReduceSlots > 0 {
			if v := e.times(uint64(e.ReduceTime(r, p)), uint64(e.price[len(e.Places)+int(i)])); v < cost {
				cost, place = v, i
			}
		}
	}
	return cost, place
}

// useMode adds the use of slots and links by maps, for the share of a job with its reduces in a rack.
func (e *Payer) useMode(job *JobGroups, l int32, share float64) {
	e.Use[e.linkAt(fabric, l)] += share * float64(job.Volume)
	for i := range job.Maps {
		m := &job.Maps[i]
		away := e.away(m)
		elsewhere, rack := e.elsewhere(m, away)
		count, output := share*float64(m.Count), e.kinds[m.Kind].output
		if e.own(m, l, away) <= elsewhere+e.times(output, uint64(e.priceAt(inward, int(l)))) {
			e.use(job, m, l, count)
			continue
		}
		e.use(job, m, rack, count)
		e.move(rack, l, count*float64(output))
	}
}

// use adds maps that run in a rack.
func (e *Payer) use(job *JobGroups, m *MapGroup, rack int32, count float64) {
	if e.Use == nil {
		return
	}
	c, kind := &e.kinds[m.Kind], &job.Kinds[m.Kind]
	place := c.home.place[rack]
	if !m.Near(rack) {
		place = c.afar.place[rack]
		bytes := count * float64(c.read)
		e.move(m.Source, rack, bytes)
		e.Use[e.linkAt(fabric, rack)] += bytes
	}
	e.Use[place] += count * float64(e.MapTime(kind, &e.Places[place], !m.Near(rack)))
}

// move adds bytes that go from rack to rack.
func (e *Payer) move(from, to int32, bytes float64) {
	e.Use[e.linkAt(outward, from)] += bytes
	e.Use[e.linkAt(inward, to)] += bytes
	e.Use[len(e.Capacity)] += bytes
}
