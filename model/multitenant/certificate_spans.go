package multitenant

import "mrsched/model"

// Span is when a resource is not used: before Head, and in the last Tail of a schedule.
type Span struct{ Head, Tail model.Time }

// Windows are when the jobs of a set can use slots and links.
type Windows struct{ Map, Reduce, Link Span }

// Window is that of the jobs that arrive at from or later. What none of them uses counts as usable from the first of
// these arrivals on.
func (x *Relaxation) Window(from model.Time) Windows {
	w := NewUses()
	for j := range x.Jobs {
		if x.in.Arrival[j] >= from {
			w.Add(x, int32(j))
		}
	}
	return w.Windows()
}

// Uses is when a growing set of jobs uses what.
type Uses struct {
	first               model.Time
	maps, reduces, link use
}

// use is when something is used: from Head on, and not in the last Tail; nothing yet if the Head is never.
type use Span

const never = model.MaxTime

// NewUses is that of no jobs.
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

// Windows is what the jobs that were added can use.
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
