package run

import (
	"fmt"
	"slices"
	"strings"

	"mrsched/io/engine"
	"mrsched/model"
	"mrsched/solver"
)

// variants adds the variants of every problem.
func (p *planner) variants() {
	problems := p.problems()
	p.unknown = p.unknown || slices.Contains(problems, "")
	p.knownAlgorithms(problems)
	used := map[string]bool{}
	for _, name := range problems {
		if q := p.catalog.problem(name); q != nil {
			p.variantsOf(q, used)
		} else {
			p.unsolvable(name)
		}
	}
	p.effects(used)
}

// knownAlgorithms reports algorithms that no problem of the sweep has.
func (p *planner) knownAlgorithms(problems []string) {
	var here, anywhere []string
	for _, q := range p.catalog.Problems {
		for _, a := range q.Algorithms {
			anywhere = append(anywhere, a.Name)
			if (slices.Contains(problems, q.Name) || p.unknown) && !slices.Contains(here, a.Name) {
				here = append(here, a.Name)
			}
		}
	}
	here = append(here, All)
	for _, name := range p.spec.Algorithms {
		switch {
		case slices.Contains(here, name.Text):
		case slices.Contains(anywhere, name.Text):
			p.add(model.CodeEnum, name.Pos, fmt.Sprintf("no instance of this sweep is of a problem that has algorithm %q",
				name.Text), "one of "+strings.Join(here, ", "), "")
		default:
			p.unknownName("algorithm", "", name, here)
		}
	}
}

// unsolvable adds the variants for instances of an unknown problem: each algorithm once, as the spec names it.
func (p *planner) unsolvable(problem string) {
	for _, name := range p.spec.Algorithms {
		p.plan.Variants = append(p.plan.Variants, Variant{Problem: problem, Algorithm: name.Text,
			Note: "the instance's problem is unknown"})
	}
}

// chosen are the algorithms of a problem that the spec asks for, as variants that say how.
func (p *planner) chosen(q *solver.Problem) []Variant {
	var list []Variant
	all := slices.ContainsFunc(p.spec.Algorithms, func(v Value) bool { return v.Text == All })
	named := func(name string) bool {
		return slices.ContainsFunc(p.spec.Algorithms, func(v Value) bool { return v.Text == name })
	}
	for _, a := range q.Algorithms {
		if all || named(a.Name) {
			list = append(list, Variant{Problem: q.Name, Algorithm: a.Name, FromAll: !named(a.Name)})
		}
	}
	for _, v := range p.spec.Algorithms {
		if _, ok := q.Algorithm(v.Text); !ok && v.Text != All {
			list = append(list, Variant{Problem: q.Name, Algorithm: v.Text, Note: fmt.Sprintf("problem %s has no algorithm %s",
				q.Name, v.Text)})
		}
	}
	return list
}

// variantsOf adds the variants of one problem and notes which parameters they depend on.
func (p *planner) variantsOf(q *solver.Problem, used map[string]bool) {
	for _, v := range p.chosen(q) {
		if v.Note != "" {
			p.plan.Variants = append(p.plan.Variants, v)
			continue
		}
		a, _ := q.Algorithm(v.Algorithm)
		looked := usedBy(q, nil, a)
		var stated []Axis
		for _, axis := range p.spec.Parameters {
			if looked[axis.Name] {
				stated = append(stated, axis)
			}
		}
		axes, ok := p.axes(stated, q.Params, " of problem "+q.Name)
		if !ok { // that is finding enough
			for _, axis := range stated {
				used[axis.Name] = true
			}
			continue
		}
		iterations := p.iterations()
		if n := product(axes, len(iterations)); !n.IsInt64() || n.Int64() > int64(p.maxRuns-len(p.plan.Variants)) {
			p.add(model.CodeOverflow, p.spec.start, fmt.Sprintf("there are more than %d combinations of parameters", p.maxRuns),
				"fewer", "shorten a list or a range, or raise --max-runs")
			return
		}
		for _, limit := range iterations {
			v.Iterations = limit
			p.combine(q, a, v, axes, used)
		}
	}
}

// combine adds a variant for every combination of parameters and notes those that it depends on. Combinations that
// differ only in other parameters are one variant.
func (p *planner) combine(q *solver.Problem, a solver.Algorithm, v Variant, axes [][]any, used map[string]bool) {
	seen := map[string]bool{}
	for values := range combinations(axes) {
		one := v
		one.Parameters, one.Values = map[string]string{}, solver.Params{}
		if p.spec.Iterations != nil {
			one.Stated = []string{iterationsName}
		}
		for i, param := range q.Params {
			one.Values[param.Name] = defaultOf(param)
			if values[i] != nil {
				one.Values[param.Name] = values[i]
			}
		}
		looked := usedBy(q, one.Values, a)
		for i, param := range q.Params {
			if !looked[param.Name] {
				one.Values[param.Name] = defaultOf(param)
				continue
			}
			one.Parameters[param.Name] = textOf(one.Values[param.Name])
			if values[i] != nil {
				one.Stated = append(one.Stated, param.Name)
				used[param.Name] = true
			}
		}
		if key := fmt.Sprint(one.Parameters); !seen[key] {
			seen[key] = true
			p.plan.Variants = append(p.plan.Variants, one)
		}
	}
}

// usedBy says which parameters algorithms of a problem depend on, including those that change the instance, when all
// have the given values; nil stands for any values.
func usedBy(q *solver.Problem, values solver.Params, algorithms ...solver.Algorithm) map[string]bool {
	return engine.Problem{Problem: q}.Used(values, algorithms...)
}

// iterationsName is the name of the limit of iterations in tables.
const iterationsName = "iterations"

// iterations are the limits to try.
func (p *planner) iterations() []int {
	switch {
	case p.spec.Iterations != nil:
		return p.spec.Iterations
	case p.spec.TimeLimit > 0:
		return []int{0}
	}
	return []int{solver.DefaultIterations}
}

// effects reports parameters that affect nothing.
func (p *planner) effects(used map[string]bool) {
	var names []string
	for _, q := range p.catalog.Problems {
		names = append(names, namesOf(q.Params, paramName)...)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for _, axis := range p.spec.Parameters {
		switch {
		case used[axis.Name]:
		case !slices.Contains(names, axis.Name):
			p.unknownParameter(axis, names, "")
		case !p.unknown:
			p.add(model.CodeUnknown, axis.Pos, fmt.Sprintf("%s has no effect on any run of this sweep", axis.Name),
				"a parameter that some algorithm of the sweep looks at", "")
		}
	}
}

// StatedText lists the parameters of a variant that the spec states, as tables show them: name=value, name=value.
func (v *Variant) StatedText() string {
	var parts []string
	for _, name := range v.Stated {
		parts = append(parts, name+"="+v.stated(name))
	}
	return strings.Join(parts, " ")
}

// stated is the value of one of the parameters.
func (v *Variant) stated(name string) string {
	if name == iterationsName {
		return fmt.Sprint(v.Iterations)
	}
	return v.Parameters[name]
}
