package sim

import (
	"slices"
	"strings"
	"testing"

	"mrsched/model"
)

// mega is 10⁶ bytes a second.
const mega = 1_000_000 * BytePerSecond

func mustNew(t interface {
	Helper()
	Fatal(args ...any)
}, topology Topology) *Network {
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
		{"a byte: 16 and two thirds ns", 0, []Flow{flow(Rack(0), Rack(1), 1, 1)}, []model.Time{1}},
		// Each gets 20 until 60 have arrived at 3 s, then 30 until 60 more have at 5 s, the last 60 take 1 s.
		{"three on one link", 0, []Flow{flow(Rack(0), Rack(1), 1, 60*mb), flow(Rack(0), Rack(1), 1, 120*mb),
			flow(Rack(0), Rack(1), 1, 180*mb)},
			[]model.Time{3 * s, 5 * s, 6 * s}},
		// Out 0 is shared by both, 30 each; after 2 s only 0→2 is left, with 30 MB, at 60.
		{"two receivers", 0, []Flow{flow(Rack(0), Rack(1), 1, 60*mb), flow(Rack(0), Rack(2), 1, 90*mb)},
			[]model.Time{2 * s, 2*s + s/2}},
		// Both end at node 2: 10 each. After 2 s the second has 20 left, at 20.
		{"incast", 20 * mega, []Flow{flow(Node(0), Node(2), 1, 20*mb), flow(Node(3), Node(2), 1, 40*mb)},
			[]model.Time{2 * s, 3 * s}},
		{"a rack's node links are not crossed by what ends anywhere in it", 20 * mega,
			[]Flow{flow(Rack(0), Rack(1), 1, 60*mb)}, []model.Time{s}},
	}
	for _, c := range tests {
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
			t.Errorf("%s: completed at %v, expected %v", c.name, got, c.want)
		}
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

// TestGone: what completed cannot be changed.
func TestGone(t *testing.T) {
	n := mustNew(t, Uniform(2, 1, mega, 0))
	a := n.Start(Flow{From: Rack(0), To: Rack(1), Weight: 1, Volume: 1})
	run(n)
	b := n.Start(Flow{From: Rack(0), To: Rack(1), Weight: 1, Volume: 1})
	if n.Add(a, 1) || n.SetWeight(a, 2) || n.Add(0, 1) || n.Remaining(a) != 0 || n.Rate(a) != 0 || !n.Add(b, 1) {
		t.Error("a flow that completed is still there")
	}
}

// TestNever: more flows than units of rate do not move, and 2^62 bytes at a byte a second take longer than time.
func TestNever(t *testing.T) {
	for _, c := range []struct {
		rack Rate
		flow Flow
	}{{2, Flow{Weight: 3, Volume: 1}}, {BytePerSecond, Flow{Weight: 1, Volume: 1 << 62}}} {
		n := mustNew(t, Uniform(2, 1, c.rack, 0))
		c.flow.From, c.flow.To = Rack(0), Rack(1)
		n.Start(c.flow)
		if next, ok := n.NextCompletion(); ok {
			t.Errorf("completes at %v", next)
		}
		if done := n.Advance(model.MaxTime/2, nil); len(done) > 0 || n.Active() != 1 {
			t.Errorf("completed: %v", done)
		}
	}
}

// TestCoarsen: two flows share 100 bytes a second. The flow of 25 bytes has them all after 0.5 s, with steps of 1 s at
// 1 s. Until then the other has 50 bytes, then 100 a second: the 75 it lacks of 125 take it to 1.75 s, which is 2 s in
// steps. Without steps it has 25 bytes after 0.5 s and the rest after another second. A step of 4 s that is set when
// the flows exist applies to them.
func TestCoarsen(t *testing.T) {
	const s = model.Second
	for _, c := range []struct{ before, after, short, long model.Time }{{1, 1, s / 2, 3 * s / 2}, {s, s, s, 2 * s},
		{1, 4 * s, 4 * s, 4 * s}} {
		n := mustNew(t, Uniform(2, 1, 100*BytePerSecond, 0))
		n.Coarsen(c.before)
		for _, volume := range []model.Bytes{25, 125} {
			n.Start(Flow{From: Rack(0), To: Rack(1), Weight: 1, Volume: volume})
		}
		n.NextCompletion()
		n.Coarsen(c.after)
		done := n.Advance(10*s, nil)
		if len(done) != 2 || done[0].Time != c.short || done[1].Time != c.long {
			t.Errorf("%+v: %v", c, done)
		}
		if b := n.LinkBytes(n.Link(RackOut, 0)); b != 150 {
			t.Errorf("%+v: %d bytes on the link, expected 150", c, b)
		}
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

// TestRefused: topologies that do not fit together, and time that goes back.
func TestRefused(t *testing.T) {
	if _, err := New(Topology{}); err == nil {
		t.Error("a topology without racks is accepted")
	}
	for where, change := range map[string]func(t *Topology){
		"node 3":      func(t *Topology) { t.RackOf[3] = 2 },
		"rack in":     func(t *Topology) { t.Capacity[RackIn] = nil },
		"node up":     func(t *Topology) { t.Capacity[NodeUp] = equal(3, mega) },
		"pool down":   func(t *Topology) { t.Capacity[PoolDown] = []Rate{1} },
		"rack out 1":  func(t *Topology) { t.Capacity[RackOut][1] = 0 },
		"node down 0": func(t *Topology) { t.Capacity[NodeDown][0] = MaxRate + 1 },
	} {
		topology := Uniform(2, 2, mega, mega)
		change(&topology)
		if _, err := New(topology); err == nil || !strings.HasPrefix(err.Error(), where+":") {
			t.Errorf("%v, expected %s", err, where)
		}
	}
	n := mustNew(t, Uniform(1, 1, mega, 0))
	n.Advance(2, nil)
	defer func() {
		if recover() == nil {
			t.Error("time went back")
		}
	}()
	n.Advance(1, nil)
}
