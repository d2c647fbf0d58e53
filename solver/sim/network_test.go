package sim

import (
	"slices"
	"testing"

	"mrsched/model"
)

// mega is 10⁶ bytes a second.
const mega = 1_000_000 * BytePerSecond

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

// TestCompletions compares with closed forms: racks with links of 60 MB/s each way and, where the links of
// nodes count, with 20 MB/s for those of a rack.
func TestCompletions(t *testing.T) {
	const s, mb = model.Second, model.Bytes(1_000_000)
	flow := func(from, to int32, weight int32, volume model.Bytes) Flow {
		return Flow{From: from, To: to, Weight: weight, Volume: volume}
	}
	tests := []struct {
		name  string
		pool  Rate
		flows []Flow
		want  []model.Time // by flow
	}{
		{"a byte: 16 and two thirds ns", 0, []Flow{flow(0, 1, 1, 1)}, []model.Time{1}},
		// Each gets 20 until 60 have arrived at 3 s, then 30 until 60 more have at 5 s, the last 60 take 1 s.
		{"three on one link", 0, []Flow{flow(0, 1, 1, 60*mb), flow(0, 1, 1, 120*mb),
			flow(0, 1, 1, 180*mb)},
			[]model.Time{3 * s, 5 * s, 6 * s}},
		// Out 0 is shared by both, 30 each; after 2 s only 0→2 is left, with 30 MB, at 60.
		{"two receivers", 0, []Flow{flow(0, 1, 1, 60*mb), flow(0, 2, 1, 90*mb)},
			[]model.Time{2 * s, 2*s + s/2}},
		// Both end in rack 2: 10 each. After 2 s the second has 20 left, at 20.
		{"incast", 20 * mega, []Flow{flow(0, 2, 1, 20*mb), flow(2, 2, 1, 40*mb)},
			[]model.Time{2 * s, 3 * s}},
	}
	for _, c := range tests {
		topology := Uniform(3, 60*mega)
		if c.pool > 0 {
			topology[PoolDown] = equal(3, c.pool)
		}
		n := New(topology)
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
	n := New(Uniform(10, 62_500_000*BytePerSecond))
	for from := range 10 {
		for to := range 10 {
			n.Start(Flow{From: int32(from), To: int32(to), Weight: 1, Volume: gb, Tag: int64(10*from + to)})
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

// TestNever: more flows than units of rate do not move, and 2^62 bytes at a byte a second take longer than time.
func TestNever(t *testing.T) {
	for _, c := range []struct {
		rack Rate
		flow Flow
	}{{2, Flow{Weight: 3, Volume: 1}}, {BytePerSecond, Flow{Weight: 1, Volume: 1 << 62}}} {
		n := New(Uniform(2, c.rack))
		c.flow.From, c.flow.To = 0, 1
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
		n := New(Uniform(2, 100*BytePerSecond))
		n.Coarsen(c.before)
		for _, volume := range []model.Bytes{25, 125} {
			n.Start(Flow{From: 0, To: 1, Weight: 1, Volume: volume})
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
	n := New(Uniform(6, 60*mega))
	for r := range 3 {
		n.Start(Flow{From: int32(2 * r), To: int32(2*r + 1), Weight: 1, Volume: 1 << 40})
	}
	n.NextCompletion()
	n.Start(Flow{From: 2, To: 3, Weight: 1, Volume: 1 << 40})
	n.NextCompletion()
	want := []int32{int32(n.Link(RackOut, 2)), int32(n.Link(RackIn, 3))}
	if got := slices.Sorted(slices.Values(n.allocator.region)); !slices.Equal(got, want) {
		t.Errorf("filled %v, expected %v", got, want)
	}
}

// TestRefused: time that goes back.
func TestRefused(t *testing.T) {
	n := New(Uniform(1, mega))
	n.Advance(2, nil)
	defer func() {
		if recover() == nil {
			t.Error("time went back")
		}
	}()
	n.Advance(1, nil)
}
