package instances

import (
	"fmt"
	"math/rand/v2"

	"mrsched/model"
)

// SmallMultitenant makes a random instance of multitenant that an exact method can solve: up to three jobs of up to two
// users with at most eight tasks, on two or three racks of one or two nodes. Times are halves of a second, sizes a few
// bytes and links carry a few bytes a second; in turn with k links are narrow at the racks, narrow everywhere, without
// limit inside racks, or without any limit.
func SmallMultitenant(r *rand.Rand, k int) (*model.Workload, error) {
	b := model.NewBuilder()
	b.Scalars("small", "multitenant", model.Optional[int64]{}, nil)
	nodes := smallRacks(b, r, k)
	jobs, left := 1+r.IntN(3), 8
	for i := range jobs {
		n := min(1+r.IntN(4), left-(jobs-1-i))
		left -= n
		smallTenantJob(b, r, fmt.Sprintf("j%d", i+1), n, nodes)
	}
	return b.Build()
}

// smallRacks adds a topology and says how many nodes it has.
func smallRacks(b *model.Builder, r *rand.Rand, k int) int {
	rate := func(limited bool, most int) (v model.Optional[float64]) {
		if limited {
			v = model.Some(float64(1 + r.IntN(most)))
		}
		return v
	}
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
	nodes := 0
	for rack := range 2 + r.IntN(2) {
		id := fmt.Sprintf("rack%d", rack+1)
		b.Node(model.Node{ID: id, Kind: model.RackNode, Bandwidth: rate(k%4 < 3, 4)}, "root", model.Locus{})
		for range 1 + r.IntN(2) {
			nodes++
			n := model.Node{ID: fmt.Sprintf("n%d", nodes), Kind: model.HostNode, MapSlots: 1, ReduceSlots: 1,
				Bandwidth: rate(k%4 < 2, 8)}
			if r.IntN(4) == 0 {
				n.Speed = model.Some(2.0)
			}
			b.Node(n, id, model.Locus{})
		}
	}
	return nodes
}

// smallTenantJob adds a job of n tasks: maps, most of them with a block, and reduces.
func smallTenantJob(b *model.Builder, r *rand.Rand, id string, n, nodes int) {
	maps := 1 + r.IntN(n)
	j := model.Job{ID: id, Release: half(r, 6), Weight: model.UnitWeight, Tenant: fmt.Sprintf("u%d", 1+r.IntN(2)),
		ShuffleRatio: model.Some(float64(r.IntN(5)) / 2)}
	listed := r.IntN(2) == 0
	if !listed {
		j.Reduces, j.TaskOverhead = model.Some(int64(n-maps)), model.Some(half(r, 4))
	}
	b.Job(j, model.Locus{})
	for m := range maps {
		t := model.Task{ID: fmt.Sprintf("%s.m%d", id, m+1), Kind: model.Map, Processing: model.Some(half(r, 6)),
			InputBytes: model.Some(model.Bytes(r.IntN(5)))}
		block := ""
		if r.IntN(5) > 0 {
			block = fmt.Sprintf("%s.b%d", id, m+1)
			for _, s := range r.Perm(nodes)[:min(nodes, 1+r.IntN(2))] {
				b.Placement(block, fmt.Sprintf("n%d", s+1), model.Locus{})
			}
		}
		b.Task(t, id, block, model.Locus{})
	}
	for m := range n - maps {
		if !listed {
			return
		}
		b.Task(model.Task{ID: fmt.Sprintf("%s.r%d", id, m+1), Kind: model.Reduce, Processing: model.Some(half(r, 6))}, id, "",
			model.Locus{})
	}
}
