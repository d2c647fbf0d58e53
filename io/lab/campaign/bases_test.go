package campaign

import (
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mrsched/io/engine"
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
	problem string
	flags   [][]string // of compare, in turn
	made    []string   // flags of generate, in turn, for every third instance
}

// singleTasks are jobs of one task, on nodes that run one at a time.
const singleTasks = "--tasks 8 --nodes 2 --mean-tasks 1 --least-demand 0.6 --most-demand 1 --load 100"

func families() []family {
	return []family{
		{"msjo", [][]string{{"--bound", "all"}, {"--objective", "twtct"}, {"--bound", "two-sided"}, {"--bound", "lp"},
			{"--inequality", "published", "--objective", "twtct", "--bound", "two-sided"}},
			[]string{"--preset fig1", "--jobs 3 --machines 4 --tasks 12 --counts uniform"}},
		{"hta", [][]string{{}, {"--tie", "random"}}, nil},
		{"reduceplace", [][]string{{}, {"--slot-cost", "hops", "--distances", "0.5,2,7.25,9"},
			{"--slot-cost", "hops"}, {"--slot-cost", "data"}, {"--slot-cost", "measured", "--estimate", "0.2"}}, nil},
		{"realtime", [][]string{{}, {"--sketch-delta", "0.1"}, {"--resplit-cost", "0.25"},
			{"--goal", "partitions"}, {"--deadline-factor", "1.5"}}, nil},
		{"multitenant", [][]string{{}, {"--measure-from", "1", "--measure-until", "5"}},
			[]string{"--nodes 4 --racks 2 --users 2 --hours 0.03 --interarrival 30 --input-scale 0.004 --memory 2.5 --cores 0.6 --seed 5"}},
		{"cluster", [][]string{{}, {"--objective", "tardiness"}, {"--objective", "late"},
			{"--objective", "makespan"}, {"--objective", "flowtime"}},
			[]string{"--tasks 12 --nodes 2 --load 5 --licences 2 --licence-share 0.7", singleTasks, "--preset etl"}},
	}
}

func familyOf(problem string) *family {
	all := families()
	return &all[slices.IndexFunc(all, func(f family) bool { return f.problem == problem })]
}

// compare makes results of the k-th instance with all algorithms, in a folder.
func (f *family) compare(t testing.TB, k int) (instance, folder string) {
	t.Helper()
	dir := t.TempDir()
	instance, folder = filepath.Join(dir, fmt.Sprintf("w%d.json", k)), filepath.Join(dir, "c")
	noError(t, workload.Write(instance, small(t, f.problem, k), true, io.Discard))
	if k%3 == 2 && len(f.made) > 0 {
		made := strings.Fields(f.made[k/3%len(f.made)])
		o := run(slices.Concat([]string{"generate", f.problem, "-q", "--force", "-o", instance}, made)...)
		if o.code != exitDone {
			t.Fatalf("generate %q: %s", made, o.stderr)
		}
	}
	args := quiet("compare", instance, "-o", folder, "-a", "all")
	o := run(slices.Concat(args, f.flags[k%len(f.flags)])...)
	if o.code == exitUsage { // the flags do not fit this instance
		o = run(args...)
	}
	if o.code != exitDone {
		t.Fatalf("%q: exit %d %s %s", args, o.code, o.broken, o.stderr)
	}
	return instance, folder
}

// small is the k-th random instance of a problem that some algorithm can solve.
func small(t testing.TB, problem string, k int) *model.Workload {
	t.Helper()
	p, err := engine.FindProblem(problem, nil)
	noError(t, err)
	for seed := uint64(0); ; seed++ {
		if w, err := p.Small.Generate(rand.New(rand.NewPCG(seed, uint64(605+k))), k); err == nil {
			return w
		}
	}
}

// bases makes valid results of a problem: those of compare for so many instances and, of cluster, of planning one again
// with a freeze.
func bases(t *testing.T, problem string, count int) (list []base) {
	t.Helper()
	f, judge := familyOf(problem), newSecond(t)
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
			list = append(list, newBase(t, judge, w, k, filepath.Dir(path)))
		}
	}
	return list
}

// newBase reads a result, with which the second checker must find nothing wrong.
func newBase(t *testing.T, judge *second, instance string, group int, dir string) base {
	t.Helper()
	b := base{instance, group, dir, readFiles(t, dir), filepath.Base(dir)}
	if found := judge.judge(instance, dir); len(found) > 0 {
		t.Errorf("%s: the second checker finds %v", dir, found)
	}
	return b
}

// viewOf is the instance of a result as its problem sees it, with the earlier plan that the result keeps.
func viewOf(t testing.TB, problem string, b *base) model.View {
	t.Helper()
	p, err := engine.FindProblem(problem, nil)
	noError(t, err)
	w, err := workload.Read(b.instance, nil, workload.Options{})
	noError(t, err)
	r, found, err := result.Read(b.dir)
	if err != nil || len(found) > 0 {
		t.Fatal(err, found)
	}
	params, err := engine.StatedParams(p.Params, r.Result.Parameters)
	noError(t, err)
	plan, err := engine.StatedReplan(r)
	noError(t, err)
	o, err := engine.Open(p, w, params)
	noError(t, err)
	if plan != nil {
		noError(t, o.Keep(plan))
	}
	return o.Run.View()
}
