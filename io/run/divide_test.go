package run

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mrsched/solver"
)

// TestContents: an id depends on a file's bytes, not on the path to it; a missing path is an instance too.
func TestContents(t *testing.T) {
	dir := t.TempDir()
	text := spec(`{"path":"w.json"}`, `"a"`, `,"problem":"line"`)
	id := func() (string, Instance) {
		p, err := planned(text, dir)
		must(t, err)
		return p.Runs()[0].ID, p.Instances[0]
	}
	missing, in := id()
	if in.Content != "" || in.Problem != "line" {
		t.Errorf("%+v", in)
	}
	write := func(name, text string) {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	write("w.json", `{"a":1}`)
	first, in := id()
	write("w.json", `{"a":2}`)
	second, _ := id()
	if missing == first || first == second || in.Bytes != 7 {
		t.Error("contents do not count", missing, first, second, in)
	}
	write("d/workload.json", `{"tables":[[1],{"problem":"no"}],"problem":"ring"}`)
	write("d/jobs.csv", "id\n")
	text = spec(`{"path":"d"}`, `"c"`, ``)
	if _, in := id(); in.Problem != "ring" || in.Content == "" {
		t.Errorf("%+v", in)
	}
	text = spec(`{"path":"./d/../w.json"}`, `"a"`, ``)
	if _, in := id(); in.Problem != "" || in.Path != "w.json" {
		t.Errorf("%+v", in)
	}
	write("odd[1].json", `{"problem":"ring"}`)
	text = spec(`{"path":"odd[1].json"}`, `"c"`, ``)
	if _, in := id(); in.Path != "odd[1].json" || in.Problem != "ring" {
		t.Errorf("%+v", in)
	}
	text = spec(`{"generate":"ring","parameters":{"f":"f.txt"}}`, `"c"`, ``)
	if _, err := planned(text, dir); err == nil || !strings.Contains(err.Error(), "reads a file") {
		t.Error(err)
	}
}

// TestDivide: shards have the same number of runs of each algorithm, up to one. A spec that alternates between long and
// short runs does not give all long runs to one shard.
func TestDivide(t *testing.T) {
	const instances, variants, shards = 64, 3, 4
	var runs []Run
	for i := range instances {
		for v := range variants {
			id := sha256.Sum256(fmt.Append(nil, i, v))
			runs = append(runs, Run{ID: hex.EncodeToString(id[:]), Instance: i, Variant: v})
		}
	}
	var long, all [shards]int
	var of [variants][shards]int
	for i, shard := range Divide(runs, shards) {
		all[shard]++
		of[runs[i].Variant][shard]++
		if runs[i].Instance%shards == 0 {
			long[shard]++
		}
	}
	for shard := range shards {
		if all[shard] != instances*variants/shards || long[shard] < 6 || long[shard] > 18 {
			t.Errorf("shard %d: %d runs, %d long ones", shard, all[shard], long[shard])
		}
		for v := range variants {
			if n := of[v][shard]; n != instances/shards {
				t.Errorf("shard %d: %d runs of variant %d", shard, n, v)
			}
		}
	}
	if of := Divide(runs[:5], 1); slices.Max(of) != 0 {
		t.Errorf("one shard: %v", of)
	}
}

// TestEffectsDependOnValues: with mode=slow nothing depends on x, so its values add no runs. They are an error if there
// is no other mode.
func TestEffectsDependOnValues(t *testing.T) {
	c := testCatalog()
	c.Problems[0].Uses = func(_ string, values solver.Params) []string {
		if values.Text("mode") == "slow" {
			return []string{"mode"}
		}
		return []string{"x", "mode"}
	}
	spec := func(modes string) string {
		return `{"format":"mrsched-sweep/1","instances":[{"generate":"line"}],"algorithms":["a"],` +
			`"parameters":{"mode":` + modes + `,"x":[1,2]}}`
	}
	plan, err := Read(strings.NewReader(spec(`["fast","slow"]`)), "s.json", testRuns, c, t.TempDir())
	must(t, err)
	var got []string
	for _, v := range plan.Variants {
		got = append(got, v.StatedText())
	}
	if want := []string{"x=1 mode=fast", "mode=slow", "x=2 mode=fast"}; !slices.Equal(got, want) {
		t.Errorf("variants %q, want %q", got, want)
	}
	_, err = Read(strings.NewReader(spec(`["slow"]`)), "s.json", testRuns, c, t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "x has no effect on any run of this sweep") {
		t.Errorf("x beside mode=slow: %v", err)
	}
}
