package model

import (
	"slices"
	"testing"
)

// realtimeRows adds a row to each table of problem realtime, with history for a worker of the topology and for one that
// no longer exists. The rows come before or after the jobs and nodes that they name.
func realtimeRows(t *testing.T, first, topology bool) *Workload {
	t.Helper()
	b := NewBuilder()
	rows := func() {
		b.PastRun(PastRun{Class: "sort", Worker: "n2", Node: 7, Kind: Reduce, Bytes: 5, Time: Second}, Locus{})
		b.PastRun(PastRun{Class: "sort", Worker: "gone", Node: 7, CPU: Some(0.5), MemoryBytes: Some(Bytes(9))}, Locus{})
		b.PastRun(PastRun{Class: "sort", Worker: "root", Node: 7}, Locus{}) // no worker
		b.Part(Part{Job: 7, Map: "m", Partition: "p", Bytes: 3}, "k", Locus{})
		b.Part(Part{Job: 7, Partition: "p", Bytes: 4}, "j", Locus{})
		b.KeyData(KeyData{Job: 7, Map: "m", Key: "the", Bytes: 2}, "k", Locus{})
		b.KeyData(KeyData{Job: 7, Key: "of", Bytes: 1}, "j", Locus{})
		if topology {
			b.GivenTime(GivenTime{Job: 7, Task: "p", Worker: 7, Time: 6}, "k", "n2", Locus{})
			b.GivenTime(GivenTime{Job: 7, Task: "p", Worker: 7, Time: 8}, "j", "n1", Locus{})
		}
	}
	if first {
		rows()
	}
	for _, id := range []string{"j", "k"} {
		b.Job(Job{ID: id, Reduces: Some(int64(1))}, Locus{})
	}
	if topology {
		b.Node(Node{ID: "root", Kind: RootNode}, "", Locus{})
		b.Node(Node{ID: "n1", Kind: HostNode}, "root", Locus{})
		b.Node(Node{ID: "n2", Kind: HostNode}, "root", Locus{})
	}
	if !first {
		rows()
	}
	w := built(t, b)
	return w
}

// TestRealtimeRows: rows find the jobs and workers that they name, wherever these are. A worker of history need not be
// a node; without a topology none is.
func TestRealtimeRows(t *testing.T) {
	for _, first := range []bool{true, false} {
		for topology, node := range map[bool]NodeIndex{true: 2, false: None} {
			w := realtimeRows(t, first, topology)
			history := []PastRun{{Class: "sort", Worker: "n2", Node: node, Kind: Reduce, Bytes: 5, Time: Second},
				{Class: "sort", Worker: "gone", Node: None, CPU: Some(0.5), MemoryBytes: Some(Bytes(9))},
				{Class: "sort", Worker: "root", Node: None}}
			parts := []Part{{1, "m", "p", 3}, {0, "", "p", 4}}
			keys := []KeyData{{1, "m", "the", 2}, {0, "", "of", 1}}
			times := []GivenTime{{1, "p", 2, 6}, {0, "p", 1, 8}}
			if !topology {
				times = nil
			}
			if !slices.Equal(w.History, history) || !slices.Equal(w.Parts, parts) || !slices.Equal(w.Keys, keys) ||
				!slices.Equal(w.Times, times) {
				t.Errorf("rows first %v, topology %v: %+v, %+v, %+v, %+v", first, topology, w.History, w.Parts, w.Keys, w.Times)
			}
		}
	}
}

// TestRealtimePositions: rows keep their positions.
func TestRealtimePositions(t *testing.T) {
	b := NewBuilder()
	b.Job(Job{ID: "j", Reduces: Some(int64(1))}, Locus{})
	b.PastRun(PastRun{}, Locus{Pos: Position{"h", 3, 4}})
	b.Part(Part{}, "j", Locus{Pos: Position{"p", 5, 6}})
	b.KeyData(KeyData{}, "j", Locus{Pos: Position{"k", 7, 8}})
	w := built(t, b)
	for table, want := range map[Table]string{TableHistory: "h:3:4", TablePartitions: "p:5:6", TableKeys: "k:7:8",
		TableTimes: ""} {
		if got := w.Where(table, 0).String(); got != want {
			t.Errorf("%s: %q, want %q", table, got, want)
		}
	}
}
