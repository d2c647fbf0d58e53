package run

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"mrsched/instances"
	"mrsched/io/engine"
	"mrsched/io/textpos"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
)

// Format is the `format` of a spec.
const Format = "mrsched-sweep/1"

// All is the name for every algorithm of a problem.
const All = "all"

const (
	// maxTimeLimit is some thirty years.
	maxTimeLimit = 1_000_000_000 * model.Second
	// maxDocument is how many bytes a spec may have: it is held in memory.
	maxDocument = 4 << 20
	// maxIterations is the most that a result can state, and more than any search does in years.
	maxIterations = 1<<40 - 1
)

// Catalog is what a sweep can name.
type Catalog struct {
	Problems []*solver.Problem
	Presets  []instances.Preset // of generators; the first of a problem is its default
	Outside  bool               // paths may lead out of the spec's folder
}

// FullCatalog is what specs may name.
func FullCatalog() Catalog {
	c := Catalog{Presets: instances.Presets()}
	for _, p := range engine.Problems() {
		c.Problems = append(c.Problems, p.Problem)
	}
	return c
}

// planner reads a spec, looks up its names and multiplies its axes out.
type planner struct {
	found   model.Findings
	known   map[model.Finding]bool // several algorithms may report the same wrong value
	maxRuns int
	catalog Catalog
	base    string         // the spec's folder
	start   model.Position // of the document
	plan    *Plan

	problem    string          // to solve all instances as; empty: each its own
	algorithms []*textpos.Node // names
	parameters []axis
	iterations []int // nil: the default
	unknown    bool  // which problem some instance is of
}

// axis is a parameter and the values that it takes in turn.
type axis struct {
	name   string
	at     model.Position // of the name
	values []*textpos.Node
}

// Read reads a spec, plain or gzip, and plans it. name is in the positions of findings, maxRuns limits the number of
// runs, and files are relative to the directory base.
//
// A file that cannot be read is no error here: its runs will fail. Errors are *model.InputError with every finding.
func Read(from io.Reader, name string, maxRuns int, c Catalog, base string) (*Plan, error) {
	p := &planner{known: map[model.Finding]bool{}, maxRuns: maxRuns, catalog: c, base: base,
		start: model.Position{File: name}, plan: &Plan{Format: PlanFormat, Seeds: []uint64{1}}}
	root := textpos.ReadTree(from, name, maxDocument, &p.found)
	if root != nil && p.is(root, '{', "the document") {
		p.start = root.Pos
		p.document(root)
	}
	return p.plan, p.found.Err()
}

func (p *planner) add(code model.Code, pos model.Position, what, expected, hint string) {
	f := model.Finding{Code: code, Pos: pos, What: what, Expected: expected, Hint: hint}
	if !p.known[f] {
		p.known[f] = true
		p.found.Add(f)
	}
}

// schemaKey names a document's schema, for editors.
const schemaKey = "$schema"

func (p *planner) document(root *textpos.Node) {
	k := p.keys(root, "format", "name", "problem", "instances", "algorithms", "parameters", "seeds", "iterations",
		"time_limit", schemaKey)
	if n := k["format"].Value; n == nil {
		p.add(model.CodeFormat, root.Pos, "`format` is missing", strconv.Quote(Format), "")
	} else if n.Kind != '"' || n.Text != Format {
		p.add(model.CodeFormat, n.Pos, "`format` is "+clip(strconv.Quote(n.Text)), strconv.Quote(Format), "")
	}
	for _, name := range []string{"instances", "algorithms"} {
		if k[name].Value == nil {
			p.add(model.CodeMissing, root.Pos, name+" is missing", "a list", "")
		}
	}
	p.text(k[schemaKey])
	p.plan.Name, p.plan.TimeLimit = p.text(k["name"]), p.timeLimit(k["time_limit"])
	if k["seeds"].Value != nil {
		p.plan.Seeds = p.wholes(k["seeds"], 0, 1<<64-1)
	}
	for _, v := range p.wholes(k["iterations"], 1, maxIterations) {
		p.iterations = append(p.iterations, int(v))
	}
	p.parameters = p.axes(k["parameters"])
	p.problem = p.solved(k["problem"])
	for _, item := range p.list(k["instances"].Value, "instances") {
		before := len(p.plan.Instances)
		p.entry(item)
		p.unknown = p.unknown || len(p.plan.Instances) == before
	}
	names := k["algorithms"].Value
	if names != nil && names.Kind == '"' {
		names = &textpos.Node{Kind: '[', Pos: names.Pos, Items: []*textpos.Node{names}}
	}
	for _, item := range p.list(names, "algorithms") {
		if n := p.word(item, "an algorithm"); n != nil && !p.asks(n.Text) {
			p.algorithms = append(p.algorithms, n)
		}
	}
	p.variants()
	if p.found.Empty() {
		p.limit()
	}
}

