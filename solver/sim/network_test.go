package sim

import (
	"slices"
	"strings"
	"testing"

	"mrsched/model"
)

// mega is 10⁶ bytes a second.
const mega = 1_000_000 * BytePerSecond

func mustNew(t testing.TB, topology Topology) *Network {
	t.Helper()
	n, err := New(topology)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// run advances completion by completion until nothing completes any more.
func run(n *Network) (done []Completion) {
	for {
		next, ok := n.NextCompletion()
		if !ok {
			return done
		}
		done = n.Advance(next, done)
	}
}

// TestCompletions compares with closed forms: racks with links of 60 MB/s each way, nodes with 20 MB/s where there are
// node links.
func TestCompletions(t *testing.T) {
	const s, mb = model.Second, model.Bytes(1_000_000)
	flow := func(from, to Place, weight int32, volume model.Bytes) Flow {
		return Flow{From: from, To: to, Weight: weight, Volume: volume}
	}
	tests := []struct {
		name  string
		node  Rate
		flows []Flow
		want  []model.Time // by flow
	}{
		{"alone", 0, []Flow{flow(Rack(0), Rack(1), 1, 60*mb)}, []model.Time{s}},
		{"a byte: 16 and two thirds ns", 0, []Flow{flow(Rack(0), Rack(1), 1, 1)}, []model.Time{1}},
		// Each gets 20 until 60 have arrived at 3 s, then 30 until 60 more have at 5 s, the last 60 take 1 s.
		{"three on one link", 0, []Flow{flow(Rack(0), Rack(1), 1, 60*mb), flow(Rack(0), Rack(1), 1, 120*mb),
			flow(Rack(0), Rack(1), 1, 180*mb)},
			[]model.Time{3 * s, 5 * s, 6 * s}},
		// 2/3 and 1/3 of 60: 40 and 20; the first takes 2 s, the second has 60 − 40 left for 60/s.
		{"weights", 0, []Flow{flow(Rack(0), Rack(1), 2, 80*mb), flow(Rack(0), Rack(1), 1, 60*mb)},
			[]model.Time{2 * s, 2*s + s/3 + 1}},
		// Out 0 is shared by both, 30 each; after 2 s only 0→2 is left, with 30 MB, at 60.
		{"two receivers", 0, []Flow{flow(Rack(0), Rack(1), 1, 60*mb), flow(Rack(0), Rack(2), 1, 90*mb)},
			[]model.Time{2 * s, 2*s + s/2}},
		{"both directions at once", 0, []Flow{flow(Rack(0), Rack(1), 1, 60*mb), flow(Rack(1), Rack(0), 1, 60*mb)},
			[]model.Time{s, s}},
		{"within a rack without node links", 0, []Flow{flow(Rack(0), Rack(0), 1, 60*mb)}, []model.Time{0}},
		{"no bytes", 0, []Flow{flow(Rack(0), Rack(1), 1, 0)}, []model.Time{0}},
		{"at its limit", 0, []Flow{{From: Rack(0), To: Rack(1), Weight: 2, Limit: 5 * mega, Volume: 10 * mb}},
			[]model.Time{s}},
		{"a limit within a rack", 0, []Flow{{From: Rack(0), To: Rack(0), Weight: 2, Limit: 5 * mega, Volume: 10 * mb}},
			[]model.Time{s}},
		{"nodes of one rack", 20 * mega, []Flow{flow(Node(0), Node(1), 1, 20*mb)}, []model.Time{s}},
		{"within a node", 20 * mega, []Flow{flow(Node(1), Node(1), 1, 20*mb)}, []model.Time{0}},
		{"nodes of two racks", 20 * mega, []Flow{flow(Node(0), Node(2), 1, 20*mb)}, []model.Time{s}},
		// Both end at node 2: 10 each. After 2 s the second has 20 left, at 20.
		{"incast", 20 * mega, []Flow{flow(Node(0), Node(2), 1, 20*mb), flow(Node(3), Node(2), 1, 40*mb)},
			[]model.Time{2 * s, 3 * s}},
		{"a rack's node links are not crossed by what ends anywhere in it", 20 * mega,
			[]Flow{flow(Rack(0), Rack(1), 1, 60*mb)}, []model.Time{s}},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			n := mustNew(t, Uniform(3, 2, 60*mega, c.node))
			for i, f := range c.flows {
				f.Tag = int64(i)
				n.Start(f)
			}
			got := make([]model.Time, len(c.flows))
			for _, d := range run(n) {
				got[d.Tag] = d.Time
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("completed at %v, expected %v", got, c.want)
			}
		})
	}
}

