package wfformat

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mrsched/io/trace/golden"
	"mrsched/model"
	"mrsched/model/multitenant"
	"mrsched/model/realtime"
	"mrsched/model/shop"
)

const data = "../../../testdata/wfformat"

// run imports files of testdata.
func run(t testing.TB, opt Options, names ...string) *model.Workload {
	t.Helper()
	return golden.Must(t)(Import(golden.Files(t, data, names...), opt))
}

// TestRules is worked by hand.
func TestRules(t *testing.T) {
	w := run(t, Options{}, "diamond.json")
	golden.Same(t, w, `diamond for "msjo": 4 tasks, 4 delays, 9 machines
diamond at 0 s, ended at 61.25 s
  map split 10 s, 1 cores, in 1000, out 3000000 on node1
  reduce left 20 s, in 2000000, out 500000, memory 4096
  reduce right 30.5 s, 4 cores, in 1001000, out 4000000
  reduce join 5 s, in 4500000 on node2
split > left 0
split > right 0
left > join 0
right > join 0
imported from WfFormat 1.5: 1 workflow, 4 tasks, 4 edges
the workflow is released at 0
files move in no time
9 machines: one a core of 2 stated machines, all of the same speed
1 machine without a number of cores counts as one
1 task used several cores and runs on one machine all the same
1 task names several machines, of which the first counts
`)
	in, err := shop.NewIdentical(w, 0)
	if err != nil {
		t.Fatal(err)
	}
	if in.Nodes != 9 || in.Alone[0].String() != "45.5" { // 10 + 30.5 + 5
		t.Errorf("%d machines, alone %s s", in.Nodes, in.Alone[0])
	}
	if _, err := multitenant.New(w, multitenant.Options{}); err != nil {
		t.Error(err)
	}
	if _, err := realtime.New(w, realtime.Options{}); err != nil {
		t.Error(err)
	}
}

// TestSeveral: ids tell the file; releases are those of the executions, 08:00 and 08:01:30 UTC.
func TestSeveral(t *testing.T) {
	w := run(t, Options{}, "diamond.json", "second.json")
	golden.Holds(t, w, strings.Split(`diamond for "msjo": 7 tasks, 6 delays, 9 machines
diamond at 0 s, ended at 61.25 s
reduce diamond/join 5 s, in 4500000 on node2
second at 90 s, ended at 120 s
map second/ID1 4 s, 1 cores, in 10, out 300, memory 1500 on node1
reduce second/ID2 6.25 s, in 300
reduce second/sum 1 s
diamond/left > diamond/join 0
second/ID1 > second/ID2 0
second/ID2 > second/sum 0
imported from WfFormat 1.5: 2 workflows, 7 tasks, 6 edges
the workflows are released as they were executed, the first one at 0, the last one at 90 s (--interarrival 0 releases all at once)
files move in no time
1 machine is stated several times with other numbers, of which the largest ones count
1 workflow states edges at one of their ends only`, "\n")...)
	if len(w.Notes) != 9 {
		t.Error(w.Notes)
	}
	apart := Options{Interarrival: model.Some(7 * model.Second), Machines: model.Some(int64(3))}
	golden.Holds(t, run(t, apart, "diamond.json", "second.json", "plain.json"),
		`diamond for "msjo": 10 tasks, 7 delays, 3 machines`, "plain at 14 s, ended at 23 s",
		"the workflows are released one after another, 7 s apart")
	golden.Holds(t, run(t, Options{}, "diamond.json", "plain.json"), "diamond at 0 s, ended at 61.25 s",
		"plain at 0 s, ended at 9 s", "not all workflows state when they were executed: all are released at 0")
}

// TestPlain: no machines, no sizes, edges at one end. The file is packed.
func TestPlain(t *testing.T) {
	packed := golden.Packed(t, golden.Files(t, data, "plain.json")[0])
	packed.Name = "dir/plain.json.gz"
	w := golden.Must(t)(Import([]File{packed}, Options{}))
	golden.Same(t, w, `plain for "msjo": 3 tasks, 1 delays, 2 machines
plain at 0 s, ended at 9 s
  map x 2 s
  map y 3 s, in 12
  reduce z 4 s
x > z 0
imported from WfFormat 1.6: 1 workflow, 3 tasks, 1 edge
the workflow is released at 0
files move in no time
no machines are stated: there are 2, as many as the widest level of a workflow has tasks
1 workflow states edges at one of their ends only
1 workflow does not tell the sizes of all its files
`)
}

