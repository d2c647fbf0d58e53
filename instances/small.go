package instances

import (
	"fmt"
	"math/rand/v2"

	"mrsched/model"
)

// half is a random multiple of half a second below n/2.
func half(r *rand.Rand, n int) model.Time { return model.Time(r.IntN(n)) * model.Second / 2 }

// SmallMSJO makes a random instance of msjo that an exact method can solve: up to maxTasks tasks in up to three jobs on
// one to three machines. Times are multiples of half a second, some zero; jobs are map-reduce, map-only, reduce-only or
// general stage graphs, with releases, delays and weights, some of them zero. With ordered times no task is longer than
// one that must follow it.
func SmallMSJO(r *rand.Rand, maxTasks int, ordered bool) (*model.Workload, error) {
	b := newMaker()
	b.Scalars("small", "msjo", model.Some(int64(1+r.IntN(3))), nil)
	jobs := 1 + r.IntN(3)
	left := maxTasks
	for j := range jobs {
		weight := model.Weight(r.IntN(6)) * model.UnitWeight / 2
		b.job(model.Job{ID: nth("j", j), Release: half(r, 8), Weight: weight})
		n := min(1+r.IntN(5), left-(jobs-1-j))
		left -= n
		smallJob(r, b, nth("j", j), n, ordered)
	}
	return b.Build()
}

// smallJob adds n tasks to a job of one of four shapes.
func smallJob(r *rand.Rand, b maker, job string, n int, ordered bool) {
	shape := r.IntN(4)
	maps := n
	switch shape {
	case 0, 1: // map-reduce, or map-only if there is one task
		maps = max(1, r.IntN(n+1))
	case 2: // map-only or reduce-only
		maps = n * r.IntN(2)
	}
	var longest model.Time
	times := make([]model.Time, n)
	for i := range times {
		times[i] = half(r, 9)
		if i < maps {
			longest = max(longest, times[i])
		}
	}
	for i, p := range times {
		kind := model.Map
		var delay model.Time
		switch {
		case i >= maps:
			kind = model.Reduce
			if ordered {
				p += longest
			}
		case r.IntN(2) == 0:
			delay = half(r, 6)
		}
		if shape == 3 && ordered {
			p = times[0]
		}
		t := model.Task{ID: nth(job+".t", i), Kind: kind, Processing: model.Some(p), ShuffleDelay: delay}
		if r.IntN(8) == 0 {
			t.Release = model.Some(half(r, 12))
		}
		b.task(t, job, "")
	}
	if shape != 3 {
		return
	}
	for i := range n {
		for k := i + 1; k < n; k++ {
			if r.IntN(3) == 0 {
				b.delay(nth(job+".t", i), nth(job+".t", k), half(r, 5))
			}
		}
	}
}

