package run

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/solver"
)

// Catalog is what a sweep can name.
type Catalog struct {
	Problems []*solver.Problem
	Presets  []instances.Preset // of generators; the first of a problem is its default
	Outside  bool               // paths may lead out of the spec's folder
}

// planner turns a spec into a plan.
type planner struct {
	*reader
	spec    *Spec
	catalog Catalog
	base    string
	plan    *Plan
	unknown bool // which problem some instance is of
}

// Plan looks up every name of a spec, multiplies its axes out and finds its files relative to the directory base.
//
// A file that cannot be read is no error here: its runs will fail. Errors are *model.InputError with every finding,
// including those of reading the spec.
func (s *Spec) Plan(c Catalog, base string) (*Plan, error) {
	p := &planner{reader: s.reader, spec: s, catalog: c, base: base,
		plan: &Plan{Format: PlanFormat, Name: s.Name, TimeLimit: s.TimeLimit, Keep: s.Keep, Seeds: s.Seeds}}
	p.unknown = p.problem(s.Problem) == nil && s.Problem != nil
	for i := range s.Entries {
		before := len(p.plan.Instances)
		if e := &s.Entries[i]; e.Path != nil {
			p.files(e)
		} else if e.Generate != nil {
			p.generator(e)
		}
		p.unknown = p.unknown || len(p.plan.Instances) == before
	}
	p.unknown = p.unknown || len(s.Entries) == 0
	p.variants()
	if p.found.Empty() {
		p.limit()
	}
	return p.plan, p.found.Err()
}

// problem looks up a problem; nil if none is named or it does not exist.
func (p *planner) problem(name *Value) *solver.Problem {
	if name == nil {
		return nil
	}
	if q := p.catalog.problem(name.Text); q != nil {
		return q
	}
	p.unknownName("problem", "", *name, namesOf(p.catalog.Problems, problemName))
	return nil
}

// problem is nil if there is none of the name.
func (c *Catalog) problem(name string) *solver.Problem {
	i := slices.IndexFunc(c.Problems, func(q *solver.Problem) bool { return q.Name == name })
	if i < 0 {
		return nil
	}
	return c.Problems[i]
}

func problemName(q *solver.Problem) string { return q.Name }
func paramName(q solver.Param) string      { return q.Name }

func namesOf[T any](list []T, name func(T) string) []string {
	names := make([]string, len(list))
	for i, x := range list {
		names[i] = name(x)
	}
	return names
}

// unknownName reports a name that does not exist.
func (p *planner) unknownName(what, owner string, name Value, names []string) {
	p.add(model.CodeEnum, name.Pos, fmt.Sprintf("unknown %s %q%s", what, clip(name.Text), owner),
		"one of "+strings.Join(names, ", "), model.DidYouMean(name.Text, names))
}

// solved is the problem to solve an entry as; empty for the instance's own.
func (p *planner) solved(e *Entry) string {
	p.problem(e.Problem)
	switch {
	case e.Problem != nil:
		return e.Problem.Text
	case p.spec.Problem != nil:
		return p.spec.Problem.Text
	}
	return ""
}

// generator adds an instance for every combination of a generator's parameters and seeds.
func (p *planner) generator(e *Entry) {
	solved := p.solved(e)
	if p.problem(e.Generate) == nil {
		return
	}
	preset, ok := p.preset(e)
	if !ok {
		return
	}
	seeds := e.Seeds
	if seeds == nil {
		seeds = []uint64{1}
	} else if preset.Fixed {
		p.add(model.CodeUnknown, e.SeedsPos, "seeds have no effect on preset "+preset.Name, "no seeds", "")
	}
	axes, ok := p.axes(e.Parameters, preset.Params, " of preset "+preset.Name)
	if !ok {
		return
	}
	if n := product(axes, len(seeds)); !n.IsInt64() || n.Int64() > int64(p.maxRuns-len(p.plan.Instances)) {
		p.add(model.CodeOverflow, e.Pos, fmt.Sprintf("there are more than %d instances", p.maxRuns), "fewer",
			"shorten a list or a range, or raise --max-runs")
		return
	}
	for values := range combinations(axes) {
		in := Instance{Name: preset.Name, Problem: cmp.Or(solved, preset.Problem), Generate: preset.Problem,
			Preset: preset.Name, Parameters: map[string]string{}, Values: solver.Params{}}
		for i, q := range preset.Params {
			v := defaultOf(q)
			if values[i] != nil {
				v = values[i]
				in.Stated = append(in.Stated, q.Name)
				in.Name += " " + q.Name + "=" + textOf(v)
			}
			in.Values[q.Name], in.Parameters[q.Name] = v, textOf(v)
		}
		p.namedFiles(&in, preset, e.Pos)
		in.Group = cmp.Or(e.Group, in.Name)
		for _, seed := range seeds {
			one := in
			if !preset.Fixed {
				one.Seed = seed
				one.Name += fmt.Sprintf(" seed=%d", seed)
			}
			p.plan.Instances = append(p.plan.Instances, one)
		}
	}
}

