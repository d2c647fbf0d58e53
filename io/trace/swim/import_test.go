package swim

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
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
	"mrsched/model/msjo"
	"mrsched/model/multitenant"
	"mrsched/model/realtime"
	"mrsched/model/reduceplace"
)

const data = "../../../testdata/swim"

func read(t testing.TB, names ...string) []File {
	t.Helper()
	var list []File
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join(data, name))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, File{Name: filepath.Base(name), Text: bytes.NewReader(b)})
	}
	return list
}

// options are small round numbers, on four nodes in two racks.
func options() Options {
	cluster := instances.RackCluster{Nodes: 4, Racks: 2, MapSlots: 2, ReduceSlots: 2, Bandwidth: 20, Uplink: 30}
	return Options{Users: 2, BlockSize: 100, ReduceSize: 50, MaxReduces: 3, Overhead: model.Second, MapRate: 10,
		ReduceRate: 25, Bandwidth: 20,
		Storage: instances.NewBlockPlacer(cluster, 2, 0, false, rand.NewPCG(1, 1))}
}

// show prints jobs and tasks in words that an expectation can be written in.
func show(w *model.Workload) string {
	var b strings.Builder
	replicas := make([]int, len(w.Blocks))
	for _, p := range w.Placements {
		replicas[p.Block]++
	}
	for j, x := range w.Jobs {
		fmt.Fprintf(&b, "%s of %s at %s s: R=%d, V=%d, ratio %v\n", x.ID, x.Tenant, x.Release, x.Reduces.Value,
			x.IntermediateBytes.Value, x.ShuffleRatio.Value)
		for _, t := range w.Tasks {
			if int(t.Job) != j {
				continue
			}
			fmt.Fprintf(&b, "  %s %s: %d B, %s s, delay %s", t.Kind, t.ID, t.InputBytes.Value, t.Processing.Value,
				t.ShuffleDelay)
			if t.OutputBytes.Known {
				fmt.Fprintf(&b, ", out %d", t.OutputBytes.Value)
			}
			if t.Block != model.None {
				fmt.Fprintf(&b, ", %s ×%d", w.Blocks[t.Block], replicas[t.Block])
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// TestRules is worked by hand: blocks of 100 B, reduces of 50 B but three at most, 1 s and 10 or 25 B/s.
func TestRules(t *testing.T) {
	w, err := Import(read(t, "jobs.tsv"), options())
	if err != nil {
		t.Fatal(err)
	}
	const want = `grep of u1 at 0 s: R=0, V=0, ratio 0
  map grep.m1: 100 B, 11 s, delay 0, out 3, grep.b1 ×2
sort of u2 at 10 s: R=3, V=120, ratio 0.48
  map sort.m1: 100 B, 11 s, delay 2, sort.b1 ×2
  map sort.m2: 100 B, 11 s, delay 2, sort.b2 ×2
  map sort.m3: 50 B, 6 s, delay 2, sort.b3 ×2
  reduce sort.r1: 40 B, 2.6 s, delay 0, out 25
  reduce sort.r2: 40 B, 2.6 s, delay 0, out 26
  reduce sort.r3: 40 B, 2.6 s, delay 0, out 26
big of u1 at 10 s: R=3, V=1000, ratio 100
  map big.m1: 10 B, 2 s, delay 16.65, big.b1 ×2
  reduce big.r1: 333 B, 14.32 s, delay 0, out 0
  reduce big.r2: 333 B, 14.32 s, delay 0, out 0
  reduce big.r3: 334 B, 14.36 s, delay 0, out 1
touch of u2 at 25 s: R=0, V=0, ratio 0
  map touch.m1: 0 B, 1 s, delay 0, out 0
`
	if diff := cmp.Diff(want, show(w)); diff != "" {
		t.Error(diff)
	}
	notes := []string{"imported from SWIM: 4 jobs of 4, in the order of submission",
		"time 0 is the first submission, at 20 s",
		"6 maps of at most 100 B each are made up, which take 1 s and 1 s for each 10 B",
		"6 reduces are made up, one for each 50 B of shuffle up to 3 a job, which take 1 s and 1 s for each 25 B",
		"shuffle delays are what a reduce fetches at 20 B/s", "2 users submit the jobs in turn",
		"the topology and the places of all blocks are made up",
		"1 job without input has one map without a block", "2 jobs without shuffle have no reduces",
		"1 job has as many reduces as a job may have"}
	if diff := cmp.Diff(notes, w.Notes); diff != "" {
		t.Error(diff)
	}
	if w.Name != "jobs" || w.Problem != "multitenant" || len(w.Topology) != 7 {
		t.Errorf("%s for %s, %d topology rows", w.Name, w.Problem, len(w.Topology))
	}
}

// TestSeveral: ids of several files name the file; the first jobs of all files are kept; a job without input may
// shuffle.
func TestSeveral(t *testing.T) {
	opt := options()
	opt.Jobs = model.Some(int64(2))
	w, err := Import(read(t, "jobs.tsv", "more.tsv"), opt)
	if err != nil {
		t.Fatal(err)
	}
	const want = `more/sort of u1 at 0 s: R=1, V=40, ratio 0.4
  map more/sort.m1: 100 B, 11 s, delay 2, more/sort.b1 ×2
  reduce more/sort.r1: 40 B, 2.6 s, delay 0, out 7
jobs/grep of u2 at 10 s: R=0, V=0, ratio 0
  map jobs/grep.m1: 100 B, 11 s, delay 0, out 3, jobs/grep.b1 ×2
`
	if diff := cmp.Diff(want, show(w)); diff != "" {
		t.Error(diff)
	}
	w, err = Import([]File{{Name: "f", Text: strings.NewReader("j\t1\t1\t0\t40\t7\n")}}, options())
	if err != nil || w.Jobs[0].ShuffleRatio.Known || !slices.Contains(w.Notes,
		"1 job that reads nothing and shuffles has no shuffle ratio") {
		t.Error(err, w)
	}
}

// TestSolvable: all five problems take the workload as it is.
func TestSolvable(t *testing.T) {
	w, err := Import(read(t, "jobs.tsv"), options())
	if err != nil {
		t.Fatal(err)
	}
	mt, err := multitenant.New(w, multitenant.Options{})
	if err != nil || mt.Tasks != 12 || mt.Shuffled[1] != 120 || mt.Racks != 2 {
		t.Error(err)
	}
	if in, err := msjo.New(w, 0); err != nil || in.Tasks != 12 || in.Machines != 16 {
		t.Error(err)
	}
	if _, err := hta.New(w); err != nil {
		t.Error(err)
	}
	if _, err := reduceplace.New(w, reduceplace.Options{}); err != nil {
		t.Error(err)
	}
	if _, err := realtime.New(w, realtime.Options{}); err != nil {
		t.Error(err)
	}
}

// TestPaths: what follows the sixth field are paths, which change nothing but a note.
func TestPaths(t *testing.T) {
	w, err := Import(read(t, "paths.tsv"), options())
	if err != nil {
		t.Fatal(err)
	}
	const lines = "grep\t20\t20\t100\t0\t3\nsort\t30\t10\t250\t120\t77\nmerge\t31\t1\t50\t0\t1\n"
	without, err := Import([]File{{Name: "paths.tsv", Text: strings.NewReader(lines)}}, options())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(show(without), show(w)); diff != "" {
		t.Error(diff)
	}
	const note = "2 jobs name paths, which are not used: jobs that read the same path share no blocks"
	if !slices.Contains(w.Notes, note) || len(w.Notes) != len(without.Notes)+1 {
		t.Error(w.Notes)
	}
}

// TestBad imports every file of testdata/swim/bad, named after the code that it provokes, and compares the whole
// message with the .golden file next to it.
func TestBad(t *testing.T) {
	golden.Bad(t, filepath.Join(data, "bad", "*.tsv"), func(path string) (*model.Workload, error) {
		return Import(read(t, filepath.Join("bad", filepath.Base(path))), options())
	})
}

func TestOptions(t *testing.T) {
	bad := Options{Jobs: model.Some(int64(0)), Overhead: -1, MapRate: math.NaN(), ReduceRate: math.Inf(1), Bandwidth: 1}
	const want = `V210: 0 jobs; expected 1 or more
V210: 0 users; expected 1 or more
V210: 0 bytes per block; expected 1 or more
V210: 0 bytes per reduce; expected 1 or more
V210: 0 reduces per job; expected 1 or more
V210: -0.000001 s per task; expected 0 or more
V210: NaN bytes per second; expected a number above 0
V210: +Inf bytes per second; expected a number above 0`
	if _, err := Import(nil, bad); err == nil || err.Error() != want {
		t.Error(err)
	}
	opt := options()
	opt.ReduceRate = 1e-300 // endless tasks are the builder's finding
	if _, err := Import(read(t, "jobs.tsv"), opt); err == nil || !strings.HasPrefix(err.Error(), "S408") {
		t.Error(err)
	}
}

// TestLong rejects an endless line and an id that is too long.
func TestLong(t *testing.T) {
	_, err := Import([]File{{Name: "f", Text: endless{}}}, options())
	if err == nil || !strings.HasPrefix(err.Error(), "F106 f:1:1: ") {
		t.Error(err)
	}
	_, err = Import([]File{{Name: "f", Text: strings.NewReader(strings.Repeat("k", trace.MaxID+1) + "\t1\t1\t1\t1\t1\n")}}, options())
	if err == nil || err.Error() != "F106 f:1:1: the id has 65537 bytes; expected at most 65536" {
		t.Error(err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for k := range p {
		p[k] = 'x'
	}
	return len(p), nil
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
			w, err := Import([]File{{Name: "f", Text: strings.NewReader(strings.Join(lines, "\n"))}}, options())
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
		if diff := cmp.Diff(show(w), show(run(lines))); diff != "" {
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
	for _, pattern := range []string{"*.tsv", "bad/*.tsv"} {
		files, _ := filepath.Glob(filepath.Join(data, pattern))
		for _, path := range files {
			if b, err := os.ReadFile(path); err == nil {
				f.Add(b)
			}
		}
	}
	f.Fuzz(func(t *testing.T, lines []byte) {
		opt := options()
		opt.BlockSize, opt.ReduceSize = 1<<52, 1<<52 // few tasks
		w, err := Import([]File{{Name: "f", Text: io.LimitReader(bytes.NewReader(lines), 1<<16)}}, opt)
		if err != nil {
			if input, ok := err.(*model.InputError); !ok || len(input.Findings) == 0 || w != nil {
				t.Fatalf("workload %v, error %T %v", w, err, err)
			}
			return
		}
		if len(w.Jobs) == 0 || len(w.Tasks) < len(w.Jobs) {
			t.Fatalf("%d jobs, %d tasks", len(w.Jobs), len(w.Tasks))
		}
	})
}
