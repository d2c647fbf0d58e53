package realtime

import (
	"fmt"
	"slices"
	"testing"

	"mrsched/model"
)

// corruption changes the rows of a schedule; want are the codes of the violations then.
type corruption struct {
	name    string
	corrupt func(s *model.Schedule)
	want    []model.Code
}

func checkCorruptions(t *testing.T, in *Instance, rows []row, list []corruption) {
	t.Helper()
	for _, c := range list {
		s := in.scheduled(t, rows)
		c.corrupt(s)
		var got []model.Code
		for _, v := range in.Check(s) {
			got = append(got, v.Code)
		}
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v: %v", c.name, got, c.want, in.Check(s))
		}
	}
}

// TestCheckDeadlines corrupts a schedule of lab (see there) in one way each: exactly that code must appear.
func TestCheckDeadlines(t *testing.T) {
	in := lab(t, Options{})
	at := func(k int, r row) func(s *model.Schedule) {
		e := in.scheduled(t, []row{r}).Entries[0]
		return func(s *model.Schedule) { s.Entries[k] = e }
	}
	and := func(rows ...row) func(s *model.Schedule) {
		more := in.scheduled(t, rows).Entries
		return func(s *model.Schedule) { s.Entries = append(s.Entries, more...) }
	}
	checkCorruptions(t, in, labRows, []corruption{
		{"nothing", func(*model.Schedule) {}, nil},
		{"rows in another order", func(s *model.Schedule) { slices.Reverse(s.Entries) }, nil},
		{"a map is gone", func(s *model.Schedule) { s.Entries = s.Entries[1:] }, []model.Code{model.CodeTaskMissing}},
		{"a partition is gone", func(s *model.Schedule) { s.Entries = slices.Delete(s.Entries, 4, 5) },
			[]model.Code{model.CodeTaskMissing}},
		{"all partitions of a job are gone", func(s *model.Schedule) { s.Entries = s.Entries[:6] },
			[]model.Code{model.CodeTaskMissing, model.CodeTaskMissing}},
		{"everything is gone", func(s *model.Schedule) { s.Entries = nil }, slices.Repeat([]model.Code{model.CodeTaskMissing},
			8)},
		{"a map has two rows", and(row{"x.m1", "B/m1", 2, 3.5}), []model.Code{model.CodeTaskTwice}},
		{"a partition has two rows", and(row{"x/p3", "A/r1", 20, 21}), []model.Code{model.CodeTaskTwice}},
		{"a map on slot number 7", func(s *model.Schedule) { s.Entries[2].Machine = 6 },
			[]model.Code{model.CodeMachineUnknown}},
		{"a partition on slot number 0", func(s *model.Schedule) { s.Entries[4].Machine = -1 },
			[]model.Code{model.CodeMachineUnknown}},
		{"a map on a reduce slot", at(0, row{"x.m1", "B/r2", 0, 1.5}), []model.Code{model.CodeSlotKind}},
		{"a partition on a map slot", at(7, row{"y/p2", "B/m1", 2, 3.5}), []model.Code{model.CodeSlotKind}},
		{"a map ends early", func(s *model.Schedule) { s.Entries[0].End-- }, []model.Code{model.CodeDuration}},
		{"a partition ends late", func(s *model.Schedule) { s.Entries[5].End++ }, []model.Code{model.CodeDuration}},
		{"a map as on another worker", at(2, row{"z.m1", "B/m1", 3, 4}), []model.Code{model.CodeDuration}},
		{"a map before its job arrives", at(2, row{"z.m1", "B/m1", 2.999999, 3.499999}),
			[]model.Code{model.CodeBeforeRelease}},
		{"a partition before the output of a map arrives", at(3, row{"x/p1", "B/r1", 2.999999, 4.999999}),
			[]model.Code{model.CodePrecedence}},
		{"a partition just then", at(3, row{"x/p1", "B/r1", 3, 5}), nil},
		{"a partition before its job arrives", at(7, row{"y/p2", "B/r2", 1.9, 3.4}), []model.Code{model.CodePrecedence}},
		{"a map ends after partitions begin", at(1, row{"x.m2", "B/m1", 1.1, 3.1}),
			[]model.Code{model.CodePrecedence, model.CodePrecedence}},
		{"two partitions at a time", at(5, row{"x/p3", "A/r1", 5, 6}), []model.Code{model.CodeOverlap}},
		{"one through two others", at(7, row{"y/p2", "A/r1", 3.9, 6.9}), []model.Code{model.CodeOverlap, model.CodeOverlap}},
		{"two maps at a time", at(2, row{"z.m1", "A/m1", 3, 4}), nil},
		{"maps overlap", at(0, row{"x.m1", "B/m1", 1, 2.5}), []model.Code{model.CodeOverlap}},
		{"three slots for two reducers", at(5, row{"x/p3", "C", 20, 22}), []model.Code{model.CodeReducers}},
		{"a partition of another partitioner", and(row{"y/h1.p1", "C", 20, 20 + 2*float64(in.Bytes[5+3])}),
			[]model.Code{model.CodePartitioner}},
	})
}