// TestBad imports every file of testdata/wfformat/bad.
func TestBad(t *testing.T) {
	golden.Bad(t, data+"/bad/*.json", func(path string) (*model.Workload, error) {
		return Import(golden.Files(t, "", path), Options{})
	})
}

// TestStatedTwice: of a machine that is stated twice the largest numbers count, whatever the order.
func TestStatedTwice(t *testing.T) {
	const document = `{"schemaVersion":"1.5","workflow":{"specification":{"tasks":[{"id":"a","parents":[],"children":[]}]},
"execution":{"tasks":[{"id":"a","runtimeInSeconds":4,"machines":["n","n"]}],"machines":[%s]}}}`
	for _, machines := range []string{
		`{"nodeName":"n","cpu":{"coreCount":2,"speedInMHz":100}},{"nodeName":"n","cpu":{"coreCount":4}}`,
		`{"nodeName":"n","cpu":{"coreCount":4}},{"nodeName":"n","cpu":{"speedInMHz":100,"coreCount":2}}`,
	} {
		for want, nodes := range map[string]bool{"node n 0+0, 4 cores, speed 1": true,
			`f for "msjo": 1 tasks, 0 delays, 4 machines`: false} {
			w := golden.Must(t)(Import(golden.Text(fmt.Sprintf(document, machines)), Options{Nodes: nodes}))
			golden.Holds(t, w, want, "map a 4 s on n",
				"1 machine is stated several times with other numbers, of which the largest ones count")
		}
	}
}

// TestNodes: node2 is half as fast as node1, so that join, recorded there, takes 2.5 s at speed 1. node2 states memory
// and no cores.
func TestNodes(t *testing.T) {
	w := run(t, Options{Nodes: true}, "diamond.json", "second.json")
	golden.Holds(t, w, `diamond for "cluster": 7 tasks, 6 delays, 0 machines`, "node node1 0+0, 8 cores, speed 1",
		"node node2 0+0, memory 8000000, speed 0.5", "reduce diamond/join 2.5 s, in 4500000 on node2",
		"no all the same", "no without a speed",
		"2 nodes of the files: cores, memory and speed are as stated, speeds relative to the fastest")
	// With the speed of node2 in kilohertz, what ran on node1 at 2400 MHz would take a 500th of its time.
	text, err := os.ReadFile(data + "/diamond.json")
	if err != nil {
		t.Fatal(err)
	}
	for speed, want := range map[string]string{"24": "", "240000": "", "1200000": "T501 f:17:9", "23": "T501 f:16:9"} {
		_, err := Import(golden.Text(strings.Replace(string(text), "1200.0", speed, 1)), Options{Nodes: true})
		if err != nil || want != "" {
			golden.Refused(t, want)(nil, err)
		}
	}
	in, err := shop.New(w)
	if err != nil {
		t.Fatal(err)
	}
	if in.Nodes != len(w.Topology)-1 || in.Length(3, 1) != 5*model.Second {
		t.Errorf("%d nodes, join takes %s s where it ran", in.Nodes, in.Length(3, 1))
	}
}

// TestRefused refuses bad options, files of one name, values without end, and values within each
// other without end. It counts findings beyond the first hundred.
func TestRefused(t *testing.T) {
	same := append(golden.Text("{}"), golden.Text("{}")...)
	same[0].Name, same[1].Name = "a/x.json", "b/x.json"
	golden.Refused(t, "V210, V210")(Import(nil, Options{Interarrival: model.Some(model.Time(-1)),
		Machines: model.Some(int64(0))}))
	golden.Refused(t, "V210")(Import(golden.Files(t, data, "diamond.json"),
		Options{Nodes: true, Machines: model.Some(int64(2))}))
	golden.Refused(t, "T503")(Import(nil, Options{}))
	golden.Refused(t, "T503")(Import(golden.Files(t, data, "plain.json"), Options{Nodes: true}))
	golden.Refused(t, "T501 a/x.json:1:1, R301 b/x.json, T501 b/x.json:1:1")(Import(same, Options{}))
	golden.Refused(t, "F106 f:1:8")(Import(golden.Endless(`{"name":"`, 'x'), Options{}))
	golden.Refused(t, "F103 f:1:10008")(Import(golden.Endless(`{"name":`, '['), Options{}))
	many := strings.Repeat("{},", 300)
	_, err := Import(golden.Text(`{"schemaVersion":"1.5","workflow":{"specification":{"tasks":[`+many+`{}]}}}`), Options{})
	if input, ok := err.(*model.InputError); !ok || len(input.Findings) != 100 || input.More != 201 {
		t.Error(err)
	}
}

