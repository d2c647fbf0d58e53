package run

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mrsched/io/engine"
	"mrsched/model"
	"mrsched/solver"
)

// variants adds the variants of the problem of every instance.
func (p *planner) variants() {
	of := map[string]bool{}
	for i := range p.plan.Instances {
		of[p.plan.Instances[i].Problem] = true
	}
	p.unknown = p.unknown || of[""] || len(of) == 0
	p.knownAlgorithms(of)
	used := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		if q := p.catalog.problem(name); q != nil {
			p.variantsOf(q, used)
			continue
		}
		for _, a := range p.algorithms { // of no known problem: once, as the spec names it
			p.plan.Variants = append(p.plan.Variants, Variant{Problem: name, Algorithm: a.Text,
				Note: "the instance's problem is unknown"})
		}
	}
	p.effects(used)
}

// knownAlgorithms reports algorithms that no problem of the sweep has.
func (p *planner) knownAlgorithms(of map[string]bool) {
	var here []string
	for _, q := range p.catalog.Problems {
		for _, a := range q.Algorithms {
			if (of[q.Name] || p.unknown) && !slices.Contains(here, a.Name) {
				here = append(here, a.Name)
			}
		}
	}
	here = append(here, All)
	for _, n := range p.algorithms {
		if !slices.Contains(here, n.Text) {
			p.unknownName("algorithm", " of the problems of this sweep", n, here)
		}
	}
}

// variantsOf adds the variants of one problem and notes which parameters they depend on.
func (p *planner) variantsOf(q *solver.Problem, used map[string]bool) {
	for _, a := range q.Algorithms {
		if p.asks(a.Name) || p.asks(All) {
			p.variantsBy(q, a, used)
		}
	}
	for _, n := range p.algorithms {
		if _, ok := q.Algorithm(n.Text); !ok && n.Text != All {
			p.plan.Variants = append(p.plan.Variants, Variant{Problem: q.Name, Algorithm: n.Text,
				Note: fmt.Sprintf("problem %s has no algorithm %s", q.Name, n.Text)})
		}
	}
}

// variantsBy adds a variant of an algorithm for every combination of the parameters that it may depend on.
func (p *planner) variantsBy(q *solver.Problem, a solver.Algorithm, used map[string]bool) {
	looked := usedBy(q, nil, a)
	var stated []axis
	for _, axis := range p.parameters {
		if looked[axis.name] {
			stated = append(stated, axis)
		}
	}
	choices, ok := p.choices(stated, q.Params, " of problem "+q.Name)
	if !ok { // that is finding enough
		for _, axis := range stated {
			used[axis.name] = true
		}
		return
	}
	limits := p.iterations
	if limits == nil {
		limits = []int{solver.DefaultIterations}
		if p.plan.TimeLimit > 0 {
			limits = []int{0}
		}
	}
	if combinations(choices, len(limits)) > p.maxRuns-len(p.plan.Variants) {
		p.add(model.CodeOverflow, p.start, fmt.Sprintf("there are more than %d combinations of parameters", p.maxRuns),
			"fewer", "shorten a list or a range, or raise --max-runs")
		return
	}
	for _, limit := range limits {
		v := Variant{Problem: q.Name, Algorithm: a.Name, FromAll: !p.asks(a.Name), Iterations: limit}
		p.combine(q, a, v, choices, used)
	}
}

// combine adds a variant for every combination of parameters and notes those that it depends on. Combinations that
// differ only in other parameters are one variant.
func (p *planner) combine(q *solver.Problem, a solver.Algorithm, v Variant, choices [][]any, used map[string]bool) {
	seen := map[string]bool{}
	for values := range combined(choices) {
		one := v
		one.Parameters, one.Values = map[string]string{}, solver.Params{}
		if p.iterations != nil {
			one.Stated = []string{iterationsName}
		}
		for i, param := range q.Params {
			if one.Values[param.Name] = values[i]; values[i] == nil {
				one.Values[param.Name] = defaultOf(param)
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

// usedBy says which parameters an algorithm depends on, including those that change the instance, when all have the
// given values; nil stands for any values.
func usedBy(q *solver.Problem, values solver.Params, a solver.Algorithm) map[string]bool {
	return engine.Problem{Problem: q}.Used(values, a)
}

// effects reports parameters that affect nothing.
func (p *planner) effects(used map[string]bool) {
	var names []string
	for _, q := range p.catalog.Problems {
		names = append(names, namesOf(q.Params, paramName)...)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for _, axis := range p.parameters {
		switch {
		case used[axis.name]:
		case !slices.Contains(names, axis.name):
			p.unknownParameter(axis, names, "")
		case !p.unknown:
			p.add(model.CodeUnknown, axis.at, fmt.Sprintf("%s has no effect on any run of this sweep", axis.name),
				"a parameter that some algorithm of the sweep looks at", "")
		}
	}
}

// limit refuses more runs than allowed.
func (p *planner) limit() {
	variants, runs := map[string]int{}, 0
	for i := range p.plan.Variants {
		v := &p.plan.Variants[i]
		variants[v.Problem] += len(v.seeds(p.plan.Seeds))
	}
	for i := range p.plan.Instances {
		runs += variants[p.plan.Instances[i].Problem]
	}
	if runs > p.maxRuns {
		p.add(model.CodeOverflow, p.start, fmt.Sprintf("there are %d runs", runs), fmt.Sprintf("at most %d", p.maxRuns),
			"shorten a list or a range, or raise --max-runs")
	}
}

// iterationsName is the name of the limit of iterations in tables.
const iterationsName = "iterations"

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
