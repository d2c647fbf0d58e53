package shop

import (
	"cmp"
	"fmt"
	"math/big"
	"math/bits"
	"slices"
	"strconv"

	"mrsched/model"
)

// lengths are how long tasks take. A task has one row of lengths by kind; a map whose reading takes time has three, by
// locality.
type lengths struct {
	first  []int32      // by task: its first row
	length []model.Time // by row and kind; −1: the task has rows of times, and none there
	kinds  []kind       // those of nodes that are as fast
	kindOf []int32      // by class

	block                 []int32 // by task: the block whose reading takes time; None: there is none
	replicaFirst, replica []int32 // by block: nodes in rising order
	rackFirst, rack       []int32 // by block: racks of the replicas, as rows of the topology, in rising order
	rackAt                []int32 // by node: row of the topology, or None
	// The nodes of a rack, a row of the topology, are rackNode[rackNodeFirst[k]:rackNodeFirst[k+1]].
	rackNodeFirst, rackNode []int32

	timed    []bool // by task: it has rows of times; empty if machines are identical
	unpriced int    // maps whose reading takes no time on some node, for want of a bandwidth
}

// Length is how long task u takes on node i; negative if the table times has rows of the task, but none for this node.
func (in *Instance) Length(u, i int32) model.Time {
	if in.Identical {
		return in.Least[u]
	}
	row := in.first[u]
	if b := in.block[u]; b != model.None {
		row += int32(in.locality(b, i))
	}
	return in.length[int(row)*len(in.kinds)+int(in.kindOf[in.Class[i]])]
}

// RowLength is how long task u takes on a node of class k at the given locality, which counts only for tasks for which
// Reads is true.
func (in *Instance) RowLength(u, k int32, l model.Locality) model.Time {
	if in.Identical {
		return in.Least[u]
	}
	row := in.first[u]
	if in.block[u] != model.None {
		row += int32(l)
	}
	return in.length[int(row)*len(in.kinds)+int(in.kindOf[k])]
}

// Kinds is the number of kinds of nodes; nodes of one are as fast.
func (in *Instance) Kinds() int { return max(1, len(in.kinds)) }

// Kind is the kind of the nodes of class k.
func (in *Instance) Kind(k int32) int32 {
	if in.Identical {
		return 0
	}
	return in.kindOf[k]
}

// allLengths are the lengths of a task on all kinds of nodes and at all localities.
func (in *Instance) allLengths(u int32) []model.Time {
	if in.Identical {
		return in.Least[u : u+1]
	}
	end := len(in.length)
	if int(u)+1 < in.Tasks {
		end = int(in.first[u+1]) * len(in.kinds)
	}
	return in.length[int(in.first[u])*len(in.kinds) : end]
}

// Reads says whether the length of task u depends on where its block lies.
func (in *Instance) Reads(u int32) bool { return len(in.block) > 0 && in.block[u] != model.None }

// Replicas are the nodes that hold the block of a task for which Reads is true, in rising order.
func (in *Instance) Replicas(u int32) []int32 {
	b := in.block[u]
	return in.replica[in.replicaFirst[b]:in.replicaFirst[b+1]]
}

// Unpriced is the number of maps whose reading takes no time on some node, because no bandwidth is stated.
func (in *Instance) Unpriced() int { return in.unpriced }

// locality of a block's reader on a node.
func (in *Instance) locality(b, i int32) model.Locality {
	if _, ok := slices.BinarySearch(in.replica[in.replicaFirst[b]:in.replicaFirst[b+1]], i); ok {
		return model.NodeLocal
	}
	if in.rackAt[i] != model.None {
		if _, ok := slices.BinarySearch(in.rack[in.rackFirst[b]:in.rackFirst[b+1]], in.rackAt[i]); ok {
			return model.RackLocal
		}
	}
	return model.Remote
}

// kind is what lengths depend on. Numbers are the decimals of the file: 7 s at speed 0.7 are 10 s.
type kind struct {
	pace         *big.Rat // 1 / speed
	over, under  uint64   // the same as a fraction, if both fit; else over is 0
	near, remote *big.Rat // microseconds that a byte takes inside a rack and from elsewhere; nil: no bandwidth
}

func kindOf(speed, bandwidth, uplink float64) kind {
	k := kind{pace: new(big.Rat).Inv(decimal(speed)), near: perByte(bandwidth), remote: perByte(bandwidth)}
	if k.pace.Num().IsUint64() && k.pace.Denom().IsUint64() {
		k.over, k.under = k.pace.Num().Uint64(), k.pace.Denom().Uint64()
	}
	if uplink > 0 && (bandwidth == 0 || uplink < bandwidth) {
		k.remote = perByte(uplink)
	}
	return k
}

// decimal is the shortest decimal of a floating-point number, which is what the file states.
func decimal(v float64) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(v, 'g', -1, 64))
	return r
}

func perByte(bandwidth float64) *big.Rat {
	if bandwidth == 0 {
		return nil
	}
	return new(big.Rat).Quo(new(big.Rat).SetInt64(int64(model.Second)), decimal(bandwidth))
}

