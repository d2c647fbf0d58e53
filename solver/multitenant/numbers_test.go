package multitenant

import (
	"context"
	"testing"

	"mrsched/model"
	"mrsched/solver"
)

// TestHugeBytesCross: sizes of 2^58 bytes leave no bits for prices, so only a byte that crosses has a price, of 1. Only
// the first rack has map slots and only the second reduce slots. So the whole shuffle crosses, which that price proves.
// From 2^59 on even that cannot be evaluated, and there is no claim.
func TestHugeBytesCross(t *testing.T) {
	for size, want := range map[model.Bytes]model.Number{1 << 58: "288230376151711744", 1 << 60: "0"} {
		c := newRows()
		c.rack(1e15, model.Node{MapSlots: 1})
		c.rack(1e15, model.Node{ReduceSlots: 1})
		c.add(testJob{id: "a", mapTime: 1, redTime: 1, reduces: 1, shuffle: size, input: size, replicas: [][]int{nil}})
		r := c.open(t, nil)
		out, err := r.Solve(context.Background(), "fair", solver.Options{Iterations: 1, Seed: 1, Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := out.Facts.(*Facts).CrossingBound; got != want {
			t.Errorf("of %d bytes, %v cross racks at least, not %s", size, got, want)
		}
	}
}
