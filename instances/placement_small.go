package instances

import (
	"fmt"
	"math/rand/v2"

	"mrsched/model"
)

// SmallPlacement makes a random instance of reduceplace that an exact method can solve: up to six jobs on up to four
// slots, some waiting for slots or for their turn, some with known data a reduce, without map work or with maps only.
// Slots cost halves from the table slots, all the same, hops of a topology, or come from both tables, in turn with k.
func SmallPlacement(r *rand.Rand, k int) (*model.Workload, error) {
	b := model.NewBuilder()
	b.Scalars("small", "reduceplace", model.Optional[int64]{}, nil)
	if n := r.Int64N(5); n > 0 {
		b.MaxRunningJobs(model.Some(n))
	}
	slots := smallSlots(b, r, k)
	for i := range 1 + max(r.IntN(6), r.IntN(6)) {
		j := model.Job{ID: fmt.Sprintf("j%d", i+1), Weight: model.UnitWeight, Release: half(r, 8)}
		reduces := 1 + min(r.IntN(slots), r.IntN(slots))
		maps := r.IntN(2) * r.IntN(3)
		if maps == 0 || r.IntN(2) == 0 {
			j.MapWork = model.Some(half(r, 8))
		}
		if maps > 0 && r.IntN(5) == 0 {
			reduces = 0
		}
		listed := reduces > 0 && r.IntN(2) == 0
		own := listed && r.IntN(2) == 0
		if reduces > 0 && !listed {
			j.Reduces = model.Some(int64(reduces))
		}
		if !own && (maps == 0 || r.IntN(2) == 0) {
			j.IntermediateBytes = model.Some(model.Bytes(r.IntN(20)))
		}
		b.Job(j, model.Locus{})
		for m := range maps {
			t := model.Task{ID: fmt.Sprintf("%s.m%d", j.ID, m+1), Kind: model.Map, Processing: model.Some(half(r, 4)),
				OutputBytes: model.Some(model.Bytes(r.IntN(20)))}
			b.Task(t, j.ID, "", model.Locus{})
		}
		for m := range reduces {
			if !listed {
				break
			}
			t := model.Task{ID: fmt.Sprintf("%s.r%d", j.ID, m+1), Kind: model.Reduce}
			if own {
				t.InputBytes = model.Some(model.Bytes(r.IntN(10)))
			}
			b.Task(t, j.ID, "", model.Locus{})
		}
	}
	return b.Build()
}

// smallSlots adds up to four slots and says how many.
func smallSlots(b *model.Builder, r *rand.Rand, k int) int {
	slots := 1 + max(r.IntN(4), r.IntN(4))
	if k%4 >= 2 { // a topology: racks of uneven size under one or two switches
		b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
		b.Node(model.Node{ID: "switch", Kind: model.SwitchNode}, "root", model.Locus{})
		for n, parent := range []string{"switch", "switch", "root"} {
			b.Node(model.Node{ID: fmt.Sprintf("rack%d", n+1), Kind: model.RackNode}, parent, model.Locus{})
		}
		for s := range slots {
			n := model.Node{ID: fmt.Sprintf("n%d", s+1), Kind: model.HostNode, MapSlots: 1}
			if k%4 == 2 {
				n.ReduceSlots = 1
			}
			b.Node(n, fmt.Sprintf("rack%d", 1+r.IntN(3)), model.Locus{})
		}
	}
	for s := range slots {
		slot := model.ReduceSlot{ID: fmt.Sprintf("s%d", s+1), Cost: model.Cost(r.IntN(10)) * model.UnitCost / 2}
		switch k % 4 {
		case 1:
			slot.Cost = 2 * model.UnitCost
		case 2:
			continue // the topology's
		case 3:
			slot.NodeName = fmt.Sprintf("n%d", s+1)
		}
		b.ReduceSlot(slot, model.Locus{})
	}
	return slots
}
