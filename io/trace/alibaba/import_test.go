package alibaba

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mrsched/io/trace"
	"mrsched/io/trace/golden"
	"mrsched/model"
	"mrsched/model/multitenant"
	"mrsched/model/realtime"
	"mrsched/model/shop"
)

const data = "../../../testdata/alibaba"

// TestRules is worked by hand. j_1 is a stage graph: M1 lets 4 instances follow its 2, which is 8 rows or 2 + 4 with a
// task between, M3_1 has 3·2 rows or 3 + 2, R4_2 1·2, M2_1 1·1. Nothing of j_1 may count before what it waits for has
// ended. J3_2 waits for M1 by way of R2_1, which failed. The first start is at 10 s; at 50 s of the trace, nothing of
// j_1 but the instances of R4_2 and none of others is under way, and from 20 to 26 s 2 of M1, 2 of R2_1.
func TestRules(t *testing.T) {
	w := golden.Must(t)(Import(golden.Files(t, data, "jobs.csv"), DefaultOptions()))
	golden.Same(t, w, `jobs for "msjo": 20 tasks, 14 delays, 7 machines
j_1 at 0 s, ended at 65 s
  map j_1/M1.1 20 s, 1 cores
  map j_1/M1.2 20 s, 1 cores
  reduce j_1/M2_1 15 s, 0.5 cores
  reduce j_1/M3_1.1 20 s, 1 cores
  reduce j_1/M3_1.2 20 s, 1 cores
  reduce j_1/M3_1.3 20 s, 1 cores
  reduce j_1/R4_2 15 s
  reduce j_1/M5_3_4_Stg7.1 15 s, 1 cores
  reduce j_1/M5_3_4_Stg7.2 15 s, 1 cores
  reduce j_1/M1.done 0 s
  reduce j_1/M3_1.done 0 s
j_2 at 2 s, ended at 16 s
  reduce j_2/R2_1_.1 6 s, 1 cores
  reduce j_2/R2_1_.2 6 s, 1 cores
  map j_2/M1.1 8 s, 1 cores
  map j_2/M1.2 8 s, 1 cores
  map j_2/M1.3 8 s, 1 cores
  map j_2/M1.4 8 s, 1 cores
j_3 at 5 s, ended at 8 s
  map j_3/task_Nzg3ODAwNDg= 3 s, 1 cores
j_5 at 30 s, ended at 50 s
  reduce j_5/J3_2 8 s, 1 cores
  map j_5/M1 10 s, 1 cores
j_1/M1.1 > j_1/M1.done 0
j_1/M1.2 > j_1/M1.done 0
j_1/M3_1.1 > j_1/M3_1.done 0
j_1/M3_1.2 > j_1/M3_1.done 0
j_1/M3_1.3 > j_1/M3_1.done 0
j_1/M1.done > j_1/M2_1 0
j_1/M1.done > j_1/M3_1.1 0
j_1/M1.done > j_1/M3_1.2 0
j_1/M1.done > j_1/M3_1.3 0
j_1/M2_1 > j_1/R4_2 0
j_1/M3_1.done > j_1/M5_3_4_Stg7.1 0
j_1/M3_1.done > j_1/M5_3_4_Stg7.2 0
j_1/R4_2 > j_1/M5_3_4_Stg7.1 0
j_1/R4_2 > j_1/M5_3_4_Stg7.2 0
imported from Alibaba's batch_task.csv: 4 jobs of 4, in the order of their starts
time 0 is the first start, at 10 s of the trace
every instance is a task; all instances of a task take the same time
a task's time counts from its start or the end of the last task that it waits for, whichever is later
7 machines: as many as were under way at once by these times
1 task that is not Terminated is left out
1 task has a name that says nothing of precedence and waits for nothing
1 task has a name with a stage, such as Stg4, which is ignored: the trace does not say what it means
2 jobs have maps and reduces without rows of delays
1 job is a stage graph; there, tasks that wait are reduces
2 tasks of length 0, .done, mark the ends of all instances of tasks
`)
	in, err := shop.NewIdentical(w, 0)
	if err != nil {
		t.Fatal(err)
	}
	// The longest paths: M1 20, M2_1 15, R4_2 15, M5 15; then 8 + 6, 3, and 10 + 8, each after the release.
	if diff := cmp.Diff([]model.Time{65 * model.Second, 16 * model.Second, 8 * model.Second, 48 * model.Second},
		in.Alone); diff != "" {
		t.Error(diff)
	}
	if _, err := multitenant.New(w, multitenant.Options{}); err != nil {
		t.Error(err)
	}
	if _, err := realtime.New(w, realtime.Options{}); err != nil {
		t.Error(err)
	}
}

