package campaign

import (
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

type base struct {
	instance  string // its file
	group     int    // results of one group are of one instance
	dir       string
	files     files
	algorithm string
}

// family says how to make the results of a problem.
type family struct {
	problem  string
	generate func(r *rand.Rand, k int) (*model.Workload, error)
	small    int        // how many generated instances there are
	made     [][]string // further instances: what generate is called with
	variants [][]string // flags of compare, in turn
	solved   [][]string // algorithms and flags of solve, in turn
}

// singleTasks are flags for jobs of one task, on nodes that run one at a time.
var singleTasks = []string{"--tasks", "8", "--nodes", "2", "--mean-tasks", "1", "--least-demand", "0.6",
	"--most-demand", "1", "--load", "100"}

func families() []family {
	return []family{
		{"msjo", func(r *rand.Rand, k int) (*model.Workload, error) { return instances.SmallMSJO(r, 8, k%2 == 0) }, 8,
			[][]string{{"--preset", "fig1"}, {"--preset", "dag"}, {"--jobs", "3", "--machines", "4", "--counts", "uniform"}},
			[][]string{{}, {"--objective", "twtct"}, {"--bound", "heads"}, {"--bound", "lp"},
				{"--inequality", "published", "--objective", "twtct", "--bound", "two-sided"}},
			[][]string{{"-a", "mars"}, {"-a", "best", "--bound", "all"}, {"-a", "tmars", "--objective", "twtct", "--bound", "two-sided"},
				{"-a", "so-mars", "--time-limit", "1m"}}},
		{"hta", func(r *rand.Rand, k int) (*model.Workload, error) { return instances.SmallHTA(r, k) }, 8,
			[][]string{{"--preset", "3sat", "--cnf", "../../../instances/examples/phi.cnf"},
				{"--preset", "thm54", "--servers", "4"},
				{"--tasks", "30", "--servers", "8", "--racks", "3", "--rack-cost", "1.5", "--zipf", "1.1"},
				{"--tasks", "25", "--servers", "6", "--racks", "2", "--per-remote", "0.01"}},
			[][]string{{}, {"--tie", "random"}}, [][]string{{"-a", "flow"}, {"-a", "round-robin"}}},
		{"reduceplace", func(r *rand.Rand, k int) (*model.Workload, error) { return instances.SmallPlacement(r, k) }, 8,
			[][]string{{"--preset", "tree"}, {"--preset", "sorts"}, {"--jobs", "12", "--slots", "8", "--max-reduces", "3"}},
			[][]string{{}, {"--estimate", "0.2"}}, [][]string{{"-a", "greedy"}, {"-a", "exact"}}},
		{"realtime", func(r *rand.Rand, k int) (*model.Workload, error) { return instances.SmallRealtime(r, k) }, 12,
			[][]string{{"--preset", "deadlines"}, {"--jobs", "3", "--workers", "3", "--partitions", "6"}},
			[][]string{{}, {"--resplit-cost", "0.5"}, {"--goal", "partitions"}, {"--deadline-factor", "2"}},
			[][]string{{"-a", "best"}, {"-a", "exact"}}},
		{"multitenant", func(r *rand.Rand, k int) (*model.Workload, error) { return instances.SmallMultitenant(r, k) }, 8,
			[][]string{{"--preset", "fig7"}},
			[][]string{{}, {"--measure-from", "1", "--measure-until", "5"}}, [][]string{{"-a", "shufflewatcher"},
				{"-a", "best"}}},
		{"cluster", func(r *rand.Rand, k int) (*model.Workload, error) { return instances.SmallCluster(r, k) }, 8,
			[][]string{{"--preset", "etl"}, singleTasks, {"--tasks", "12", "--nodes", "2", "--load", "5"}, singleTasks},
			[][]string{{}, {"--objective", "makespan"}, {"--objective", "tardiness"}, {"--objective", "late"}},
			[][]string{{"-a", "best"}, {"-a", "heft", "--objective", "makespan"}, {"-a", "exact"}}},
	}
}

func familyOf(problem string) *family {
	all := families()
	return &all[slices.IndexFunc(all, func(f family) bool { return f.problem == problem })]
}

// bases makes valid results: those of compare for every instance, and one of solve.
func (f *family) bases(t *testing.T) []base {
	t.Helper()
	dir := t.TempDir()
	var list []base
	for k := 0; k < f.small+len(f.made); k += everyBase {
		w := filepath.Join(dir, fmt.Sprintf("w%d.json", k))
		if k < f.small {
			writeWorkload(t, w, f.small, func() (*model.Workload, error) {
				return f.generate(rand.New(rand.NewPCG(uint64(k), 9)),
					k)
			})
		} else {
			must(t, append(append([]string{"generate", f.problem}, f.made[k-f.small]...), "-o", w, "-q")...)
		}
		compared, solved := filepath.Join(dir, fmt.Sprint("c", k)), filepath.Join(dir, fmt.Sprint("s", k))
		flags := f.variants[k%len(f.variants)]
		if o := run(quiet(append([]string{"compare", w, "-o", compared}, flags...)...)...); o.code != exitDone {
			must(t, quiet("compare", w, "-o", compared)...) // the flags do not fit this instance
		}
		if o := run(quiet(append([]string{"solve", w, "-o", solved}, f.solved[k%len(f.solved)]...)...)...); o.code !=
			exitDone {
			must(t, quiet("solve", w, "-o", solved)...)
		}
		entries, err := os.ReadDir(compared)
		if err != nil {
			t.Fatal(err)
		}
		found := []string{solved}
		for _, e := range entries {
			if e.IsDir() {
				found = append(found, filepath.Join(compared, e.Name()))
			}
		}
		for _, d := range found {
			if o := run("check", w, d); o.code != exitDone {
				t.Fatalf("%s: %s %s", d, o.stdout, o.stderr)
			}
			x := readFiles(t, d)
			b, _, err := result.Read(d)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, base{w, k, d, x, b.Result.Algorithm})
			f.agree(t, &list[len(list)-1])
		}
	}
	return list
}

// agree demands that the naive evaluation finds a result valid too.
func (f *family) agree(t *testing.T, b *base) {
	t.Helper()
	n, err := newNaive(f.problem, b, b.files)
	if err != nil {
		t.Fatal(err)
	}
	if len(n.rows) == 0 { // a bound without a schedule
		return
	}
	if err := n.schedule(); err != nil {
		t.Errorf("%s: the naive evaluation finds that %v", b.dir, err)
	}
}

// writeWorkload writes the first instance that can be made.
func writeWorkload(t *testing.T, path string, tries int, generate func() (*model.Workload, error)) {
	t.Helper()
	w, err := generate()
	if err == nil {
		err = workload.Write(path, w, true, io.Discard)
	}
	if err != nil {
		t.Fatal(err)
	}
}
