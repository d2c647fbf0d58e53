package sim

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
)

// drawTopology makes up to 4 racks with up to 2 nodes each, with or without node links or pools.
func drawTopology(t *rapid.T) Topology {
	racks := rapid.IntRange(1, 4).Draw(t, "racks")
	capacity := rapid.Custom(func(t *rapid.T) Rate {
		unit := rapid.SampledFrom([]Rate{BytePerSecond, mega}).Draw(t, "unit")
		return Rate(rapid.Int64Range(1, 1000).Draw(t, "capacity")) * unit
	})
	topology := Uniform(racks, 2, 1, 0)
	for kind := range linkKinds {
		count := racks
		if kind == NodeUp || kind == NodeDown {
			count *= 2
		}
		if kind <= RackIn || rapid.Bool().Draw(t, "modelled") {
			topology.Capacity[kind] = rapid.SliceOfN(capacity, count, count).Draw(t, fmt.Sprint(kind))
		}
	}
	return topology
}

// links recomputes the route of a flow.
func links(n *Network, from, to Place) (list []int) {
	rack := func(p Place) (int, bool) {
		if p < 0 {
			return int(-p) - 1, false
		}
		return int(n.topology.RackOf[p]), true
	}
	add := func(kind LinkKind, i int) {
		if n.topology.Capacity[kind] != nil {
			list = append(list, int(n.Link(kind, i)))
		}
	}
	a, fromNode := rack(from)
	b, toNode := rack(to)
	switch {
	case fromNode && from == to:
		return nil
	case fromNode:
		add(NodeUp, int(from))
	default:
		add(PoolUp, a)
	}
	if a != b {
		add(RackOut, a)
		add(RackIn, b)
	}
	if toNode {
		add(NodeDown, int(to))
	} else {
		add(PoolDown, b)
	}
	return list
}

func drawPlace(t *rapid.T, n *Network) Place {
	if rapid.Bool().Draw(t, "node") {
		return Node(rapid.IntRange(0, len(n.topology.RackOf)-1).Draw(t, "index"))
	}
	return Rack(rapid.IntRange(0, n.topology.Racks()-1).Draw(t, "index"))
}

func drawFlow(t *rapid.T, n *Network) Flow {
	return Flow{From: drawPlace(t, n), To: drawPlace(t, n), Weight: rapid.Int32Range(1, 5).Draw(t, "weight"),
		Limit:  rapid.SampledFrom([]Rate{0, 0, 7 * BytePerSecond, 3 * mega}).Draw(t, "limit"),
		Volume: model.Bytes(rapid.SampledFrom([]int64{0, 1, 3, 1000, 12_345_678, 1 << 36}).Draw(t, "volume"))}
}

// TestNaive applies the same operations to a Network and to the naive one: on any topology, or with many flows in one
// class. Completions, rates, remaining bytes and traffic must agree to the unit. It does not compare after each step,
// since queries force updates that are otherwise deferred.
func TestNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		topology, steps, draw := Uniform(2, 1, 10*mega, 0), rapid.IntRange(30, 80), drawAlike
		if rapid.IntRange(0, 3).Draw(t, "any topology") > 0 {
			topology, steps, draw = drawTopology(t), rapid.IntRange(1, 25), drawFlow
		}
		n := mustNew(t, topology)
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
	return Flow{From: Rack(0), To: Rack(1), Weight: 1,
		Volume: model.Bytes(rapid.IntRange(1, 1_000_000_000).Draw(t, "volume"))}
}

// start starts a flow; one from a rack may be a mix of that rack alone.
func start(t *rapid.T, n *Network, m *naive, f Flow, tag int64) {
	f.Tag = tag
	d := Demand{links(n, f.From, f.To), int64(f.Weight), f.Limit}
	if d.Limit == 0 {
		d.Limit = Unlimited
	}
	if f.From < 0 && rapid.IntRange(0, 2).Draw(t, "mix") == 0 {
		f.Mix = []Share{{n.rackOf(f.From), 5}}
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

// TestMixConserves runs flows from several racks: every byte enters and leaves where it should, and no link is over
// capacity.
func TestMixConserves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := mustNew(t, drawTopology(t))
		racks := n.topology.Racks()
		out, in := make([]*big.Rat, racks), make([]model.Bytes, racks)
		for r := range out {
			out[r] = new(big.Rat)
		}
		count := rapid.IntRange(1, 6).Draw(t, "flows")
		for range count {
			f := drawFlow(t, n)
			sink, total := n.rackOf(f.To), int64(1)
			f.Mix = []Share{{0, 1}}
			for r := 1; r < racks; r++ {
				f.Mix = append(f.Mix, Share{r, rapid.Int64Range(0, 1000).Draw(t, "amount")})
				total += f.Mix[r].Amount
			}
			for _, s := range f.Mix {
				if s.Rack != sink {
					part := new(big.Rat).Mul(big.NewRat(int64(f.Volume), 1), big.NewRat(s.Amount, total))
					out[s.Rack].Add(out[s.Rack], part)
				}
			}
			remote := new(big.Int).Mul(big.NewInt(int64(f.Volume)), big.NewInt(total-f.Mix[sink].Amount))
			in[sink] += model.Bytes(remote.Div(remote, big.NewInt(total)).Int64())
			n.Start(f)
		}
		for l := range n.bytes {
			if n.LinkLoad(Link(l)) > n.Capacity(Link(l)) {
				t.Fatalf("link %d over capacity", l)
			}
		}
		if done := run(n); len(done) != count {
			t.Fatalf("%d of %d completed", len(done), count)
		}
		for r := range out {
			if got := n.LinkBytes(n.Link(RackIn, r)); got != in[r] {
				t.Fatalf("rack %d received %d, expected %d", r, got, in[r])
			}
			off := out[r].Sub(out[r], big.NewRat(int64(n.LinkBytes(n.Link(RackOut, r))), 1))
			if off.Abs(off).Cmp(big.NewRat(int64(count), 1)) >= 0 { // a byte a flow
				t.Fatalf("rack %d sent %v bytes other than its share", r, off)
			}
		}
	})
}
