package campaign

import (
	"maps"
	"math/big"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
)

// bruteRealtime tries all orders on all slots; under goal partitions, all assignments of each job.
func bruteRealtime(in *realtime.Instance) *big.Rat {
	if in.Resplit.Known || len(in.Sets) > in.Jobs && in.Goal == realtime.Deadlines {
		return nil
	}
	count := func(at []int, jobs func(u int) int32, j int32, m int) int { // slots of a job's partitions, this one too
		used := map[int]bool{m: true}
		for u, k := range at {
			if k >= 0 && jobs(u) == j && !in.IsMap(int32(u)) {
				used[k] = true
			}
		}
		return len(used)
	}
	x := &search{machines: in.Slots, before: make([][]arc, in.Tasks), release: make([]int64, in.Tasks), tasks: in.Tasks}
	x.length = func(u, m int) int64 {
		if in.SlotKind[m] != in.KindOf(int32(u)) {
			return -1
		}
		return int64(in.Time(int32(u), in.WorkerOf[m]))
	}
	jobOf := func(u int) int32 { return in.JobOf(int32(u)) }
	x.allowed = func(at []int, u, m int) bool {
		j := jobOf(u)
		return in.IsMap(int32(u)) || count(at, jobOf, j, m) <= int(in.Reducers[j])
	}
	if in.Goal == realtime.Partitions {
		return phases(in, x)
	}
	if in.Tasks > bruteUnrelated || in.Slots > 6 {
		return nil
	}
	for u := range in.Tasks {
		if in.IsMap(int32(u)) {
			x.release[u] = int64(in.TaskRelease[u])
			continue
		}
		x.release[u] = int64(in.Release[jobOf(u)])
		for m := range in.Maps {
			if jobOf(m) == jobOf(u) {
				x.before[u] = append(x.before[u], arc{m, int64(in.Shuffle[m])})
			}
		}
	}
	x.cost = func(end []int64) *big.Int {
		missed := int64(0)
		for j := range in.Jobs {
			last := in.Release[j]
			for u, e := range end {
				if jobOf(u) == int32(j) {
					last = max(last, model.Time(e))
				}
			}
			if in.Due[j] != realtime.NoDeadline && last > in.Due[j] {
				missed++
			}
		}
		return big.NewInt(missed)
	}
	return new(big.Rat).SetInt(x.run())
}

// phases adds up the least time of each job's partitions, with the best partitioner for each job.
func phases(in *realtime.Instance, all *search) *big.Rat {
	sum := new(big.Int)
	for j := range int32(in.Jobs) {
		best := int64(-1)
		for _, set := range in.SetsOf(j) {
			if p := phase(in, set, all); best < 0 || p < best {
				best = p
			}
		}
		sum.Add(sum, big.NewInt(max(0, best)))
	}
	return perMillion(sum, 1)
}

// phase is the least time of the partitions of one set.
func phase(in *realtime.Instance, set realtime.Set, all *search) int64 {
	load, used := make([]int64, in.Slots), make([]int, in.Slots)
	best := int64(-1)
	var try func(k int32, slots int)
	try = func(k int32, slots int) {
		most := slices.Max(load)
		if best >= 0 && most >= best {
			return
		}
		if k == set.Count {
			best = most
			return
		}
		for m := range in.Slots {
			more := 0
			if used[m] == 0 {
				more = 1
			}
			p := all.length(int(set.First+k), m)
			if p < 0 || slots+more > int(in.Reducers[set.Job]) {
				continue
			}
			load[m] += p
			used[m]++
			try(k+1, slots+more)
			load[m] -= p
			used[m]--
		}
	}
	try(0, 0)
	return best
}

// bruteMultitenant tries all orders on all slots. The instance must need no transfers, and every node must have room
// for all tasks.
func bruteMultitenant(d *document) *big.Rat {
	n := newNaiveTenants(d)
	names := slices.Sorted(maps.Keys(n.slot))
	if len(n.list) > bruteUnrelated || len(names) > 8 {
		return nil
	}
	for _, j := range n.job {
		if j.volume > 0 {
			return nil
		}
	}
	for _, t := range n.list {
		if t.input > 0 && len(t.replicas) > 0 || t.memory != nil || t.cpu != nil {
			return nil
		}
	}
	x := &search{tasks: len(n.list), machines: len(names), before: make([][]arc, len(n.list)),
		release: make([]int64, len(n.list))}
	for u, t := range n.list {
		x.release[u] = t.release
		for v, m := range n.list {
			if t.kind == "reduce" && m.kind == "map" && m.of == t.of {
				x.before[u] = append(x.before[u], arc{from: v})
			}
		}
	}
	x.length = func(u, m int) int64 {
		s := n.slot[names[m]]
		if s.kind != n.list[u].kind {
			return -1
		}
		return s.node.timeOn(n.list[u].base)
	}
	x.cost = func(end []int64) *big.Int { return big.NewInt(slices.Max(end)) }
	return perMillion(x.run(), 1)
}
