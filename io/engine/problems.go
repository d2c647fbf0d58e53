package engine

import (
	"fmt"
	"slices"
	"strings"

	"mrsched/model"
	"mrsched/solver"
	"mrsched/solver/hta"
	"mrsched/solver/msjo"
	"mrsched/solver/multitenant"
	"mrsched/solver/realtime"
	"mrsched/solver/reduceplace"
	"mrsched/solver/shop"
)

// Problem is a problem's descriptor with the ways to choose among its algorithms and parameters.
type Problem struct{ *solver.Problem }

// Problems lists all problems; a new one adds its row here.
func Problems() []Problem {
	return []Problem{{msjo.Problem()}, {hta.Problem()}, {reduceplace.Problem()}, {realtime.Problem()},
		{multitenant.Problem()}, {shop.Problem()}}
}

// Descriptions say what the results of each problem hold.
func Descriptions() (list []*model.Description) {
	for _, p := range Problems() {
		list = append(list, p.Results)
	}
	return list
}

// FindProblem looks a problem up: the name given, else the workload's own.
func FindProblem(name string, w *model.Workload) (Problem, error) {
	if name == "" && w != nil {
		name = w.Problem
	}
	if name == "" {
		return Problem{}, Usagef("the workload names no problem: pass -p %s or write \"problem\" into the workload; mrsched "+
			"lint INSTANCE says which fit", strings.Join(ProblemNames(), "|"))
	}
	for _, p := range Problems() {
		if p.Name == name {
			return p, nil
		}
	}
	return Problem{}, model.NewInputError(NoSuch("problem", name, ProblemNames()))
}

// ProblemNames lists the problems' names.
func ProblemNames() []string {
	var names []string
	for _, p := range Problems() {
		names = append(names, p.Name)
	}
	return names
}

// IsAlgorithm says whether some problem has an algorithm of this name.
func IsAlgorithm(name string) bool {
	return slices.ContainsFunc(Problems(), func(p Problem) bool {
		return slices.ContainsFunc(p.Algorithms, func(a solver.Algorithm) bool { return a.Name == name })
	})
}

// SelectAlgorithms parses -a: names, or "all"; empty is the default algorithm. "all" leaves out
// algorithms above their stated size.
func (p Problem) SelectAlgorithms(list string, tasks int) (run []solver.Algorithm, skipped []solver.Algorithm,
	err error) {
	var names []string
	for _, a := range p.Algorithms {
		names = append(names, a.Name)
		if list == "" && a.Default {
			return []solver.Algorithm{a}, nil, nil
		}
	}
	if list != "all" && slices.Contains(strings.Split(list, ","), "all") {
		return nil, nil, Usagef("-a %s: all names every algorithm: give it alone", list)
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
	var found model.Findings
	for _, name := range strings.Split(list, ",") {
		if seen[name] {
			continue
		}
		seen[name] = true
		if a, ok := p.Algorithm(name); ok {
			run = append(run, a)
			continue
		}
		found.Add(p.noAlgorithm(name, append(names, "all")))
	}
	return run, nil, found.Err()
}

// noAlgorithm is the finding for an algorithm that the problem does not have; it names another problem that does.
func (p Problem) noAlgorithm(name string, names []string) model.Finding {
	f := NoSuch("algorithm of "+p.Name, name, names)
	if now, ok := p.Removed[name]; ok {
		f.Hint = fmt.Sprintf("it has been removed: use %q", now)
		return f
	}
	for _, q := range Problems() {
		if _, ok := q.Algorithm(name); ok {
			f.Hint = fmt.Sprintf("%s is an algorithm of %s: -p %s", name, q.Name, q.Name)
			break
		}
	}
	return f
}

// ShownOf are those of a result's metrics that tables show; nil if there are none.
func (p Problem) ShownOf(metrics map[string]any) (shown map[string]any) {
	for _, name := range p.Shown {
		if v, ok := metrics[name]; ok {
			if shown == nil {
				shown = map[string]any{}
			}
			shown[name] = v
		}
	}
	return shown
}

// Used names the parameters that the problem's instance or the algorithms look at when all have the given values; nil
// values: whatever they are.
func (p Problem) Used(values solver.Params, algorithms ...solver.Algorithm) map[string]bool {
	used := map[string]bool{}
	for _, q := range p.Params {
		used[q.Name] = q.View
	}
	for _, a := range algorithms {
		p.note(used, a.Name, a.Params, values)
	}
	return used
}

// note adds those names that an algorithm depends on, or, without an algorithm, the written model.
func (p Problem) note(used map[string]bool, algorithm string, names []string, values solver.Params) {
	if values != nil {
		names = p.Uses(algorithm, values)
	}
	for _, name := range names {
		used[name] = true
	}
}

// Written names the parameters that the problem's instance or its written model depends on, as used does.
func (p Problem) Written(values solver.Params) map[string]bool {
	used := p.Used(values)
	p.note(used, "", p.ModelParams, values)
	return used
}

// ModelParams lists the parameters that some problem's model depends on.
func ModelParams() []solver.Param {
	var list []solver.Param
	for _, p := range Problems() {
		if len(p.Formats) == 0 {
			continue
		}
		used := p.Written(nil)
		for _, q := range p.Params {
			if used[q.Name] {
				list = append(list, q)
			}
		}
	}
	return list
}

// UnitOf is the unit of a problem's objective.
func UnitOf(problem, objective string) model.Unit {
	p, err := FindProblem(problem, nil)
	if err != nil {
		return model.UnitNone
	}
	return p.Results.Unit(objective)
}

// NoSuch is the finding for an unknown word of a flag.
func NoSuch(what, name string, names []string) model.Finding {
	f := model.Finding{Code: model.CodeEnum, What: fmt.Sprintf("unknown %s %q", what, name),
		Expected: "one of " + strings.Join(names, ", ")}
	if near := model.Nearest(name, names); near != "" {
		f.Hint = fmt.Sprintf("did you mean %q?", near)
	}
	return f
}

// Unknown is the usage error for a name that does not exist, with the nearest one that does.
func Unknown(what, name string, names []string) error {
	text := fmt.Sprintf("unknown %s %q", what, name)
	if near := model.Nearest(name, names); near != "" {
		return Usagef("%s; did you mean %q?", text, near)
	}
	return Usagef("%s; there are %s", text, strings.Join(names, ", "))
}
