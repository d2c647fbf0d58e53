package realtime

import (
	"fmt"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
)

// Estimator estimates what maps and partitions take on workers from the table history; it never looks at true times. A
// task is judged by the runs of its class (that of its job) and kind on the worker:
//
//  1. Its cpu and memory are what its row of the table tasks states, else the mean of the fullest bin of a histogram of
//     those runs; if none states them, of all workers' runs of the class and kind.
//  2. Its time is a k-NN regression over those runs on bytes, cpu and memory (knn.go); of one of many partitions, what
//     the line through those runs says (affine).
//  3. Without runs on the worker, all workers' runs of the class and kind take part, each as on a worker of speed 1;
//     without those, the time is the mean of all runs of the class. Both are divided by the worker's speed. The speed of
//     runs on nodes that the topology does not have is 1.
//
// Workers are told by name. An Estimator is safe for one goroutine only: it learns about classes and workers when asked
// for the first time, and keeps answers.
//
// Source: DynamicShare.
type Estimator struct {
	in      *realtime.Instance
	history []model.PastRun
	limit   int                 // of neighbours
	class   []int32             // by job
	speeds  []float64           // by row of history
	runs    map[runsKey][]int32 // rows of history
	shared  [][2]*learned       // by class and kind: of all workers' runs
	known   [][2][]*profile     // by class, kind and worker; nil where nobody asked
	largest []float64           // by job: bytes of its largest partition where lines estimate them, else −1
}

// runsKey is whose runs are meant.
type runsKey struct {
	class, worker int32 // everyWorker: those of all workers
	kind          model.TaskKind
}

const (
	otherWorker = -1 // that the instance does not have
	everyWorker = -2
)

// Source says which past runs an estimate of a time comes from.
type Source string

// The sources, from the best.
const (
	OwnRuns    Source = "worker"  // of the class and kind on the worker
	SharedRuns Source = "workers" // of the class and kind on any worker, by speed
	ClassMean  Source = "class"   // of the class, whatever their kind and worker, by speed
)

// learned is what some runs teach.
type learned struct {
	samples     []sample
	model       *knn // nil until asked for
	cpu, memory model.Optional[float64]
	fit         *line // nil until asked for
}

// profile is how tasks of one class and kind are estimated on one worker.
type profile struct {
	source      Source
	from        *learned
	speed       float64 // times are divided by it
	mean        float64 // of ClassMean: microseconds at speed 1
	count       int     // runs
	cpu, memory model.Optional[float64]
	answers     map[need]model.Time
}

// need is what a task states about itself; −1: nothing.
type need struct{ bytes, cpu, memory float64 }

// maxAnswers is how many answers a profile keeps before it starts anew.
const maxAnswers = 1 << 16

// NewEstimator learns from the history of an instance's workload. An estimate averages at most maxNeighbours runs that
// differ. Errors are *model.InputError: jobs of whose class there is no run.
func NewEstimator(in *realtime.Instance, maxNeighbours int) (*Estimator, error) {
	w := in.Workload()
	e := &Estimator{in: in, history: w.History, limit: maxNeighbours, class: make([]int32, in.Jobs),
		runs: map[runsKey][]int32{}}
	classes := map[string]int32{}
	for j, name := range in.Class {
		id, ok := classes[name]
		if !ok {
			id = int32(len(classes))
			classes[name] = id
		}
		e.class[j] = id
	}
	e.shared, e.known = make([][2]*learned, len(classes)), make([][2][]*profile, len(classes))
	e.gather(w, classes)
	e.findLarge()
	if err := e.lacking(classes); err != nil {
		return nil, err
	}
	return e, nil
}

// gather sorts the runs of the jobs' classes by kind and worker.
func (e *Estimator) gather(w *model.Workload, classes map[string]int32) {
	workers := make(map[string]int32, e.in.Workers)
	for m := range int32(e.in.Workers) {
		workers[e.in.WorkerName(m)] = m
	}
	e.speeds = make([]float64, len(w.History))
	for i := range w.History {
		r := &w.History[i]
		e.speeds[i] = 1
		if r.Node != model.None {
			e.speeds[i] = w.Topology[r.Node].Speed.Or(1)
		}
		class, ok := classes[r.Class]
		if !ok {
			continue
		}
		worker, ok := workers[r.Worker]
		if !ok {
			worker = otherWorker
		}
		for _, of := range []int32{worker, everyWorker} {
			key := runsKey{class, of, r.Kind}
			e.runs[key] = append(e.runs[key], int32(i))
		}
	}
}

