package model

import (
	"slices"
	"strings"
	"testing"
)

// placementsOf builds a workload of one map per block with some placements, each "block node", before the tasks or
// after.
func placementsOf(first, topology bool, blocks, placements []string) *Builder {
	b := NewBuilder()
	place := func() {
		for i, p := range placements {
			block, node, _ := strings.Cut(p, " ")
			b.Placement(block, node, Locus{Pos: Position{"p", int32(i) + 2, 1}})
		}
	}
	if first {
		place()
	}
	b.Job(Job{ID: "j"}, Locus{})
	for i, block := range blocks {
		b.Task(Task{ID: string(rune('s' + i)), Processing: second(1)}, "j", block, Locus{})
	}
	if topology {
		b.Node(Node{ID: "root", Kind: RootNode}, "", Locus{})
		for _, id := range []string{"n1", "n2", "n3"} {
			b.Node(Node{ID: id, Kind: HostNode, MapSlots: 1}, "root", Locus{})
		}
	}
	if !first {
		place()
	}
	return b
}

// TestUnreadPlacementsRefusedTheWorkload: placements of unread blocks once gave R304 each. Now they are counted and
// left out, and so are nodes that only they name, if there is no topology.
func TestUnreadPlacementsRefusedTheWorkload(t *testing.T) {
	blocks := []string{"b1", "b2", ""}
	dump := []string{"b9 n3", "b1 n1", "b8 n1", "b2 n2", "b9 n2", "b1 n2"}
	kept := []string{"b1 n1", "b2 n2", "b1 n2"}
	for _, first := range []bool{true, false} {
		for _, topology := range []bool{true, false} {
			w := built(t, placementsOf(first, topology, blocks, dump))
			clean := built(t, placementsOf(first, topology, blocks, kept))
			if !slices.Equal(w.Placements, clean.Placements) || !slices.Equal(w.Blocks, clean.Blocks) ||
				!slices.Equal(w.Topology, clean.Topology) || clean.Skipped != nil || len(w.Notes) > 0 {
				t.Errorf("first %v, topology %v:\n%+v\n%+v", first, topology, w, clean)
			}
			want := `3 placements of 2 blocks that no task reads ("b9", … at p:2:1) were skipped`
			if !topology {
				want += ", and with them 1 node that nothing else names"
			}
			if !slices.Equal(w.Skipped, []string{want}) {
				t.Errorf("first %v, topology %v: %q", first, topology, w.Skipped)
			}
			for i, line := range []int32{3, 5, 7} { // a row still knows its place
				if got := w.Where(TablePlacements, i).Line; got != line {
					t.Errorf("placement %d is at line %d, want %d", i, got, line)
				}
			}
		}
	}
}

// TestMistypedBlockStaysVisible: the placements of a mistyped block are unread. R304 named it once; now the note does.
func TestMistypedBlockStaysVisible(t *testing.T) {
	for _, first := range []bool{true, false} {
		w := built(t, placementsOf(first, true, []string{"b1", "part-0003", "lost"},
			[]string{"b1 n1", "part-0002 n2", "part-003 n2"}))
		want := []string{`2 placements of 2 blocks that no task reads ("part-0002", … at p:3:1) were skipped`,
			`2 blocks that tasks read have no placement: "part-0003" (did you mean "part-0002"?), "lost"`}
		if !slices.Equal(w.Skipped, want) {
			t.Errorf("first %v: %q", first, w.Skipped)
		}
	}
	many := []string{"b1"}
	for _, c := range "cdefgh" {
		many = append(many, strings.Repeat(string(c), 9))
	}
	w := built(t, placementsOf(true, true, many, []string{"b1 n1", "x n2"}))
	if w.Skipped[0] != `1 placement of 1 block that no task reads ("x" at p:3:1) was skipped` ||
		!strings.HasPrefix(w.Skipped[1], `6 blocks that tasks read have no placement: "ccccccccc", `) ||
		!strings.HasSuffix(w.Skipped[1], `"ggggggggg", …`) {
		t.Errorf("%q", w.Skipped)
	}
}

// TestNoPlacementRead: if tasks read blocks, but none of the placed ones, the tables do not fit together: one R304. If
// they read no block at all, placements are skipped: some problems need neither.
func TestNoPlacementRead(t *testing.T) {
	for _, first := range []bool{true, false} {
		_, err := placementsOf(first, true, []string{"", "b1", "b2"}, []string{"x n1", "y n2", "x n3"}).Build()
		if got := where(t, err); got != "R304 p:2:1" {
			t.Errorf("%s: %v", got, err)
		}
		w := built(t, placementsOf(first, true, []string{"", ""}, []string{"x n1", "y n2", "x n3"}))
		if len(w.Placements) > 0 || len(w.Skipped) != 1 {
			t.Errorf("%+v", w)
		}
	}
}

// TestUnreadPlacementOnUnknownNode: a row of an unread block is skipped, whatever its node: a list of all blocks names
// nodes that the topology may lack. A row that is read must name a node of the topology.
func TestUnreadPlacementOnUnknownNode(t *testing.T) {
	w := built(t, placementsOf(true, true, []string{"b1"}, []string{"b1 n1", "b9 nowhere"}))
	if len(w.Placements) != 1 || len(w.Skipped) != 1 {
		t.Errorf("%+v", w)
	}
	_, err := placementsOf(true, true, []string{"b1"}, []string{"b1 nowhere", "b9 nowhere"}).Build()
	if !slices.Equal(codes(t, err), []Code{CodeUnknownNode}) || !strings.Contains(err.Error(), "1 placement names") {
		t.Error(err)
	}
}
