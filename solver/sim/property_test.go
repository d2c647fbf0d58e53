package sim

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
)

// drawTopology makes up to 4 racks, with or without pools.
func drawTopology(t *rapid.T) (topology Topology) {
	racks := rapid.IntRange(1, 4).Draw(t, "racks")
	capacity := rapid.Custom(func(t *rapid.T) Rate {
		unit := rapid.SampledFrom([]Rate{BytePerSecond, mega}).Draw(t, "unit")
		return Rate(rapid.Int64Range(1, 1000).Draw(t, "capacity")) * unit
	})
	for kind := range linkKinds {
		if kind <= RackIn || rapid.Bool().Draw(t, "modelled") {
			topology[kind] = rapid.SliceOfN(capacity, racks, racks).Draw(t, fmt.Sprint(kind))
		}
	}
	return topology
}

func drawFlow(t *rapid.T, n *Network) Flow {
	rack := rapid.Int32Range(0, int32(len(n.topology[RackOut]))-1)
	return Flow{From: rack.Draw(t, "from"), To: rack.Draw(t, "to"), Weight: rapid.Int32Range(1, 5).Draw(t, "weight"),
		Limit:  rapid.SampledFrom([]Rate{0, 0, 7 * BytePerSecond, 3 * mega}).Draw(t, "limit"),
		Volume: model.Bytes(rapid.SampledFrom([]int64{0, 1, 3, 1000, 12_345_678, 1 << 36}).Draw(t, "volume"))}
}

// links recomputes the route of a flow.
func links(n *Network, f Flow) (list []Link) {
	racks := Link(len(n.topology[RackOut]))
	if f.From != f.To {
		list = append(list, Link(f.From), racks+Link(f.To))
	}
	if n.topology[PoolDown] != nil {
		list = append(list, 2*racks+Link(f.To))
	}
	return list
}

// TestNaive applies the same operations to a Network and to the naive one: on any topology, or with many flows in one
// class. Completions, rates, remaining bytes and traffic must agree to the unit. It does not compare after each step,
// since queries force updates that are otherwise deferred.
func TestNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		topology, steps, draw := Uniform(2, 10*mega), rapid.IntRange(30, 80), drawAlike
		if rapid.IntRange(0, 3).Draw(t, "any topology") > 0 {
			topology, steps, draw = drawTopology(t), rapid.IntRange(1, 25), drawFlow
		}
		n := New(topology)
		m := &naive{}
		for l := range n.bytes {
			m.capacities = append(m.capacities, n.Capacity(Link(l)))
			m.bytes = append(m.bytes, new(big.Int))
		}
		for step := range steps.Draw(t, "steps") {
			switch action := rapid.IntRange(0, 7).Draw(t, "action"); {
			case action <= 2 || len(m.flows) == 0:
				start(t, n, m, draw(t, n), int64(step))
			case action <= 4:
				change(t, n, m)
			default:
				advanceBoth(t, n, m)
			}
			if rapid.IntRange(0, 3).Draw(t, "compare") == 0 {
				compare(t, n, m)
			}
		}
		compare(t, n, m)
	})
}

// drawAlike makes flows of one class.
func drawAlike(t *rapid.T, _ *Network) Flow {
	return Flow{From: 0, To: 1, Weight: 1,
		Volume: model.Bytes(rapid.IntRange(1, 1_000_000_000).Draw(t, "volume"))}
}

// start starts a flow.
func start(t *rapid.T, n *Network, m *naive, f Flow, tag int64) {
	f.Tag = tag
	d := Demand{links(n, f), int64(f.Weight), f.Limit}
	if d.Limit == 0 {
		d.Limit = Unlimited
	}
	m.flows = append(m.flows, &naiveFlow{n.Start(f), f.Tag, d, f.Volume, bigGrains(f.Volume)})
}

// change reweighs or adds to one flow.
func change(t *rapid.T, n *Network, m *naive) {
	i := rapid.IntRange(0, len(m.flows)-1).Draw(t, "flow")
	f := m.flows[i]
	if rapid.Bool().Draw(t, "reweigh") {
		f.demand.Weight = int64(rapid.Int32Range(1, 9).Draw(t, "new weight"))
		n.SetWeight(f.id, int32(f.demand.Weight))
		return
	}
	more := model.Bytes(rapid.IntRange(0, 10_000).Draw(t, "more"))
	n.Add(f.id, more)
	f.volume += more
	f.left.Add(f.left, bigGrains(more))
}

func advanceBoth(t *rapid.T, n *Network, m *naive) {
	to, ok := m.next()
	if rapid.Bool().Draw(t, "ask") {
		if got, gotOK := n.NextCompletion(); got != to || gotOK != ok {
			t.Fatalf("next completion at %d (%v), expected %d (%v)", got, gotOK, to, ok)
		}
	}
	if !ok || rapid.Bool().Draw(t, "any time") {
		to = n.now + model.Time(rapid.SampledFrom([]int64{0, 1, 1000, 3_000_000, 5_000_000_000}).Draw(t, "wait"))
	}
	if got, want := n.Advance(to, nil), m.advance(to); !slices.Equal(got, want) {
		t.Fatalf("until %d: %v, expected %v", to, got, want)
	}
}

func compare(t *rapid.T, n *Network, m *naive) {
	if n.now != m.now || n.Active() != len(m.flows) {
		t.Fatalf("%d flows at %d, expected %d at %d", n.Active(), n.now, len(m.flows), m.now)
	}
	load := make([]Rate, len(n.bytes))
	// flows' bytes rounded down, each separately and in total
	least, most := make([]*big.Int, len(n.bytes)), make([]*big.Int, len(n.bytes))
	for l := range load {
		least[l] = new(big.Int).Set(m.bytes[l])
		most[l] = new(big.Int).Mul(m.bytes[l], new(big.Int).SetUint64(grains))
	}
	for i, level := range m.levels() {
		f := m.flows[i]
		if got := n.Remaining(f.id); new(big.Int).Sub(big.NewInt(int64(f.volume)),
			f.arrived()).Cmp(big.NewInt(int64(got))) != 0 {
			t.Fatalf("flow %d: %d bytes remain; %v have arrived", f.tag, got, f.arrived())
		}
		if got := n.Rate(f.id); level < Unlimited && got != level*Rate(f.demand.Weight) {
			t.Fatalf("flow %d: rate %d, expected %d · %d", f.tag, got, level, f.demand.Weight)
		}
		for _, l := range f.demand.Links {
			load[l] += level * Rate(f.demand.Weight)
			least[l].Add(least[l], f.arrived())
			most[l].Add(most[l], new(big.Int).Sub(bigGrains(f.volume), f.left))
		}
	}
	for l, want := range load {
		if got := n.LinkLoad(Link(l)); got != want || got > n.Capacity(Link(l)) {
			t.Fatalf("link %d carries %d, expected %d of %d", l, got, want, n.Capacity(Link(l)))
		}
		got := big.NewInt(int64(n.LinkBytes(Link(l))))
		if got.Cmp(least[l]) < 0 || got.Cmp(most[l].Div(most[l], new(big.Int).SetUint64(grains))) > 0 {
			t.Fatalf("link %d: %v bytes, expected %v to %v", l, got, least[l], most[l])
		}
	}
}
