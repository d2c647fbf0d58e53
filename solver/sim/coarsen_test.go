package sim

import (
	"testing"

	"mrsched/model"
)

// TestCoarsen: two flows share 100 bytes a second. The flow of 25 bytes has them all after 0.5 s, with steps of 1 s at
// 1 s. Until then the other has 50 bytes, then 100 a second: the 75 it lacks of 125 take it to 1.75 s, which is 2 s in
// steps. Without steps it has 25 bytes after 0.5 s and the rest after another second.
func TestCoarsen(t *testing.T) {
	for _, test := range []struct{ step, short, long model.Time }{
		{1, model.Second / 2, 3 * model.Second / 2},
		{model.Second, model.Second, 2 * model.Second},
	} {
		n, err := New(Uniform(2, 1, 100*BytePerSecond, 0))
		if err != nil {
			t.Fatal(err)
		}
		n.Coarsen(test.step)
		for _, volume := range []model.Bytes{25, 125} {
			n.Start(Flow{From: Rack(0), To: Rack(1), Weight: 1, Volume: volume})
		}
		done := n.Advance(10*model.Second, nil)
		if len(done) != 2 || done[0].Time != test.short || done[1].Time != test.long {
			t.Errorf("step %s: %v, expected %s and %s", test.step, done, test.short, test.long)
		}
		if b := n.LinkBytes(n.Link(RackOut, 0)); b != 150 {
			t.Errorf("step %s: %d bytes on the link, expected 150", test.step, b)
		}
	}
}

// TestCoarsenLater: a coarser step applies to existing flows: one of 50 bytes at 100 a second is due at 0.5 s.
func TestCoarsenLater(t *testing.T) {
	n, err := New(Uniform(2, 1, 100*BytePerSecond, 0))
	if err != nil {
		t.Fatal(err)
	}
	n.Start(Flow{From: Rack(0), To: Rack(1), Weight: 1, Volume: 50})
	n.Coarsen(4 * model.Second)
	if at, ok := n.NextCompletion(); !ok || at != 4*model.Second {
		t.Errorf("due at %s, expected 4 s", at)
	}
}
