package reduceplace

import (
	"slices"
	"testing"

	"mrsched/model"
)

// crowd has four slots a, b, c, d; x runs from 0 to 4 s with two reduces, y from 0 to 4 s with one, z from 4 to 5 s
// with two, and w, without work, at 5 s with one. Its placement breaks nothing.
func crowd(t testing.TB) (*Instance, *model.Schedule) {
	t.Helper()
	in := opened(t, Options{}, func(b *model.Builder) {
		for _, id := range []string{"a", "b", "c", "d"} {
			b.ReduceSlot(model.ReduceSlot{ID: id, Cost: model.UnitCost}, model.Locus{})
		}
		for _, j := range []struct {
			id       string
			at, work model.Time
			reduces  int64
		}{{"x", 0, 2, 2}, {"y", 0, 2, 1}, {"z", 4, 1, 2}, {"w", 5, 0, 1}} {
			b.Job(model.Job{ID: j.id, Release: j.at * model.Second, MapWork: model.Some(j.work * model.Second),
				Reduces: model.Some(j.reduces), IntermediateBytes: model.Some(model.Bytes(6))}, model.Locus{})
		}
	})
	s := in.Schedule([]int32{0, 1, 2, 1, 3, 3})
	if v := in.Check(s); len(v) > 0 {
		t.Fatal(v)
	}
	return in, s
}

// TestCheck corrupts a schedule in one way each: exactly that code must appear.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name    string
		corrupt func(s *model.Schedule)
		want    []model.Code
	}{
		{"nothing", func(*model.Schedule) {}, nil},
		{"rows in another order", func(s *model.Schedule) { slices.Reverse(s.Entries) }, nil},
		{"a row is gone", func(s *model.Schedule) { s.Entries = slices.Delete(s.Entries, 2, 3) },
			[]model.Code{model.CodeTaskMissing}},
		{"all rows are gone", func(s *model.Schedule) { s.Entries = nil }, slices.Repeat([]model.Code{model.CodeTaskMissing},
			6)},
		{"a row is twice", func(s *model.Schedule) { s.Entries = append(s.Entries, s.Entries[4]) },
			[]model.Code{model.CodeTaskTwice}},
		{"a task has two slots", func(s *model.Schedule) {
			e := s.Entries[0]
			e.Machine = 3
			s.Entries = append(s.Entries,
				e)
		}, []model.Code{model.CodeTaskTwice}},
		{"slot number 4", func(s *model.Schedule) { s.Entries[1].Machine = 4 }, []model.Code{model.CodeMachineUnknown}},
		{"slot number −1", func(s *model.Schedule) { s.Entries[1].Machine = -1 }, []model.Code{model.CodeMachineUnknown}},
		{"taken early", func(s *model.Schedule) { s.Entries[4].Start -= 1 }, []model.Code{model.CodeHolding}},
		{"taken late", func(s *model.Schedule) { s.Entries[0].Start += 1 }, []model.Code{model.CodeHolding}},
		{"given back early", func(s *model.Schedule) { s.Entries[0].End -= 1 }, []model.Code{model.CodeHolding}},
		{"given back late", func(s *model.Schedule) { s.Entries[0].End += 1 }, []model.Code{model.CodeHolding}},
		{"one slot for two jobs", func(s *model.Schedule) { s.Entries[2].Machine = 1 }, []model.Code{model.CodeOverlap}},
		{"one slot for two reduces of a job", func(s *model.Schedule) { s.Entries[1].Machine = 0 },
			[]model.Code{model.CodeOverlap}},
		{"three on one slot", func(s *model.Schedule) { s.Entries[1].Machine, s.Entries[2].Machine = 0, 0 },
			[]model.Code{model.CodeOverlap, model.CodeOverlap}},
		{"one holds on while two others come", func(s *model.Schedule) {
			s.Entries[0].End += 9 * model.Second
			s.Entries[3].Machine, s.Entries[5].Machine = 0, 0
		},
			[]model.Code{model.CodeHolding, model.CodeOverlap, model.CodeOverlap}},
		{"one after the other", func(s *model.Schedule) { s.Entries[3].Machine, s.Entries[5].Machine = 0, 0 }, nil},
	} {
		in, s := crowd(t)
		c.corrupt(s)
		var got []model.Code
		for _, v := range in.Check(s) {
			got = append(got, v.Code)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestCheckIsShort: only the first violations of a kind have a message.
func TestCheckIsShort(t *testing.T) {
	in := opened(t, Options{}, func(b *model.Builder) {
		b.Job(model.Job{ID: "j", MapWork: model.Some(model.Second), Reduces: model.Some(int64(100)),
			IntermediateBytes: model.Some(model.Bytes(1))}, model.Locus{})
		b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
		b.Node(model.Node{ID: "n", Kind: model.HostNode, ReduceSlots: 100}, "root", model.Locus{})
	})
	if v := in.Check(in.Schedule(make([]int32, 100))); len(v) == 0 || len(v) >= 99 {
		t.Errorf("%d violations", len(v))
	}
}
