package sim

import (
	"cmp"
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
		return Rate(rapid.Int64Range(1, 1000).Draw(t, "capacity")) * rapid.SampledFrom([]Rate{BytePerSecond, mega}).Draw(t,
			"unit")
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

// TestNaive applies the same operations to a Network and to the naive one. Completions, rates, remaining bytes and
// traffic must agree to the unit.
func TestNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, err := New(drawTopology(t))
		if err != nil {
			t.Fatal(err)
		}
		likeNaive(t, n, rapid.IntRange(1, 25).Draw(t, "steps"), drawFlow)
	})
}

// TestNaiveOneClass has many flows in one class.
func TestNaiveOneClass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, err := New(Uniform(2, 1, 10*mega, 0))
		if err != nil {
			t.Fatal(err)
		}
		likeNaive(t, n, rapid.IntRange(30, 80).Draw(t, "steps"), func(t *rapid.T, _ *Network) Flow {
			return Flow{From: Rack(0), To: Rack(1), Weight: 1, Volume: model.Bytes(rapid.IntRange(1, 1_000_000_000).Draw(t,
				"volume"))}
		})
	})
}

// likeNaive takes random steps. It does not compare after each, since queries force updates that are otherwise
// deferred.
func likeNaive(t *rapid.T, n *Network, steps int, draw func(*rapid.T, *Network) Flow) {
	m := &naive{}
	for l := range n.Links() {
		m.capacities = append(m.capacities, n.Capacity(Link(l)))
		m.bytes = append(m.bytes, new(big.Int))
	}
	for step := range steps {
		switch action := rapid.IntRange(0, 7).Draw(t, "action"); {
		case action <= 2 || len(m.flows) == 0:
			f := draw(t, n)
			f.Tag = int64(step)
			d := Demand{links(n, f.From, f.To), int64(f.Weight), f.Limit}
			if d.Limit == 0 {
				d.Limit = Unlimited
			}
			m.flows = append(m.flows, &naiveFlow{n.Start(f), f.Tag, d, f.Volume, bigGrains(f.Volume)})
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
}

// change stops, reweighs or adds to one flow.
func change(t *rapid.T, n *Network, m *naive) {
	i := rapid.IntRange(0, len(m.flows)-1).Draw(t, "flow")
	f := m.flows[i]
	switch rapid.IntRange(0, 2).Draw(t, "change") {
	case 0:
		got, ok := n.Stop(f.id)
		if !ok || f.arrived().Cmp(big.NewInt(int64(got))) != 0 {
			t.Fatalf("stopped after %d bytes, expected %v", got, f.arrived())
		}
		m.count(f)
		m.flows = slices.Delete(m.flows, i, i+1)
	case 1:
		f.demand.Weight = int64(rapid.Int32Range(1, 9).Draw(t, "new weight"))
		n.SetWeight(f.id, int32(f.demand.Weight))
	default:
		more := model.Bytes(rapid.IntRange(0, 10_000).Draw(t, "more"))
		n.Add(f.id, more)
		f.volume += more
		f.left.Add(f.left, bigGrains(more))
	}
}

func advanceBoth(t *rapid.T, n *Network, m *naive) {
	to, ok := m.next()
	if rapid.Bool().Draw(t, "ask") {
		if got, gotOK := n.NextCompletion(); got != to || gotOK != ok {
			t.Fatalf("next completion at %d (%v), expected %d (%v)", got, gotOK, to, ok)
		}
	}
	if !ok || rapid.Bool().Draw(t, "any time") {
		to = n.Now() + model.Time(rapid.SampledFrom([]int64{0, 1, 1000, 3_000_000, 5_000_000_000}).Draw(t, "wait"))
	}
	if got, want := n.Advance(to, nil), m.advance(to); !slices.Equal(got, want) {
		t.Fatalf("until %d: %v, expected %v", to, got, want)
	}
}

func compare(t *rapid.T, n *Network, m *naive) {
	if n.Now() != m.now || n.Active() != len(m.flows) {
		t.Fatalf("%d flows at %d, expected %d at %d", n.Active(), n.Now(), len(m.flows), m.now)
	}
	load := make([]Rate, n.Links())
	// flows' bytes rounded down, each separately and in total
	least, most := make([]*big.Int, n.Links()), make([]*big.Int, n.Links())
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

// TestOrder starts the same flows in another order, and in pieces of weight 1, and expects the same completions.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		topology := drawTopology(t)
		n, err := New(topology)
		if err != nil {
			t.Fatal(err)
		}
		flows := make([]Flow, rapid.IntRange(1, 10).Draw(t, "flows"))
		for i := range flows {
			flows[i] = drawFlow(t, n)
			flows[i].Tag = int64(i)
			flows[i].Volume -= flows[i].Volume % model.Bytes(flows[i].Weight)
			n.Start(flows[i])
		}
		want := run(n)
		pieces, err := New(topology)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range rapid.Permutation(indices(len(flows))).Draw(t, "order") {
			f := flows[i]
			f.Volume, f.Weight = f.Volume/model.Bytes(f.Weight), 1
			for range flows[i].Weight {
				pieces.Start(f)
			}
		}
		got := run(pieces)
		slices.SortFunc(got, func(a, b Completion) int {
			return cmp.Or(cmp.Compare(a.Time, b.Time),
				cmp.Compare(a.Tag, b.Tag))
		})
		for _, d := range want {
			for range flows[d.Tag].Weight {
				if len(got) == 0 || got[0].Time != d.Time || got[0].Tag != d.Tag {
					t.Fatalf("expected flow %d at %d, not %v", d.Tag, d.Time, got)
				}
				got = got[1:]
			}
		}
		for l := range n.Links() {
			if a, b := n.LinkBytes(Link(l)), pieces.LinkBytes(Link(l)); a != b {
				t.Fatalf("link %d: %d bytes, %d in pieces", l, a, b)
			}
		}
	})
}

// TestMixConserves runs flows from several racks: every byte enters and leaves where it should, and no link is over
// capacity.
func TestMixConserves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, err := New(drawTopology(t))
		if err != nil {
			t.Fatal(err)
		}
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
		for l := range n.Links() {
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

// TestMixOfOne replaces flows from a rack by mixes of that rack alone.
func TestMixOfOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		topology := drawTopology(t)
		plain, err := New(topology)
		if err != nil {
			t.Fatal(err)
		}
		mixed, err := New(topology)
		if err != nil {
			t.Fatal(err)
		}
		for i := range rapid.IntRange(1, 8).Draw(t, "flows") {
			f := drawFlow(t, plain)
			rack := rapid.IntRange(0, topology.Racks()-1).Draw(t, "rack")
			f.From, f.Tag = Rack(rack), int64(i)
			plain.Start(f)
			f.Mix = []Share{{rack, 5}}
			mixed.Start(f)
		}
		want := run(plain)
		if got := run(mixed); !slices.Equal(got, want) {
			t.Fatalf("%v, expected %v", got, want)
		}
	})
}

func TestReproducible(t *testing.T) {
	trace := func() []Completion {
		n := mustNew(t, Uniform(4, 3, 50*mega, 20*mega))
		for i := range 200 {
			n.Start(Flow{From: Node(i * 7 % 12), To: Rack(i % 4), Weight: int32(1 + i%3), Volume: model.Bytes(1 + i*i*1009),
				Tag: int64(i)})
		}
		return run(n)
	}
	if first := trace(); len(first) != 200 || !slices.Equal(first, trace()) {
		t.Errorf("%d completions, or others in a second run", len(first))
	}
}
