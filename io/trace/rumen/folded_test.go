package rumen

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mrsched/io/trace"
	"mrsched/io/trace/golden"
	"mrsched/model"
	"mrsched/model/hta"
	"mrsched/model/multitenant"
	"mrsched/model/realtime"
	"mrsched/model/reduceplace"
	"mrsched/model/shop"
)

// TestRepeatedJobsRefusedTheTrace: Rumen's Folder samples jobs again under their old ids, which once gave R301 each.
// The second job_1 cannot become job_1.2, which follows and repeats itself.
func TestRepeatedJobsRefusedTheTrace(t *testing.T) {
	w := mustImport(t, "folded.json", "", DefaultOptions())
	const want = `job_1 release=0 weight=3 reduces=1 tenant=ann bytes=100
  task_1_m_0 map p=2 delay=1 out=100 on=a block_task_1_m_0@a
  task_1_r_0 reduce p=1 on=b
job_1.3 release=0.5 weight=3 reduces=1 tenant=ann bytes=100
  task_1_m_0.3 map p=2 delay=1 out=100 on=a block_task_1_m_0.3@a
  task_1_r_0.3 reduce p=1 on=b
job_2 release=1 weight=3 reduces=0
  task_2_m_0 map p=0.5 on=a
job_1.4 release=1.5 weight=3 reduces=1 tenant=ann bytes=100
  task_1_m_0.4 map p=2 delay=1 out=100 on=a block_task_1_m_0.4@a
  task_1_r_0.4 reduce p=1 on=b
job_1.2 release=2 weight=3 reduces=0
  task_3_m_0 map p=0.5 on=c
job_1.2.2 release=2 weight=3 reduces=0
  task_3_m_0.2 map p=0.5 on=c
`
	if diff := cmp.Diff(want, show(w)); diff != "" {
		t.Error(diff)
	}
	const note = "3 jobs with ids of earlier jobs are renamed: .2, .3, … follows their ids and those of their tasks"
	noted(t, w, note)
}

// TestRepeatsProperty: the workload's ids are unique, and the first job of an id keeps it.
func TestRepeatsProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfN(rapid.SampledFrom([]string{"j", "j.2", "j.3", "j.2.2", "k", "k.10"}), 1, 20).Draw(t, "ids")
		var trace strings.Builder
		for i, id := range ids {
			fmt.Fprintf(&trace, `{"jobID":%q,"mapTasks":[{"taskID":"m_%s",`, id, id)
			fmt.Fprintf(&trace, `"attempts":[{"result":"SUCCESS","startTime":0,"finishTime":%d}]}]}`, i)
		}
		w, err := imported(trace.String())
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for i, id := range ids {
			got := w.Jobs[i].ID
			if ending, ok := strings.CutPrefix(got, id); !ok || !seen[id] && ending != "" || w.Tasks[i].ID != "m_"+got {
				t.Fatalf("job %d of %v is %s with task %s", i, ids, got, w.Tasks[i].ID)
			}
			seen[id] = true
		}
	})
}

// rows prints a topology, a row a line.
func rows(w *model.Workload) string {
	var b strings.Builder
	for _, n := range w.Topology {
		parent := "-"
		if n.Parent != model.None {
			parent = w.Topology[n.Parent].ID
		}
		fmt.Fprintf(&b, "%s %s %s %d/%d\n", n.Kind, n.ID, parent, n.MapSlots, n.ReduceSlots)
	}
	return b.String()
}