// length is how long work takes, and reading bytes at a price of microseconds each (nil: none), rounded up; ok is false
// if that is beyond MaxHorizon.
func (k *kind) length(work model.Time, bytes model.Bytes, price *big.Rat) (t model.Time, ok bool) {
	if price == nil && k.over > 0 {
		high, low := bits.Mul64(uint64(work), k.over)
		if high >= k.under {
			return 0, false
		}
		q, rest := bits.Div64(high, low, k.under)
		if rest > 0 {
			q++
		}
		return model.Time(q), q <= uint64(model.MaxHorizon)
	}
	sum := new(big.Rat).Mul(k.pace, new(big.Rat).SetInt64(int64(work)))
	if price != nil {
		sum.Add(sum, new(big.Rat).Mul(price, new(big.Rat).SetInt64(int64(bytes))))
	}
	q, rest := new(big.Int).QuoRem(sum.Num(), sum.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	return model.Time(q.Int64()), q.IsInt64() && q.Int64() <= int64(model.MaxHorizon)
}

// givenTime is a row of the table times.
type givenTime struct {
	task, node int32
	time       model.Time
	row        int
}

// givenTimes are those rows, by node and task.
type givenTimes struct {
	rows  []givenTime
	first []int32 // by node
	any   []bool  // by task: it has rows
}

func (g *givenTimes) of(i int32) []givenTime { return g.rows[g.first[i]:g.first[i+1]] }

// givenTimes reads the table times.
func (in *Instance) givenTimes(found *model.Findings) *givenTimes {
	w := in.workload
	g := &givenTimes{first: make([]int32, in.Nodes+1), any: make([]bool, in.Tasks)}
	for k, r := range w.Times {
		job := w.Jobs[r.Job].ID
		u, ok := in.FindTask(r.Task)
		if !ok || w.Tasks[u].Job != r.Job {
			u, ok = in.FindTask(job + "/" + r.Task)
		}
		if !ok || w.Tasks[u].Job != r.Job {
			found.Add(model.Finding{Code: model.CodeUnknownTask, Pos: w.Where(model.TableTimes, k),
				What: fmt.Sprintf("job %q has no task %q", job, r.Task), Expected: "the id of one"})
			continue
		}
		g.any[u] = true
		g.rows = append(g.rows, givenTime{int32(u), in.nodeOf[r.Worker], r.Time, k})
	}
	slices.SortStableFunc(g.rows, func(a, b givenTime) int {
		return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.task, b.task))
	})
	for k, r := range g.rows {
		g.first[r.node+1]++
		if k > 0 && g.rows[k-1].task == r.task && g.rows[k-1].node == r.node {
			found.Add(model.Finding{Code: model.CodeDuplicate, Pos: w.Where(model.TableTimes, r.row),
				What: "the time of this task on this node is stated twice", Expected: "one row"})
		}
	}
	for i := range in.Nodes {
		g.first[i+1] += g.first[i]
	}
	return g
}

// measure computes all lengths.
func (in *Instance) measure(given *givenTimes, found *model.Findings) {
	w := in.workload
	in.readBlocks(given)
	in.timed = given.any
	var total model.Horizon
	for u := range w.Tasks {
		t := &w.Tasks[u]
		in.first = append(in.first, int32(len(in.length)/len(in.kinds)))
		first := len(in.length)
		switch {
		case given.any[u]:
			in.length = append(in.length, slices.Repeat([]model.Time{-1}, len(in.kinds))...)
		case !t.Processing.Known:
			found.Add(model.Finding{Code: model.CodeNoTime, Pos: w.Where(model.TableTasks, u),
				What: fmt.Sprintf("task %q has neither processing_time nor rows in the table times", t.ID), Expected: "seconds",
				Like: "processing_time", Hint: "leave out what is no work; import csv adds rows that were not there"})
		default:
			in.compute(u, &total)
		}
		if first < len(in.length) {
			total.Add(max(0, slices.Max(in.length[first:])))
		}
	}
	for _, r := range given.rows {
		in.length[int(in.first[r.task])*len(in.kinds)+int(in.kindOf[in.Class[r.node]])] = r.time
	}
	for u, has := range given.any {
		if has {
			total.Add(slices.Max(in.allLengths(int32(u))))
		}
	}
	if found.Empty() {
		in.realLengths(&total)
	}
	in.checkHorizon(total, found)
}

// compute appends the rows of a task whose lengths follow from its processing time.
func (in *Instance) compute(u int, total *model.Horizon) {
	in.eachLength(u, in.workload.Tasks[u].Processing.Value, func(length model.Time, ok bool) {
		total.Over = total.Over || !ok
		in.length = append(in.length, length)
	})
}

