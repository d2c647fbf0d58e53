package rumen

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mrsched/io/trace"
	"mrsched/io/trace/golden"
	"mrsched/model"
)

// traces is the folder of the real traces, which do not belong to the repository.
const traces = "../../../../shared/traces/rumen"

// open opens a real trace or skips the test.
func open(t testing.TB, name string) *os.File {
	t.Helper()
	f, err := os.Open(filepath.Join(traces, name))
	if os.IsNotExist(err) {
		t.Skipf("the real traces are absent (%v)", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func importReal(t testing.TB, name, topology string, opt Options) *model.Workload {
	t.Helper()
	return golden.Must(t)(Import(trace.File{Name: name, Text: open(t, name)},
		&trace.File{Name: topology, Text: open(t, topology)}, opt))
}

// numbers are what the tests on real traces count.
type numbers struct{ jobs, maps, reduces, racks, hosts, threeReplicas, noBlock int }

func count(w *model.Workload) (n numbers) {
	n.jobs = len(w.Jobs)
	replicas := map[model.BlockIndex]int{}
	for _, p := range w.Placements {
		replicas[p.Block]++
	}
	for _, node := range w.Topology {
		switch node.Kind {
		case model.RackNode:
			n.racks++
		case model.HostNode:
			n.hosts++
		}
	}
	for _, t := range w.Tasks {
		switch {
		case t.Kind == model.Reduce:
			n.reduces++
			continue
		case t.Block == model.None:
			n.noBlock++
		case replicas[t.Block] == 3:
			n.threeReplicas++
		}
		n.maps++
	}
	return n
}

// locality is Hadoop's own: the reading maps that ran on a node, on a rack, off the racks of a replica.
func locality(w *model.Workload) (node, rack, off int) {
	hosts := map[string]model.NodeIndex{}
	for i, n := range w.Topology {
		if n.Kind == model.HostNode {
			hosts[n.ID] = model.NodeIndex(i)
		}
	}
	replicas := map[model.BlockIndex][]model.NodeIndex{}
	for _, p := range w.Placements {
		replicas[p.Block] = append(replicas[p.Block], p.Node)
	}
	for _, t := range w.Tasks {
		if t.Kind != model.Map || t.RecordedNode == "" || t.InputBytes.Or(0) == 0 {
			continue
		}
		ran, known := hosts[t.RecordedNode]
		sameRack := func(n model.NodeIndex) bool { return known && w.Topology[n].Parent == w.Topology[ran].Parent }
		switch {
		case known && slices.Contains(replicas[t.Block], ran):
			node++
		case slices.ContainsFunc(replicas[t.Block], sameRack):
			rack++
		default:
			off++
		}
	}
	return node, rack, off
}

// TestRealTraces compares with the figures of ../shared/traces/README.md and the issues.
func TestRealTraces(t *testing.T) {
	cases := []struct {
		trace, topology string
		includeFailed   bool
		want            numbers
		local           [3]int // node-local, rack-local, off-rack
	}{
		{"19-jobs.trace.json.gz", "19-jobs.topology.json.gz", true, numbers{19, 8573, 3256, 41, 1545, 7067, 1506},
			[3]int{3034, 1409, 201}},
		{"19-jobs.trace.json.gz", "19-jobs.topology.json.gz", false, numbers{14, 1335, 2655, 41, 1545, 330, 1005},
			[3]int{21, 189, 120}},
		{"input-trace.json", "input-topology.json", true, numbers{3, 154, 49, 41, 522, 154, 0}, [3]int{14, 96, 44}},
		// The four hosts of this topology are none of the trace's.
		{"trace_1m.json.gz", "topo-with-numeric-ips.json", false, numbers{5, 42, 5, 2, 4, 0, 42}, [3]int{0, 0, 42}},
	}
	for _, c := range cases {
		w := importReal(t, c.trace, c.topology, Options{IncludeFailed: c.includeFailed})
		if got := count(w); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.trace, got, c.want)
		}
		node, rack, off := locality(w)
		if got := [3]int{node, rack, off}; got != c.local {
			t.Errorf("%s: locality %v, want %v", c.trace, got, c.local)
		}
	}
}

// TestRealTimes: the sums of all processing times and delays of the 19-job trace, as an independent script computed
// them from the file.
func TestRealTimes(t *testing.T) {
	w := importReal(t, "19-jobs.trace.json.gz", "19-jobs.topology.json.gz", Options{IncludeFailed: true})
	var sums [2]model.Time
	var delays model.Time
	for _, task := range w.Tasks {
		sums[task.Kind] += task.Processing.Value
		delays += task.ShuffleDelay
	}
	if sums != [2]model.Time{2036544_205000, 4063786_691000} || delays != 25512_073000 {
		t.Errorf("maps %v s, reduces %v s, delays %v s", sums[model.Map], sums[model.Reduce], delays)
	}
	noted(t, w, "2425 tasks without a recorded duration take their job's median",
		"1000 tasks of jobs without any recorded duration of that kind take the trace's median")
}
