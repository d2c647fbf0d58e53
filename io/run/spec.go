package run

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"mrsched/io/workload"
	"mrsched/model"
)

// Format is the `format` of a spec.
const Format = "mrsched-sweep/1"

// All is the name for every algorithm of a problem.
const All = "all"

// maxTimeLimit is some thirty years.
const maxTimeLimit = 1_000_000_000 * model.Second

// maxIterations is the most that a result can state, and more than any search does in years.
const maxIterations = 1<<40 - 1

// Spec says what a sweep runs. It has the right shape, but its names are not looked up yet.
type Spec struct {
	Name       string
	Problem    *Value // nil: each instance's own
	Entries    []Entry
	Algorithms []Value
	Parameters []Axis
	Seeds      []uint64
	Iterations []int          // nil: the default
	TimeLimit  model.Time     // of a run; 0: none
	Keep       bool           // write result directories
	start      model.Position // of the document
	reader     *reader
}

// Entry is one row of `instances`: files, or a generator.
type Entry struct {
	Pos        model.Position
	Path       *Value // of files, with * ? […] as in a shell; relative to the spec's folder
	Generate   *Value // the problem whose generator it is
	Preset     *Value // nil: the problem's first
	Parameters []Axis
	Seeds      []uint64 // nil: 1
	SeedsPos   model.Position
	Problem    *Value // to solve, if not the instance's own
	Group      string // the instances of one group are averaged; empty: see Instance
}

// reader reads a spec out of its tree.
type reader struct {
	found   *model.Findings
	known   map[model.Finding]bool // several algorithms may report the same wrong value
	maxRuns int
}

func (r *reader) add(code model.Code, pos model.Position, what, expected, hint string) {
	r.report(model.Finding{Code: code, Pos: pos, What: what, Expected: expected, Hint: hint})
}

// report adds a finding unless it is there.
func (r *reader) report(f model.Finding) {
	if !r.known[f] {
		r.known[f] = true
		r.found.Add(f)
	}
}

func (r *reader) unknownKey(m member, keys []string) {
	r.add(model.CodeUnknown, m.pos, fmt.Sprintf("unknown key %q", clip(m.name)), "one of "+strings.Join(keys, ", "),
		didYouMean(m.name, keys))
}

// field is a key of an object and what reads its value.
type field struct {
	name string
	read func(m member)
}

// fields reads the members of an object and reports keys that it does not have.
func (r *reader) fields(n *node, fields []field) {
	var keys []string
	for _, f := range fields {
		keys = append(keys, f.name)
	}
	for _, m := range n.members {
		if i := slices.Index(keys, m.name); i >= 0 {
			fields[i].read(m)
		} else {
			r.unknownKey(m, keys)
		}
	}
}

// Read reads a spec, plain or gzip; name is in the positions of findings, and maxRuns limits the number of runs.
// Plan returns all findings.
func Read(from io.Reader, name string, maxRuns int) *Spec {
	var found model.Findings
	r := &reader{found: &found, known: map[model.Finding]bool{}, maxRuns: maxRuns}
	s := &Spec{Seeds: []uint64{1}, start: model.Position{File: name}, reader: r}
	if root := readTree(from, name, &found); root != nil {
		r.spec(root, s)
	}
	return s
}

func (r *reader) spec(root *node, s *Spec) {
	if !r.is(root, '{', "the document") {
		return
	}
	s.start = root.pos
	r.fields(root, []field{
		{"format", func(m member) {
			if n := m.value; n.kind != '"' || n.text != Format {
				r.add(model.CodeFormat, n.pos, "`format` is "+clip(strconv.Quote(n.text)), strconv.Quote(Format), "")
			}
		}},
		{"name", func(m member) { s.Name = r.text(m) }},
		{"problem", func(m member) { s.Problem = r.word(m.value, m.name) }},
		{"instances", func(m member) {
			for _, item := range r.list(m.value, m.name) {
				r.entry(item, s)
			}
		}},
		{"algorithms", func(m member) { r.algorithms(m.value, s) }},
		{"parameters", func(m member) { s.Parameters = r.parameters(m.value) }},
		{"seeds", func(m member) { s.Seeds = r.seeds(m) }},
		{"iterations", func(m member) {
			for _, v := range r.wholes(m.value, m.name, 1, maxIterations) {
				s.Iterations = append(s.Iterations, int(v))
			}
		}},
		{"time_limit", func(m member) { s.TimeLimit = r.timeLimit(m) }},
		{"keep", func(m member) { s.Keep = r.is(m.value, 't', m.name) && m.value.kind == 't' }},
		{schemaKey, func(m member) { r.text(m) }},
	})
	if !root.has("format") {
		r.add(model.CodeFormat, root.pos, "`format` is missing", strconv.Quote(Format), "")
	}
	for _, name := range []string{"instances", "algorithms"} {
		if !root.has(name) {
			r.add(model.CodeMissing, root.pos, name+" is missing", "a list", "")
		}
	}
}

