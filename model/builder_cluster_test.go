package model

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// clusterRows has two jobs on two nodes, with a row in every table about clusters, before the rows to which they refer.
func clusterRows() *Builder {
	b, at := NewBuilder(), Locus{}
	b.Capacity(Capacity{Resource: "gpu", Amount: 2 * UnitAmount}, "n1", at)
	b.Demand(TaskDemand{Resource: "gpu", Amount: UnitAmount}, "a1", at)
	b.Demand(TaskDemand{Resource: "gpu", Amount: UnitAmount}, "b1", at)
	b.Dependency("b", "a", 5*Second, at)
	b.Eligible("b", "", "rack", at)
	b.Eligible("", "a1", "n1", at)
	b.Unavailable(Unavailable{From: Second, Until: Some(2 * Second)}, "n1", at)
	b.FixedTask("a1", "n1", -Second, at)
	b.Node(Node{ID: "rack", Kind: RackNode}, "", at)
	b.Node(Node{ID: "n1", Kind: HostNode}, "rack", at)
	for _, id := range []string{"a", "b"} {
		b.Job(Job{ID: id, Weight: UnitWeight}, at)
		b.Task(Task{ID: id + "1"}, id, "", at)
	}
	return b
}

// TestClusterRows: rows may refer to later rows.
func TestClusterRows(t *testing.T) {
	w := built(t, clusterRows())
	if diff := cmp.Diff([]any{[]Dependency{{1, 0, 5 * Second}}, []Eligible{{1, None, 0}, {None, 0, 1}},
		[]FixedTask{{0, 1, -Second}}}, []any{w.Dependencies, w.Eligible, w.Fixed}); diff != "" {
		t.Error(diff)
	}
}

// TestRepeatedRows: rows that repeat others are reported beside unknown ids, which are not alike, but not if rows are
// unreadable.
func TestRepeatedRows(t *testing.T) {
	for _, readable := range []bool{true, false} {
		b := clusterRows()
		if !readable {
			b.Findings.Add(Finding{Code: CodeNumber})
		}
		b.FixedTask("a1", "n1", 0, Locus{})
		b.Demand(TaskDemand{Resource: "gpu"}, "x", Locus{})
		b.Demand(TaskDemand{Resource: "gpu"}, "y", Locus{})
		b.Eligible("x", "", "n1", Locus{})
		b.Eligible("y", "", "n1", Locus{})
		_, err := b.Build()
		repeated := strings.Contains(fmt.Sprint(err), "R301: row 2 of fixed repeats the task of row 1; ")
		want := map[bool]int{true: 5, false: 4}[readable]
		if n := strings.Count(fmt.Sprint(err), "R30"); repeated != readable || n != want {
			t.Errorf("readable %v: %v", readable, err)
		}
	}
}

// TestLostRows: what a missing row may define is not unknown; what other tables lack is.
func TestLostRows(t *testing.T) {
	for lost, want := range map[Table]string{TableJobs: "[R303 R305]", TableTasks: "[R302 R305]",
		TableTopology: "[R302 R303]"} {
		b := clusterRows()
		b.Placement("block", "x", Locus{})
		b.Unavailable(Unavailable{}, "x", Locus{})
		b.Task(Task{ID: "c1"}, "x", "other block", Locus{})
		b.Delay("x", "c1", 0, Locus{})
		b.Lose(lost)
		_, err := b.Build()
		if got := codes(t, err); fmt.Sprint(got) != want {
			t.Errorf("without rows of %s: %s, not %s: %v", lost, got, want, err)
		}
	}
}

// TestJobCycle: the error names a shortest cycle of dependencies, and says why no schedule exists.
func TestJobCycle(t *testing.T) {
	b := clusterRows()
	b.Job(Job{ID: "c"}, Locus{})
	b.Task(Task{ID: "c1"}, "c", "", Locus{})
	b.Dependency("c", "b", 0, Locus{})
	b.Dependency("a", "c", 0, Locus{})
	b.Dependency("b", "c", Second, Locus{})
	_, err := b.Build()
	input, ok := errors.AsType[*InputError](err)
	if !ok || len(input.Findings) != 1 {
		t.Fatal(err)
	}
	f := input.Findings[0]
	if f.Code != CodeCycle || f.What != "the dependencies form a cycle: b → c → b" || f.Conflict == nil ||
		f.Conflict.What != "no schedule exists: 2 jobs wait for each other in a circle" || !f.Conflict.Minimal ||
		f.Conflict.Members[1].Text != "b starts at least 1 s after c ends" {
		t.Errorf("%+v", f)
	}
}

// TestClusterHorizon: delays between jobs and times on nodes count towards the largest sum of times of a schedule.
func TestClusterHorizon(t *testing.T) {
	b := clusterRows()
	b.Unavailable(Unavailable{From: MaxHorizon}, "n1", Locus{})
	if _, err := b.Build(); err == nil || !strings.HasPrefix(err.Error(), "S408") {
		t.Error(err)
	}
}
