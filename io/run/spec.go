package run

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"mrsched/io/textpos"
	"mrsched/io/workload"
	"mrsched/model"
)

// Format is the `format` of a spec.
const Format = "mrsched-sweep/1"

// All is the name for every algorithm of a problem.
const All = "all"

// maxTimeLimit is some thirty years.
const maxTimeLimit = 1_000_000_000 * model.Second

// maxDocument is how many bytes a spec may have: it is held in memory.
const maxDocument = 4 << 20

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

func (r *reader) unknownKey(m textpos.Member, keys []string) {
	r.add(model.CodeUnknown, m.Pos, fmt.Sprintf("unknown key %q", clip(m.Name)), "one of "+strings.Join(keys, ", "),
		model.DidYouMean(m.Name, keys))
}

// field is a key of an object and what reads its value.
type field struct {
	name string
	read func(m textpos.Member)
}

// fields reads the members of an object and reports keys that it does not have.
func (r *reader) fields(n *textpos.Node, fields []field) {
	var keys []string
	for _, f := range fields {
		keys = append(keys, f.name)
	}
	for _, m := range n.Members {
		if i := slices.Index(keys, m.Name); i >= 0 {
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
	if root := textpos.ReadTree(from, name, maxDocument, &found); root != nil {
		r.spec(root, s)
	}
	return s
}

func (r *reader) spec(root *textpos.Node, s *Spec) {
	if !r.is(root, '{', "the document") {
		return
	}
	s.start = root.Pos
	r.fields(root, []field{
		{"format", func(m textpos.Member) {
			if n := m.Value; n.Kind != '"' || n.Text != Format {
				r.add(model.CodeFormat, n.Pos, "`format` is "+clip(strconv.Quote(n.Text)), strconv.Quote(Format), "")
			}
		}},
		{"name", func(m textpos.Member) { s.Name = r.text(m) }},
		{"problem", func(m textpos.Member) { s.Problem = r.word(m.Value, m.Name) }},
		{"instances", func(m textpos.Member) {
			for _, item := range r.list(m.Value, m.Name) {
				r.entry(item, s)
			}
		}},
		{"algorithms", func(m textpos.Member) { r.algorithms(m.Value, s) }},
		{"parameters", func(m textpos.Member) { s.Parameters = r.parameters(m.Value) }},
		{"seeds", func(m textpos.Member) { s.Seeds = r.seeds(m) }},
		{"iterations", func(m textpos.Member) {
			for _, v := range r.wholes(m.Value, m.Name, 1, maxIterations) {
				s.Iterations = append(s.Iterations, int(v))
			}
		}},
		{"time_limit", func(m textpos.Member) { s.TimeLimit = r.timeLimit(m) }},
		{"keep", func(m textpos.Member) { s.Keep = r.is(m.Value, 't', m.Name) && m.Value.Kind == 't' }},
		{schemaKey, func(m textpos.Member) { r.text(m) }},
	})
	if !root.Has("format") {
		r.add(model.CodeFormat, root.Pos, "`format` is missing", strconv.Quote(Format), "")
	}
	for _, name := range []string{"instances", "algorithms"} {
		if !root.Has(name) {
			r.add(model.CodeMissing, root.Pos, name+" is missing", "a list", "")
		}
	}
}

func (r *reader) timeLimit(m textpos.Member) model.Time {
	text := m.Value.Text
	if m.Value.Kind != '"' {
		if !r.is(m.Value, '0', m.Name) {
			return 0
		}
		v, ok := r.number(m.Value, m.Name)
		if !ok {
			return 0
		}
		text = decimal(v)
	}
	t, err := workload.ParseTime(text)
	if err != nil || t <= 0 || t > maxTimeLimit {
		r.add(model.CodeNegative, m.Value.Pos, "time_limit is "+clip(m.Value.Text),
			fmt.Sprintf("seconds, or a time such as \"5m\", more than 0 and at most %s s", maxTimeLimit), "")
		return 0
	}
	return t
}

// is reports a node of the wrong kind; 't' stands for both booleans.
func (r *reader) is(n *textpos.Node, want byte, what string) bool {
	if byte(n.Kind) == want || want == 't' && n.Kind == 'f' {
		return true
	}
	names := map[byte]string{'{': "an object", '[': "a list", '"': "a string", '0': "a number", 't': "true or false"}
	r.add(model.CodeType, n.Pos, what+" is "+textpos.KindNames[n.Kind], names[want], "")
	return false
}

func (r *reader) text(m textpos.Member) string {
	if !r.is(m.Value, '"', m.Name) {
		return ""
	}
	return m.Value.Text
}

// word is a nonempty string, else nil.
func (r *reader) word(n *textpos.Node, what string) *Value {
	if !r.is(n, '"', what) {
		return nil
	}
	if n.Text == "" {
		r.add(model.CodeMissing, n.Pos, what+" is empty", "a name", "")
		return nil
	}
	return &Value{n.Text, Text, n.Pos}
}

func (r *reader) list(n *textpos.Node, what string) []*textpos.Node {
	if !r.is(n, '[', what) {
		return nil
	}
	if len(n.Items) == 0 {
		r.add(model.CodeMissing, n.Pos, what+" is empty", "at least one", "")
	}
	return n.Items
}

// algorithms reads names, or the one name for all.
func (r *reader) algorithms(n *textpos.Node, s *Spec) {
	if n.Kind == '"' {
		n = &textpos.Node{Kind: '[', Pos: n.Pos, Items: []*textpos.Node{n}}
	}
	for _, item := range r.list(n, "algorithms") {
		if v := r.word(item, "an algorithm"); v != nil && !slices.ContainsFunc(s.Algorithms,
			func(a Value) bool { return a.Text == v.Text }) {
			s.Algorithms = append(s.Algorithms, *v)
		}
	}
}

func (r *reader) parameters(n *textpos.Node) []Axis {
	if !r.is(n, '{', "parameters") {
		return nil
	}
	var list []Axis
	for _, m := range n.Members {
		list = append(list, Axis{m.Name, m.Pos, r.axis(m.Value, m.Name)})
	}
	return list
}

func (r *reader) seeds(m textpos.Member) []uint64 { return r.wholes(m.Value, m.Name, 0, 1<<64-1) }

// wholes is an axis of whole numbers without duplicates.
func (r *reader) wholes(n *textpos.Node, what string, least, most uint64) []uint64 {
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
func (r *reader) entry(n *textpos.Node, s *Spec) {
	if !r.is(n, '{', "an instance") {
		return
	}
	e := Entry{Pos: n.Pos}
	word := func(into **Value) func(textpos.Member) {
		return func(m textpos.Member) { *into = r.word(m.Value, m.Name) }
	}
	problem, group := field{"problem", word(&e.Problem)}, field{"group", func(m textpos.Member) { e.Group = r.text(m) }}
	fields := []field{{"path", word(&e.Path)}, problem, group}
	if n.Has("path") == n.Has("generate") {
		r.add(model.CodeMissing, n.Pos, "an instance has neither or both of `path` and `generate`",
			`{"path":…} or {"generate":…}`, "")
		return
	}
	if n.Has("generate") {
		fields = []field{{"generate", word(&e.Generate)}, {"preset", word(&e.Preset)},
			{"parameters", func(m textpos.Member) { e.Parameters = r.parameters(m.Value) }},
			{"seeds", func(m textpos.Member) { e.Seeds, e.SeedsPos = r.seeds(m), m.Pos }}, problem, group}
	}
	r.fields(n, fields)
	s.Entries = append(s.Entries, e)
}
