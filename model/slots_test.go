package model

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
)

// TestReduceSlots: a slot's node is found in the topology; without a topology it is only a name, whatever placements
// state.
func TestReduceSlots(t *testing.T) {
	for topology, node := range map[bool]NodeIndex{true: 1, false: None} {
		b := NewBuilder()
		b.ReduceSlot(ReduceSlot{ID: "s1", Node: 7, NodeName: "n", Cost: UnitCost}, Locus{})
		b.ReduceSlot(ReduceSlot{ID: "s2", Node: 7}, Locus{})
		b.MaxRunningJobs(Some(int64(3)))
		b.Job(Job{ID: "j", Reduces: Some(int64(2))}, Locus{})
		b.Job(Job{ID: "k"}, Locus{})
		b.Task(Task{ID: "t", Kind: Map}, "k", "x", Locus{})
		b.Placement("x", "n", Locus{})
		if topology {
			b.Node(Node{ID: "root", Kind: RootNode}, "", Locus{})
			b.Node(Node{ID: "n", Kind: HostNode}, "root", Locus{})
		}
		w := built(t, b)
		want := []ReduceSlot{{"s1", node, "n", UnitCost}, {"s2", None, "", 0}}
		if !slices.Equal(w.ReduceSlots, want) || w.MaxRunningJobs != Some(int64(3)) {
			t.Errorf("topology %v: %+v, K %+v", topology, w.ReduceSlots, w.MaxRunningJobs)
		}
	}
}

// TestImpliedTasks: jobs that state reduces need no rows in tasks; all others do.
func TestImpliedTasks(t *testing.T) {
	for _, c := range []struct {
		name    string
		reduces []Optional[int64] // of jobs without tasks
		tasks   bool              // another job has one
		want    []Code
	}{
		{"implied", []Optional[int64]{Some(int64(1))}, false, nil},
		{"implied beside tasks", []Optional[int64]{Some(int64(5))}, true, nil},
		{"one implied, one empty", []Optional[int64]{Some(int64(1)), {}}, false, []Code{CodeJobNoTasks}},
		{"no reduces", []Optional[int64]{Some(int64(0))}, true, []Code{CodeJobNoTasks}},
		{"nothing", []Optional[int64]{{}, Some(int64(0))}, false, []Code{CodeEmpty}},
		{"no job", nil, false, []Code{CodeEmpty}},
	} {
		b := NewBuilder()
		for k, r := range c.reduces {
			b.Job(Job{ID: string(rune('a' + k)), Reduces: r}, Locus{})
		}
		if c.tasks {
			b.Job(Job{ID: "z"}, Locus{})
			b.Task(Task{ID: "t"}, "z", "", Locus{})
		}
		_, err := b.Build()
		if got := codes(t, err); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

func TestCost(t *testing.T) {
	for text, want := range map[string]string{"0": "0", "1.50": "1.5", "2e-6": "0.000002", "0.0000005": "0.000001",
		"9223372036854.775807": "9223372036854.775807"} {
		c, err := ParseCost(text)
		if bytes, _ := json.Marshal(c); err != nil || c.String() != want || string(bytes) != want {
			t.Errorf("%s reads as %s (%s), %v", text, c, bytes, err)
		}
	}
	for text, want := range map[string]error{"-1": ErrNegative, "": ErrNotANumber, "nan": ErrNotANumber,
		"1e13": ErrOverflow} {
		if _, err := ParseCost(text); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
	if c := CostOf(2.5); c != 5*UnitCost/2 || c.Float() != 2.5 {
		t.Errorf("2.5 is kept as %s", c)
	}
}