// eachLength passes how long a task takes with some processing time, by row and kind.
func (in *Instance) eachLength(u int, work model.Time, pass func(length model.Time, ok bool)) {
	each := func(price func(k *kind) *big.Rat) {
		for k := range in.kinds {
			pass(in.kinds[k].length(work, in.workload.Tasks[u].InputBytes.Or(0), price(&in.kinds[k])))
		}
	}
	each(func(*kind) *big.Rat { return nil })
	if in.block[u] != model.None {
		each(func(k *kind) *big.Rat { return k.near })
		each(func(k *kind) *big.Rat { return k.remote })
	}
}

// Loose is a copy of the instance, of which Work changes lengths. What else follows from lengths stays.
func (in *Instance) Loose() *Instance {
	other := *in
	other.length, other.Least = slices.Clone(in.length), slices.Clone(in.Least)
	return &other
}

// Work gives a task of a copy another processing time. It returns the longest length that follows; ok is false if one
// is beyond MaxHorizon. Fixed tasks, and those with rows of times, keep their lengths.
func (in *Instance) Work(u int32, work model.Time) (longest model.Time, ok bool) {
	if ok = true; in.Fixed(u) {
		return in.Least[u], ok
	} else if in.Identical {
		in.Least[u] = work
		return work, ok
	}
	lengths, k := in.allLengths(u), 0
	if in.timed[u] {
		return slices.Max(lengths), ok
	}
	in.eachLength(int(u), work, func(length model.Time, fits bool) {
		lengths[k], longest, ok = length, max(longest, length), ok && fits
		k++
	})
	return longest, ok
}

// readBlocks notes which maps read blocks in a time that depends on the node, and where these blocks lie.
func (in *Instance) readBlocks(given *givenTimes) {
	w := in.workload
	in.block = slices.Repeat([]int32{model.None}, in.Tasks)
	in.rackAt = make([]int32, in.Nodes)
	for i := range in.rackAt {
		in.rackAt[i] = int32(rackOf(w, in.row(int32(i))))
	}
	in.rackNodeFirst, in.rackNode = model.CompressedRows(len(w.Topology), in.Nodes,
		func(i int) (rack, node int32) { return in.rackAt[i], int32(i) })
	timed := slices.ContainsFunc(in.kinds, func(k kind) bool { return k.near != nil || k.remote != nil })
	lacking := slices.ContainsFunc(in.kinds, func(k kind) bool { return k.near == nil || k.remote == nil })
	number := map[model.BlockIndex]int32{}
	for u := range w.Tasks {
		t := &w.Tasks[u]
		if t.Kind != model.Map || t.Block == model.None || t.InputBytes.Or(0) == 0 || given.any[u] {
			continue
		}
		if lacking {
			in.unpriced++
		}
		if timed {
			if _, ok := number[t.Block]; !ok {
				number[t.Block] = int32(len(number))
			}
			in.block[u] = number[t.Block]
		}
	}
	in.holders(number)
}

// holders fills in the nodes and racks of numbered blocks.
func (in *Instance) holders(number map[model.BlockIndex]int32) {
	w := in.workload
	list := func(value func(node int32) int32) (first, values []int32) {
		first, values = model.CompressedRows(len(number), len(w.Placements), func(k int) (int32, int32) {
			p := w.Placements[k]
			b, ok := number[p.Block]
			if !ok || !w.HasTopology || in.nodeOf[p.Node] == model.None {
				return model.None, 0
			}
			v := value(in.nodeOf[p.Node])
			if v == model.None {
				b = model.None
			}
			return b, v
		})
		for b := range number {
			k := number[b]
			slices.Sort(values[first[k]:first[k+1]]) // repeats do no harm
		}
		return first, values
	}
	in.replicaFirst, in.replica = list(func(node int32) int32 { return node })
	in.rackFirst, in.rack = list(func(node int32) int32 { return in.rackAt[node] })
}

// fastest finds the least length of every task, and requires that it has a node.
func (in *Instance) fastest(found *model.Findings) {
	in.Least = make([]model.Time, in.Tasks)
	for u := range int32(in.Tasks) {
		if i := in.FixedNode(u); i != model.None {
			in.Least[u] = in.Length(u, i)
			continue
		}
		least := model.Time(-1)
		note := func(t model.Time) {
			if t >= 0 && (least < 0 || t < least) {
				least = t
			}
		}
		for k := range int32(in.Classes) {
			if in.AllowedNodes(u, k) > 0 && in.Fits(u, k) {
				note(in.RowLength(u, k, model.Remote))
			}
		}
		if in.Reads(u) {
			in.eachNear(u, func(i int32) {
				if in.Runs(u, i) {
					note(in.Length(u, i))
				}
			})
		}
		if in.Least[u] = least; least < 0 {
			in.reportRoom(u, found)
		}
	}
}

// eachNear passes the nodes that hold the block of a task for which Reads is true, and those in their racks; it may
// repeat some.
func (in *Instance) eachNear(u int32, each func(i int32)) {
	for _, i := range in.Replicas(u) {
		each(i)
	}
	b := in.block[u]
	for _, k := range in.rack[in.rackFirst[b]:in.rackFirst[b+1]] {
		for _, i := range in.rackNode[in.rackNodeFirst[k]:in.rackNodeFirst[k+1]] {
			each(i)
		}
	}
}