// TestShuffle moves 100 GB from ten racks to ten, 1 GB per pair, through links of 62.5 MB/s. Each link carries 9 GB in
// 144 s. The level is 64·10⁹/9 = 7111111111.1 units, rounded down, so 1.024·10¹⁸ units of service take 144000000.002
// µs, rounded up.
func TestShuffle(t *testing.T) {
	const gb = 1_000_000_000
	n := mustNew(t, Uniform(10, 10, 62_500_000*BytePerSecond, 0))
	for from := range 10 {
		for to := range 10 {
			n.Start(Flow{From: Rack(from), To: Rack(to), Weight: 1, Volume: gb, Tag: int64(10*from + to)})
		}
	}
	for r := range 10 {
		if load, capacity := n.LinkLoad(n.Link(RackOut, r)), n.Capacity(n.Link(RackOut, r)); load > capacity ||
			load < capacity-9 {
			t.Errorf("rack %d sends %v of %v", r, load, capacity)
		}
	}
	n.Advance(72*model.Second, nil)
	// Half of each GB, less a fraction of a byte, is rounded down in each of nine classes.
	if got := n.LinkBytes(n.Link(RackIn, 3)); got != 4_500_000_000-9 {
		t.Errorf("%d bytes after half the time", got)
	}
	done := run(n)
	if len(done) != 90 { // bytes within a rack arrive at once
		t.Fatalf("%d completions", len(done))
	}
	for i, d := range done {
		if d.Time != 144_000_001 || i > 0 && d.Tag <= done[i-1].Tag {
			t.Errorf("pair %d at %d", d.Tag, d.Time)
		}
	}
	total := model.Bytes(0)
	for r := range 10 {
		total += n.LinkBytes(n.Link(RackIn, r))
	}
	if total != 90*gb {
		t.Errorf("%d bytes crossed", total)
	}
}

// TestMix is the worked example of the ShuffleWatcher paper: of 100 GB, 90 % are on rack 0 and 90 % are reduced there,
// so 9 GB go each way, 18 in total. At 60 MB/s rack 1 receives 9 GB in 150 s, at most 1/4096 of the flow slower.
func TestMix(t *testing.T) {
	const gb = 1_000_000_000
	n := mustNew(t, Uniform(2, 1, 60*mega, 0))
	mix := []Share{{0, 90}, {1, 10}}
	n.Start(Flow{Mix: mix, To: Rack(0), Weight: 9, Volume: 90 * gb})
	n.Start(Flow{Mix: mix, To: Rack(1), Weight: 1, Volume: 10 * gb})
	n.Advance(75*model.Second, nil)
	if got := n.LinkBytes(n.Link(RackIn, 1)); got < 4_490_000_000 || got > 4_500_000_000 {
		t.Errorf("%d bytes after half the time", got)
	}
	for _, d := range run(n) {
		if d.Time < 150*model.Second || d.Time > 151*model.Second {
			t.Errorf("completed at %v s", d.Time)
		}
	}
	for _, kind := range []LinkKind{RackOut, RackIn} {
		for r := range 2 {
			if got := n.LinkBytes(n.Link(kind, r)); got != 9*gb {
				t.Errorf("%v %d: %d bytes", kind, r, got)
			}
		}
	}
}

// TestMixSplits moves 10 bytes from racks 0, 1, 2 in proportion 1 : 1 : 1 to rack 1: prefixes 3 and 6 of the others,
// rounded down.
func TestMixSplits(t *testing.T) {
	topology := Uniform(3, 1, 60*mega, 0)
	topology.Capacity[PoolUp], topology.Capacity[PoolDown] = equal(3, mega), equal(3, mega)
	n := mustNew(t, topology)
	n.Start(Flow{Mix: []Share{{0, 1}, {1, 1}, {2, 1}}, To: Rack(1), Weight: 1, Volume: 10})
	if done := run(n); len(done) != 1 || done[0].Time != 10 {
		t.Errorf("%v: 10 bytes through a pool of 1 MB/s take 10 µs", done)
	}
	want := map[LinkKind][3]model.Bytes{RackOut: {3, 0, 3}, RackIn: {0, 6, 0}, PoolUp: {3, 4, 3}, PoolDown: {0, 10, 0}}
	for kind, list := range want {
		for r, bytes := range list {
			if got := n.LinkBytes(n.Link(kind, r)); got != bytes {
				t.Errorf("%v %d: %d bytes, expected %d", kind, r, got, bytes)
			}
		}
	}
}

