package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mrsched/io/engine"
	"mrsched/io/workload"
	"mrsched/model/tier"
	"mrsched/solver"
)

// outcomes returns the outcome of solve on a document by algorithm, without digests, sizes and unused columns. If there
// are findings, they have the algorithm "". unused lists the columns reported as unused, by algorithm.
func outcomes(t *testing.T, path string, c *columnCase, doc jsonRow) (by map[string]string,
	unused map[string][]string) {
	t.Helper()
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	by, unused = map[string]string{}, map[string][]string{}
	var stdout, stderr bytes.Buffer
	args := append([]string{"mrsched", "solve", path, "-a", c.algorithms, "--iterations", "4", "--threads", "1", "--quiet",
		"-o", "-"}, c.flags...)
	if code := Main(args, nil, &stdout, &stderr); code != engine.ExitDone {
		by[""] = fmt.Sprintf("exit %d: %s", code, stderr.String())
		return by, unused
	}
	for line := range strings.Lines(stdout.String()) {
		var r jsonRow
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		name := r["algorithm"].(string)
		if in, ok := r["inputs"].(jsonRow); ok {
			for _, x := range in["unused"].([]any) {
				unused[name] = append(unused[name], x.(string))
			}
		}
		delete(r, "inputs")
		delete(r, "digest")
		delete(r, "sha256")
		delete(r, "instance") // its sizes count slots that run no task
		dropNames(r)
		rest, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		by[name] = string(rest)
	}
	return by, unused
}

// dropNames drops the columns of a result's tables that repeat texts of the workload, and from schedules clock times,
// which say starts and ends again, and the bytes of maps that problem realtime repeats.
func dropNames(r jsonRow) {
	rows, _ := r["schedule"].([]any)
	for _, row := range rows {
		delete(row.(jsonRow), "start_time")
		delete(row.(jsonRow), "end_time")
		if own, ok := row.(jsonRow)["columns"].(jsonRow); ok && row.(jsonRow)["kind"] == "map" {
			delete(own, "bytes")
		}
	}
	tables, _ := r["tables"].([]any)
	for _, table := range tables {
		columns := table.(jsonRow)["columns"].([]any)
		for _, row := range table.(jsonRow)["rows"].([]any) {
			for k := range row.([]any) {
				if columns[k] == "class" || columns[k] == "tenant" {
					row.([]any)[k] = ""
				}
			}
		}
	}
}

// perturbed are documents in which one column differs.
func perturbed(doc jsonRow, table string, c workload.Column) (list []jsonRow) {
	ways := perturbations(c)
	if !c.Required && c.Name != "parent" {
		ways = append(ways, func([]jsonRow, int) any { return nil })
	}
	for _, way := range ways {
		next := cloned(doc)
		rows, old := []jsonRow{next}, []jsonRow{doc}
		if table != "" {
			rows, old = tableOf(next, table), tableOf(doc, table)
		}
		for i := range rows {
			if v := way(old, i); v == nil {
				delete(rows[i], c.Name)
			} else {
				rows[i][c.Name] = v
			}
		}
		if len(rows) > 0 {
			list = append(list, next)
		}
	}
	return list
}

