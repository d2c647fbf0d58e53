package wfformat

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mrsched/io/trace/golden"
	"mrsched/model"
	"mrsched/model/cluster"
	"mrsched/model/msjo"
	"mrsched/model/multitenant"
	"mrsched/model/realtime"
)

const data = "../../../testdata/wfformat"

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

// show prints jobs, tasks and delays in words that an expectation can be written in.
func show(w *model.Workload) string {
	var b strings.Builder
	for j, x := range w.Jobs {
		fmt.Fprintf(&b, "%s at %s s", x.ID, x.Release)
		if x.RecordedCompletion.Known {
			fmt.Fprintf(&b, ", ended at %s s", x.RecordedCompletion.Value)
		}
		b.WriteString("\n")
		for _, t := range w.Tasks {
			if int(t.Job) != j {
				continue
			}
			fmt.Fprintf(&b, "  %s %s %s s", t.Kind, t.ID, t.Processing.Value)
			if t.CPU.Known {
				fmt.Fprintf(&b, ", %v cores", t.CPU.Value)
			}
			for _, x := range []struct {
				what  string
				bytes model.Optional[model.Bytes]
			}{{"in", t.InputBytes}, {"out", t.OutputBytes}, {"memory", t.MemoryBytes}} {
				if x.bytes.Known {
					fmt.Fprintf(&b, ", %s %d", x.what, x.bytes.Value)
				}
			}
			if t.RecordedNode != "" {
				b.WriteString(" on " + t.RecordedNode)
			}
			b.WriteString("\n")
		}
	}
	for _, d := range w.Delays {
		fmt.Fprintf(&b, "%s > %s %s\n", w.Tasks[d.From].ID, w.Tasks[d.To].ID, d.Delay)
	}
	return b.String()
}

