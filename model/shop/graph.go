package shop

import (
	"cmp"
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
	general := make([]bool, in.Jobs) // jobs with rows of delays between their own tasks
	for _, d := range w.Delays {
		general[w.Tasks[d.From].Job] = general[w.Tasks[d.From].Job] || w.WithinJob(d)
	}
	has := [...][]bool{model.Map: make([]bool, in.Jobs), model.Reduce: make([]bool, in.Jobs)}
	for u := range w.Tasks {
		has[w.Tasks[u].Kind][w.Tasks[u].Job] = true
	}
	waits, awaited := make([]bool, in.Jobs), make([]bool, in.Jobs)
	for _, d := range in.dependencies() {
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
	in.Least = append(in.Least[:in.Tasks:in.Tasks], make([]model.Time, in.Steps-in.Tasks)...)
	for u := range w.Tasks {
		if t := &w.Tasks[u]; t.Kind == model.Map && b.between[t.Job] != model.None && t.ShuffleDelay > 0 {
			in.Take("tasks.shuffle_delay")
			break
		}
	}
	in.arcs(&b)
	in.order()
}

// dependencies are the rows of jobs that wait for others.
func (in *Instance) dependencies() []model.Dependency {
	if in.Identical {
		return nil
	}
	return in.workload.Dependencies
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
	for _, d := range in.dependencies() {
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

// order fills Topo, JobFirst and JobEnd: Kahn's algorithm, the lower step first, and its result job by job. If tasks of
// jobs wait for each other in a circle, Topo keeps the order of the algorithm.
func (in *Instance) order() {
	waiting := slices.Clone(in.Preds)
	list := make([]int32, 0, in.Steps)
	for u, n := range waiting {
		if n == 0 {
			list = append(list, int32(u))
		}
	}
	for k := 0; k < len(list); k++ {
		u := list[k]
		for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
			v := in.SuccStep[a]
			if waiting[v]--; waiting[v] == 0 {
				list = append(list, v)
			}
		}
	}
	jobs, circle := in.jobOrder()
	in.JobFirst, in.JobEnd = make([]int32, in.Jobs), make([]int32, in.Jobs)
	for _, u := range list {
		in.JobEnd[in.Job[u]]++
	}
	var at int32
	for _, j := range jobs {
		in.JobFirst[j], in.JobEnd[j], at = at, at, at+in.JobEnd[j]
	}
	in.ofJobs = make([]int32, in.Steps)
	for _, u := range list {
		j := in.Job[u]
		in.ofJobs[in.JobEnd[j]] = u
		in.JobEnd[j]++
	}
	if in.Topo = in.ofJobs; circle {
		in.Topo = list
	}
}

// jobOrder sorts jobs by the longest chain of jobs that they wait for, then as in the workload. circle says that some
// jobs wait for each other.
func (in *Instance) jobOrder() (jobs []int32, circle bool) {
	var from, to []int32
	waiting, level := make([]int32, in.Jobs), make([]int32, in.Jobs)
	for u := range int32(in.Steps) {
		for a := in.SuccFirst[u]; a < in.SuccFirst[u+1]; a++ {
			if i, j := in.Job[u], in.Job[in.SuccStep[a]]; i != j {
				from, to = append(from, i), append(to, j)
				waiting[j]++
			}
		}
	}
	first, behind := model.CompressedRows(in.Jobs, len(from), func(k int) (i, j int32) { return from[k], to[k] })
	for j, n := range waiting {
		if n == 0 {
			jobs = append(jobs, int32(j))
		}
	}
	for k := 0; k < len(jobs); k++ {
		i := jobs[k]
		for _, j := range behind[first[i]:first[i+1]] {
			level[j] = max(level[j], level[i]+1)
			if waiting[j]--; waiting[j] == 0 {
				jobs = append(jobs, j)
			}
		}
	}
	circle = len(jobs) < in.Jobs
	jobs = model.Indices(in.Jobs)
	slices.SortStableFunc(jobs, func(i, j int32) int { return cmp.Compare(level[i], level[j]) })
	return jobs, circle
}

// JobSteps are job j's steps in topological order.
func (in *Instance) JobSteps(j int) []int32 { return in.ofJobs[in.JobFirst[j]:in.JobEnd[j]] }

// Changed is the same instance with other lengths and earliest starts, by step; only of identical machines. It shares
// the names of tasks and jobs, and keeps no plan.
func (in *Instance) Changed(least, earliest []model.Time) *Instance {
	other := *in
	other.Least, other.Earliest, other.replan = least, earliest, nil
	other.paths()
	return &other
}

// paths computes heads, tails and the least completion of every job.
func (in *Instance) paths() {
	in.Head, in.Tail = slices.Clone(in.Earliest), make([]model.Time, in.Steps)
	in.Alone = make([]model.Time, in.Jobs)
	for u := range int32(in.Tasks) {
		if in.Fixed(u) {
			in.Head[u] = in.FixedStart(u)
		}
	}
	for _, u := range in.Topo {
		end := in.Head[u] + in.Least[u]
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
				in.Tail[u] = max(in.Tail[u], in.SuccDelay[a]+in.Least[v]+in.Tail[v])
			}
		}
	}
}
