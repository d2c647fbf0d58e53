package dbt

import (
	"fmt"
	"slices"
	"strings"

	"mrsched/model"
)

// isTest says whether a node is a test of data, and isUnit whether it is one of code.
func isTest(id string) bool { return strings.HasPrefix(id, "test.") }
func isUnit(id string) bool { return strings.HasPrefix(id, "unit_test.") }

// hook is "start" or "end" for a hook that runs then, else "".
func hook(id string) string {
	for _, when := range []string{"start", "end"} {
		if strings.HasPrefix(id, "operation.") && strings.Contains(id, "-on-run-"+when+"-") {
			return when
		}
	}
	return ""
}

// link finds what each node waits for: the nearest ancestors that ran.
func (im *importer) link() {
	number := make(map[string]int32, len(im.nodes))
	for i := range im.nodes {
		id := im.nodes[i].id
		if _, known := im.parents[id.Text]; !known {
			im.b.Findings.Add(model.Finding{Code: model.CodeUnknownTask, Pos: id.Pos,
				What: fmt.Sprintf("the manifest does not know %.80q", id.Text), Expected: "a key of its parent_map",
				Hint: "take manifest.json and run_results.json of the same run"})
		}
		number[id.Text] = int32(i)
	}
	if im.build {
		im.linkTests()
		im.linkUnits()
	}
	im.waits = make([][]int32, len(im.nodes))
	for i := range im.nodes {
		walk(im.parents[im.nodes[i].id.Text], im.parents, func(id string) bool {
			k, ran := number[id]
			if ran {
				im.waits[i] = append(im.waits[i], k)
			}
			return !ran
		})
		slices.Sort(im.waits[i])
	}
	im.linkHooks()
}

// walk visits nodes, each once, and what is next to those for which visit is true.
func walk(nodes []string, next map[string][]string, visit func(id string) bool) {
	seen := map[string]bool{}
	for open := slices.Clone(nodes); len(open) > 0; {
		id := open[len(open)-1]
		open = open[:len(open)-1]
		if !seen[id] {
			if seen[id] = true; visit(id) {
				open = append(open, next[id]...)
			}
		}
	}
}

// linkTests lets nodes wait for the tests whose parents are all above them, as dbt build does. A node above which
// another one waits for the test already needs no wait of its own.
func (im *importer) linkTests() {
	children := map[string][]string{}
	for id, list := range im.parents {
		for _, p := range list {
			if !isTest(id) && !isUnit(id) {
				children[p] = append(children[p], id)
			}
		}
	}
	waits := map[string][]string{}
	for i := range im.nodes {
		test := im.nodes[i].id.Text
		if !isTest(test) {
			continue
		}
		above := map[string]int{} // by node, how many parents of the test are above it
		parents := slices.Compact(slices.Sorted(slices.Values(im.parents[test])))
		for _, p := range parents {
			walk(children[p], children, func(id string) bool {
				above[id]++
				return true
			})
		}
		for id, n := range above {
			covered := slices.ContainsFunc(im.parents[id], func(p string) bool { return above[p] == len(parents) })
			if n == len(parents) && !covered {
				waits[id] = append(waits[id], test)
			}
		}
	}
	for id, tests := range waits {
		im.parents[id] = append(im.parents[id], tests...)
	}
}

// linkUnits lets a model wait for the tests of its code, which run as soon as the model could, as dbt build does.
func (im *importer) linkUnits() {
	first := map[string][]string{} // by model, what it waits for apart from these tests
	for i := range im.nodes {
		if id := im.nodes[i].id.Text; isUnit(id) && len(im.parents[id]) > 0 {
			m := im.parents[id][0]
			if _, known := first[m]; !known {
				first[m] = im.parents[m]
			}
			im.parents[id] = first[m]
			im.parents[m] = append(slices.Clip(im.parents[m]), id)
		}
	}
}

// linkHooks lets the hooks run one after another, those of the start before everything else, those of the end after it.
func (im *importer) linkHooks() {
	lists := map[string][]int32{}
	waited := make([]bool, len(im.nodes))
	for i := range im.nodes {
		when := hook(im.nodes[i].id.Text)
		lists[when] = append(lists[when], int32(i))
		for _, k := range im.waits[i] {
			waited[k] = true
		}
	}
	starts, ends := lists["start"], lists["end"]
	for _, i := range lists[""] {
		if len(im.waits[i]) == 0 && len(starts) > 0 {
			im.waits[i] = starts[len(starts)-1:]
		}
		if len(ends) > 0 && !waited[i] {
			im.waits[ends[0]] = append(im.waits[ends[0]], i)
		}
	}
	if len(lists[""]) == 0 && len(starts) > 0 && len(ends) > 0 {
		im.waits[ends[0]] = starts[len(starts)-1:]
	}
	for _, list := range [][]int32{starts, ends} {
		for k := 1; k < len(list); k++ {
			im.waits[list[k]] = list[k-1 : k]
		}
	}
}