// TestRules is worked by hand, at 1 MB/s: right also reads in.dat, which its parent does not write.
func TestRules(t *testing.T) {
	w, err := Import(read(t, "diamond.json"), Options{Bandwidth: model.Some(1e6)})
	if err != nil {
		t.Fatal(err)
	}
	const want = `diamond at 0 s, ended at 61.25 s
  map split 10 s, 1 cores, in 1000, out 3000000 on node1
  reduce left 20 s, in 2000000, out 500000, memory 4096
  reduce right 30.5 s, 4 cores, in 1001000, out 4000000
  reduce join 5 s, in 4500000 on node2
split > left 2
split > right 1
left > join 0.5
right > join 4
`
	if diff := cmp.Diff(want, show(w)); diff != "" {
		t.Error(diff)
	}
	notes := []string{"imported from WfFormat 1.5: 1 workflow, 4 tasks, 4 edges", "the workflow is released at 0",
		"an edge's delay is what the files that pass along it take at 1000000 B/s",
		"9 machines: one a core of 2 stated machines, all of the same speed",
		"1 machine without a number of cores counts as one",
		"1 task used several cores and runs on one machine all the same",
		"1 task names several machines, of which the first counts"}
	if diff := cmp.Diff(notes, w.Notes); diff != "" {
		t.Error(diff)
	}
	in, err := msjo.New(w, 0)
	if err != nil {
		t.Fatal(err)
	}
	if w.Problem != "msjo" || in.Machines != 9 || in.Alone[0].String() != "50.5" { // 10 + 1 + 30.5 + 4 + 5
		t.Errorf("%s on %d machines, alone %s s", w.Problem, in.Machines, in.Alone[0])
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
	w, err := Import(read(t, "diamond.json", "older.json"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	const want = `diamond at 0 s, ended at 61.25 s
  map diamond/split 10 s, 1 cores, in 1000, out 3000000 on node1
  reduce diamond/left 20 s, in 2000000, out 500000, memory 4096
  reduce diamond/right 30.5 s, 4 cores, in 1001000, out 4000000
  reduce diamond/join 5 s, in 4500000 on node2
older at 90 s, ended at 120 s
  map older/ID1 4 s, 1 cores, in 10, out 300, memory 1500 on node1
  reduce older/ID2 6.25 s, in 300
  reduce older/sum 1 s
diamond/split > diamond/left 0
diamond/split > diamond/right 0
diamond/left > diamond/join 0
diamond/right > diamond/join 0
older/ID1 > older/ID2 0
older/ID2 > older/sum 0
`
	if diff := cmp.Diff(want, show(w)); diff != "" {
		t.Error(diff)
	}
	notes := []string{"imported from WfFormat 1.5, 1.3: 2 workflows, 7 tasks, 6 edges",
		"the workflows are released as they were executed, the first one at 0, the last one at 90 s (--interarrival 0 " +
			"releases all at once)",
		"files move in no time (--bandwidth makes delays of them)", "9 machines: one a core of 2 stated machines, all of " +
			"the same speed", "1 machine is stated several times with other numbers, of which the largest ones count",
		"1 machine without a number of cores counts as one",
		"1 task used several cores and runs on one machine all the same",
		"1 task names several machines, of which the first counts", "1 workflow states edges at one of their ends only",
		"1 file has another size elsewhere in the document; the first one counts"}
	if diff := cmp.Diff(notes, w.Notes); diff != "" {
		t.Error(diff)
	}
	w, err = Import(read(t, "diamond.json", "older.json", "plain.json"),
		Options{Interarrival: model.Some(7 * model.Second), Machines: model.Some(int64(3))})
	if err != nil || w.Jobs[2].Release != 14*model.Second || w.Machines.Value != 3 ||
		!slices.Contains(w.Notes, "the workflows are released one after another, 7 s apart") {
		t.Error(err, w)
	}
	w, err = Import(read(t, "diamond.json", "plain.json"), Options{})
	if err != nil || w.Jobs[0].Release != 0 || w.Jobs[1].Release != 0 || !slices.Contains(w.Notes,
		"not all workflows state when they were executed: all are released at 0") {
		t.Error(err, w)
	}
	if _, err := Import([]File{{Name: "a/x.json", Text: strings.NewReader("{}")}, {Name: "b/x.json", Text: strings.NewReader("{}")}},
		Options{}); err == nil || !strings.Contains(err.Error(), `R301 b/x.json: another file is called "x" too`) {
		t.Error(err)
	}
}

// TestPlain: no machines, no sizes, edges at one end.
func TestPlain(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(data, "plain.json"))
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(text)
	_ = z.Close()
	w, err := Import([]File{{Name: "dir/plain.json.gz", Text: &packed}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	const want = `plain at 0 s, ended at 9 s
  map x 2 s
  map y 3 s, in 12
  reduce z 4 s
x > z 0
`
	if diff := cmp.Diff(want, show(w)); diff != "" {
		t.Error(diff)
	}
	notes := []string{"imported from WfFormat 1.6: 1 workflow, 3 tasks, 1 edge", "the workflow is released at 0",
		"files move in no time (--bandwidth makes delays of them)",
		"no machines are stated: there are 2, as many as the widest level of a workflow has tasks",
		"1 workflow states edges at one of their ends only", "1 workflow does not tell the sizes of all its files"}
	if diff := cmp.Diff(notes, w.Notes); diff != "" {
		t.Error(diff)
	}
}

func TestParseTime(t *testing.T) {
	for _, text := range []string{"2024-05-01T10:00:00+02:00", "2024-05-01T08:00:00Z", "2024-05-01T08:00:00",
		"2024-05-01T03:30:00-0430", "2024-05-01 08:00:00", "20240501T080000Z", "20240501T080000",
		"2024-05-01T08:00:00.000000"} {
		if at, ok := parseTime(text); !ok || at.Unix() != 1714550400 {
			t.Errorf("%s: %v %v", text, at, ok)
		}
	}
	if _, ok := parseTime("yesterday"); ok {
		t.Error("yesterday is a time")
	}
}

// TestBad imports every file of testdata/wfformat/bad, named after the code that it provokes, and compares the whole
// message with the .golden file next to it.
func TestBad(t *testing.T) {
	golden.Bad(t, filepath.Join(data, "bad", "*.json"), func(path string) (*model.Workload, error) {
		return Import(read(t, filepath.Join("bad", filepath.Base(path))), Options{})
	})
}

// TestStatedTwice: of a machine that is stated twice, and of a number that two keys state, the largest numbers count,
// whatever the order. The first ones counted without a word.
func TestStatedTwice(t *testing.T) {
	const document = `{"schemaVersion":"1.5","workflow":{"specification":{"tasks":[{"id":"a","parents":[],"children":[]}]},
"execution":{"tasks":[{"id":"a",%s,"machines":["n","n"]}],"machines":[%s]}}}`
	for _, c := range [][2]string{
		{`"runtime":3,"runtimeInSeconds":4`, `{"nodeName":"n","cpu":{"coreCount":2,"speed":100}},{"nodeName":"n","cpu":{"count":4}}`},
		{`"runtimeInSeconds":4,"runtime":3`, `{"nodeName":"n","cpu":{"count":4}},{"nodeName":"n","cpu":{"speed":100,"coreCount":2}}`},
	} {
		for _, nodes := range []bool{true, false} {
			text := strings.NewReader(fmt.Sprintf(document, c[0], c[1]))
			w, err := Import([]File{{Name: "f", Text: text}}, Options{Nodes: nodes})
			if err != nil {
				t.Fatal(err)
			}
			if w.Tasks[0].Processing.Value != 4*model.Second || nodes && w.Topology[1].CPU.Value != 4 ||
				!nodes && w.Machines.Value != 4 {
				t.Errorf("%s s, %+v, %d machines", w.Tasks[0].Processing.Value, w.Topology, w.Machines.Value)
			}
			for _, note := range []string{"1 number is stated under two keys with other values; the larger one counts",
				"1 machine is stated several times with other numbers, of which the largest ones count"} {
				if !slices.Contains(w.Notes, note) {
					t.Error(w.Notes)
				}
			}
		}
	}
}

// TestNodes: node2 is half as fast as node1, so that join, recorded there, takes 2.5 s at speed 1. node2 states memory
// and no cores.
func TestNodes(t *testing.T) {
	w, err := Import(read(t, "diamond.json", "older.json"), Options{Nodes: true})
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, n := range w.Topology[1:] {
		fmt.Fprintf(&got, "%s: cores %v, memory %v, speed %v\n", n.ID, n.CPU, n.MemoryBytes, n.Speed)
	}
	fmt.Fprintln(&got, w.Problem, w.Tasks[3].Processing, w.Machines)
	const want = `node1: cores {8 true}, memory {0 false}, speed {1 true}
node2: cores {0 false}, memory {8000000 true}, speed {0.5 true}
cluster {2.5 true} {0 false}
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Error(diff)
	}
	notes := strings.Join(w.Notes, "\n")
	if !strings.Contains(notes, "as stated, speeds relative to the fastest\n") || strings.Contains(notes, "all the same") {
		t.Error(notes)
	}
	in, err := cluster.New(w)
	if err != nil {
		t.Fatal(err)
	}
	if in.Nodes != len(w.Topology)-1 || in.Length(3, 1) != 5*model.Second {
		t.Errorf("%d nodes, join takes %s s where it ran", in.Nodes, in.Length(3, 1))
	}
	if _, err := Import(read(t, "plain.json"), Options{Nodes: true}); err == nil || !strings.HasPrefix(err.Error(), "T503") {
		t.Error(err)
	}
	both := Options{Nodes: true, Machines: model.Some[int64](2)}
	if _, err := Import(read(t, "diamond.json"), both); err == nil || !strings.Contains(err.Error(), "one of the two") {
		t.Error(err)
	}
}

func TestOptions(t *testing.T) {
	bad := Options{Interarrival: model.Some(model.Time(-1)), Bandwidth: model.Some(math.NaN()),
		Machines: model.Some(int64(0))}
	const want = `V210: -0.000001 s between releases; expected 0 or more
V210: NaN bytes per second; expected a number above 0
V210: 0 machines; expected from 1 to 2147483647`
	if _, err := Import(nil, bad); err == nil || err.Error() != want {
		t.Error(err)
	}
	if _, err := Import(nil, Options{}); err == nil || !strings.HasPrefix(err.Error(), "T503") {
		t.Error(err)
	}
	// Endless transfers are the builder's finding.
	if _, err := Import(read(t, "diamond.json"), Options{Bandwidth: model.Some(1e-300)}); err == nil ||
		!strings.HasPrefix(err.Error(), "S408") {
		t.Error(err)
	}
}

// TestLongerThanMakespan: no task runs longer than its whole workflow, 12 s.
func TestLongerThanMakespan(t *testing.T) {
	const text = `{"schemaVersion":"1.5","workflow":{"specification":{"tasks":[{"id":"a","parents":[],"children":[]},` +
		`{"id":"b","parents":[],"children":[]}]},"execution":{"makespanInSeconds":12,"tasks":[` +
		`{"id":"a","runtimeInSeconds":12},{"id":"b","runtimeInSeconds":3600000}]}}}`
	w, err := Import([]File{{Name: "w.json", Text: strings.NewReader(text)}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range w.Tasks {
		if u.Processing.Value != 12*model.Second {
			t.Errorf("%s takes %s s", u.ID, u.Processing.Value)
		}
	}
	const note = "1 task states a longer time than the makespan of its workflow and takes that"
	if !slices.Contains(w.Notes, note) {
		t.Errorf("notes %q", w.Notes)
	}
}