// perturbations are ways to change a column: its value in row i of some rows; nil for none.
func perturbations(c workload.Column) []func(rows []jsonRow, i int) any {
	all := func(v any) func([]jsonRow, int) any { return func([]jsonRow, int) any { return v } }
	number := func(of func(i int, v float64) float64) func([]jsonRow, int) any {
		return func(rows []jsonRow, i int) any {
			v, _ := strconv.ParseFloat(fmt.Sprint(rows[i][c.Name]), 64) // absent: 0
			if v = of(i, v); strings.HasPrefix(c.Name, "bandwidth") {
				v += 1e6 // a link of a few bytes per second would make schedules of years
			}
			return json.Number(strconv.FormatFloat(v, 'f', -1, 64))
		}
	}
	below := func(to string) func([]jsonRow, int) any {
		return func(rows []jsonRow, i int) any {
			if rows[i]["kind"] != "node" || rows[i]["id"] == "spare" {
				return rows[i][c.Name]
			}
			return map[bool]string{true: "rack2", false: to}[rows[i]["id"] == "n1"]
		}
	}
	half := func(rows []jsonRow, i int) any { return rows[(i+len(rows)/2)%len(rows)][c.Name] }
	switch {
	case c.Kind == "id": // of a partition
		return []func([]jsonRow, int) any{all("p1")}
	case c.Kind == "clock time":
		return []func([]jsonRow, int) any{all("22:30")}
	case c.Name == "parent":
		return []func([]jsonRow, int) any{below("rack1"), below("sw")}
	case c.Kind == "ref":
		return []func([]jsonRow, int) any{half}
	case c.Kind == "text":
		return []func([]jsonRow, int) any{half, func(_ []jsonRow, i int) any { return fmt.Sprintf("x%d", i%3) }}
	case c.Words != nil: // the last node becomes a rack, the last map a reduce
		other := map[any]string{"node": "rack", "map": "reduce"}
		return []func([]jsonRow, int) any{func(rows []jsonRow, i int) any {
			is := func(row jsonRow) bool { return other[row[c.Name]] != "" }
			if is(rows[i]) && !slices.ContainsFunc(rows[i+1:], is) {
				return other[rows[i][c.Name]]
			}
			return rows[i][c.Name]
		}}
	case c.Kind == "object":
		return []func([]jsonRow, int) any{all(jsonRow{"local": 2, "remote": 9}), all(jsonRow{"local": 2, "rack": 3, "remote": 9})}
	}
	return []func([]jsonRow, int) any{
		number(func(_ int, v float64) float64 { return 2*v + 1 }),
		number(func(i int, v float64) float64 { return v + float64((i*7)%5) + 1 }),
		number(func(i int, v float64) float64 { return v + 1 + map[bool]float64{true: 2*v + 39}[i == 0] }),
	}
}

// columnProbe perturbs the columns of one instance.
type columnProbe struct {
	t      *testing.T
	p      engine.Problem
	c      *columnCase
	path   string
	before map[string]string
	unused map[string][]string
}

