package msjo

import (
	"slices"
	"testing"

	"mrsched/model"
	"mrsched/model/msjo"
)

// behind has tasks of a job x of weight 9, which runs from 0 to 5, and of a job j on the same machine.
func behind(t *testing.T, job model.Job, tasks ...model.Task) *msjo.Instance {
	t.Helper()
	b := model.NewBuilder()
	b.Scalars("behind", "msjo", model.Optional[int64]{Value: 1, Known: true}, nil)
	b.Job(model.Job{ID: "x", Weight: 9 * model.UnitWeight}, model.Locus{})
	job.ID, job.Weight = "j", model.UnitWeight
	b.Job(job, model.Locus{})
	b.Task(model.Task{ID: "x1", Kind: model.Map, Processing: model.Optional[model.Time]{Value: 5 * model.Second,
		Known: true}}, "x", "", model.Locus{})
	for _, u := range tasks {
		b.Task(u, "j", "", model.Locus{})
	}
	w, err := b.Build()
	return instance(t, w, err)
}

// TestChainOfTasksOfNoTime by hand: the reduce u comes before the map v in the workload, and both have length 0 at 5,
// after x1. The chain is u, v, x1; v does not wait for u on the machine.
func TestChainOfTasksOfNoTime(t *testing.T) {
	none := model.Optional[model.Time]{Known: true}
	in := behind(t, model.Job{Release: 2 * model.Second}, model.Task{ID: "u", Kind: model.Reduce, Processing: none},
		model.Task{ID: "v", Kind: model.Map, Processing: none})
	at := 5 * model.Second
	s := &model.Schedule{Entries: []model.Entry{{Task: 0, End: at}, {Task: 1, Start: at, End: at},
		{Task: 2, Start: at, End: at}}}
	e := explained(t, in, s, model.None, 1)
	var tasks []int32
	for _, l := range e.chain(1) {
		tasks = append(tasks, l.task)
	}
	if !slices.Equal(tasks, []int32{1, 2, 0}) {
		t.Errorf("chain %v", tasks)
	}
}

// TestReleaseOfTheTaskItself by hand: j is released at 6 and its task at 8, so an earlier start needs an earlier
// release of the task, down to 6.
func TestReleaseOfTheTaskItself(t *testing.T) {
	in := behind(t, model.Job{Release: 6 * model.Second}, model.Task{ID: "v", Kind: model.Map,
		Release:    model.Optional[model.Time]{Value: 8 * model.Second, Known: true},
		Processing: model.Optional[model.Time]{Value: model.Second, Known: true}})
	s := &model.Schedule{Entries: []model.Entry{{Task: 0, End: 5 * model.Second},
		{Task: 1, Start: 8 * model.Second, End: 9 * model.Second}}}
	e := explained(t, in, s, 1, 1)
	e.changes(1, e.holds(1))
	want := "if v were released earlier, it could start earlier too, at 6 s at best: its job is released then"
	if e.out.Changes[0] != want {
		t.Errorf("%q", e.out.Changes)
	}
}