// TestLongerThanMakespan: no task runs longer than its whole workflow, 12 s.
func TestLongerThanMakespan(t *testing.T) {
	const text = `{"schemaVersion":"1.5","workflow":{"specification":{"tasks":[{"id":"a","parents":[],"children":[]},` +
		`{"id":"b","parents":[],"children":[]}]},"execution":{"makespanInSeconds":12,"tasks":[` +
		`{"id":"a","runtimeInSeconds":12},{"id":"b","runtimeInSeconds":3600000}]}}}`
	w := golden.Must(t)(Import(golden.Text(text), Options{}))
	golden.Holds(t, w, "map a 12 s", "map b 12 s",
		"1 task states a longer time than the makespan of its workflow and takes that")
}

// TestProperties: a random DAG comes back with its edges and times, whichever ends it is stated at.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "tasks")
		parents, children := make([][]string, n), make([][]string, n)
		want := map[string]bool{}
		for i := range n {
			for k := range i {
				if rapid.Bool().Draw(t, "edge") {
					parents[i] = append(parents[i], fmt.Sprintf("%q", name(k)))
					children[k] = append(children[k], fmt.Sprintf("%q", name(i)))
					want[name(k)+">"+name(i)] = true
				}
			}
		}
		ends := rapid.IntRange(1, 3).Draw(t, "ends")
		var tasks, runs []string
		for _, i := range rapid.Permutation(places(n)).Draw(t, "order") {
			text := fmt.Sprintf(`{"id":%q,"name":"any"`, name(i))
			if ends&1 > 0 {
				text += `,"parents":[` + strings.Join(parents[i], ",") + "]"
			}
			if ends&2 > 0 {
				text += `,"children":[` + strings.Join(children[i], ",") + "]"
			}
			tasks, runs = append(tasks, text+"}"), append(runs, fmt.Sprintf(`{"id":%q,"runtimeInSeconds":%d}`, name(i), i))
		}
		flow := fmt.Sprintf(`"specification":{"tasks":[%s]},"execution":{"tasks":[%s]}`, strings.Join(tasks, ","),
			strings.Join(runs, ","))
		w, err := Import(golden.Text(`{"schemaVersion":"1.5","workflow":{`+flow+`}}`), Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		for _, d := range w.Delays {
			got[w.Tasks[d.From].ID+">"+w.Tasks[d.To].ID] = true
		}
		if diff := cmp.Diff(want, got); diff != "" || len(w.Delays) != len(want) || len(w.Tasks) != n {
			t.Fatal(diff)
		}
		for _, u := range w.Tasks {
			if name(int(u.Processing.Value/model.Second)) != u.ID {
				t.Fatalf("%s takes %s s", u.ID, u.Processing.Value)
			}
		}
	})
}

func name(i int) string { return fmt.Sprintf("t%d", i) }

func places(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

func FuzzImport(f *testing.F) {
	run := func(files []File) (*model.Workload, error) {
		w, err := Import(files, Options{})
		if err == nil && len(w.Jobs) != len(files) {
			err = fmt.Errorf("%d jobs of %d files", len(w.Jobs), len(files))
		}
		return w, err
	}
	diamond, err := os.ReadFile(data + "/diamond.json")
	if err != nil {
		f.Fatal(err)
	}
	golden.Fuzz(f, data, run, func(files []File) (*model.Workload, error) {
		return run(append(files, File{Name: "g", Text: bytes.NewReader(diamond)}))
	})
}