// onlyConstructing leaves out searches.
func (x *columnProbe) onlyConstructing() {
	var names []string
	for name := range x.before {
		if a, _ := x.p.Algorithm(name); a.Search || a.Exhaustive {
			delete(x.before, name)
			delete(x.unused, name)
		} else {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	x.c.algorithms = strings.Join(names, ",")
}

// states reports whether a document has values other than 0, the most common default, in a column.
func states(doc jsonRow, name string) bool {
	table, column, ok := strings.Cut(name, ".")
	if !ok {
		return doc[name] != nil
	}
	return slices.ContainsFunc(tableOf(doc, table), func(row jsonRow) bool {
		return row[column] != nil && fmt.Sprint(row[column]) != "0"
	})
}

// changes reports whether other values in a column give another outcome. Algorithms that list the column as unused must
// have the same outcome on both instances, or on the one with values if the other has none.
func (x *columnProbe) changes(name string, doc jsonRow) bool {
	x.t.Helper()
	after, unused := outcomes(x.t, x.path, x.c, doc)
	if after[""] != "" {
		if listed(x.p, name) {
			return true
		}
		x.t.Errorf("%s, %s: %s is in no list of used columns, but another value gives %s", x.p.Name, x.c.name,
			name, after[""])
		return false
	}
	changed := false
	for algorithm, is := range after {
		differs := is != x.before[algorithm]
		changed = changed || differs
		before, now := slices.Contains(x.unused[algorithm], name), slices.Contains(unused[algorithm], name)
		if differs && (before && (now || !states(doc, name)) || now && !states(x.c.doc, name)) {
			x.t.Errorf("%s, %s: %s lists %s as unused; another value gives\n%s\nafter\n%s", x.p.Name, x.c.name, algorithm, name,
				is, x.before[algorithm])
		}
		if used := listed(x.p, name); differs && !used {
			x.t.Errorf("%s, %s: %s looks at %s, which the list of used columns lacks", x.p.Name, x.c.name, algorithm, name)
		}
	}
	return changed
}

// listed reports whether a column is in the list of used columns.
func listed(p engine.Problem, name string) bool {
	return slices.ContainsFunc(p.Columns, func(c solver.Column) bool { return c.Name == name })
}

// unusedTogether perturbs all columns that no algorithm uses at once, in several ways. Only to name a column that
// changes something, it perturbs them one by one.
func (x *columnProbe) unusedTogether() {
	for way := range mostWays {
		doc := cloned(x.c.doc)
		each := func(visit func(name string, next jsonRow)) {
			eachColumn(func(table string, c workload.Column, name string) {
				if ways := perturbed(doc, table, c); way < len(ways) && x.ignored(name) {
					visit(name, ways[way])
				}
			})
		}
		each(func(_ string, next jsonRow) { doc = next })
		after, _ := outcomes(x.t, x.path, x.c, doc)
		if maps.Equal(after, x.before) {
			continue
		}
		doc = x.c.doc
		found := false
		each(func(name string, next jsonRow) { found = x.changes(name, next) || found })
		if !found {
			x.t.Errorf("%s, %s: columns listed as unused have an effect together: %s", x.p.Name, x.c.name, after[""])
		}
	}
}

// mostWays is the largest number of documents that perturbed makes of a column.
const mostWays = 4

// ignored reports whether all algorithms ignore a column.
func (x *columnProbe) ignored(name string) bool {
	if !listed(x.p, name) {
		return true
	}
	for algorithm := range x.before {
		if !slices.Contains(x.unused[algorithm], name) {
			return false
		}
	}
	return true
}

// eachColumn visits all columns except ids and those that describe the document.
func eachColumn(visit func(table string, c workload.Column, name string)) {
	for _, c := range workload.Scalars() {
		if c.Name != "problem" && c.Name != "name" && c.Name != "format" {
			visit("", c, c.Name)
		}
	}
	for _, table := range workload.Tables() {
		for _, c := range table.Columns {
			if c.Name != "id" {
				visit(table.Name, c, table.Name+"."+c.Name)
			}
		}
	}
}

// TestColumnsAreUsedAsListed perturbs every column of instances of every problem. A column that result.json lists as
// unused, or that no list of used columns has, must change only digests. Every listed column must change a schedule, a
// bound or a metric of some instance, or give a finding.
func TestColumnsAreUsedAsListed(t *testing.T) {
	tier.Repeats(t)
	for i, p := range engine.Problems() {
		t.Run(p.Name, func(t *testing.T) {
			matters, idle := map[string]bool{}, map[string]bool{}
			for _, c := range columnCases(p.Name, rand.New(rand.NewPCG(1, uint64(i)))) {
				x := &columnProbe{t: t, p: p, c: &c, path: filepath.Join(t.TempDir(), "w.json")}
				x.before, x.unused = outcomes(t, x.path, &c, c.doc)
				if x.before[""] != "" {
					t.Fatalf("%s: %s", c.name, x.before[""])
				}
				if !tier.Nightly {
					x.onlyConstructing()
				}
				for _, names := range x.unused {
					for _, name := range names {
						idle[name] = true
					}
				}
				x.unusedTogether()
				eachColumn(func(table string, col workload.Column, name string) {
					for _, doc := range perturbed(c.doc, table, col) {
						if matters[name] || !listed(p, name) {
							break
						}
						matters[name] = x.changes(name, doc)
					}
				})
			}
			for _, c := range p.Columns {
				if !matters[c.Name] {
					t.Errorf("%s is listed as used, and no perturbation of it changes anything", c.Name)
				}
				if c.Applies != nil && !idle[c.Name] {
					t.Errorf("%s is listed as used %s, and every case uses it", c.Name, c.When)
				}
			}
		})
	}
}
