package cluster

import (
	"slices"

	"mrsched/model"
)

// barriers are the steps between tasks, by job; None: the job has none of the kind.
type barriers struct {
	between       []int32 // of its maps and its reduces
	before, after []int32 // of all its tasks
}

// build lays out steps and arcs.
func (in *Instance) build() {
	w := in.workload
	general := make([]bool, in.Jobs) // jobs with rows of delays
	for _, d := range w.Delays {
		general[w.Tasks[d.From].Job] = true
	}
	has := [...][]bool{model.Map: make([]bool, in.Jobs), model.Reduce: make([]bool, in.Jobs)}
	for u := range w.Tasks {
		has[w.Tasks[u].Kind][w.Tasks[u].Job] = true
	}
	waits, awaited := make([]bool, in.Jobs), make([]bool, in.Jobs)
	for _, d := range w.Dependencies {
		waits[d.Job], awaited[d.After] = true, true
	}
	in.Steps = in.Tasks
	in.Job = make([]int32, in.Tasks)
	in.Earliest = make([]model.Time, in.Tasks)
	for u := range w.Tasks {
		t := &w.Tasks[u]
		in.Job[u], in.Earliest[u] = int32(t.Job), max(w.Jobs[t.Job].Release, t.Release.Or(0), in.notBefore(int32(u)))
	}
	number := func(wanted func(j int) bool) []int32 {
		list := make([]int32, in.Jobs)
		for j := range list {
			if list[j] = model.None; wanted(j) {
				list[j] = int32(in.Steps)
				in.Steps++
				in.Job, in.Earliest = append(in.Job, int32(j)), append(in.Earliest, 0)
			}
		}
		return list
	}
	b := barriers{
		between: number(func(j int) bool { return !general[j] && has[model.Map][j] && has[model.Reduce][j] }),
		before:  number(func(j int) bool { return waits[j] }),
		after:   number(func(j int) bool { return awaited[j] }),
	}
	in.arcs(&b)
	in.order()
}

// eachArc passes every arc but those into fixed tasks, which wait for nothing.
func (in *Instance) eachArc(b *barriers, visit func(from, to int32, delay model.Time)) {
	w := in.workload
	for k := range w.Tasks {
		t, u := &w.Tasks[k], int32(k)
		free := !in.Fixed(u)
		if x := b.before[t.Job]; x != model.None && free {
			visit(x, u, 0)
		}
		if x := b.after[t.Job]; x != model.None {
			visit(u, x, 0)
		}
		if x := b.between[t.Job]; x != model.None && t.Kind == model.Map {
			visit(u, x, t.ShuffleDelay)
		} else if x != model.None && free {
			visit(x, u, 0)
		}
	}
	for _, d := range w.Delays {
		if !in.Fixed(int32(d.To)) {
			visit(int32(d.From), int32(d.To), d.Delay)
		}
	}
	for _, d := range w.Dependencies {
		visit(b.after[d.After], b.before[d.Job], d.Delay)
	}
}

// arcs builds the compressed rows.
func (in *Instance) arcs(b *barriers) {
	in.SuccFirst, in.Preds = make([]int32, in.Steps+1), make([]int32, in.Steps)
	in.eachArc(b, func(from, to int32, _ model.Time) {
		in.SuccFirst[from+1]++
		in.Preds[to]++
	})
	for u := range in.Steps {
		in.SuccFirst[u+1] += in.SuccFirst[u]
	}
	next := slices.Clone(in.SuccFirst[:in.Steps])
	in.SuccStep = make([]int32, in.SuccFirst[in.Steps])
	in.SuccDelay = make([]model.Time, len(in.SuccStep))
	in.eachArc(b, func(from, to int32, delay model.Time) {
		in.SuccStep[next[from]], in.SuccDelay[next[from]] = to, delay
		next[from]++
	})
}

// order fills Topo by Kahn's algorithm, the lower step first.
func (in *Instance) order() {
	waiting := slices.Clone(in.Preds)
	in.Topo = make([]int32, 0, in.Steps)
	for u, n := range waiting {
		if n == 0 {
			in.Topo = append(in.Topo, int32(u))
		}
	}
	for k := 0; k < len(in.Topo); k++ {
		u := in.Topo[k]
		for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
			v := in.SuccStep[a]
			if waiting[v]--; waiting[v] == 0 {
				in.Topo = append(in.Topo, v)
			}
		}
	}
}

// StepLength is the least length of a step: that of its task, 0 of a barrier.
func (in *Instance) StepLength(u int32) model.Time {
	if int(u) < in.Tasks {
		return in.Least[u]
	}
	return 0
}

// paths computes heads, tails and the least completion of every job.
func (in *Instance) paths() {
	in.Head, in.Tail = slices.Clone(in.Earliest), make([]model.Time, in.Steps)
	in.Alone = make([]model.Time, in.Jobs)
	for u := range int32(in.Tasks) {
		if in.Fixed(u) {
			in.Head[u] = in.FixedStart[u]
		}
	}
	for _, u := range in.Topo {
		end := in.Head[u] + in.StepLength(u)
		if int(u) < in.Tasks {
			in.Alone[in.Job[u]] = max(in.Alone[in.Job[u]], end)
		}
		for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
			v := in.SuccStep[a]
			in.Head[v] = max(in.Head[v], end+in.SuccDelay[a])
		}
	}
	for k := len(in.Topo) - 1; k >= 0; k-- {
		u := in.Topo[k]
		for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
			if v := in.SuccStep[a]; in.Job[v] == in.Job[u] {
				in.Tail[u] = max(in.Tail[u], in.SuccDelay[a]+in.StepLength(v)+in.Tail[v])
			}
		}
	}
}
