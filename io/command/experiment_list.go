package command

import (
	"context"
	"io"
	"mrsched/io/report"
	"slices"
)

// experiment is one figure of a paper.
type experiment struct {
	name    string
	problem string
	title   string
	measure func(l *lab, f *report.Figure) error
}

// experiments lists all of them; every problem adds its own.
func experiments() []experiment {
	return slices.Concat(msjoExperiments(), htaExperiments(), placementExperiments(), realtimeExperiments(),
		tenantExperiments())
}

func findExperiments(name string) ([]experiment, error) {
	var names []string
	for _, e := range experiments() {
		if e.name == name {
			return []experiment{e}, nil
		}
		names = append(names, e.name)
	}
	if name == "all" {
		return experiments(), nil
	}
	return nil, unknown("experiment", name, append(names, "all"))
}

// labSize is how much a lab measures: instances a point, the first one's seed, the largest numbers of jobs and tasks,
// and the cores that it may use.
type labSize struct {
	seeds             int
	seed              uint64
	jobsMax, tasksMax int
	threads           int
}

// newLab makes the lab of a problem.
func newLab(ctx context.Context, problem string, size labSize) (*lab, error) {
	p, err := findProblem(problem, nil)
	if err != nil {
		return nil, err
	}
	l := &lab{ctx: ctx, problem: p, jobsMax: size.jobsMax, tasksMax: size.tasksMax, threads: size.threads,
		memo: map[string][]map[string]reading{}}
	for i := range size.seeds {
		l.seeds = append(l.seeds, size.seed+uint64(i))
	}
	return l, nil
}

// draw measures an experiment's figure; progress hears how far it is.
func (e experiment) draw(l *lab, progress func(done, total int)) (*report.Figure, error) {
	l.progress = progress
	f := &report.Figure{Name: e.name, Title: e.title, Parameters: map[string]any{"problem": e.problem, "seeds": l.seeds}}
	if e.problem == "msjo" {
		f.Parameters["jobs_max"] = l.jobsMax
	}
	return f, e.measure(l, f)
}

// figureFiles are the files of a figure.
func figureFiles(f *report.Figure) map[string]func(w io.Writer) error {
	return map[string]func(w io.Writer) error{".csv": f.WriteCSV, ".svg": f.WriteSVG, ".json": f.WriteJSON}
}
