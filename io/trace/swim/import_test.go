package swim

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mrsched/instances"
	"mrsched/io/trace"
	"mrsched/io/trace/golden"
	"mrsched/model"
	"mrsched/model/hta"
	"mrsched/model/multitenant"
	"mrsched/model/realtime"
	"mrsched/model/reduceplace"
	"mrsched/model/shop"
)

const data = "../../../testdata/swim"

// options are small round numbers, on four nodes in two racks.
func options() Options {
	cluster := instances.RackCluster{Nodes: 4, Racks: 2, MapSlots: 2, ReduceSlots: 2, Bandwidth: 20, Uplink: 30}
	return Options{Users: 2, BlockSize: 100, ReduceSize: 50, MaxReduces: 3, Overhead: model.Second, MapRate: 10,
		ReduceRate: 25, Bandwidth: 20,
		Storage: instances.NewBlockPlacer(cluster, 2, 0, false, rand.NewPCG(1, 1))}
}

// TestRules is worked by hand: blocks of 100 B, reduces of 50 B but three at most, 1 s and 10 or 25 B/s. All five
// problems take the workload as it is.
func TestRules(t *testing.T) {
	w := golden.Must(t)(Import(golden.Files(t, data, "jobs.tsv"), options()))
	golden.Same(t, w, `jobs for "multitenant": 12 tasks, 0 delays, 0 machines
grep at 0 s of u1, R=0, V=0, ratio 0
  map grep.m1 11 s, in 100, out 3, grep.b1 ×2
sort at 10 s of u2, R=3, V=120, ratio 0.48
  map sort.m1 11 s, in 100, delay 2, sort.b1 ×2
  map sort.m2 11 s, in 100, delay 2, sort.b2 ×2
  map sort.m3 6 s, in 50, delay 2, sort.b3 ×2
  reduce sort.r1 2.6 s, in 40, out 25
  reduce sort.r2 2.6 s, in 40, out 26
  reduce sort.r3 2.6 s, in 40, out 26
big at 10 s of u1, R=3, V=1000, ratio 100
  map big.m1 2 s, in 10, delay 16.65, big.b1 ×2
  reduce big.r1 14.32 s, in 333, out 0
  reduce big.r2 14.32 s, in 333, out 0
  reduce big.r3 14.36 s, in 334, out 1
touch at 25 s of u2, R=0, V=0
  map touch.m1 1 s, in 0, out 0
root root 0+0
rack rack1 0+0
rack rack2 0+0
node n1 2+2
node n2 2+2
node n3 2+2
node n4 2+2
imported from SWIM: 4 jobs of 4, in the order of submission
time 0 is the first submission, at 20 s
6 maps of at most 100 B each are made up, which take 1 s and 1 s for each 10 B
6 reduces are made up, one for each 50 B of shuffle up to 3 a job, which take 1 s and 1 s for each 25 B
shuffle delays are what a reduce fetches at 20 B/s
2 users submit the jobs in turn
the topology and the places of all blocks are made up
1 job without input has one map without a block
2 jobs without shuffle have no reduces
1 job has as many reduces as a job may have
`)
	mt, err := multitenant.New(w, multitenant.Options{})
	if err != nil || mt.Tasks != 12 || mt.Shuffled[1] != 120 || mt.Racks != 2 {
		t.Error(err)
	}
	if in, err := shop.NewIdentical(w, 0); err != nil || in.Tasks != 12 || in.Nodes != 16 {
		t.Error(err)
	}
	_, err = hta.New(w)
	_, err2 := reduceplace.New(w, reduceplace.Options{})
	_, err3 := realtime.New(w, realtime.Options{})
	if err := errors.Join(err, err2, err3); err != nil {
		t.Error(err)
	}
}

// TestVariants: ids of several files name the file, and the first jobs of all files are kept; a job without input may
// shuffle; what follows the sixth field are paths, which change nothing but a note.
func TestVariants(t *testing.T) {
	first := options()
	first.Jobs = model.Some(int64(2))
	for _, c := range []struct {
		files []File
		opt   Options
		want  []string
	}{
		{golden.Files(t, data, "jobs.tsv", "more.tsv"), first, []string{
			"more/sort at 0 s of u1, R=1, V=40, ratio 0.4",
			"map more/sort.m1 11 s, in 100, delay 2, more/sort.b1 ×2",
			"reduce more/sort.r1 2.6 s, in 40, out 7",
			"jobs/grep at 10 s of u2, R=0, V=0, ratio 0",
			"map jobs/grep.m1 11 s, in 100, out 3, jobs/grep.b1 ×2",
			"no sort.m2", "no big", "no touch"}},
		{golden.Text("j\t1\t1\t0\t40\t7\n"), options(), []string{"j at 0 s of u1, R=1, V=40",
			"1 job that reads nothing and shuffles has no shuffle ratio", "no paths"}},
		{golden.Files(t, data, "paths.tsv"), options(), []string{"grep at 0 s of u1, R=0, V=0, ratio 0",
			"sort at 10 s of u2, R=3, V=120, ratio 0.48", "merge at 11 s of u1, R=0, V=0, ratio 0",
			"2 jobs name paths, which are not used: jobs that read the same path share no blocks"}},
	} {
		w := golden.Must(t)(Import(c.files, c.opt))
		golden.Holds(t, w, c.want...)
	}
}

