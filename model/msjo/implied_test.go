package msjo

import (
	"testing"

	"mrsched/model"
)

// TestImpliedTasks: a job whose reduces are not listed cannot be scheduled. The error names its row.
func TestImpliedTasks(t *testing.T) {
	at := func(line int32) model.Locus { return model.Locus{Pos: model.Position{File: "jobs.csv", Line: line}} }
	for _, listed := range []bool{false, true} {
		b := model.NewBuilder()
		b.Scalars("", "", model.Some(int64(1)), nil)
		b.Job(model.Job{ID: "a", Reduces: model.Some(int64(2))}, at(2))
		b.Job(model.Job{ID: "b", Reduces: model.Some(int64(1))}, at(3))
		if listed {
			b.Task(model.Task{ID: "t", Kind: model.Reduce, Processing: model.Some(model.Second)}, "b", "", model.Locus{})
		}
		w, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		want := `S402 jobs.csv:2: job "a" has no tasks; expected at least one task; hint: this problem needs the table tasks`
		if !listed {
			want += "\n" +
				`S402 jobs.csv:3: job "b" has no tasks; expected at least one task; hint: this problem needs the table tasks`
		}
		if _, err := New(w, 0); err == nil || err.Error() != want {
			t.Errorf("listed %v: %v", listed, err)
		}
	}
}