// TestCheckPartitioners: y may use its sketch instead, but not both: of p1 and h1.p2 the first set counts.
func TestCheckPartitioners(t *testing.T) {
	in := lab(t, Options{Goal: Partitions})
	first := in.SetsOf(1)[1].First
	a, b := in.Time(first, 2).Seconds(), in.Time(first+1, 2).Seconds()
	checkCorruptions(t, in, slices.Concat(labPhases[:3], []row{{"y/h1.p1", "C", 3, 3 + a},
		{"y/h1.p2", "C", 3 + a, 3 + a + b}}), []corruption{
		{"a row of the sketch", func(*model.Schedule) {}, nil},
		{"half of it", func(s *model.Schedule) {
			s.Entries[3] = in.scheduled(t, []row{{"y/p1", "B/r1", 3, 5.5}}).Entries[0]
		}, []model.Code{model.CodePartitioner, model.CodeTaskMissing}},
		{"one of the hash beside", func(s *model.Schedule) {
			s.Entries = append(s.Entries, in.scheduled(t, []row{{"y/p1", "B/r1", 3, 5.5}}).Entries...)
		}, []model.Code{model.CodePartitioner}},
	})
}

// TestCheckPhases: of goal partitions, jobs come one after another, and maps are left out.
func TestCheckPhases(t *testing.T) {
	in := lab(t, Options{Goal: Partitions})
	checkCorruptions(t, in, labPhases, []corruption{
		{"nothing", func(*model.Schedule) {}, nil},
		{"a map", func(s *model.Schedule) {
			s.Entries = append(s.Entries, in.scheduled(t, []row{{"x.m1", "A/m1", 0, 3}}).Entries...)
		}, []model.Code{model.CodeTaskUnknown}},
		{"the second job begins early", func(s *model.Schedule) { s.Entries[4].Start--; s.Entries[4].End-- },
			[]model.Code{model.CodePrecedence}},
		{"the first job ends late", func(s *model.Schedule) { s.Entries[2].Start++; s.Entries[2].End++ },
			[]model.Code{model.CodePrecedence, model.CodePrecedence}},
	})
}