// TestBad imports every file of testdata/swim/bad.
func TestBad(t *testing.T) {
	golden.Bad(t, data+"/bad/*.tsv", func(path string) (*model.Workload, error) {
		return Import(golden.Files(t, "", path), options())
	})
}

// TestRefused refuses bad options, tasks without end, a line without end, and an id that is too long.
func TestRefused(t *testing.T) {
	slow := options()
	slow.ReduceRate = 1e-300
	golden.Refused(t, "V210, V210, V210, V210, V210, V210, V210, V210")(Import(nil, Options{Jobs: model.Some(int64(0)),
		Overhead: -1, MapRate: math.NaN(), ReduceRate: math.Inf(1), Bandwidth: 1}))
	golden.Refused(t, "S408 jobs.tsv")(Import(golden.Files(t, data, "jobs.tsv"), slow))
	golden.Refused(t, "F106 f:1:1")(Import(golden.Endless("", 'x'), options()))
	golden.Refused(t, "F106 f:1:1")(Import(golden.Text(strings.Repeat("k", trace.MaxID+1)+"\t1\t1\t1\t1\t1\n"), options()))
}

// TestProperties: tasks add up to their job's bytes, and the order of lines does not matter.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var lines []string
		want := map[string][3]model.Bytes{}
		for k := range rapid.IntRange(1, 10).Draw(t, "jobs") {
			var v [3]model.Bytes
			for i := range v {
				v[i] = model.Bytes(rapid.Int64Range(0, 900).Draw(t, "bytes"))
			}
			lines = append(lines, fmt.Sprintf("j%d\t%d\t0\t%d\t%d\t%d", k, 7*k, v[0], v[1], v[2]))
			want[fmt.Sprintf("j%d", k)] = v
		}
		run := func(lines []string) *model.Workload {
			w, err := Import(golden.Text(strings.Join(lines, "\n")), options())
			if err != nil {
				t.Fatal(err)
			}
			return w
		}
		w := run(lines)
		got := map[string][3]model.Bytes{}
		for _, u := range w.Tasks {
			id := w.Jobs[u.Job].ID
			v := got[id]
			if u.Kind == model.Map {
				v[0] += u.InputBytes.Value
			} else {
				v[1] += u.InputBytes.Value
			}
			v[2] += u.OutputBytes.Value
			got[id] = v
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
		slices.Reverse(lines)
		if diff := cmp.Diff(golden.Show(w), golden.Show(run(lines))); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestFacebook imports the real trace, if it is at hand, with its 5 894 jobs, of which 4 448 shuffle nothing.
func TestFacebook(t *testing.T) {
	f, err := os.Open("../../../../shared/traces/swim/FB-2009_samples_24_times_1hr_0.tsv")
	if err != nil {
		t.Skip("the trace is not beside the project: ", err)
	}
	defer f.Close()
	opt := DefaultOptions()
	opt.Storage = instances.NewBlockPlacer(instances.RackCluster{Nodes: 600, Racks: 30, MapSlots: 2, ReduceSlots: 2,
		Bandwidth: 1e8, Uplink: 1e9}, 3, 0, false, rand.NewPCG(1, 1))
	w, err := Import([]File{{Name: "fb.tsv", Text: f}}, opt)
	if err != nil {
		t.Fatal(err)
	}
	maps, input, shuffle := 0, model.Bytes(0), model.Bytes(0)
	for _, u := range w.Tasks {
		if u.Kind == model.Map {
			maps++
			input += u.InputBytes.Value
		} else {
			shuffle += u.InputBytes.Value
		}
	}
	if len(w.Jobs) != 5894 || maps != 406_005 || input != 26_886_497_357_605 || shuffle != 22_216_712_306_762 ||
		!slices.Contains(w.Notes, "4448 jobs without shuffle have no reduces") {
		t.Errorf("%d jobs, %d maps, %d B read, %d B shuffled: %q", len(w.Jobs), maps, input, shuffle, w.Notes)
	}
	if _, err := multitenant.New(w, multitenant.Options{}); err != nil {
		t.Error(err)
	}
}

func FuzzImport(f *testing.F) {
	golden.Fuzz(f, data, func(files []File) (*model.Workload, error) {
		opt := options()
		opt.BlockSize, opt.ReduceSize = 1<<52, 1<<52 // few tasks
		return Import(files, opt)
	})
}