// asks says whether the spec names an algorithm.
func (p *planner) asks(name string) bool {
	return slices.ContainsFunc(p.algorithms, func(n *textpos.Node) bool { return n.Text == name })
}

// keys are the members of an object by their names. Those with other names are reported.
func (p *planner) keys(n *textpos.Node, names ...string) map[string]textpos.Member {
	found := map[string]textpos.Member{}
	for _, m := range n.Members {
		if found[m.Name] = m; !slices.Contains(names, m.Name) {
			hint := model.DidYouMean(m.Name, names)
			if m.Name == "keep" { // a key of before
				hint = "a sweep keeps rows only; for the result of a run, pass what its row says to mrsched solve with -o"
			}
			p.add(model.CodeUnknown, m.Pos, fmt.Sprintf("unknown key %q", clip(m.Name)), "one of "+strings.Join(names, ", "),
				hint)
		}
	}
	return found
}

// is reports a node of the wrong kind; 't' stands for both booleans.
func (p *planner) is(n *textpos.Node, want byte, what string) bool {
	if byte(n.Kind) == want || want == 't' && n.Kind == 'f' {
		return true
	}
	names := map[byte]string{'{': "an object", '[': "a list", '"': "a string", '0': "a number", 't': "true or false"}
	p.add(model.CodeType, n.Pos, what+" is "+textpos.KindNames[n.Kind], names[want], "")
	return false
}

func (p *planner) text(m textpos.Member) string {
	if m.Value == nil || !p.is(m.Value, '"', m.Name) {
		return ""
	}
	return m.Value.Text
}

// word is a node that is a nonempty string, else nil.
func (p *planner) word(n *textpos.Node, what string) *textpos.Node {
	if n == nil || !p.is(n, '"', what) {
		return nil
	}
	if n.Text == "" {
		p.add(model.CodeMissing, n.Pos, what+" is empty", "a name", "")
		return nil
	}
	return n
}

func (p *planner) list(n *textpos.Node, what string) []*textpos.Node {
	if n == nil || !p.is(n, '[', what) {
		return nil
	}
	if len(n.Items) == 0 {
		p.add(model.CodeMissing, n.Pos, what+" is empty", "at least one", "")
	}
	return n.Items
}

func (p *planner) timeLimit(m textpos.Member) model.Time {
	n := m.Value
	if n == nil || n.Kind != '"' && !p.is(n, '0', m.Name) {
		return 0
	}
	t, err := workload.ParseTime(n.Text)
	if err != nil || t <= 0 || t > maxTimeLimit {
		p.add(model.CodeNegative, n.Pos, "time_limit is "+clip(n.Text),
			fmt.Sprintf("seconds, or a time such as \"5m\", more than 0 and at most %s s", maxTimeLimit), "")
		return 0
	}
	return t
}

// axes are the members of an object of parameters.
func (p *planner) axes(m textpos.Member) (list []axis) {
	if m.Value == nil || !p.is(m.Value, '{', "parameters") {
		return nil
	}
	for _, m := range m.Value.Members {
		list = append(list, axis{m.Name, m.Pos, p.values(m.Value, m.Name)})
	}
	return list
}
