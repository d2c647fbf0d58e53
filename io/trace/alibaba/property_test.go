package alibaba

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/msjo"
)

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

// after reports for every pair of tasks whether the second waits for the first, directly or not.
func (d *dag) after() [][]bool {
	reach := make([][]bool, len(d.waits))
	for i := range reach {
		reach[i] = make([]bool, len(d.waits))
	}
	for i, list := range d.waits { // tasks wait for earlier ones only
		for _, k := range list {
			reach[k][i] = true
			for x := range k {
				reach[x][i] = reach[x][i] || reach[x][k]
			}
		}
	}
	return reach
}

// TestPrecedence: a random DAG, written as lines, has the same precedence after the import, in both notations. An
// instance comes before another one in the instance of problem msjo exactly if its task does in the DAG.
func TestPrecedence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		opt := DefaultOptions()
		opt.Instances = rapid.SampledFrom(Instances()).Draw(t, "instances")
		d := drawDAG(t)
		w, err := Import([]File{{Name: "f", Text: strings.NewReader(d.lines(t, "j"))}}, opt)
		if err != nil {
			t.Fatal(err)
		}
		in, err := msjo.New(w, 0)
		if err != nil {
			t.Fatal(err)
		}
		task := map[string]int{} // of the DAG, by id without instance
		total := 0
		for i := range d.waits {
			if !d.failed[i] {
				task["j/"+d.name(i)] = i
				if total++; opt.Instances == All {
					total += d.instances[i] - 1
				}
			}
		}
		want, found := d.after(), 0
		for u := range w.Tasks {
			i, ok := stageOf(task, w.Tasks[u].ID)
			if !ok {
				continue
			}
			found++
			reached := reachable(in, int32(u))
			for v := range w.Tasks {
				if k, ok := stageOf(task, w.Tasks[v].ID); ok && reached[v] != want[i][k] {
					t.Fatalf("%s before %s: %v, want %v", w.Tasks[u].ID, w.Tasks[v].ID, reached[v], want[i][k])
				}
			}
		}
		if found != total {
			t.Fatalf("%d tasks, want %d", found, total)
		}
	})
}

// stageOf is the task of the DAG to which a task of the workload belongs; none for those of length 0.
func stageOf(task map[string]int, id string) (int, bool) {
	name, suffix, _ := strings.Cut(id, ".")
	i, ok := task[name]
	return i, ok && suffix != "done"
}

// reachable are the nodes of an instance that come after one.
func reachable(in *msjo.Instance, u int32) []bool {
	seen := make([]bool, in.Nodes)
	list := []int32{u}
	for k := 0; k < len(list); k++ {
		for a := in.SuccFirst[list[k]]; a < in.SuccFirst[list[k]+1]; a++ {
			if v := in.SuccNode[a]; !seen[v] {
				seen[v] = true
				list = append(list, v)
			}
		}
	}
	return seen
}

// TestWork: for any largest number of instances, the total work stays the same, up to a microsecond per task.
func TestWork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawDAG(t).lines(t, "j") + drawDAG(t).lines(t, "k")
		work := func(opt Options) (sum model.Time, tasks int) {
			w, err := Import([]File{{Name: "f", Text: strings.NewReader(text)}}, opt)
			if err != nil {
				t.Fatal(err)
			}
			for _, u := range w.Tasks {
				sum += u.Processing.Value
			}
			return sum, len(w.Tasks)
		}
		all, n := work(DefaultOptions())
		opt := DefaultOptions()
		opt.MaxInstances = model.Some(rapid.Int64Range(1, 5).Draw(t, "most"))
		capped, _ := work(opt)
		if capped > all || all-capped > model.Time(n) {
			t.Fatalf("%s s of work instead of %s s", capped, all)
		}
	})
}
