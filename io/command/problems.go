package command

import (
	"fmt"
	"strings"

	"mrsched/model"
	"mrsched/solver"
	"mrsched/solver/msjo"
)

// problem joins one problem's algorithms to its model.
type problem struct {
	*solver.Problem
	// view opens a workload for checking, without any algorithm.
	view func(w *model.Workload, p solver.Params) (model.View, error)
}

// problems lists all problems; a new one adds its row here.
func problems() []problem {
	return []problem{
		{msjo.Problem(), msjo.View},
	}
}

// findProblem looks a problem up: the name given, else the workload's own.
func findProblem(name string, w *model.Workload) (problem, error) {
	if name == "" && w != nil {
		name = w.Problem
	}
	if name == "" {
		return problem{}, usagef("the workload names no problem: pass -p %s", strings.Join(problemNames(), "|"))
	}
	for _, p := range problems() {
		if p.Name == name {
			return p, nil
		}
	}
	return problem{}, unknown("problem", name, problemNames())
}

func problemNames() []string {
	var names []string
	for _, p := range problems() {
		names = append(names, p.Name)
	}
	return names
}

// selectAlgorithms parses -a: names, or "all"; empty is the default algorithm. "all" leaves out
// algorithms above their stated size.
func (p problem) selectAlgorithms(list string, tasks int) (run []solver.Algorithm, skipped []solver.Algorithm, err error) {
	var names []string
	for _, a := range p.Algorithms {
		names = append(names, a.Name)
		if list == "" && a.Default {
			return []solver.Algorithm{a}, nil, nil
		}
	}
	if list == "all" {
		for _, a := range p.Algorithms {
			if a.SizeLimit > 0 && tasks > a.SizeLimit {
				skipped = append(skipped, a)
			} else {
				run = append(run, a)
			}
		}
		return run, skipped, nil
	}
	seen := map[string]bool{}
	for _, name := range strings.Split(list, ",") {
		a, ok := p.Algorithm(name)
		if !ok {
			return nil, nil, unknown("algorithm of "+p.Name, name, append(names, "all"))
		}
		if !seen[name] {
			run = append(run, a)
		}
		seen[name] = true
	}
	return run, nil, nil
}

// unknown is the usage error for a name that does not exist, with the nearest one that does.
func unknown(what, name string, names []string) error {
	text := fmt.Sprintf("unknown %s %q", what, name)
	if near := model.Nearest(name, names); near != "" {
		return usagef("%s; did you mean %q?", text, near)
	}
	return usagef("%s; there are %s", text, strings.Join(names, ", "))
}