// TestCheckPieces: x/p1 takes 2 s on B and 4 s on A; splitting costs ½ s. Three quarters on B, from 0, take 1.5 s; the
// last quarter on A 1 s and the cost.
func TestCheckPieces(t *testing.T) {
	in := lab(t, Options{Goal: Partitions, Resplit: model.Some(model.Second / 2)})
	rows := []row{{"x/p1", "B/r1", 0, 1.5}, {"x/p1", "A/r1", 0.1, 1.6}, {"x/p2", "A/r1", 2, 4}, {"x/p3", "A/r1", 4, 5},
		{"y/p1", "C", 5, 15}, {"y/p2", "B/r2", 5, 6.5}}
	pieces := []model.Code{model.CodePieces}
	end := func(k int, by model.Time) func(s *model.Schedule) {
		return func(s *model.Schedule) { s.Entries[k].End += by }
	}
	checkCorruptions(t, in, rows, []corruption{
		{"nothing", func(*model.Schedule) {}, nil},
		{"rows in another order", func(s *model.Schedule) { slices.Reverse(s.Entries) }, nil},
		{"the first piece is too short", end(0, -1), pieces},
		{"the further piece is too short", end(1, -1), pieces},
		{"a microsecond is lost to rounding", func(s *model.Schedule) { s.Entries[0].End++; s.Entries[1].End-- }, nil},
		{"one is rounded up", end(1, 1), nil},
		{"both are a microsecond too long", func(s *model.Schedule) { s.Entries[0].End++; s.Entries[1].End++ }, pieces},
		{"a piece ends before its split is paid", func(s *model.Schedule) {
			s.Entries[1].End = s.Entries[1].Start +
				model.Second/2 - 1
		}, pieces},
		{"the other piece is the first",
			func(s *model.Schedule) { s.Entries[0].Start += 200_000; s.Entries[0].End += 200_000 }, pieces},
		{"a single row that is too long", func(s *model.Schedule) { s.Entries = slices.Delete(s.Entries, 0, 1) },
			[]model.Code{model.CodeDuration}},
		{"three pieces", func(s *model.Schedule) { // ½ and later, after the cost, ¼ on B, ¼ on A
			s.Entries[0].End = 1 * model.Second
			e := s.Entries[0]
			e.Start, e.End = 6*model.Second, 7*model.Second
			s.Entries = append(s.Entries, e)
			for k := 4; k <= 5; k++ {
				s.Entries[k].Start += 2 * model.Second
				s.Entries[k].End += 2 * model.Second
			}
		}, nil},
	})
}

// TestCheckIsShort: only the first violations of a kind have a message.
func TestCheckIsShort(t *testing.T) {
	in := opened(t, Options{}, func(b *model.Builder) {
		machines(b, 1)
		b.Job(job("j", 100, 0), model.Locus{})
	})
	if v := in.Check(&model.Schedule{}); len(v) == 0 || len(v) >= 99 {
		t.Errorf("%d violations", len(v))
	}
}

// TestCheckOwnReleases: a listed reduce starts no earlier than its own release, if goal deadlines places it. Nodes
// without slots of a kind run no tasks of that kind.
func TestCheckOwnReleases(t *testing.T) {
	for _, goal := range []Goal{Deadlines, Partitions} {
		in := opened(t, Options{Goal: goal}, func(b *model.Builder) {
			root(b)
			node(b, "A", 1, 1, 0)
			node(b, "B", 1, 0, 2)
			x := job("x", 2, 0)
			x.Release, x.Deadline = model.Second, model.Some(9*model.Second)
			b.Job(x, model.Locus{})
			for i, at := range []model.Time{0, 5} {
				b.Task(model.Task{ID: fmt.Sprintf("x.r%d", i+1), Kind: model.Reduce, Processing: model.Some(2 * model.Second),
					Release: model.Some(at * model.Second)}, "x", "", model.Locus{})
			}
		})
		if len(in.MapSlots) != 1 || len(in.ReduceSlots) != 2 {
			t.Fatalf("slots %v and %v", in.MapSlots, in.ReduceSlots)
		}
		want := [2]model.Time{}
		if goal == Deadlines {
			want = [2]model.Time{model.Second, 5 * model.Second}
		}
		if got := [2]model.Time{in.ReleaseOf(0), in.ReleaseOf(1)}; got != want {
			t.Fatalf("releases %v, want %v", got, want)
		}
		rows := []row{{"x.r1", "B/r1", 1, 3}, {"x.r2", "B/r2", 5, 7}}
		list := []corruption{
			{"as it should be", func(*model.Schedule) {}, nil},
			{"a reduce on a map slot", func(s *model.Schedule) { s.Entries[0].Machine = in.MapSlots[0] },
				[]model.Code{model.CodeSlotKind}},
		}
		if goal == Deadlines {
			early := func(s *model.Schedule) { s.Entries[1].Start--; s.Entries[1].End-- }
			list = append(list, corruption{"a reduce before its own release", early, []model.Code{model.CodeBeforeRelease}})
		} else { // from 0 on, whatever releases say
			rows = []row{{"x.r1", "B/r1", 0, 2}, {"x.r2", "B/r2", 0, 2}}
		}
		checkCorruptions(t, in, rows, list)
	}
}