// TestHostsOfTheTraceHadNoSlots: without a topology file the hosts of the trace once had neither racks nor slots. Now
// they have both. Hosts that only failed attempts name are left out: the trace does not state their racks. A host with
// the name of a rack keeps it, and one named in two racks stays in the first.
func TestHostsOfTheTraceHadNoSlots(t *testing.T) {
	w := mustImport(t, "rules.json", "", Options{MapSlots: 3, ReduceSlots: 1})
	const want = `root root - 0/0
rack 10.0.0.0 root 0/0
node a.example 10.0.0.0 3/1
node b.example 10.0.0.0 3/1
rack 10.0.1.0 root 0/0
node c.example 10.0.1.0 3/1
node d.example 10.0.1.0 3/1
rack 10.9.9.0 root 0/0
node z.example 10.9.9.0 3/1
`
	if diff := cmp.Diff(want, rows(w)); diff != "" {
		t.Error(diff)
	}
	const note = "no topology was given (--topology FILE): the trace names 5 hosts in 3 racks; " +
		"every host gets 3 map slots and 1 reduce slot"
	noted(t, w, note, "no several racks")

	const jobs = `{"jobID":"j","mapTasks":[{"taskID":"m","preferredLocations":[{"layers":["dc","r","x"]},
		{"layers":["root","root"]},{"layers":["s","x"]}],"attempts":[{"result":"FAILED","hostName":"y"},
		{"result":"SUCCESS","hostName":"/root/s","startTime":0,"finishTime":1}]}],
		"reduceTasks":[{"taskID":"r","attempts":[{"result":"SUCCESS","hostName":"lonely","startTime":0,
		"shuffleFinished":0,"finishTime":1}]}]}`
	w, err := Import(golden.Text(jobs)[0], nil, Options{MapSlots: 1})
	if err != nil {
		t.Fatal(err)
	}
	const odd = `root /root - 0/0
node lonely /root 1/0
rack dc/r /root 0/0
node x dc/r 1/0
rack //root /root 0/0
node root //root 1/0
node s //root 1/0
`
	if diff := cmp.Diff(odd, rows(w)); diff != "" || len(w.Placements) != 2 {
		t.Errorf("%d placements\n%s", len(w.Placements), diff)
	}
	noted(t, w, "1 host that the trace names in several racks stays in the first")
	const hostless = `{"jobID":"j","mapTasks":[{"taskID":"m","attempts":[{"result":"SUCCESS","startTime":0,"finishTime":1}]}]}`
	w, err = imported(hostless)
	const none = "no topology was given (--topology FILE), and the trace names no host: there are no nodes"
	if err != nil || w.HasTopology || !slices.Contains(w.Notes, none) {
		t.Error(err, w)
	}
}

// TestSolvable: every real trace, without its topology, and one of a Folder are workloads for all five problems.
func TestSolvable(t *testing.T) {
	for _, name := range []string{"folded.json", "trace_1m.json.gz", "input-trace.json", "19-jobs.trace.json.gz"} {
		w, err := importFiles(t, "folded.json", "", DefaultOptions())
		if name != "folded.json" {
			w, err = Import(trace.File{Name: name, Text: open(t, name)}, nil, DefaultOptions())
		}
		_, errM := shop.NewIdentical(w, 0)
		_, errH := hta.New(w)
		_, errR := reduceplace.New(w, reduceplace.Options{})
		_, errT := realtime.New(w, realtime.Options{})
		_, errU := multitenant.New(w, multitenant.Options{})
		if err := errors.Join(err, errM, errH, errR, errT, errU); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestHostsOfTheTraceAgreeWithTheTopology: if Rumen wrote a topology beside the trace, it has the hosts of the trace in
// the same racks.
func TestHostsOfTheTraceAgreeWithTheTopology(t *testing.T) {
	for name, want := range map[string]struct {
		topology            string
		racks, hosts, there int
	}{
		"19-jobs.trace.json.gz": {"19-jobs.topology.json.gz", 41, 1524, 1524},
		"input-trace.json":      {"input-topology.json", 41, 533, 521}, // that file lacks some hosts of its own trace
	} {
		given := importReal(t, name, want.topology, Options{})
		w, err := Import(trace.File{Name: name, Text: open(t, name)}, nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		rack := map[string]string{}
		for _, line := range strings.Split(rows(given), "\n") {
			if f := strings.Fields(line); len(f) == 4 && f[0] == "node" {
				rack[f[1]] = f[2]
			}
		}
		there := 0
		for _, n := range w.Topology {
			if name, ok := rack[n.ID]; ok && n.Kind == model.HostNode {
				there++
				if parent := w.Topology[n.Parent].ID; parent != name {
					t.Errorf("%s: host %s is in rack %s, not in %s", name, n.ID, parent, name)
				}
			}
		}
		if n := count(w); n.racks != want.racks || n.hosts != want.hosts || there != want.there {
			t.Errorf("%s: %+v, %d in the topology", name, n, there)
		}
	}
}

// TestTopologyOfAnotherTrace: a note says that the topology has none of the trace's hosts.
func TestTopologyOfAnotherTrace(t *testing.T) {
	const other = `{"name":"root","children":[{"name":"r","children":[{"name":"h"}]}]}`
	w, err := Import(golden.Text(string(read(t, "rules.json")))[0], &golden.Text(other)[0], DefaultOptions())
	if err != nil || len(w.Placements) > 0 ||
		!slices.Contains(w.Notes, "no host of the topology holds any replica: it may be the topology of another trace") {
		t.Error(err, w.Notes)
	}
}
