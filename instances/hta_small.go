package instances

import (
	"fmt"
	"math/rand/v2"

	"mrsched/model"
)

// SmallHTA makes a random instance of hta that an exact method can solve: up to 12 tasks on up to five servers, blocks
// with one to three replicas, some of them shared. The remote cost is uniform, affine, a table, or equal to the local
// one, in turn with k.
func SmallHTA(r *rand.Rand, k int) (*model.Workload, error) {
	b := model.NewBuilder()
	b.Scalars("small", "hta", model.Optional[int64]{}, nil)
	b.Cost(smallCost(r, k), model.Locus{})
	servers := 1 + r.IntN(5)
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
	b.Node(model.Node{ID: "rack", Kind: model.RackNode}, "root", model.Locus{})
	for s := range servers {
		b.Node(model.Node{ID: fmt.Sprintf("s%d", s+1), Kind: model.HostNode, MapSlots: 1}, "rack", model.Locus{})
	}
	b.Job(model.Job{ID: "j1", Weight: model.UnitWeight}, model.Locus{})
	tasks := 1 + r.IntN(12)
	skew := 1 + r.IntN(servers) // replicas lie on the first servers only
	blocks := 0
	for t := range tasks {
		if blocks == 0 || r.IntN(3) > 0 {
			blocks++
			for _, s := range r.Perm(skew)[:min(skew, 1+r.IntN(3))] {
				b.Placement(fmt.Sprintf("b%d", blocks), fmt.Sprintf("s%d", s+1), model.Locus{})
			}
		}
		b.Task(model.Task{ID: fmt.Sprintf("t%d", t+1), Kind: model.Map}, "j1", fmt.Sprintf("b%d", blocks), model.Locus{})
	}
	return b.Build()
}

// smallCost draws multiples of half a second.
func smallCost(r *rand.Rand, k int) model.AssignmentCost {
	local := half(r, 5) + model.Second/2
	c := model.AssignmentCost{Local: local, Remote: model.RemoteCost{Base: local + half(r, 6)}}
	switch k % 4 {
	case 1:
		c.Remote.PerRemote = half(r, 3) + model.Second/4
	case 2:
		for w := c.Remote.Base; len(c.Remote.Table) < 6; w += half(r, 3) {
			c.Remote.Table = append(c.Remote.Table, w)
		}
		c.Remote.Base = 0
	case 3:
		c.Remote.Base = local
	}
	return c
}