// lacking reports jobs with tasks of whose class nothing ran.
func (e *Estimator) lacking(classes map[string]int32) error {
	var found model.Findings
	w := e.in.Workload()
	var names []string // of classes that ran
	for i := range w.History {
		if c := w.History[i].Class; len(names) == 0 || names[len(names)-1] != c {
			names = append(names, c)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for j := range int32(e.in.Jobs) {
		class := e.class[j]
		if e.in.FirstMap[j] == e.in.FirstMap[j+1] && e.in.SetsOf(j)[0].Count == 0 ||
			len(e.runs[runsKey{class, everyWorker, model.Map}])+len(e.runs[runsKey{class, everyWorker, model.Reduce}]) > 0 {
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

// time is what a map or partition is expected to take on a worker.
func (e *Estimator) time(task, worker int32) model.Time {
	if !e.in.IsMap(task) {
		if overhead, perByte, ok := e.affine(e.in.JobOf(task), worker); ok {
			return onLine(overhead, perByte, float64(e.in.Bytes[task]))
		}
	}
	p := e.profile(e.in.JobOf(task), e.in.KindOf(task), worker)
	n := e.need(task)
	t, ok := p.answers[n]
	if !ok {
		if p.answers == nil || len(p.answers) >= maxAnswers {
			p.answers = map[need]model.Time{}
		}
		t = p.time(e.limit, n)
		p.answers[n] = t
	}
	return t
}

// need is what a task is known to need before it runs.
func (e *Estimator) need(task int32) need {
	n := need{float64(e.in.Bytes[task]), -1, -1}
	if t := e.in.Task(task); t != nil {
		if !t.InputBytes.Known {
			n.bytes = -1
		}
		n.cpu = t.CPU.Or(-1)
		if t.MemoryBytes.Known {
			n.memory = float64(t.MemoryBytes.Value)
		}
	}
	return n
}

// profile is how a job's tasks of a kind are estimated on a worker.
func (e *Estimator) profile(job int32, kind model.TaskKind, worker int32) *profile {
	list := &e.known[e.class[job]][kind]
	if *list == nil {
		*list = make([]*profile, e.in.Workers)
	}
	if (*list)[worker] == nil {
		(*list)[worker] = e.learn(e.class[job], kind, worker)
	}
	return (*list)[worker]
}

// learn makes a profile.
func (e *Estimator) learn(class int32, kind model.TaskKind, worker int32) *profile {
	every := e.shared[class][kind]
	if every == nil {
		every = e.teach(e.runs[runsKey{class, everyWorker, kind}], true)
		e.shared[class][kind] = every
	}
	if own := e.runs[runsKey{class, worker, kind}]; len(own) > 0 {
		p := &profile{source: OwnRuns, from: e.teach(own, false), speed: 1, count: len(own)}
		p.cpu, p.memory = firstKnown(p.from.cpu, every.cpu), firstKnown(p.from.memory, every.memory)
		return p
	}
	p := &profile{source: SharedRuns, from: every, speed: e.in.Speed[worker], count: len(every.samples), cpu: every.cpu,
		memory: every.memory}
	if p.count == 0 {
		p.source = ClassMean
		for _, k := range []model.TaskKind{model.Map, model.Reduce} {
			for _, i := range e.runs[runsKey{class, everyWorker, k}] {
				p.count++
				p.mean += float64(e.history[i].Time) * e.speeds[i]
			}
		}
		p.mean /= float64(p.count)
	}
	return p
}

func firstKnown(a, b model.Optional[float64]) model.Optional[float64] {
	if a.Known {
		return a
	}
	return b
}

// teach makes samples of rows of history, with what they took on their worker or, scaled, as on a worker of speed 1.
func (e *Estimator) teach(rows []int32, scale bool) *learned {
	l := &learned{samples: make([]sample, len(rows))}
	var cpu, memory []float64
	for k, i := range rows {
		r := &e.history[i]
		s := sample{x: [features]float64{float64(r.Bytes), math.NaN(), math.NaN()}, y: float64(r.Time), row: i}
		if scale {
			s.y *= e.speeds[i]
		}
		if r.CPU.Known {
			s.x[1] = r.CPU.Value
			cpu = append(cpu, s.x[1])
		}
		if r.MemoryBytes.Known {
			s.x[2] = float64(r.MemoryBytes.Value)
			memory = append(memory, s.x[2])
		}
		l.samples[k] = s
	}
	if len(cpu) > 0 {
		l.cpu = model.Some(fullestBin(cpu))
	}
	if len(memory) > 0 {
		l.memory = model.Some(fullestBin(memory))
	}
	return l
}

// regression is the k-NN model of the runs.
func (l *learned) regression(limit int) *knn {
	if l.model == nil {
		l.model = newKNN(slices.Clone(l.samples), limit, scanned)
	}
	return l.model
}

// query is where a task lies among the runs.
func (p *profile) query(n need) (x [features]float64) {
	cpu, memory := p.requirements(n)
	for f, v := range []model.Optional[float64]{{Value: n.bytes, Known: n.bytes >= 0}, cpu, memory} {
		if x[f] = v.Value; !v.Known {
			x[f] = math.NaN()
		}
	}
	return x
}

// requirements are the cpu and memory of a task: what it states, else what the histograms say.
func (p *profile) requirements(n need) (cpu, memory model.Optional[float64]) {
	cpu, memory = p.cpu, p.memory
	if n.cpu >= 0 {
		cpu = model.Some(n.cpu)
	}
	if n.memory >= 0 {
		memory = model.Some(n.memory)
	}
	return cpu, memory
}

// time is what a task is expected to take.
func (p *profile) time(limit int, n need) model.Time {
	if p.source == ClassMean {
		return expected(p.mean / p.speed)
	}
	return expected(p.from.regression(limit).estimate(p.query(n)) / p.speed)
}

// expected is a time of so many microseconds.
func expected(v float64) model.Time {
	if v >= float64(model.MaxTime) {
		return model.MaxTime
	}
	return model.Time(math.Round(v))
}
