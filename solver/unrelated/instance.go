package unrelated

import (
	"cmp"
	"fmt"

	"mrsched/model"
	"mrsched/solver"
	"mrsched/solver/lp"
)

// Spec describes an instance. Tasks, machines and classes are numbered from 0.
type Spec struct {
	Tasks int
	// Class is the class of each machine; identical machines share one. Classes are numbered in the order of their first
	// machines.
	Class []int32
	// Speed is that of each class. It matters where Related, and elsewhere is a first guess at prices.
	Speed []float64
	// Most is how many machines may be used.
	Most int
	// Time is how long a task takes on a machine of a class; it is not negative.
	Time func(task, class int) model.Time
	// Related says that every time is the size of the task over the speed of the class, rounded.
	Related bool
	// Divisible says that tasks may be split among machines. Bounds hold for split tasks, too; assignments keep tasks
	// whole all the same.
	Divisible bool
	// Work limits the steps of knapsacks for the bound without branching; 0: as many as one instance is worth.
	Work int64
	// Stream is the second seed of searches, so that several instances of one run use different random numbers.
	Stream uint64
}

// Assignment is the machine of each task.
type Assignment []int32

// Instance is an instance of R||Cmax with what is known about its bounds. It is safe for one goroutine only.
type Instance struct {
	n, m, most int
	class      []int32   // by machine
	members    [][]int32 // by class: its machines
	speed      []float64 // by task, then by class; nil if there are too many
	timeOf     func(task, class int) model.Time
	times      []model.Time // by task, then by class; nil if there are too many to keep
	least      []model.Time // by task: its shortest time
	unit       model.Time   // greatest common divisor of all times, and so of all loads
	related    bool
	divisible  bool
	partial    bool // lacks some machines of another instance, so its bounds do not hold for that one
	work       int64
	stream     uint64

	relaxed *relaxation // nil until solved
	counted *relaxation // with counters, at the last bound; nil: there is none
	root    *Bound      // nil until known
}

// keptTimes is how many times an instance keeps; if there are more, it calls Spec.Time again and again.
const keptTimes = 1 << 23

// New reads the times of an instance.
func New(s Spec) *Instance {
	in := &Instance{n: s.Tasks, m: len(s.Class), most: s.Most, class: s.Class, members: make([][]int32, len(s.Speed)),
		speed: s.Speed, timeOf: s.Time, least: make([]model.Time, s.Tasks), related: s.Related, divisible: s.Divisible,
		work: cmp.Or(s.Work, rootWork), stream: s.Stream}
	for k, c := range s.Class {
		in.members[c] = append(in.members[c], int32(k))
	}
	classes := len(s.Speed)
	if in.n*classes <= keptTimes {
		in.times = make([]model.Time, in.n*classes)
	}
	fastest := in.bySpeed()[0]
	for i := range in.n {
		for c := range classes {
			if in.times == nil && in.unit == 1 && in.related { // nothing further can be learned
				in.least[i] = s.Time(i, int(fastest))
				break
			}
			t := s.Time(i, c)
			if in.times != nil {
				in.times[i*classes+c] = t
			}
			if c == 0 || t < in.least[i] {
				in.least[i] = t
			}
			if in.unit != 1 {
				in.unit = model.GCD(in.unit, t)
			}
		}
	}
	in.unit = max(1, in.unit)
	return in
}

// Limited says whether some machines must stay empty.
func (in *Instance) Limited() bool { return in.most < in.m }

// time is how long a task takes on a machine of a class.
func (in *Instance) time(i, c int) model.Time {
	if in.times != nil {
		return in.times[i*len(in.speed)+c]
	}
	return in.timeOf(i, c)
}

// on is how long a task takes on a machine.
func (in *Instance) on(i int, k int32) model.Time { return in.time(i, int(in.class[k])) }

// fits says whether a task of some length may run on a machine within a limit. A piece of a divisible task always may.
func (in *Instance) fits(t, limit model.Time) bool { return t <= limit || in.divisible }

// roundUp is the least load from t on.
func (in *Instance) roundUp(t model.Time) model.Time {
	return (t + in.grain() - 1) / in.grain() * in.grain()
}

// below is the largest load below t.
func (in *Instance) below(t model.Time) model.Time { return (t - 1) / in.unit * in.unit }

// longest is the largest of the tasks' shortest times: a bound for whole tasks.
func (in *Instance) longest() (most model.Time) {
	for _, t := range in.least {
		most = max(most, t)
	}
	return most
}

// loads are the loads of an assignment, by machine.
func (in *Instance) loads(a Assignment) []model.Time {
	loads := make([]model.Time, in.m)
	for i, k := range a {
		loads[k] += in.on(i, k)
	}
	return loads
}

// Makespan is the largest load of an assignment.
func (in *Instance) Makespan(a Assignment) (most model.Time) {
	for _, load := range in.loads(a) {
		most = max(most, load)
	}
	return most
}

// Used is how many machines an assignment uses.
func (in *Instance) Used(a Assignment) int {
	n, seen := 0, make([]bool, in.m)
	for _, k := range a {
		if !seen[k] {
			seen[k] = true
			n++
		}
	}
	return n
}

// failure is the error of a solver; nil if the solution is optimal or the context stopped it.
func failure(sol *lp.Solution, err error) error {
	switch {
	case err != nil:
		return &solver.BackendError{Err: err}
	case sol.Status != lp.Optimal && sol.Status != lp.Timeout && sol.Status != lp.Aborted:
		return &solver.BackendError{Err: fmt.Errorf("the linear program of an assignment is %v", sol.Status)}
	}
	return nil
}