func (r *reader) timeLimit(m member) model.Time {
	text := m.value.text
	if m.value.kind != '"' {
		if !r.is(m.value, '0', m.name) {
			return 0
		}
		v, ok := r.number(m.value, m.name)
		if !ok {
			return 0
		}
		text = decimal(v)
	}
	t, err := workload.ParseTime(text)
	if err != nil || t <= 0 || t > maxTimeLimit {
		r.add(model.CodeNegative, m.value.pos, "time_limit is "+clip(m.value.text),
			fmt.Sprintf("seconds, or a time such as \"5m\", more than 0 and at most %s s", maxTimeLimit), "")
		return 0
	}
	return t
}

// is reports a node of the wrong kind; 't' stands for both booleans.
func (r *reader) is(n *node, want byte, what string) bool {
	if byte(n.kind) == want || want == 't' && n.kind == 'f' {
		return true
	}
	names := map[byte]string{'{': "an object", '[': "a list", '"': "a string", '0': "a number", 't': "true or false"}
	r.add(model.CodeType, n.pos, what+" is "+typeNames[n.kind], names[want], "")
	return false
}

func (r *reader) text(m member) string {
	if !r.is(m.value, '"', m.name) {
		return ""
	}
	return m.value.text
}

// word is a nonempty string, else nil.
func (r *reader) word(n *node, what string) *Value {
	if !r.is(n, '"', what) {
		return nil
	}
	if n.text == "" {
		r.add(model.CodeMissing, n.pos, what+" is empty", "a name", "")
		return nil
	}
	return &Value{n.text, Text, n.pos}
}

func (r *reader) list(n *node, what string) []*node {
	if !r.is(n, '[', what) {
		return nil
	}
	if len(n.items) == 0 {
		r.add(model.CodeMissing, n.pos, what+" is empty", "at least one", "")
	}
	return n.items
}

// algorithms reads names, or the one name for all.
func (r *reader) algorithms(n *node, s *Spec) {
	if n.kind == '"' {
		n = &node{kind: '[', pos: n.pos, items: []*node{n}}
	}
	for _, item := range r.list(n, "algorithms") {
		if v := r.word(item, "an algorithm"); v != nil && !slices.ContainsFunc(s.Algorithms,
			func(a Value) bool { return a.Text == v.Text }) {
			s.Algorithms = append(s.Algorithms, *v)
		}
	}
}

func (r *reader) parameters(n *node) []Axis {
	if !r.is(n, '{', "parameters") {
		return nil
	}
	var list []Axis
	for _, m := range n.members {
		list = append(list, Axis{m.name, m.pos, r.axis(m.value, m.name)})
	}
	return list
}

func (r *reader) seeds(m member) []uint64 { return r.wholes(m.value, m.name, 0, 1<<64-1) }

// wholes is an axis of whole numbers without duplicates.
func (r *reader) wholes(n *node, what string, least, most uint64) []uint64 {
	var list []uint64
	seen := map[uint64]bool{}
	for _, v := range r.axis(n, what) {
		x, err := strconv.ParseUint(v.Text, 10, 64)
		switch {
		case v.Kind != Number:
			r.add(model.CodeType, v.Pos, what+" "+quoted(v)+" is not a number", "whole numbers", "")
		case err != nil || x < least || x > most:
			r.add(model.CodeNumber, v.Pos, what+" "+quoted(v), fmt.Sprintf("whole numbers from %d to %d", least, most), "")
		case !seen[x]:
			seen[x] = true
			list = append(list, x)
		}
	}
	return list
}

// entry reads a row of instances.
func (r *reader) entry(n *node, s *Spec) {
	if !r.is(n, '{', "an instance") {
		return
	}
	e := Entry{Pos: n.pos}
	word := func(into **Value) func(member) {
		return func(m member) { *into = r.word(m.value, m.name) }
	}
	problem, group := field{"problem", word(&e.Problem)}, field{"group", func(m member) { e.Group = r.text(m) }}
	fields := []field{{"path", word(&e.Path)}, problem, group}
	if n.has("path") == n.has("generate") {
		r.add(model.CodeMissing, n.pos, "an instance has neither or both of `path` and `generate`",
			`{"path":…} or {"generate":…}`, "")
		return
	}
	if n.has("generate") {
		fields = []field{{"generate", word(&e.Generate)}, {"preset", word(&e.Preset)},
			{"parameters", func(m member) { e.Parameters = r.parameters(m.value) }},
			{"seeds", func(m member) { e.Seeds, e.SeedsPos = r.seeds(m), m.pos }}, problem, group}
	}
	r.fields(n, fields)
	s.Entries = append(s.Entries, e)
}
