package model

import "testing"

// loose counts the loose deadlines of a workload of one job, released at 10, with a map of 20 s on a node of speed 1/2.
func loose(t *testing.T, deadline Time, change func(j *Job, m *Task)) int {
	t.Helper()
	b := NewBuilder()
	j := Job{ID: "j", Release: 10 * Second, Deadline: Some(deadline)}
	m := Task{ID: "m", Kind: Map, Processing: Some(20 * Second), ShuffleDelay: 2 * Second}
	change(&j, &m)
	b.Job(j, Locus{})
	b.Task(m, "j", "", Locus{})
	b.Node(Node{ID: "root"}, "", Locus{})
	b.Node(Node{ID: "n", Kind: HostNode, MapSlots: 1, Speed: Some(0.5)}, "root", Locus{})
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return len(w.Loose())
}

// TestLoose (finding 16) finds deadlines beyond the end of everything: 10 + 20/0.5 + 2 = 52.
func TestLoose(t *testing.T) {
	plain := func(*Job, *Task) {}
	for _, c := range []struct {
		name     string
		deadline Time
		change   func(j *Job, m *Task)
		want     int
	}{
		{"tight", 42 * Second, plain, 0}, {"loose", 43 * Second, plain, 1}, {"far", MaxTime, plain, 1},
		{"later task", 43 * Second, func(_ *Job, m *Task) { m.Release = Some(20 * Second) }, 0},
		{"open", MaxTime, func(_ *Job, m *Task) { m.Processing = Optional[Time]{} }, 0},
		{"implied", MaxTime, func(j *Job, _ *Task) { j.Reduces = Some(int64(1)) }, 0},
		{"rate", 200 * Second, func(j *Job, m *Task) { // 10 + (7+100)/0.5 + 2 = 226
			j.MapRate, j.TaskOverhead = Some(1e6), Some(7*Second)
			m.Processing, m.InputBytes = Optional[Time]{}, Some(Bytes(1e8))
		}, 0},
		{"beyond rate", 217 * Second, func(j *Job, m *Task) {
			j.MapRate, j.TaskOverhead = Some(1e6), Some(7*Second)
			m.Processing, m.InputBytes = Optional[Time]{}, Some(Bytes(1e8))
		}, 1},
	} {
		if got := loose(t, c.deadline, c.change); got != c.want {
			t.Errorf("%s: %d loose deadlines, want %d", c.name, got, c.want)
		}
	}
}
