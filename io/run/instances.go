package run

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mrsched/instances"
	"mrsched/io/textpos"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
)

// entry adds the instances of a row of `instances`: files, or what a generator makes.
func (p *planner) entry(n *textpos.Node) {
	switch {
	case !p.is(n, '{', "an instance"):
	case n.Has("path") == n.Has("generate"):
		p.add(model.CodeMissing, n.Pos, "an instance has neither or both of `path` and `generate`",
			`{"path":…} or {"generate":…}`, "")
	case n.Has("path"):
		p.files(p.keys(n, "path", "problem", "group"), n.Pos)
	default:
		p.generator(p.keys(n, "generate", "preset", "parameters", "seeds", "problem", "group"), n.Pos)
	}
}

// solved is the problem that a key names, else that of the whole spec; empty for the instance's own.
func (p *planner) solved(m textpos.Member) string {
	n := p.word(m.Value, m.Name)
	if n == nil {
		return p.problem
	}
	p.problemOf(n)
	return n.Text
}

// problemOf looks up a problem; nil if it does not exist.
func (p *planner) problemOf(n *textpos.Node) *solver.Problem {
	q := p.catalog.problem(n.Text)
	if q == nil {
		p.unknown = true
		p.unknownName("problem", "", n, namesOf(p.catalog.Problems, problemName))
	}
	return q
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
func (p *planner) unknownName(what, owner string, name *textpos.Node, names []string) {
	p.add(model.CodeEnum, name.Pos, fmt.Sprintf("unknown %s %q%s", what, clip(name.Text), owner),
		"one of "+strings.Join(names, ", "), model.DidYouMean(name.Text, names))
}

// generator adds an instance for every combination of a generator's parameters and seeds.
func (p *planner) generator(k map[string]textpos.Member, at model.Position) {
	solved, group, stated, seeds := p.solved(k["problem"]), p.text(k["group"]), p.axes(k["parameters"]), []uint64{1}
	made := p.word(k["generate"].Value, "generate")
	if made == nil || p.problemOf(made) == nil {
		return
	}
	preset, ok := p.preset(made, p.word(k["preset"].Value, "preset"))
	if !ok {
		return
	}
	if len(preset.Files) > 0 {
		p.add(model.CodeEnum, at, fmt.Sprintf("preset %s reads a file", preset.Name), "a preset that reads none",
			"make the instance by mrsched generate, and name it as `path`")
		return
	}
	if m := k["seeds"]; m.Value != nil {
		if seeds = p.wholes(m, 0, 1<<64-1); preset.Fixed {
			p.add(model.CodeUnknown, m.Pos, "seeds have no effect on preset "+preset.Name, "no seeds", "")
		}
	}
	choices, ok := p.choices(stated, preset.Params, " of preset "+preset.Name)
	if !ok {
		return
	}
	if n := combinations(choices, len(seeds)); n > p.maxRuns-len(p.plan.Instances) {
		p.add(model.CodeOverflow, at, fmt.Sprintf("there are more than %d instances", p.maxRuns), "fewer",
			"shorten a list or a range, or raise --max-runs")
		return
	}
	for values := range combined(choices) {
		in := Instance{Name: preset.Name, Problem: cmp.Or(solved, preset.Problem), Generate: preset.Problem,
			Preset: preset.Name, Parameters: map[string]string{}, Values: solver.Params{}}
		for i, q := range preset.Params {
			v := values[i]
			if v != nil {
				in.Stated = append(in.Stated, q.Name)
				in.Name += " " + q.Name + "=" + textOf(v)
			} else {
				v = defaultOf(q)
			}
			in.Values[q.Name], in.Parameters[q.Name] = v, textOf(v)
		}
		in.Group = cmp.Or(group, in.Name)
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

// preset is a generator's preset of a name, or without a name its first.
func (p *planner) preset(made, name *textpos.Node) (instances.Preset, bool) {
	var names []string
	for _, q := range p.catalog.Presets {
		if q.Problem != made.Text {
			continue
		}
		if name == nil || q.Name == name.Text {
			return q, true
		}
		names = append(names, q.Name)
	}
	if name == nil {
		p.add(model.CodeEnum, made.Pos, "there is no generator of problem "+made.Text, "a problem with a generator", "")
	} else {
		p.unknownName("preset", " of "+made.Text, name, names)
	}
	return instances.Preset{}, false
}

// choices checks stated axes against parameters and returns the values of each parameter, nil for those not stated.
func (p *planner) choices(stated []axis, params []solver.Param, owner string) ([][]any, bool) {
	all, list := true, make([][]any, len(params))
	for _, axis := range stated {
		i, ok := slices.IndexFunc(params, func(q solver.Param) bool { return q.Name == axis.name }), false
		if i < 0 {
			p.unknownParameter(axis, namesOf(params, paramName), owner)
		} else {
			list[i], ok = p.typed(params[i], axis.values)
		}
		all = all && ok
	}
	return list, all
}

func (p *planner) unknownParameter(axis axis, names []string, owner string) {
	expected := "one of " + strings.Join(names, ", ")
	if len(names) == 0 {
		expected = "no parameters"
	}
	p.add(model.CodeUnknown, axis.at, fmt.Sprintf("unknown parameter %q%s", clip(axis.name), owner), expected,
		model.DidYouMean(axis.name, names))
}

// combinations is how many combinations there are, times another factor, or some number beyond mostCombinations.
func combinations(choices [][]any, n int) int {
	for _, values := range choices {
		if n = n * max(1, len(values)); n > mostCombinations {
			return n
		}
	}
	return n
}

// mostCombinations is more than any limit of runs; its square is no overflow.
const mostCombinations = 1 << 30

// combined iterates over all combinations of values, the last parameter fastest; one without values contributes nil.
func combined(choices [][]any) func(yield func([]any) bool) {
	return func(yield func([]any) bool) {
		for at, more := make([]int, len(choices)), true; more; {
			values := make([]any, len(choices))
			for i, k := range at {
				if len(choices[i]) > 0 {
					values[i] = choices[i][k]
				}
			}
			if !yield(values) {
				return
			}
			more = false
			for i := len(choices) - 1; i >= 0 && !more; i-- {
				if at[i]++; at[i] < len(choices[i]) {
					more = true
				} else {
					at[i] = 0
				}
			}
		}
	}
}

// resolved is a path of a spec, from the directory base.
func resolved(base, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, filepath.FromSlash(path))
}

// files adds the files that a path names, or matches as a glob, sorted by name.
func (p *planner) files(k map[string]textpos.Member, at model.Position) {
	solved, group, n := p.solved(k["problem"]), p.text(k["group"]), p.word(k["path"].Value, "path")
	if n == nil || !p.allowed(n.Text, n.Pos) {
		return
	}
	paths, err := p.glob(n.Text)
	switch {
	case n.Text == "-":
		p.add(model.CodeUnreadable, n.Pos, "standard input cannot be an instance of a sweep", "a path", "")
	case err != nil:
		p.add(model.CodeSyntax, n.Pos, fmt.Sprintf("%q is no pattern: %v", clip(n.Text), err), "a path with *, ? or […]", "")
	case len(paths) == 0:
		p.add(model.CodeUnreadable, n.Pos, fmt.Sprintf("%q matches nothing", clip(n.Text)),
			"a path relative to the spec's folder", "")
	case len(p.plan.Instances)+len(paths) > p.maxRuns:
		p.add(model.CodeOverflow, at, fmt.Sprintf("there are more than %d instances", p.maxRuns), "fewer",
			"raise --max-runs")
	default:
		for _, path := range paths {
			if !p.allowed(path, n.Pos) {
				continue
			}
			name := textpos.UTF8(path) // rows and the plan are JSON
			f := inspect(resolved(p.base, path), solved == "")
			p.plan.Instances = append(p.plan.Instances, Instance{Name: name, Group: cmp.Or(group, name), Path: name,
				File: path, Problem: cmp.Or(solved, f.problem), Content: f.digest, Bytes: f.bytes})
		}
	}
}

// allowed reports a path or pattern that leads out of the spec's folder, also through links, since the spec may come
// from someone else; and one to something that is neither a file nor a directory, and might never end.
func (p *planner) allowed(path string, at model.Position) bool {
	info, err := os.Stat(resolved(p.base, path))
	inside := p.catalog.Outside || filepath.IsLocal(filepath.FromSlash(path))
	if inside && err == nil && !p.catalog.Outside {
		root, wrong := os.OpenRoot(p.base)
		if wrong == nil {
			_, wrong = root.Stat(filepath.FromSlash(path))
			_ = root.Close() // it was only read
		}
		inside = wrong == nil
	}
	switch {
	case !inside:
		p.add(model.CodeUnreadable, at, fmt.Sprintf("%q leads out of the spec's folder", clip(path)), "a path inside of it",
			"if it is meant, pass --allow-outside")
	case err == nil && !info.Mode().IsRegular() && !info.IsDir():
		p.add(model.CodeUnreadable, at, fmt.Sprintf("%q is neither a file nor a directory", clip(path)), "an instance", "")
	default:
		return true
	}
	return false
}

// glob lists what a path matches. A path without a pattern, or the name of an existing file, stands for itself.
func (p *planner) glob(path string) ([]string, error) {
	clean := filepath.ToSlash(filepath.Clean(filepath.FromSlash(path)))
	if _, err := os.Lstat(resolved(p.base, path)); err == nil || !strings.ContainsAny(path, `*?[\`) {
		return []string{clean}, nil
	}
	if filepath.IsAbs(path) {
		return filepath.Glob(path)
	}
	base := strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(p.base)
	found, err := filepath.Glob(filepath.Join(base, filepath.FromSlash(path)))
	for i := range found {
		if found[i], err = filepath.Rel(p.base, found[i]); err != nil {
			return nil, err
		}
		found[i] = filepath.ToSlash(found[i])
	}
	return found, err
}

// inspected is the result of a quick look at a file, without reading it as a workload.
type inspected struct {
	digest  string // of its bytes; empty if they cannot be read
	bytes   int64  // roughly the size of the plain JSON
	problem string // that it names, if that was requested
}

// packed is roughly the factor by which gzip shrinks workloads.
const packed = 10

// inspect reads a file, or a directory's files in the order of their names.
func inspect(path string, wantProblem bool) inspected {
	info, err := os.Stat(path)
	if err != nil {
		return inspected{}
	}
	var f inspected
	h := sha256.New()
	if !info.IsDir() {
		err = f.read(path, h, wantProblem)
	} else {
		err = filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			rel, err := filepath.Rel(path, name)
			if err != nil {
				return err
			}
			fmt.Fprintf(h, "%q\n", filepath.ToSlash(rel))
			return f.read(name, h, wantProblem && strings.TrimSuffix(rel, ".gz") == "workload.json")
		})
	}
	if err != nil {
		return inspected{}
	}
	f.digest = hex.EncodeToString(h.Sum(nil))
	return f
}

func (f *inspected) read(path string, h hash.Hash, wantProblem bool) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close() // it was only read
	tee := io.TeeReader(file, h)
	if wantProblem {
		f.problem = workload.ProblemOf(tee)
	}
	if _, err := io.Copy(io.Discard, tee); err != nil {
		return err
	}
	n, err := file.Seek(0, io.SeekCurrent)
	if strings.HasSuffix(path, ".gz") {
		n *= packed
	}
	f.bytes += n
	return err
}