func (p *planner) preset(e *Entry) (instances.Preset, bool) {
	var names []string
	for _, q := range p.catalog.Presets {
		if q.Problem != e.Generate.Text {
			continue
		}
		if e.Preset == nil || q.Name == e.Preset.Text {
			return q, true
		}
		names = append(names, q.Name)
	}
	if e.Preset == nil {
		p.add(model.CodeEnum, e.Generate.Pos, "there is no generator of problem "+e.Generate.Text,
			"a problem with a generator", "")
		return instances.Preset{}, false
	}
	p.unknownName("preset", " of "+e.Generate.Text, *e.Preset, names)
	return instances.Preset{}, false
}

// axes checks stated axes against parameters and returns the values of each parameter, nil for those not stated.
func (p *planner) axes(stated []Axis, params []solver.Param, owner string) ([][]any, bool) {
	ok := true
	axes := make([][]any, len(params))
	for _, axis := range stated {
		i := slices.IndexFunc(params, func(q solver.Param) bool { return q.Name == axis.Name })
		if i < 0 {
			p.unknownParameter(axis, namesOf(params, paramName), owner)
			ok = false
			continue
		}
		var fine bool
		axes[i], fine = p.typed(params[i], axis)
		ok = ok && fine
	}
	return axes, ok
}

func (p *planner) unknownParameter(axis Axis, names []string, owner string) {
	expected := "one of " + strings.Join(names, ", ")
	if len(names) == 0 {
		expected = "no parameters"
	}
	p.add(model.CodeUnknown, axis.Pos, fmt.Sprintf("unknown parameter %q%s", clip(axis.Name), owner), expected,
		model.DidYouMean(axis.Name, names))
}

// typed reads the values of an axis without duplicates.
func (p *planner) typed(q solver.Param, axis Axis) (list []any, ok bool) {
	ok = true
	seen := map[any]bool{}
	for _, v := range axis.Values {
		x, f := typed(q, v)
		if f != nil {
			p.report(*f)
			ok = false
		} else if !seen[x] {
			seen[x] = true
			list = append(list, x)
		}
	}
	return list, ok
}

func product(axes [][]any, more ...int) *big.Int {
	n := big.NewInt(1)
	for _, a := range axes {
		n.Mul(n, big.NewInt(int64(max(1, len(a)))))
	}
	for _, m := range more {
		n.Mul(n, big.NewInt(int64(m)))
	}
	return n
}

// combinations iterates over all combinations of the axes' values, the last axis fastest; an empty axis contributes
// nil.
func combinations(axes [][]any) func(yield func([]any) bool) {
	return func(yield func([]any) bool) {
		at := make([]int, len(axes))
		for {
			values := make([]any, len(axes))
			for i, k := range at {
				if len(axes[i]) > 0 {
					values[i] = axes[i][k]
				}
			}
			if !yield(values) {
				return
			}
			i := len(axes) - 1
			for ; i >= 0; i-- {
				if at[i]++; at[i] < len(axes[i]) {
					break
				}
				at[i] = 0
			}
			if i < 0 {
				return
			}
		}
	}
}

// limit refuses more runs than allowed.
func (p *planner) limit() {
	variants := map[string]int64{}
	for i := range p.plan.Variants {
		v := &p.plan.Variants[i]
		variants[v.Problem] += int64(len(v.seeds(p.plan.Seeds)))
	}
	var runs int64
	for i := range p.plan.Instances {
		runs += variants[p.plan.Instances[i].Problem]
	}
	if runs > int64(p.maxRuns) {
		p.add(model.CodeOverflow, p.spec.start, fmt.Sprintf("there are %d runs", runs), fmt.Sprintf("at most %d", p.maxRuns),
			"shorten a list or a range, or raise --max-runs")
	}
}

// problems are those of the instances, in order; the empty one stands for instances that name none.
func (p *planner) problems() []string {
	set := map[string]bool{}
	for i := range p.plan.Instances {
		set[p.plan.Instances[i].Problem] = true
	}
	return slices.Sorted(maps.Keys(set))
}
