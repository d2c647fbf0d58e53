package multitenant

import (
	"cmp"
	"slices"

	"mrsched/model"
)

// Span says when a resource is not used: before Head, and in the last Tail of a schedule.
type Span struct{ Head, Tail model.Time }

// Windows say when the jobs of a set can use slots and links.
type Windows struct{ Map, Reduce, Link Span }

// Window returns the windows of the jobs that arrive at from or later. A resource that none of them uses counts as
// usable from the first of these arrivals on.
func (x *Relaxation) Window(from model.Time) Windows {
	w := NewUses()
	for j := range x.Jobs {
		if x.in.Arrival[j] >= from {
			w.Add(x, int32(j))
		}
	}
	return w.Windows()
}

// Uses collects when jobs use slots and links.
type Uses struct {
	first               model.Time
	maps, reduces, link use
}

// use is when something is used: from Head on, and not in the last Tail; the Head is Never while nothing uses it.
type use Span

const never = model.MaxTime

// NewUses starts without jobs.
func NewUses() *Uses {
	nothing := use{never, never}
	return &Uses{never, nothing, nothing, nothing}
}

// Add adds a job.
func (w *Uses) Add(x *Relaxation, j int32) {
	job := &x.Jobs[j]
	if job.empty() {
		return
	}
	w.first = min(w.first, x.in.Arrival[j])
	if job.MapCount > 0 {
		w.maps.add(job.MapsFrom, job.ReducesTake)
	}
	if job.ReduceCount > 0 {
		w.reduces.add(max(job.MapsUntil, job.ReducesFrom), 0)
	}
	if job.Reads {
		w.link.add(job.MapsFrom, job.LeastMap+job.ReducesTake)
	}
	if job.Shuffles {
		w.link.add(job.MapsFrom+job.LeastMap, job.LeastReduce)
	}
}

// Windows says when the jobs that were added can use each resource.
func (w *Uses) Windows() Windows {
	return Windows{w.maps.or(w.first), w.reduces.or(w.first), w.link.or(w.first)}
}

func (u *use) add(head, tail model.Time) { u.Head, u.Tail = min(u.Head, head), min(u.Tail, tail) }

func (u *use) or(first model.Time) Span {
	if u.Head == never {
		return Span{Head: first}
	}
	return Span(*u)
}

// releases sets when a job's maps and reduces start and end at the earliest: for every release, the tasks that are
// released then or later take at least as long as if they ran alone.
func (x *Relaxation) releases(j int32, job *JobGroups) {
	in, at := x.in, x.in.Arrival[j]
	job.MapsFrom, job.MapsUntil, job.ReducesFrom, job.ReducesUntil = at, at+job.MapsTake, at, at
	if in.release == nil {
		return
	}
	maps := x.newPhase(func(p *Place) int64 { return p.MapSlots })
	reduces := x.newPhase(func(p *Place) int64 { return p.ReduceSlots })
	job.MapsFrom, job.MapsUntil = x.released(in.FirstMap[j], in.FirstMap[j+1], at, maps)
	job.ReducesFrom, job.ReducesUntil = x.released(in.FirstReduce(j), in.FirstReduce(j+1), at, reduces)
}

// released is the earliest start and end of tasks that their releases allow; from is the release of their job.
func (x *Relaxation) released(first, end int32, from model.Time, f *phase) (start, until model.Time) {
	tasks := make([]int32, 0, end-first)
	for t := first; t < end; t++ {
		tasks = append(tasks, t)
	}
	slices.SortStableFunc(tasks, func(a, b int32) int { return cmp.Compare(x.in.release[b], x.in.release[a]) })
	start, until = from, from
	for i, t := range tasks {
		f.add(1, x.in.base[t])
		start = x.in.release[t]
		if i+1 == len(tasks) || x.in.release[tasks[i+1]] < start {
			until = max(until, start+f.takes())
		}
	}
	return start, until
}
