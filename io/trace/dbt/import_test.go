package dbt

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"mrsched/io/trace/golden"
	"mrsched/model"
	"mrsched/model/shop"
)

const (
	data   = "../../../testdata/dbt"
	traces = "../../../../shared/traces/dbt"
)

// TestRules is worked by hand. stg waits for the test of the seed, side for the test of stg, too, whose parent is above
// it, and mart, whose parent eph is no node that ran, for stg, side and the test of both. The test of mart's code runs
// when mart could, and mart waits for it. snap waits for mart, as late was skipped. stg began 0.05 s before the test of
// the seed had ended.
func TestRules(t *testing.T) {
	w := golden.Must(t)(Import(golden.Files(t, data, "run_results.json", "manifest.json"), Options{}))
	golden.Same(t, w, `shop for "cluster": 12 tasks, 22 delays, 0 machines
shop at 0 s, ended at 18.125 s
  map operation.elementary.elementary-on-run-start-0 0.5 s on Thread-1 (worker)
  map operation.shop.shop-on-run-start-0 0.25 s on Thread-1 (worker)
  map seed.shop.raw 2 s on Thread-1 (worker)
  map test.shop.not_null_raw.1 1.5 s on Thread-1 (worker)
  map model.shop.stg 3 s on Thread-2 (worker)
  map test.shop.unique_stg.2 1 s on Thread-10 (worker)
  map unit_test.shop.mart.rules 1 s on Thread-1 (worker)
  map model.shop.side 1 s on Thread-2 (worker)
  map test.shop.rel_stg_side.3 2 s on Thread-2 (worker)
  map model.shop.mart 4 s on Thread-1 (worker)
  map snapshot.shop.snap 1 s on Thread-2 (worker)
  map operation.shop.shop-on-run-end-0 0.125 s on Thread-1 (worker)
operation.elementary.elementary-on-run-start-0 > operation.shop.shop-on-run-start-0 0
operation.shop.shop-on-run-start-0 > seed.shop.raw 0
seed.shop.raw > test.shop.not_null_raw.1 0
seed.shop.raw > model.shop.stg 0
test.shop.not_null_raw.1 > model.shop.stg 0
model.shop.stg > test.shop.unique_stg.2 0
model.shop.stg > unit_test.shop.mart.rules 0
test.shop.unique_stg.2 > unit_test.shop.mart.rules 0
model.shop.side > unit_test.shop.mart.rules 0
test.shop.rel_stg_side.3 > unit_test.shop.mart.rules 0
seed.shop.raw > model.shop.side 0
model.shop.stg > model.shop.side 0
test.shop.unique_stg.2 > model.shop.side 0
model.shop.stg > test.shop.rel_stg_side.3 0
model.shop.side > test.shop.rel_stg_side.3 0
model.shop.stg > model.shop.mart 0
test.shop.unique_stg.2 > model.shop.mart 0
unit_test.shop.mart.rules > model.shop.mart 0
model.shop.side > model.shop.mart 0
test.shop.rel_stg_side.3 > model.shop.mart 0
model.shop.mart > snapshot.shop.snap 0
snapshot.shop.snap > operation.shop.shop-on-run-end-0 0
root dbt 0+0
node Thread-1 (worker) 1+0
node Thread-2 (worker) 1+0
node Thread-10 (worker) 1+0
imported from dbt build: 12 nodes that ran, 22 waits
time 0 is when the first node began, 2026-11-27T22:00:01Z
3 threads ran something: each is a node with one slot
dbt build: a node waits for the tests whose parents are all above it
recorded starts are up to 0.05 s later, so that no node begins before what it waits for has ended, or before its thread is free
1 skipped node is left out; what waits for it waits for the nodes above
2 nodes that failed are work all the same, for as long as they ran
`)
	if w.Origin.String() != "2026-11-27T22:00:01Z" {
		t.Error(w.Origin)
	}
	in, err := shop.New(w)
	if err != nil {
		t.Fatal(err)
	}
	if in, s := in.Recorded(); len(in.Check(s)) > 0 {
		t.Error(in.Check(s))
	}
}

// TestVariants: tests alone wait for nothing; a zone from the options.
func TestVariants(t *testing.T) {
	w := golden.Must(t)(Import(golden.Files(t, data, "manifest.json", "tests.json"), Options{Zone: "Europe/Berlin"}))
	golden.Holds(t, w, `shop for "cluster": 4 tasks, 0 delays, 0 machines`, "node Thread-1 (worker) 1+0",
		"imported from dbt test: 4 nodes that ran, 0 waits",
		"1 node that failed is work all the same, for as long as it ran")
	if w.Origin.String() != "2026-11-27T23:00:04+01:00[Europe/Berlin]" {
		t.Error(w.Origin)
	}
}

