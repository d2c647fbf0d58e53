package estimate

import (
	"math"
	"slices"

	"mrsched/model"
)

// Needs are what is known about a task before it runs; negative values are unknown.
type Needs struct{ Bytes, CPU, Memory float64 }

// Run is one past run.
type Run struct {
	// Class is the class of the task, from 0; −1: the run is ignored.
	Class int32
	Kind  model.TaskKind
	// Worker is where it ran, from 0; −1: on a worker for which nothing is estimated.
	Worker int32
	// Speed is that of the worker.
	Speed float64
	Needs
	Time model.Time
}

// Task is a task whose time is to be estimated.
type Task struct {
	Class int32
	Kind  model.TaskKind
	Needs
}

// Source says which past runs an estimate of a time comes from.
type Source string

// The sources, from the best.
const (
	OwnRuns    Source = "worker"  // of the class and kind on the worker
	SharedRuns Source = "workers" // of the class and kind on any worker, by speed
	ClassMean  Source = "class"   // of the class, whatever their kind and worker, by speed
)

// Estimator estimates tasks on workers. It learns about a class, kind and worker at the first query for them, and
// caches answers; so it is safe for one goroutine only. Answers do not depend on earlier queries.
type Estimator struct {
	runs   []Run
	limit  int       // of neighbours
	scaled bool      // see knn
	speed  []float64 // by worker
	rows   map[where][]int32
	shared [][2]*lessons     // by class and kind: of all workers' runs
	known  [][2][]*estimated // by class, kind and worker; nil before the first query
}

// where identifies the class, kind and worker of runs.
type where struct {
	class, worker int32
	kind          model.TaskKind
}

// anyWorker stands for all workers in where.
const anyWorker = -2

// New learns from past runs of classes 0 … classes−1 for workers of some speeds. An estimate averages at most limit
// different runs.
func New(runs []Run, classes int, speed []float64, limit int, scaled bool) *Estimator {
	e := &Estimator{runs: runs, limit: limit, scaled: scaled, speed: speed, rows: map[where][]int32{},
		shared: make([][2]*lessons, classes), known: make([][2][]*estimated, classes)}
	for i := range runs {
		r := &runs[i]
		if r.Class < 0 {
			continue
		}
		for _, worker := range []int32{r.Worker, anyWorker} {
			at := where{r.Class, worker, r.Kind}
			e.rows[at] = append(e.rows[at], int32(i))
		}
	}
	return e
}

// Runs is how many past runs of a class there are. Without any, nothing can be estimated.
func (e *Estimator) Runs(class int32) int {
	return len(e.rows[where{class, anyWorker, model.Map}]) + len(e.rows[where{class, anyWorker, model.Reduce}])
}

// lessons are what the estimator has learned from some runs.
type lessons struct {
	samples     []sample
	model       *knn // nil before the first query
	cpu, memory float64
	fit         *Line // nil before the first query
}

// estimated is how tasks of one class and kind are estimated on one worker.
type estimated struct {
	source      Source
	from        *lessons
	speed       float64 // times are divided by it
	mean        float64 // of ClassMean: microseconds at speed 1
	count       int     // runs
	cpu, memory float64
	answers     map[Needs]model.Time
}

// maxAnswers is how many answers are kept for a class, kind and worker before all are forgotten.
const maxAnswers = 1 << 16

// Time is how long a task is expected to take on a worker, by its nearest neighbours.
func (e *Estimator) Time(t Task, worker int32) model.Time {
	x := e.on(t.Class, t.Kind, worker)
	answer, ok := x.answers[t.Needs]
	if !ok {
		if x.answers == nil || len(x.answers) >= maxAnswers {
			x.answers = map[Needs]model.Time{}
		}
		if x.source == ClassMean {
			answer = rounded(x.mean / x.speed)
		} else {
			answer = rounded(x.from.regression(e).estimate(x.point(t.Needs)) / x.speed)
		}
		x.answers[t.Needs] = answer
	}
	return answer
}

