package shop

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"mrsched/model"
)

// Refutation states that a job does not end by Due, even if it has all machines to itself: a search of at most Nodes
// nodes finds no schedule that does. In a Reversed search time runs from Due towards 0.
type Refutation struct {
	Due      model.Time `json:"due"`
	Nodes    int        `json:"nodes"`
	Reversed bool       `json:"reversed,omitempty"`
}

// MaxSearch bounds the searches that a certificate may demand, in nodes times tasks. They take about a minute.
const MaxSearch = 1 << 28

// Verdict is the result of a search.
type Verdict int

// The verdicts.
const (
	SearchOpen    Verdict = iota // stopped by a limit
	SearchRefuted                // no schedule ends by the due time
	SearchFound                  // a schedule ends by the due time
)

// AloneSearch searches for schedules of one job that has all machines to itself. Time runs forwards or backwards. Both
// directions may run concurrently.
type AloneSearch struct {
	in   *Instance
	job  int32
	both [2]*aloneSearch
	Unit model.Time // the earliest end is a multiple of it
	// Least is a bound on the earliest end; no schedule without needless waiting ends after Most.
	Least, Most model.Time
	Tasks       []int32 // the job's
}

// SearchTasks is the largest number of tasks of a job that may be searched.
const SearchTasks = 64 * setWords

// searchTime exceeds all times, in units, that a search can handle.
const searchTime = 1 << 50

// NewAloneSearch prepares the searches for a job; nil if it has too many tasks, or too long ones.
func NewAloneSearch(in *Instance, job int32) *AloneSearch {
	if in.tasksOf(job) > SearchTasks {
		return nil
	}
	a := newAloneJob(in, job)
	if a.most() >= searchTime {
		return nil
	}
	back := a.reversed()
	a.tail = reversed(back.head)
	back.tail = reversed(a.head)
	return &AloneSearch{in: in, job: job, both: [2]*aloneSearch{newAloneSearch(a), newAloneSearch(back)}, Unit: a.unit,
		Least: model.Time(a.least()) * a.unit, Most: model.Time(a.most()) * a.unit, Tasks: a.tasks}
}

// Try looks for a schedule that ends by the due time of a refutation. It returns the number of nodes visited. If it
// finds one, start has the start times in the order of Tasks; in the same order no task could start earlier.
func (x *AloneSearch) Try(ctx context.Context, r Refutation) (v Verdict, start []model.Time, nodes int) {
	s := x.both[0]
	if r.Reversed {
		s = x.both[1]
	}
	due := int64(min(r.Due, x.Most) / x.Unit)
	v = s.run(ctx, due, r.Nodes)
	switch v {
	case SearchRefuted:
		r.Nodes = s.nodes
		x.in.refuted.add(x.job, r)
	case SearchFound:
		begin := slices.Clone(s.start)
		if r.Reversed {
			for k := range begin {
				begin[k] = due - begin[k] - s.p[k]
			}
			slices.Reverse(begin)
		}
		for _, t := range x.both[0].inOrder(begin) {
			start = append(start, model.Time(t)*x.Unit)
		}
	}
	return v, start, s.nodes
}

// End is the end of a schedule of the job.
func (x *AloneSearch) End(start []model.Time) (end model.Time) {
	for k, u := range x.Tasks {
		end = max(end, start[k]+x.in.Least[u])
	}
	return end
}

// refute returns the least end of a job that a refutation proves.
func (in *Instance) refute(b AloneBound) (model.Time, error) {
	job, r, id := b.Job, *b.Refuted, in.Workload().Jobs[b.Job].ID
	if b.AloneSet != (AloneSet{}) {
		return 0, fmt.Errorf("certificate: two bounds of job %q in one", id)
	}
	if r.Due < 0 || r.Due > maxAlone || r.Nodes <= 0 {
		return 0, fmt.Errorf("certificate: search of job %q for an end by %s, %d nodes", id, r.Due, r.Nodes)
	}
	unit := newTimeUnit(in, job)
	if in.refuted.has(job, r) {
		return (r.Due/unit + 1) * unit, nil
	}
	x := NewAloneSearch(in, job)
	if x == nil {
		return 0, fmt.Errorf("certificate: job %q has too many tasks, or too long ones, for a search", id)
	}
	if v, _, _ := x.Try(context.Background(), r); v != SearchRefuted {
		return 0, fmt.Errorf("certificate: %d nodes do not show that job %q ends after %s", r.Nodes, id, r.Due)
	}
	return (r.Due/unit + 1) * unit, nil
}

// refutations stores the refutations found, so that a run does not repeat the searches.
type refutations struct {
	mu    sync.Mutex
	nodes map[refutedBy]int
}

type refutedBy struct {
	job      int32
	due      model.Time
	reversed bool
}

func (k *refutations) add(job int32, r Refutation) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.nodes == nil {
		k.nodes = map[refutedBy]int{}
	}
	k.nodes[refutedBy{job, r.Due, r.Reversed}] = r.Nodes
}

func (k *refutations) has(job int32, r Refutation) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	nodes, ok := k.nodes[refutedBy{job, r.Due, r.Reversed}]
	return ok && nodes <= r.Nodes
}
