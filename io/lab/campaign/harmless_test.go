package campaign

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"os"
	"slices"
	"strconv"
	"strings"

	"mrsched/io/result"
	"mrsched/io/workload"
	"mrsched/model"
	realtimemodel "mrsched/model/realtime"
	"mrsched/solver"
)

// harmless shows that a corrupted result is still correct, and names and counts the arguments; or it says why the
// result is wrong. It never relies on check.
func (c *mutations) harmless(b *base, x files) ([]string, error) {
	for _, other := range c.bases {
		if other.group == b.group && maps.EqualFunc(x, other.files, bytes.Equal) {
			return []string{"another honest result of the same instance, byte for byte"}, nil
		}
	}
	for name := range x {
		if _, ok := b.files[name]; !ok {
			return nil, fmt.Errorf("%s is new", name)
		}
	}
	before, after := parse(b.files[result.ResultFile]), x.document()
	if after == nil {
		return nil, errors.New("result.json is no document")
	}
	var classes []string
	for _, p := range changed(before, after) {
		class := provenance(p, before, after)
		if strings.HasPrefix(p.path, ".parameters.") && c.runLike(after) {
			class = "algorithm and parameters of another honest result"
		}
		if p.path == ".algorithm" && c.promisedLike(b, after) {
			class = "the name of another algorithm, whose guarantee holds for this schedule too"
		}
		if strings.HasPrefix(p.path, ".guarantee.") && p.before == "" && c.promisedLike(b, after) {
			class = "the guarantee of an honest result that costs no less and has the same bound"
		}
		if class == "" {
			return nil, fmt.Errorf("%s: %q became %q", p.path, p.before, p.after)
		}
		if class != digestChange && !slices.Contains(classes, class) {
			classes = append(classes, class)
		}
	}
	n, err := newNaive(c.problem, b, x)
	if err != nil {
		return nil, err
	}
	if n.viewChanged(before) && len(n.rows) > 1 {
		if _, err := n.schedule(); err != nil {
			return nil, fmt.Errorf("by the changed parameters: %w", err)
		}
	}
	for _, other := range c.bases {
		if r := other.files.document(); other.group == b.group && other.algorithm == "exact" &&
			r.get("status").text == `"optimal"` && sameView(r, before) {
			n.optimum, _ = new(big.Rat).SetString(r.get("objective", "value").text)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.files)) {
		class, err := "", error(nil)
		switch {
		case name == result.ResultFile || bytes.Equal(b.files[name], x[name]):
			continue
		case name == result.ScheduleFile:
			class, err = n.schedule()
		case name == result.CertificateFile:
			class, err = n.certificate(b.files[name], x[name])
		default:
			err = errors.New("it differs")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		classes = append(classes, class)
	}
	if len(classes) == 0 {
		if !bytes.Equal(before.compact(), after.compact()) {
			return nil, errors.New("result.json differs")
		}
		classes = []string{"blanks around the same result.json"}
	}
	return classes, nil
}

// runLike says whether some honest result has the same algorithm and parameters.
func (c *mutations) runLike(r *node) bool {
	return slices.ContainsFunc(c.bases, func(b base) bool {
		o := b.files.document()
		p, q := o.get("parameters"), r.get("parameters")
		return `"`+b.algorithm+`"` == r.get("algorithm").text && p != nil && q != nil && bytes.Equal(p.compact(), q.compact())
	})
}

// promisedLike says whether an honest result of the stated algorithm for the same instance has the stated guarantee,
// the stated bound and no lower cost: then that guarantee, if proven there, is proven here.
func (c *mutations) promisedLike(b *base, r *node) bool {
	text := func(n *node, path ...string) string {
		if n = n.get(path...); n == nil {
			return ""
		}
		return string(n.compact())
	}
	cost, stated := new(big.Rat).SetString(text(r, "objective", "value"))
	return slices.ContainsFunc(c.bases, func(other base) bool {
		o := other.files.document()
		honest, ok := new(big.Rat).SetString(text(o, "objective", "value"))
		return stated && ok && cost.Cmp(honest) <= 0 && other.group == b.group && sameView(o, r) &&
			text(o, "algorithm") == text(r, "algorithm") && text(o, "guarantee") == text(r, "guarantee") &&
			text(o, "guarantee", "verdict") == `"proven"` &&
			text(o, "lower_bound", "value") == text(r, "lower_bound", "value")
	})
}

// sameView says whether two results are about the same instance of realtime or cluster.
func sameView(a, b *node) bool {
	for _, name := range []string{"goal", "deadline-factor", "partitions", "sketch-delta", "sketch-seed", "resplit-cost",
		"objective"} {
		x, y := a.get("parameters", name), b.get("parameters", name)
		if (x == nil) != (y == nil) || x != nil && x.text != y.text {
			return false
		}
	}
	return true
}

// leafChange is a leaf of result.json that differs.
type leafChange struct{ path, before, after string }

// changed lists the leaves that differ; an absent leaf is empty.
func changed(a, b *node) []leafChange {
	all := func(n *node) map[string]string {
		m := map[string]string{}
		n.leaves("", func(path string, leaf *node) { m[path] += leaf.text })
		return m
	}
	before, after := all(a), all(b)
	var list []leafChange
	for path, text := range before {
		if after[path] != text {
			list = append(list, leafChange{path, text, after[path]})
		}
	}
	for path, text := range after {
		if _, ok := before[path]; !ok {
			list = append(list, leafChange{path, "", text})
		}
	}
	slices.SortFunc(list, func(a, b leafChange) int { return strings.Compare(a.path, b.path) })
	return list
}

// digestChange is the class of digests, which follow from the rest.
const digestChange = "digest"

// provenance is the class of a change that touches no claim about schedule or bound; empty if there is none.
func provenance(p leafChange, before, after *node) string {
	switch {
	case strings.HasPrefix(p.path, ".sha256.") || p.path == ".digest":
		return digestChange
	case p.path == ".seed":
		return "seed: how the schedule was found, on which no claim rests"
	case p.path == ".algorithm" && after.get("guarantee") == nil:
		return "the name of another algorithm of the problem, for which nothing is promised"
	case strings.HasPrefix(p.path, ".parameters.") && p.before != "" && p.after != "":
		return "a parameter in its range: how the schedule was found; where it changes the instance the claims are judged " +
			"by the changed one"
	case strings.HasPrefix(p.path, ".metrics.run.") || strings.HasPrefix(p.path, ".metrics.run:"):
		return "a fact about the run, on which no claim rests"
	case strings.HasPrefix(p.path, ".metrics.bounds["):
		return weaker(after)
	case p.path == ".instance.name" && p.after == "":
		return "no name stated of the instance"
	case strings.HasPrefix(p.path, ".guarantee.") && p.after == "":
		return "no guarantee claimed"
	case p.path == ".status" && p.after == `"limit"`:
		return "limit claimed, which is less"
	case p.path == ".status" && p.before == `"limit"` && p.after == `"feasible"`, p.path == ".status" &&
		p.before == `"limit"` && p.after == `"bound"`:
		return "how far the search came, on which no claim rests"
	}
	return ""
}

// weaker is the class of further bounds that claim no more than the proven one.
func weaker(after *node) string {
	proven := after.get("lower_bound", "value")
	if after.get("metrics", "bounds") == nil {
		return "no bound stated beside the proven one"
	}
	if proven == nil {
		return ""
	}
	limit, _ := new(big.Rat).SetString(proven.text)
	for _, x := range after.get("metrics", "bounds").kids {
		v, ok := new(big.Rat).SetString(x.get("value").text)
		if !ok || v.Cmp(limit) > 0 || v.Sign() < 0 {
			return ""
		}
	}
	return "a bound that says no more than the proven one"
}

// naive holds the data of the independent arguments.
type naive struct {
	problem string
	doc     document
	view    model.View
	params  solver.Params
	claims  *node
	before  [][]string // schedule.csv, honest and corrupted
	rows    [][]string
	optimum *big.Rat // that some honest result of exact states; nil: none does
}

// descriptor is the problem of a name.
func descriptor(name string) *solver.Problem {
	list := entries()
	return list[slices.IndexFunc(list, func(p *solver.Problem) bool { return p.Name == name })]
}

func newNaive(problem string, b *base, x files) (*naive, error) {
	text, err := os.ReadFile(b.instance)
	if err != nil {
		return nil, err
	}
	n := &naive{problem: problem, claims: x.document(), before: table(b.files[result.ScheduleFile]),
		rows: table(x[result.ScheduleFile])}
	if err := unmarshal(text, &n.doc); err != nil {
		return nil, err
	}
	w, err := workload.Read(b.instance, nil, workload.Options{})
	if err != nil {
		return nil, err
	}
	p := solver.Params{}
	for _, q := range descriptor(problem).Params {
		text := q.Default
		if v := n.claims.get("parameters", q.Name); v != nil {
			text = strings.Trim(v.text, `"`)
		}
		switch q.Kind {
		case solver.IntParam:
			v, _ := strconv.ParseInt(text, 10, 64)
			p[q.Name] = v
		case solver.FloatParam:
			v, _ := strconv.ParseFloat(text, 64)
			p[q.Name] = v
		case solver.BoolParam:
			p[q.Name] = text == "true"
		default:
			p[q.Name] = text
		}
	}
	n.params = p
	n.view, err = descriptor(problem).View(w, p)
	return n, err
}

// sketched are the sizes of the partitions in a row of a job's sketch; nil if there is no such row.
func (n *naive) sketched(job, row int) []int64 {
	in, ok := n.view.(*realtimemodel.Instance)
	if !ok || row >= len(in.SetsOf(int32(job))) {
		return nil
	}
	set := in.SetsOf(int32(job))[row]
	sizes := make([]int64, set.Count)
	for k := range sizes {
		sizes[k] = int64(in.Bytes[int(set.First)+k])
	}
	return sizes
}

// viewChanged says whether a parameter differs that changes the instance.
func (n *naive) viewChanged(before *node) bool {
	return slices.ContainsFunc(descriptor(n.problem).Params, func(q solver.Param) bool {
		a, b := before.get("parameters", q.Name), n.claims.get("parameters", q.Name)
		return q.View && a != nil && b != nil && a.text != b.text
	})
}

// stated is a number of result.json.
func (n *naive) stated(path ...string) *big.Rat {
	x := n.claims.get(path...)
	if x == nil {
		return nil
	}
	v, _ := new(big.Rat).SetString(x.text)
	return v
}
