package run

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"mrsched/io/disk"
	"mrsched/io/textpos"
	"mrsched/model"
	"mrsched/solver"
)

// PlanFormat is the `format` of a plan.
const PlanFormat = "mrsched-sweep-plan/1"

// PlanFile is the plan's name in a sweep's directory.
const PlanFile = "plan.json"

// Plan is a spec with every name looked up, every axis multiplied out and every file found: instances, variants of
// algorithms, and seeds. Its runs are the product of each instance, the variants of its problem, and the seeds.
type Plan struct {
	Format    string     `json:"format"`
	Name      string     `json:"name,omitempty"`
	TimeLimit model.Time `json:"time_limit_us,omitempty"`
	Instances []Instance `json:"instances"`
	Variants  []Variant  `json:"variants"`
	Seeds     []uint64   `json:"seeds"`
}

// Instance is a file, or the output of a generator for parameters and a seed.
type Instance struct {
	// Name is the path as in the spec, or the preset with the parameters that the spec states and the seed.
	Name string `json:"name"`
	// Group is the group of the spec, else the name without the seed.
	Group   string `json:"group"`
	Problem string `json:"problem,omitempty"` // empty: nothing states it, or the file cannot be read

	Path string `json:"path,omitempty"` // as in the spec, globs replaced by what they match, in UTF-8
	File string `json:"-"`              // Path as the file system has it
	// SHA-256 of the file, or of a directory's files; empty if it cannot be read
	Content string `json:"content,omitempty"`

	Generate   string            `json:"generate,omitempty"` // the generator's problem
	Preset     string            `json:"preset,omitempty"`
	Parameters map[string]string `json:"parameters,omitempty"` // all of the preset
	Stated     []string          `json:"stated,omitempty"`     // those that the spec states
	Seed       uint64            `json:"seed"`

	Bytes  int64         `json:"-"` // of the file, as an indication of the instance's size
	Values solver.Params `json:"-"` // Parameters, as the generator takes them
}

// Variant is an algorithm of a problem with the parameters that it depends on.
type Variant struct {
	Problem   string `json:"problem,omitempty"`
	Algorithm string `json:"algorithm"`
	// FromAll says that the algorithm comes from "all", so that it is left out wherever "all" leaves it out.
	FromAll    bool              `json:"from_all,omitempty"`
	Iterations int               `json:"iterations"`           // 0: until the time limit
	Parameters map[string]string `json:"parameters,omitempty"` // all that the algorithm looks at
	Stated     []string          `json:"stated,omitempty"`     // those that the spec states, "iterations" among them
	// Note says why the algorithm cannot run; empty if it can. Such a variant has one run per instance, not one per seed.
	Note string `json:"note,omitempty"`

	Values solver.Params `json:"-"` // every parameter of the problem
}

// Run is an instance, a variant of an algorithm and a seed.
type Run struct {
	ID       string
	Instance int // of the plan
	Variant  int
	Seed     uint64
}

// idBytes is how much of a digest an id keeps: among 10⁶ runs two share one with probability 10⁻¹².
const idBytes = 10

// Runs lists the runs in the plan's order: instances, then variants, then seeds, without duplicates.
func (p *Plan) Runs() []Run {
	var list []Run
	seen := map[string]bool{}
	variants := make([][]byte, len(p.Variants))
	for v := range p.Variants {
		variants[v] = p.Variants[v].key(p.TimeLimit)
	}
	for i := range p.Instances {
		in := p.Instances[i].key()
		for v := range p.Variants {
			if p.Variants[v].Problem != p.Instances[i].Problem {
				continue
			}
			for _, seed := range p.Variants[v].seeds(p.Seeds) {
				h := sha256.New()
				h.Write(in)
				h.Write(variants[v])
				h.Write(strconv.AppendUint(nil, seed, 10))
				if id := hex.EncodeToString(h.Sum(nil)[:idBytes]); !seen[id] {
					seen[id] = true
					list = append(list, Run{id, i, v, seed})
				}
			}
		}
	}
	return list
}

func (v *Variant) seeds(all []uint64) []uint64 {
	if v.Note != "" {
		return all[:1]
	}
	return all
}

// Divide assigns runs to n shards and returns the shard of each, from 0. Runs of one algorithm on instances next to
// each other in the spec take about equally long: of every n such runs each shard gets one, in an order that depends
// only on their ids. So every process divides alike, and a spec that alternates between long and short runs does not
// give all long runs to one shard.
//
// The numbers of runs differ by at most 1. Complexity: O(R log R).
func Divide(runs []Run, n int) []int {
	order := make([]int, len(runs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := &runs[a], &runs[b]
		return cmp.Or(cmp.Compare(x.Variant, y.Variant), cmp.Compare(x.Instance, y.Instance), cmp.Compare(a, b))
	})
	of := make([]int, len(runs))
	for alike := range slices.Chunk(order, n) {
		slices.SortFunc(alike, func(a, b int) int { return cmp.Compare(runs[a].ID, runs[b].ID) })
		for shard, i := range alike {
			of[i] = shard
		}
	}
	return of
}

// key is the canonical text of everything that determines an instance.
func (in *Instance) key() []byte {
	same := *in
	same.Name, same.Group, same.Stated = "", "", nil
	return canonical(same)
}

func (v *Variant) key(limit model.Time) []byte {
	same := *v
	same.Stated = nil
	return canonical(struct {
		Variant
		Limit model.Time
	}{same, limit})
}

// canonical is a value as JSON with sorted keys. The values always have a JSON form.
func canonical(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // of a type that JSON does not have, which no input makes
	}
	return append(text, '\n')
}

// Write puts the plan into a sweep's directory, and says whether it replaced a different one.
func (p *Plan) Write(dir string) (changed bool, err error) {
	text, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		return false, err
	}
	text = append(text, '\n')
	path := filepath.Join(dir, PlanFile)
	old, err := textpos.ReadBelow(dir, PlanFile)
	switch {
	case err == nil && string(old) == string(text):
		return false, nil
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return false, unreadable(path, err, "")
	}
	return err == nil, disk.WriteFile(path, true, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// unreadable is F110 for a file of a sweep's directory that is too large, else F101.
func unreadable(path string, err error, hint string) error {
	if large, ok := errors.AsType[*textpos.TooLargeError](err); ok {
		return model.NewInputError(large.Finding(model.Position{File: path}))
	}
	return model.NewInputError(model.Finding{Code: model.CodeUnreadable, Pos: model.Position{File: path},
		What: textpos.Cause(err), Expected: "the directory of a sweep", Hint: hint})
}

// ReadPlan reads the plan of a sweep's directory. Such a plan names runs but cannot run them. Errors are
// *model.InputError.
func ReadPlan(dir string) (*Plan, error) {
	path := filepath.Join(dir, PlanFile)
	bad := func(code model.Code, what, hint string) (*Plan, error) {
		return nil, model.NewInputError(model.Finding{Code: code, Pos: model.Position{File: path}, What: what,
			Expected: "the directory of a sweep", Hint: hint})
	}
	text, err := textpos.ReadBelow(dir, PlanFile)
	if err != nil {
		return nil, unreadable(path, err, "run mrsched sweep SPEC -o DIR first")
	}
	var p Plan
	if err := json.Unmarshal(text, &p); err != nil {
		return bad(model.CodeSyntax, err.Error(), "")
	}
	if p.Format != PlanFormat {
		return bad(model.CodeFormat, fmt.Sprintf("`format` is %q", clip(p.Format)), "")
	}
	if len(p.Seeds) == 0 {
		return bad(model.CodeMissing, "seeds is empty", "")
	}
	return &p, nil
}