// TestChanges stops, adds to and reweighs flows on one link of 60 MB/s.
func TestChanges(t *testing.T) {
	const s, mb = model.Second, model.Bytes(1_000_000)
	n := mustNew(t, Uniform(2, 1, 60*mega, 0))
	a := n.Start(Flow{From: Rack(0), To: Rack(1), Weight: 1, Volume: 60 * mb, Tag: 1})
	b := n.Start(Flow{From: Rack(0), To: Rack(1), Weight: 1, Volume: 600 * mb, Tag: 2})
	if got := n.Rate(a); got != 30*mega {
		t.Errorf("rate %v", got.BytesPerSecond())
	}
	n.Advance(s, nil)
	if got := n.Remaining(a); got != 30*mb {
		t.Errorf("%d bytes remain, expected 30 MB", got)
	}
	n.Add(a, 10*mb) // 40 left, at 20 of 60 from now on
	n.SetWeight(b, 2)
	if next, ok := n.NextCompletion(); !ok || next != 3*s {
		t.Errorf("next completion at %v s, expected 3", next)
	}
	done := n.Advance(2*s, nil)
	if got, ok := n.Stop(b); !ok || got != 70*mb { // 30 + 40
		t.Errorf("stopped after %d bytes, expected 70 MB", got)
	}
	done = n.Advance(100*s, done) // 20 left at 60
	if len(done) != 1 || done[0] != (Completion{2*s + s/3 + 1, a, 1, 70 * mb}) {
		t.Errorf("%+v", done)
	}
	if n.Now() != 100*s || n.Active() != 0 {
		t.Errorf("%d flows at %v s", n.Active(), n.Now())
	}
	if got := n.LinkBytes(n.Link(RackOut, 0)); got != 140*mb {
		t.Errorf("%d bytes, expected 140 MB", got)
	}
	_, stopped := n.Stop(a)
	if stopped || n.Add(a, 1) || n.SetWeight(a, 1) || n.Remaining(a) != 0 || n.Rate(a) != 0 || n.Add(0, 1) {
		t.Error("a flow that completed is still there")
	}
}

// TestStarved has more flows than units of rate, so none of them moves.
func TestStarved(t *testing.T) {
	n := mustNew(t, Uniform(2, 1, 2, 0))
	n.Start(Flow{From: Rack(0), To: Rack(1), Weight: 3, Volume: 1})
	if next, ok := n.NextCompletion(); ok {
		t.Errorf("completes at %v", next)
	}
	if done := n.Advance(model.MaxTime/2, nil); len(done) > 0 || n.Active() != 1 {
		t.Errorf("completed: %v", done)
	}
}

// TestBeyondTime moves 2^62 bytes at a byte a second.
func TestBeyondTime(t *testing.T) {
	n := mustNew(t, Uniform(2, 1, BytePerSecond, 0))
	n.Start(Flow{From: Rack(0), To: Rack(1), Weight: 1, Volume: 1 << 62})
	if next, ok := n.NextCompletion(); ok {
		t.Errorf("completes at %v", next)
	}
}

// TestLocality changes a flow between two racks and checks which links are filled again.
func TestLocality(t *testing.T) {
	n := mustNew(t, Uniform(6, 1, 60*mega, 0))
	for r := range 3 {
		n.Start(Flow{From: Rack(2 * r), To: Rack(2*r + 1), Weight: 1, Volume: 1 << 40})
	}
	n.NextCompletion()
	n.Start(Flow{From: Rack(2), To: Rack(3), Weight: 1, Volume: 1 << 40})
	n.NextCompletion()
	want := []int32{int32(n.Link(RackOut, 2)), int32(n.Link(RackIn, 3))}
	if got := slices.Sorted(slices.Values(n.allocator.region)); !slices.Equal(got, want) {
		t.Errorf("filled %v, expected %v", got, want)
	}
}

func TestNewErrors(t *testing.T) {
	change := func(f func(t *Topology)) Topology {
		topology := Uniform(2, 2, mega, mega)
		f(&topology)
		return topology
	}
	tests := []struct {
		topology Topology
		want     string
	}{
		{Topology{}, "needs a rack"},
		{change(func(t *Topology) { t.RackOf[3] = 2 }), "node 3: no rack 2 of 2"},
		{change(func(t *Topology) { t.Capacity[RackIn] = nil }), "rack in: 0 capacities, expected 2"},
		{change(func(t *Topology) { t.Capacity[NodeUp] = equal(3, mega) }), "node up: 3 capacities, expected 4"},
		{change(func(t *Topology) { t.Capacity[PoolDown] = []Rate{1} }), "pool down: 1 capacities, expected 2"},
		{change(func(t *Topology) { t.Capacity[RackOut][1] = 0 }), "rack out 1: capacity 0"},
		{change(func(t *Topology) { t.Capacity[NodeDown][0] = MaxRate + 1 }), "node down 0: capacity"},
	}
	for _, c := range tests {
		if _, err := New(c.topology); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, expected %q", err, c.want)
		}
	}
}

func TestAdvanceBack(t *testing.T) {
	n := mustNew(t, Uniform(1, 1, mega, 0))
	n.Advance(2, nil)
	defer func() {
		if recover() == nil {
			t.Error("time went back")
		}
	}()
	n.Advance(1, nil)
}