// TestVariants: what each option changes in the same trace, and what other files hold.
func TestVariants(t *testing.T) {
	for _, c := range []struct {
		files  string
		change func(o *Options)
		want   []string
	}{
		{"jobs.csv", func(o *Options) { o.Instances = One }, []string{
			`jobs for "msjo": 10 tasks, 5 delays, 3 machines`, "reduce j_1/M5_3_4_Stg7 15 s, 1 cores"}},
		{"jobs.csv", func(o *Options) { o.IncludeFailed = true }, []string{
			"reduce j_5/R2_1 2 s, 1 cores", "reduce j_5/J3_2 8 s, 1 cores"}},
		{"jobs.csv", func(o *Options) { o.Jobs, o.Machines = model.Some(int64(2)), model.Some(int64(3)) }, []string{
			`jobs for "msjo": 17 tasks, 14 delays, 3 machines`, "no j_3", "no j_5", "2 later jobs are left out (--jobs)"}},
		// Two files are one trace: R6_5 belongs to j_1 and waits for the two instances of task 5.
		{"jobs.csv more.csv", func(*Options) {}, []string{`jobs for "msjo": 21 tasks, 16 delays, 7 machines`,
			"reduce j_1/R6_5 5 s, 1 cores"}},
		// Two tasks are number 1, and task 2 waits for both. There are maps and reduces without rows.
		{"shared.csv", func(*Options) {}, []string{`shared for "msjo": 3 tasks, 0 delays, 2 machines`,
			"j at 0 s, ended at 20 s", "map j/M1_Stg2 10 s, 1 cores", "map j/J1 14 s, 1 cores", "reduce j/R2_1 6 s, 1 cores",
			"1 number that a name waits for is that of several tasks, all of which are meant",
			"1 job has maps and reduces without rows of delays"}},
	} {
		opt := DefaultOptions()
		c.change(&opt)
		w := golden.Must(t)(Import(golden.Files(t, data, strings.Fields(c.files)...), opt))
		golden.Holds(t, w, c.want...)
	}
}

// TestOdd: irregular rows that the trace has by design are skipped and counted. The file is packed.
func TestOdd(t *testing.T) {
	packed := golden.Packed(t, golden.Files(t, data, "odd.csv")[0])
	packed.Name = "x/odd.csv.gz"
	w := golden.Must(t)(Import([]File{packed}, DefaultOptions()))
	golden.Holds(t, w, strings.Split(`odd for "msjo": 14 tasks, 10 delays, 11 machines
counts at 0 s, ended at 7 s
map counts/R3_1_2.1 5 s, 1 cores
map counts/R3_1_2.10 5 s, 1 cores
map counts/R4_9 0 s
reduce counts/R5_3 5 s, 1 cores
again at 23 s, ended at 27 s
map again/M1 4 s, 1 cores
late at 62 s, ended at 67 s
map late/MergeTask 5 s, 1 cores
counts/R3_1_2.1 > counts/R5_3 0
counts/R3_1_2.10 > counts/R5_3 0
2 tasks that are not Terminated are left out
1 task without a number of instances is left out
1 task without a start or end inside the trace is left out
1 task that ends before it starts is left out
2 jobs of which nothing is left are left out
1 job whose names form a cycle is left out: "ring"
1 number that a name waits for is that of no task and is dropped
1 task has a name that says nothing of precedence and waits for nothing
1 task ended before a task that it waits for and takes all its recorded time
1 job is a stage graph; there, tasks that wait are reduces`, "\n")...)
	if len(w.Jobs) != 3 || len(w.Notes) != 15 {
		t.Error(w.Jobs, w.Notes)
	}
}

