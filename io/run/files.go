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
	"strings"

	"mrsched/instances"
	"mrsched/io/textpos"
	"mrsched/io/workload"
	"mrsched/model"
)

// Path resolves a path of a spec from the directory base.
func Path(base, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, filepath.FromSlash(path))
}

// files adds the files that a path names, or matches as a glob, sorted by name.
func (p *planner) files(e *Entry) {
	solved := p.solved(e)
	if !p.inside(e.Path.Text, e.Path.Pos) {
		return
	}
	paths, err := p.glob(e.Path.Text)
	switch {
	case e.Path.Text == "-":
		p.add(model.CodeUnreadable, e.Path.Pos, "standard input cannot be an instance of a sweep", "a path", "")
		return
	case err != nil:
		p.add(model.CodeSyntax, e.Path.Pos, fmt.Sprintf("%q is no pattern: %v", clip(e.Path.Text), err),
			"a path with *, ? or […]", "")
		return
	case len(paths) == 0:
		p.add(model.CodeUnreadable, e.Path.Pos, fmt.Sprintf("%q matches nothing", clip(e.Path.Text)),
			"a path relative to the spec's folder", "")
		return
	case len(p.plan.Instances)+len(paths) > p.maxRuns:
		p.add(model.CodeOverflow, e.Pos, fmt.Sprintf("there are more than %d instances", p.maxRuns), "fewer",
			"raise --max-runs")
		return
	}
	for _, path := range paths {
		if !p.leads(path, e.Path.Pos) {
			continue
		}
		name := textpos.UTF8(path) // rows and the plan are JSON
		f := inspect(Path(p.base, path), solved == "")
		p.plan.Instances = append(p.plan.Instances, Instance{Name: name, Group: cmp.Or(e.Group, name), Path: name,
			File: path, Problem: cmp.Or(solved, f.problem), Content: f.digest, Bytes: f.bytes})
	}
}

// inside reports a path or pattern that leads out of the spec's folder: the spec may come from someone else.
func (p *planner) inside(path string, at model.Position) bool {
	if p.catalog.Outside || path == "-" || filepath.IsLocal(filepath.FromSlash(path)) {
		return true
	}
	p.outside(path, at)
	return false
}

func (p *planner) outside(path string, at model.Position) {
	p.add(model.CodeUnreadable, at, fmt.Sprintf("%q leads out of the spec's folder", clip(path)), "a path inside of it",
		"if it is meant, pass --allow-outside")
}

// leads reports a path that leads out of the spec's folder through links, or to something that is neither a file nor a
// directory and might never end. Paths that do not exist pass.
func (p *planner) leads(path string, at model.Position) bool {
	real, err := filepath.EvalSymlinks(Path(p.base, path))
	if err != nil {
		return true
	}
	if info, err := os.Stat(real); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		p.add(model.CodeUnreadable, at, fmt.Sprintf("%q is neither a file nor a directory", clip(path)), "an instance", "")
		return false
	}
	if p.catalog.Outside {
		return true
	}
	base, err := filepath.EvalSymlinks(p.base)
	if err != nil {
		return true
	}
	if base, err = filepath.Abs(base); err != nil {
		return true
	}
	if real, err = filepath.Abs(real); err != nil {
		return true
	}
	if rel, err := filepath.Rel(base, real); err != nil || !filepath.IsLocal(rel) {
		p.outside(path, at)
		return false
	}
	return true
}

// glob lists what a path matches. A path without a pattern, or the name of an existing file, stands for itself.
func (p *planner) glob(path string) ([]string, error) {
	clean := filepath.ToSlash(filepath.Clean(filepath.FromSlash(path)))
	if _, err := os.Lstat(Path(p.base, path)); err == nil || !strings.ContainsAny(path, `*?[\`) {
		return []string{clean}, nil
	}
	if filepath.IsAbs(path) {
		return filepath.Glob(path)
	}
	found, err := filepath.Glob(filepath.Join(escape(p.base), filepath.FromSlash(path)))
	for i := range found {
		if found[i], err = filepath.Rel(p.base, found[i]); err != nil {
			return nil, err
		}
		found[i] = filepath.ToSlash(found[i])
	}
	return found, err
}

// escape is a path as a pattern that matches it alone.
func escape(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// namedFiles adds the contents of files that the parameters of a generator name.
func (p *planner) namedFiles(in *Instance, preset instances.Preset, at model.Position) {
	for _, name := range preset.Files {
		path, _ := in.Values[name].(string)
		if path == "" || !p.inside(path, at) || !p.leads(path, at) {
			continue
		}
		f := inspect(Path(p.base, path), false)
		in.Values[name], in.Bytes = Path(p.base, path), f.bytes
		if in.Files == nil {
			in.Files = map[string]string{}
		}
		in.Files[name] = f.digest
	}
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
			scalars := strings.TrimSuffix(rel, ".gz") == "workload.json"
			return f.read(name, h, wantProblem && scalars)
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
