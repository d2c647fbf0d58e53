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
