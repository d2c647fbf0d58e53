package shop

import (
	"cmp"
	"slices"

	"mrsched/model"
)

// reality is what the table state says: tasks that have begun are fixed, each for its own length, and obey no rule.
// Those that run hold their node until they are expected to end. Where they need more than there is, they count as all
// that there is.
type reality struct {
	stateRow []int32            // by task: its row of state, or None; empty: there are none
	asked    map[int32][]int64  // by task that has begun: what it takes, by resource, however much there is
	parts    map[[2]int32]int64 // by task that has begun and group: what it counts there, if anything
}

// now is when tasks that have not begun may start; identical machines know none.
func (in *Instance) now() model.Time {
	if in.Identical {
		return 0
	}
	return in.workload.Now.Or(0)
}

// Begun says whether a row of state has task u.
func (in *Instance) Begun(u int32) bool { return len(in.stateRow) > 0 && in.stateRow[u] != model.None }

// over says whether a row of state has ended by now.
func (in *Instance) over(u int32) bool {
	return in.Begun(u) && in.workload.State[in.stateRow[u]].End.Known
}

// cut says whether task u runs on although its node is unavailable meanwhile.
func (in *Instance) cut(u int32) bool {
	if !in.Begun(u) {
		return false
	}
	start := in.FixedStart(u)
	_, _, away := in.Away(in.FixedNode(u), start, start+in.Least[u])
	return away
}

// Asked is what task u takes of a resource on its node, however much there is.
func (in *Instance) Asked(u, r int32) int64 {
	if asked, ok := in.asked[u]; ok && int(r) < in.Resources {
		return asked[r]
	}
	return in.Needs(u, r)
}

// Part is what task u counts in group g while it runs there.
func (in *Instance) Part(u, g int32) int64 {
	if in.Begun(u) {
		return in.parts[[2]int32{u, g}]
	}
	return in.Needs(u, in.Groups[g].Resource)
}

// realLengths gives the tasks of state their own lengths.
func (in *Instance) realLengths(total *model.Horizon) {
	w := in.workload
	for _, s := range w.State {
		u := int32(s.Task)
		end := s.End.Or(w.Now.Value + s.Remaining.Value)
		if !s.End.Known && !s.Remaining.Known {
			usual := max(0, in.Length(u, in.nodeOf[s.Node]))
			end = max(s.Start+usual, w.Now.Value+w.Grace.Or(model.DefaultGrace))
		}
		list := in.allLengths(u)
		for k := range list {
			list[k] = end - s.Start
		}
		total.Add(end - s.Start)
	}
}

// begin fixes the tasks of state, and finds what they count: those that end last come first.
func (in *Instance) begin() {
	w := in.workload
	if len(w.State) == 0 {
		return
	}
	if len(in.fixedNode) == 0 {
		in.fixNone()
	}
	in.stateRow = slices.Repeat([]int32{model.None}, in.Tasks)
	in.asked, in.parts = map[int32][]int64{}, map[[2]int32]int64{}
	tasks := make([]int32, len(w.State))
	for k, s := range w.State {
		u := int32(s.Task)
		in.stateRow[u], in.fixedNode[u], in.fixedStart[u], tasks[k] = int32(k), in.nodeOf[s.Node], s.Start, u
	}
	end := func(u int32) model.Time { return in.fixedStart[u] + in.Length(u, in.fixedNode[u]) }
	slices.SortFunc(tasks, func(u, v int32) int { return cmp.Or(cmp.Compare(end(v), end(u)), cmp.Compare(u, v)) })
	taken, shared := map[[2]int32]int64{}, map[int32]int64{} // by node and resource, and by group
	for _, u := range tasks {
		i, d := in.fixedNode[u], in.Demands(u)
		in.asked[u] = slices.Clone(d)
		if in.over(u) {
			clear(d)
			continue
		}
		for _, g := range in.GroupsOf(u, i) {
			x := min(in.Needs(u, in.Groups[g].Resource), in.Groups[g].Capacity-shared[g])
			shared[g] += x
			in.parts[[2]int32{u, g}] = x
		}
		for r, c := range in.Capacities(in.Class[i]) {
			at := [2]int32{i, int32(r)}
			d[r] = min(d[r], c-taken[at])
			taken[at] += d[r]
		}
	}
}
