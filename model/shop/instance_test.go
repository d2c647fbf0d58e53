package shop

import (
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"

	"mrsched/model"
)

// made builds a workload and its dense view.
func made(t *testing.T, b *model.Builder) *Instance {
	t.Helper()
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	in, err := NewIdentical(w, 0)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// fixture is a job with maps a1 (2 s, delay 1), a2 (3 s) and reduce a3 (4 s) released at 1, and a job with one
// task b1 (5 s), on two machines; weights 2 and 0.5.
func fixture(t *testing.T) (*Instance, *model.Schedule) {
	t.Helper()
	b := model.NewBuilder()
	b.Scalars("fixture", "msjo", model.Some(int64(2)), nil)
	b.Job(model.Job{ID: "a", Release: model.Second, Weight: 2 * model.UnitWeight}, model.Locus{})
	b.Job(model.Job{ID: "b", Weight: model.UnitWeight / 2}, model.Locus{})
	add := func(id, job string, kind model.TaskKind, p, delay model.Time) {
		b.Task(model.Task{ID: id, Kind: kind, Processing: model.Some(p * model.Second), ShuffleDelay: delay * model.Second},
			job, "", model.Locus{})
	}
	add("a1", "a", model.Map, 2, 1)
	add("a2", "a", model.Map, 3, 0)
	add("a3", "a", model.Reduce, 4, 0)
	add("b1", "b", model.Map, 5, 0)
	at := func(u, machine int, start, p model.Time) model.Entry {
		return model.Entry{Task: model.TaskIndex(u), Machine: int32(machine), Start: start * model.Second,
			End: (start + p) * model.Second}
	}
	return made(t, b), &model.Schedule{Entries: []model.Entry{at(0, 0, 1, 2), at(1, 1, 1, 3), at(2, 0, 4, 4), at(3, 1, 4, 5)}}
}

// TestObjectives are computed by hand: job a ends at 8, job b at 9: 2·8 + 0.5·9 = 20.5; makespan 9, busy 14 of 18. The
// tasks end at 3, 4, 8 and 9, with their jobs' weights: 2·(3+4+8) + 0.5·9 = 34.5; with weight 3 of its own, b1 adds 27
// in place of 4.5. On an empty cluster job a ends at 1 + max(2 + 1, 3) + 4 = 8 and job b at 5. The shares are 2·8 and
// 0.5·9, or 2·(3 + 4 + 8) and 0.5·9 over the tasks.
func TestObjectives(t *testing.T) {
	in, s := fixture(t)
	for _, c := range []struct {
		in   *Instance
		name string
		want *big.Rat
		rows []string
	}{
		{in, "twjct", big.NewRat(41, 2), []string{"a,2,1,8,1,8,16", "b,0.5,0,5,4,9,4.5"}},
		{in.Under(WeightedTaskEnds), "twtct", big.NewRat(69, 2), []string{"a,2,1,8,1,8,30", "b,0.5,0,5,4,9,4.5"}},
	} {
		e := c.in.Evaluate(s)
		if e.Name != c.name || e.Value.Cmp(c.want) != 0 {
			t.Errorf("%s = %s, want %s = %s", e.Name, e.Value, c.name, c.want)
		}
		for name, want := range map[string]model.Number{"twjct": "20.5", "twtct": "34.5", "makespan": "9",
			"mean_job_completion": "8.5", "utilisation": "0.777777"} {
			if e.Metrics[name] != want {
				t.Errorf("%s: %s = %v, want %s", c.name, name, e.Metrics[name], want)
			}
		}
		tables := c.in.Tables(s)
		if len(tables) != 1 || tables[0].Name != "jobs" || strings.Join(tables[0].Columns,
			",") != "job,weight,release,earliest,first_start,completion,objective_share" {
			t.Fatalf("%+v", tables)
		}
		var rows []string
		for row := range tables[0].Rows {
			rows = append(rows, strings.Join(row, ","))
		}
		if !slices.Equal(rows, c.rows) {
			t.Errorf("%s: %q, want %q", c.name, rows, c.rows)
		}
	}
	in.Workload().Tasks[3].Weight = model.Some(3 * model.UnitWeight)
	own, err := NewIdentical(in.Workload(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if v := own.TaskSum(s); v.Cmp(big.NewRat(57, 1)) != 0 {
		t.Errorf("TWTCT with a task's own weight = %s, want 57", v)
	}
}

// TestEvaluateFar: the mean is right although the sum of completions overflows an int64: ten jobs at 2^60 − 1 µs.
func TestEvaluateFar(t *testing.T) {
	b := model.NewBuilder()
	b.Scalars("far", "msjo", model.Some(int64(10)), nil)
	s := &model.Schedule{}
	end := model.MaxHorizon - 1
	for k, id := range strings.Split("abcdefghij", "") {
		b.Job(model.Job{ID: id, Release: end, Weight: 1}, model.Locus{})
		b.Task(model.Task{ID: id, Processing: model.Some(model.Time(0))}, id, "", model.Locus{})
		s.Entries = append(s.Entries, model.Entry{Task: model.TaskIndex(k), Machine: int32(k), Start: end, End: end})
	}
	if got := made(t, b).Evaluate(s).Metrics["mean_job_completion"]; got != model.Number(end.String()) {
		t.Errorf("mean %v, want %s", got, end)
	}
}

// TestCheckMutations breaks one constraint at a time. Exactly the code of that constraint must appear.
func TestCheckMutations(t *testing.T) {
	in, s := fixture(t)
	if v := in.Check(s); len(v) > 0 {
		t.Fatal(v)
	}
	for _, c := range []struct {
		name   string
		code   model.Code
		change func(s *model.Schedule)
	}{
		{"missing task", model.CodeTaskMissing, func(s *model.Schedule) { s.Entries = s.Entries[:3] }},
		{"task twice", model.CodeTaskTwice, func(s *model.Schedule) {
			e := s.Entries[3]
			e.Start, e.End = e.Start+10*model.Second, e.End+10*model.Second
			s.Entries = append(s.Entries, e)
		}},
		{"machine beyond the last", model.CodeMachineUnknown, func(s *model.Schedule) { s.Entries[3].Machine = 2 }},
		{"machine before the first", model.CodeMachineUnknown, func(s *model.Schedule) { s.Entries[3].Machine = -1 }},
		{"short by a microsecond", model.CodeDuration, func(s *model.Schedule) { s.Entries[3].End-- }},
		{"before the release", model.CodeBeforeRelease, func(s *model.Schedule) { s.Entries[0].Start--; s.Entries[0].End-- }},
		{"reduce before the delay", model.CodePrecedence,
			func(s *model.Schedule) { s.Entries[2].Start--; s.Entries[2].End-- }},
		{"overlap", model.CodeOverlap, func(s *model.Schedule) { s.Entries[3].Start--; s.Entries[3].End-- }},
		{"overlap with an earlier, longer task", model.CodeOverlap, func(s *model.Schedule) {
			s.Entries[3].Start, s.Entries[3].End, s.Entries[3].Machine = 2*model.Second, 7*model.Second, 0
		}},
	} {
		in, s := fixture(t)
		c.change(s)
		found := in.Check(s)
		if len(found) == 0 || slices.ContainsFunc(found, func(v model.Violation) bool { return v.Code != c.code }) {
			t.Errorf("%s: %v, want only %s", c.name, found, c.code)
		}
	}
}

// TestOrdered looks through a barrier: a map of 3 s before a reduce of 4 s is ordered, a map of 5 s is not.
func TestOrdered(t *testing.T) {
	in, _ := fixture(t)
	if !in.Ordered() {
		t.Error("the fixture is ordered")
	}
	in.Least[1] = 5 * model.Second
	if in.Ordered() {
		t.Error("a map of 5 s before a reduce of 4 s is not ordered")
	}
}

// TestImpliedTasks: a job whose reduces are not listed cannot be scheduled. The error names its row.
func TestImpliedTasks(t *testing.T) {
	at := func(line int32) model.Locus { return model.Locus{Pos: model.Position{File: "jobs.csv", Line: line}} }
	b := model.NewBuilder()
	b.Scalars("", "", model.Some(int64(1)), nil)
	for k, id := range []string{"a", "b", "c"} {
		b.Job(model.Job{ID: id, Reduces: model.Some(int64(1 + k%2))}, at(int32(2+k)))
	}
	b.Task(model.Task{ID: "t", Kind: model.Reduce, Processing: model.Some(model.Second)}, "b", "", model.Locus{})
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	_, err = NewIdentical(w, 0)
	input, ok := errors.AsType[*model.InputError](err)
	if !ok || len(input.Findings) != 2 || input.Findings[0].Pos.Line != 2 || input.Findings[1].Pos.Line != 4 ||
		input.Findings[0].Code != model.CodeJobNoTasks || input.Findings[1].Code != model.CodeJobNoTasks {
		t.Errorf("%v", err)
	}
}
