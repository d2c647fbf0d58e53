package realtime

import (
	"math"
	"slices"

	"mrsched/model"
)

// Goal is the objective of schedules.
type Goal string

// The goals, by the names that results state.
const (
	Deadlines  Goal = "deadlines"
	Partitions Goal = "partitions"
)

// NoDeadline is Due of a job that has none.
const NoDeadline = model.Time(math.MaxInt64)

// Options are the command line's settings for an instance.
type Options struct {
	// Goal defaults to Deadlines if a job has a deadline, else to Partitions.
	Goal Goal
	// DeadlineFactor gives jobs without a deadline one: this many times their longest map and longest partition at speed
	// 1; 0: they have none.
	DeadlineFactor float64
	// Partitions is the number of partitions into which keys are hashed; 0: the job's own number, else one per reducer.
	Partitions int64
	// Delta is the δ of Count-Min sketches, which have ⌈ln 1/δ⌉ rows. SketchSeed chooses their hashes.
	Delta      float64
	SketchSeed int64
	// Resplit is the cost of each further piece of a partition; unknown: partitions are not split.
	Resplit model.Optional[model.Time]
	// Untimed instances serve estimates only: true times are neither required nor read.
	Untimed bool
}

// Set is the result of one partitioner on a job's intermediate data.
type Set struct {
	Job   int32
	Row   int32 // of the sketch, from 1; 0: Hadoop's hash, or the partitions that the workload states
	First int32 // its partitions are tasks First … First+Count−1
	Count int32
}

// Instance is the dense view of a workload. It is immutable and safe for concurrent reading.
//
// Tasks are all maps, job by job, then all partitions, job by job, for each job set by set. A schedule places all maps
// (under goal Deadlines) and the partitions of one set per job.
type Instance struct {
	model.ViewDefaults
	model.Cluster
	model.Sources
	Goal       Goal
	Jobs, Maps int
	Tasks      int // maps and the partitions of all sets
	Resplit    model.Optional[model.Time]

	Release, Due []model.Time // by job; Due is a point in time; 0 and NoDeadline under goal Partitions
	Reducers     []int32      // by job: R
	FirstMap     []int32      // maps of job j are tasks FirstMap[j] … FirstMap[j+1]−1
	Sets         []Set        // by job, by row
	FirstSet     []int32      // sets of job j are Sets[FirstSet[j]] … Sets[FirstSet[j+1]−1]

	Bytes       []model.Bytes // by task
	TaskRelease []model.Time  // by map: when it may start
	Shuffle     []model.Time  // by map: the delay from its end to the arrival of its output
	Class       []string      // by job: the name that history uses

	jobOf  []int32   // by task
	base   []float64 // by task: microseconds at speed 1; negative: all its times are given
	given  given
	listed []model.TaskIndex // by map, then by partition of a listed reduce: the row in the table tasks, or None
	names  names
	work   *model.Workload
}

// New builds the instance. Errors are *model.InputError.
func New(w *model.Workload, o Options) (*Instance, error) {
	var found model.Findings
	in := &Instance{Jobs: len(w.Jobs), work: w, Resplit: o.Resplit}
	in.aim(w, o)
	in.Cluster = model.NewCluster(w, &found)
	in.jobs(w, o, &found)
	if !o.Untimed {
		in.times(w, &found)
	}
	if found.Empty() {
		in.deadlines(w, o)
		in.checkSlots(w, &found)
	}
	if found.Empty() && !o.Untimed {
		in.checkHorizon(w, &found)
	}
	if err := found.Err(); err != nil {
		return nil, err
	}
	if !o.Untimed {
		in.noteSources(w, o)
	}
	return in, nil
}

// SetsOf returns the sets of partitions into which a job's data may be put.
func (in *Instance) SetsOf(job int32) []Set { return in.Sets[in.FirstSet[job]:in.FirstSet[job+1]] }

// JobOf is the job of a task.
func (in *Instance) JobOf(task int32) int32 { return in.jobOf[task] }

// SetOf is the set of a partition.
func (in *Instance) SetOf(task int32) Set {
	j := in.jobOf[task]
	sets := in.SetsOf(j)
	for k := len(sets) - 1; k > 0; k-- {
		if task >= sets[k].First {
			return sets[k]
		}
	}
	return sets[0]
}

// ReleaseOf is the earliest start of a task: the arrival of its job or, for a map or a listed reduce, the task's own
// release if that is later. It is 0 under goal Partitions.
func (in *Instance) ReleaseOf(task int32) model.Time {
	if in.Goal == Partitions {
		return 0
	}
	if in.IsMap(task) {
		return in.TaskRelease[task]
	}
	at := in.Release[in.jobOf[task]]
	if row := in.Task(task); row != nil {
		at = max(at, row.Release.Or(0))
	}
	return at
}

// IsMap says whether a task is a map; the others are partitions.
func (in *Instance) IsMap(task int32) bool { return int(task) < in.Maps }

// Workload is what the instance was built from.
func (in *Instance) Workload() *model.Workload { return in.work }

// Task is the row of the table tasks that a task comes from, or nil.
func (in *Instance) Task(task int32) *model.Task {
	if k := in.listed[task]; k != model.None {
		return &in.work.Tasks[k]
	}
	return nil
}

// aim sets the goal.
func (in *Instance) aim(w *model.Workload, o Options) {
	if in.Goal = o.Goal; in.Goal != "" {
		return
	}
	in.Goal = Partitions
	if o.DeadlineFactor > 0 || slices.ContainsFunc(w.Jobs, func(j model.Job) bool { return j.Deadline.Known }) {
		in.Goal = Deadlines
	}
}

// deadlines sets Due. Nothing is due under goal Partitions.
func (in *Instance) deadlines(w *model.Workload, o Options) {
	in.Due = make([]model.Time, in.Jobs)
	for j := range in.Due {
		in.Due[j] = NoDeadline
		switch d := w.Jobs[j].Deadline; {
		case in.Goal == Partitions:
		case d.Known:
			in.Due[j] = in.Release[j] + d.Value
		case o.DeadlineFactor > 0:
			path := o.DeadlineFactor * in.path(int32(j))
			in.Due[j] = in.Release[j] + model.Time(math.Min(math.Round(path), float64(model.MaxTime)))
		}
	}
}

// path is a job's longest map and longest partition at speed 1, in microseconds; for tasks with given times, the least
// of them.
func (in *Instance) path(job int32) float64 {
	longest := func(first, end int32) (most float64) {
		for t := first; t < end; t++ {
			x := in.base[t]
			if x < 0 {
				x = float64(in.Least(t))
			}
			most = max(most, x)
		}
		return most
	}
	s := in.SetsOf(job)[0]
	return longest(in.FirstMap[job], in.FirstMap[job+1]) + longest(s.First, s.First+s.Count)
}