// TestCounts reads artifacts again, of a real project if they are at hand, by the words of the rule itself: what comes
// before what, directly or not, has to be the same.
func TestCounts(t *testing.T) {
	for _, dir := range []string{data, traces} {
		if _, err := os.Stat(dir); err != nil {
			t.Skip("the artifacts are not beside the project: ", err)
		}
		w := golden.Must(t)(Import(golden.Files(t, dir, "run_results.json", "manifest.json"), Options{}))
		var run struct {
			Results []struct {
				ID     string  `json:"unique_id"`
				Took   float64 `json:"execution_time"`
				Status string
				Thread string `json:"thread_id"`
			}
		}
		var manifest struct {
			Parents map[string][]string `json:"parent_map"`
		}
		for name, into := range map[string]any{"run_results.json": &run, "manifest.json": &manifest} {
			text, err := os.ReadFile(dir + "/" + name)
			if err == nil {
				err = json.Unmarshal(text, into)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		sum, threads, ran := 0.0, map[string]bool{}, map[string]bool{}
		for _, r := range run.Results {
			if r.Status != "skipped" {
				sum, ran[r.ID] = sum+r.Took, true
				threads[r.Thread] = r.Thread != "main"
			}
		}
		delete(threads, "main")
		got := 0.0
		for _, x := range w.Tasks {
			got += x.Processing.Value.Seconds()
		}
		if len(w.Tasks) != len(ran) || math.Abs(sum-got) > 1e-3 || len(w.Topology) != len(threads)+1 {
			t.Errorf("%s: %d tasks of %v s, %d nodes; want %d of %v s, %d threads", dir, len(w.Tasks), got, len(w.Topology),
				len(ran), sum, len(threads))
		}
		own := map[string][]string{}
		for _, d := range w.Delays {
			own[w.Tasks[d.To].ID] = append(own[w.Tasks[d.To].ID], w.Tasks[d.From].ID)
		}
		for id := range ran {
			want := slices.DeleteFunc(above(edges(manifest.Parents, ran), id), func(p string) bool { return !ran[p] })
			if got := above(own, id); !slices.Equal(got, want) {
				t.Errorf("%s: above %s are %q, want %q", dir, id, got, want)
			}
		}
	}
}

// edges are all edges of a build: those of the manifest, tests before what is below all their parents, tests of code
// before their models, hooks before and after.
func edges(parents map[string][]string, ran map[string]bool) map[string][]string {
	all := map[string][]string{}
	for id, list := range parents {
		if !strings.HasPrefix(id, "unit_test.") {
			all[id] = slices.Clone(list)
		}
	}
	for id := range parents {
		up := above(parents, id)
		for test := range ran {
			outside := slices.ContainsFunc(parents[test], func(p string) bool { return !slices.Contains(up, p) })
			if strings.HasPrefix(test, "test.") && !strings.Contains(id, "test.") && !outside && len(parents[test]) > 0 {
				all[id] = append(all[id], test)
			}
		}
	}
	for id := range ran {
		if strings.HasPrefix(id, "unit_test.") {
			m := parents[id][0]
			all[id] = append(all[id], all[m]...)
			all[m] = append(all[m], id)
		}
	}
	for id := range ran {
		for other := range ran {
			start, end := strings.Contains(id, "-on-run-start-"), strings.Contains(other, "-on-run-end-")
			plain := func(s string) bool { return !strings.HasPrefix(s, "operation.") }
			if start && plain(other) || end && plain(id) || start && end {
				all[other] = append(all[other], id)
			}
		}
	}
	if first := "operation.elementary.elementary-on-run-start-0"; ran[first] && ran["operation.shop.shop-on-run-start-0"] {
		all["operation.shop.shop-on-run-start-0"] = []string{first}
	}
	return all
}

// above are the names above one, sorted.
func above(parents map[string][]string, id string) []string {
	seen := map[string]bool{}
	var visit func(id string)
	visit = func(id string) {
		for _, p := range parents[id] {
			if !seen[p] {
				seen[p] = true
				visit(p)
			}
		}
	}
	visit(id)
	list := []string{}
	for p := range seen {
		list = append(list, p)
	}
	slices.Sort(list)
	return list
}

// TestBad imports every file of testdata/dbt/bad with the manifest.
func TestBad(t *testing.T) {
	golden.Bad(t, data+"/bad/*.json", func(path string) (*model.Workload, error) {
		return Import(append(golden.Files(t, "", path), golden.Files(t, data, "manifest.json")...), Options{})
	})
}

// TestRefused refuses files that are not one of each artifact, and bad options.
func TestRefused(t *testing.T) {
	one := golden.Files(t, data, "manifest.json")
	golden.Refused(t, "T503 manifest.json")(Import(one, Options{}))
	golden.Refused(t, "V208 run_results.json:1:1")(Import(golden.Files(t, data, "run_results.json", "run_results.json"),
		Options{}))
	golden.Refused(t, "V210")(Import(one, Options{Zone: "Mars"}))
	golden.Refused(t, "T503")(Import(nil, Options{}))
	old := strings.NewReader(`{"metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v7.json"}}`)
	golden.Refused(t, "T501 f:1:37")(Import([]File{{Name: "f", Text: old}}, Options{}))
}

func FuzzImport(f *testing.F) {
	var imports []golden.Import
	for _, name := range []string{"manifest.json", "run_results.json"} {
		other, err := os.ReadFile(data + "/" + name)
		if err != nil {
			f.Fatal(err)
		}
		imports = append(imports, func(files []File) (*model.Workload, error) {
			return Import(append(files, File{Name: name, Text: bytes.NewReader(other)}), Options{})
		})
	}
	golden.Fuzz(f, data, imports...)
}
