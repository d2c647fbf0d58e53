package campaign

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mrsched/instances"
	"mrsched/io/result"
	"mrsched/io/workload"
	"mrsched/model"
)

// base is a valid result.
type base struct {
	instance  string // its file
	group     int    // results of one group are of one instance
	dir       string
	files     files
	algorithm string
}

// family says how to make instances and results of a problem.
type family struct {
	problem  string
	generate func(r *rand.Rand, k int) (*model.Workload, error) // a tiny instance
	flags    [][]string                                         // of compare, in turn
}

func families() []family {
	msjo := func(r *rand.Rand, k int) (*model.Workload, error) { return instances.SmallMSJO(r, 8, k%2 == 0) }
	return []family{
		{"msjo", msjo, [][]string{{"--bound", "all"}, {"--objective", "twtct"}, {"--bound", "heads"}, {"--bound", "lp"},
			{"--inequality", "published", "--objective", "twtct", "--bound", "two-sided"}}},
		{"hta", instances.SmallHTA, [][]string{{}, {"--tie", "random"}}},
		{"reduceplace", instances.SmallPlacement, [][]string{{}, {"--slot-cost", "hops", "--distances", "0.5,2,7.25,9"},
			{"--slot-cost", "hops"}, {"--slot-cost", "data"}, {"--slot-cost", "measured", "--estimate", "0.2"}}},
		{"realtime", instances.SmallRealtime, [][]string{{}, {"--sketch-delta", "0.1"}, {"--resplit-cost", "0.25"},
			{"--goal", "partitions"}, {"--deadline-factor", "1.5"}}},
		{"multitenant", instances.SmallMultitenant, [][]string{{}, {"--measure-from", "1", "--measure-until", "5"}}},
		{"cluster", instances.SmallCluster, [][]string{{}, {"--objective", "tardiness"}, {"--objective", "late"},
			{"--objective", "makespan"}}},
	}
}

func familyOf(problem string) *family {
	all := families()
	return &all[slices.IndexFunc(all, func(f family) bool { return f.problem == problem })]
}

// compare makes results of the k-th rich instance with all algorithms, in a folder.
func (f *family) compare(t testing.TB, k int) (instance, folder string) {
	t.Helper()
	dir := t.TempDir()
	instance, folder = filepath.Join(dir, fmt.Sprintf("w%d.json", k)), filepath.Join(dir, "c")
	text, err := json.Marshal(rich(f.problem, k))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(instance, text, 0o600); err != nil {
		t.Fatal(err)
	}
	args := quiet("compare", instance, "-o", folder, "-a", "all")
	o := run(slices.Concat(args, f.flags[k%len(f.flags)])...)
	if o.code == exitUsage { // the flags do not fit this instance
		o = run(args...)
	}
	if o.code != exitDone {
		t.Fatalf("%q on\n%s\nexit %d %s %s", args, text, o.code, o.broken, o.stderr)
	}
	return instance, folder
}

// bases makes valid results of a problem: those of compare for so many instances and, of cluster, of planning one again
// with a freeze. The naive evaluation must find them valid too.
func bases(t *testing.T, problem string, count int) (list []base) {
	t.Helper()
	f := familyOf(problem)
	for k := range count {
		w, out := f.compare(t, k)
		if problem == "cluster" {
			must(t, quiet(append([]string{"solve", w, "-o", filepath.Join(out, "again"), "--from", filepath.Join(out, "fifo"),
				"--freeze-until", fmt.Sprintf("%d.5", k%7)}, f.flags[k%len(f.flags)]...)...)...)
		}
		must(t, "check", w, out)
		found, err := filepath.Glob(filepath.Join(out, "*", result.ResultFile))
		if err != nil || len(found) == 0 {
			t.Fatal("no results", err)
		}
		for _, path := range found {
			list = append(list, newBase(t, problem, w, k, filepath.Dir(path)))
		}
	}
	return list
}

// newBase reads a result. The naive evaluation must find that it breaks no rule and costs what it states.
func newBase(t *testing.T, problem, instance string, group int, dir string) base {
	t.Helper()
	b := base{instance, group, dir, readFiles(t, dir), filepath.Base(dir)}
	n, err := newNaive(problem, &b, b.files)
	if err != nil {
		t.Fatal(err)
	}
	if len(n.rows) == 0 { // a bound without a schedule
		return b
	}
	v := judge(n.problemOf(), n.rows[1:])
	if err := v.err(); err != nil {
		t.Errorf("%s: the naive evaluation finds that %v", dir, err)
	} else if stated := n.stated("objective", "value"); stated == nil || stated.Cmp(printed(v.cost)) != 0 {
		t.Errorf("%s: it costs %s", dir, v.cost.FloatString(12))
	}
	return b
}

// writeWorkload writes an instance.
func writeWorkload(t *testing.T, path string, _ int, generate func() (*model.Workload, error)) {
	t.Helper()
	w, err := generate()
	if err == nil {
		err = workload.Write(path, w, true, io.Discard)
	}
	if err != nil {
		t.Fatal(err)
	}
}
