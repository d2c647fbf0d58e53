package sim

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
)

func TestOver(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := model.Wide{High: rapid.Uint64().Draw(t, "high"), Low: rapid.Uint64().Draw(t, "low")}
		d := rapid.Uint64Range(1, 1<<63).Draw(t, "divisor")
		is, want := over(x, d).Into(new(big.Int)), x.Into(new(big.Int))
		if want.Quo(want, new(big.Int).SetUint64(d)); is.Cmp(want) != 0 {
			t.Fatalf("%v, not %v", is, want)
		}
	})
}

// TestSweep: exits of a flow that entered its lane again do not pile up.
func TestSweep(t *testing.T) {
	rates := []Rate{1 << 20, 1 << 20}
	n := New(Topology{RackOut: rates, RackIn: rates})
	id := n.Start(Flow{From: 0, To: 1, Weight: 1, Volume: 1 << 30})
	for range 1000 {
		n.Add(id, 1)
	}
	if k := n.lanes[0].heap.Len(); k > 2+64+1 {
		t.Errorf("%d exits of a flow", k)
	}
}
