// Package toy schedules one machine.
package toy

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/toy"
	"mrsched/solver"
)

// params are the settings of a run.
type params struct{ reverse bool }

// Table describes the settings and binds them to their fields.
func (p *params) Table() []solver.Param {
	return []solver.Param{{Name: "reverse", Value: &p.reverse, Default: "false",
		Usage: "let fifo take the last task first"}}
}

// Facts are what results state about a run.
type Facts struct {
	Tasks int `json:"ordered_tasks"`
}

// algorithms lists all algorithms.
func algorithms() solver.Methods[*run, []int] {
	return solver.Methods[*run, []int]{
		{Algorithm: solver.Algorithm{Name: "spt", Source: "Smith 1956", Default: true, Summary: "the shortest task first"},
			Solve: func(_ context.Context, r *run, _ solver.Options) ([]int, error) {
				list := r.order()
				slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(r.in.Time[a], r.in.Time[b]) })
				return list, nil
			}},
		{Algorithm: solver.Algorithm{Name: "fifo", Source: "mrsched", Summary: "in the order of the table",
			Params: []string{"reverse"}},
			Solve: func(_ context.Context, r *run, _ solver.Options) ([]int, error) {
				list := r.order()
				if r.p.reverse {
					slices.Reverse(list)
				}
				return list, nil
			}},
	}
}

// Problem is the descriptor.
func Problem() *solver.Problem {
	return solver.Define(solver.Problem{
		Name: "toy", Title: "One machine: total completion time", Source: "Smith 1956",
		Algorithms: algorithms().Algorithms(),
		Columns:    solver.Always(model.TableTasks, "job", "processing_time"),
		Results:    toy.Describe(),
		Small: solver.Small{Generate: func(r *rand.Rand, _ int) (*model.Workload, error) { return instances.SmallToy(r) },
			Variants: []map[string]string{{}}, NeverWorse: [][2]string{{"spt", "fifo"}}},
	}, solver.Typed[params, *toy.Instance, *run]{
		Instance: func(w *model.Workload, _ params) (*toy.Instance, error) { return toy.New(w) },
		Run:      func(_ *model.Workload, in *toy.Instance, p params) (*run, error) { return &run{in: in, p: p}, nil },
	})
}

// run is one opened instance.
type run struct {
	solver.Unrestricted
	in *toy.Instance
	p  params
}

func (r *run) order() []int {
	list := make([]int, len(r.in.Time))
	for u := range list {
		list[u] = u
	}
	return list
}

func (r *run) View() model.View { return r.in }

// Solve runs an algorithm.
func (r *run) Solve(ctx context.Context, name string, opt solver.Options) (*solver.Outcome, error) {
	a, err := algorithms().Find(name)
	if err != nil {
		return nil, err
	}
	list, err := a.Solve(ctx, r, opt)
	if err != nil {
		return nil, err
	}
	s, end := &model.Schedule{}, model.Time(0)
	for _, u := range list {
		s.Entries = append(s.Entries, model.Entry{Task: model.TaskIndex(u), Start: end, End: end + r.in.Time[u]})
		end += r.in.Time[u]
	}
	c := &toy.Certificate{Format: model.CertificateFormat, Problem: "toy", Method: "smith",
		Value: r.in.Bound().RatString()}
	return &solver.Outcome{Algorithm: name, Status: model.StatusFeasible, Schedule: s, Facts: Facts{len(list)},
		Bounds: []solver.Bound{{Method: "smith", Certificate: c}}}, nil
}

// Guarantee promises nothing.
func (r *run) Guarantee(string, bool) *model.Guarantee { return nil }

// Formulate refuses: there is no model to write.
func (r *run) Formulate(context.Context, io.Writer, string) error { return errors.New("toy has no formulation") }

// Explain says when a task runs.
func (r *run) Explain(_ context.Context, q solver.Question) (*solver.Explanation, error) {
	return &solver.Explanation{Subject: "a task of the only machine"}, nil
}
