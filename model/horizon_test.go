package model

import (
	"slices"
	"testing"
)

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
	w := built(t, b)
	return len(w.Loose())
}

// TestLoose (finding 16) finds deadlines after the end of every schedule: 10 + 20/0.5 + 2 = 52.
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

// TestFarAbsence: a task of 40 s from 10 s on ends by 50; if the node is away until 60 before, by 100.
func TestFarAbsence(t *testing.T) {
	for _, c := range []struct {
		from, until []Time
		want        int
	}{
		{[]Time{50}, []Time{60}, 0}, {[]Time{51}, []Time{60}, 1}, {[]Time{51}, []Time{0}, 0}, {[]Time{51, 51}, []Time{60, 70}, 1},
		{[]Time{20, 100}, []Time{60, 110}, 0}, {[]Time{20, 101}, []Time{60, 110}, 1}, {[]Time{20, 101}, []Time{0, 110}, 0},
	} {
		b := NewBuilder()
		b.Job(Job{ID: "j", Release: 10 * Second}, Locus{})
		b.Task(Task{ID: "m", Kind: Map, Processing: Some(20 * Second)}, "j", "", Locus{})
		b.Node(Node{ID: "root"}, "", Locus{})
		for _, id := range []string{"n", "o"} {
			b.Node(Node{ID: id, Kind: HostNode, Speed: Some(0.5)}, "root", Locus{})
		}
		for i, from := range c.from {
			b.Unavailable(Unavailable{From: from * Second, Until: Optional[Time]{Value: c.until[i] * Second,
				Known: c.until[i] > 0}}, []string{"n", "o"}[i], Locus{})
		}
		if found := built(t, b).farAbsence(); len(found) != c.want {
			t.Error(c, found)
		}
	}
}

// deadlined is a workload of problem cluster without slots. Job j is due 10 s after time 0. It has a map of 8 s that
// reads 40 bytes over a link of 10 bytes/s, and a reduce of 8 s.
func deadlined(deadline Time, change func(b *Builder)) (codes []Code) {
	b := NewBuilder()
	b.Scalars("due", "cluster", Optional[int64]{}, nil)
	b.Job(Job{ID: "i"}, Locus{})
	b.Job(Job{ID: "j", Deadline: Some(deadline)}, Locus{})
	b.Task(Task{ID: "m", Kind: Map, Processing: Some(8 * Second), InputBytes: Some(Bytes(40))}, "j", "b", Locus{})
	b.Task(Task{ID: "r", Kind: Reduce, Processing: Some(8 * Second)}, "j", "", Locus{})
	b.Task(Task{ID: "o", Kind: Map, Processing: Some(8 * Second)}, "i", "", Locus{})
	b.Node(Node{ID: "root"}, "", Locus{})
	b.Node(Node{ID: "n", Kind: HostNode, Bandwidth: Some(10.0)}, "root", Locus{})
	b.Node(Node{ID: "f", Kind: HostNode, Speed: Some(2.0)}, "root", Locus{})
	change(b)
	w, err := b.Build()
	if err != nil {
		panic(err)
	}
	for _, d := range w.Warnings() {
		if d.Code == CodeLoose || d.Code == CodeHopeless {
			codes = append(codes, d.Code)
		}
	}
	return codes
}

// TestClusterDeadlines: all ends by 24 + 4 s, and j not before 4 + 4 s; the tables of problem cluster let tasks end
// later, and fixed tasks earlier.
func TestClusterDeadlines(t *testing.T) {
	for name, c := range map[string]struct {
		deadline Time
		change   func(b *Builder)
		want     []Code
	}{
		"met":      {8 * Second, func(*Builder) {}, nil},
		"hopeless": {8*Second - 1, func(*Builder) {}, []Code{CodeHopeless}},
		"stands":   {Second, func(b *Builder) { b.FixedTask("r", "f", -3*Second, Locus{}); b.FixedTask("m", "f", 0, Locus{}) }, nil},
		"tight":    {28 * Second, func(*Builder) {}, nil},
		"loose":    {28*Second + 1, func(*Builder) {}, []Code{CodeLoose}},
		"waits":    {30 * Second, func(b *Builder) { b.Dependency("j", "i", 2*Second, Locus{}) }, nil},
		"begins":   {30 * Second, func(b *Builder) { b.FixedTask("m", "n", 2*Second, Locus{}) }, nil},
		"away":     {30 * Second, func(b *Builder) { b.Unavailable(Unavailable{Until: Some(2 * Second)}, "n", Locus{}) }, nil},
		"back": {30*Second + 1, func(b *Builder) { b.Unavailable(Unavailable{Until: Some(2 * Second)}, "n", Locus{}) },
			[]Code{CodeLoose}},
		"leaves": {MaxTime, func(b *Builder) { b.Unavailable(Unavailable{}, "n", Locus{}) }, nil},
	} {
		if got := deadlined(c.deadline, c.change); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