func TestParseName(t *testing.T) {
	for name, want := range map[string]string{"M1": "1 []", "M5_3_4": "5 [3 4]", "J10_7_9_Stg4": "10 [7 9]", "J10_Stg4_7_": "10 [7]",
		"J30_4_5_": "30 [4 5]", "MR12_3": "12 [3]", "R2_1__": "2 [1]",
		"task_Nzg3": "", "task_1": "", "MergeTask": "", "M": "", "1": "", "": "", "_": "", "M1_x": "", "M1__2": "",
		"M1_2_Stgx": "", "M1.2": "", "M1_Stg2": "1 []", "M1234567890": "", "Ä1": ""} {
		number, waits, staged, ok := parseName(name)
		got := ""
		if ok {
			got = fmt.Sprint(number, " ", waits)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
		if ok && staged != strings.Contains(name, "Stg") {
			t.Errorf("%q: with a stage: %v", name, staged)
		}
	}
}

// dag is a drawn job: the predecessors of every task, its number of instances, and whether it failed.
type dag struct {
	waits     [][]int
	instances []int
	failed    []bool
}

func drawDAG(t *rapid.T) *dag {
	n := rapid.IntRange(1, 7).Draw(t, "tasks")
	d := &dag{waits: make([][]int, n)}
	for i := range n {
		for k := range i {
			if rapid.IntRange(0, 2).Draw(t, "edge") == 0 {
				d.waits[i] = append(d.waits[i], k)
			}
		}
		d.instances = append(d.instances, rapid.IntRange(1, 4).Draw(t, "instances"))
		d.failed = append(d.failed, i > 0 && rapid.IntRange(0, 5).Draw(t, "failed") == 0)
	}
	return d
}

// lines writes the job like the trace, with its tasks in any order.
func (d *dag) lines(t *rapid.T, job string) string {
	var b strings.Builder
	for _, i := range rapid.Permutation(places(len(d.waits))).Draw(t, "order") {
		status := terminated
		if d.failed[i] {
			status = "Failed"
		}
		fmt.Fprintf(&b, "%s,%d,%s,1,%s,%d,%d,100,1\n", d.name(i), d.instances[i], job, status, 10+i, 20+3*i)
	}
	return b.String()
}

func (d *dag) name(i int) string {
	name := fmt.Sprintf("%c%d", "MRJ"[i%3], i+1)
	for _, k := range d.waits[i] {
		name += fmt.Sprintf("_%d", k+1)
	}
	return name
}

func places(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// closure says for every pair of nodes whether an edge or a path of edges leads from the first to the second.
func closure(n int, edges [][2]int) [][]bool {
	reach := make([][]bool, n)
	for i := range reach {
		reach[i] = make([]bool, n)
	}
	for _, e := range edges {
		reach[e[0]][e[1]] = true
	}
	for k := range n {
		for i := range n {
			for j := 0; j < n && reach[i][k]; j++ {
				reach[i][j] = reach[i][j] || reach[k][j]
			}
		}
	}
	return reach
}

// TestProperties: a random DAG, written as lines, has the same precedence after the import, in both notations. An
// instance comes before another one in the instance of problem msjo exactly if its task does in the DAG.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDAG(t)
		text := d.lines(t, "j") + drawDAG(t).lines(t, "k")
		read := func(opt Options) *model.Workload {
			w, err := Import(golden.Text(text), opt)
			if err != nil {
				t.Fatal(err)
			}
			return w
		}
		d.precedes(t, read(DefaultOptions()), All)
		one := DefaultOptions()
		one.Instances = One
		d.precedes(t, read(one), One)
	})
}