// rounded is a time of this many microseconds.
func rounded(v float64) model.Time {
	if v >= float64(model.MaxTime) {
		return model.MaxTime
	}
	return model.Time(math.Round(v))
}

// Line is how long tasks of a class and kind are expected to take on a worker, by their bytes alone. For source
// ClassMean it is the mean.
func (e *Estimator) Line(class int32, kind model.TaskKind, worker int32) Line {
	x := e.on(class, kind, worker)
	if x.source == ClassMean {
		return Line{x.mean / x.speed, 0}
	}
	if x.from.fit == nil {
		l := fitLine(x.from.samples)
		x.from.fit = &l
	}
	return Line{x.from.fit.Overhead / x.speed, x.from.fit.PerByte / x.speed}
}

// on is how tasks of a class and kind are estimated on a worker.
func (e *Estimator) on(class int32, kind model.TaskKind, worker int32) *estimated {
	list := &e.known[class][kind]
	if *list == nil {
		*list = make([]*estimated, len(e.speed))
	}
	if (*list)[worker] == nil {
		(*list)[worker] = e.learn(class, kind, worker)
	}
	return (*list)[worker]
}

// learn chooses the source for a class, kind and worker.
func (e *Estimator) learn(class int32, kind model.TaskKind, worker int32) *estimated {
	all := e.shared[class][kind]
	if all == nil {
		all = e.teach(e.rows[where{class, anyWorker, kind}], true)
		e.shared[class][kind] = all
	}
	if own := e.rows[where{class, worker, kind}]; len(own) > 0 {
		x := &estimated{source: OwnRuns, from: e.teach(own, false), speed: 1, count: len(own)}
		if x.cpu = x.from.cpu; x.cpu < 0 {
			x.cpu = all.cpu
		}
		if x.memory = x.from.memory; x.memory < 0 {
			x.memory = all.memory
		}
		return x
	}
	x := &estimated{source: SharedRuns, from: all, speed: e.speed[worker], count: len(all.samples), cpu: all.cpu,
		memory: all.memory}
	if x.count == 0 {
		x.source = ClassMean
		for _, k := range []model.TaskKind{model.Map, model.Reduce} {
			for _, i := range e.rows[where{class, anyWorker, k}] {
				x.count++
				x.mean += float64(e.runs[i].Time) * e.runs[i].Speed
			}
		}
		x.mean /= float64(x.count)
	}
	return x
}

// teach makes samples of runs, with the times that they took or, scaled, would have taken on a worker of speed 1.
func (e *Estimator) teach(rows []int32, scale bool) *lessons {
	l := &lessons{samples: make([]sample, len(rows))}
	var cpu, memory []float64
	for k, i := range rows {
		r := &e.runs[i]
		s := sample{x: r.point(), y: float64(r.Time), row: i}
		if scale {
			s.y *= r.Speed
		}
		if r.CPU >= 0 {
			cpu = append(cpu, r.CPU)
		}
		if r.Memory >= 0 {
			memory = append(memory, r.Memory)
		}
		l.samples[k] = s
	}
	l.cpu, l.memory = fullestBin(cpu), fullestBin(memory)
	return l
}

// regression is the k-NN model of the runs.
func (l *lessons) regression(e *Estimator) *knn {
	if l.model == nil {
		l.model = newKNN(slices.Clone(l.samples), e.limit, e.scaled)
	}
	return l.model
}

// point is where needs lie among the runs.
func (n Needs) point() (x [features]float64) {
	for f, v := range [features]float64{n.Bytes, n.CPU, n.Memory} {
		if x[f] = v; v < 0 {
			x[f] = math.NaN()
		}
	}
	return x
}

// point is where a task lies among the runs.
func (x *estimated) point(n Needs) [features]float64 { return x.filled(n).point() }

// filled replaces unknown cores and memory by what the histograms say.
func (x *estimated) filled(n Needs) Needs {
	if n.CPU < 0 {
		n.CPU = x.cpu
	}
	if n.Memory < 0 {
		n.Memory = x.memory
	}
	return n
}