// SmallHTA makes a random instance of hta that an exact method can solve: up to 12 tasks on up to five servers, blocks
// with one to three replicas, some of them shared. The remote cost is uniform, affine, a table, or equal to the local
// one, in turn with k.
func SmallHTA(r *rand.Rand, k int) (*model.Workload, error) {
	cost := smallCost(r, k)
	servers := 1 + r.IntN(5)
	b := newMaker()
	b.start("small", "hta")
	b.cost(cost)
	b.root()
	b.node(model.Node{ID: "rack", Kind: model.RackNode}, "root")
	for s := range servers {
		b.node(model.Node{ID: nth("s", s), Kind: model.HostNode, MapSlots: 1}, "rack")
	}
	b.job(model.Job{ID: "j1", Weight: model.UnitWeight})
	tasks := 1 + r.IntN(12)
	skew := 1 + r.IntN(servers) // replicas lie on the first servers only
	blocks := 0
	for t := range tasks {
		if blocks == 0 || r.IntN(3) > 0 {
			blocks++
			for _, s := range r.Perm(skew)[:min(skew, 1+r.IntN(3))] {
				b.placement(nth("b", blocks-1), nth("s", s))
			}
		}
		b.task(model.Task{ID: nth("t", t), Kind: model.Map}, "j1", nth("b", blocks-1))
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

// SmallPlacement makes a random instance of reduceplace that an exact method can solve: up to six jobs on up to four
// slots, some waiting for slots or for their turn, some with known data per reduce, without map work or with maps only.
// Slots cost halves from the table slots, all the same, hops of a topology, or come from both tables, in turn with k.
func SmallPlacement(r *rand.Rand, k int) (*model.Workload, error) {
	b := newMaker()
	b.start("small", "reduceplace")
	if n := r.Int64N(5); n > 0 {
		b.MaxRunningJobs(model.Some(n))
	}
	slots := smallSlots(b, r, k)
	for i := range 1 + max(r.IntN(6), r.IntN(6)) {
		j := model.Job{ID: nth("j", i), Weight: model.UnitWeight, Release: half(r, 8)}
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
		b.job(j)
		for m := range maps {
			t := model.Task{ID: nth(j.ID+".m", m), Kind: model.Map, Processing: model.Some(half(r, 4)),
				OutputBytes: model.Some(model.Bytes(r.IntN(20)))}
			b.task(t, j.ID, "")
		}
		for m := range reduces {
			if !listed {
				break
			}
			t := model.Task{ID: nth(j.ID+".r", m), Kind: model.Reduce}
			if own {
				t.InputBytes = model.Some(model.Bytes(r.IntN(10)))
			}
			b.task(t, j.ID, "")
		}
	}
	return b.Build()
}

// smallSlots adds up to four slots and says how many.
func smallSlots(b maker, r *rand.Rand, k int) int {
	slots := 1 + max(r.IntN(4), r.IntN(4))
	if k%4 >= 2 { // a topology: racks of uneven size under one or two switches
		b.root()
		b.node(model.Node{ID: "switch", Kind: model.SwitchNode}, "root")
		for n, parent := range []string{"switch", "switch", "root"} {
			b.node(model.Node{ID: nth("rack", n), Kind: model.RackNode}, parent)
		}
		for s := range slots {
			n := model.Node{ID: nth("n", s), Kind: model.HostNode, MapSlots: 1}
			if k%4 == 2 {
				n.ReduceSlots = 1
			}
			b.node(n, fmt.Sprintf("rack%d", 1+r.IntN(3)))
		}
	}
	for s := range slots {
		slot := model.ReduceSlot{ID: nth("s", s), Cost: model.Cost(r.IntN(10)) * model.UnitCost / 2}
		switch k % 4 {
		case 1:
			slot.Cost = 2 * model.UnitCost
		case 2:
			continue // the topology's
		case 3:
			slot.NodeName = nth("n", s)
		}
		b.reduceSlot(slot)
	}
	return slots
}

// SmallMultitenant makes a random instance of multitenant that an exact method can solve: up to three jobs of up to two
// users with at most eight tasks, on two or three racks of one or two nodes. Times are halves of a second, sizes a few
// bytes and links carry a few bytes per second; in turn with k links are narrow at the racks, narrow everywhere,
// without limit inside racks, or without any limit.
func SmallMultitenant(r *rand.Rand, k int) (*model.Workload, error) {
	b := newMaker()
	b.start("small", "multitenant")
	nodes := smallRacks(b, r, k)
	jobs, left := 1+r.IntN(3), 8
	for i := range jobs {
		n := min(1+r.IntN(4), left-(jobs-1-i))
		left -= n
		smallTenantJob(b, r, nth("j", i), n, nodes)
	}
	return b.Build()
}

// smallRacks adds a topology and says how many nodes it has.
func smallRacks(b maker, r *rand.Rand, k int) int {
	rate := func(limited bool, most int) (v model.Optional[float64]) {
		if limited {
			v = model.Some(float64(1 + r.IntN(most)))
		}
		return v
	}
	b.root()
	nodes := 0
	for rack := range 2 + r.IntN(2) {
		id := nth("rack", rack)
		b.node(model.Node{ID: id, Kind: model.RackNode, Bandwidth: rate(k%4 < 3, 4)}, "root")
		for range 1 + r.IntN(2) {
			nodes++
			n := model.Node{ID: fmt.Sprintf("n%d", nodes), Kind: model.HostNode, MapSlots: 1, ReduceSlots: 1,
				Bandwidth: rate(k%4 < 2, 8)}
			if r.IntN(4) == 0 {
				n.Speed = model.Some(2.0)
			}
			b.node(n, id)
		}
	}
	return nodes
}

// smallTenantJob adds a job of n tasks: maps, most of them with a block, and reduces.
func smallTenantJob(b maker, r *rand.Rand, id string, n, nodes int) {
	maps := 1 + r.IntN(n)
	j := model.Job{ID: id, Release: half(r, 6), Weight: model.UnitWeight, Tenant: fmt.Sprintf("u%d", 1+r.IntN(2)),
		ShuffleRatio: model.Some(float64(r.IntN(5)) / 2)}
	listed := r.IntN(2) == 0
	if !listed {
		j.Reduces, j.TaskOverhead = model.Some(int64(n-maps)), model.Some(half(r, 4))
	}
	b.job(j)
	for m := range maps {
		t := model.Task{ID: nth(id+".m", m), Kind: model.Map, Processing: model.Some(half(r, 6)),
			InputBytes: model.Some(model.Bytes(r.IntN(5)))}
		block := ""
		if r.IntN(5) > 0 {
			block = nth(id+".b", m)
			for _, s := range r.Perm(nodes)[:min(nodes, 1+r.IntN(2))] {
				b.placement(block, nth("n", s))
			}
		}
		b.task(t, id, block)
	}
	for m := range n - maps {
		if !listed {
			return
		}
		t := model.Task{ID: nth(id+".r", m), Kind: model.Reduce, Processing: model.Some(half(r, 6))}
		if m%2 == 1 { // it writes as many bytes as it has half seconds
			t.OutputBytes = model.Some(model.Bytes(t.Processing.Value / (model.Second / 2)))
		}
		b.task(t, id, "")
	}
}