// precedes compares the precedence of job j with the DAG.
func (d *dag) precedes(t *rapid.T, w *model.Workload, instances string) {
	in, err := shop.NewIdentical(w, 0)
	if err != nil {
		t.Fatal(err)
	}
	task := map[string]int{} // of the DAG, by id without instance
	total := 0
	for i := range d.waits {
		if !d.failed[i] {
			task["j/"+d.name(i)] = i
			if total++; instances == All {
				total += d.instances[i] - 1
			}
		}
	}
	var named, linked [][2]int
	for i, list := range d.waits {
		for _, k := range list {
			named = append(named, [2]int{k, i})
		}
	}
	for u := range in.Steps {
		for _, v := range in.SuccStep[in.SuccFirst[u]:in.SuccFirst[u+1]] {
			linked = append(linked, [2]int{u, int(v)})
		}
	}
	want, got, found := closure(len(d.waits), named), closure(in.Steps, linked), 0
	for u := range w.Tasks {
		i, ok := stageOf(task, w.Tasks[u].ID)
		if !ok {
			continue
		}
		found++
		for v := range w.Tasks {
			if k, ok := stageOf(task, w.Tasks[v].ID); ok && got[u][v] != want[i][k] {
				t.Fatalf("%s before %s: %v, want %v", w.Tasks[u].ID, w.Tasks[v].ID, got[u][v], want[i][k])
			}
		}
	}
	if found != total {
		t.Fatalf("%d tasks, want %d", found, total)
	}
}

// stageOf is the task of the DAG to which a task of the workload belongs; none for those of length 0.
func stageOf(task map[string]int, id string) (int, bool) {
	name, suffix, _ := strings.Cut(id, ".")
	i, ok := task[name]
	return i, ok && suffix != "done"
}

// TestBad imports every file of testdata/alibaba/bad.
func TestBad(t *testing.T) {
	golden.Bad(t, data+"/bad/*.csv", func(path string) (*model.Workload, error) {
		return Import(golden.Files(t, "", path), DefaultOptions())
	})
}

// TestRefused refuses bad options, no files, a line without end, an id that is too long, and jobs whose tasks share
// numbers, so that very many of them would wait for each other.
func TestRefused(t *testing.T) {
	var pairs strings.Builder
	for k := range 15_000 {
		fmt.Fprintf(&pairs, "M1,1,j,1,Failed,10,20,1,1\n%s2_1,1,j,1,Terminated,10,20,1,1\n", strings.Repeat("R", k%20+1))
	}
	bad := Options{Jobs: model.Some(int64(0)), Machines: model.Some(int64(-1)), Instances: "some"}
	golden.Refused(t, "V210, V210, V210")(Import(nil, bad))
	golden.Refused(t, "T503")(Import(nil, DefaultOptions()))
	golden.Refused(t, "F106 f:1:1")(Import(golden.Endless("", 'x'), DefaultOptions()))
	long := "M1,1," + strings.Repeat("k", trace.MaxID+1) + ",1,Terminated,1,2,3,4\n"
	golden.Refused(t, "F106 f:1:6")(Import(golden.Text(long), DefaultOptions()))
	golden.Refused(t, "V204 f:6668:1")(Import(golden.Text(pairs.String()), DefaultOptions()))
}

func FuzzImport(f *testing.F) {
	most := maxRows
	maxRows = 10_000
	f.Cleanup(func() { maxRows = most })
	var imports []golden.Import
	for _, opt := range []Options{{Instances: One, IncludeFailed: true},
		{Instances: All}} {
		imports = append(imports, func(files []File) (*model.Workload, error) { return Import(files, opt) })
	}
	golden.Fuzz(f, data, imports...)
}
