package realtime

import (
	"fmt"
	"maps"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver/estimate"
)

// expectation says how long an algorithm expects tasks to take: an *Estimator, or the instance itself, with the true
// times. It is safe for one goroutine only.
type expectation interface {
	Time(task, worker int32) model.Time
}

// lined is an expectation in which the times of a job's partitions on a worker may lie on a line over their bytes. If
// ok is true, Time agrees with the line.
type lined interface {
	line(job, worker int32) (line estimate.Line, ok bool)
}

// expects makes the expectation that --estimates asks for, once.
func (r *run) expects() (expectation, error) {
	if r.expected != nil {
		return r.expected, nil
	}
	var b expectation = r.in
	if kind := r.p.estimates; kind == "history" || kind == "auto" && len(r.in.Workload().History) > 0 {
		e, err := NewEstimator(r.in, int(r.p.maxNeighbours), r.p.distance)
		if err != nil {
			return nil, err
		}
		b = e
	}
	r.expected = b
	return b, nil
}

// Estimator estimates task times from the table history; it never looks at true times. A task has the class of its job.
// A run has the speed of its node, or 1 if the topology lacks that node. Partitions of jobs with many are estimated by
// lines, all other tasks by nearest neighbours; see solver/estimate. An Estimator is safe for one goroutine only.
type Estimator struct {
	in      *realtime.Instance
	runs    *estimate.Estimator
	class   []int32   // by job
	largest []float64 // by job: bytes of its largest partition where lines estimate them, else −1
}

// manyPartitions is the least number of a job's partitions that are estimated by lines. The paper has up to 60.
const manyPartitions = 101

// NewEstimator learns from the history of an instance's workload. An estimate averages at most maxNeighbours different
// runs; distance is the parameter of that name. The error lists the jobs whose class has no run, as *model.InputError.
func NewEstimator(in *realtime.Instance, maxNeighbours int, distance string) (*Estimator, error) {
	e := &Estimator{in: in, class: make([]int32, in.Jobs), largest: make([]float64, in.Jobs)}
	classes := map[string]int32{}
	for j, name := range in.Class {
		id, ok := classes[name]
		if !ok {
			id = int32(len(classes))
			classes[name] = id
		}
		e.class[j], e.largest[j] = id, largestPartition(in, int32(j))
	}
	e.runs = estimate.New(pastRuns(in, classes), len(classes), in.Speed, maxNeighbours,
		distance == "scaled")
	if err := e.lacking(); err != nil {
		return nil, err
	}
	return e, nil
}

// pastRuns are the rows of the history, with workers identified by name.
func pastRuns(in *realtime.Instance, classes map[string]int32) []estimate.Run {
	workers := make(map[string]int32, in.Workers)
	for m := range int32(in.Workers) {
		workers[in.WorkerName(m)] = m
	}
	number := func(of map[string]int32, name string) int32 {
		if k, ok := of[name]; ok {
			return k
		}
		return -1
	}
	w := in.Workload()
	list := make([]estimate.Run, len(w.History))
	for i := range w.History {
		r := &w.History[i]
		list[i] = estimate.Run{Class: number(classes, r.Class), Kind: r.Kind, Worker: number(workers, r.Worker), Speed: 1,
			Needs: estimate.Needs{Bytes: float64(r.Bytes), CPU: r.CPU.Or(-1), Memory: float64(r.MemoryBytes.Or(-1))},
			Time:  r.Time}
		if r.Node != model.None {
			list[i].Speed = w.Topology[r.Node].Speed.Or(1)
		}
	}
	return list
}

// largestPartition is the size of a job's largest partition; −1 if the job has few or does not state all their bytes.
func largestPartition(in *realtime.Instance, job int32) float64 {
	sets := in.SetsOf(job)
	first := numbers(sets[0].First, sets[0].First+sets[0].Count)
	if len(first) < manyPartitions || slices.ContainsFunc(first, func(t int32) bool {
		row := in.Task(t)
		return row != nil && !row.InputBytes.Known
	}) {
		return -1
	}
	most := model.Bytes(0)
	for _, s := range sets {
		most = max(most, slices.Max(in.Bytes[s.First:s.First+s.Count]))
	}
	return float64(most)
}

// lacking reports jobs with tasks whose class has no past run.
func (e *Estimator) lacking() error {
	var found model.Findings
	w, ran := e.in.Workload(), map[string]bool{}
	for i := range w.History {
		ran[w.History[i].Class] = true
	}
	names := slices.Sorted(maps.Keys(ran))
	for j := range int32(e.in.Jobs) {
		idle := e.in.FirstMap[j] == e.in.FirstMap[j+1] && e.in.SetsOf(j)[0].Count == 0
		if idle || e.runs.Runs(e.class[j]) > 0 {
			continue
		}
		job := &w.Jobs[j]
		f := model.Finding{Code: model.CodeNoTime, Pos: w.Where(model.TableJobs, int(j)),
			What: fmt.Sprintf("nothing says what tasks of job %q are expected to take: no past run is of its class %q",
				job.ID, job.Class),
			Expected: "rows of that class in the table history", Hint: "solve --estimates true plans with true times"}
		if job.Class == "" {
			f.What, f.Expected = fmt.Sprintf("nothing says what tasks of job %q are expected to take: it has no class", job.ID),
				"the class that its past runs have in the table history"
		} else if near := model.Nearest(job.Class, names); near != "" {
			f.Hint = fmt.Sprintf("did you mean %q? %s", near, f.Hint)
		}
		found.Add(f)
	}
	return found.Err()
}

// Time is how long a map or partition is expected to take on a worker.
func (e *Estimator) Time(task, worker int32) model.Time {
	if !e.in.IsMap(task) {
		if line, ok := e.line(e.in.JobOf(task), worker); ok {
			return line.At(float64(e.in.Bytes[task]))
		}
	}
	return e.runs.Time(e.task(task), worker)
}

// line estimates a job's partitions on a worker if the job has many; if not ok, the neighbours estimate them.
func (e *Estimator) line(job, worker int32) (line estimate.Line, ok bool) {
	if e.largest[job] < 0 {
		return line, false
	}
	line = e.runs.Line(e.class[job], model.Reduce, worker)
	return line, line.Overhead+float64(line.PerByte*e.largest[job]) < float64(model.MaxTime)
}

// task is what is known about a task before it runs.
func (e *Estimator) task(task int32) estimate.Task {
	t := estimate.Task{Class: e.class[e.in.JobOf(task)], Kind: e.in.KindOf(task),
		Needs: estimate.Needs{Bytes: float64(e.in.Bytes[task]), CPU: -1, Memory: -1}}
	if row := e.in.Task(task); row != nil {
		if !row.InputBytes.Known {
			t.Bytes = -1
		}
		t.CPU, t.Memory = row.CPU.Or(-1), float64(row.MemoryBytes.Or(-1))
	}
	return t
}
