package realtime

import (
	"fmt"
	"slices"
	"testing"

	"mrsched/model"
)

// corruption replaces rows of a schedule, by their number; one without a task is gone. want are the codes of the
// violations then.
type corruption struct {
	name string
	by   at
	want codes
}

type (
	at    map[int]row
	codes []model.Code
)

// checkCorruptions corrupts rows in each way, and again in the opposite order.
func checkCorruptions(t *testing.T, in *Instance, base []row, list []corruption) {
	t.Helper()
	for _, c := range list {
		rows := slices.Clone(base)
		for k, r := range c.by {
			for len(rows) <= k {
				rows = append(rows, row{})
			}
			rows[k] = r
		}
		s := in.scheduled(t, slices.DeleteFunc(rows, func(r row) bool { return r.task == "" }))
		for range 2 {
			var got codes
			for _, v := range in.Check(s) {
				got = append(got, v.Code)
			}
			slices.Sort(got)
			slices.Sort(c.want)
			if !slices.Equal(got, c.want) {
				t.Errorf("%s: %v, want %v: %v", c.name, got, c.want, in.Check(s))
			}
			slices.Reverse(s.Entries)
		}
	}
}

// TestCheckPieces: x/p1 takes 2 s on B and 4 s on A; splitting costs ½ s. Three quarters on B, from 0, take 1.5 s; the
// last quarter on A 1 s and the cost.
func TestCheckPieces(t *testing.T) {
	in := lab(t, Options{Goal: Partitions, Resplit: model.Some(model.Second / 2)})
	rows := []row{{"x/p1", "B/r1", 0, 1.5}, {"x/p1", "A/r1", 0.1, 1.6}, {"x/p2", "A/r1", 2, 4}, {"x/p3", "A/r1", 4, 5},
		{"y/p1", "C", 5, 15}, {"y/p2", "B/r2", 5, 6.5}}
	checkCorruptions(t, in, rows, []corruption{
		{"nothing", nil, nil},
		{"the first piece is too short", at{0: {"x/p1", "B/r1", 0, 1.499999}}, codes{model.CodePieces}},
		{"the further piece is too short", at{1: {"x/p1", "A/r1", 0.1, 1.599999}}, codes{model.CodePieces}},
		{"a microsecond is lost to rounding", at{0: {"x/p1", "B/r1", 0, 1.500001}, 1: {"x/p1", "A/r1", 0.1, 1.599999}}, nil},
		{"one is rounded up", at{1: {"x/p1", "A/r1", 0.1, 1.600001}}, nil},
		{"both are too long", at{0: {"x/p1", "B/r1", 0, 1.500001}, 1: {"x/p1", "A/r1", 0.1, 1.600001}},
			codes{model.CodePieces}},
		{"a piece ends before its split is paid", at{1: {"x/p1", "A/r1", 0.1, 0.599999}}, codes{model.CodePieces}},
		{"the other piece is the first", at{0: {"x/p1", "B/r1", 0.2, 1.7}}, codes{model.CodePieces}},
		{"a single row that is too long", at{0: {}}, codes{model.CodeDuration}},
		{"½ and later, after the cost, ¼ on B, ¼ on A", at{0: {"x/p1", "B/r1", 0, 1}, 4: {"y/p1", "C", 7, 17},
			5: {"y/p2", "B/r2", 7, 8.5}, 6: {"x/p1", "B/r1", 6, 7}}, nil},
		{"a map", at{6: {"z.m1", "B/r1", 20, 22}}, codes{model.CodeSlotKind, model.CodeTaskUnknown}},
	})
}

// TestCheckOwnReleases: a listed reduce starts no earlier than its own release, if goal deadlines places it. Nodes
// without slots of a kind run no tasks of that kind.
func TestCheckOwnReleases(t *testing.T) {
	for goal, late := range map[Goal]model.Code{Deadlines: model.CodeBeforeRelease, Partitions: ""} {
		in := opened(t, Options{Goal: goal}, func(b *input) {
			b.node("A", 1, 1, 0)
			b.node("B", 1, 0, 2)
			x := reducing("x", 2, 0)
			x.Release, x.Deadline = model.Second, model.Some(9*model.Second)
			b.job(x)
			for i, at := range []model.Time{0, 5} {
				b.task("x", model.Task{ID: fmt.Sprintf("x.r%d", i+1), Kind: model.Reduce,
					Processing: model.Some(2 * model.Second), Release: model.Some(at * model.Second)})
			}
		})
		if len(in.MapSlots) != 1 || len(in.ReduceSlots) != 2 {
			t.Fatalf("slots %v and %v", in.MapSlots, in.ReduceSlots)
		}
		rows := []row{{"x.r1", "B/r1", 1, 3}, {"x.r2", "B/r2", 5, 7}}
		list := []corruption{{"nothing", nil, nil}, {"a map slot", at{0: {"x.r1", "A", 1, 3}}, codes{model.CodeSlotKind}},
			{"too early", at{1: {"x.r2", "B/r2", 4.999999, 6.999999}}, codes{late}}}
		if goal == Partitions { // from 0 on, whatever releases say
			rows, list = []row{{"x.r1", "B/r1", 0, 2}, {"x.r2", "B/r2", 0, 2}}, list[:1]
		}
		checkCorruptions(t, in, rows, list)
	}
}
