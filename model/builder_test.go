package model

import (
	"errors"
	"testing"
)

// TestBuilderAnyOrder: tasks may come before their jobs, placements before blocks and nodes.
func TestBuilderAnyOrder(t *testing.T) {
	b := NewBuilder()
	b.Placement("b1", "n1", Locus{})
	b.Task(Task{ID: "t1", Processing: second(1)}, "j1", "b1", Locus{})
	b.Task(Task{ID: "t2", Processing: second(2), Kind: Reduce}, "j1", "", Locus{})
	b.Delay("t1", "t2", Second, Locus{})
	b.Node(Node{ID: "n1", Kind: HostNode, MapSlots: 2, ReduceSlots: 1}, "rack", Locus{})
	b.Node(Node{ID: "rack", Kind: RackNode}, "root", Locus{})
	b.Node(Node{ID: "root", Kind: RootNode}, "", Locus{})
	b.Job(Job{ID: "j1", Weight: UnitWeight}, Locus{})
	w := built(t, b)
	if w.Tasks[0].Job != 0 || w.Tasks[0].Block != 0 || w.Tasks[1].Block != None || w.Placements[0] != (Placement{0, 0}) ||
		w.Delays[0] != (Delay{0, 1, Second}) {
		t.Errorf("references are wrong: %+v", w)
	}
	if w.Topology[0].Parent != 1 || w.Topology[1].Parent != 2 || w.Topology[2].Parent != None {
		t.Errorf("parents are wrong: %+v", w.Topology)
	}
	if maps, reduces := w.Slots(); maps != 2 || reduces != 1 {
		t.Errorf("%d map slots, %d reduce slots", maps, reduces)
	}
}

// TestFindingsLimit: findings beyond the limit are counted, not kept, except the message that a file was cut.
func TestFindingsLimit(t *testing.T) {
	var f Findings
	for range maxFindings + 7 {
		f.Add(Finding{Code: CodeType, What: "x", Pos: Position{Line: 1}})
	}
	f.Add(Finding{Code: CodeTooLarge, What: "large", Pos: Position{Line: 2}})
	f.Add(Finding{Code: CodeType, What: "x"})
	var input *InputError
	if !errors.As(f.Err(), &input) || len(input.Findings) != maxFindings+1 ||
		input.Findings[maxFindings].Code != CodeTooLarge || input.More != 8 {
		t.Errorf("%d findings and %d more", len(input.Findings), input.More)
	}
	for range 3 * maxFindings {
		f.Add(Finding{Code: CodeTooLarge, What: "large"})
	}
	if errors.As(f.Err(), &input); len(input.Findings) != 2*maxFindings {
		t.Errorf("%d findings", len(input.Findings))
	}
}
