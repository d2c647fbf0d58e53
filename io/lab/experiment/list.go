package experiment

import (
	"context"
	"io"
	"mrsched/io/engine"
	"mrsched/io/report"
	"slices"
)

// Experiment is one figure of a paper.
type Experiment struct {
	Name    string
	Problem string
	Title   string
	measure func(l *Lab, f *report.Figure) error
}

// experiments lists all of them; every problem adds its own.
func All() []Experiment {
	return slices.Concat(msjoExperiments(), htaExperiments(), placementExperiments(), realtimeExperiments(),
		tenantExperiments())
}

// Find lists the experiment of a name, or all of them for "all".
func Find(name string) ([]Experiment, error) {
	var names []string
	for _, e := range All() {
		if e.Name == name {
			return []Experiment{e}, nil
		}
		names = append(names, e.Name)
	}
	if name == "all" {
		return All(), nil
	}
	return nil, engine.Unknown("experiment", name, append(names, "all"))
}

// labSize is how much a lab measures: instances a point, the first one's seed, the largest numbers of jobs and tasks,
// and the cores that it may use.
type Size struct {
	Seeds             int
	Seed              uint64
	JobsMax, TasksMax int
	Threads           int
}

// NewLab makes the lab of a problem.
func NewLab(ctx context.Context, problem string, size Size) (*Lab, error) {
	p, err := engine.FindProblem(problem, nil)
	if err != nil {
		return nil, err
	}
	l := &Lab{ctx: ctx, problem: p, jobsMax: size.JobsMax, tasksMax: size.TasksMax, threads: size.Threads,
		memo: map[string][]map[string]reading{}}
	for i := range size.Seeds {
		l.seeds = append(l.seeds, size.Seed+uint64(i))
	}
	return l, nil
}

// Draw measures an experiment's figure; progress hears how far it is.
func (e Experiment) Draw(l *Lab, progress func(done, total int)) (*report.Figure, error) {
	l.progress = progress
	f := &report.Figure{Name: e.Name, Title: e.Title, Parameters: map[string]any{"problem": e.Problem, "seeds": l.seeds}}
	if e.Problem == "msjo" {
		f.Parameters["jobs_max"] = l.jobsMax
	}
	return f, e.measure(l, f)
}

// figureFiles are the files of a figure.
func Files(f *report.Figure) map[string]func(w io.Writer) error {
	return map[string]func(w io.Writer) error{".csv": f.WriteCSV, ".svg": f.WriteSVG, ".json": f.WriteJSON}
}
