package reduceplace

import (
	"cmp"
	"slices"

	"mrsched/model"
)

// Interval is the time for which equal reduces of one job hold their slots: the points From … To−1 of its busy period,
// at least one.
type Interval struct {
	Job      int32
	Task     int32 // the only task, if the tasks of a job fetch different amounts; −1: all tasks of the job
	From, To int32
}

// Period is a busy period: a maximal time in which some interval is active at every moment, or a window of it. Busy
// periods are independent.
type Period struct {
	First, Last int32 // its intervals are Timeline.Intervals[First:Last], by rising From
	Points      int32
	Peak        int32 // the most tasks at one point
}

// Timeline is the instance as the bound sees it: intervals of positive length that fetch something. Of the moments of a
// busy period it keeps one per maximal clique: the starts that are followed by an end before the next start. Tasks that
// are active together at any moment are so at one of these points, since no end lies between the starts that lead to
// it.
//
// Complexity: O(n log n) for n intervals.
type Timeline struct {
	Intervals []Interval
	Periods   []Period
}

// windowJobs is the most jobs of a busy period; longer ones are cut into windows, which count as busy periods of their
// own. It bounds the size of a flow network, lets windows be solved in parallel, and hardly weakens the bound, because
// few jobs are active at a cut.
const windowJobs = 1 << 15

// Timeline computes the busy periods. Jobs start in the order of their arrivals.
func (in *Instance) Timeline() *Timeline { return in.timeline(windowJobs, false) }

// Occupancy is the timeline, without windows, of all intervals of positive length, even of tasks that fetch nothing: a
// placement has to find slots for all of them.
func (in *Instance) Occupancy() *Timeline { return in.timeline(in.Jobs+1, true) }

func (in *Instance) timeline(window int, empty bool) *Timeline {
	t := &Timeline{Intervals: make([]Interval, 0, in.Jobs)}
	var jobs []int32
	end := model.Time(0)
	for _, i := range in.Order {
		if in.Reduces[i] == 0 || in.End[i] <= in.Start[i] || in.Bytes[i] == 0 && !empty {
			continue
		}
		if len(jobs) > 0 && (in.Start[i] >= end || len(jobs) == window) {
			t.add(in, jobs, empty)
			jobs, end = jobs[:0], 0
		}
		jobs, end = append(jobs, i), max(end, in.End[i])
	}
	if len(jobs) > 0 {
		t.add(in, jobs, empty)
	}
	return t
}

// add makes a busy period of jobs, which are in the order of their starts.
func (t *Timeline) add(in *Instance, jobs []int32, empty bool) {
	p := Period{First: int32(len(t.Intervals))}
	from, to := p.cliques(in, jobs)
	for k, i := range jobs {
		if !in.Uneven(i) {
			t.Intervals = append(t.Intervals, Interval{i, -1, from[k], to[k]})
			continue
		}
		for task := in.First[i]; task < in.First[i+1]; task++ {
			if x, _ := in.Data(i, task); x > 0 || empty {
				t.Intervals = append(t.Intervals, Interval{i, task, from[k], to[k]})
			}
		}
	}
	p.Last = int32(len(t.Intervals))
	t.Periods = append(t.Periods, p)
}

// cliques finds the points of a busy period and, for each of its jobs, the first point at which it is active and the
// first at which it no longer is.
func (p *Period) cliques(in *Instance, jobs []int32) (from, to []int32) {
	ending := make([]int32, len(jobs)) // positions in jobs, by their ends
	for k := range ending {
		ending[k] = int32(k)
	}
	slices.SortFunc(ending, func(a, b int32) int {
		return cmp.Or(cmp.Compare(in.End[jobs[a]], in.End[jobs[b]]), cmp.Compare(a, b))
	})
	from, to = make([]int32, len(jobs)), make([]int32, len(jobs))
	point, running := int32(0), int32(0)
	for k, i := range jobs {
		if in.End[jobs[ending[0]]] <= in.Start[i] {
			for point++; in.End[jobs[ending[0]]] <= in.Start[i]; ending = ending[1:] {
				to[ending[0]] = point
				running -= in.Reduces[jobs[ending[0]]]
			}
		}
		from[k] = point
		running += in.Reduces[i]
		p.Peak = max(p.Peak, running)
	}
	p.Points = point + 1
	for _, k := range ending {
		to[k] = p.Points
	}
	return from, to
}

// Amount is what the tasks of an interval fetch: count tasks, together bytes.
func (in *Instance) Amount(v Interval) (count int32, bytes int64) {
	if v.Task < 0 {
		return in.Reduces[v.Job], int64(in.Bytes[v.Job])
	}
	x, _ := in.Data(v.Job, v.Task)
	return 1, int64(x)
}
