package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mrsched/model"
	"mrsched/model/shop"
)

// evil are ids that would do harm if a script took them for more than names.
var evil = []string{`d.a'; touch "$PWD/broken"; '`, "d.b\ntouch broken\n", "d.$(touch broken)`touch broken`", `d.back\slash\`,
	"-rf", "../../up", "d.100%", `d."quoted" ${HOME}`, "d.part[0]", "d.part[1]"}

// fixture is a plan on three nodes, of which n3 has 4 cores: task k of evil starts at k s and waits for task k − 1, but
// the last two start together. The first task needs 4 cores, and so n3, and all take one or two of the pool db.
func fixture(t *testing.T) *Plan {
	t.Helper()
	b := model.NewBuilder()
	b.Scalars("evil", "cluster", model.Optional[int64]{}, nil)
	origin, err := model.ParseOrigin("2026-11-27T22:00:00Z")
	if err != nil {
		t.Fatal(err)
	}
	b.Origin(origin)
	b.Job(model.Job{ID: "d", Weight: model.UnitWeight}, model.Locus{})
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
	for k := range 3 {
		b.Node(model.Node{ID: fmt.Sprintf("n%d", k+1), Kind: model.HostNode, CPU: model.Some(float64(1 + k/2*3))}, "root",
			model.Locus{})
	}
	b.Capacity(model.Capacity{Resource: "db", Amount: 4 * model.UnitAmount}, "root", model.Locus{})
	s := &model.Schedule{}
	for k, id := range evil {
		cpu, node, start := model.Optional[float64]{}, int32(k%2), model.Time(min(k, len(evil)-2))*model.Second
		if k == 0 {
			cpu, node = model.Some(4.0), 2
		}
		b.Task(model.Task{ID: id, Processing: model.Some(model.Second), CPU: cpu}, "d", "", model.Locus{})
		b.Demand(model.TaskDemand{Resource: "db", Amount: model.Amount(1+k%2)*model.UnitAmount - 1}, id, model.Locus{})
		if k > 0 {
			b.Delay(evil[min(k, len(evil)-2)-1], id, 0, model.Locus{})
		}
		if k > 1 {
			b.Delay(evil[0], id, 0, model.Locus{}) // implied
		}
		s.Entries = append(s.Entries, model.Entry{Task: model.TaskIndex(k), Machine: node, Start: start,
			End: start + model.Second})
	}
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	in, err := shop.New(w)
	if err != nil {
		t.Fatal(err)
	}
	if broken := in.Check(s); len(broken) > 0 {
		t.Fatal(broken)
	}
	p, err := New(in, s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// written is what a plan writes to a path in a new folder.
func written(t *testing.T, to string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out")
	if err := fixture(t).Write(to, path, false, nil); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestSlurm submits with a sbatch that writes its arguments and a number: names are those of files, numbers are passed
// on, and nothing else happens.
func TestSlurm(t *testing.T) {
	path, dir := written(t, "slurm"), t.TempDir()
	const sbatch = "#!/bin/sh\nprintf '%s\\0' \"$@\" . >> log\nn=$(cat n 2>/dev/null || echo 100)\n" +
		"echo $((n + 1)) > n\necho \"$((n + 1));cluster\"\n"
	if err := os.WriteFile(filepath.Join(dir, "sbatch"), []byte(sbatch), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"-n", path}, {path, "-dir"}} {
		c := exec.Command("sh", args...)
		c.Dir, c.Env = dir, append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
		if out, err := c.CombinedOutput(); err != nil || len(out) > 0 {
			t.Fatalf("%v: %s", err, out)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for k, id := range evil {
		want = append(want, "--parsable", fmt.Sprintf("--nice=%d", 100*k))
		if k > 0 {
			want = append(want, fmt.Sprintf("--dependency=afterok:%d", 100+min(k, len(evil)-2)))
		}
		want = append(want, "./-dir/"+strings.NewReplacer("%", "%25", "/", "%2F").Replace(id)+".sh", ".")
	}
	if got := strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00"); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 3 {
		t.Errorf("the folder has %v", entries)
	}
}

// TestAirflow: weights fall with the starts, mapped tasks share theirs, and only what does not fit everywhere has a
// queue, and only if queues are wanted. Python compiles the policy and applies it to stand-ins of tasks, of a version
// with strategies and one without. Run alone, it prints SQL for names that Airflow takes, and nothing for evil ones.
func TestAirflow(t *testing.T) {
	dir := written(t, "airflow")
	text, err := os.ReadFile(filepath.Join(dir, "mrsched_plan.json"))
	if err != nil || strings.Contains(string(text), "queue") {
		t.Errorf("%v: queues that nobody asked for in %s", err, text)
	}
	p := fixture(t)
	p.Queues, dir = true, filepath.Join(t.TempDir(), "queues")
	if err := p.Write("airflow", dir, false, nil); err != nil {
		t.Fatal(err)
	}
	text, err = os.ReadFile(filepath.Join(dir, "mrsched_plan.json"))
	if err != nil {
		t.Fatal(err)
	}
	var plan struct {
		DAGs map[string]map[string]Airflow `json:"dags"`
	}
	if err := json.Unmarshal(text, &plan); err != nil {
		t.Fatal(err)
	}
	tasks := plan.DAGs["d"]
	if len(tasks) != len(evil)-1 {
		t.Errorf("%d tasks", len(tasks))
	}
	for name, want := range map[string]Airflow{strings.TrimPrefix(evil[0], "d."): {Weight: 9, Pool: "db", Slots: 1,
		Queue: "n3"}, "b\ntouch broken\n": {Weight: 8, Pool: "db", Slots: 2}, "part": {Weight: 1, Pool: "db", Slots: 2},
		"-rf": {Weight: 5, Pool: "db", Slots: 1}} {
		if tasks[name] != want {
			t.Errorf("%q: %+v, want %+v", name, tasks[name], want)
		}
	}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("this machine has no python3")
	}
	const try = `
import sys, types
sys.dont_write_bytecode = True
if sys.argv[1] == "new":
    module = types.ModuleType("airflow.task.priority_strategy")
    module.validate_and_load_priority_weight_strategy = lambda name: ("strategy", name)
    for name in ("airflow", "airflow.task"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["airflow.task.priority_strategy"] = module
from mrsched_policy import task_policy
for task in (types.SimpleNamespace(dag_id="d", task_id="-rf"), types.SimpleNamespace(dag_id="d", task_id="none"),
             types.SimpleNamespace(dag_id="d", task_id="part", partial_kwargs={"retries": 1})):
    task_policy(task)
    print(sorted(vars(task).items()))
`
	out, err := exec.Command("python3", filepath.Join(dir, "mrsched_policy.py")).CombinedOutput()
	const sql = "UPDATE task_instance SET priority_weight = 5 WHERE dag_id = 'd' AND task_id = '-rf' AND (state IS " +
		"NULL OR state IN ('scheduled', 'up_for_retry'));\n"
	if err != nil || !strings.Contains(string(out), sql) || strings.Count(string(out), "\n") != 2 { // and for part
		t.Errorf("%v: %s", err, out)
	}
	for version, rule := range map[string]string{"old": "'absolute'", "new": "('strategy', 'absolute')"} {
		c := exec.Command("python3", "-c", try, version)
		c.Dir = dir
		out, err := c.CombinedOutput()
		want := "[('dag_id', 'd'), ('pool', 'db'), ('pool_slots', 1), ('priority_weight', 5), ('task_id', '-rf'), " +
			"('weight_rule', " + rule + ")]\n[('dag_id', 'd'), ('task_id', 'none')]\n[('dag_id', 'd'), ('partial_kwargs', " +
			"{'retries': 1, 'priority_weight': 1, 'pool': 'db', 'pool_slots': 2, 'weight_rule': " + rule +
			"}), ('task_id', 'part')]\n"
		if err != nil || string(out) != want {
			t.Errorf("%v: got %s\nwant %s", err, out, want)
		}
	}
}

// TestCSV: the node, what starts before on it, and what a task waits for without what is implied.
func TestCSV(t *testing.T) {
	p, out := fixture(t), &bytes.Buffer{}
	if err := p.Write("csv", "-", false, out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"task,job,start,start_time,node,after_on_node,waits_for,end,end_time\n",
		`"d.a'; touch ""$PWD/broken""; '",d,0,2026-11-27T22:00:00Z,n3,,,1,2026-11-27T22:00:01Z` + "\n",
		"'-rf,d,4,2026-11-27T22:00:04Z,n1,d.$(touch broken)`touch broken`,d.back\\\\slash\\\\,5,",
		"d.part[1],d,8,2026-11-27T22:00:08Z,n2,\"d.\"\"quoted\"\" ${HOME}\",\"d.\"\"quoted\"\" ${HOME}\",9,",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

// TestNotes: instances of a mapped task that take one and two slots have one number in Airflow, and a note says so.
func TestNotes(t *testing.T) {
	want := []string{"instances of 1 task differ in pool, pool_slots or queue, and Airflow has one for all: the pool " +
		"of the first, the most slots, and no queue", "Airflow chooses the nodes of 1 task that not every node may run, " +
		"by their own queues; with --queue node, the plan chooses"}
	if got := fixture(t).Untold("airflow"); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := fixture(t).Untold("csv"); got != nil {
		t.Errorf("%q", got)
	}
}

// TestCollisions: ids that are one task of Airflow are refused, in either order.
func TestCollisions(t *testing.T) {
	for name, want := range map[string]string{
		"part":      `"part" and "d.part[0]" are both the task "part" of the DAG "d"`,
		"part[1]":   `"part[1]" and "d.part[1]" are both`,
		"-rf":       "",
		"d.100%":    `"d.100%" and "d.100%" are both`,
		"d.part[2]": "",
	} {
		p := fixture(t)
		p.w.Tasks[0].ID = name
		if name == "-rf" {
			p.w.Tasks[0].ID, p.w.Tasks[4].ID = "d.x", name
		}
		err := p.Write("airflow", filepath.Join(t.TempDir(), "x"), false, nil)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	p := fixture(t)
	p.w.Tasks[len(evil)-1].ID = "part"
	if err := p.Write("airflow", filepath.Join(t.TempDir(), "x"), false, nil); err == nil ||
		!strings.Contains(err.Error(), `"d.part[0]" and "part" are both the task "part"`) {
		t.Error(err)
	}
}

// TestRefusals: what cannot be exported or replaced.
func TestRefusals(t *testing.T) {
	p := fixture(t)
	same, err := shop.NewIdentical(p.w, 2)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(same, p.Schedule); err == nil || !strings.Contains(err.Error(),
		"hint: mrsched solve INSTANCE -p cluster") {
		t.Error(err)
	}
	p.w.Tasks[3].ID = "a\x00b"
	if err := p.Write("slurm", filepath.Join(t.TempDir(), "x"), false, nil); err == nil ||
		!strings.Contains(err.Error(), `the id "a\x00b" holds a NUL character`) {
		t.Error(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "airflow.cfg"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Replaceable(dir); err == nil {
		t.Error("a folder with another file may be replaced")
	}
	if err := Replaceable(filepath.Join(dir, "airflow.cfg")); err == nil {
		t.Error("a file may be replaced by a folder")
	}
	if err := Replaceable(written(t, "airflow")); err != nil {
		t.Error(err)
	}
}
